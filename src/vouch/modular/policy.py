"""Which callees are followed, and what the others may do at most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from vouch.bmc.abstraction import Effect, Havoc, Policy
from vouch.bmc.reachability import Reachability
from vouch.c import ir
from vouch.c.flow.handlers import is_handler_call
from vouch.c.ranges import RangeAnalysis
from vouch.c.ranges.calls import CallGraph, instructions, is_silent

_OWN = ("llvm.", "__ubsan_", "__vouch_")  # no code outside
SMALL = 60  # instructions of a callee without loops that is followed anyway


@dataclass(slots=True, eq=False)
class Calls:
    """What is known of all functions, worked out once for all policies."""

    program: ir.Program
    analysis: RangeAnalysis
    graph: CallGraph
    reachability: Reachability
    _effects: dict[str, Effect] = field(default_factory=dict)
    _simple: dict[str, bool] = field(default_factory=dict)

    def effect(self, name: str) -> Effect:
        known = self._effects.get(name)
        if known is None:
            found = self.graph.effects[name]
            known = self._effects[name] = Effect(
                frozenset(found.globals),
                found.wild,
                found.leaves,
                found.frees,
                self.analysis.results.get(name),
                self._externals(name) if found.leaves else (),
            )
        return known

    def _externals(self, name: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        seen, work = {name}, [name]
        while work:
            current = work.pop()
            found.update(dict.fromkeys(self._own_externals(current)))
            fresh = set(self.graph.callees[current]) - seen
            seen |= fresh
            work.extend(fresh)
        return tuple(sorted(found))

    def _own_externals(self, name: str) -> Iterator[str]:
        for instruction in instructions(self.program.functions[name]):
            if isinstance(instruction, ir.Call) and not isinstance(instruction.callee, ir.AsmOperand):
                target = self.graph.target(instruction)
                if target is None:
                    yield "(unknown function pointer)"
                elif not target.startswith(_OWN) and not is_silent(self.program, target):
                    function = self.program.functions.get(target)
                    if function is None or not function.defined:
                        yield target

    def is_simple(self, name: str) -> bool:
        """Is a function short, without loops, and does it call nothing but such functions and models?"""
        known = self._simple.get(name)
        if known is None:
            self._simple[name] = False  # of one that calls itself
            known = self._simple[name] = self._looks_simple(self.program.functions[name])
        return known

    def _looks_simple(self, function: ir.Function) -> bool:
        own = [i for i in instructions(function) if not i.nosanitize and not is_handler_call(i)]
        if len(own) > SMALL or self.reachability.flow(function).loops:
            return False
        return all(self._calls_simply(i) for i in instructions(function) if isinstance(i, ir.Call))

    def _calls_simply(self, call: ir.Call) -> bool:
        if isinstance(call.callee, ir.AsmOperand):
            return False
        target = self.graph.target(call)
        if target is None:
            return False
        function = self.program.functions.get(target)
        if function is None or not function.defined or target in self.program.models:
            return True
        return self.is_simple(target)


    def followed(self, name: str, policy: Policy) -> set[str]:
        """The function and its callees that an execution of it follows."""
        return self._walk(name, policy)[0]

    def abstracts(self, name: str, policy: Policy) -> bool:
        """Is any call on the way not followed?"""
        return self._walk(name, policy)[1]

    def _walk(self, name: str, policy: Policy) -> tuple[set[str], bool]:
        seen, abstracts, level, depth = {name}, False, [name], 0
        while level:
            depth += 1
            below: list[str] = []
            for current in level:
                abstracts |= current in self.graph.indirect
                for callee in self.graph.callees[current]:
                    if policy(self.program.functions[callee], depth) is not None:
                        abstracts = True
                    elif callee not in seen:
                        seen.add(callee)
                        below.append(callee)
            level = below
        return seen, abstracts


class Abstract:
    """Callees are replaced by their effects from some depth of calls on, but for models of library functions
    and `simple` ones."""

    def __init__(self, calls: Calls, depth: int = 0) -> None:
        self._calls = calls
        self._depth = depth

    def __call__(self, function: ir.Function, depth: int) -> Havoc | None:
        if depth <= self._depth or function.name in self._calls.program.models:
            return None
        if self._calls.is_simple(function.name):
            return None
        return Havoc(self._calls.effect(function.name))

    @cached_property
    def unknown(self) -> Havoc:
        outside = self._calls.graph.outside
        return Havoc(Effect(frozenset(outside.globals), True, True, outside.frees))

    @cached_property
    def taken(self) -> Sequence[str]:
        return sorted(self._calls.graph.callable)
