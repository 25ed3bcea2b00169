"""sprintf and snprintf where preprocessing knows how much they write: so many arbitrary characters.

The model follows a format character by character, and writes each under the condition that it is still in
the text: of all that a parser does, its error messages would take longest. What only has to be proved does
not need them. Violations that hang on what is written are not told.
"""

from __future__ import annotations

from vouch.bmc import access, memory_ops, operands
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.state import State
from vouch.c import ir
from vouch.smt import term as T

_WHY = "what a text says that is printed to memory"
_BYTE = ir.IntType(8)


def stand_in(ex: Execution, frame: Frame, state: State, call: ir.Call) -> bool:
    """Do what the call does at most; False where the model has to be followed."""
    found = ex.printed(call.number) if ex.printed is not None and not frame.model else None
    if found is None or not isinstance(call.type, ir.IntType):
        return False
    least, most, shortest, longest = found
    destination = operands.pointer_of(ex, frame, call.arguments[0])
    single = destination.single
    if most and (single is None or single[0].kind not in access.MAIN or single[1].value is None):
        return False
    if most > memory_ops.VARIABLE_LIMIT:
        return False
    if ex.induction is not None:
        ex.induction.generalised = True  # more than what happens, as with loops
    for at in range(most):
        unwritten = T.FALSE
        if at >= least:
            unwritten = memory_ops.read_one(ex, state, destination, at, _BYTE)[1]
        byte = T.fresh("printed", T.bitvec(8))
        ex.context.unsupported[byte] = _WHY
        memory_ops.write(ex, state, destination, at, _BYTE, byte, T.TRUE, unwritten)
    length = T.fresh("printed.length", T.bitvec(call.type.bits))
    ex.context.unsupported[length] = _WHY
    ends = (T.bv(end, call.type.bits) for end in (shortest, longest))
    low, high = ends
    state.guard = state.guard.and_(T.and_(T.sle(low, length), T.sle(length, high)))
    operands.finish(frame, call, length)
    return True
