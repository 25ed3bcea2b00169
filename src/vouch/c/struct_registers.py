"""Structs that travel in registers: passed to a function or returned from one by value.

The compiler loads a small struct, or parts of it, into integers, hands them over and stores them on the
other side. Such a load is a copy, not a read: what nobody wrote stays unwritten, and the read comes later, or
never.
`mark` tells these loads from the program's own; `received` says which registers may hold unwritten bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c.flow.uses import operands
from vouch.c.ir import (
    Binary,
    Call,
    Cast,
    Extract,
    Function,
    GlobalConstant,
    Insert,
    Instruction,
    IntConstant,
    IntType,
    Load,
    Operand,
    PointerType,
    Program,
    Register,
    Return,
    Store,
)
from vouch.c.pointees import Pointees

_RECORDS = ("struct", "union")
_NUMBERS = ("int", "bool", "char", "enum")
_KINDS: dict[type, tuple[str, ...]] = {PointerType: ("pointer",), IntType: _NUMBERS}
_CASTS = ("trunc", "zext", "ptrtoint", "inttoptr")


def mark(program: Program) -> None:
    """Set `carries` on the loads that only hand a struct on, and on the stores of what was handed over."""
    for function in program.functions.values():
        if not _compiled(program, function):
            continue
        if _hands_on(program, function):
            for load in _carrying(program, function):
                load.carries = True
        arrived = received(program, function)
        for instruction in _instructions(function) if arrived else ():
            if isinstance(instruction, Store) and isinstance(instruction.value, Register):
                instruction.carries = instruction.value.name in arrived


def _compiled(program: Program, function: Function) -> bool:
    """Whether the compiler says what is a struct: not in library models, nor in IR that names no types."""
    place = function.location
    named = place is not None and not place.file.endswith((".ll", ".bc"))
    return named and function.defined and function.name not in program.models


def _instructions(function: Function) -> Iterator[Instruction]:
    for block in function.blocks.values():
        yield from block.instructions


def _hands_on(program: Program, function: Function) -> bool:
    """Whether the function passes or returns any struct in registers."""
    return any(
        how is True
        for instruction in _instructions(function)
        if isinstance(instruction, (Call, Return))
        for _, how in _uses(program, function, instruction)
    )


def _carrying(program: Program, function: Function) -> Iterator[Load]:
    uses: dict[str, list[bool | str]] = {}  # of a register: carried on, read, or the register it becomes
    loads = []
    for instruction in _instructions(function):
        if isinstance(instruction, Load) and not (instruction.volatile or instruction.atomic):
            loads.append(instruction)
        for name, how in _uses(program, function, instruction):
            uses.setdefault(name, []).append(how)
    for load in loads:
        if load.result is not None and load.result in uses and _only_carried(uses, load.result):
            yield load


def _only_carried(uses: dict[str, list[bool | str]], name: str) -> bool:
    work, seen = [name], {name}
    while work:
        for how in uses.get(work.pop(), ()):
            if how is False:
                return False
            if isinstance(how, str) and how not in seen:
                seen.add(how)
                work.append(how)
    return True


def _uses(program: Program, function: Function, instruction: Instruction) -> Iterator[tuple[str, bool | str]]:
    match instruction:
        case Return(value=Register(name=name)):
            yield name, returns_record(program, function)
        case Call(callee=callee, arguments=arguments, noundef=noundef):
            own = program.says_noundef and not (
                isinstance(callee, GlobalConstant) and callee.name.startswith(("llvm.", "__ubsan_"))
            )
            for argument, has_value in zip(arguments, noundef, strict=True):
                if isinstance(argument, Register):
                    yield argument.name, own and not has_value
        case _:
            followed = passed_on(instruction)
            for operand in operands(instruction):
                if isinstance(operand, Register):
                    carried = any(operand is source for source in followed)
                    yield operand.name, (instruction.result or "") if carried else False


def passed_on(instruction: Instruction) -> tuple[Operand, ...]:
    """The operands whose bytes are those of the result, whole ones only."""
    match instruction:
        case Cast(op=op, value=value) if op in _CASTS:
            return (value,)
        case Binary(op="shl" | "lshr", left=left, right=IntConstant(value=amount)) if amount % 8 == 0:
            return (left,)
        case Extract(aggregate=aggregate):
            return (aggregate,)
        case Insert(aggregate=aggregate, value=value):
            return (aggregate, value)
        case _:
            return ()


def returns_record(program: Program, function: Function) -> bool:
    """Is the C type of the function's result a struct or union?"""
    result = program.ctypes.get(function.result_type) if function.result_type is not None else None
    return result is not None and result.kind in _RECORDS


def received(program: Program, function: Function) -> frozenset[str]:
    """Registers that may hold bytes nobody wrote: what was loaded to be handed on, structs that came as
    arguments or as results, and their parts."""
    found: set[str] = set()
    if not _compiled(program, function):
        return frozenset()
    if program.says_noundef:
        found.update(p.name for p in function.parameters if not p.noundef)
    scalars = _scalar_results(program, function)
    for instruction in _instructions(function):
        match instruction:
            case Load(carries=True, result=str(result)):
                found.add(result)
            case Call(result=str(result)) if _may_return_record(program, instruction):
                if result not in scalars:
                    found.add(result)
            case _ if instruction.result is not None:
                sources = passed_on(instruction)
                if any(isinstance(source, Register) and source.name in found for source in sources):
                    found.add(instruction.result)
    return frozenset(found)


def _scalar_results(program: Program, function: Function) -> set[str]:
    """Results of calls through pointers that are numbers or pointers: the type of the pointer says so, and
    they are stored nowhere where a struct may lie. (A pointer may be called as one of another type.)"""
    pointees: Pointees | None = None
    found: dict[str, Call] = {}
    for call in _instructions(function):
        if isinstance(call, Call) and call.result is not None and isinstance(call.callee, Register):
            pointees = pointees or Pointees(program, function)
            kind = pointees.function(call.callee)
            wanted = _KINDS.get(type(call.type), ())
            if kind is not None and kind.yields in wanted:
                found[call.result] = call
    for use in _instructions(function) if found else ():
        if isinstance(use, Store) and isinstance(use.value, Register) and use.value.name in found:
            assert pointees is not None
            if not pointees.holds_scalar(use.pointer, pointees.sizes.store_size(use.value.type)):
                found.pop(use.value.name)
        for part in passed_on(use):
            if isinstance(part, Register):
                found.pop(part.name, None)
    return set(found)


def _may_return_record(program: Program, call: Call) -> bool:
    if not isinstance(call.callee, GlobalConstant):
        return True
    callee = program.functions.get(call.callee.name)
    if callee is None:
        return call.callee.name in program.aliases
    return _compiled(program, callee) and returns_record(program, callee)
