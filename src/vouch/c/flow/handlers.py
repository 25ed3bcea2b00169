"""Calls and blocks of clang's instrumentation: handlers that hear of a violation, then all goes on."""

from __future__ import annotations

from vouch.c import ir

HANDLER = "__ubsan_handle_"


def is_handler_call(instruction: ir.Instruction) -> bool:
    return (
        isinstance(instruction, ir.Call)
        and isinstance(instruction.callee, ir.GlobalConstant)
        and instruction.callee.name.startswith(HANDLER)
    )


def handling(block: ir.Block) -> list[ir.Instruction]:
    """The calls of a block that does nothing but call handlers and go on; none for any other block."""
    last = block.terminator
    if not isinstance(last, ir.Branch) or last.condition is not None:
        return []
    calls = []
    for instruction in block.instructions[:-1]:
        if is_handler_call(instruction):
            calls.append(instruction)
        elif not (isinstance(instruction, (ir.Cast, ir.Store)) and instruction.nosanitize):
            return []
    return calls


def handler_blocks(function: ir.Function) -> dict[str, str]:
    """Blocks that only call handlers, and where they go on."""
    found: dict[str, str] = {}
    for label, block in function.blocks.items():
        last = block.terminator
        if isinstance(last, ir.Branch) and handling(block):
            target = function.blocks[last.then]
            # The handler's block must not matter to the value of a phi that is not about the handler itself.
            if not any(isinstance(i, ir.Phi) for i in target.instructions):
                found[label] = last.then
    return found
