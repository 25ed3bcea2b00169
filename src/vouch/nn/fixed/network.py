"""The integer network: what is computed, bit for bit, and nothing else.

Every value is a flat vector of integers. Nodes are in topological order, refer to each other by index, and
the last one is the output. Fixed-point networks and int8 networks are both written with these nodes:

- `Source`: node 0, the inputs;
- `Sums`: products brought back by a shift, added up from the first to the last, and a bias at the end;
- `Rescale`: a shift, where the number of fractional bits changes;
- `Quotient`: division by constants;
- `Clamp`: ReLU and clipping;
- `Leaky`: a product with a constant below zero;
- `Extreme`: the largest or smallest of several values;
- `Lookup`: a table;
- `Requantise`: an increasing function given by where it steps up, such as a requantisation to 8 bits;
- `Pair`: a table of two values, such as the sum of two 8-bit numbers of different scales;
- `Times`: the product of two values, so small that it is exact;
- `FixedSelect`: rearranged elements, constants among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from vouch.nn.fixed.format import Format, Ints, Rounding, Word
from vouch.nn.fixed.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """y[j] = sum over k of narrow(round(weights[j, k] * x[columns[j, k]] / 2^shift)), then + bias[j].

    `x` is the concatenation of `inputs`. Each product and each partial sum is narrowed to `word`. Padding has
    weight 0. A `plain` node adds and subtracts values: its weights are 1, -1 or 0, and its shift is 0.
    """

    inputs: tuple[int, ...]
    columns: Ints
    weights: Ints
    bias: Ints
    shift: int
    rounding: Rounding
    word: Word

    @property
    def size(self) -> int:
        return len(self.bias)

    @property
    def plain(self) -> bool:
        return self.shift == 0 and bool((abs(self.weights) <= 1).all())


@dataclass(frozen=True, slots=True, eq=False)
class Rescale:
    """y = narrow(round(x / 2^shift)); a negative shift multiplies."""

    input: int
    size: int
    shift: int
    rounding: Rounding
    word: Word


@dataclass(frozen=True, slots=True, eq=False)
class Quotient:
    """y[j] = narrow(round(x[j] * 2^shift / divisors[j]))."""

    input: int
    divisors: Ints
    shift: int
    rounding: Rounding
    word: Word

    @property
    def size(self) -> int:
        return len(self.divisors)


@dataclass(frozen=True, slots=True, eq=False)
class Clamp:
    """y = min(max(x, low), high); None: no limit."""

    input: int
    size: int
    low: int | None
    high: int | None

    @property
    def relu(self) -> bool:
        return self.low == 0 and self.high is None


@dataclass(frozen=True, slots=True, eq=False)
class Leaky:
    """y = x for x >= 0, narrow(round(slope * x / 2^shift)) below."""

    input: int
    size: int
    slope: int
    shift: int
    rounding: Rounding
    word: Word


@dataclass(frozen=True, slots=True, eq=False)
class Extreme:
    """y[j] = the largest (sign 1) or smallest (sign -1) of x[columns[j, k]] over k; `x` as in `Sums`."""

    inputs: tuple[int, ...]
    columns: Ints
    sign: int = 1

    @property
    def size(self) -> int:
        return len(self.columns)


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    input: int
    size: int
    table: Table


@dataclass(frozen=True, slots=True, eq=False)
class Requantise:
    """y[j] = low + how many of thresholds[group[j]] are at most x[j].

    `thresholds` [groups, steps] are in ascending order; one that no value reaches lies above all values.
    """

    input: int
    group: Ints
    thresholds: Ints
    low: int

    @property
    def size(self) -> int:
        return len(self.group)


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """y[j] = entries[left[j] - first[0], right[j] - first[1]], which increases in both."""

    left: int
    right: int
    size: int
    entries: Ints
    first: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Times:
    """y[j] = left[j] * right[j], which always fits."""

    left: int
    right: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class FixedSelect:
    """y[j] = x[columns[j]], or constants[j] where the column is negative; `x` as in `Sums`."""

    inputs: tuple[int, ...]
    columns: Ints
    constants: Ints

    @property
    def size(self) -> int:
        return len(self.columns)


IntegerNode: TypeAlias = (
    Source
    | Sums
    | Rescale
    | Quotient
    | Clamp
    | Leaky
    | Extreme
    | Lookup
    | Requantise
    | Pair
    | Times
    | FixedSelect
)


def sources(node: IntegerNode) -> tuple[int, ...]:
    """The nodes that a node reads."""
    match node:
        case Source():
            return ()
        case Sums() | Extreme() | FixedSelect():
            return node.inputs
        case Rescale() | Quotient() | Clamp() | Leaky() | Lookup() | Requantise():
            return (node.input,)
        case Pair() | Times():
            return node.left, node.right


@dataclass(frozen=True, slots=True, eq=False)
class IntegerNetwork:
    """`nodes[-1]` is the output. `formats[i]` says what the integers of node i mean.

    `softmax` says that the network ends in a softmax that is not part of it: the outputs are its arguments,
    which have the same order.
    """

    name: str
    nodes: tuple[IntegerNode, ...]
    formats: tuple[Format, ...]
    softmax: bool = False

    @property
    def inputs(self) -> int:
        return self.nodes[0].size

    @property
    def outputs(self) -> int:
        return self.nodes[-1].size

    @property
    def input_format(self) -> Format:
        return self.formats[0]

    @property
    def output_format(self) -> Format:
        return self.formats[-1]

    @property
    def work(self) -> int:
        """Products that one evaluation takes."""
        return sum(node.weights.size for node in self.nodes if isinstance(node, Sums))
