"""Soundness over every operator: random graphs whose values the runtime shows, asked of every engine.

A graph must load, mean what onnxruntime computes, and have bounds that contain what the runtime shows. Then
every engine that takes it is asked about a limit that the runtime exceeds, which nobody may call safe, and
about one between what was seen and what bounds allow; violations have to replay. `python -m bench nn_random`
runs thousands.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import onnx
from random_wide import random_wide
from zonotopes import zonotope_bounds

from vouch.errors import Unsupported
from vouch.nn.bounds.ascent import all_relus
from vouch.nn.bounds.model import model_of
from vouch.nn.bounds.outputs import may_overflow, output_bounds
from vouch.nn.loaders.onnx import from_bytes
from vouch.nn.loaders.onnx_ops import CONVERTERS
from vouch.nn.lowering import lower
from vouch.nn.property import Case, output_union
from vouch.nn.replay import replay
from vouch.nn.search import driver as driving
from vouch.nn.search import task, verify
from vouch.nn.search.falsify import Effort
from vouch.settings import resolve
from vouch.verdict import Verdict

# The last two take piecewise linear networks alone.
ENGINES = ("auto", "neurons", "bounds", "milp", "star")


@dataclass
class Answers:
    """Questions decided and asked by engine, and the operators of the model."""

    decided: dict[str, int] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)


def drawn(seed):
    rng = np.random.default_rng(seed)
    data = random_wide(seed, steps=int(rng.integers(1, 8)))
    network = from_bytes(data, f"graph {seed}")
    kinds = {node.op_type for node in onnx.load_from_string(data).graph.node}
    low = np.round(rng.uniform(-2, 1, network.inputs) * 8) / 8
    few = rng.random(network.inputs) < min(1.0, rng.integers(2, 9) / network.inputs)
    high = low + np.round(rng.uniform(0, 1, network.inputs) * 8) / 8 * few
    return network, kinds, low, high, rng


def check_meaning(network, low, high, rng, where):
    """Values as the runtime has them, and all bounds around them. Points and their outputs."""
    points = low + rng.random((200, network.inputs)) * (high - low)
    points[:40] = np.where(rng.random((40, network.inputs)) < 0.5, low, high)
    points = points.astype(np.float32).astype(np.float64).clip(low, high)
    truth, seen = network.evaluate(points), replay(network, points)
    size = 1 + np.abs(truth).max()
    np.testing.assert_allclose(seen, truth, atol=1e-4 * size, err_msg=where)
    np.testing.assert_allclose(lower(network).evaluate(points), truth, atol=1e-10 * size, err_msg=where)
    best = np.full(network.outputs, np.inf)
    for arithmetic, values, slack in (("float32", seen, 0.0), ("real", truth, 1e-12 * size)):
        model = model_of(network, arithmetic)
        if may_overflow(model, Case(low, high, ())):
            continue
        for domain in ("interval", "crown", "zonotope"):
            try:
                if domain == "zonotope":
                    bounds = zonotope_bounds(model, low, high)
                else:
                    bounds = output_bounds(model, low, high, domain)
            except Unsupported:  # an argument may leave its function's domain, or products
                continue
            assert (values >= bounds[0] - slack).all(), f"{where} {domain} {arithmetic}"
            assert (values <= bounds[1] + slack).all(), f"{where} {domain} {arithmetic}"
            best = np.minimum(best, bounds[1])
    return seen, best


def by_processor(patch):
    """Limits count processor time, so that a busy machine decides as much."""
    patch.setattr(task, "time", SimpleNamespace(monotonic=time.process_time))


def hurried(patch):
    """The falsifier is brief as well, so that the engines have to answer."""
    by_processor(patch)
    patch.setattr(driving._Verification, "_effort", lambda self, case: Effort(256, 8, 8))


def question(network, low, high, limit, output, engine, arithmetic, monkeypatch, seconds):
    """The verdict on "output < limit"."""
    row = -np.eye(network.outputs)[output : output + 1]
    prop = output_union(low, high, [(row, np.array([-limit]))])
    monkeypatch.setattr(driving, "FEW_INPUTS", -1 if engine == "neurons" else 12)
    options = {"engine": "auto" if engine == "neurons" else engine, "arithmetic": arithmetic}
    result = verify(network, prop, resolve("nn", {**options, "timeout": seconds, "jobs": 1}))
    if result.verdict is Verdict.UNSAFE:
        found = result.counterexample
        assert prop.violated(found.input, replay(network, found.input[None, :])[0])
    return result.verdict


def check(seed, monkeypatch, seconds=0.2):
    hurried(monkeypatch)
    network, kinds, low, high, rng = drawn(seed)
    where, answers = f"seed {seed}", Answers(kinds=kinds)
    seen, best = check_meaning(network, low, high, rng, where)
    output = int(rng.integers(network.outputs))
    reached, above = float(seen[:, output].max()), float(best[output])
    room = 1e-3 * (1 + abs(reached))
    between = reached + room + (0.5 * max(0.0, above - reached) if np.isfinite(above) else 1.0)
    questions = ((reached - room, "float32"), (between, "float32"), (between, "real"))
    engines = ENGINES if all_relus(model_of(network, "real")) else ENGINES[:3]
    for number, engine in enumerate(engines):
        # `auto` gets all three, each other engine one of them in turn: graphs are many.
        for limit, arithmetic in questions if not number else [questions[(seed + number) % 3]]:
            said = question(network, low, high, limit, output, engine, arithmetic, monkeypatch, seconds)
            answers.asked[engine] = answers.asked.get(engine, 0) + 1
            decided = said in (Verdict.SAFE, Verdict.UNSAFE)
            answers.decided[engine] = answers.decided.get(engine, 0) + decided
            assert said is not Verdict.SAFE or limit > reached, f"{where} {engine} {arithmetic}"
    return answers


def test_every_operator_is_drawn():
    kinds = set()
    for seed in range(600):
        rng = np.random.default_rng(seed)
        data = random_wide(seed, steps=int(rng.integers(1, 9)))
        kinds |= {node.op_type for node in onnx.load_from_string(data).graph.node}
    assert kinds >= set(CONVERTERS) - {"Constant"}


def test_a_sample(monkeypatch):
    answers = [check(seed, monkeypatch) for seed in range(8)]
    assert all(a.asked["auto"] == 3 for a in answers)
