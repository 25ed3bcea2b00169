"""What the constants of a program are in an execution: numbers, pointers to its objects, tuples of such."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from vouch.bmc.offsets import element_offset
from vouch.bmc.value import Pointer, Value, merge_pointers
from vouch.bmc.words import resized
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.smt import softfloat
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.context import ExecutionContext


class ConstantValues:
    def __init__(self, context: ExecutionContext) -> None:
        self._context = context
        self._known: dict[ir.Constant, Value] = {}

    def value(self, constant: ir.Constant) -> Value:
        if type(constant) is ir.FloatConstant:  # as quickly made as looked up
            return self._fraction(constant)
        known = self._known.get(constant)
        if known is None:
            known = self._known[constant] = self._evaluate(constant)
        return known

    def _fraction(self, constant: ir.FloatConstant) -> Term:
        sort, bits = self._context.float_sort(constant.type), constant.bits
        if constant.type.kind != "x86_fp80" and not softfloat.is_nan(sort, bits):
            return T.fp_const(bits, sort)
        width = self._context.float_width(constant.type)
        return self._context.float_from_bits(T.bv(bits, width), constant.type)

    def _evaluate(self, constant: ir.Constant) -> Value:
        match constant:
            case ir.IntConstant():
                if constant.type.bits == 1:
                    return T.boolean(bool(constant.value))
                return T.bv(constant.value, constant.type.bits)
            case ir.FloatConstant():
                return self._fraction(constant)
            case ir.NullConstant():
                return self._context.null
            case ir.ZeroConstant():
                return self._context.zero(constant.type)
            case ir.UndefConstant():
                return self._context.zero(constant.type)
            case ir.AggregateConstant():
                return tuple(self.value(element) for element in constant.elements)
            case ir.StringConstant():
                return tuple(T.bv(byte, 8) for byte in constant.data)
            case ir.GlobalConstant():
                return self._address(constant.name)
            case ir.ExpressionConstant():
                return self._expression(constant)
            case _:
                raise Unsupported(f"constant {getattr(constant, 'text', type(constant).__name__)}")

    def _address(self, name: str) -> Pointer:
        """Of a global or function; a weak one that nobody defines is null."""
        there = Pointer.to(self._context.named(name), self._context.zero_offset)
        if not self._context.program.may_be_missing(name):
            return there
        defined = T.fresh(f"{name}.is.defined", T.BOOL)
        self._context.inexact[defined] = f"if nobody defines {name}"
        return merge_pointers(defined, there, self._context.null)

    def _expression(self, constant: ir.ExpressionConstant) -> Value:
        values = [self.value(operand) for operand in constant.operands]
        match constant.op:
            case "getelementptr":
                base = values[0]
                assert isinstance(base, Pointer)
                assert constant.source is not None
                layouts, indices = self._context.layouts, constant.operands[1:]
                return base.shifted(element_offset(layouts, constant.source, indices, values[1:]))
            case "ptrtoint" | "ptrtoaddr":
                assert isinstance(values[0], Pointer)
                assert isinstance(constant.type, ir.IntType)
                return self._context.number(values[0], constant.type.bits)
            case "inttoptr":
                assert isinstance(values[0], Term)
                return self._context.pointer_from(resized(values[0], self._context.pointer_bits))
            case "bitcast" | "addrspacecast":
                return values[0]
            case "trunc":
                assert isinstance(values[0], Term)
                assert isinstance(constant.type, ir.IntType)
                return resized(values[0], constant.type.bits)
            case "add" | "sub" | "mul" | "xor":
                operation: Callable[[Term, Term], Term] = {
                    "add": T.add,
                    "sub": T.sub,
                    "mul": T.mul,
                    "xor": T.bxor,
                }[constant.op]
                left, right = values
                assert isinstance(left, Term)
                assert isinstance(right, Term)
                return operation(left, right)
            case _:
                raise Unsupported(f"constant expression {constant.op}")
