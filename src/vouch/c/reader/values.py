"""Operands and constants from text, each made once per distinct text."""

from __future__ import annotations

import re
import struct

from vouch.c.ir import (
    AggregateConstant,
    ArrayType,
    Constant,
    ExpressionConstant,
    FloatConstant,
    FloatType,
    GlobalConstant,
    IntConstant,
    IntType,
    MetadataOperand,
    NullConstant,
    OpaqueConstant,
    Operand,
    Register,
    StringConstant,
    Type,
    UndefConstant,
    VectorType,
    ZeroConstant,
)
from vouch.c.reader.scan import Unreadable, closing, split, string_bytes, type_end, unquoted
from vouch.c.reader.types import I1, POINTER, Types

_HEX_FLOAT = re.compile(r"0x([KLMHR]?)([0-9A-Fa-f]+)$")
_DECIMAL_FLOAT = re.compile(r"[-+]?\d+\.\d*(?:[eE][-+]?\d+)?$")
_EXPRESSION = re.compile(r"([a-z]+)((?: [a-z]+(?:\([^()]*\))?)*) ?\(")
_CASTS = frozenset(("trunc", "bitcast", "ptrtoint", "ptrtoaddr", "inttoptr", "addrspacecast"))
# What may stand between the type and the value of an argument: words, some with brackets.
ATTRIBUTES = re.compile(
    r"(?:(?!(?:null|undef|poison|true|false|zeroinitializer|none|splat|asm|blockaddress|dso_local_equivalent"
    r"|no_cfi|ptrauth|getelementptr|ptrtoint|ptrtoaddr|inttoptr|bitcast|addrspacecast|trunc|add|sub|mul|xor)\b)"
    r'(?:align \d+|"[^"]*"(?:="[^"]*")?|[a-z_]+(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?) )+'
)


class Values:
    """`operand("i32 %x")` reads a typed operand. `referenced` collects the globals whose address is used
    as a value, that is, other than as the callee of a direct call."""

    def __init__(self, types: Types) -> None:
        self._types = types
        self._memo: dict[str, Operand] = {}
        self.referenced: set[str] = set()

    def operand(self, text: str) -> Operand:
        known = self._memo.get(text)
        if known is None:
            kind, end = self._types.leading(text)
            known = self._memo[text] = self._parse(kind, text[end:].strip())
        return known

    def constant(self, text: str) -> Constant:
        """A typed operand that can only be a constant."""
        found = self.operand(text)
        if not isinstance(found, Constant):
            raise Unreadable(f"not a constant: {text!r}")
        return found

    def initializer(self, kind: Type, text: str) -> Constant:
        """The value of a global; not remembered, as it may be huge and is used once."""
        found = self._parse(kind, text)
        return found if isinstance(found, Constant) else OpaqueConstant(kind, text)

    def address(self, text: str) -> GlobalConstant:
        """`@name` as a callee, which does not count as taking its address."""
        return GlobalConstant(POINTER, unquoted(text[1:]))

    def _parse(self, kind: Type, text: str) -> Operand:
        if text.startswith("%"):
            return Register(unquoted(text[1:]), kind)
        if isinstance(kind, IntType):
            number = self._integer(kind, text)
            if number is not None:
                return number
        if text.startswith("@"):
            name = unquoted(text[1:])
            self.referenced.add(name)
            return GlobalConstant(kind, name)
        if text.startswith("!") or kind.__class__.__name__ == "OtherType":
            return MetadataOperand(text)
        try:
            return self._constant(kind, text)
        except (Unreadable, ValueError, KeyError, IndexError, struct.error):
            return OpaqueConstant(kind, text)

    @staticmethod
    def _integer(kind: IntType, text: str) -> IntConstant | None:
        if text.lstrip("-").isdecimal():
            return IntConstant(kind, int(text) & ((1 << kind.bits) - 1))
        if kind is I1 and text in ("true", "false"):
            return IntConstant(kind, int(text == "true"))
        return None

    def _constant(self, kind: Type, text: str) -> Constant:
        first = text[0]
        if text == "null":
            return NullConstant(kind)
        if text == "zeroinitializer":
            return ZeroConstant(kind)
        if text in ("undef", "poison"):
            return UndefConstant(kind)
        if isinstance(kind, FloatType):
            return float_constant(kind, text)
        if first == "c" and text.startswith('c"') and isinstance(kind, ArrayType):
            return StringConstant(kind, string_bytes(text[1:]))
        if text.startswith("<{"):
            return AggregateConstant(kind, self._elements(text[2:-2]))
        if first in "[{<":
            row = _row(kind.element, text[1:-1]) if isinstance(kind, ArrayType) else None
            return AggregateConstant(kind, self._elements(text[1:-1]) if row is None else row)
        if text.startswith("splat (") and isinstance(kind, VectorType):
            return AggregateConstant(kind, (self.constant(text[7:-1]),) * kind.count)
        return self._expression(kind, text)

    def _elements(self, text: str) -> tuple[Constant, ...]:
        return tuple([self.constant(part) for part in split(text.strip())])

    def _expression(self, kind: Type, text: str) -> Constant:
        match = _EXPRESSION.match(text)
        if match is None or match[1] == "ptrauth":
            return OpaqueConstant(kind, text)
        if match[1] == "blockaddress":
            function, label = split(text[match.end() : -1])
            return ExpressionConstant(
                kind, "blockaddress", (self.address(function),), extra=unquoted(label[1:])
            )
        op, flags = match[1], match[2].strip()
        start = match.end() - 1
        if closing(text, start) != len(text) - 1:
            raise Unreadable(text)
        inside = text[start + 1 : -1]
        if op in _CASTS:
            value, _, _ = inside.rpartition(" to ")
            return ExpressionConstant(kind, op, (self.constant(value),), extra=flags)
        parts = split(inside)
        if op == "getelementptr":
            source = self._types(parts[0])
            return ExpressionConstant(kind, op, self._constants(parts[1:]), source, flags)
        return ExpressionConstant(kind, op, self._constants(parts), extra=flags)

    def _constants(self, parts: list[str]) -> tuple[Constant, ...]:
        return tuple(self.constant(part) for part in parts)

    def argument(self, text: str) -> tuple[Operand, Type | None, bool, bool]:
        """An argument of a call: operand, by-value type, whether it is the struct-return pointer, whether it
        surely has a value."""
        end = type_end(text)
        match = ATTRIBUTES.match(text, end + 1)
        if match is None:
            return self.operand(text), None, False, False
        attributes = match.group()
        return self.operand(text[: end + 1] + text[match.end() :]), *self.passing(attributes)

    def passing(self, attributes: str) -> tuple[Type | None, bool, bool]:
        """By-value type, struct-return mark and `noundef` among parameter attributes."""
        at = attributes.find("byval(")
        by_value = None
        if at >= 0:
            by_value = self._types(attributes[at + 6 : closing(attributes, at + 5)])
        return by_value, "sret(" in attributes, "noundef" in attributes


_WIDTH = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128, "ppc_fp128": 128}


def float_constant(kind: FloatType, text: str) -> Constant:
    """Bits of a float literal; LLVM spells float constants as the doubles of the same value."""
    if match := _HEX_FLOAT.match(text):
        number = int(match[2], 16)
        if match[1] == "":
            return FloatConstant(kind, _narrowed(kind, number))
        if match[1] in "LM":  # the low half is printed first
            number = (number >> 64) | ((number & ((1 << 64) - 1)) << 64)
        return FloatConstant(kind, number & ((1 << _WIDTH[kind.kind]) - 1))
    if _DECIMAL_FLOAT.match(text):
        (bits,) = struct.unpack("<Q", struct.pack("<d", float(text)))
        return FloatConstant(kind, _narrowed(kind, bits))
    return OpaqueConstant(kind, text)


def _row(kind: Type, text: str) -> tuple[Constant, ...] | None:
    """The elements of a table of plain fractions, which may be a long one; None for anything else."""
    if not isinstance(kind, FloatType) or kind.kind not in ("float", "double"):
        return None
    before = f"{kind.kind} "
    numbers: list[int] = []
    for part in text.split(", "):
        if not part.startswith(before):
            return None
        number = part[len(before) :]
        if number[:2] == "0x" and len(number) == 18 and _HEX_FLOAT.match(number):
            bits = int(number, 16)
        elif _DECIMAL_FLOAT.match(number):
            (bits,) = struct.unpack("<Q", struct.pack("<d", float(number)))
        else:
            return None
        if (bits >> 52) & 0x7FF == 0x7FF:
            return None
        numbers.append(bits)
    if kind.kind == "float":
        values = struct.unpack(f"<{len(numbers)}d", struct.pack(f"<{len(numbers)}Q", *numbers))
        numbers = list(struct.unpack(f"<{len(numbers)}I", struct.pack(f"<{len(numbers)}f", *values)))
    return tuple([FloatConstant(kind, bits) for bits in numbers])


def _narrowed(kind: FloatType, bits: int) -> int:
    """Bits of a double as bits of `kind`, which represents the same value exactly. NaN payloads stay."""
    if kind.kind == "double":
        return bits
    if kind.kind != "float":
        raise Unreadable(f"plain literal of type {kind.kind}")
    exponent, fraction = (bits >> 52) & 0x7FF, bits & ((1 << 52) - 1)
    if exponent == 0x7FF:
        return (bits >> 63) << 31 | 0xFF << 23 | fraction >> 29
    (value,) = struct.unpack("<d", struct.pack("<Q", bits))
    (narrow,) = struct.unpack("<I", struct.pack("<f", value))
    return int(narrow)
