"""Many steps of a tape at once: those that do the same to numbers of one kind, none of which needs another.

The sums of a layer of neurons are as many steps as it has weights, of a few numbers each. Their values lie in
rows of common arrays, so that one operation of numpy takes all those of a group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from vouch.numeric.values import FORMATS, Abstract, Floats, Ints, Truth
from vouch.smt.node import Term
from vouch.smt.sort import Sort

_LEAST = 8  # steps of a group
_WORTH = 64  # steps in groups at least; else they are taken one by one
_PLAIN = ("fp_add", "fp_sub", "fp_lt", "fp_le", "slt", "ult", "add", "sub", "mul", "sext", "zext")
_OVERFLOWS = ("sadd_overflow", "ssub_overflow", "smul_overflow")
_TOGETHER = frozenset((*_PLAIN, *_OVERFLOWS, "fp_mul", "ashr"))


class TapeValues(Protocol):
    """The value of every term, by its place on the tape."""

    def __getitem__(self, place: int, /) -> Any: ...


Step = Callable[[TapeValues], Abstract]


def factor_of(term: Term) -> tuple[int, Term] | None:
    """Which argument of a product is multiplied, and by which constant: neither zero nor infinite nor NaN."""
    for place, factor in enumerate(term.args):
        if factor.value is not None:
            top = ((1 << factor.sort.exponent) - 1) << (factor.sort.significand - 1)
            if 0 < int(factor.value) & ((1 << (factor.width - 1)) - 1) < top:
                return 1 - place, factor
    return None


def _key(term: Term) -> tuple[object, ...] | None:
    """The same for steps that can be one; None for those that are taken alone."""
    op, args = term.op, term.args
    if op == "fp_add" and args[0] is not args[1] and term.sort in FORMATS:  # most of them are such sums
        return (op, term.sort)
    if op not in _TOGETHER or len(set(args)) != len(args):
        return None
    kinds = [arg.sort for arg in args]
    for sort in kinds:
        if sort not in FORMATS and sort.kind != "bv":
            return None
    if op == "fp_mul":
        return (op, term.sort) if factor_of(term) is not None else None
    if op == "ashr":
        return None if args[1].value is None else (op, term.sort, args[1].value)
    return None if op in _OVERFLOWS and kinds[0].width >= 63 else (op, term.sort, *kinds)


class _Bank:
    """GroupedValues for values of one kind."""

    def __init__(self, sort: Sort) -> None:
        self.size = 0
        number: Any = FORMATS.get(sort, np.int64)
        self.kind: Any = Floats if sort in FORMATS else Ints if sort.kind == "bv" else Truth
        dtypes = {Floats: (number, number, bool), Ints: (number,) * 4, Truth: (bool, bool)}
        self.dtypes: tuple[Any, ...] = dtypes[self.kind]

    def made(self, batch: int) -> list[Any]:
        return [np.empty((self.size, batch), dtype=dtype) for dtype in self.dtypes]

    def parts(self, value: Abstract) -> tuple[Any, ...]:
        """The arrays of a value, of exactly the types that the rows have."""
        found = tuple(getattr(value, name) for name in self.kind.__slots__)
        for part, dtype in zip(found, self.dtypes, strict=True):
            if part.dtype != dtype:
                raise TypeError(f"{part.dtype} among {np.dtype(dtype)}")
        return found


class Grouping:
    """In which order steps are taken, and which together. `worth` is false where one by one is as good."""

    def __init__(
        self,
        terms: Sequence[Term],
        place: dict[Term, int],
        alone: Sequence[bool],
        levels: Sequence[int],
        operation: Callable[[Term], Callable[..., Any]],
    ) -> None:
        """`alone` are the places of terms that are no operations: variables, constants, results of the
        library."""
        groups: dict[tuple[object, ...], list[int]] = {}
        for number, term in enumerate(terms):
            key = None if alone[number] else _key(term)
            if key is not None:
                groups.setdefault((levels[number], key), []).append(number)
        chosen = [members for members in groups.values() if len(members) >= _LEAST]
        self.worth = sum(map(len, chosen)) >= _WORTH
        self.size = len(terms)
        self.banks: dict[object, _Bank] = {}
        self.row: dict[int, tuple[_Bank, int]] = {}  # of a value that lies in a bank
        if not self.worth:
            return
        self._terms, self._place, self._operation = terms, place, operation
        tasks: list[tuple[int, int | _Group]] = [(levels[m[0]], self._group(m)) for m in chosen]
        grouped = {number for members in chosen for number in members}
        constants = {n for n, term in enumerate(terms) if term.value is not None and n not in self.row}
        rest = set(range(len(terms))) - grouped - constants
        tasks += [(levels[number], number) for number in rest]
        self.tasks = [task for _, task in sorted(tasks, key=lambda task: task[0])]

    def _group(self, members: list[int]) -> _Group:
        terms, place = self._terms, self._place
        first, to = terms[members[0]], self._rows(members)
        if first.op == "fp_mul":
            found = [factor_of(terms[number]) for number in members]
            chosen = [(terms[n].args[c[0]], c[1].value) for n, c in zip(members, found, strict=True) if c]
            bits = np.array([factor for _, factor in chosen], dtype=_UNSIGNED[first.width])
            sources = self._rows([place[term] for term, _ in chosen])
            return _Group(to, [sources], _scaled(bits.view(FORMATS[first.sort])[:, None]))
        width = 1 if first.op == "ashr" else len(first.args)
        arguments = [
            self._rows([place[terms[number].args[position]] for number in members])
            for position in range(width)
        ]
        operation = self._operation(first)
        if first.op == "ashr":
            return _Group(to, arguments, lambda a: operation(a, a))
        return _Group(to, arguments, operation)

    def _rows(self, numbers: list[int]) -> tuple[_Bank, Any]:
        """Where the values of terms of one sort lie; they get a row now if they have none."""
        sort = self._terms[numbers[0]].sort
        name = sort if sort in FORMATS else sort.kind
        bank = self.banks.get(name)
        if bank is None:
            bank = self.banks[name] = _Bank(sort)
        row, found = self.row, []
        for number in numbers:
            known = row.get(number)
            if known is None:
                known = row[number] = bank, bank.size
                bank.size += 1
            found.append(known[1])
        return bank, np.array(found)


_UNSIGNED: dict[int, Any] = {16: np.uint16, 32: np.uint32, 64: np.uint64}


def _scaled(factors: Any) -> Callable[[Floats], Floats]:
    positive = factors > 0

    def scaled(a: Floats) -> Floats:
        low, high = a.low * factors, a.high * factors
        return Floats(np.where(positive, low, high), np.where(positive, high, low), a.nan)

    return scaled


class _Group:
    """Steps that are one: the rows that they write, those of their arguments, and what they do."""

    __slots__ = ("_operation", "_sources", "_target", "_to")

    def __init__(
        self,
        to: tuple[_Bank, Any],
        sources: list[tuple[_Bank, Any]],
        operation: Callable[..., Any],
    ) -> None:
        self._target, self._to = to
        self._sources = sources
        self._operation = operation

    def take(self, arrays: dict[_Bank, list[Any]]) -> None:
        given = [bank.kind(*(array[rows] for array in arrays[bank])) for bank, rows in self._sources]
        found = self._target.parts(self._operation(*given))
        for array, part in zip(arrays[self._target], found, strict=True):
            array[self._to] = part


class GroupedValues:
    """The values of one run. Those of constants that nothing reads are never made."""

    def __init__(self, plan: Grouping, steps: Mapping[int, Step], batch: int) -> None:
        self._plan, self._steps = plan, steps
        self._found: list[Any] = [None] * plan.size
        self._arrays = {bank: bank.made(batch) for bank in plan.banks.values()}

    def __getitem__(self, place: int, /) -> Any:
        found = self._found[place]
        if found is None:
            row = self._plan.row.get(place)
            if row is None:
                found = self._steps[place](self)
            else:
                bank, number = row
                found = bank.kind(*(array[number] for array in self._arrays[bank]))
            self._found[place] = found
        return found

    def floats(self) -> dict[int, tuple[float, float]]:
        """Of the first box: the ends of floats by their places, infinite where they may be no numbers."""
        found: dict[int, tuple[float, float]] = {}
        for bank, arrays in self._arrays.items():
            if bank.kind is Floats:
                low, high, none = (array[:, 0] for array in arrays)
                wrong = none | ~(low <= high)
                low = np.where(wrong, -np.inf, low.astype(np.float64)).tolist()
                high = np.where(wrong, np.inf, high.astype(np.float64)).tolist()
                rows = ((place, row) for place, (own, row) in self._plan.row.items() if own is bank)
                found |= {place: (low[row], high[row]) for place, row in rows}
        return found

    def run(self) -> None:
        """Take all steps."""
        for task in self._plan.tasks:
            if isinstance(task, int):
                value = self._found[task] = self._steps[task](self)
                row = self._plan.row.get(task)
                if row is not None:
                    self._write(row, value)
            else:
                task.take(self._arrays)

    def _write(self, row: tuple[_Bank, int], value: Abstract) -> None:
        bank, number = row
        for array, part in zip(self._arrays[bank], bank.parts(value), strict=True):
            array[number] = part
