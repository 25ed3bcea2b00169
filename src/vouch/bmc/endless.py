"""Loops that never end, such as one whose counter wraps before it gets to its limit.

An execution that comes to the head of a loop in a state in which it was there before, having taken nothing
new in meanwhile, goes the same way again and again. It reaches nothing that it has not reached, and is not
cut: no bound makes its checks doubtful.
"""

from __future__ import annotations

from collections.abc import Sequence

from vouch.bmc.contents import Contents
from vouch.bmc.state import Edge
from vouch.bmc.value import MemObject, Pointer, Value
from vouch.smt.node import freshness

# Iterations after which the head is looked at, with the one it is compared to: a state that does not change
# at all, and counters of eight bits, which come round after 256; a first round may leave traces in memory.
_COMPARED = {1: 0, 2: 1, 3: 2, 257: 1, 513: 257}

Frozen = tuple[dict[MemObject, tuple[object, ...]], dict[str, object], str]


class Heads:
    """What the head of one loop, in one activation, looked like."""

    def __init__(self) -> None:
        self._seen: dict[int, Frozen] = {}

    def repeats(self, edges: Sequence[Edge], iteration: int) -> bool:
        """Is this the state of an earlier iteration? Nothing is said where several ways lead back."""
        if iteration not in _COMPARED or len(edges) != 1:
            return False
        now = _frozen(edges[0])
        self._seen[iteration] = now
        return self._seen.get(_COMPARED[iteration]) == now


def _frozen(edge: Edge) -> Frozen:
    memory = {target: _contents(held) for target, held in edge.state.memory.items()}
    registers = {name: _value(value) for name, value in edge.registers.items()}
    return memory, registers, freshness()


def _contents(held: Contents) -> tuple[object, ...]:
    cells = {at: (size, _value(value), bad) for at, (size, value, bad) in held.cells.items()}
    return cells, held.array, held.flags, held.initial, held.alive, held.word


def _value(value: Value) -> object:
    """Terms are shared, so that equal ones are the same; pointers are not."""
    if isinstance(value, Pointer):
        return value.targets
    return tuple(_value(part) for part in value) if isinstance(value, tuple) else value
