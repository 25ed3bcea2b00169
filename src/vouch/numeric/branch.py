"""Branch and bound over the input set of a question: halve it until every part is excluded, or a point holds.

Parts are kept with the bounds of their variables; a part in which some conjunct cannot be true is done. The
middle of a part that is left is tried as a point: where all conjuncts are certainly true there, that is a
model, which whoever asked checks by exact evaluation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from vouch.numeric.grouped import TapeValues
from vouch.numeric.tape import Tape, bits_of
from vouch.numeric.values import Abstract, Bools, Floats, Ints, Truth, agreed
from vouch.record import record
from vouch.smt.node import Term

BATCH = 512
_WIDE = 1e6  # a range that reaches further is halved by how many floats it has
_NANS = 4
Assignment = dict[Term, int | bool]


@record
class BranchOutcome:
    """`proved`: no point of the input set satisfies all conjuncts. `found` are points that seem to."""

    proved: bool
    found: list[Assignment] = field(default_factory=list)
    parts: int = 0


class Branching:
    def __init__(
        self,
        tape: Tape,
        box: Mapping[Term, Abstract],
        values: TapeValues,
        check: Callable[[Assignment], bool],
    ) -> None:
        """`values` are those of the tape for the whole box; `check` says whether an assignment of the
        variables is a model."""
        self.tape, self.values, self.check = tape, values, check
        self.variables = [v for v in tape.variables if not isinstance(box.get(v), Truth) and v in box]
        self.fixed = {v: box[v] for v in box if isinstance(box[v], Truth)}
        self.box = {v: box[v] for v in self.variables}
        self.splittable = [v for v in self.variables if _countable(self.box[v])]
        self.wide = {v for v in self.splittable if _wide(self.box[v])}
        self.stack: list[dict[Term, Abstract]] = self._without_nan()
        self.parts = 0
        self.stuck = False

    def _without_nan(self) -> list[dict[Term, Abstract]]:
        """The box, with NaN as a part of its own for each of a few variables that may be it."""
        parts = [self.box]
        doubtful = [v for v in self.variables if _may_be_nan(self.box[v])]
        for variable in doubtful if len(doubtful) <= _NANS else ():
            value = self.box[variable]
            assert isinstance(value, Floats)
            some = Floats(value.low, value.high, np.zeros(1, dtype=bool))
            none = Floats(np.full_like(value.low, np.inf), np.full_like(value.high, -np.inf), value.nan)
            cases = [none, some] if value.some[0] else [none]
            parts = [{**part, variable: case} for part in parts for case in cases]
        return parts

    def run(self, deadline: float, most: int = 1 << 22) -> BranchOutcome:
        with np.errstate(all="ignore"):  # infinities that meet
            return self._run(deadline, most)

    def _run(self, deadline: float, most: int) -> BranchOutcome:
        outcome = BranchOutcome(False)
        while self.stack and not self.stuck and self.parts < most and time.monotonic() < deadline:
            whole = len(self.stack) == 1 and self.stack[0] is self.box
            batch = self._take()
            size = _size(batch)
            self.parts += size
            given = {**_repeated(self.fixed, size), **batch}
            values = self.values if whole else self.tape.run(given, size)
            left = self._possible(values)
            if not left.any():
                continue
            rest = {v: _chosen(a, left) for v, a in batch.items()}
            found = self._try(rest)
            if found is not None:
                return BranchOutcome(False, [found], self.parts)
            if not self._split(rest):
                self.stuck = True  # a part that is neither excluded nor to be halved stays open for good
                break
        outcome.proved, outcome.parts = not self.stack and not self.stuck, self.parts
        return outcome

    def _take(self) -> dict[Term, Abstract]:
        """The newest parts first: the stack stays short, and points are reached soon."""
        taken: list[dict[Term, Abstract]] = []
        count = 0
        while self.stack and count < BATCH:
            taken.append(self.stack.pop())
            count += _size(taken[-1])
        return taken[0] if len(taken) == 1 else {v: _joined([part[v] for part in taken]) for v in taken[0]}

    def _possible(self, values: TapeValues) -> Bools:
        found = np.ones(self.tape.batch, dtype=bool)
        for root in self.tape.roots:
            found &= self.tape.truth(values, root).true
        return found

    def _try(self, rest: dict[Term, Abstract]) -> Assignment | None:
        """The middles of the parts, as points."""
        points = {v: _middle(a) for v, a in rest.items()}
        size = _size(points)
        if not size:
            return None
        values = self.tape.run({**_repeated(self.fixed, size), **points}, size)
        sure = np.ones(size, dtype=bool)
        for root in self.tape.roots:
            truth = self.tape.truth(values, root)
            # What the math library gives at a point is known up to its error: whoever checks knows more.
            sure &= truth.true & (~truth.false if not self.tape.library.calls else truth.true)
        for place in np.flatnonzero(sure)[:4]:
            assignment = {v: _bits(v, points[v], int(place)) for v in points}
            assignment |= {v: bool(t.true[0]) for v, t in self.fixed.items() if isinstance(t, Truth)}
            if self.check(assignment):
                return assignment
        return None

    def _split(self, rest: dict[Term, Abstract]) -> bool:
        """Both halves of every part, in the variable that is widest beside the whole. False where a part has
        nothing left to halve."""
        if not self.splittable:
            return False
        whole = [np.maximum(self._width(v, self.box), 1e-300) for v in self.splittable]
        widths = np.stack([self._width(v, rest) / w for v, w in zip(self.splittable, whole, strict=True)])
        axis = widths.argmax(0)
        if not (widths.max(0) > 0).all():
            return False
        for number, variable in enumerate(self.splittable):
            mine = axis == number
            if not mine.any():
                continue
            part = {v: _chosen(a, mine) for v, a in rest.items()}
            for half in _halves(part[variable], variable, variable in self.wide):
                self.stack.append({**part, variable: half})
        return True

    def _width(self, variable: Term, part: Mapping[Term, Abstract]) -> Any:
        """Of a wide range: how many floats it has."""
        value = part[variable]
        assert not isinstance(value, Truth)
        if isinstance(value, Floats):
            if variable in self.wide:
                return np.where(value.some, _counted(value.high) - _counted(value.low), 0.0)
            return np.where(value.some, value.high.astype(np.float64) - value.low.astype(np.float64), 0.0)
        return value.high.astype(np.float64) - value.low.astype(np.float64)


def _size(batch: Mapping[Term, Abstract]) -> int:
    for value in batch.values():
        return len(value.true if isinstance(value, Truth) else value.low)
    return 1


def _repeated(fixed: Mapping[Term, Abstract], size: int) -> dict[Term, Abstract]:
    truths = ((v, t) for v, t in fixed.items() if isinstance(t, Truth))
    return {v: Truth(np.repeat(t.true, size), np.repeat(t.false, size)) for v, t in truths}


def _countable(value: Abstract) -> bool:
    if isinstance(value, Floats):
        return True
    assert isinstance(value, Ints)
    return max(abs(int(value.low[0])), abs(int(value.high[0]))) < 1 << 61


def _chosen(value: Abstract, which: Any) -> Abstract:
    if isinstance(value, Floats):
        return Floats(value.low[which], value.high[which], value.nan[which])
    assert isinstance(value, Ints)
    return Ints(value.low[which], value.high[which], value.least[which], value.most[which])


def _joined(parts: list[Any]) -> Abstract:
    if isinstance(parts[0], Floats):
        return Floats(*(np.concatenate([getattr(p, n) for p in parts]) for n in ("low", "high", "nan")))
    return Ints(*(np.concatenate([getattr(p, n) for p in parts]) for n in ("low", "high", "least", "most")))


def _wide(value: Abstract) -> bool:
    return isinstance(value, Floats) and not max(abs(float(value.low[0])), abs(float(value.high[0]))) < _WIDE


def _may_be_nan(value: Abstract) -> bool:
    return isinstance(value, Floats) and bool(value.nan[0])


_INTEGERS = {2: (np.int16, 15), 4: (np.int32, 31), 8: (np.int64, 63)}


def _counted(value: Any) -> Any:
    """Floats by their order, as numbers: zero is 0, the least positive one 1."""
    kind, top = _INTEGERS[value.dtype.itemsize]
    size = (np.abs(value).view(kind)).astype(np.float64 if top == 63 else np.int64)
    return np.where(np.signbit(value), -size, size).astype(np.float64)


def _uncounted(number: Any, dtype: Any) -> Any:
    kind, _ = _INTEGERS[np.dtype(dtype).itemsize]
    size = np.abs(number).astype(kind).view(dtype)
    return np.where(number < 0, -size, size).astype(dtype)


def _centre(value: Floats) -> Any:
    """Between the ends, in their format; an end itself where they are neighbours."""
    wide = value.low.astype(np.float64) * 0.5 + value.high.astype(np.float64) * 0.5
    return np.clip(wide.astype(value.low.dtype), value.low, value.high)


def _middle(value: Abstract) -> Abstract:
    if isinstance(value, Floats):
        finite = np.isfinite(value.low) & np.isfinite(value.high)
        centre = np.where(finite, _centre(value), _counted_centre(value)).astype(value.low.dtype)
        low, high = np.where(value.some, centre, value.low), np.where(value.some, centre, value.high)
        return Floats(low, high, ~value.some & value.nan)
    assert isinstance(value, Ints)
    centre = value.low + (value.high - value.low) // 2
    return Ints(centre, centre, value.least, value.most)


def _counted_centre(value: Floats) -> Any:
    """The float that has as many below as above."""
    middle = np.trunc(_counted(value.low) / 2 + _counted(value.high) / 2)
    return np.clip(_uncounted(middle, value.low.dtype), value.low, value.high)


def _halves(value: Abstract, variable: Term, wide: bool) -> list[Abstract]:
    if isinstance(value, Floats):
        centre = _counted_centre(value) if wide else _centre(value)
        # The halves share no number: the second begins after the middle.
        centre = np.where(centre >= value.high, np.nextafter(centre, value.low), centre)
        centre = centre.astype(value.low.dtype)
        after = np.nextafter(centre, centre.dtype.type(np.inf))
        return [Floats(value.low, centre, value.nan), Floats(after, value.high, value.nan)]
    assert isinstance(value, Ints)
    middle = value.low + (value.high - value.low) // 2
    first = Ints(value.low, middle, value.least, value.most)
    second = Ints(middle + 1, value.high, value.least, value.most)
    return [agreed(first, variable.width), agreed(second, variable.width)]


def _bits(variable: Term, value: Abstract, place: int) -> int | bool:
    if isinstance(value, Floats):
        number = np.nan if value.nan[place] else value.low[place]
        return bits_of(variable.sort, number)
    assert isinstance(value, Ints)
    return int(value.low[place]) & ((1 << variable.width) - 1)
