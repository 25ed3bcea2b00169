"""Comparisons of integers whose constants were moved to one side.

Simplification writes t < 0 with t = p + c as p < −c. What such a condition says about t itself is found
again: a choice between t and something else is then as tight as the code wrote it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vouch.numeric.values import FAR, Bools, Ints
from vouch.record import frozen_record
from vouch.smt.node import Term
from vouch.smt.operators import signed

_STEPS = 4  # operations with constants between the two
_LARGEST = 1 << 32  # factor between the two


@frozen_record
class Threshold:
    """A condition tells whether a term is at most `small` or at least `large`: the first where it holds, if
    `holds_below`, else the second. The term is scale * inner + offset, unless that wraps."""

    inner: Term
    scale: int
    offset: int
    small: int
    large: int
    holds_below: bool

    def exact(self, inner: Ints, term: Ints) -> Bools:
        """Where ranges show that nothing wraps: then the one is the other's, moved."""
        most = (FAR - 1 - abs(self.offset)) // self.scale  # beyond it int64, and wide types, may wrap
        known = (inner.low >= -most) & (inner.high <= most)
        low, high = (np.where(known, end, 0) * self.scale + self.offset for end in (inner.low, inner.high))
        return np.asarray(known & (term.low == low) & (term.high == high))

    def cut(self, inner: Ints, term: Ints, *, below: bool) -> Ints:
        """The values of the term on one side of the threshold."""
        exact = self.exact(inner, term)
        if below:
            high = np.where(exact, np.minimum(term.high, self.small), term.high)
            return Ints(term.low, high, term.least, term.most)
        low = np.where(exact, np.maximum(term.low, self.large), term.low)
        return Ints(low, term.high, term.least, term.most)


def threshold(condition: Term, term: Term) -> Threshold | None:
    """What a comparison with a constant says about a term that is a multiple, plus a constant, of what is
    compared. None where that is not so; a term that is compared itself is its own multiple."""
    if condition.op == "not":
        found = threshold(condition.args[0], term)
        if found is None:
            return None
        return replace(found, holds_below=not found.holds_below)
    if condition.op != "slt" or term.sort.kind != "bv" or term.width > 64:
        return None
    for place in (0, 1):
        inner, limit = condition.args[place], condition.args[1 - place]
        if limit.value is None:
            continue
        known = _multiple(term, inner)
        if known is not None:
            scale, offset = known
            first = signed(int(limit.value), limit.width)
            last = first - 1 if place == 0 else first  # the largest number on the smaller side
            small, large = scale * last + offset, scale * (last + 1) + offset
            if max(abs(offset), abs(small), abs(large)) >= FAR:
                return None
            return Threshold(inner, scale, offset, small, large, place == 0)
    return None


def _multiple(term: Term, inner: Term) -> tuple[int, int] | None:
    """(scale, offset) of term = scale * inner + offset with scale > 0, as long as nothing wraps."""
    scale, offset = 1, 0
    for _ in range(_STEPS):
        if term is inner:
            return (scale, offset) if scale < _LARGEST else None
        if term.op == "sext":
            term = term.args[0]
            continue
        if term.op not in ("add", "mul") or term.args[1].value is None:
            return None
        number = signed(int(term.args[1].value), term.width)
        if term.op == "add":
            offset += scale * number
        elif number > 0:
            scale *= number
        else:
            return None
        term = term.args[0]
    return None
