"""`smt`: the network as bit-vectors, and the question whether a point of the box lies in a region.

Every number is a bit-vector of its word's width. Sums that wrap are balanced, which changes nothing; sums
that saturate go from the first term to the last. Tables become decision trees over runs of equal entries.
What the ranges show to be on one side of a ReLU needs no choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.fixed.cases import IntCase, IntRows
from vouch.nn.fixed.format import Ints, Overflow, Rounding, Word
from vouch.nn.fixed.network import (
    Clamp,
    Extreme,
    FixedSelect,
    IntegerNetwork,
    IntegerNode,
    Leaky,
    Lookup,
    Pair,
    Quotient,
    Requantise,
    Rescale,
    Source,
    Sums,
    Times,
)
from vouch.nn.fixed.ranges import Range, ranges
from vouch.nn.fixed.table import Table
from vouch.nn.result import Result
from vouch.smt import term as T
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.nn.fixed.decide import FixedQuestion

# Runs of equal entries that a table may have, and levels of an input.
_MOST_RUNS = 1 << 14
_MOST_LEVELS = 4096


def smt(question: FixedQuestion) -> Result:
    """All cases and regions, one question to the solver each."""
    from vouch.smt.chain import make
    from vouch.smt.solver import Answer

    for number, case in enumerate(question.cases):
        if not case.points:
            continue
        with T.Session():
            encoding = FixedFormula(question.network, case)
            for region in case.regions:
                solver = make("bitwuzla")
                try:
                    for fact in (*encoding.facts, encoding.region(region)):
                        solver.add(fact)
                    left = None if question.clock.endless else max(0.01, question.clock.left)
                    answer = solver.check(timeout=left)
                    if answer is Answer.SAT:
                        found = [solver.value(symbol) for symbol in encoding.values[0]]
                        return question.violation("smt", encoding.numbers(found))
                    if answer is Answer.UNKNOWN:
                        return _undecided(question, number, solver.reason)
                finally:
                    solver.close()
        question.report((number + 1) / len(question.cases))
    return question.made(Verdict.SAFE, "smt", progress=1.0)


def _undecided(question: FixedQuestion, number: int, reason: str) -> Result:
    verdict = Verdict.TIMEOUT if question.clock.over else Verdict.UNKNOWN
    said = "the time is up" if question.clock.over else f"the solver gave up: {reason}"
    return question.made(verdict, "smt", reason=said, progress=number / len(question.cases))


class FixedFormula:
    """Terms for every value of the network, and the facts about the inputs of a case."""

    def __init__(self, network: IntegerNetwork, case: IntCase) -> None:
        if case.members is not None:
            raise Unsupported("bit-vectors for an input set that is not a box")
        self.network, self.case = network, case
        ends = np.array([[axis.low, axis.high] for axis in case.axes], dtype=np.int64)
        self.ranges = ranges(network, ends[None, :, 0], ends[None, :, 1])
        self.facts: list[T.Term] = []
        self.values: list[list[T.Term]] = []
        for index, node in enumerate(network.nodes):
            self.values.append(self._node(index, node))

    def numbers(self, bits: Sequence[object]) -> Ints:
        width = self.network.input_format.bits
        found = [int(value) for value in bits]  # type: ignore[call-overload]
        return np.array([n - (1 << width) if n >> (width - 1) else n for n in found], dtype=np.int64)

    def _width(self, index: int) -> int:
        return self.network.formats[index].bits

    def _node(self, index: int, node: IntegerNode) -> list[T.Term]:
        match node:
            case Source():
                return self._inputs()
            case Sums():
                return self._sums(node, self._joined(node.inputs))
            case Rescale():
                return [self._moved(x, node.shift, node.rounding, node.word) for x in self.values[node.input]]
            case Quotient():
                pairs = zip(self.values[node.input], node.divisors.tolist(), strict=True)
                return [_divided(x, node.shift, d, node.rounding, node.word) for x, d in pairs]
            case Clamp():
                known = self.ranges[node.input]
                return [_clamped(x, node, known, j) for j, x in enumerate(self.values[node.input])]
            case Leaky():
                return [self._leaky(x, node) for x in self.values[node.input]]
            case Extreme():
                return self._extreme(node, self._joined(node.inputs))
            case Lookup():
                known, width = self.ranges[node.input], self._width(index)
                return [
                    _looked(x, node.table, int(known.low[0, j]), int(known.high[0, j]), width)
                    for j, x in enumerate(self.values[node.input])
                ]
            case Requantise() | Pair() | Times():
                raise Unsupported("a step function; int8 networks are decided by enumerate and bounds")
            case FixedSelect():
                given, width = self._joined(node.inputs), self._width(index)
                chosen = zip(node.columns.tolist(), node.constants.tolist(), strict=True)
                return [given[c] if c >= 0 else _constant(v, width) for c, v in chosen]
            case _:
                assert_never(node)

    def _inputs(self) -> list[T.Term]:
        width, found = self.network.input_format.bits, []
        for number, axis in enumerate(self.case.axes):
            if axis.count == 1:
                found.append(_constant(int(axis.numbers(np.array([0]))[0]), width))
                continue
            x = T.symbol(f"x{number}", T.bitvec(width))
            if axis.levels is None:
                self.facts += [T.sge(x, _constant(axis.low, width)), T.sle(x, _constant(axis.high, width))]
            elif axis.count > _MOST_LEVELS:
                raise Unsupported(f"bit-vectors for an input with {axis.count} levels")
            else:
                self.facts.append(T.or_(*(T.eq(x, _constant(int(v), width)) for v in axis.levels)))
            found.append(x)
        return found

    def _joined(self, inputs: tuple[int, ...]) -> list[T.Term]:
        return [value for index in inputs for value in self.values[index]]

    def _sums(self, node: Sums, x: list[T.Term]) -> list[T.Term]:
        rows = zip(node.columns.tolist(), node.weights.tolist(), node.bias.tolist(), strict=True)
        found = []
        for columns, weights, bias in rows:
            terms = [
                _product(x[c], w, node.shift, node.rounding, node.word)
                for c, w in zip(columns, weights, strict=True)
                if w
            ]
            shift = _constant(bias, node.word.bits)
            found.append(
                _balanced([*terms, shift]) if _wraps(node.word) else _saturated([*terms, shift], node.word)
            )
        return found

    def _moved(self, x: T.Term, shift: int, rounding: Rounding, word: Word) -> T.Term:
        wide = T.sext(x, 2 * max(x.sort.width, word.bits) + 1)
        if shift <= 0:
            return _narrowed(T.shl(wide, _constant(-shift, wide.sort.width)), word)
        return _narrowed(_rounded(wide, shift, rounding), word)

    def _leaky(self, x: T.Term, node: Leaky) -> T.Term:
        below = _product(x, node.slope, node.shift, node.rounding, node.word)
        return T.ite(T.slt(x, _constant(0, x.sort.width)), below, x)

    def _extreme(self, node: Extreme, x: list[T.Term]) -> list[T.Term]:
        found = []
        for columns in node.columns.tolist():
            best = x[columns[0]]
            for c in dict.fromkeys(columns[1:]):
                better = T.sgt(x[c], best) if node.sign > 0 else T.slt(x[c], best)
                best = T.ite(better, x[c], best)
            found.append(best)
        return found

    def region(self, region: IntRows) -> T.Term:
        bits = self.network.input_format.bits, self.network.output_format.bits
        width = max(region.size(*bits).bit_length() + 2, max(bits) + 1)
        rows = []
        for a, c, right in zip(region.inputs, region.outputs, region.rhs, strict=True):
            terms = [(self.values[0][i], f) for i, f in a] + [(self.values[-1][i], f) for i, f in c]
            total = _constant(0, width)
            for x, factor in terms:
                total = T.add(total, T.mul(T.sext(x, width), _constant(factor, width)))
            rows.append(T.sle(total, _constant(right, width)))
        return T.and_(*rows) if rows else T.TRUE


def _constant(value: int, width: int) -> T.Term:
    return T.bv(value % (1 << width), width)


def _wraps(word: Word) -> bool:
    return word.overflow is Overflow.WRAP


def _product(x: T.Term, weight: int, shift: int, rounding: Rounding, word: Word) -> T.Term:
    if shift == 0 and weight == 1:
        return x
    width = 2 * word.bits + 1
    product = T.mul(T.sext(x, width), _constant(weight, width))
    return _narrowed(_rounded(product, shift, rounding), word)


def _rounded(value: T.Term, shift: int, rounding: Rounding) -> T.Term:
    """value / 2^shift; the width has a bit to spare."""
    if shift == 0:
        return value
    width = value.sort.width
    by = _constant(shift, width)
    if rounding is Rounding.FLOOR:
        return T.ashr(value, by)
    half, negative = _constant(1 << (shift - 1), width), T.slt(value, _constant(0, width))
    up = T.ashr(T.add(value, half), by)
    down = T.neg(T.ashr(T.sub(half, value), by))
    return T.ite(negative, down, up)


def _narrowed(value: T.Term, word: Word) -> T.Term:
    low = T.extract(value, word.bits - 1, 0)
    if _wraps(word):
        return low
    width = value.sort.width
    above, below = T.sgt(value, _constant(word.high, width)), T.slt(value, _constant(word.low, width))
    ends = _constant(word.high, word.bits), _constant(word.low, word.bits)
    return T.ite(above, ends[0], T.ite(below, ends[1], low))


def _balanced(terms: list[T.Term]) -> T.Term:
    while len(terms) > 1:
        pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
        terms = [T.add(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return terms[0]


def _saturated(terms: list[T.Term], word: Word) -> T.Term:
    total = terms[0]
    for term in terms[1:]:
        wide = T.add(T.sext(total, word.bits + 1), T.sext(term, word.bits + 1))
        total = _narrowed(wide, word)
    return total


def _divided(x: T.Term, shift: int, divisor: int, rounding: Rounding, word: Word) -> T.Term:
    width = x.sort.width + shift + abs(divisor).bit_length() + 2
    top = T.shl(T.sext(x, width), _constant(shift, width))
    if divisor < 0:
        top, divisor = T.neg(top), -divisor
    by, zero = _constant(divisor, width), _constant(0, width)
    if rounding is Rounding.FLOOR:
        whole, rest = T.sdiv(top, by), T.srem(top, by)
        value = T.ite(T.slt(rest, zero), T.sub(whole, _constant(1, width)), whole)
    else:
        size = T.ite(T.slt(top, zero), T.neg(top), top)
        whole = T.udiv(T.add(size, _constant(divisor // 2, width)), by)
        value = T.ite(T.slt(top, zero), T.neg(whole), whole)
    return _narrowed(T.resize_s(value, max(width, word.bits + 1)), word)


def _clamped(x: T.Term, node: Clamp, known: Range, j: int) -> T.Term:
    low, high, width = int(known.low[0, j]), int(known.high[0, j]), x.sort.width
    value = x
    if node.low is not None and low < node.low:
        value = T.ite(T.slt(x, _constant(node.low, width)), _constant(node.low, width), value)
    if node.high is not None and high > node.high:
        value = T.ite(T.sgt(x, _constant(node.high, width)), _constant(node.high, width), value)
    return value


def _looked(x: T.Term, table: Table, low: int, high: int, width: int) -> T.Term:
    """A tree of comparisons over the runs of equal entries between low and high."""
    firsts = starts(table, low, high)
    if len(firsts) > _MOST_RUNS:
        raise Unsupported(f"bit-vectors for a table with {len(firsts)} different samples")
    entries = table.look(np.array(firsts, dtype=np.int64)).tolist()
    leaves = [(first, _constant(entry, width)) for first, entry in zip(firsts, entries, strict=True)]
    while len(leaves) > 1:
        joined = []
        for i in range(0, len(leaves), 2):
            if i + 1 == len(leaves):
                joined.append(leaves[i])
                continue
            (first, left), (second, right) = leaves[i : i + 2]
            joined.append((first, T.ite(T.slt(x, _constant(second, x.sort.width)), left, right)))
        leaves = joined
    return leaves[0][1]


def starts(table: Table, low: int, high: int) -> list[int]:
    """The numbers between low and high at which the table's value changes, low first."""
    from vouch.nn.fixed.table import Steps

    every: list[int] = []
    for segment in table.segments:
        if isinstance(segment, Steps):
            every += segment.firsts.tolist()
            continue
        places = np.arange(len(segment.entries), dtype=np.int64)
        begins = (
            segment.first + (places << segment.shift) - segment.offset if len(places) > 1 else np.array([0])
        )
        every += np.maximum(begins, segment.first).tolist() if len(places) > 1 else [segment.first]
    inside = np.array(sorted({low, *(n for n in every if low < n <= high)}), dtype=np.int64)
    values = table.look(inside)
    return [int(n) for n, new in zip(inside, [True, *(np.diff(values) != 0)], strict=True) if new]
