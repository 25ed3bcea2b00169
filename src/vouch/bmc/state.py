"""The state of one path: its guard and the contents of memory."""

from __future__ import annotations

from collections.abc import Sequence

from vouch.bmc.contents import Contents
from vouch.bmc.guard import Guard, join
from vouch.bmc.memory import Memory
from vouch.bmc.value import Kind, MemObject, Value, merge
from vouch.smt.term import Term


class State:
    """`memory` maps objects to what was written to them; an object that is missing is untouched, or, on the
    stack and heap, does not exist on this path. `token` marks the contents that this path alone holds."""

    __slots__ = ("guard", "memory", "token")

    def __init__(self, guard: Guard, memory: dict[MemObject, Contents]) -> None:
        self.guard = guard
        self.memory = memory
        self.token = object()

    def fork(self, guard: Guard) -> State:
        """A second path from here on; afterwards neither may change what both see."""
        self.token = object()
        return State(guard, self.memory.copy())

    def put(self, target: MemObject, contents: Contents) -> None:
        self.memory[target] = contents


ANY_TURN = "*"  # no block: where the turn before was any


class Edge:
    """A state on its way to a block. From `ANY_TURN` of a loop it has the registers that the head joins."""

    __slots__ = ("registers", "source", "state")

    def __init__(self, state: State, registers: dict[str, Value], source: str) -> None:
        self.state = state
        self.registers = registers
        self.source = source


def join_states(memory: Memory, states: Sequence[State]) -> tuple[State, list[Term]]:
    """One state for all, and the conditions that tell them apart."""
    if len(states) == 1:
        return states[0], []
    guard, conditions = join([state.guard for state in states])
    merged = states[-1].memory
    for state, condition in zip(reversed(states[:-1]), reversed(conditions[:-1]), strict=True):
        merged = _join_memory(memory, condition, state.memory, merged)
    return State(guard, merged), conditions


def _join_memory(
    memory: Memory, condition: Term, a: dict[MemObject, Contents], b: dict[MemObject, Contents]
) -> dict[MemObject, Contents]:
    result = b.copy()
    for target, left in a.items():
        right = b.get(target)
        if right is left:
            continue
        if right is None and target.kind in (Kind.STACK, Kind.HEAP):
            result[target] = left
            continue
        merged = memory.merge(target, condition, left, right)
        assert merged is not None
        result[target] = merged
    for target, right in b.items():
        if target not in a and target.kind not in (Kind.STACK, Kind.HEAP):
            merged = memory.merge(target, condition, None, right)
            assert merged is not None
            result[target] = merged
    return result


def join_values(conditions: Sequence[Term], values: Sequence[Value]) -> Value:
    """The value of the path whose condition holds."""
    result = values[-1]
    for condition, value in zip(reversed(conditions[:-1]), reversed(values[:-1]), strict=True):
        result = merge(condition, value, result)
    return result
