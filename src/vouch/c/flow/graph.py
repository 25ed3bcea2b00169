"""Where control goes from block to block, and an order in which facts flow."""

from __future__ import annotations

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
    """Blocks reachable from the entry, in reverse post-order (a block before its successors but for back
    edges). `heads` are the targets of back edges with respect to that order."""

    __slots__ = ("heads", "number", "order", "predecessors", "successors")

    def __init__(self, function: Function) -> None:
        self.successors: dict[str, tuple[str, ...]] = {}
        self.order = self._reverse_post_order(function)
        self.number = {label: number for number, label in enumerate(self.order)}
        self.predecessors: dict[str, list[str]] = {label: [] for label in self.order}
        self.heads: set[str] = set()
        for label in self.order:
            for target in self.successors[label]:
                self.predecessors[target].append(label)
                if self.number[target] <= self.number[label]:
                    self.heads.add(target)

    def _reverse_post_order(self, function: Function) -> list[str]:
        entry = next(iter(function.blocks))
        done: list[str] = []
        self.successors[entry] = _taken(function, function.blocks[entry].terminator)
        stack = [(entry, iter(self.successors[entry]))]
        while stack:
            label, rest = stack[-1]
            target = next(rest, None)
            if target is None:
                stack.pop()
                done.append(label)
            elif target not in self.successors:
                self.successors[target] = _taken(function, function.blocks[target].terminator)
                stack.append((target, iter(self.successors[target])))
        done.reverse()
        return done
