"""What a function writes through each of its parameters: stretches of bytes from where the parameter points.

Found after the function's fixed point, from the registers that `lending` says may hold the parameter.
"""

from __future__ import annotations

from typing import Any

from vouch.c.ir import AsmOperand, AtomicUpdate, Call, CompareExchange, Operand, Register, Store, VaArg
from vouch.c.ranges.calls import WRITERS
from vouch.c.ranges.lending import Trail
from vouch.c.ranges.pointers import INFINITE
from vouch.c.ranges.solve import FixedPoint

Stretches = tuple[tuple[int, int], ...] | None  # None: everything
_MOST = 16  # stretches; more are taken for everything


def modified(solver: FixedPoint, parameter: str, trail: Trail) -> Stretches:
    """The bytes that a function, with all it calls, may write through a parameter that it does not keep."""
    found: dict[tuple[int, int], None] = {}
    for label in solver.frame.graph.order:
        if label not in solver.inputs or label in solver.frame.handlers:
            continue
        solver.at.enter(label, solver.inputs[label])
        for instruction in solver.frame.function.blocks[label].instructions:
            stretches = _of(solver, instruction, f"^{parameter}", trail.registers)
            if stretches is None:
                return None
            found.update(dict.fromkeys(stretches))
            solver.at.step(instruction)
            if solver.at.dead:
                break
    return tuple(found) if len(found) <= _MOST else None


def _of(solver: FixedPoint, instruction: Any, base: str, registers: set[str]) -> Stretches:
    at = solver.at
    match instruction:
        case Store(pointer=pointer, value=value):
            if _holds(pointer, registers):
                return _shifted(solver, pointer, base, ((0, at.extent(getattr(value, "type", None))),))
        case AtomicUpdate(pointer=pointer) | CompareExchange(pointer=pointer) | VaArg(list=pointer):
            return None if _holds(pointer, registers) else ()
        case Call():
            found: dict[tuple[int, int], None] = {}
            for number, argument in enumerate(instruction.arguments):
                if _holds(argument, registers):
                    written = _by_call(solver, instruction, number)
                    moved = None if written is None else _shifted(solver, argument, base, written)
                    if moved is None:
                        return None
                    found.update(dict.fromkeys(moved))
            return tuple(found)
    return ()


def _by_call(solver: FixedPoint, call: Call, number: int) -> Stretches:
    whole = solver.at.whole
    target = None if isinstance(call.callee, AsmOperand) else whole.graph.target(call)
    if number < len(call.byval) and call.byval[number] is not None:
        return ()
    if target is None:
        return None
    if target.startswith(WRITERS):
        return ((0, min(solver.at.integer(call.arguments[2])[3], INFINITE)),) if number == 0 else ()
    return whole.written_through(target, number)


def _holds(operand: Operand, registers: set[str]) -> bool:
    return isinstance(operand, Register) and operand.name in registers


def _shifted(
    solver: FixedPoint, operand: Operand, base: str, stretches: tuple[tuple[int, int], ...]
) -> Stretches:
    """Stretches from where an operand points, counted from where the parameter does."""
    if not stretches:
        return ()
    pointer = solver.at.pointer(operand)
    if pointer.base != base:
        return None
    return tuple((pointer.lo + lo, pointer.hi + hi) for lo, hi in stretches)
