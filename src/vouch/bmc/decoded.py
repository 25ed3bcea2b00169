"""Instructions decoded once into compact steps, for what most executions of them look like.

A step does what `instructions` does where its operands are plain: an access through one pointer to a known
place of an object of the program's own, arithmetic on numbers. Where they are not, it returns False, and has
changed nothing: then the instruction is executed as always. So nothing here decides what one means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import add, mul, sub
from typing import TypeAlias

from vouch.bmc import arithmetic, intrinsics
from vouch.bmc.equation import Step
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.initial import Given, Unknown
from vouch.bmc.memory import Memory
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value
from vouch.c import ir
from vouch.c.checks.base import Check, Trigger
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

Fast = Callable[[Frame, State], "bool | None"]  # whether it was done; None: so was the block
Operand: TypeAlias = "tuple[str, Value | None]"  # the register's name, or "" and the value of a constant

PLAIN = (Kind.STACK, Kind.GLOBAL, Kind.HEAP)
_ON_ACCESS = (Trigger.ACCESS, Trigger.UNINITIALISED)


def step_of(ex: Execution, instruction: ir.Instruction, fixed: frozenset[str]) -> Fast | None:
    """The step of an instruction that is not a branch. `fixed` are the registers that have one value in the
    whole activation."""
    claims = instruction.number in ex.sites and not isinstance(instruction, (ir.Load, ir.Store))
    make = _STEPS.get(type(instruction))
    if not ex.propagation or claims or make is None:  # only accesses claim checks in their fast form
        return None
    try:
        if isinstance(instruction, ir.Load):
            return _load(ex, instruction, fixed)
        return make(ex, instruction)
    except Unsupported:
        return None


def operand_of(ex: Execution, operand: ir.Operand) -> Operand | None:
    if isinstance(operand, ir.Register):
        return operand.name, None
    if isinstance(operand, ir.Constant) and not isinstance(operand, ir.UndefConstant):
        return "", ex.context.constant(operand)
    return None


def claimed(ex: Execution, instruction: ir.Instruction) -> list[Check] | None:
    """The checks of an access, in the order in which they are claimed; None where there are others."""
    checks = ex.sites.get(instruction.number, ())
    if any(check.trigger not in _ON_ACCESS for check in checks):
        return None
    return sorted(checks, key=lambda check: _ON_ACCESS.index(check.trigger))


def sort_of(ex: Execution, type_: ir.Type) -> T.Sort | None:
    """That of a number; None for a pointer."""
    match type_:
        case ir.IntType():
            return T.BOOL if type_.bits == 1 else T.bitvec(type_.bits)
        case ir.FloatType():
            return ex.context.float_sort(type_)
        case ir.PointerType():
            return None
        case _:
            raise Unsupported("not a scalar")


# ---------------------------------------------------------------- memory


def _load(ex: Execution, i: ir.Load, fixed: frozenset[str]) -> Fast | None:
    checks, operand, result = claimed(ex, i), operand_of(ex, i.pointer), i.result
    if i.volatile or i.atomic or i.carries or checks is None or operand is None or result is None:
        return None
    (name, held), type_ = operand, i.type
    size, sort = ex.context.layouts.store_size(type_), sort_of(ex, type_)
    reads_unwritten = any(check.trigger is Trigger.UNINITIALISED for check in checks)
    is_fixed, is_written = name in fixed, any(check.written for check in checks)

    def step(frame: Frame, state: State) -> bool:
        if frame.marked or frame.model:
            return False
        if is_fixed:
            pointer = frame.fixed.get(name)
        else:
            pointer = held if not name else frame.registers.get(name) or frame.fixed.get(name)
        if type(pointer) is not Pointer or len(pointer.targets) != 1:
            return False
        _, target, offset = pointer.targets[0]
        place, length = offset.value, target.size
        if place is None or target.dead or target.kind not in PLAIN or type(length) is not int:
            return False
        if place > length - size or (is_written and target.constant):
            return False
        contents = state.memory.get(target)
        if contents is None:
            value = initially(ex.memory, target, place, size, type_)
            if value is None:
                return False
        else:
            cell = contents.cells.get(place)
            if cell is None or cell[0] != size or contents.alive is not T.TRUE:
                return False
            if reads_unwritten and cell[2] is not T.FALSE:
                return False
            value = cell[1]
        if sort is None:
            if type(value) is not Pointer:
                return False
        elif type(value) is not Term or value.sort is not sort:
            return False
        frame.registers[result] = value
        if checks:
            ex.hold(i, checks, state)
        return True

    return step


def initially(memory: Memory, target: MemObject, place: int, size: int, type_: ir.Type) -> Value | None:
    """What an untouched object holds: of constants, or where somebody has read it there before."""
    initial = target.initial
    if type(initial) is Given:
        return initial.value(memory, place, type_)
    if type(initial) is Unknown and initial.undefined is T.FALSE:
        cell = initial.cells.get(place)
        return cell[1] if cell is not None and cell[0] == size else None
    return None


def _store(ex: Execution, i: ir.Store) -> Fast | None:
    checks, place_of, value_of = claimed(ex, i), operand_of(ex, i.pointer), operand_of(ex, i.value)
    if i.volatile or i.carries or i.field is not None:
        return None
    if checks is None or place_of is None or value_of is None:
        return None
    (name, held), (source, constant) = place_of, value_of
    type_ = ex.context.type_of(i.value)
    size, sort = ex.context.layouts.store_size(type_), sort_of(ex, type_)
    if sort is None:
        return None
    write, after = ex.memory.write, after_store(ex, i, type_)

    def step(frame: Frame, state: State) -> bool:
        if frame.marked or frame.model:
            return False
        registers = frame.registers
        pointer = held if not name else registers.get(name) or frame.fixed.get(name)
        value = constant if not source else registers.get(source) or frame.fixed.get(source)
        if type(pointer) is not Pointer or len(pointer.targets) != 1 or type(value) is not Term:
            return False
        _, target, offset = pointer.targets[0]
        place, length = offset.value, target.size
        if place is None or target.dead or target.kind not in PLAIN or target.constant:
            return False
        if type(length) is not int or place > length - size:
            return False
        contents = state.memory.get(target)
        if contents is not None and contents.alive is not T.TRUE:
            return False
        if checks:
            ex.hold(i, checks, state)
        if contents is not None and contents.token is state.token:
            cell = contents.cells.get(place)
            if cell is not None and cell[0] == size:
                contents.cells[place] = (size, value, T.FALSE)
            else:
                write(target, contents, place, type_, value, T.FALSE, state.token)
        else:
            state.memory[target] = write(target, contents, place, type_, value, T.FALSE, state.token)
        after(frame, state, target, place, value)
        return True

    return step


def after_store(
    ex: Execution, i: ir.Store, type_: ir.Type
) -> Callable[[Frame, State, MemObject, int, Term], None]:
    """What else happens when a number was written to one known place, of code that is no model's."""
    environment, bits = ex.context.environment, ex.context.pointer_bits
    location = None if i.nosanitize else i.location
    # By type and place: is it written as what lies there, and what is that?
    plain: dict[tuple[int | None, int], tuple[bool, int | None]] = {}

    def after(frame: Frame, state: State, target: MemObject, place: int, value: Term) -> None:
        key = (target.ctype, place)
        known = plain.get(key)
        if known is None:
            kept = environment.ctypes.written_as(target.ctype, place, type_, False)
            known = plain[key] = kept is not None, environment.ctypes.ctype_at(*key)
        if not known[0] or not environment.stands_alone(target):
            environment.disturb(state, target, T.bv(place, bits), type_, value)
        if location is not None:
            name, reached = frame.function.name, state.guard.term
            step = Step(reached, "assign", location, name, target.name, value, target, place, known[1])
            ex.equation.steps.append(step)

    return after


def _getelementptr(ex: Execution, i: ir.GetElementPtr) -> Fast | None:
    base, result = operand_of(ex, i.base), i.result
    if base is None or result is None or i.number in ex.sites or isinstance(i.type, ir.VectorType):
        return None
    fixed, scaled = offsets(ex, i)
    (name, held), bits = base, ex.context.pointer_bits

    def step(frame: Frame, state: State) -> bool:
        registers = frame.registers
        pointer = held if not name else registers.get(name) or frame.fixed.get(name)
        if type(pointer) is not Pointer or frame.marked:
            return False
        total = fixed
        for index, size in scaled:
            term = registers.get(index) or frame.fixed.get(index)
            if type(term) is not Term or type(term.value) is not int:
                return False
            number = term.value
            total += (number - (1 << term.width) if number >> (term.width - 1) else number) * size
        if total == 0:
            registers[result] = pointer
            return True
        targets = pointer.targets
        if len(targets) == 1 and type(targets[0][2].value) is int:
            guard, target, start = targets[0]
            assert type(start.value) is int
            place = start.value + total
            registers[result] = Pointer(((guard, target, T.bv(place, bits)),))
        else:
            registers[result] = pointer.shifted(T.bv(total, bits))
        return True

    return step


def offsets(ex: Execution, i: ir.GetElementPtr) -> tuple[int, Sequence[tuple[str, int]]]:
    """The constant part of an offset, and registers with the sizes that they are multiplied by."""
    fixed, scaled = 0, []
    for operand, size in ex.context.layouts.strides(i.source, i.indices):
        if operand is None:
            fixed += size
        elif isinstance(operand, ir.Register) and isinstance(operand.type, ir.IntType):
            scaled.append((operand.name, size))
        else:
            raise Unsupported("an index that is no number")
    return fixed, scaled


# ---------------------------------------------------------------- arithmetic


# The same modulo any power of two.
_RING: dict[str, Callable[[int, int], int]] = {"add": add, "sub": sub, "mul": mul}


def _binary(ex: Execution, i: ir.Binary) -> Fast | None:
    left, right, result = operand_of(ex, i.left), operand_of(ex, i.right), i.result
    if left is None or right is None or result is None or i.number in ex.sites:
        return None
    operation = arithmetic.FLOAT.get(i.op) or arithmetic.INTEGER.get(i.op)
    if operation is None or isinstance(i.type, ir.VectorType):
        return None
    on_bits, ring = arithmetic.BOOLEAN.get(i.op), _RING.get(i.op)
    # Sums of addresses are kept track of.
    bits = ex.context.pointer_bits if i.op in ("add", "sub") else 0
    (a, x), (b, y) = left, right

    def step(frame: Frame, state: State) -> bool:
        if frame.marked:
            return False
        registers = frame.registers
        p = x if not a else registers.get(a) or frame.fixed.get(a)
        q = y if not b else registers.get(b) or frame.fixed.get(b)
        if type(p) is not Term or type(q) is not Term:
            return False
        if p.sort is T.BOOL:
            if on_bits is None:
                return False
            registers[result] = on_bits(p, q)
            return True
        m, n = p.value, q.value
        if ring is not None and type(m) is int and type(n) is int:
            registers[result] = T.bv(ring(m, n), p.width)
            return True
        if p.width == bits and (m is None or n is None):
            return False
        registers[result] = operation(p, q)
        return True

    return step


def _compare(ex: Execution, i: ir.Compare) -> Fast | None:
    left, right, result = operand_of(ex, i.left), operand_of(ex, i.right), i.result
    if left is None or right is None or result is None or i.number in ex.sites or i.op != "icmp":
        return None
    operation, bits = arithmetic.INT_COMPARE[i.predicate], ex.context.pointer_bits
    (a, x), (b, y) = left, right

    def step(frame: Frame, state: State) -> bool:
        if frame.marked:
            return False
        registers = frame.registers
        p = x if not a else registers.get(a) or frame.fixed.get(a)
        q = y if not b else registers.get(b) or frame.fixed.get(b)
        if type(p) is not Term or type(q) is not Term or p.sort is T.BOOL:
            return False
        if p.width == bits and (p.value is None or q.value is None):
            return False
        registers[result] = operation(p, q)
        return True

    return step


def _cast(ex: Execution, i: ir.Cast) -> Fast | None:
    operand, result, kind = operand_of(ex, i.value), i.result, i.type
    if operand is None or result is None or i.number in ex.sites:
        return None
    operation = _conversion(ex, i.op, kind)
    if operation is None:
        return None
    name, held = operand

    def step(frame: Frame, state: State) -> bool:
        if frame.marked:
            return False
        value = held if not name else frame.registers.get(name) or frame.fixed.get(name)
        if type(value) is not Term or value.sort is T.BOOL:
            return False
        frame.registers[result] = operation(value)
        return True

    return step


def _conversion(ex: Execution, op: str, kind: ir.Type) -> Callable[[Term], Term] | None:
    if isinstance(kind, ir.IntType) and kind.bits > 1:
        bits = kind.bits
        match op:
            case "trunc":
                return lambda value: T.extract(value, bits - 1, 0)
            case "zext":
                return lambda value: T.zext(value, bits)
            case "sext":
                return lambda value: T.sext(value, bits)
    if isinstance(kind, ir.FloatType) and op in ("fptrunc", "fpext"):
        sort = ex.context.float_sort(kind)
        return lambda value: T.fp_to_fp(value, sort)
    return None


def _extract(ex: Execution, i: ir.Extract) -> Fast | None:
    operand, result = operand_of(ex, i.aggregate), i.result
    if operand is None or not operand[0] or result is None or i.number in ex.sites or len(i.indices) != 1:
        return None
    name, index = operand[0], i.indices[0]

    def step(frame: Frame, state: State) -> bool:
        value = frame.registers.get(name)
        if type(value) is not tuple or frame.marked:
            return False
        frame.registers[result] = value[index]
        return True

    return step


def _call(ex: Execution, i: ir.Call) -> Fast | None:
    """Arithmetic with a bit that tells whether it overflows; begin and end of variables."""
    callee, result = i.callee, i.result
    if not isinstance(callee, ir.GlobalConstant) or i.number in ex.sites:
        return None
    words = callee.name.split(".")
    if words[:2] == ["llvm", "lifetime"] and not isinstance(i, ir.Invoke):
        return _lifetime(ex, i, words[2])
    if result is None:
        return None
    if words[0] != "llvm" or words[2:4] != ["with", "overflow"] or len(words) != 5 or len(i.arguments) != 2:
        return None
    left, right = (operand_of(ex, argument) for argument in i.arguments)
    if left is None or right is None:
        return None
    value, overflow = intrinsics.OVERFLOW[words[1]]
    ring = _RING[words[1][1:]] if words[1][0] == "s" else None
    (a, x), (b, y) = left, right

    def step(frame: Frame, state: State) -> bool:
        registers = frame.registers
        p = x if not a else registers.get(a) or frame.fixed.get(a)
        q = y if not b else registers.get(b) or frame.fixed.get(b)
        if type(p) is not Term or type(q) is not Term:
            return False
        m, n = p.value, q.value
        if ring is not None and type(m) is int and type(n) is int:
            top = 1 << (p.width - 1)
            whole = ring(m - 2 * top if m >= top else m, n - 2 * top if n >= top else n)
            registers[result] = (T.bv(whole, p.width), T.boolean(not -top <= whole < top))
        else:
            registers[result] = (value(p, q), overflow(p, q))
        return True

    return step


def _lifetime(ex: Execution, i: ir.Call, kind: str) -> Fast | None:
    operand = operand_of(ex, i.arguments[-1])
    if operand is None or not operand[0]:
        return None
    name = operand[0]

    def step(frame: Frame, state: State) -> bool:
        pointer = frame.registers.get(name) or frame.fixed.get(name)
        if type(pointer) is not Pointer:
            return False
        intrinsics.lifetime(ex, frame, state, name, pointer, kind)
        return True

    return step


_STEPS: dict[type, Callable[..., Fast | None]] = {
    ir.Load: _load,
    ir.Store: _store,
    ir.GetElementPtr: _getelementptr,
    ir.Binary: _binary,
    ir.Compare: _compare,
    ir.Cast: _cast,
    ir.Extract: _extract,
    ir.Call: _call,
}
