"""All engines against the truth by enumeration of activation patterns (see conftest)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from vouch.equiv.decide import EnginePlan, decide
from vouch.equiv.property import Avoid, Epsilon, Polytope, Property, Top
from vouch.equiv.region import Region, ball, box, polytope
from vouch.verdict import Verdict

PLANS = [
    EnginePlan("auto"),
    EnginePlan("differential", arithmetic="float32"),
    EnginePlan("paths", "exact"),
    EnginePlan("paths", "first"),
    EnginePlan("paths", "approx"),
    EnginePlan("paths", "less"),
    EnginePlan("paths", "max"),
    EnginePlan("paths", "oracle"),
    EnginePlan("milp"),
]


def _region(rng: np.random.Generator, size: int, halfspaces: Any) -> tuple[Region, np.ndarray, np.ndarray]:
    centre = rng.uniform(-0.5, 0.5, size).round(2)
    half = rng.uniform(0.1, 0.8)
    rows, rhs = halfspaces["box"](centre - half, centre + half)
    match rng.integers(3):
        case 0:
            return box(centre - half, centre + half), rows, rhs
        case 1:
            return ball(centre, half, "l1"), *halfspaces["ball"](centre, half)
        case _:
            cut = rng.normal(size=(1, size)).round(2)
            limit = cut @ centre + 0.1
            region = polytope(centre - half, centre + half, cut, limit)
            return region, np.vstack([rows, cut]), np.append(rhs, limit)


def _questions(
    rng: np.random.Generator, pair: Any, rows: np.ndarray, rhs: np.ndarray, truth: Any
) -> list[tuple[Property, bool]]:
    """Properties with their true answer, a little on either side of the edge."""
    norm = "l1" if rng.integers(2) else "linf"
    gap = truth(pair, rows, rhs, norm=norm)
    asked: list[tuple[Property, bool]] = []
    if gap > 1e-3:
        asked = [(Epsilon(gap * 1.01, norm), True), (Epsilon(gap * 0.99, norm), False)]
    k = int(rng.integers(1, len(pair[0][-1][1])))
    over = truth(pair, rows, rhs, top=k)
    if abs(over) > 1e-3:
        asked.append((Top(k), over < 0))
    return [*asked, *_forbidden(rng, pair, rows, rhs, truth)]


def _forbidden(
    rng: np.random.Generator, pair: Any, rows: np.ndarray, rhs: np.ndarray, truth: Any
) -> list[tuple[Property, bool]]:
    """Two polytopes that the outputs just miss, and the same with one of them just touched."""
    polytopes = []
    for _ in range(2):
        first, second = rng.normal(size=(2, int(rng.integers(1, 3)), len(pair[0][-1][1]))).round(2)
        loose = Polytope(first, second, np.zeros(len(first)), np.zeros(len(first), dtype=bool))
        polytopes.append(replace(loose, rhs=loose.rhs - truth(pair, rows, rhs, inside=loose) - 0.01))
    entered = replace(polytopes[1], rhs=polytopes[1].rhs + 0.02)
    return [(Avoid(tuple(polytopes)), True), (Avoid((polytopes[0], entered)), False)]


def _campaign(
    seeds: range, plans: list[EnginePlan], make_pair: Any, halfspaces: Any, truth: Any
) -> dict[str, int]:
    seen = {"equivalent": 0, "different": 0, "undecided": 0}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        pair = make_pair(rng)
        region, rows, rhs = _region(rng, pair[0][0][0].shape[1], halfspaces)
        for prop, equal in _questions(rng, pair, rows, rhs, truth):
            for plan in plans:
                answer = decide(*pair, prop, region, replace(plan, timeout=60.0))
                where = f"seed {seed}, {prop}, {plan.engine} {plan.strategy}"
                if answer.verdict is Verdict.EQUIVALENT:
                    assert equal, where
                    seen["equivalent"] += 1
                elif answer.verdict is Verdict.DIFFERENT:
                    assert not equal, where
                    assert answer.counterexample is not None
                    assert region.contains(answer.counterexample.input), where
                    seen["different"] += 1
                else:
                    seen["undecided"] += 1
    return seen


def test_every_engine_is_right(
    make_pair: Callable[..., Any], halfspaces: Any, truth: Callable[..., float]
) -> None:
    seen = _campaign(range(2), PLANS, make_pair, halfspaces, truth)
    assert min(seen["equivalent"], seen["different"]) > 12
    # A ranking that both networks decide along the very same line is undecidable up to round-off.
    assert seen["undecided"] <= 0.05 * sum(seen.values())


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("block", range(10))
def test_a_thousand_pairs(
    block: int, make_pair: Callable[..., Any], halfspaces: Any, truth: Callable[..., float]
) -> None:
    seeds = range(1000 + 110 * block, 1110 + 110 * block)
    seen = _campaign(seeds, PLANS, make_pair, halfspaces, truth)
    assert min(seen["equivalent"], seen["different"]) > 300
    assert seen["undecided"] <= 0.05 * sum(seen.values())
