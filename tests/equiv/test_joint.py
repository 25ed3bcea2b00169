"""Engine `joint`: networks that are no dense ReLU chains, against truths found in other ways.

Leaky ReLU networks have dense product (relu(z) − s·relu(−z) is a leaky ReLU), whose truth is enumerated; for
the others, dense sampling must never contradict a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vouch.equiv import compare, radius
from vouch.equiv.confirm import confirmer
from vouch.equiv.decide import EnginePlan, decide
from vouch.equiv.joint import prove
from vouch.equiv.pair import pair_of, same_operators
from vouch.equiv.property import Avoid, Epsilon, Polytope, Top
from vouch.equiv.region import Region, ball, box, polytope
from vouch.nn.export import to_onnx
from vouch.nn.lowering import lower
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import (
    Add,
    Conv,
    Gemm,
    LeakyRelu,
    MaxPool,
    Operator,
    Relu,
    Reshape,
    Sigmoid,
    Softmax,
    Tanh,
)
from vouch.nn.product import beside
from vouch.nn.replay import replay
from vouch.nn.search.task import Clock
from vouch.verdict import Verdict

Layers = list[tuple[np.ndarray, np.ndarray]]
SLOPE = 0.125


def weights(rng: np.random.Generator, *widths: int) -> Layers:
    return [
        ((0.7 * rng.normal(size=(m, n))).round(3), (0.3 * rng.normal(size=m)).round(3))
        for n, m in pairwise(widths)
    ]


def moved(rng: np.random.Generator, layers: Layers, by: float) -> Layers:
    return [(w + by * rng.normal(size=w.shape).round(3), b) for w, b in layers]


def chain(layers: Layers, activation: Operator, shape: tuple[int, ...] | None = None) -> Network:
    builder = GraphBuilder("chain", "x", shape or (1, layers[0][0].shape[1]))
    value = "x"
    if shape is not None:
        value = builder.add("flat", Reshape((1, layers[0][0].shape[1])), value)
    for number, (matrix, bias) in enumerate(layers):
        value = builder.add(f"layer{number}", Gemm.of(matrix, bias), value)
        if number < len(layers) - 1:
            value = builder.add(f"between{number}", activation, value)
    return builder.build(value)


def residual(layers: Layers, activation: Operator = Relu()) -> Network:  # noqa: B008
    """Every hidden layer but the first is added to what it reads."""
    builder = GraphBuilder("residual", "x", (1, layers[0][0].shape[1]))
    value = builder.add("first", Gemm.of(*layers[0]), "x")
    for number, layer in enumerate(layers[1:-1]):
        inner = builder.add(
            f"inner{number}", activation, builder.add(f"gemm{number}", Gemm.of(*layer), value)
        )
        value = builder.add(f"sum{number}", Add(), value, inner)
    last = builder.add("active", activation, value)
    return builder.build(builder.add("last", Gemm.of(*layers[-1]), last))


def pooled(kernel: np.ndarray, head: tuple[np.ndarray, np.ndarray]) -> Network:
    """A 1×4×4 image, a convolution to 2×3×3, ReLU, max pooling to 2×2×2, a linear head."""
    builder = GraphBuilder("pooled", "x", (1, 1, 4, 4))
    conv = Conv(kernel, np.array([0.1, -0.1]), (1, 1), ((0, 0), (0, 0)), (1, 1), 1)
    value = builder.add("relu", Relu(), builder.add("conv", conv, "x"))
    value = builder.add("pool", MaxPool((2, 2), (1, 1), ((0, 0), (0, 0)), (1, 1)), value)
    value = builder.add("flat", Reshape((1, 8)), value)
    return builder.build(builder.add("head", Gemm.of(*head), value))


def as_relu(layers: Layers) -> Layers:
    """The dense ReLU network that computes what `layers` do with leaky ReLUs between them."""
    found: Layers = []
    for number, (matrix, bias) in enumerate(layers):
        if number:
            matrix = np.hstack([matrix, -SLOPE * matrix])
        if number < len(layers) - 1:
            matrix, bias = np.vstack([matrix, -matrix]), np.concatenate([bias, -bias])
        found.append((matrix, bias))
    return found


def largest(first: Network, second: Network, region: Region, norm: str = "linf") -> float:
    """The largest difference that 20,000 samples show."""
    points = region.sample(np.random.default_rng(99), 20_000)
    points = points[region.inside(points)]
    gaps = np.abs(first.evaluate(points) - second.evaluate(points))
    return float((gaps.max(1) if norm == "linf" else gaps.sum(1)).max())


def check_violation(answer: Any, first: Network, second: Network, region: Region, prop: Any) -> None:
    """A counterexample is one, whoever computes the outputs."""
    found = answer.counterexample
    assert found is not None
    assert region.contains(found.input)
    assert found.replayed
    row = found.input[None, :]
    assert np.allclose(found.reference, first.evaluate(row)[0], atol=1e-4)
    assert np.allclose(found.test, second.evaluate(row)[0], atol=1e-4)
    assert prop.violated(found.reference[None, :], found.test[None, :])[0]


@pytest.mark.parametrize("seed", range(2))
def test_leaky_relu_against_the_enumerated_truth(
    seed: int, halfspaces: Any, truth: Callable[..., float]
) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 3))
    layers = weights(rng, size, 2, 2 + seed % 2)
    other = moved(rng, layers, 0.1) if seed % 2 else weights(rng, size, 2, 2 + seed % 2)
    region = [box(-np.ones(size), np.ones(size)), ball(np.full(size, 0.1), 0.9, "l1")][seed // 2]
    rows, rhs = (
        halfspaces["box"](region.lower, region.upper)
        if region.radius is None
        else halfspaces["ball"](region.centre, region.radius)
    )
    product = as_relu(layers), as_relu(other)
    pair = chain(layers, LeakyRelu(SLOPE)), chain(other, LeakyRelu(SLOPE))
    asked: list[tuple[Any, bool]] = []
    for norm in ("linf", "l1"):
        gap = truth(product, rows, rhs, norm=norm)
        asked += [(Epsilon(gap * 1.01, norm), True), (Epsilon(gap * 0.99, norm), False)]
    over = truth(product, rows, rhs, top=1)
    assert abs(over) > 1e-6
    for prop, equal in [*asked, (Top(1), over < 0)]:
        for arithmetic in ("real", "float32"):
            answer = decide(*pair, prop, region, EnginePlan(timeout=20, arithmetic=arithmetic))
            wanted = Verdict.EQUIVALENT if equal else Verdict.DIFFERENT
            assert answer.verdict is wanted, (prop, arithmetic, answer)
            assert answer.engine in ("joint", "falsifier")
            if not equal:
                check_violation(answer, *pair, region, prop)


def _pairs(rng: np.random.Generator, kind: str) -> tuple[Network, Network, Network, Region]:
    """A reference, a network near to it, one that differs clearly, and a region."""
    if kind == "pooled":
        kernel, head = 0.2 + 0.3 * rng.normal(size=(2, 1, 2, 2)), weights(rng, 8, 3)[0]
        near = pooled(kernel + 0.01 * rng.normal(size=kernel.shape), head)
        region = box(np.full(16, 0.45), np.full(16, 0.55))
        return pooled(kernel, head), near, pooled(kernel, (head[0] + 0.3, head[1])), region
    makers: dict[str, Callable[[Layers], Network]] = {
        "tanh": lambda layers: chain(layers, Tanh()),
        "sigmoid": lambda layers: chain(layers, Sigmoid()),
        "residual": residual,
        "leaky residual": lambda layers: residual(layers, LeakyRelu(SLOPE)),
        "tanh residual": lambda layers: residual(layers, Tanh()),
    }
    layers = weights(rng, 2, 4, 4, 3)
    region = box(np.full(2, -0.4), np.full(2, 0.4))
    make = makers[kind]
    return make(layers), make(moved(rng, layers, 0.01)), make(moved(rng, layers, 0.4)), region


KINDS = ("tanh", "sigmoid", "residual", "leaky residual", "tanh residual", "pooled")


@pytest.mark.parametrize("arithmetic", ["real", "float32"])
@pytest.mark.parametrize("kind", KINDS)
def test_proofs_survive_samples_and_twins_are_found(kind: str, arithmetic: str) -> None:
    reference, near, far, region = _pairs(np.random.default_rng(5), kind)
    plan = EnginePlan(timeout=30, arithmetic=arithmetic)
    for norm in ("linf", "l1"):
        gap = largest(reference, near, region, norm)
        # Samples of 16 pixels miss more of the largest difference than those of two inputs.
        limit = (2.0 if kind == "pooled" else 1.3) * gap
        answer = decide(reference, near, Epsilon(limit, norm), region, plan)
        assert answer.verdict is Verdict.EQUIVALENT, answer
        assert answer.engine == "joint"
        assert answer.bound is not None
        assert gap <= answer.bound <= limit
        if arithmetic == "float32":
            points = region.sample(np.random.default_rng(3), 200)
            apart = np.abs(replay(reference, points) - replay(near, points))
            assert (apart.max(1) if norm == "linf" else apart.sum(1)).max() <= answer.bound
        prop = Epsilon(0.9 * gap, norm)
        check_violation(decide(reference, near, prop, region, plan), reference, near, region, prop)
        wide = Epsilon(2 * gap, norm)
        check_violation(decide(reference, far, wide, region, plan), reference, far, region, wide)


@pytest.mark.parametrize("kind", KINDS)
def test_rankings_agree_with_samples(kind: str) -> None:
    reference, near, far, region = _pairs(np.random.default_rng(8), kind)
    points = region.sample(np.random.default_rng(7), 20_000)
    decided = 0
    for test in (near, far):
        for k in (1, 2):
            answer = decide(reference, test, Top(k), region, EnginePlan(timeout=60))
            seen = Top(k).violated(reference.evaluate(points), test.evaluate(points)).any()
            if answer.verdict is Verdict.EQUIVALENT:
                assert not seen
                decided += 1
            elif answer.verdict is Verdict.DIFFERENT:
                check_violation(answer, reference, test, region, Top(k))
                decided += 1
            else:
                assert not seen
    assert decided >= 3


def test_plain_relu_pairs_through_joint(
    make_pair: Callable[..., Any], halfspaces: Any, truth: Callable[..., float]
) -> None:
    """Dense pairs, for which the truth is enumerated, forced through the joint graph."""
    decided = 0
    for seed in (0, 4):
        rng = np.random.default_rng(300 + seed)
        layers = make_pair(rng)
        size = layers[0][0][0].shape[1]
        cut, limit = rng.normal(size=(1, size)).round(2), np.array([0.1])
        region = polytope(np.full(size, -0.5), np.full(size, 0.5), cut, limit)
        rows, rhs = halfspaces["box"](region.lower, region.upper)
        rows, rhs = np.vstack([rows, cut]), np.append(rhs, limit)
        gap = truth(layers, rows, rhs, norm="linf")
        assert gap > 1e-3
        outputs = len(layers[0][-1][1])
        first, second = rng.normal(size=(2, 1, outputs)).round(2)
        inside = Polytope(first, second, np.zeros(1), np.zeros(1, dtype=bool))
        depth = truth(layers, rows, rhs, inside=inside)
        pair = pair_of(*layers)
        for prop, equal in (
            (Epsilon(gap * 1.01), True),
            (Epsilon(gap * 0.99), False),
            (Avoid((replace(inside, rhs=np.array([-depth - 0.01])),)), True),
            (Avoid((replace(inside, rhs=np.array([-depth + 0.01])),)), False),
        ):
            confirm = confirmer(pair, region, prop)
            outcome = prove(pair, region, prop, confirm, Clock(10.0))
            if outcome.verdict is Verdict.EQUIVALENT:
                assert equal
            elif outcome.verdict is Verdict.DIFFERENT:
                assert not equal
                assert outcome.witness is not None
                assert region.contains(outcome.witness.input)
            decided += outcome.verdict in (Verdict.EQUIVALENT, Verdict.DIFFERENT)
    assert decided == 8


def test_inputs_of_other_shapes_and_equal_networks() -> None:
    layers = weights(np.random.default_rng(3), 4, 3, 2)
    flat, image = chain(layers, Tanh()), chain(layers, Tanh(), (1, 1, 2, 2))
    near = chain(moved(np.random.default_rng(1), layers, 0.01), Tanh())
    points = np.random.default_rng(0).normal(size=(50, 4))
    for test in (near, residual(weights(np.random.default_rng(3), 4, 3, 3, 2))):
        both = beside(lower(image), lower(test, relu_only=True), distances=True)
        assert both.followed is (test is near)
        r, t = flat.evaluate(points), test.evaluate(points)
        assert np.allclose(both.lowered.evaluate(points), np.hstack([r, t, r - t, np.abs(r - t)]))
    assert same_operators(flat, chain(layers, Tanh()))
    assert not same_operators(flat, near)
    assert not same_operators(flat, chain(layers, Sigmoid()))
    answer = decide(flat, chain(layers, Tanh()), Epsilon(0.0), box(-np.ones(4), np.ones(4)))
    assert (answer.verdict, answer.engine, answer.bound) == (Verdict.EQUIVALENT, "structure", 0.0)
    across = decide(image, flat, Epsilon(0.2), box(np.full(4, -0.1), np.full(4, 0.1)), EnginePlan(timeout=20))
    assert (across.verdict, across.engine) == (Verdict.EQUIVALENT, "joint")


def test_a_softmax_at_the_end_keeps_the_order() -> None:
    layers = weights(np.random.default_rng(3), 2, 3, 3)
    plain = chain(layers, Tanh())
    builder = GraphBuilder("soft", "x", (1, 2))
    value = builder.add("0", Gemm.of(*layers[0]), "x")
    value = builder.add("2", Gemm.of(*layers[1]), builder.add("1", Tanh(), value))
    soft = builder.build(builder.add("3", Softmax(1), value))
    region = box(np.full(2, 0.3), np.full(2, 0.4))
    assert decide(soft, plain, Top(1), region, EnginePlan(timeout=20)).verdict is Verdict.EQUIVALENT
    refused = decide(soft, plain, Epsilon(1.0), region)
    assert refused.verdict is Verdict.UNKNOWN
    assert "softmax" in str(refused.reason)


def test_other_engines_say_why_not() -> None:
    network = chain(weights(np.random.default_rng(3), 2, 3, 2), Tanh())
    other = chain(weights(np.random.default_rng(4), 2, 3, 2), Tanh())
    region = box(np.zeros(2), np.full(2, 0.1))
    for engine in ("paths", "milp"):
        answer = decide(network, other, Epsilon(10.0), region, EnginePlan(engine))
        assert answer.verdict is Verdict.UNKNOWN
        assert "tanh" in str(answer.reason)
    assert decide(network, other, Epsilon(10.0), region, EnginePlan("differential")).engine == "joint"


def test_linear_steps_in_a_row_are_covered_in_float32() -> None:
    """Two products without a ReLU between them are no layer of their own; the joint graph keeps both."""
    rng = np.random.default_rng(6)
    first, second, third = weights(rng, 2, 3, 3, 2)
    nets = []
    for shift in (0.0, 0.01):
        builder = GraphBuilder("row", "x", (1, 2))
        value = builder.add(
            "1",
            Gemm.of(first[0] + shift, first[1]),
            builder.add("0", Gemm.of(np.eye(2), np.full(2, 0.1)), "x"),
        )
        value = builder.add("3", Gemm.of(*second), builder.add("2", Relu(), value))
        nets.append(builder.build(builder.add("4", Gemm.of(*third), value)))
    region = box(np.full(2, -0.5), np.full(2, 0.5))
    gap = largest(nets[0], nets[1], region)
    assert not pair_of(*nets).chains(as_computed=True)
    assert pair_of(*nets).chains()
    plan = EnginePlan(arithmetic="float32", timeout=20)
    proved = decide(*nets, Epsilon(1.2 * gap), region, plan)
    assert (proved.verdict, proved.engine) == (Verdict.EQUIVALENT, "joint")
    assert decide(*nets, Epsilon(0.9 * gap), region, plan).verdict is Verdict.DIFFERENT


def test_radius_of_tanh_networks() -> None:
    rng = np.random.default_rng(2)
    layers = weights(rng, 2, 4, 2)
    pair = chain(layers, Tanh()), chain(moved(rng, layers, 0.1), Tanh())
    found = radius(*pair, centre=np.array([0.1, 0.2]), epsilon=0.1, timeout=60)
    assert found.proved is not None
    assert found.refuted is not None
    assert 0.9 * found.refuted <= found.proved < found.refuted
    points = (
        0.1 * np.ones((1, 2))
        + np.array([[0.0, 0.1]])
        + found.proved * np.random.default_rng(0).uniform(-1, 1, (5000, 2))
    )
    assert np.abs(pair[0].evaluate(points) - pair[1].evaluate(points)).max() <= 0.1


def test_from_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    layers = weights(rng, 2, 4, 4, 2)
    for name, net in (("a", residual(layers)), ("b", residual(moved(rng, layers, 0.01)))):
        (tmp_path / f"{name}.onnx").write_bytes(to_onnx(net))
    files = tmp_path / "a.onnx", tmp_path / "b.onnx"
    where = {"centre": np.zeros(2), "radius": 0.2, "timeout": 20}
    assert compare(*files, epsilon=0.5, **where).verdict is Verdict.EQUIVALENT
    assert compare(*files, epsilon=1e-4, **where).replayed


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(4))
def test_many_leaky_pairs(block: int, halfspaces: Any, truth: Callable[..., float]) -> None:
    """Random leaky ReLU networks of up to two hidden layers, related or not, on either side of the edge."""
    seen = {Verdict.EQUIVALENT: 0, Verdict.DIFFERENT: 0, Verdict.UNKNOWN: 0, Verdict.TIMEOUT: 0}
    for seed in range(1000 + 25 * block, 1025 + 25 * block):
        rng = np.random.default_rng(seed)
        size, outputs = int(rng.integers(1, 3)), int(rng.integers(2, 4))
        widths = size, *(2 for _ in range(rng.integers(1, 3))), outputs
        layers = weights(rng, *widths)
        other = moved(rng, layers, 0.05) if seed % 3 else weights(rng, size, 2, outputs)
        centre = rng.uniform(-0.5, 0.5, size).round(2)
        region = box(centre - 0.5, centre + 0.5)
        rows, rhs = halfspaces["box"](region.lower, region.upper)
        product = as_relu(layers), as_relu(other)
        pair = chain(layers, LeakyRelu(SLOPE)), chain(other, LeakyRelu(SLOPE))
        norm = "l1" if seed % 2 else "linf"
        gap = truth(product, rows, rhs, norm=norm)
        k = int(rng.integers(1, outputs))
        over = truth(product, rows, rhs, top=k)
        asked: list[tuple[Any, bool]] = [
            (Epsilon(gap * 1.01, norm), True),
            (Epsilon(gap * 0.99, norm), False),
        ]
        if abs(over) > 1e-3:
            asked.append((Top(k), over < 0))
        for prop, equal in asked:
            plan = EnginePlan(timeout=10, arithmetic="float32" if rng.integers(2) else "real")
            answer = decide(*pair, prop, region, plan)
            seen[answer.verdict] += 1
            if answer.verdict is Verdict.EQUIVALENT:
                assert equal, (seed, prop)
            elif answer.verdict is Verdict.DIFFERENT:
                assert not equal, (seed, prop)
                check_violation(answer, *pair, region, prop)
    assert min(seen[Verdict.EQUIVALENT], seen[Verdict.DIFFERENT]) >= 20
    assert seen[Verdict.UNKNOWN] + seen[Verdict.TIMEOUT] <= 4
