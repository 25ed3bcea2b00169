"""Whose address goes where: locals and globals that something other than an access by name can reach, and
functions that code outside may come to call.

Objects are named as in the IR: `%x` a local variable, `@g` a global. Functions stay inside only where that is
plain: their address is called or compared at once, or kept in a cell (local variable, parameter, file-local
global) from which it is only called or compared.
"""

from __future__ import annotations

import re
from collections import defaultdict

from vouch.c.flow.uses import names_in, operands
from vouch.c.ir import (
    AggregateConstant,
    Alloca,
    AtomicUpdate,
    Call,
    Cast,
    Compare,
    Constant,
    ExpressionConstant,
    Function,
    GetElementPtr,
    GlobalConstant,
    Instruction,
    Load,
    Opaque,
    Operand,
    Program,
    Register,
    Store,
)

_COPIES = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")
_MARKERS = ("llvm.lifetime.", "llvm.dbg.", "llvm.va_start", "llvm.va_end")
GLOBAL = re.compile(r"@[-\w$.]+")
_OWN_FILE_ONLY = ("internal", "private")


def escaping(function: Function) -> set[str]:
    """Names (`%x`, `@g`) of locals and globals whose address is used other than to access them."""
    owners = _owners(function)
    found: set[str] = set()
    for block in function.blocks.values():
        for instruction in block.instructions:
            match instruction:
                case Load() | Compare() | GetElementPtr() | Cast(op="bitcast"):
                    pass
                case Store(value=value):
                    found |= owner(owners, value)
                case Opaque(text=text):
                    found |= {name for owned in owners.values() for name in owned}
                    found |= set(GLOBAL.findall(text))
                case Call(callee=GlobalConstant(name=name)) if name.startswith((*_COPIES, *_MARKERS)):
                    pass
                case Call(arguments=arguments, byval=byval):
                    for number, argument in enumerate(arguments):
                        if number >= len(byval) or byval[number] is None:
                            found |= owner(owners, argument)
                case _:
                    for operand in operands(instruction):
                        found |= owner(owners, operand)
    return found


def written_by_name(function: Function) -> list[str]:
    """Names (`%x`, `@g`) of locals and globals that a function writes to, other than as volatile ones; `*`
    for what other pointers lead to."""
    owners = _owners(function)
    found: dict[str, None] = {}
    for block in function.blocks.values():
        for instruction in block.instructions:
            match instruction:
                case Store(pointer=place, volatile=False) | AtomicUpdate(pointer=place):
                    pass
                case Call(callee=GlobalConstant(name=n), arguments=[place, *_]) if n.startswith(_COPIES):
                    pass
                case _:
                    continue
            held = owner(owners, place)
            if not held and isinstance(place, Register):
                held = {"*"}
            found.update(dict.fromkeys(sorted(held)))
    return list(found)


def _owners(function: Function) -> dict[str, set[str]]:
    """Registers that hold an address inside a local or global, to a fixed point (blocks are in no order)."""
    owners: dict[str, set[str]] = {}
    steps: list[tuple[str, Operand]] = []
    for block in function.blocks.values():
        for instruction in block.instructions:
            match instruction:
                case Alloca(result=result) if result is not None:
                    owners[result] = {f"%{result}"}
                case GetElementPtr(base=base, result=result) | Cast(op="bitcast", value=base, result=result):
                    if result is not None:
                        steps.append((result, base))
    changed = True
    while changed:
        changed = False
        for result, base in steps:
            owned = owner(owners, base)
            if owned and result not in owners:
                owners[result] = owned
                changed = True
    return owners


def owner(owners: dict[str, set[str]], operand: Operand) -> set[str]:
    """The objects whose address an operand is or contains."""
    match operand:
        case Register(name=name):
            return owners.get(name, set())
        case GlobalConstant(name=name):
            return {f"@{name}"}
        case ExpressionConstant(operands=parts):
            return set().union(*(owner(owners, part) for part in parts))
        case AggregateConstant(elements=elements):
            return set().union(*(owner(owners, part) for part in elements))
        case _:
            return set()


def sheltered(program: Program) -> set[str]:
    """File-local variables whose address is nowhere but in constant tables of the file, from which pointers
    are only taken to access what they lead to: code outside cannot come to know them."""
    bodies = _bodies(program)
    out = {name for function in program.functions.values() for name in escaping(function)}
    for name, holder in program.globals.items():
        named = {f"@{n}" for n in names_in(holder.initializer)}
        if named and not (
            holder.constant
            and holder.linkage in _OWN_FILE_ONLY
            and all(_only_accessed_through(body, name) for body in bodies.values())
        ):
            out |= named
    return {n for n, g in program.globals.items() if g.linkage in _OWN_FILE_ONLY and f"@{n}" not in out}


def _only_accessed_through(body: _Body, holder: str) -> bool:
    """Whether pointers that a table holds serve a function for accesses alone."""
    for instruction in body.instructions:
        for operand in operands(instruction):
            if isinstance(operand, Constant) and holder in names_in(operand):
                match instruction:
                    case Load(result=str(result)):
                        if not body.only_accessed(result):
                            return False
                    case GetElementPtr(base=base, result=str(result)) if base is operand:
                        if not body.only_read_from(result):
                            return False
                    case _:
                        return False
    return True


def leaving(program: Program) -> set[str]:
    """Names of functions that code outside may come to have, as far as the program mentions them."""
    bodies = _bodies(program)
    visible = {name for name, g in program.globals.items() if g.linkage not in _OWN_FILE_ONLY}
    return _mentioned(program, bodies, visible | _passed_on_globals(program, bodies))


def kept(program: Program) -> set[str]:
    """Names of functions that some variable of the program, or code outside, may come to hold."""
    return _mentioned(program, _bodies(program), set(program.globals))


def _bodies(program: Program) -> dict[str, _Body]:
    return {name: _Body(f) for name, f in program.functions.items() if f.defined}


def _mentioned(program: Program, bodies: dict[str, _Body], open_globals: set[str]) -> set[str]:
    """Functions whose address gets into one of these globals, or out of sight."""
    found: set[str] = set()
    for name in open_globals:
        found.update(names_in(program.globals[name].initializer))
    for body in bodies.values():
        for instruction in body.instructions:
            for operand in operands(instruction):
                if isinstance(operand, Constant) and not _stays(
                    program, bodies, open_globals, body, instruction, operand
                ):
                    found.update(names_in(operand))
    return {name for name in found if name in program.functions}


class _Body:
    """One function's instructions and who uses which register."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.instructions = [i for block in function.blocks.values() for i in block.instructions]
        self.uses: defaultdict[str, list[Instruction]] = defaultdict(list)
        self.made: dict[str, Instruction] = {}
        for instruction in self.instructions:
            if instruction.result is not None:
                self.made[instruction.result] = instruction
            for operand in operands(instruction):
                if isinstance(operand, Register):
                    self.uses[operand.name].append(instruction)

    def only_called(self, register: str) -> bool:
        """The value is called or compared, nothing else."""
        return all(isinstance(user, Compare) or _is_callee(user, register) for user in self.uses[register])

    def only_accessed(self, pointer: str) -> bool:
        """The value is a pointer for accesses, called or compared, nothing else."""
        work = [pointer]
        while work:
            name = work.pop()
            for user in self.uses[name]:
                match user:
                    case Load() | Compare():
                        pass
                    case Store() if not _names(user.value, name):
                        pass
                    case GetElementPtr(result=str(result)):
                        work.append(result)
                    case Call() if _is_callee(user, name) or _callee(user).startswith(_COPIES):
                        pass
                    case _:
                        return False
        return True

    def only_read_from(self, pointer: str) -> bool:
        """The value is the address of an element whose contents are only accessed through."""
        work = [pointer]
        while work:
            for user in self.uses[work.pop()]:
                match user:
                    case Load(result=str(result)) if self.only_accessed(result):
                        pass
                    case GetElementPtr(result=str(result)):
                        work.append(result)
                    case _:
                        return False
        return True

    def keeps(self, cell: str) -> bool:
        """Whether a local variable is only stored to, and what is loaded from it only called."""
        if not isinstance(self.made.get(cell), Alloca):
            return False
        for user in self.uses[cell]:
            if isinstance(user, Store) and not _names(user.value, cell):
                continue
            if isinstance(user, Load) and user.result is not None and self.only_called(user.result):
                continue
            if isinstance(user, Call) and _callee(user).startswith("llvm.lifetime."):
                continue
            return False
        return True

    def keeps_parameter(self, index: int) -> bool:
        """Whether what is passed there is only ever called."""
        parameters = self.function.parameters
        if index >= len(parameters):
            return False
        name = parameters[index].name
        return all(
            isinstance(user, Compare)
            or _is_callee(user, name)
            or (
                isinstance(user, Store)
                and isinstance(user.pointer, Register)
                and self.keeps(user.pointer.name)
            )
            for user in self.uses[name]
        )


def _stays(
    program: Program,
    bodies: dict[str, _Body],
    open_globals: set[str],
    body: _Body,
    instruction: Instruction,
    operand: Constant,
) -> bool:
    match instruction:
        case Compare():
            return True
        case Store(pointer=Register(name=cell)) if instruction.value is operand:
            return body.keeps(cell)
        case Store(pointer=GlobalConstant(name=name)) if instruction.value is operand:
            return name in program.globals and name not in open_globals
        case Call(callee=callee, arguments=given) if callee is operand and operand not in given:
            return True
        case Call():
            target = bodies.get(_callee(instruction))
            places = [i for i, argument in enumerate(instruction.arguments) if argument is operand]
            return target is not None and all(target.keeps_parameter(i) for i in places)
        case _:
            return False


def _passed_on_globals(program: Program, bodies: dict[str, _Body]) -> set[str]:
    """File-local globals whose address, or what they hold, is used for more than calling."""
    found: set[str] = set()
    for item in program.globals.values():
        found.update(n for n in names_in(item.initializer) if n in program.globals)
    for body in bodies.values():
        for instruction in body.instructions:
            for operand in operands(instruction):
                if isinstance(operand, Constant) and not _only_reads_to_call(body, instruction, operand):
                    found.update(n for n in names_in(operand) if n in program.globals)
    return found


def _only_reads_to_call(body: _Body, instruction: Instruction, operand: Constant) -> bool:
    match instruction:
        case Load(result=str(result)):
            return body.only_called(result)
        case Store(pointer=pointer):
            return pointer is operand and isinstance(operand, GlobalConstant)
        case GetElementPtr(base=base, result=str(result)) if base is operand:
            return _element_only_called(body, result)
        case _:
            return False


def _element_only_called(body: _Body, pointer: str) -> bool:
    work = [pointer]
    while work:
        for user in body.uses[work.pop()]:
            if isinstance(user, GetElementPtr) and user.result is not None:
                work.append(user.result)
            elif not (isinstance(user, Load) and user.result is not None and body.only_called(user.result)):
                return False
    return True


def _is_callee(user: Instruction, register: str) -> bool:
    return (
        isinstance(user, Call)
        and _names(user.callee, register)
        and not any(_names(argument, register) for argument in user.arguments)
    )


def _names(operand: Operand, register: str) -> bool:
    return isinstance(operand, Register) and operand.name == register


def _callee(call: Call) -> str:
    return call.callee.name if isinstance(call.callee, GlobalConstant) else ""
