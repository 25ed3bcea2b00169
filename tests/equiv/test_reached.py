"""A difference that was seen is never proved away: random pairs, an input tried out, and every engine asked
whether the networks agree a little more closely than they do there. `make test` runs a sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.patience import slowed

from vouch.equiv.decide import EnginePlan, decide
from vouch.equiv.property import Avoid, Epsilon, Polytope, Property, Top
from vouch.equiv.region import Region, ball, box
from vouch.verdict import Verdict

PLANS = (
    EnginePlan("auto"),
    EnginePlan("auto", arithmetic="float32"),
    EnginePlan("differential"),
    EnginePlan("paths", "less"),
    EnginePlan("paths", "first"),
    EnginePlan("milp"),
)
# Weights of the last layer are stretched by these: certificates must not depend on the unit.
SCALES = (1.0, 1.0, 1e-9, 1e9, 1e25)


def _asked(rng: np.random.Generator, r: np.ndarray, t: np.ndarray) -> list[Property]:
    """Properties that outputs r and t violate, by a little where there is a limit."""
    found: list[Property] = []
    norm = "l1" if rng.integers(2) else "linf"
    gap = np.abs(r - t).sum() if norm == "l1" else np.abs(r - t).max()
    if gap > 0:
        found.append(Epsilon(float(gap * (1 - 1e-6)), norm))
    order = np.sort(r)
    if r.argmax() != t.argmax() and order[-1] - order[-2] > 1e-6 * np.abs(order).max():
        found.append(Top(1))
    rows = rng.normal(size=(2, 2, len(r))).round(2)
    size = np.abs(rows[0]) @ np.abs(r) + np.abs(rows[1]) @ np.abs(t)
    limit = rows[0] @ r + rows[1] @ t + 1e-6 * size
    return [*found, Avoid((Polytope(rows[0], rows[1], limit, np.zeros(2, dtype=bool)),))]


def _value(layers: Any, x: np.ndarray) -> np.ndarray:
    for weights, bias in layers[:-1]:
        x = np.maximum(weights @ x + bias, 0.0)
    return np.asarray(layers[-1][0] @ x + layers[-1][1])


def _check(seed: int, make_pair: Callable[..., Any]) -> int:
    rng = np.random.default_rng(seed)
    scale = SCALES[seed % len(SCALES)]
    # Numbers of float32, so that both arithmetics see the same networks.
    pair = [
        [
            (np.float32(w * s).astype(float), np.float32(b * s).astype(float))
            for (w, b), s in zip(net, ss, strict=True)
        ]
        for net in make_pair(rng)
        for ss in [[1.0] * (len(net) - 1) + [scale]]
    ]
    centre = rng.uniform(-0.5, 0.5, pair[0][0][0].shape[1]).astype(np.float32).astype(float)
    region: Region = box(centre - 0.5, centre + 0.5) if rng.integers(2) else ball(centre, 0.5, "l1")
    x = region.sample(rng, 8)[int(rng.integers(8))].astype(np.float32).astype(float)
    if not region.contains(x):
        return 0
    seen = 0
    for prop in _asked(rng, _value(pair[0], x), _value(pair[1], x)):
        for plan in PLANS:
            answer = decide(*pair, prop, region, replace(plan, timeout=slowed(3)))
            where = f"seed {seed}, {prop}, {plan.engine} {plan.strategy} {plan.arithmetic}"
            assert answer.verdict is not Verdict.EQUIVALENT, where
            seen += answer.verdict is Verdict.DIFFERENT
    return seen


def test_what_was_seen_is_not_proved_away(make_pair: Callable[..., Any]) -> None:
    assert sum(_check(seed, make_pair) for seed in range(10)) > 40


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_what_was_seen_is_never_proved_away(make_pair: Callable[..., Any]) -> None:
    for seed in range(1000, 2000):
        _check(seed, make_pair)
