"""Conjunctions and disjunctions of linear constraints, and the property that they amount to.

Both VNN-LIB readers build these trees; `cases` multiplies them out. Bounds of single inputs become boxes,
so that the many thousand asserts of an image property cost nothing. Numbers are exact fractions of the
decimals in the text until the very end, where every coefficient and every bound of what is left is rounded
to float64 once: 1e17 + 12 - 1e17 - 9 is 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from vouch.errors import VouchError
from vouch.nn.property import Array, Case, Rows

# More conjunctions than this would never be decided.
MOST_CASES = 100_000


LARGEST = Fraction(np.finfo(np.float64).max.item())
# Coefficients of one constraint that are further apart than this do not fit into float64 side by side.
_FURTHEST = 900
_LONGEST = 4000  # characters of a number: Python converts no more digits
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d{1,4}))?\Z")


def number(word: str) -> Fraction | None:
    """The exact value of a decimal; None for anything else, and for exponents of more than four digits."""
    if len(word) > _LONGEST:
        raise VouchError(f"{word[:20]}… has {len(word)} characters, too many for a number")
    return Fraction(word) if _DECIMAL.match(word) else None


@dataclass(frozen=True, slots=True)
class Linear:
    """sum of coefficients[v] * v + constant; inputs are variables 0.., outputs follow them."""

    coefficients: dict[int, Fraction]
    constant: Fraction = Fraction(0)

    def plus(self, other: Linear, factor: Fraction | int = 1) -> Linear:
        total = dict(self.coefficients)
        for variable, value in other.coefficients.items():
            total[variable] = total.get(variable, Fraction(0)) + factor * value
        return Linear(total, self.constant + factor * other.constant)

    def times(self, factor: Fraction | int) -> Linear:
        return Linear({v: c * factor for v, c in self.coefficients.items()}, self.constant * factor)

    @property
    def is_constant(self) -> bool:
        return not any(self.coefficients.values())


@dataclass(frozen=True, slots=True)
class Atom:
    """form <= 0, or form < 0 when strict."""

    form: Linear
    strict: bool = False

    def negated(self) -> Atom:
        return Atom(self.form.times(-1), not self.strict)


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Formula, ...]


Formula: TypeAlias = Atom | And | Or
Conjunction: TypeAlias = tuple[Atom, ...]


def compare(operator: str, left: Linear, right: Linear) -> Formula:
    """The formula for a comparison; `=` is two bounds, `!=` a choice of two."""
    difference = left.plus(right, -1)
    match operator:
        case "<=" | "<":
            return Atom(difference, operator == "<")
        case ">=" | ">":
            return Atom(difference.times(-1), operator == ">")
        case "=" | "==":
            return And((Atom(difference), Atom(difference.times(-1))))
        case "!=" | "distinct":
            return Or((Atom(difference, True), Atom(difference.times(-1), True)))
        case _:
            raise VouchError(f"unknown comparison {operator!r}")


def negate(formula: Formula) -> Formula:
    match formula:
        case Atom():
            return formula.negated()
        case And(parts):
            return Or(tuple(negate(part) for part in parts))
        case Or(parts):
            return And(tuple(negate(part) for part in parts))


def conjunctions(formula: Formula) -> list[Conjunction]:
    """The disjunctive normal form; the nesting depth is that of the source text."""
    match formula:
        case Atom():
            return [(formula,)]
        case Or(parts):
            found = [conjunction for part in parts for conjunction in conjunctions(part)]
        case And(parts):
            found = [()]
            for part in parts:
                options = conjunctions(part)
                if len(found) * len(options) > MOST_CASES:
                    raise VouchError(f"the property has more than {MOST_CASES} cases")
                if len(options) == 1:
                    found = (
                        [known + options[0] for known in found]
                        if len(found) > 1
                        else [(*found[0], *options[0])]
                    )
                else:
                    found = [known + option for known in found for option in options]
    if len(found) > MOST_CASES:
        raise VouchError(f"the property has more than {MOST_CASES} cases")
    return found


def cases(formulas: Sequence[Formula], inputs: int, outputs: int, where: str) -> tuple[Case, ...]:
    """Cases of the conjunction of the formulas. Input sets that agree share one case."""
    base, choices = _Set(inputs, outputs), []
    pending = list(reversed(formulas))
    while pending:
        formula = pending.pop()
        match formula:
            case Atom():
                base.add(formula)
            case And(parts):
                pending.extend(reversed(parts))
            case Or():
                choices.append(formula)
    grouped: dict[bytes, tuple[_Set, list[Rows]]] = {}
    for conjunction in conjunctions(And(tuple(choices))):
        part = base.copy()
        for atom in conjunction:
            part.add(atom)
        key = part.key()
        grouped.setdefault(key, (part, []))[1].append(part.region())
    return tuple(part.case(regions, where) for part, regions in grouped.values())


def rounded(value: Fraction) -> float:
    """The nearest float64, without a negative zero."""
    try:
        return value.numerator / value.denominator + 0.0
    except OverflowError:
        raise VouchError("a number of the property is beyond the range of float64") from None


def _scale(form: Linear) -> Fraction | int:
    """A power of two that brings all coefficients of a row into the range in which float64 rounds relative to
    their size; 1 for ordinary ones. Multiplying a row by it changes nothing."""
    sizes = [_exponent(c) for c in (*form.coefficients.values(), form.constant) if c]
    if not sizes or (max(sizes) < _FURTHEST and min(sizes) > -_FURTHEST):
        return 1
    if max(sizes) - min(sizes) > 2 * _FURTHEST:
        raise VouchError("coefficients of one constraint are too far apart for float64")
    middle = (max(sizes) + min(sizes)) // 2
    return Fraction(1, 2**middle) if middle > 0 else 2**-middle


def _exponent(value: Fraction) -> int:
    return value.numerator.bit_length() - value.denominator.bit_length()


class _Set:
    """Collects atoms of one conjunction: bounds of inputs, other rows over inputs, rows with outputs."""

    def __init__(self, inputs: int, outputs: int) -> None:
        self.inputs, self.outputs = inputs, outputs
        self.lower, self.upper = np.full(inputs, -np.inf), np.full(inputs, np.inf)
        self.over_inputs: list[Atom] = []
        self.over_outputs: list[Atom] = []

    def copy(self) -> _Set:
        twin = _Set(self.inputs, self.outputs)
        twin.lower, twin.upper = self.lower.copy(), self.upper.copy()
        twin.over_inputs, twin.over_outputs = list(self.over_inputs), list(self.over_outputs)
        return twin

    def add(self, atom: Atom) -> None:
        used = [(v, c) for v, c in atom.form.coefficients.items() if c]
        if any(v >= self.inputs for v, _ in used):
            self.over_outputs.append(atom)
        elif len(used) == 1 and not atom.strict and self._bound(*used[0], atom.form.constant):
            return
        else:
            self.over_inputs.append(atom)

    def _bound(self, variable: int, factor: Fraction, constant: Fraction) -> bool:
        """Take factor * x + constant <= 0 as a bound of x, where that loses nothing: x is bounded by a number
        of the text, or by one that float64 has. False: it does not."""
        limit = -constant / factor
        nearest = rounded(limit)
        if abs(factor) != 1 and nearest != limit:
            return False
        if factor > 0:
            self.upper[variable] = min(self.upper[variable], nearest)
        else:
            self.lower[variable] = max(self.lower[variable], nearest)
        return True

    def key(self) -> bytes:
        rows = self._rows(self.over_inputs)
        parts = (self.lower, self.upper, rows.x_rows, rows.rhs, rows.strict)
        return b"|".join(part.tobytes() for part in parts)

    def region(self) -> Rows:
        return self._rows(self.over_outputs)

    def _rows(self, atoms: Iterable[Atom]) -> Rows:
        chosen = list(atoms)
        matrix = np.zeros((len(chosen), self.inputs + self.outputs))
        rhs = np.zeros(len(chosen))
        for place, atom in enumerate(chosen):
            scale = _scale(atom.form)
            for variable, value in atom.form.coefficients.items():
                matrix[place, variable] = rounded(value * scale)
            rhs[place] = rounded(-atom.form.constant * scale)
        strict = np.array([atom.strict for atom in chosen], dtype=bool)
        return Rows(matrix[:, : self.inputs], matrix[:, self.inputs :], rhs, strict)

    def case(self, regions: list[Rows], where: str) -> Case:
        rows = self._rows(self.over_inputs)
        lower, upper = _implied_box(self.lower, self.upper, rows)
        free = np.flatnonzero(~(np.isfinite(lower) & np.isfinite(upper)))
        if len(free):
            raise VouchError(f"{where}: input {free[0]} is not bounded from both sides")
        return Case(lower, upper, tuple(regions), rows if rows.count else None)


def _implied_box(lower: Array, upper: Array, rows: Rows) -> tuple[Array, Array]:
    """The box, made smaller by rows whose other inputs are bounded (equal inputs, scaled bounds).

    Limits are rounded outwards, so the set does not change.
    """
    lower, upper = lower.copy(), upper.copy()
    for _ in range(2):
        for row, rhs in zip(rows.x_rows, rows.rhs, strict=True):
            used = np.flatnonzero(row)
            least = np.where(row > 0, lower, upper)[used] * row[used]
            for place, j in enumerate(used):
                others = float(np.delete(least, place).sum())
                if not np.isfinite(others):
                    continue
                size = abs(rhs) + float(np.abs(np.delete(least, place)).sum())
                limit = (rhs - others) / row[j]
                slack = 2.0**-48 * size / abs(row[j]) if len(used) > 1 or abs(row[j]) != 1 else 0.0
                if row[j] > 0:
                    upper[j] = min(upper[j], limit + slack)
                else:
                    lower[j] = max(lower[j], limit - slack)
    return lower, upper
