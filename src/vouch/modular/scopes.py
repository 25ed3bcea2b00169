"""How a function starts when it is looked at for whoever calls it.

What pointers are taken to be decides whether that is sound. Those from outside are valid by contract, and
memory is shared as the language allows, but only for functions that nobody in the program calls. The program
itself may call a function with null or dangling pointers, with variables of another type, of too small a
size, or that nobody has written. So nothing is assumed of an inner function's argument but what the range
analysis has proved for all its calls (`c.ranges.Context`): integers within their ranges, room around a
pointer, and pointers that were handed through from outside.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any

from vouch.bmc.abstraction import OUTSIDE, Policy, Room, Scope
from vouch.bmc.problem import Problem, Start
from vouch.c import ir
from vouch.c.checks.base import Check, Trigger
from vouch.c.ranges import RangeContext
from vouch.c.ranges.pointers import INFINITE
from vouch.c.ranges.whole_program import Extent
from vouch.modular.policy import Calls

# What the front end puts into kernels and the functions that they call (`vouch.c.kernels`), and what asks for
# the error of earlier calls.
_OF_LAUNCHES = ("__vouch_cuda_access", "__vouch_cuda_shared", "__vouch_cuda_frame", "__syncthreads")
_OF_ERRORS = ("cudaGetLastError", "cudaPeekAtLastError")

LARGEST_ROOM = 1 << 40  # bytes around a pointer that an execution rests on


class Scopes:
    """Starts of a problem's functions. `roots` may be called by more than direct calls of the program."""

    def __init__(self, problem: Problem, calls: Calls) -> None:
        self.problem = problem
        self.calls = calls
        self.entries = {start.entry: start for start in problem.starts}
        program, graph = problem.program, calls.graph
        special = {*program.constructors, *program.destructors, *graph.twice}
        self.roots = {*self.entries, *graph.taken, *special}
        self._special = special

    @cached_property
    def callers(self) -> dict[str, set[str]]:
        """By direct calls; calls through pointers reach roots only."""
        found: dict[str, set[str]] = {}
        for name, callees in self.calls.graph.callees.items():
            for callee in callees:
                found.setdefault(callee, set()).add(name)
        return found

    @cached_property
    def _threads(self) -> set[str]:
        """Code of CUDA's kernels, which runs within a launch, and what asks for earlier errors: models keep
        both. It is looked at from the program's start only, since any other start has that state as it is
        where nothing was called yet."""
        work = [name for name in (*_OF_LAUNCHES, *_OF_ERRORS) if name in self.problem.program.functions]
        found: set[str] = set()
        while work:
            callers = self.callers.get(work.pop(), set()) - found
            found |= callers
            work += callers
        return found

    def above(self, name: str, depth: int) -> frozenset[str] | None:
        """The functions that every call of one comes through, `depth` calls further up or at a root. None
        where it may come from elsewhere."""
        level, found = {name}, set()
        for _ in range(depth):
            found |= {n for n in level if n in self.roots and n != name}
            if name in self.roots or any(not self.callers.get(n) for n in level - self.roots):
                return None
            level = {caller for n in level - self.roots for caller in self.callers[n]}
        found |= level
        return frozenset(found) if all(self.can_start(n) for n in found) else None

    def above_all(self, name: str) -> frozenset[str] | None:
        """The roots that every call of a function comes from. None where a call may come from elsewhere, or
        through a cycle of calls."""
        seen, work, found = {name}, [name], set()
        while work:
            current = work.pop()
            callers = self.callers.get(current, set())
            if current in self.calls.graph.recursive or not (callers or current in self.roots):
                return None
            if current in self.roots:
                found.add(current)
            work += callers - seen
            seen |= callers
        return frozenset(found) if all(map(self.is_looked_at, found)) else None

    def is_looked_at(self, root: str) -> bool:
        """Whether all calls of a root that the program itself does not make can be looked at."""
        return self.is_plain_entry(root) or self.can_start(root)

    def is_plain_entry(self, root: str) -> bool:
        """Called from outside, and otherwise by name only."""
        graph = self.calls.graph
        return root in self.entries and root not in graph.taken and root not in graph.twice

    def can_start(self, name: str) -> bool:
        """Not a function that writes its result where its caller says, nor one that runs in a state of its
        own."""
        function = self.problem.program.functions[name]
        if name in self.problem.program.models or name in self._special or name in self._threads:
            return False
        return not any(p.sret for p in function.parameters)

    def can_pass_on(self, name: str) -> bool:
        """Also: are all its arguments known by name, so that a condition can speak of them?"""
        return self.can_start(name) and not self.problem.program.functions[name].signature.variadic

    def start(self, name: str, policy: Policy, targets: Collection[str]) -> Start:
        """A start for the checks of the targets."""
        wanted = frozenset(targets)
        if name in self.entries and name not in self.callers and name not in self.calls.graph.taken:
            start = self.entries[name]
            named = self.calls.globals_named(start, policy)
            return replace(start, scope=Scope(policy, False, False, True, (), wanted, named))
        context = self.calls.analysis.contexts.get(name, RangeContext(None, False))
        arguments = tuple(_known(given) for given in context.arguments or ())
        trusted = context.clean and self.problem.library
        start = Start(name, True, self.problem.library)
        named = self.calls.globals_named(start, policy)
        return replace(start, scope=Scope(policy, True, False, trusted, arguments, wanted, named))

    def root_start(self, root: str, policy: Policy, targets: Collection[str]) -> Start:
        """A start for calls that come from outside, or from anywhere; those that the program makes by name
        come from other roots."""
        if not self.is_plain_entry(root):
            return self.start(root, policy, targets)
        start = self.entries[root]
        named = self.calls.globals_named(start, policy)
        return replace(start, scope=Scope(policy, False, False, True, (), frozenset(targets), named))

    def covers(self, start: Start, check: Check, followed: Iterable[str]) -> bool:
        """Whether all that matters for a check was as general as it must be. That part of a struct was not
        written goes from call to call with the struct, which the start of a function does not follow."""
        if check.trigger is not Trigger.UNINITIALISED:
            return True
        assert start.scope is not None
        functions = self.problem.program.functions
        if start.scope.inner and (
            not self.calls.analysis.complete
            or _takes_structs(self.problem.program, functions[start.entry])
        ):
            return False
        return not any(
            _yields_struct(self.calls, instruction)
            for name in followed
            for block in functions[name].blocks.values()
            for instruction in block.instructions
        )


def _known(given: Any) -> tuple[int, ...] | Room | str | None:
    """What the range analysis says of an argument, as far as an execution may rest on it."""
    if type(given) is tuple:
        return given[:4]
    if type(given) is not Extent or given.constant or given.or_null or given.lo > 0 or given.hi <= 0:
        return None
    if given.outside and given.hi > INFINITE:
        return OUTSIDE
    return Room(-given.lo, given.hi) if given.hi - given.lo <= LARGEST_ROOM else None


def _takes_structs(program: ir.Program, function: ir.Function) -> bool:
    return any(p.byval is not None for p in function.parameters) or any(
        _is_struct(program, ctype) for ctype in function.parameter_types
    )


def _yields_struct(calls: Calls, instruction: ir.Instruction) -> bool:
    """A call of a function of the program that returns a struct, in registers of whatever type."""
    if not isinstance(instruction, ir.Call) or isinstance(instruction.type, (ir.VoidType, ir.PointerType)):
        return False
    target = None if isinstance(instruction.callee, ir.AsmOperand) else calls.graph.target(instruction)
    if target is None:
        return True
    function = calls.program.functions.get(target)
    if function is None or not function.defined or target in calls.program.models:
        return False
    return not isinstance(instruction.type, ir.IntType) or _is_struct(calls.program, function.result_type)


def _is_struct(program: ir.Program, ctype: int | None) -> bool:
    """Also where the type is not known."""
    if ctype is None or ctype not in program.ctypes:
        return ctype is not None
    return program.ctypes[ctype].kind in ("struct", "union", "array")
