"""`milp`: the exact integer encoding, searched by a tree of linear relaxations (HiGHS).

Every rounding is an integer with two rows, every wrap-around an integer count of periods, every ReLU, table
and saturation a few binary choices; nothing is approximated but long coefficients of a property, outwards. A
node of the tree is closed only by exact propagation of bounds, by an exact certificate that its relaxation is
empty, or by running the few inputs that are left; a violation is one only if the network computes it. The
float solver is never believed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
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
from vouch.nn.fixed.ranges import ranges
from vouch.nn.fixed.smt import starts
from vouch.nn.fixed.tighten import IntegerRows
from vouch.nn.lp import LinearProgram
from vouch.nn.property import Array
from vouch.nn.result import Result
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.nn.fixed.decide import FixedQuestion

# Columns beyond which a tree of relaxations has no chance.
_MOST_COLUMNS = 20_000
_WHOLE = 1e-6
# Inputs that are run one by one instead of being told apart any further.
_FEW = 64


def milp(question: FixedQuestion) -> Result:
    for number, case in enumerate(question.cases):
        if not case.points:
            continue
        for region in case.regions:
            tree = _Tree(question, case, FixedMilp(question.network, case, region))
            found = tree.run()
            question.count("nodes", tree.nodes)
            if found is not None:
                return question.violation("milp", found)
            if question.clock.over:
                share = number / len(question.cases)
                return question.made(Verdict.TIMEOUT, "milp", reason="the time is up", progress=share)
    return question.made(Verdict.SAFE, "milp", progress=1.0)


@dataclass(slots=True)
class IntegerRow:
    """A sum of columns and a constant; whole numbers."""

    terms: dict[int, int] = field(default_factory=dict)
    constant: int = 0

    def plus(self, other: IntegerRow, factor: int = 1) -> IntegerRow:
        total = dict(self.terms)
        for column, value in other.terms.items():
            total[column] = total.get(column, 0) + factor * value
        return IntegerRow(total, self.constant + factor * other.constant)

    def times(self, factor: int) -> IntegerRow:
        return IntegerRow({c: v * factor for c, v in self.terms.items()}, self.constant * factor)


class FixedMilp:
    """Columns with their bounds, all of them integers, and rows that say expression <= 0."""

    def __init__(self, network: IntegerNetwork, case: IntCase, region: IntRows) -> None:
        if case.members is not None:
            raise Unsupported("an integer program for an input set that is not a box")
        if any(axis.levels is not None for axis in case.axes):
            raise Unsupported("an integer program for inputs with a step")
        self.network, self.low, self.high = network, [], []  # type: tuple[IntegerNetwork, list[int], list[int]]
        self.rows: list[IntegerRow] = []
        self.wraps: list[int] = []  # columns that count periods
        self.tables = any(isinstance(node, Lookup) for node in network.nodes)
        ends = np.array([[axis.low, axis.high] for axis in case.axes], dtype=np.int64)
        self.ranges = ranges(network, ends[None, :, 0], ends[None, :, 1])
        self.values: list[list[IntegerRow]] = []
        for index, node in enumerate(network.nodes):
            self.values.append(self._node(index, node, ends))
            if len(self.low) > _MOST_COLUMNS:
                raise Unsupported(f"an integer program with more than {_MOST_COLUMNS} columns")
        for a, c, right in zip(region.inputs, region.outputs, region.rhs, strict=True):
            total = IntegerRow({}, -right)
            for i, factor in a:
                total = total.plus(self.values[0][i], factor)
            for i, factor in c:
                total = total.plus(self.values[-1][i], factor)
            self.rows.append(self._shorter(total))

    def _shorter(self, row: IntegerRow) -> IntegerRow:
        """A row with coefficients of at most 40 bits that holds wherever the given one does: rounding each of
        them moves the sum by at most half the size of its column."""
        sizes = [abs(value) for value in row.terms.values()]
        shift = max(0, max(sizes, default=0).bit_length() - 40, abs(row.constant).bit_length() - 50)
        if not shift:
            return row
        half = 1 << (shift - 1)
        terms = {c: (value + half) >> shift for c, value in row.terms.items()}
        reach = sum(max(abs(self.low[c]), abs(self.high[c])) for c in terms)
        return IntegerRow(terms, (row.constant >> shift) - reach - 1)

    def column(self, low: int, high: int) -> IntegerRow:
        """A new integer between low and high; a constant where they agree."""
        if low == high:
            return IntegerRow({}, low)
        self.low.append(low)
        self.high.append(high)
        return IntegerRow({len(self.low) - 1: 1})

    def ends(self, value: IntegerRow) -> tuple[int, int]:
        low = high = value.constant
        for column, factor in value.terms.items():
            pair = factor * self.low[column], factor * self.high[column]
            low, high = low + min(pair), high + max(pair)
        return low, high

    def at_most(self, left: IntegerRow, right: IntegerRow) -> None:
        self.rows.append(left.plus(right, -1))

    def floor(self, value: IntegerRow, divisor: int) -> IntegerRow:
        """floor(value / divisor) for a positive divisor."""
        if divisor == 1:
            return value
        low, high = self.ends(value)
        quotient = self.column(low // divisor, high // divisor)
        self.at_most(quotient.times(divisor), value)
        self.at_most(value, quotient.times(divisor).plus(IntegerRow({}, divisor - 1)))
        return quotient

    def negative(self, value: IntegerRow) -> IntegerRow:
        """1 where the value is below zero, else 0."""
        low, high = self.ends(value)
        if low >= 0 or high < 0:
            return IntegerRow({}, int(high < 0))
        sign = self.column(0, 1)
        self.at_most(sign.times(low), value)
        self.at_most(value, IntegerRow({}, high).plus(sign, -(high + 1)))
        return sign

    def rounded(self, value: IntegerRow, divisor: int, rounding: Rounding) -> IntegerRow:
        """value / divisor by the rule; ties of nearest go away from zero."""
        if divisor == 1 or rounding is Rounding.FLOOR:
            return self.floor(value, divisor)
        moved = value.plus(IntegerRow({}, divisor // 2))
        if divisor % 2 == 0:
            moved = moved.plus(self.negative(value), -1)
        return self.floor(moved, divisor)

    def narrowed(self, value: IntegerRow, word: Word) -> IntegerRow:
        low, high = self.ends(value)
        if low >= word.low and high <= word.high:
            return value
        if word.overflow is Overflow.SATURATE:
            return self.smallest([self.largest([value, IntegerRow({}, word.low)]), IntegerRow({}, word.high)])
        period = 1 << word.bits
        times = self.column((low - word.low) // period, (high - word.low) // period)
        self.wraps.extend(times.terms)
        inside = self.column(word.low, word.high)
        for one, other in ((inside.plus(times, period), value), (value, inside.plus(times, period))):
            self.at_most(one, other)
        return inside

    def largest(self, values: Sequence[IntegerRow]) -> IntegerRow:
        pairs = [self.ends(value) for value in values]
        floor = max(low for low, _ in pairs)
        left = [(value, pair) for value, pair in zip(values, pairs, strict=True) if pair[1] >= floor]
        if len(left) == 1:
            return left[0][0]
        top = max(high for _, (_, high) in left)
        result, chosen = self.column(floor, top), IntegerRow()
        for value, (low, _) in left:
            choice = self.column(0, 1)
            chosen = chosen.plus(choice)
            self.at_most(value, result)
            # result <= value + (top - low) (1 - choice)
            self.at_most(result, value.plus(IntegerRow({}, top - low)).plus(choice, low - top))
        self._one(chosen)
        return result

    def smallest(self, values: Sequence[IntegerRow]) -> IntegerRow:
        return self.largest([value.times(-1) for value in values]).times(-1)

    def _one(self, total: IntegerRow) -> None:
        self.at_most(total, IntegerRow({}, 1))
        self.at_most(IntegerRow({}, 1), total)

    def _node(self, index: int, node: IntegerNode, ends: Ints) -> list[IntegerRow]:
        match node:
            case Source():
                return [self.column(int(low), int(high)) for low, high in ends]
            case Sums():
                return self._sums(index, node, self._joined(node.inputs))
            case Rescale():
                return [self._moved(x, node) for x in self.values[node.input]]
            case Quotient():
                pairs = zip(self.values[node.input], node.divisors.tolist(), strict=True)
                return [self._divided(x, d, node) for x, d in pairs]
            case Clamp():
                return [self._clamped(x, node) for x in self.values[node.input]]
            case Leaky():
                return [self._leaky(x, node) for x in self.values[node.input]]
            case Extreme():
                given = self._joined(node.inputs)
                best = self.largest if node.sign > 0 else self.smallest
                return [best([given[c] for c in dict.fromkeys(row)]) for row in node.columns.tolist()]
            case Lookup():
                known = self.ranges[node.input]
                values = enumerate(self.values[node.input])
                return [self._looked(x, node, int(known.low[0, j]), int(known.high[0, j])) for j, x in values]
            case Requantise() | Pair() | Times():
                raise Unsupported("a step function; int8 networks are decided by enumerate and bounds")
            case FixedSelect():
                given = self._joined(node.inputs)
                chosen = zip(node.columns.tolist(), node.constants.tolist(), strict=True)
                return [given[c] if c >= 0 else IntegerRow({}, v) for c, v in chosen]
            case _:
                assert_never(node)

    def _joined(self, inputs: tuple[int, ...]) -> list[IntegerRow]:
        return [value for index in inputs for value in self.values[index]]

    def _sums(self, index: int, node: Sums, x: list[IntegerRow]) -> list[IntegerRow]:
        found: list[IntegerRow] = []
        saturating = node.word.overflow is Overflow.SATURATE
        rows = zip(node.columns.tolist(), node.weights.tolist(), node.bias.tolist(), strict=True)
        for columns, weights, bias in rows:
            total = IntegerRow()
            for c, w in zip(columns, weights, strict=True):
                if not w:
                    continue
                product = self._product(x[c], w, node)
                total = total.plus(self.narrowed(product, node.word) if saturating else product)
                total = self.narrowed(total, node.word) if saturating else total
            # Sums modulo a power of two may be narrowed once, at their end.
            found.append(
                self._kept(index, len(found), self.narrowed(total.plus(IntegerRow({}, bias)), node.word))
            )
        return found

    def _kept(self, index: int, j: int, value: IntegerRow) -> IntegerRow:
        """A column of its own for a long sum, with the range that is known of it."""
        if len(value.terms) < 2:
            return value
        known = self.ranges[index]
        kept = self.column(int(known.low[0, j]), int(known.high[0, j]))
        self.at_most(kept, value)
        self.at_most(value, kept)
        return kept

    def _product(self, x: IntegerRow, weight: int, node: Sums) -> IntegerRow:
        shift, scale = node.shift, weight
        while shift and scale % 2 == 0:
            shift, scale = shift - 1, scale // 2
        return self.rounded(x.times(scale), 1 << shift, node.rounding)

    def _moved(self, x: IntegerRow, node: Rescale) -> IntegerRow:
        if node.shift <= 0:
            return self.narrowed(x.times(1 << -node.shift), node.word)
        return self.narrowed(self.rounded(x, 1 << node.shift, node.rounding), node.word)

    def _divided(self, x: IntegerRow, divisor: int, node: Quotient) -> IntegerRow:
        top = x.times(1 << node.shift)
        if divisor < 0:
            top, divisor = top.times(-1), -divisor
        return self.narrowed(self.rounded(top, divisor, node.rounding), node.word)

    def _clamped(self, x: IntegerRow, node: Clamp) -> IntegerRow:
        if node.low is not None:
            x = self.largest([x, IntegerRow({}, node.low)])
        return x if node.high is None else self.smallest([x, IntegerRow({}, node.high)])

    def _leaky(self, x: IntegerRow, node: Leaky) -> IntegerRow:
        low, high = self.ends(x)
        if low >= 0:
            return x
        product = self.rounded(x.times(node.slope), 1 << node.shift, node.rounding)
        below = self.narrowed(product, node.word)
        if high < 0:
            return below
        sign, (least, most) = self.negative(x), self.ends(below)
        result = self.column(min(least, 0), max(most, high))
        reach = max(high, most) - min(low, least, 0)
        for value, off in ((x, sign), (below, IntegerRow({}, 1).plus(sign, -1))):
            self.at_most(result, value.plus(off, reach))
            self.at_most(value.plus(off, -reach), result)
        return result

    def _looked(self, x: IntegerRow, node: Lookup, low: int, high: int) -> IntegerRow:
        firsts = starts(node.table, low, high)
        entries = node.table.look(np.array(firsts, dtype=np.int64)).tolist()
        if len(firsts) == 1:
            return IntegerRow({}, entries[0])
        lasts = [*(first - 1 for first in firsts[1:]), high]
        chosen, begin, stop, value = IntegerRow(), IntegerRow(), IntegerRow(), IntegerRow()
        for first, last, entry in zip(firsts, lasts, entries, strict=True):
            choice = self.column(0, 1)
            chosen, begin = chosen.plus(choice), begin.plus(choice, first)
            stop, value = stop.plus(choice, last), value.plus(choice, entry)
        self._one(chosen)
        self.at_most(begin, x)
        self.at_most(x, stop)
        return value


class _Tree:
    """Depth first over bounds of the columns."""

    def __init__(self, question: FixedQuestion, case: IntCase, encoding: FixedMilp) -> None:
        self.question, self.case, self.encoding = question, case, encoding
        self.nodes = 0
        self.low = np.array(encoding.low, dtype=np.float64)
        self.high = np.array(encoding.high, dtype=np.float64)
        inputs = [next(iter(value.terms), None) for value in encoding.values[0]]
        self.inputs = [column for column in inputs if column is not None]
        binary = np.flatnonzero((self.low == 0) & (self.high == 1))
        # A period more or less moves a value furthest: as long as one is open, relaxations say little.
        wraps = np.array(encoding.wraps, dtype=np.int64)
        self.choices = (wraps, *(() if encoding.tables else (binary, np.array(self.inputs))))

    def run(self) -> Ints | None:
        if not len(self.low):
            return self._single(self.low)
        program = LinearProgram(self.low, self.high)
        rows = self._rows(program)
        stack = [(self.low, self.high)]
        while stack and not self.question.clock.over:
            box = rows.tightened(*stack.pop())
            self.nodes += 1
            if box is None:
                continue
            low, high = box
            few = self._few(low, high)
            if few is not None:
                found = self.question.first_violation(few)
                if found is not None:
                    return found
                continue
            program.set_box(low, high)
            best = program.minimise(np.zeros(len(low)))
            if best.status == "infeasible" and program.certify_infeasible():
                continue
            point = (low + high) / 2 if best.point is None else np.clip(best.point, low, high)
            found = self._single(np.rint(point))
            if found is not None:
                return found
            column = self._branch(low, high, point)
            middle = self._middle(low[column], high[column], point[column])
            below, above = high.copy(), low.copy()
            below[column], above[column] = middle, middle + 1
            halves = [(low, below), (above, high)]
            stack += halves if point[column] - middle > 0.5 else halves[::-1]
        return None

    def _rows(self, program: LinearProgram) -> IntegerRows:
        """Hands the rows to the program; the same rows for exact propagation."""
        from scipy.sparse import csr_matrix

        rows = self.encoding.rows
        sizes = [abs(v) for row in rows for v in (*row.terms.values(), row.constant)]
        if max(sizes, default=0) >= 1 << 53:
            raise Unsupported("an integer program with numbers beyond float64")
        data = [(n, c, float(v)) for n, row in enumerate(rows) for c, v in row.terms.items() if v]
        place, column, value = zip(*data, strict=True) if data else ((), (), ())
        matrix = csr_matrix((value, (place, column)), shape=(len(rows), len(self.low)))
        constants = np.array([float(row.constant) for row in rows])
        program.add(matrix, -constants)
        return IntegerRows(data, constants, self.low, self.high)

    @staticmethod
    def _middle(low: float, high: float, value: float) -> float:
        """Where a column is split: at its value in the relaxation, or in the middle where that is whole."""
        at = value if abs(value - np.rint(value)) > _WHOLE else (low + high) / 2
        return float(np.floor(min(max(at, low), high - 1)))

    def _few(self, low: Array, high: Array) -> Ints | None:
        """All inputs of a box, where they are few: running them is quicker than a relaxation."""
        ends = []
        for value in self.encoding.values[0]:
            column = next(iter(value.terms), None)
            pair = (value.constant,) * 2 if column is None else (int(low[column]), int(high[column]))
            ends.append(pair)
        if math.prod(last - first + 1 for first, last in ends) > _FEW:
            return None
        return np.array(list(itertools.product(*(range(a, b + 1) for a, b in ends))), dtype=np.int64)

    def _single(self, point: Array) -> Ints | None:
        """The inputs of a point, if they violate."""
        numbers = []
        for value in self.encoding.values[0]:
            column = next(iter(value.terms), None)
            numbers.append(value.constant if column is None else int(point[column]))
        return self.question.first_violation(np.array([numbers], dtype=np.int64))

    def _branch(self, low: Array, high: Array, point: Array) -> int:
        """A count of periods that is not whole, else a choice or an input, else the widest input. An entry of
        a table that is not chosen says nothing about the others: with tables, inputs are halved."""
        off = np.abs(point - np.rint(point))
        for chosen in self.choices:
            if len(chosen):
                best = int(chosen[np.argmax(np.where(low[chosen] < high[chosen], off[chosen], -1.0))])
                if off[best] > _WHOLE and low[best] < high[best]:
                    return best
        widths = (high - low)[self.inputs]
        return int(self.inputs[int(widths.argmax())])
