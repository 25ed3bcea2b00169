"""Writes an integer network as C99: `net.h`, `net.c`.

The code needs no library, no memory but its stack, and no floating point except in the two conversions. It
computes bit for bit what `evaluate.py` computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.nn.fixed.ctext import Arithmetic, in_comment, literal, number_type, table, unsigned_type, wide_bits
from vouch.nn.fixed.format import Format, Ints, Overflow, Rounding, Word
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
from vouch.nn.fixed.table import Segment, Steps, Table

# Terms that straight-line code may have; compilers give up on much more.
MOST_TERMS = 200_000


@dataclass(frozen=True, slots=True)
class Style:
    """How the code is written: loops over tables or every term by itself; sums in order or as a tree."""

    code: Literal["loops", "straight"] = "loops"
    sums: Literal["sequential", "balanced"] = "sequential"


def header(network: IntegerNetwork, note: str = "") -> str:
    """`net.h`."""
    given, made = network.input_format, network.output_format
    ends = " The softmax at its end is left out: outputs are its arguments." if network.softmax else ""
    return (
        f"/* {note or described(network)}.{ends} */\n"
        "#ifndef NET_H\n#define NET_H\n\n#include <stdint.h>\n\n"
        f"#define NET_INPUTS {network.inputs}\n#define NET_OUTPUTS {network.outputs}\n"
        f"#define NET_INTEGER_BITS {given.integer}\n#define NET_FRACTION_BITS {given.fraction}\n"
        f"#define NET_OUTPUT_FRACTION_BITS {made.fraction}\n\n"
        f"typedef {number_type(widest(network))} net_t;\n\n"
        "/* The outputs for NET_INPUTS numbers. */\nvoid net_run(const net_t *in, net_t *out);\n\n"
        "/* A real as an input: the number of its format that conversion yields. */\n"
        "net_t net_from_double(double value);\n\n"
        "/* What an output means. */\ndouble net_to_double(net_t value);\n\n#endif\n"
    )


def described(network: IntegerNetwork) -> str:
    """One line about what is computed."""
    kinds = dict.fromkeys(f"{f} {f.rounding} {f.overflow}" for f in network.formats)
    return f"Network {in_comment(network.name)} in fixed point {', '.join(kinds)}"


def widest(network: IntegerNetwork) -> int:
    """Bits of the longest word, which sets the number type."""
    return max(form.bits for form in network.formats)


_PLAIN = Style()


def source(network: IntegerNetwork, style: Style = _PLAIN, ranges: Sequence[tuple[Ints, Ints]] = ()) -> str:
    """`net.c`. `ranges` are proved bounds of every node, which become NET_RANGE(value, low, high)."""
    return _Source(network, style, ranges).text()


class _Source:
    def __init__(self, network: IntegerNetwork, style: Style, ranges: Sequence[tuple[Ints, Ints]]) -> None:
        self.network, self.style, self.ranges = network, style, ranges
        self.wide = wide_bits(widest(network))
        self.arithmetic = Arithmetic(self.wide)
        self.tables: list[str] = []
        self.lookups: dict[int, str] = {}
        self.body: list[str] = []

    def text(self) -> str:
        last = len(self.network.nodes) - 1
        for index, node in enumerate(self.network.nodes[1:], 1):
            if index != last:
                self.body.append(f"    net_t v{index}[{node.size}];\n")
        for index, node in enumerate(self.network.nodes[1:], 1):
            self._node(index, node)
        head = (
            f'/* {described(self.network)}. */\n#include "net.h"\n\n'
            f"typedef int{self.wide}_t net_wide;\ntypedef uint{self.wide}_t net_bits;\n"
            "/* Right shifts of negative numbers have to be arithmetic. */\n"
            "typedef char net_shifts_are_arithmetic[((net_wide)-1 >> 1) == -1 ? 1 : -1];\n\n"
        )
        run = (
            "void net_run(const net_t *in, net_t *out)\n{\n"
            + "".join(self._loop_variables() + self.body)
            + "}\n"
        )
        convert = _from_double(self.network.input_format) + "\n" + _to_double(self.network.output_format)
        parts = [
            head,
            self._range_macro(),
            *self.tables,
            *self.arithmetic.definitions,
            *self._lookup_texts,
            run,
        ]
        return "\n".join(part for part in (*parts, convert) if part)

    def _range_macro(self) -> str:
        if not self.ranges:
            return ""
        return (
            "/* Proved bounds of every value: assumed or checked when a verifier is told to. */\n"
            "#if defined(NET_ASSUME_RANGES)\nextern void __VERIFIER_assume(int condition);\n"
            "#define NET_RANGE(value, low, high) __VERIFIER_assume((value) >= (low) && (value) <= (high))\n"
            "#elif defined(NET_CHECK_RANGES)\nextern void __VERIFIER_assert(int condition);\n"
            "#define NET_RANGE(value, low, high) __VERIFIER_assert((value) >= (low) && (value) <= (high))\n"
            "#endif\n"
        )

    def _loop_variables(self) -> list[str]:
        used = "".join(self.body)
        names = [name for name in ("j", "k") if f"for ({name} = 0" in used]
        kind = unsigned_type(max(node.size for node in self.network.nodes) + self._longest())
        return [f"    {kind} {', '.join(names)};\n"] if names else []

    def _longest(self) -> int:
        return max(
            (n.columns.shape[1] for n in self.network.nodes if isinstance(n, Sums | Extreme)), default=1
        )

    def _name(self, index: int) -> str:
        if index == 0:
            return "in"
        return "out" if index == len(self.network.nodes) - 1 else f"v{index}"

    def _each(self, size: int, statement: str) -> None:
        if self.style.code == "straight":
            for j in range(size):
                self.body.append(f"    {statement.replace('[j]', f'[{j}]')}\n")
        else:
            self.body.append(f"    for (j = 0; j < {size}; j++) {statement}\n")

    def _node(self, index: int, node: IntegerNode) -> None:
        to = self._name(index)
        match node:
            case Source():
                raise AssertionError("the inputs come first")
            case Sums():
                self._sums(index, node, to)
            case Rescale():
                f = self.arithmetic.rescale(node.word, node.shift, node.rounding)
                self._each(node.size, f"{to}[j] = {f}({self._name(node.input)}[j]);")
            case Quotient():
                f = self.arithmetic.divide(node.word, node.shift, node.rounding)
                self._constants(f"divisors{index}", node.divisors)
                self._each(node.size, f"{to}[j] = {f}({self._name(node.input)}[j], divisors{index}[j]);")
            case Clamp():
                x = f"{self._name(node.input)}[j]"
                value = x
                if node.low is not None:
                    value = f"{x} < {literal(node.low)} ? {literal(node.low)} : {value}"
                if node.high is not None:
                    value = f"{x} > {literal(node.high)} ? {literal(node.high)} : {value}"
                self._each(node.size, f"{to}[j] = (net_t)({value});")
            case Leaky():
                f = self.arithmetic.multiply(node.word, node.shift, node.rounding)
                x = f"{self._name(node.input)}[j]"
                self._each(node.size, f"{to}[j] = {x} < 0 ? {f}({literal(node.slope)}, {x}) : {x};")
            case Extreme():
                self._extreme(index, node, to)
            case Lookup():
                f = self._lookup(node.table)
                self._each(node.size, f"{to}[j] = {f}({self._name(node.input)}[j]);")
            case Requantise() | Pair() | Times():
                raise Unsupported("a step function; int8 networks are decided by enumerate and bounds")
            case FixedSelect():
                x = self._joined(index, node.inputs)
                for j, (column, constant) in enumerate(
                    zip(node.columns.tolist(), node.constants.tolist(), strict=True)
                ):
                    value = f"{x}[{column}]" if column >= 0 else literal(constant)
                    self.body.append(f"    {to}[{j}] = {value};\n")
            case _:
                assert_never(node)
        self._range(index, node.size, to)

    def _range(self, index: int, size: int, to: str) -> None:
        if not self.ranges:
            return
        low, high = self.ranges[index]
        self.body.append("#ifdef NET_RANGE\n")
        for j in range(size):
            self.body.append(f"    NET_RANGE({to}[{j}], {literal(low[j])}, {literal(high[j])});\n")
        self.body.append("#endif\n")

    def _constants(self, name: str, values: Ints, kind: str = "net_t") -> None:
        self.tables.append(table(kind, name, values))

    def _joined(self, index: int, inputs: tuple[int, ...]) -> str:
        """One array with all inputs."""
        if len(inputs) == 1:
            return self._name(inputs[0])
        sizes = [self.network.nodes[i].size for i in inputs]
        name = f"all{index}"
        self.body.insert(0, f"    net_t {name}[{sum(sizes)}];\n")
        start = 0
        for source_index, size in zip(inputs, sizes, strict=True):
            place = f"{name}[j + {start}]" if start else f"{name}[j]"
            if self.style.code == "straight":
                for j in range(size):
                    self.body.append(f"    {name}[{start + j}] = {self._name(source_index)}[{j}];\n")
            else:
                self.body.append(
                    f"    for (j = 0; j < {size}; j++) {place} = {self._name(source_index)}[j];\n"
                )
            start += size
        return name

    def _sums(self, index: int, node: Sums, to: str) -> None:
        x = self._joined(index, node.inputs)
        if self.style.sums == "balanced" and node.word.overflow is Overflow.SATURATE:
            raise VouchError("balanced sums compute something else than sequential ones where sums saturate")
        if self.style.code == "straight" or self.style.sums == "balanced":
            self._straight(node, x, to)
        else:
            self._loops(index, node, x, to)

    def _straight(self, node: Sums, x: str, to: str) -> None:
        if np.count_nonzero(node.weights) > MOST_TERMS:
            raise Unsupported(f"straight-line code with more than {MOST_TERMS} terms")
        add = self.arithmetic.add(node.word)
        rows = zip(node.columns.tolist(), node.weights.tolist(), node.bias.tolist(), strict=True)
        for j, (columns, weights, bias) in enumerate(rows):
            terms = [self._term(node, w, f"{x}[{c}]") for c, w in zip(columns, weights, strict=True) if w]
            if self.style.sums == "balanced":
                while len(terms) > 1:
                    pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
                    terms = [f"{add}({', '.join(pair)})" if len(pair) == 2 else pair[0] for pair in pairs]
                total = terms[0] if terms else "0"
                self.body.append(f"    {to}[{j}] = {add}({total}, {literal(bias)});\n")
                continue
            self.body.append(f"    {to}[{j}] = {terms[0] if terms else '0'};\n")
            for term in terms[1:]:
                self.body.append(f"    {to}[{j}] = {add}({to}[{j}], {term});\n")
            self.body.append(f"    {to}[{j}] = {add}({to}[{j}], {literal(bias)});\n")

    def _term(self, node: Sums, weight: int, x: str) -> str:
        if node.plain:
            return x if weight > 0 else f"{self.arithmetic.subtract(node.word)}(0, {x})"
        multiply = self.arithmetic.multiply(node.word, node.shift, node.rounding)
        return f"{multiply}({literal(weight)}, {x})"

    def _loops(self, index: int, node: Sums, x: str, to: str) -> None:
        count, width = node.columns.shape
        add = self.arithmetic.add(node.word)
        multiply = self.arithmetic.multiply(node.word, node.shift, node.rounding)
        weights, row = self._rows(index, node.weights)
        column = self._columns(index, node.columns)
        self._constants(f"bias{index}", node.bias)
        place = f"{to}[j]"
        self.body.append(
            f"    for (j = 0; j < {count}; j++) {{\n        net_t sum = 0;\n"
            f"        for (k = 0; k < {width}; k++)\n"
            f"            sum = {add}(sum, {multiply}({weights}[{row}][k], {x}[{column}]));\n"
            f"        {place} = {add}(sum, bias{index}[j]);\n    }}\n"
        )

    def _rows(self, index: int, weights: Ints) -> tuple[str, str]:
        """The table of weights and how to find a row in it: equal rows are kept once."""
        name = f"weights{index}"
        unique, where = np.unique(weights, axis=0, return_inverse=True)
        if 2 * len(unique) > len(weights):
            self._constants(name, weights)
            return name, "j"
        self._constants(name, unique)
        self._constants(f"row{index}", where.ravel(), unsigned_type(len(unique)))
        return name, f"row{index}[j]"

    def _columns(self, index: int, columns: Ints) -> str:
        width = columns.shape[1]
        if np.array_equal(columns, np.broadcast_to(np.arange(width), columns.shape)):
            return "k"
        self._constants(f"column{index}", columns, unsigned_type(int(columns.max())))
        return f"column{index}[j][k]"

    def _extreme(self, index: int, node: Extreme, to: str) -> None:
        x = self._joined(index, node.inputs)
        count, width = node.columns.shape
        better = ">" if node.sign > 0 else "<"
        if self.style.code == "straight":
            for j, columns in enumerate(node.columns.tolist()):
                self.body.append(f"    {to}[{j}] = {x}[{columns[0]}];\n")
                for c in dict.fromkeys(columns[1:]):
                    self.body.append(f"    if ({x}[{c}] {better} {to}[{j}]) {to}[{j}] = {x}[{c}];\n")
            return
        self._constants(f"column{index}", node.columns, unsigned_type(int(node.columns.max())))
        element = f"{x}[column{index}[j][k]]"
        self.body.append(
            f"    for (j = 0; j < {count}; j++) {{\n        net_t best = {x}[column{index}[j][0]];\n"
            f"        for (k = 0; k < {width}; k++) if ({element} {better} best) best = {element};\n"
            f"        {to}[j] = best;\n    }}\n"
        )

    @property
    def _lookup_texts(self) -> list[str]:
        found = {id(n.table): n.table for n in self.network.nodes if isinstance(n, Lookup)}
        return [_lookup_text(name, found[key]) for key, name in self.lookups.items()]

    def _lookup(self, given: Table) -> str:
        if id(given) not in self.lookups:
            self.lookups[id(given)] = f"net_{given.kind}_{len(self.lookups) + 1}"
        return self.lookups[id(given)]


# The last step that does not begin above the value.
# The steps are the same for every value, which is easier to reason about than a shrinking interval.
_BISECTION = """static uint16_t @(net_t value)
{
    uint16_t low = 0;
    uint16_t step;
    for (step = STEP; step > 0; step /= 2) {
        uint16_t next = (uint16_t)(low + step);
        if (next < COUNT && value >= FIRSTS[next]) {
            low = next;
        }
    }
    return low;
}
"""


def _lookup_text(name: str, given: Table) -> str:
    """The table of a function, and the function that looks it up."""
    tables: list[str] = []
    steps: list[str] = []
    for number, segment in reversed(list(enumerate(given.segments))):
        condition = f"    if (value >= {literal(segment.first)}) " if number else "    "
        steps.append(f"{condition}return {_entry(f'{name}_{number}', segment, tables)};\n")
    return "\n".join(tables) + f"\nstatic net_t {name}(net_t value)\n{{\n{''.join(steps)}}}\n"


def _entry(name: str, segment: Segment | Steps, tables: list[str]) -> str:
    if isinstance(segment, Steps):
        tables.append(table("net_t", f"{name}_firsts", segment.firsts))
        tables.append(table("net_t", name, segment.entries))
        count = len(segment.entries)
        text = _BISECTION.replace("@", f"{name}_place").replace("FIRSTS", f"{name}_firsts")
        step = 1 << max(0, (count - 1).bit_length() - 1)
        tables.append(text.replace("STEP", str(step)).replace("COUNT", str(count)))
        return f"{name}[{name}_place(value)]"
    if len(segment.entries) == 1:
        return literal(int(segment.entries[0]))
    tables.append(table("net_t", name, segment.entries))
    place = f"(net_wide)value - {literal(segment.first)}"
    if segment.offset:
        place += f" + {literal(segment.offset)}"
    return f"{name}[({place}) >> {segment.shift}]" if segment.shift else f"{name}[{place}]"


def _from_double(form: Format) -> str:
    word = form.word
    scale, period = f"{float(1 << form.fraction)!r}", f"{float(1 << form.bits)!r}"
    if form.overflow is Overflow.SATURATE:
        fit = (
            f"    if (scaled >= {float(word.high)!r}) return {literal(word.high)};\n"
            f"    if (scaled <= {float(word.low)!r}) return {literal(word.low)};\n"
        )
    else:
        fit = (
            "    /* Multiples of the period are taken off, the largest first: each step is exact. */\n"
            f"    while (scaled >= {period} || scaled <= -{period}) {{\n"
            f"        double step = {period};\n"
            "        while (step <= scaled / 2 || step <= -scaled / 2) step *= 2;\n"
            "        scaled = scaled > 0 ? scaled - step : scaled + step;\n    }\n"
        )
    if form.rounding is Rounding.FLOOR:
        step = "    if ((double)whole > scaled) whole -= 1;\n"
    else:
        step = (
            "    if (scaled - (double)whole >= 0.5) whole += 1;\n"
            "    else if (scaled - (double)whole <= -0.5) whole -= 1;\n"
        )
    return (
        "net_t net_from_double(double value)\n{\n"
        f"    double scaled = value * {scale};\n    net_wide whole;\n"
        "    if (!(scaled - scaled == 0.0)) return 0; /* not a number, or no finite one */\n"
        f"{fit}    whole = (net_wide)scaled;\n{step}    return {_narrowed(word)};\n}}\n"
    )


def _narrowed(word: Word) -> str:
    if word.overflow is Overflow.SATURATE:
        return "(net_t)whole"
    mask, sign = hex((1 << word.bits) - 1), hex(1 << (word.bits - 1))
    return f"(net_t)((net_wide)(((net_bits)whole & {mask}UL) ^ {sign}UL) - (net_wide){sign}UL)"


def _to_double(form: Format) -> str:
    return f"double net_to_double(net_t value)\n{{\n    return (double)value * {2.0**-form.fraction!r};\n}}\n"
