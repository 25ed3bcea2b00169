"""Joined paths: the guard of the join holds exactly when one of the paths does."""

from __future__ import annotations

import itertools
import random

import pytest

from vouch.bmc.guard import Guard, join, root
from vouch.smt import term as T
from vouch.smt.walk import evaluate


@pytest.mark.parametrize("seed", range(60))
def test_join(seed: int) -> None:
    rng = random.Random(seed)
    symbols = [T.fresh("c", T.BOOL) for _ in range(4)]
    leaves: list[Guard] = [root()]
    for _ in range(rng.randrange(1, 6)):  # a tree of decisions; its leaves exclude each other
        leaf = leaves.pop(rng.randrange(len(leaves)))
        condition = rng.choice(symbols)
        leaves += [leaf.and_(condition), leaf.and_(T.not_(condition))]
    live = [leaf for leaf in leaves if not leaf.dead]
    chosen = rng.sample(live, rng.randrange(1, len(live) + 1))
    joined, conditions = join(chosen)
    for bits in itertools.product([False, True], repeat=len(symbols)):
        values = dict(zip(symbols, bits, strict=True))
        held = [bool(evaluate(guard.term, values)) for guard in chosen]
        assert bool(evaluate(joined.term, values)) == any(held)
        if any(held):
            singled = [bool(evaluate(condition, values)) for condition in conditions]
            assert singled == held or len(chosen) == 1


def test_both_branches_give_the_guard_before_them() -> None:
    start = root().and_(T.fresh("before", T.BOOL))
    condition = T.fresh("c", T.BOOL)
    joined, _ = join([start.and_(condition), start.and_(T.not_(condition))])
    assert joined is start
