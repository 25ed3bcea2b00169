"""Numbers, floats and pointers as the bits that they are stored as, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vouch.bmc.value import Pointer, Value, symbols
from vouch.bmc.words import Words, resized
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.context import ExecutionContext


class Scalars:
    """The conversions of one run. Bits that they invent are the same for the same float."""

    def __init__(self, context: ExecutionContext, words: Words) -> None:
        self.context = context
        self.words = words
        self.pointer_bits: int = context.program.layout.pointer_bits
        self.pointers: dict[Term, Pointer] = {}  # by bytes that nobody has followed
        self._float_bits: dict[Term, Term] = {}
        self.patterns: dict[Term, Term] = {}  # symbols for the bits of floats, with the floats

    def has_type(self, value: Value, type_: ir.Type) -> bool:
        match type_:
            case ir.IntType():
                if not isinstance(value, Term):
                    return False
                return value.sort is T.BOOL if type_.bits == 1 else value.sort is T.bitvec(type_.bits)
            case ir.FloatType():
                return isinstance(value, Term) and value.sort is self.context.float_sort(type_)
            case ir.PointerType():
                return isinstance(value, Pointer)
            case _:
                return isinstance(value, tuple)

    def type_of(self, value: Value, size: int) -> ir.Type:
        if isinstance(value, Pointer):
            return ir.PointerType()
        assert isinstance(value, Term)
        if value.sort is T.BOOL:
            return ir.IntType(1)
        kind = self.context.float_type(value.sort)
        return kind if kind is not None else ir.IntType(value.width)

    def to_bits(self, value: Value) -> Term:
        """The bytes of a scalar as one bit-vector, as wide as its storage."""
        if isinstance(value, Pointer):
            return self.context.address(value)
        if isinstance(value, tuple):
            raise Unsupported("an aggregate seen as one number")
        if value.sort is T.BOOL:
            return T.ite(value, T.bv(1, 8), T.bv(0, 8))
        if self.context.float_type(value.sort) is not None:
            return self.float_bits(value)
        width = value.width
        return value if width % 8 == 0 else T.zext(value, (width + 7) // 8 * 8)

    def float_bits(self, value: Term) -> Term:
        """A bit pattern of a float: the one that it was made from; else that of a NaN is arbitrary."""
        known = self.known_bits(value)
        if known is None:
            kind = self.context.float_type(value.sort)
            assert kind is not None
            bits = T.fresh("bits", T.bitvec(value.sort.width))
            known = self.context.stored_pattern(bits, kind)
            self.context.constrain(T.eq(T.fp_from_bits(bits, value.sort), value))
            self.patterns[bits] = value
            self._float_bits[value] = known
        return known

    def known_bits(self, value: Term) -> Term | None:
        """The same as far as nothing need be made for it."""
        known = self._float_bits.get(value)
        if known is None:
            kind = self.context.float_type(value.sort)
            assert kind is not None
            known = self.context.pattern(value)
            if known is None and value.op == "fp_from_bits":
                known = self.context.stored_pattern(value.args[0], kind)
            if known is not None:
                self._float_bits[value] = known
        return known

    def from_bits(self, bits: Term, type_: ir.Type) -> Value:
        match type_:
            case ir.IntType():
                if type_.bits == 1:
                    return T.eq(T.extract(bits, 0, 0), T.bv(1, 1))
                return T.extract(bits, type_.bits - 1, 0) if bits.width > type_.bits else bits
            case ir.FloatType():
                width = self.context.float_width(type_)
                bits = T.extract(bits, width - 1, 0) if bits.width > width else bits
                value = self.context.float_from_bits(bits, type_)
                return self._distinct_nan(bits, value) if T.fp_is_nan(value) is T.TRUE else value
            case ir.PointerType():
                if self.context.changed:
                    for symbol in symbols(bits):
                        if symbol in self.context.changed:
                            return self._changed_pointer(bits, self.context.changed[symbol])
                return self.context.pointer_from(resized(bits, self.pointer_bits))
            case _:
                raise Unsupported(f"bytes seen as {type_}")

    def drop_pointers(self, count: int) -> None:
        """Forget all but the first pointers that were made of bytes which nobody has followed."""
        for bits in list(self.pointers)[count:]:
            del self.pointers[bits]

    def _changed_pointer(self, bits: Term, why: str) -> Value:
        """A pointer out of bytes that nobody has followed: anything that the program can have stored. That
        its address is these bytes is not said: it is one more than there is."""
        environment = self.context.environment
        if environment.typed:
            raise Unsupported(why)
        known = self.pointers.get(bits)
        if known is None:
            known = self.pointers[bits] = environment.any_pointer(None, "any")
        return known

    def _distinct_nan(self, bits: Term, value: Term) -> Term:
        """All NaNs are one constant: made from a symbol, this one keeps its bits."""
        symbol = T.fresh("nan", bits.sort)
        self.context.constrain(T.eq(symbol, bits))
        return T.fp_from_bits(symbol, value.sort)
