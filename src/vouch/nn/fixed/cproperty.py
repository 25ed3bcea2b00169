"""Properties in C: conditions over input and output numbers, and the verification program `harness.c`."""

from __future__ import annotations

from collections.abc import Sequence

from vouch.errors import Unsupported
from vouch.nn.fixed.cases import IntCase, IntRows
from vouch.nn.fixed.codegen import widest
from vouch.nn.fixed.ctext import literal
from vouch.nn.fixed.format import Word
from vouch.nn.fixed.network import IntegerNetwork

_WORD = 62  # bits of what is computed in int64_t, with room for a sum
_WIDE = 124  # in 128 bits, which compilers for 64-bit machines have
# Levels of an input that a condition lists.
_MOST_LEVELS = 1024


def wide_enough(network: IntegerNetwork, cases: Sequence[IntCase]) -> bool:
    """Whether every row can be computed."""
    return all(_size(region, network) < 1 << _WIDE for case in cases for region in case.regions)


def _size(region: IntRows, network: IntegerNetwork) -> int:
    return region.size(network.input_format.bits, network.output_format.bits)


def _region_text(region: IntRows, network: IntegerNetwork) -> str:
    """The condition that a point lies in a region, over `in` and `out`."""
    kind = "(int64_t)" if _size(region, network) < 1 << _WORD else "__extension__ (__int128)"
    rows = []
    for a, c, right in zip(region.inputs, region.outputs, region.rhs, strict=True):
        terms = [_term(f, f"{kind}in[{i}]") for i, f in a] + [_term(f, f"{kind}out[{i}]") for i, f in c]
        rows.append(f"{' + '.join(terms) or '0'} <= {_constant(right)}")
    return " && ".join(rows) or "1"


def _term(factor: int, value: str) -> str:
    if factor == 1:
        return value
    return f"-({value})" if factor == -1 else f"{_constant(factor)} * ({value})"


def _constant(value: int) -> str:
    """Of any size; C has no literals of more than 64 bits."""
    if abs(value) < 1 << _WORD:
        return literal(value, 64)
    high, low = divmod(abs(value), 1 << _WORD)
    sign = "-" if value < 0 else ""
    return f"({sign}(__extension__ (__int128){literal(high, 64)} * (1LL << {_WORD}) + {literal(low, 64)}))"


def violated_text(case: IntCase, network: IntegerNetwork) -> str:
    """The condition that a point of the case's box violates the property."""
    regions = (f"({_region_text(region, network)})" for region in case.regions)
    return " ||\n        ".join(regions) or "0"


def box_text(case: IntCase, bits: int) -> str:
    """The condition that `in` is a point of the case; `bits` is the widest word of the network."""
    if case.members is not None:
        raise Unsupported("a harness for an input set that is not a box")
    parts = []
    for i, axis in enumerate(case.axes):
        if axis.levels is not None and axis.count > _MOST_LEVELS:
            raise Unsupported(f"a harness for an input with {axis.count} levels")
        if axis.levels is not None:
            parts.append("(" + " || ".join(f"in[{i}] == {literal(int(v))}" for v in axis.levels) + ")")
            continue
        parts += _between(f"in[{i}]", axis.low, axis.high, bits)
    return " &&\n        ".join(parts) or "1"


def _between(name: str, low: int, high: int, bits: int) -> list[str]:
    """low <= name <= high for a number of a type with so many bits; what the type says is not repeated."""
    word = Word(next(size for size in (8, 16, 32) if bits <= size))
    below = [] if low <= word.low else [f"{name} >= {literal(low)}"]
    return below if high >= word.high else [*below, f"{name} <= {literal(high)}"]


def harness(network: IntegerNetwork, cases: Sequence[IntCase] | None) -> str:
    """`harness.c`: any inputs of the property's set, and the assertion that they do not violate it. Without a
    property any inputs at all, and nothing but the code's own run-time errors to find."""
    if cases is not None and not wide_enough(network, cases):
        raise Unsupported("a harness for a property whose coefficients need more than 128 bits")
    lines = [_PROLOGUE, "extern net_t nondet_net(void);\n\n"]
    lines += _conditions(network, cases or ())
    lines.append(
        "int main(void)\n{\n    net_t in[NET_INPUTS];\n    net_t out[NET_OUTPUTS];\n    int i;\n"
        "    for (i = 0; i < NET_INPUTS; i++) in[i] = nondet_net();\n"
    )
    if cases is None:
        word = network.input_format.word
        inside = " && ".join(_between("in[i]", word.low, word.high, widest(network)))
        if inside:
            lines.append(f"    for (i = 0; i < NET_INPUTS; i++) __VERIFIER_assume({inside});\n")
        lines.append("    net_run(in, out);\n")
    else:
        lines += _question(len(cases))
    lines.append("    return 0;\n}\n")
    return "".join(lines)


def entry(network: IntegerNetwork, cases: Sequence[IntCase], name: str) -> str:
    """The same as a function whose arguments are the inputs, x0, x1, …, for verifiers that report them."""
    if not wide_enough(network, cases):
        raise Unsupported("a harness for a property whose coefficients need more than 128 bits")
    arguments = ", ".join(f"net_t x{i}" for i in range(network.inputs))
    lines = [
        _PROLOGUE,
        *_conditions(network, cases),
        f"void {name}({arguments});\n\nvoid {name}({arguments})\n{{\n",
    ]
    lines.append("    net_t in[NET_INPUTS];\n    net_t out[NET_OUTPUTS];\n")
    lines += [f"    in[{i}] = x{i};\n" for i in range(network.inputs)]
    return "".join([*lines, *_question(len(cases)), "}\n"])


_PROLOGUE = (
    '#include "net.h"\n\nextern void __VERIFIER_assume(int condition);\n'
    "extern void __VERIFIER_assert(int condition);\n\n"
)


def _conditions(network: IntegerNetwork, cases: Sequence[IntCase]) -> list[str]:
    """Functions that tell whether inputs belong to a case, and whether they violate it."""
    bits = widest(network)
    return [
        f"static int in_set_{number}(const net_t *in)\n{{\n    (void)in;\n"
        f"    return {box_text(case, bits)};\n}}\n\n"
        f"static int violated_{number}(const net_t *in, const net_t *out)\n{{\n"
        f"    (void)in;\n    return {violated_text(case, network)};\n}}\n\n"
        for number, case in enumerate(cases)
    ]


def _question(count: int) -> list[str]:
    """Assume that the inputs belong to a case, run, and assert that none of their cases is violated."""
    sets = " || ".join(f"in_set_{n}(in)" for n in range(count)) or "0"
    lines = [f"    __VERIFIER_assume({sets});\n", "    net_run(in, out);\n"]
    for number in range(count):
        within = f"in_set_{number}(in) && " if count > 1 else ""
        lines.append(f"    __VERIFIER_assert(!({within}violated_{number}(in, out)));\n")
    return lines


MAKEFILE = """# Builds the network; `make check` verifies it, `make ranges` proves the range invariants.
CC ?= cc
CFLAGS ?= -std=c99 -O2 -Wall -Wextra -pedantic

net.o: net.c net.h
\t$(CC) $(CFLAGS) -c net.c -o $@

check: net.c net.h harness.c
\tvouch check harness.c net.c

ranges: net.c net.h harness.c
\tvouch check -D NET_CHECK_RANGES harness.c net.c

clean:
\trm -f net.o

.PHONY: check ranges clean
"""
