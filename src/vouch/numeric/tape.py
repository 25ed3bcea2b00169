"""Terms as a list of steps, evaluated over a batch of boxes at a time.

Variables are the symbols, floats made from bits that are not known, and terms that are not followed (memory,
rare operators): they may be anything that the box says, independently of each other. That allows for more
than the terms do, so what cannot be true here cannot be true at all.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from vouch.numeric import floats as F
from vouch.numeric import ints as N
from vouch.numeric.accuracy import Library
from vouch.numeric.grouped import GroupedValues, Grouping, Step, TapeValues, factor_of
from vouch.numeric.shifted import threshold
from vouch.numeric.values import (
    FORMATS,
    Abstract,
    Floats,
    Ints,
    Truth,
    anything,
    chosen,
    integers,
)
from vouch.smt.node import Term
from vouch.smt.operators import signed
from vouch.smt.sort import Sort

Box = Mapping[Term, Abstract]
_LETTERS = {16: "<e", 32: "<f", 64: "<d"}
_BITS: dict[int, type[np.unsignedinteger[Any]]] = {16: np.uint16, 32: np.uint32, 64: np.uint64}


def float_of(sort: Sort, bits: int) -> Any:
    """The number with those IEEE bits, in numpy's type."""
    return np.array([bits], dtype=_BITS[sort.width]).view(FORMATS[sort])[0]


def number_of(sort: Sort, bits: int) -> float:
    """The same as a Python float."""
    found: float = struct.unpack(_LETTERS[sort.width], bits.to_bytes(sort.width // 8, "little"))[0]
    return found


def bits_of(sort: Sort, number: Any) -> int:
    return int(np.array([number], dtype=FORMATS[sort]).view(_BITS[sort.width])[0])


class TapeSteps(dict[int, Step]):
    """The steps of a tape by their places, made when they are wanted."""

    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self._tape = tape

    def __missing__(self, place: int) -> Step:
        made = self[place] = self._tape.step_at(place)
        return made


class Tape:
    """`roots` are booleans. `variables` are the terms whose values a box gives; `library` are those that
    functions of the math library give."""

    def __init__(self, roots: Sequence[Term], library: Library | None = None) -> None:
        self.roots = list(roots)
        self.library = Library() if library is None else library
        self._free: set[Term] = set()  # variables, and terms of sorts that are not followed
        self.terms = self._cone()
        self.place = {term: number for number, term in enumerate(self.terms)}
        self.variables = [t for t in self.terms if t in self._free and anything(t.sort, 1) is not None]
        self._plan = self._grouped()
        self._steps = TapeSteps(self)
        self.batch = 0
        self._given: Mapping[Term, Abstract] = {}

    def _grouped(self) -> Grouping:
        """Written for tens of thousands of terms, most of them products by constants and their sums."""
        calls, free, place = self.library.calls, self._free, self.place
        levels: list[int] = []
        alone: list[bool] = []
        for term in self.terms:
            level, given = -1, term.args
            single = term.value is not None or term in free
            if single:
                given = ()
            elif term in calls:
                single, given = True, calls[term].arguments
            for arg in given:
                known = levels[place[arg]]
                if known > level:
                    level = known
            levels.append(level + 1)
            alone.append(single)
        return Grouping(self.terms, place, alone, levels, lambda term: _KNOWN[term.op](term))

    def _cone(self) -> list[Term]:
        """Arguments first; not below variables."""
        seen: set[Term] = set()
        stack = list(self.roots)
        calls = self.library.calls
        while stack:
            term = stack.pop()
            if term in seen:
                continue
            seen.add(term)
            if term.value is not None:
                continue
            call = calls.get(term)
            if call is not None:
                stack.extend(call.arguments)
            elif self._variable(term):
                self._free.add(term)
            else:
                stack.extend(term.args)
        return sorted(seen, key=_by_id)

    def _variable(self, term: Term) -> bool:
        """Of terms that are no constants and no results of the library."""
        if term.op in ("symbol", "fp_from_bits") or term.op not in _KNOWN:
            return True
        others = [arg.sort for arg in term.args if arg.sort is not term.sort]
        return not _followed(term.sort) or not all(map(_followed, others))

    def run(self, given: Box, batch: int) -> TapeValues:
        """The value of every term, in the order of `terms`. Variables that are not given may be anything."""
        self.batch, self._given = batch, given
        with np.errstate(all="ignore"):
            if self._plan.worth:
                rows = GroupedValues(self._plan, self._steps, batch)
                rows.run()
                return rows
            values: list[Any] = []
            for number in range(len(self.terms)):
                values.append(self._steps[number](values))
        return values

    def resume(self, given: Box, batch: int) -> None:
        """Values of an earlier run are read again."""
        self.batch, self._given = batch, given

    def truth(self, values: TapeValues, term: Term) -> Truth:
        found: Truth = values[self.place[term]]
        return found

    # ------------------------------------------------------------ steps

    def step_at(self, place: int) -> Step:
        term = self.terms[place]
        if term.value is not None:
            return self._constant(term)
        if term in self._free:
            return lambda values: self._variable_value(term)
        call = self.library.calls.get(term)
        if call is not None:
            enclosure, given = self.library.enclosure(call), [self.place[arg] for arg in call.arguments]
            return lambda values: enclosure(*[values[p] for p in given])
        places = [self.place[arg] for arg in term.args]
        if term.op == "ite":
            return self._choice(term, places)
        operation = _KNOWN[term.op](term)
        return lambda values: operation(*[values[p] for p in places])

    def _variable_value(self, term: Term) -> Any:
        known = self._given.get(term)
        return anything(term.sort, self.batch) if known is None else known

    def _constant(self, term: Term) -> Step:
        kind, value = term.sort.kind, term.value
        assert value is not None
        if kind == "bool":
            return lambda values: Truth(np.full(self.batch, bool(value)), np.full(self.batch, not value))
        if kind == "bv":
            number = signed(int(value), term.width)
            low = number if abs(number) < 1 << 62 else None
            if low is None:
                return lambda values: anything(term.sort, self.batch)  # type: ignore[return-value]
            return lambda values: integers(term.width, np.full(self.batch, low), np.full(self.batch, low))
        if term.sort not in FORMATS:
            return lambda values: None  # type: ignore[return-value]
        return self._number(float_of(term.sort, int(value)))

    def _number(self, number: Any) -> Step:
        """A constant float, made anew where the size of batches changes."""
        none = bool(np.isnan(number))
        ends = (np.inf, -np.inf) if none else (number, number)
        made: list[Floats] = []

        def step(values: TapeValues) -> Abstract:
            if not made or len(made[0].nan) != self.batch:
                low, high = (np.full(self.batch, end, dtype=type(number)) for end in ends)
                made[:] = [Floats(low, high, np.full(self.batch, none))]
            return made[0]

        return step

    def _choice(self, term: Term, places: list[int]) -> Step:
        cuts = self._cut_by(term.args[0], term.args[1], True), self._cut_by(term.args[0], term.args[2], False)

        def step(values: TapeValues) -> Abstract:
            c, a, b = (values[p] for p in places)
            if cuts[0] is not None:
                a = cuts[0](values, a)
            if cuts[1] is not None:
                b = cuts[1](values, b)
            return chosen(c, a, b)

        return step

    def _cut_by(self, condition: Term, branch: Term, holds: bool) -> Callable[[TapeValues, Any], Any] | None:
        """What is left of a branch's value where its condition holds, or does not."""
        plain = _narrowing(condition, branch, holds)
        if plain is not None:
            side, at = plain[0], self.place[plain[1]]
            return lambda values, value: _clipped(value, values[at], side)
        known = threshold(condition, branch)
        if known is None:
            return None
        inner = self.place[known.inner]
        below = known.holds_below is holds
        return lambda values, value: known.cut(values[inner], value, below=below)


def _by_id(term: Term) -> int:
    return term.id


def _followed(sort: Sort) -> bool:
    return sort in FORMATS or sort.kind in ("bv", "bool")


def _narrowing(condition: Term, branch: Term, holds: bool) -> tuple[str, Term] | None:
    """What a comparison with the branch's own value says about it: not below, or not above, another term."""
    if condition.op == "not":
        return _narrowing(condition.args[0], branch, not holds)
    if condition.op not in ("fp_lt", "fp_le", "slt"):
        return None
    small, large = condition.args
    if branch is large:
        return ("above" if holds else "below"), small
    if branch is small:
        return ("below" if holds else "above"), large
    return None


def _clipped(value: Any, limit: Any, side: str) -> Any:
    """`value` where it is at least, or at most, some number of `limit`. A NaN makes comparisons fail, so it
    stays where one did not hold."""
    if isinstance(value, Ints):
        if side == "above":
            return Ints(np.maximum(value.low, limit.low), value.high, value.least, value.most)
        return Ints(value.low, np.minimum(value.high, limit.high), value.least, value.most)
    assert isinstance(value, Floats)
    open_ = limit.nan | ~limit.some  # nothing is known beside a NaN
    if side == "above":
        return Floats(np.where(open_, value.low, np.fmax(value.low, limit.low)), value.high, value.nan)
    return Floats(value.low, np.where(open_, value.high, np.fmin(value.high, limit.high)), value.nan)


def _and(*parts: Truth) -> Truth:
    true, false = parts[0].true, parts[0].false
    for part in parts[1:]:
        true, false = true & part.true, false | part.false
    return Truth(true, false)


def _or(*parts: Truth) -> Truth:
    return ~_and(*(~part for part in parts))


def _equal(a: Any, b: Any) -> Truth:
    if isinstance(a, Truth):
        return Truth((a.true & b.true) | (a.false & b.false), (a.true & b.false) | (a.false & b.true))
    return F.identical(a, b) if isinstance(a, Floats) else N.equal(a, b)


def _shift(kind: str) -> Callable[[Term], Callable[..., Abstract]]:
    def make(term: Term) -> Callable[..., Abstract]:
        by = term.args[1].value
        if by is None:
            return lambda a, b: anything(term.sort, len(a.low))  # type: ignore[return-value]
        return lambda a, b: N.shift(a, int(by), term.width, kind)

    return make


def _multiplied(term: Term) -> Callable[..., Abstract]:
    if term.args[0] is term.args[1]:
        return lambda a, b: N.square(a, term.width)
    return lambda a, b: N.multiply(a, b, term.width)


def _multiplied_floats(term: Term) -> Callable[..., Abstract]:
    first, second = term.args
    if first is second:
        return lambda a, b: F.square(a)
    found = factor_of(term)
    if found is not None:
        place, factor = found
        number = float_of(factor.sort, int(factor.value or 0))
        return lambda *values: F.scaled(values[place], number)
    return F.multiply


def _fused(a: Floats, b: Floats, c: Floats) -> Floats:
    """One rounding instead of two: in a wider format where that is exact, else with an ulp to spare."""
    if a.low.dtype == np.float32:
        wide = [F.converted(x, np.float64) for x in (a, b, c)]
        return F.converted(_spread(F.add(F.multiply(wide[0], wide[1]), wide[2])), np.float32)
    return _spread(F.add(F.multiply(a, b), c))


def _spread(a: Floats) -> Floats:
    """The roundings on the way, which a fused operation does not have: a product of at most half an ulp each,
    generously four."""
    low, high = a.low, a.high
    for _ in range(4):
        low, high = np.nextafter(low, -np.inf, dtype=low.dtype), np.nextafter(high, np.inf, dtype=high.dtype)
    return Floats(low, high, a.nan)


# From a term to the function of its arguments' values. `ite` is a step of its own. What is not here is not
# followed.
_KNOWN: dict[str, Callable[[Term], Callable[..., Any]]] = {
    "not": lambda t: lambda a: ~a,
    "and": lambda t: _and,
    "or": lambda t: _or,
    "eq": lambda t: _equal,
    "ite": lambda t: chosen,
    "add": lambda t: lambda a, b: N.add(a, b, t.width),
    "sub": lambda t: lambda a, b: N.subtract(a, b, t.width),
    "mul": _multiplied,
    "neg": lambda t: lambda a: N.negate(a, t.width),
    "bnot": lambda t: lambda a: N.subtract(N.negate(a, t.width), _one(a), t.width),
    "udiv": lambda t: lambda a, b: N.divide(a, b, t.width, False),
    "sdiv": lambda t: lambda a, b: N.divide(a, b, t.width, True),
    "urem": lambda t: lambda a, b: N.remainder(a, b, t.width, False),
    "srem": lambda t: lambda a, b: N.remainder(a, b, t.width, True),
    "shl": _shift("shl"),
    "lshr": _shift("lshr"),
    "ashr": _shift("ashr"),
    "band": lambda t: lambda a, b: N.masked(*((a, b) if t.args[1].value is not None else (b, a)), t.width),
    "bor": lambda t: lambda a, b: N.either(a, b, t.width),
    "bxor": lambda t: lambda a, b: N.either(a, b, t.width),
    "ult": lambda t: lambda a, b: N.compare(a, b, False),
    "slt": lambda t: lambda a, b: N.compare(a, b, True),
    "concat": lambda t: lambda a, b: N.joined(a, b, t.width, t.args[1].width),
    "extract": lambda t: lambda a: N.extracted(a, t.args[0].width, int(t.index[0]), int(t.index[1])),
    "zext": lambda t: lambda a: N.extended(a, t.width, False),
    "sext": lambda t: lambda a: N.extended(a, t.width, True),
    "sadd_overflow": lambda t: lambda a, b: N.overflows(t.args[0].width, N.exact("add", a, b)),
    "ssub_overflow": lambda t: lambda a, b: N.overflows(t.args[0].width, N.exact("sub", a, b)),
    "smul_overflow": lambda t: lambda a, b: N.overflows(t.args[0].width, N.exact("mul", a, b)),
    "umul_overflow": lambda t: lambda a, b: N.overflows(t.args[0].width, N.exact_unsigned(a, b), False),
    "fp_add": lambda t: F.add,
    "fp_sub": lambda t: F.subtract,
    "fp_mul": _multiplied_floats,
    "fp_div": lambda t: F.divide,
    "fp_fma": lambda t: _fused,
    "fp_sqrt": lambda t: F.root,
    "fp_neg": lambda t: F.negated,
    "fp_abs": lambda t: F.absolute,
    "fp_round": lambda t: lambda a: F.integral(a, str(t.index[0]).upper()),
    "fp_eq": lambda t: F.equal,
    "fp_lt": lambda t: lambda a, b: F.less(a, b, True),
    "fp_le": lambda t: lambda a, b: F.less(a, b, False),
    "fp_is_nan": lambda t: F.is_nan,
    "fp_is_inf": lambda t: F.is_infinite,
    "fp_is_zero": lambda t: F.is_zero,
    "fp_is_negative": lambda t: F.is_negative,
    "fp_is_subnormal": lambda t: F.is_subnormal,
    "fp_from_sbv": lambda t: lambda a: F.from_integer(a.low, a.high, FORMATS[t.sort]),
    "fp_from_ubv": lambda t: lambda a: F.from_integer(a.least, a.most, FORMATS[t.sort]),
    "fp_to_fp": lambda t: lambda a: F.converted(a, FORMATS[t.sort]),
    "fp_to_sbv": lambda t: lambda a: F.to_integer(a, t.width, True),
    "fp_to_ubv": lambda t: lambda a: F.to_integer(a, t.width, False),
}


def _one(like: Ints) -> Ints:
    one = np.ones_like(like.low)
    return Ints(one, one, one, one)
