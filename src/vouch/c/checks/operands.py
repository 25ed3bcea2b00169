"""Finds the C-level operands behind the arguments of a handler call, and what signedness they have."""

from __future__ import annotations

from collections.abc import Sequence

from vouch.c import known
from vouch.c.checks.context import Context, callee_name
from vouch.c.checks.handlers import Handler
from vouch.c.ir import (
    Alloca,
    Binary,
    Call,
    Cast,
    CType,
    Extract,
    GetElementPtr,
    GlobalConstant,
    IntConstant,
    IntType,
    Load,
    Operand,
    Phi,
    Register,
    Return,
    Select,
    Store,
)


def quotient(context: Context, call: Call) -> tuple[int, int] | None:
    """Where among the arguments of a call dividend and divisor are, if a library function divides them."""
    name = callee_name(call)
    divides = name in known.having(known.Trait.DIVIDES) and name in context.program.models
    count = len(call.arguments)
    integers = all(isinstance(getattr(a, "type", None), IntType) for a in call.arguments[-2:])
    return (count - 2, count - 1) if divides and count >= 2 and integers else None


def handler_operand(context: Context, handler: Handler, index: int) -> Operand | None:
    """The value that the instrumentation passes to its handler: extended to a machine word, or stored to a
    temporary whose address is passed where it is wider than one."""
    if index >= len(handler.call.arguments):
        return None
    operand = handler.call.arguments[index]
    definition = context.definition(operand)
    while isinstance(definition, Cast) and definition.nosanitize and definition.op in ("zext", "bitcast"):
        operand = definition.value
        definition = context.definition(operand)
    if isinstance(definition, Cast) and definition.op == "ptrtoint":
        return _spilled(context, handler, definition.value)
    return _in_its_type(handler, index, operand) if isinstance(operand, IntConstant) else operand


def _in_its_type(handler: Handler, index: int, constant: IntConstant) -> IntConstant:
    """A constant reaches the handler extended with zeros, -1 of an int as 4294967295."""
    second = handler.kind == "out_of_bounds" or (handler.kind == "shift_out_of_bounds" and index == 2)
    kind = handler.type(1 if second else 0)
    if kind.kind != "int" or not 0 < kind.bits < constant.type.bits:
        return constant
    return IntConstant(IntType(kind.bits), constant.value % (1 << kind.bits))


def _spilled(context: Context, handler: Handler, address: Operand) -> Operand | None:
    if not isinstance(context.definition(address), Alloca):
        return None
    for instruction in context.block_of(handler.call):
        if isinstance(instruction, Store) and instruction.pointer == address:
            return instruction.value
    return None


def ctype_of_place(context: Context, pointer: Operand) -> CType | None:
    """The C type of a variable that is accessed whole (not of fields and elements)."""
    variable = None
    definition = context.definition(pointer)
    if isinstance(definition, Alloca):
        variable = definition.variable
    elif isinstance(pointer, GlobalConstant) and pointer.name in context.program.globals:
        variable = context.program.globals[pointer.name].variable
    ctype = context.program.ctypes.get(variable.type) if variable is not None else None
    if ctype is None and isinstance(definition, GetElementPtr):
        return _element_type(context, definition)
    return ctype


def _element_type(context: Context, step: GetElementPtr) -> CType | None:
    """The type of `a[i]` or `p[i]` where `a` or `p` is a plain variable of array or pointer type."""
    base = context.definition(step.base)
    outer = ctype_of_place(context, base.pointer if isinstance(base, Load) else step.base)
    if outer is None or outer.kind not in ("array", "pointer") or outer.target is None:
        return None
    return context.program.ctypes.get(outer.target)


def _is_unsigned(ctype: CType | None) -> bool | None:
    if ctype is None or ctype.kind not in ("int", "char", "enum", "bool"):
        return None
    return not ctype.signed


_SIGNED_OPS = frozenset({"ashr", "sdiv", "srem"})
_UNSIGNED_OPS = frozenset({"lshr", "udiv", "urem"})
_CHECKED_OPS = frozenset({"add", "sub", "mul"})


def is_unsigned(context: Context, operand: Operand, depth: int = 8) -> bool | None:
    """Whether C computed a value in an unsigned type of its own width: None where nothing tells.

    The usual arithmetic conversions decide for operators: unsigned if one operand is.
    """
    definition = context.definition(operand)
    if depth == 0 or definition is None:
        return _parameter_unsigned(context, operand)
    match definition:
        case Load(pointer=pointer):
            known = _is_unsigned(ctype_of_place(context, pointer))
            return _is_unsigned(context.pointees.scalar(pointer)) if known is None else known
        case Cast(op="sext" | "fptosi"):
            return False
        case Cast(op="fptoui" | "ptrtoint"):
            return True
        case Cast(op="trunc", result=result):
            return used_as_unsigned(context, result)
        case Binary(op=op, left=left, right=right, flags=flags):
            if op in _SIGNED_OPS or "nsw" in flags:
                return False
            if op in _UNSIGNED_OPS:
                return True
            if op == "shl":
                return is_unsigned(context, left, depth - 1)
            sides = [is_unsigned(context, side, depth - 1) for side in (left, right)]
            if op in _CHECKED_OPS and None in sides:
                return True  # in a signed type it would be instrumented, or have `nsw`
            return _joined(context, (left, right), sides)
        case Select(then=then, otherwise=otherwise):
            both = (then, otherwise)
            return _joined(context, both, [is_unsigned(context, side, depth - 1) for side in both])
        case Phi(incoming=incoming):
            if depth <= 3:
                return None
            values = [value for value, _ in incoming]
            return _joined(context, values, [is_unsigned(context, value, depth - 3) for value in values])
        case Extract(aggregate=Register(name=name)):
            made = context.defs.get(name)
            return callee_name(made).startswith("llvm.u") if isinstance(made, Call) else None
        case Call():
            function = context.program.functions.get(callee_name(definition))
            key = function.result_type if function is not None else None
            return _is_unsigned(context.program.ctypes.get(key) if key is not None else None)
        case _:
            return None


def _joined(context: Context, values: Sequence[Operand], sides: Sequence[bool | None]) -> bool | None:
    """Constants take the type of what they are joined with; of anything else all must be known."""
    told = [side for value, side in zip(values, sides, strict=True) if not isinstance(value, IntConstant)]
    if True in sides:
        return True
    return None if None in told or not told else False


def _parameter_unsigned(context: Context, operand: Operand) -> bool | None:
    if isinstance(operand, Register):
        for parameter in context.function.parameters:
            if parameter.name == operand.name and parameter.variable is not None:
                return _is_unsigned(context.program.ctypes.get(parameter.variable.type))
    return None


def used_as_unsigned(context: Context, result: str | None) -> bool | None:
    """How the users of a converted value read it: extended by zeros or by the sign, stored to a variable."""
    for user in context.uses(result):
        match user:
            case Cast(op="zext", nosanitize=False) | Cast(op="uitofp"):
                return True
            case Cast(op="sext", nosanitize=False) | Cast(op="sitofp"):
                return False
            case Store(value=Register(name=name), pointer=pointer) if name == result:
                known = _is_unsigned(ctype_of_place(context, pointer))
                if known is not None:
                    return known
            case Return():
                key = context.function.result_type
                known = _is_unsigned(context.program.ctypes.get(key) if key is not None else None)
                if known is not None:
                    return known
            case Call():
                known = _argument_unsigned(context, user, result)
                if known is not None:
                    return known
            case _:
                continue
    return None


def _argument_unsigned(context: Context, call: Call, result: str | None) -> bool | None:
    function = context.program.functions.get(callee_name(call))
    if function is None:
        return None
    for argument, key in zip(call.arguments, function.parameter_types, strict=False):
        if isinstance(argument, Register) and argument.name == result and key is not None:
            return _is_unsigned(context.program.ctypes.get(key))
    return None
