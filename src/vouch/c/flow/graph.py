"""Where control goes from block to block, and an order in which facts flow."""

from __future__ import annotations

from vouch.c.flow.components import components
from vouch.c.ir import Branch, Function, IndirectBranch, Instruction, IntConstant, Invoke, Opaque, Switch


def successors(terminator: Instruction) -> tuple[str, ...]:
    """Labels that a terminator names, each once."""
    match terminator:
        case Branch(then=then, otherwise=otherwise):
            return (then,) if otherwise is None or then == otherwise else (then, otherwise)
        case Switch(default=default, cases=cases):
            return tuple(dict.fromkeys([default, *(label for _, label in cases)]))
        case Invoke(normal=normal, unwind=unwind):
            return (normal, unwind)
        case IndirectBranch(targets=targets):
            return tuple(dict.fromkeys(targets))
        case _:
            return ()


def may_follow(function: Function, terminator: Instruction) -> tuple[str, ...]:
    """Like `successors`; a terminator that the reader did not understand may go anywhere, but for the end of
    an exception's way through the function."""
    if isinstance(terminator, Opaque) and not terminator.text.startswith("resume "):
        return tuple(function.blocks)
    return successors(terminator)


def _taken(function: Function, terminator: Instruction) -> tuple[str, ...]:
    """Like `may_follow`; a branch on a constant goes one way only."""
    match terminator:
        case Branch(condition=IntConstant(value=value), then=then, otherwise=str(otherwise)):
            return (then,) if value else (otherwise,)
        case _:
            return may_follow(function, terminator)


class FlowGraph:
    """Blocks reachable from the entry, in a weak topological order: a block before its successors but for
    edges back to the head of a loop, and the blocks of a loop together, before what comes behind it. `heads`
    are the targets of back edges with respect to that order."""

    __slots__ = ("heads", "number", "order", "predecessors", "successors")

    def __init__(self, function: Function) -> None:
        entry = next(iter(function.blocks))
        self.successors: dict[str, tuple[str, ...]] = {}
        self._follow(function, entry)
        self.order = self._ordered(entry)
        self.number = {label: number for number, label in enumerate(self.order)}
        self.predecessors: dict[str, list[str]] = {label: [] for label in self.order}
        self.heads: set[str] = set()
        for label in self.order:
            for target in self.successors[label]:
                self.predecessors[target].append(label)
                if self.number[target] <= self.number[label]:
                    self.heads.add(target)

    def _follow(self, function: Function, entry: str) -> None:
        work = [entry]
        while work:
            label = work.pop()
            if label not in self.successors:
                self.successors[label] = _taken(function, function.blocks[label].terminator)
                work += self.successors[label]

    def _ordered(self, entry: str) -> list[str]:
        found: list[str] = []
        work = components([entry], self.successors)  # the last of them comes first
        while work:
            *inner, head = work.pop()
            found.append(head)
            if inner:  # a loop: behind its head, the rest of it by itself
                ahead = [label for label in self.successors[head] if label in inner]
                work += components([*ahead, *inner], self.successors, set(inner))
        return found
