"""Comparisons whose constants were moved, against all values of the number that is compared."""

from __future__ import annotations

import random

import numpy as np
import pytest

from vouch.numeric.shifted import threshold
from vouch.numeric.tape import Tape
from vouch.numeric.values import FAR, integers
from vouch.smt import term as T
from vouch.smt.node import make
from vouch.smt.operators import signed
from vouch.smt.sort import BOOL, bitvec
from vouch.smt.walk import evaluate


def made(r: random.Random, width: int):
    """A number x, c x + d in the type or in a wider one, and a choice by a comparison of x."""
    x = T.symbol(f"x{r.random()}", bitvec(width))
    term = x
    if r.random() < 0.5:
        term = T.sext(term, 9) if r.random() < 0.5 else term
    term = T.mul(term, T.bv(r.choice([1, 1, 2, 3, -1]), term.width))
    term = T.add(term, T.bv(r.randint(-9, 9), term.width))
    limit = T.bv(r.randint(-(1 << (width - 1)), (1 << (width - 1)) - 1), width)
    condition = make("slt", r.choice([(x, limit), (limit, x)]), BOOL)
    condition = T.not_(condition) if r.random() < 0.5 else condition
    other = T.bv(r.randint(-9, 9), term.width)
    return x, condition, term, other


@pytest.mark.parametrize("block", range(6))
def test_ranges_of_choices(block):
    for seed in range(50):
        attack(50 * block + seed)


def attack(seed):
    r = random.Random(seed)
    x, condition, term, other = made(r, 5)
    choice = T.ite(condition, *((term, other) if r.random() < 0.5 else (other, term)))
    if choice.op != "ite":
        return
    low = r.randint(-16, 15)
    high = r.randint(low, 15)
    tape = Tape([T.slt(choice, T.bv(3, choice.width)), condition])
    if choice not in tape.place or x not in tape.variables:
        return
    found = tape.run({x: integers(5, np.array([low]), np.array([high]))}, 1)[tape.place[choice]]
    for number in range(low, high + 1):
        bits = evaluate(choice, {x: number & 31}, lambda symbol: 0, {})
        assert found.low[0] <= signed(bits, choice.width) <= found.high[0]


@pytest.mark.parametrize("width", [32, 64])
def test_a_rectifier_is_as_tight_as_it_was_written(width):
    x = T.symbol(f"x-shifted{width}", bitvec(width))
    total = T.add(x, T.bv(28, width))
    condition = make("slt", (x, T.bv(-28, width)), BOOL)
    assert threshold(condition, total) is not None
    choice = T.ite(condition, T.bv(0, width), total)
    tape = Tape([T.slt(choice, T.bv(3, width))])
    found = tape.run({x: integers(width, np.array([-100]), np.array([100]))}, 1)[tape.place[choice]]
    assert (found.low[0], found.high[0]) == (0, 128)
    # The largest number wraps to the smallest ones: then nothing is known.
    found = tape.run({}, 1)[tape.place[choice]]
    assert found.low[0] <= max(-(1 << (width - 1)), -FAR)
