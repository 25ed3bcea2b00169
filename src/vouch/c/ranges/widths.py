"""Constant evaluation and effective bit-widths: what an expression's operators alone tell.

The idea is that of Kleine Büning 2022, 4.4.1.

The effective bit-width is an upper bound on the bits that matter in an expression; variables and results of
calls count with the width of their type. `char a, b; short z = a + b;` needs 9 bits, so that the conversion
to 16 bits is safe whatever `a` and `b` hold. Beyond that work a width knows whether it counts a sign,
without which mixing signed and unsigned numbers would be unsound.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, assert_never

from vouch.c.checks.base import Check, Trigger
from vouch.c.checks.handlers import Handler, decode
from vouch.c.ir import (
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    Extract,
    Function,
    GlobalConstant,
    Instruction,
    IntConstant,
    IntType,
    Operand,
    Phi,
    Program,
    Register,
    Select,
)


class Width(NamedTuple):
    """Numbers of `bits` bits: two's complement if `signed`, else not negative. `raw`: a whole register, to be
    read either way."""

    bits: int
    signed: bool
    raw: bool = False

    @property
    def as_signed(self) -> int:
        return self.bits if self.signed or self.raw else self.bits + 1

    @property
    def as_unsigned(self) -> int | None:
        return self.bits if self.raw or not self.signed else None


_DEPTH = 24  # of an expression; deeper ones count with their type


def by_width(program: Program, function: Function, checks: Iterable[Check]) -> frozenset[str]:
    """Ids of the checks that hold by constants and bit-widths."""
    widths = Widths(program, function)
    return frozenset(check.id for check in checks if widths.holds(check))


class Widths:
    """Effective bit-widths of one function's registers, each worked out once."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program = program
        self.defs: dict[str, Instruction] = {}
        self.guards: dict[int, Operand] = {}  # handler call -> the condition under which it is not called
        blocks = function.blocks
        for block in blocks.values():
            for instruction in block.instructions:
                if instruction.result is not None:
                    self.defs[instruction.result] = instruction
            last = block.terminator
            if isinstance(last, Branch) and last.nosanitize and last.condition and last.otherwise:
                for instruction in blocks[last.otherwise].instructions:
                    if isinstance(instruction, Call):
                        self.guards[instruction.number] = last.condition
        self._known: dict[str, Width] = {}

    # ------------------------------------------------------------ checks

    def holds(self, check: Check) -> bool:
        site = check.site
        match check.trigger:
            case Trigger.NARROWING:
                whole = isinstance(getattr(check.value, "type", None), IntType)
                return whole and check.value is not None and self._fits(check.value, check)
            case Trigger.OVERFLOW:
                return isinstance(site, Binary) and self._exact(site.op, site.left, site.right, site.type)
            case Trigger.SHIFT:
                return isinstance(site, Binary) and _below_width(site)
            case Trigger.REACHED_ZERO | Trigger.REACHED | Trigger.REACHED_NONZERO:
                if isinstance(check.value, IntConstant) and check.trigger is Trigger.REACHED_ZERO:
                    return check.value.value != 0
                return isinstance(site, Call) and self._never_called(site)
            case (
                Trigger.FALSE_ARGUMENT
                | Trigger.ACCESS
                | Trigger.CALL
                | Trigger.MEMBER
                | Trigger.UNINITIALISED
                | Trigger.REQUIRED
                | Trigger.FREE
                | Trigger.LEAK
                | Trigger.NAN
                | Trigger.UNFINDABLE
                | Trigger.NEVER
            ):
                return False
            case _ as never:
                assert_never(never)

    def _never_called(self, site: Call) -> bool:
        guard = self.guards.get(site.number)
        if guard is None:
            return False
        if self.constant(guard) == 1:
            return True
        if not isinstance(site.callee, GlobalConstant):
            return False
        handler = decode(self.program, site)
        match handler.kind:
            case "add_overflow" | "sub_overflow" | "mul_overflow":
                left, right = (self._plain(argument) for argument in site.arguments[1:3])
                kind = handler.type(0)
                if left is None or right is None or not kind.signed:
                    return False
                return self._exact(handler.kind[:3], left, right, IntType(kind.bits))
            case "implicit_conversion":
                return self._converts(handler)
            case "out_of_bounds":
                return self._index_fits(guard)
            case _:
                return False

    def _converts(self, handler: Handler) -> bool:
        if not handler.numbers or handler.numbers[0] == 3 or len(handler.call.arguments) < 2:
            return False
        target = handler.type(1)
        bits = (handler.numbers[1] if len(handler.numbers) > 1 else 0) or target.bits
        value = self._plain(handler.call.arguments[1])
        if value is None:
            return False
        return _within(_read_as(self.of(value), handler.type(0).signed), bits, target.signed)

    def _index_fits(self, guard: Operand) -> bool:
        comparison = self._definition(guard)
        if not isinstance(comparison, Compare) or comparison.predicate != "ult":
            return False
        bits = self.of(comparison.left).as_unsigned
        right = comparison.right
        return bits is not None and isinstance(right, IntConstant) and 1 << bits <= right.value

    def _fits(self, value: Operand, check: Check) -> bool:
        ways = (True, False) if check.either_sign else (check.signed_from,)
        return all(_within(_read_as(self.of(value), way), check.bits, check.signed_to) for way in ways)

    def _exact(self, op: str, left: Operand, right: Operand, kind: object) -> bool:
        width = combined(op, self.of(left), self.of(right))
        return isinstance(kind, IntType) and width is not None and width.as_signed <= kind.bits

    def _definition(self, operand: Operand) -> Instruction | None:
        return self.defs.get(operand.name) if isinstance(operand, Register) else None

    def _plain(self, operand: Operand) -> Operand | None:
        """An argument of a handler before the instrumentation extended it to a machine word; None for one
        that is wider, which is handed over by address."""
        definition = self._definition(operand)
        if not isinstance(definition, Cast) or not definition.nosanitize:
            return operand if isinstance(operand, IntConstant) or definition is not None else None
        return definition.value if definition.op == "zext" else None

    # ------------------------------------------------------------ constants

    def constant(self, operand: Operand, depth: int = 8) -> int | None:
        """The value of a condition that constants alone decide."""
        if isinstance(operand, IntConstant):
            return operand.value
        match self._definition(operand):
            case Binary(op="and" | "or" as op, left=left, right=right) if depth:
                a, b = self.constant(left, depth - 1), self.constant(right, depth - 1)
                if op == "and":
                    return 0 if a == 0 or b == 0 else a & b if a is not None and b is not None else None
                return 1 if a == 1 or b == 1 else a | b if a is not None and b is not None else None
            case Binary(op="xor", left=left, right=IntConstant(value=1)) if depth:
                a = self.constant(left, depth - 1)
                return None if a is None else a ^ 1
            case Phi(incoming=incoming) if depth:
                found = {self.constant(value, depth - 4) for value, _ in incoming} if depth > 4 else {None}
                return found.pop() if len(found) == 1 else None
            case Compare(op="icmp", predicate="eq", left=left, right=right) if depth:
                a, b = self.constant(left, depth - 1), self.constant(right, depth - 1)
                return None if a is None or b is None else int(a == b)
            case _:
                return None

    # ------------------------------------------------------------ widths

    def of(self, operand: Operand, depth: int = _DEPTH) -> Width:
        """The effective bit-width of an integer operand."""
        if isinstance(operand, IntConstant):
            return _constant_width(operand)
        kind = getattr(operand, "type", None)
        whole = Width(kind.bits if isinstance(kind, IntType) else 64, True, raw=True)
        if not isinstance(operand, Register) or depth == 0:
            return whole
        known = self._known.get(operand.name)
        if known is None:
            known = self._of(self.defs.get(operand.name), whole, depth)
            self._known[operand.name] = known
        return known

    def _of(self, definition: Instruction | None, whole: Width, depth: int) -> Width:
        found: Width | None = None
        match definition:
            case Compare():
                found = Width(1, False)
            case Cast(op="zext", value=inner):
                width = self.of(inner, depth - 1)
                found = (
                    Width(_bits(inner), False)
                    if width.as_unsigned is None
                    else Width(width.as_unsigned, False)
                )
            case Cast(op="sext", value=inner):
                width = self.of(inner, depth - 1)
                # An i1 or an unsigned number that fills its register becomes negative when extended.
                fits = width.as_signed <= _bits(inner)
                found = (
                    Width(width.bits, width.signed) if fits and not width.raw else Width(_bits(inner), True)
                )
            case Cast(op="trunc", value=inner):
                width = self.of(inner, depth - 1)
                found = width if not width.raw else None
            case Select(then=then, otherwise=otherwise):
                found = _larger(self.of(then, depth - 1), self.of(otherwise, depth - 1))
            case Binary(op=op, left=left, right=IntConstant(value=number) as right) if op in _BY_CONSTANT:
                found = _by_constant(op, self.of(left, depth - 1), number, whole.bits, self.of(right))
            case Binary(op=op, left=left, right=right):
                found = combined(op, self.of(left, depth - 1), self.of(right, depth - 1))
            case Extract(aggregate=Register(name=name), indices=(0,)):
                found = self._overflowing(self.defs.get(name), depth)
        if found is None or found.raw or found.as_signed > whole.bits:
            if found is not None and not found.raw and not found.signed and found.bits <= whole.bits:
                return found
            return whole
        return found

    def _overflowing(self, call: Instruction | None, depth: int) -> Width | None:
        if not isinstance(call, Call) or not isinstance(call.callee, GlobalConstant):
            return None
        name = call.callee.name
        if not name.startswith("llvm.s") or ".with.overflow." not in name:
            return None
        left, right = call.arguments
        return combined(name[6:9], self.of(left, depth - 1), self.of(right, depth - 1))


def combined(op: str, a: Width, b: Width) -> Width | None:
    """The width of the exact result of an operator on signed arithmetic; None where the table has no row."""
    natural = not (a.signed or b.signed)  # both not negative
    x, y = a.as_signed, b.as_signed
    match op:
        case "add":
            return Width(max(a.bits, b.bits) + 1, False) if natural else Width(max(x, y) + 1, True)
        case "sub":
            return Width(max(a.bits, b.bits) + 1, True) if natural else Width(max(x, y) + 1, True)
        case "mul":
            return Width(a.bits + b.bits, False) if natural else Width(x + y, True)
        case "and":
            kept = [w.bits for w in (a, b) if not w.signed]
            return Width(min(kept), False) if kept else None
        case "or" | "xor":
            return Width(max(a.bits, b.bits), False) if natural else Width(max(x, y), True)
        case _:
            return None


_BY_CONSTANT = frozenset({"sdiv", "srem", "urem", "lshr"})


def _by_constant(op: str, a: Width, number: int, bits: int, b: Width) -> Width | None:
    """Operators whose result is arbitrary for some right operands (zero, a shift by the width): known for
    constants only."""
    natural = not (a.signed or b.signed)
    if op == "lshr":
        return Width(bits - number, False) if 0 < number < bits else None
    if number == 0:
        return None
    if op == "urem":
        return Width(max(1, (number - 1).bit_length()), False)
    if op == "sdiv":
        return Width(a.bits, False) if natural else Width(a.as_signed + 1, True)
    return Width(min(a.bits, b.bits), False) if natural else Width(min(a.as_signed, b.as_signed), True)


def _read_as(width: Width, signed: bool) -> Width:
    """The width of the C value: what looks negative in an unsigned type is a large number."""
    if width.raw:
        return Width(width.bits, signed)
    return width if signed or not width.signed else Width(1 << 16, False)


def _larger(a: Width, b: Width) -> Width:
    if not (a.signed or b.signed):
        return Width(max(a.bits, b.bits), False)
    return Width(max(a.as_signed, b.as_signed), True, raw=a.raw or b.raw)


def _constant_width(constant: IntConstant) -> Width:
    """A constant counts with the bits it needs; one with its top bit set is read as negative."""
    bits = constant.type.bits
    if constant.value >> (bits - 1) and bits > 1:
        return Width((~constant.value & ((1 << bits) - 1)).bit_length() + 1, True)
    return Width(max(1, constant.value.bit_length()), False)


def _within(width: Width, bits: int, signed: bool) -> bool:
    if signed:
        return width.as_signed <= bits
    return width.as_unsigned is not None and width.as_unsigned <= bits


def _below_width(site: Binary) -> bool:
    amount = site.right
    return isinstance(amount, IntConstant) and amount.value < amount.type.bits


def _bits(operand: Operand) -> int:
    kind = getattr(operand, "type", None)
    return kind.bits if isinstance(kind, IntType) else 64
