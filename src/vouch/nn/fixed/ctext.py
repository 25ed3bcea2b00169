"""Pieces of C text: types, tables, and the small functions of fixed-point arithmetic.

The arithmetic is written out as the semantics says it, one function for each operation, and only those that
are used. Everything is C99 without implementation-defined conversions; right shifts of negative numbers have
to be arithmetic, which a declaration in the code checks when it is compiled.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from vouch.nn.fixed.format import Overflow, Rounding, Word

_LINE = 100


def number_type(bits: int) -> str:
    """The integer type that holds numbers of so many bits."""
    return next(f"int{size}_t" for size in (8, 16, 32) if bits <= size)


def unsigned_type(largest: int) -> str:
    return next(f"uint{size}_t" for size in (8, 16, 32) if largest < 1 << size)


def wide_bits(bits: int) -> int:
    """Bits of the type in which products of two numbers are exact."""
    return 32 if bits <= 16 else 64


def literal(value: int, bits: int = 32) -> str:
    """A constant of a type with at least `bits` bits, on targets with 16-bit int too."""
    value = int(value)
    if abs(value) < 1 << 15:
        return str(value)
    if value == -(1 << (bits - 1)) and bits == 64:
        return f"(-{-value - 1}LL - 1)"
    if value == -(1 << 31):
        return "(-2147483647L - 1)"
    return f"{value}L" if abs(value) < 1 << 31 else f"{value}LL"


def in_comment(name: str) -> str:
    """A name, which anybody may have chosen, such that it neither ends a comment nor leaves ASCII."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._- ") else "_" for c in name)


def table(kind: str, name: str, values: Any) -> str:
    """A constant array of any number of axes."""
    array = np.asarray(values)
    sizes = "".join(f"[{size}]" for size in array.shape)
    return f"static const {kind} {name}{sizes} = {_braced(array.tolist())};\n"


def _braced(values: Any) -> str:
    if isinstance(values, list) and values and isinstance(values[0], list):
        return "{\n" + ",\n".join(_braced(row) for row in values) + "}"
    return "{" + _wrapped(literal(v) if isinstance(v, int) else str(v) for v in values) + "}"


def _wrapped(words: Iterable[str]) -> str:
    lines, line = [], ""
    for word in words:
        if line and len(line) + len(word) + 2 > _LINE:
            lines.append(line.rstrip())
            line = ""
        line += f"{word}, "
    lines.append(line.removesuffix(", "))
    return "\n".join(lines)


class Arithmetic:
    """Hands out names of arithmetic functions and keeps their definitions, in the order of first use."""

    def __init__(self, wide: int) -> None:
        self.wide = wide
        self.names: dict[tuple[Any, ...], str] = {}
        self.taken: dict[str, int] = {}
        self.definitions: list[str] = []

    def _function(self, key: tuple[Any, ...], text: str) -> str:
        """The name of a function with this key; `text` has @ in the place of its name."""
        if key not in self.names:
            base = f"net_{key[0]}"
            count = self.taken[base] = self.taken.get(base, 0) + 1
            self.names[key] = name = base if count == 1 else f"{base}_{count}"
            self.definitions.append(text.replace("@", name))
        return self.names[key]

    def narrow(self, word: Word) -> str:
        low, high = literal(word.low), literal(word.high)
        if word.overflow is Overflow.SATURATE:
            body = (
                f"    if (value < {low}) return (net_t){low};\n"
                f"    if (value > {high}) return (net_t){high};\n    return (net_t)value;\n"
            )
            said = "saturated"
        else:
            mask, sign = hex((1 << word.bits) - 1), hex(1 << (word.bits - 1))
            low_bits = f"((net_bits)value & {mask}UL) ^ {sign}UL"
            body = f"    return (net_t)((net_wide)({low_bits}) - (net_wide){sign}UL);\n"
            said = "modulo a power of two"
        text = f"/* {word.bits} bits, {said} */\nstatic net_t @(net_wide value)\n{{\n{body}}}\n"
        return self._function(("narrow", word), text)

    def round(self, shift: int, rounding: Rounding) -> str:
        if rounding is Rounding.FLOOR:
            body = f"    return value >> {shift};\n"
        else:
            half = literal(1 << (shift - 1))
            body = f"    return value >= 0 ? (value + {half}) >> {shift} : -(({half} - value) >> {shift});\n"
        text = f"/* value / 2^{shift}, {rounding} */\nstatic net_wide @(net_wide value)\n{{\n{body}}}\n"
        return self._function(("round", shift, rounding), text)

    def multiply(self, word: Word, shift: int, rounding: Rounding) -> str:
        narrow = self.narrow(word)
        product = "(net_wide)a * (net_wide)b"
        if shift:
            product = f"{self.round(shift, rounding)}({product})"
        text = f"static net_t @(net_t a, net_t b)\n{{\n    return {narrow}({product});\n}}\n"
        return self._function(("mul", word, shift, rounding), text)

    def add(self, word: Word) -> str:
        return self._function(("add", word), self._binary(word, "+"))

    def subtract(self, word: Word) -> str:
        return self._function(("sub", word), self._binary(word, "-"))

    def _binary(self, word: Word, sign: str) -> str:
        value = f"{self.narrow(word)}((net_wide)a {sign} (net_wide)b)"
        return f"static net_t @(net_t a, net_t b)\n{{\n    return {value};\n}}\n"

    def divide(self, word: Word, shift: int, rounding: Rounding) -> str:
        """a * 2^shift / b; C's division is towards zero."""
        narrow = self.narrow(word)
        start = f"    net_wide top = (net_wide)a * ((net_wide)1 << {shift});\n"
        if rounding is Rounding.FLOOR:
            body = (
                f"{start}    net_wide whole = top / b;\n"
                "    if (top % b != 0 && (top < 0) != (b < 0)) whole -= 1;\n"
                f"    return {narrow}(whole);\n"
            )
        else:
            body = (
                f"{start}    net_wide size = top < 0 ? -top : top;\n"
                "    net_wide by = b < 0 ? -b : b;\n"
                "    net_wide whole = (size + by / 2) / by;\n"
                f"    return {narrow}((top < 0) != (b < 0) ? -whole : whole);\n"
            )
        text = f"/* a * 2^{shift} / b, {rounding} */\nstatic net_t @(net_t a, net_wide b)\n{{\n{body}}}\n"
        return self._function(("div", word, shift, rounding), text)

    def rescale(self, word: Word, shift: int, rounding: Rounding) -> str:
        narrow = self.narrow(word)
        if shift > 0:
            value = f"{self.round(shift, rounding)}((net_wide)value)"
        else:
            value = f"(net_wide)value * ((net_wide)1 << {-shift})"
        text = f"static net_t @(net_t value)\n{{\n    return {narrow}({value});\n}}\n"
        return self._function(("rescale", word, shift, rounding), text)
