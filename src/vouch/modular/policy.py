"""Which callees are followed, and what the others may do at most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from vouch.bmc.abstraction import Effect, Havoc, Policy
from vouch.bmc.problem import Start
from vouch.bmc.reachability import Reachability
from vouch.c import ir, known
from vouch.c.flow.handlers import is_handler_call
from vouch.c.flow.uses import names_in
from vouch.c.mentions import mentioned
from vouch.c.ranges import RangeAnalysis
from vouch.c.ranges.calls import RangeCalls, instructions, is_silent

WHOLE = 1 << 16  # calls deep: all that are not on a cycle of calls
SMALL = 60  # instructions of a callee without loops that is followed anyway


@dataclass(slots=True, eq=False)
class Calls:
    """What is known of all functions, worked out once for all policies."""

    program: ir.Program
    analysis: RangeAnalysis
    graph: RangeCalls
    reachability: Reachability
    _effects: dict[str, Effect] = field(default_factory=dict)
    _simple: dict[str, bool] = field(default_factory=dict)
    _names: dict[str, frozenset[str]] = field(default_factory=dict)
    _outside: dict[str, frozenset[str]] = field(default_factory=dict)

    def effect(self, name: str) -> Effect:
        known = self._effects.get(name)
        if known is None:
            found = self.graph.effects[name]
            known = self._effects[name] = Effect(
                frozenset(found.globals),
                found.wild,
                found.leaves,
                found.frees or found.loses,
                self.analysis.results.get(name),
                self._externals(name) if found.leaves else (),
            )
        return known

    def _externals(self, name: str) -> tuple[str, ...]:
        found: set[str] = set()
        seen, work = {name}, [name]
        while work:
            current = work.pop()
            found |= self._own_externals(current)
            fresh = set(self.graph.callees[current]) - seen
            seen |= fresh
            work.extend(fresh)
        return tuple(sorted(found))

    def _own_externals(self, name: str) -> frozenset[str]:
        known = self._outside.get(name)
        if known is None:
            known = self._outside[name] = frozenset(self._called_outside(name))
        return known

    def _called_outside(self, name: str) -> Iterator[str]:
        for instruction in instructions(self.program.functions[name]):
            if isinstance(instruction, ir.Call) and not isinstance(instruction.callee, ir.AsmOperand):
                target = self.graph.target(instruction)
                if target is None:
                    yield "(unknown function pointer)"
                elif not target.startswith(known.OWN) and not is_silent(self.program, target):
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

    def cost(self, name: str, policy: Policy) -> int:
        """How much an execution of a function has to do, roughly."""
        return sum(self._size(other) for other in self.followed(name, policy))

    def _size(self, name: str) -> int:
        function = self.program.functions[name]
        return sum(len(block.instructions) for block in function.blocks.values())

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
                    if not _follows(policy, self.program.functions[callee], depth):
                        abstracts = True
                    elif callee not in seen:
                        seen.add(callee)
                        below.append(callee)
            level = below
        return seen, abstracts

    def globals_named(self, start: Start, policy: Policy) -> tuple[str, ...]:
        """The variables that code can name which an execution from a start follows: in the functions
        themselves, and in the initial values of what they name. A function whose address is there may be
        called, and is followed then where the policy says so. What stands for callees otherwise than by their
        effects may name all that they name."""
        if not isinstance(policy, Abstract):
            return tuple(self.reachability.globals_of(start.entry))
        program = self.program
        seen: dict[str, None] = {}
        first = {start.entry, "__vouch_at_exit", *(() if start.arbitrary else program.constructors)}
        depths = {name: 0 for name in sorted(first) if name in program.functions}
        entered = list(depths)
        while entered:
            name = entered.pop()
            work = list(self._mentioned(name))
            while work:
                other = work.pop()
                function = program.functions.get(other)
                if function is not None:
                    depth = 1 if function.address_taken else depths[name] + 1
                    nearer = depth < depths.get(other, depth + 1)
                    if function.defined and nearer and policy.follows(function, depth):
                        depths[other] = depth
                        entered.append(other)
                elif other not in seen:
                    seen[other] = None
                    held = program.globals.get(other)
                    work += names_in(held.initializer if held is not None else program.aliases.get(other))
        return tuple(name for name in seen if name in program.globals)

    def _mentioned(self, name: str) -> frozenset[str]:
        known = self._names.get(name)
        if known is None:
            known = self._names[name] = frozenset(mentioned(self.program.functions[name]))
        return known


def _follows(policy: Policy, function: ir.Function, depth: int) -> bool:
    if isinstance(policy, Abstract):
        return policy.follows(function, depth)
    return policy(function, depth) is None


class Abstract:
    """Callees are replaced by their effects from some depth of calls on, but for models of library functions
    and `simple` ones."""

    def __init__(self, calls: Calls, depth: int = 0) -> None:
        self._calls = calls
        self._depth = depth

    def __call__(self, function: ir.Function, depth: int) -> Havoc | None:
        return None if self.follows(function, depth) else Havoc(self._calls.effect(function.name))

    def follows(self, function: ir.Function, depth: int) -> bool:
        """Is a call of the function, so many calls deep, executed?"""
        if function.name in self._calls.program.models:
            return True
        if self._depth >= WHOLE:
            return function.name not in self._calls.graph.recursive
        return depth <= self._depth or self._calls.is_simple(function.name)

    @cached_property
    def unknown(self) -> Havoc:
        outside = self._calls.graph.outside
        return Havoc(Effect(frozenset(outside.globals), True, True, outside.frees or outside.loses))

    @cached_property
    def taken(self) -> Sequence[str]:
        return sorted(self._calls.graph.callable)
