"""Which registers the start of a block still needs."""

from __future__ import annotations

from vouch.c import ir
from vouch.c.flow.uses import operands


def liveness(function: ir.Function, after: dict[str, tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """Registers needed at the start of each block (phi results excluded; a phi's operands are live at the end
    of the predecessor they come from)."""
    uses: dict[str, set[str]] = {}
    definitions: dict[str, set[str]] = {}
    edge_uses: dict[str, set[str]] = {label: set() for label in function.blocks}
    for label, block in function.blocks.items():
        used: set[str] = set()
        defined: set[str] = set()
        for instruction in block.instructions:
            if isinstance(instruction, ir.Phi):
                for value, source in instruction.incoming:
                    if isinstance(value, ir.Register) and source in edge_uses:
                        edge_uses[source].add(value.name)
            else:
                for operand in operands(instruction):
                    if isinstance(operand, ir.Register) and operand.name not in defined:
                        used.add(operand.name)
            if instruction.result is not None:
                defined.add(instruction.result)
        uses[label], definitions[label] = used, defined
    live: dict[str, set[str]] = {label: set(uses[label]) for label in function.blocks}
    before: dict[str, list[str]] = {label: [] for label in function.blocks}
    for label, targets in after.items():
        for target in targets:
            before[target].append(label)
    work = list(reversed(list(function.blocks)))
    waiting = set(work)
    while work:
        label = work.pop(0)
        waiting.discard(label)
        out = set(edge_uses[label])
        for target in after[label]:
            out |= live[target]
        new = uses[label] | (out - definitions[label])
        if len(new) > len(live[label]):
            live[label] = new
            for source in before[label]:
                if source not in waiting:
                    waiting.add(source)
                    work.append(source)
    # What an edge must carry: live at the target, or feeding one of its phis.
    return {
        label: frozenset(live[label] | _phi_registers(function.blocks[label])) for label in function.blocks
    }


def _phi_registers(block: ir.Block) -> set[str]:
    names: set[str] = set()
    for instruction in block.instructions:
        if not isinstance(instruction, ir.Phi):
            break
        names.update(v.name for v, _ in instruction.incoming if isinstance(v, ir.Register))
    return names
