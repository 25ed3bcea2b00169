"""Who may call whom, forwards and backwards.

Direct calls are followed through aliases. A call through a pointer may reach every function whose address is
taken and whose type fits, a variadic or unprototyped one where its fixed parameters do.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from vouch.c import ir
from vouch.c.ranges.calls import CallGraph as DirectCalls
from vouch.c.ranges.calls import instructions


class CallGraph:
    """`callees` and `callers` by function name, of functions with a body."""

    def __init__(self, program: ir.Program, direct: DirectCalls) -> None:
        self.program = program
        self.direct = direct
        self.callees: dict[str, frozenset[str]] = {}
        self.callers: dict[str, set[str]] = {name: set() for name in direct.callees}
        for name, called in direct.callees.items():
            indirect = self._through_pointers(name) if name in direct.indirect else frozenset()
            self.callees[name] = frozenset(called) | indirect
            for callee in self.callees[name]:
                self.callers[callee].add(name)
        self._below: dict[str, frozenset[str]] = {}

    @cached_property
    def taken(self) -> dict[str, ir.FunctionType]:
        """Functions that a pointer may hold, with their types."""
        functions = self.program.functions
        return {name: functions[name].signature for name in sorted(self.direct.taken)}

    def targets(self, call: ir.Call) -> frozenset[str]:
        """Functions with a body that a call through a pointer may reach."""
        return frozenset(name for name, held in self.taken.items() if _fits(call.signature, held))

    def _through_pointers(self, name: str) -> frozenset[str]:
        found: set[str] = set()
        for instruction in instructions(self.program.functions[name]):
            if isinstance(instruction, ir.Call) and self.direct.target(instruction) is None:
                found |= self.targets(instruction)
        return frozenset(found)

    def below(self, name: str) -> frozenset[str]:
        """The function itself and everything it may call, worked out once."""
        known = self._below.get(name)
        if known is None:
            known = self._below[name] = _closure([name], self.callees)
        return known

    def above(self, name: str) -> frozenset[str]:
        """The function itself and everything that may call it."""
        return _closure([name], self.callers)


def _closure(start: Iterable[str], edges: dict[str, frozenset[str]] | dict[str, set[str]]) -> frozenset[str]:
    seen: set[str] = set()
    work = list(start)
    while work:
        name = work.pop()
        if name not in seen:
            seen.add(name)
            work.extend(edges.get(name, ()))
    return frozenset(seen)


def _fits(call: ir.FunctionType, function: ir.FunctionType) -> bool:
    """May a call of this type reach such a function? One as another type has no meaning."""
    if call.variadic or function.variadic:
        fixed = min(len(call.parameters), len(function.parameters))
        return call.parameters[:fixed] == function.parameters[:fixed]
    return call.parameters == function.parameters and call.result == function.result
