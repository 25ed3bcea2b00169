"""The state of one symbolic execution, and what every instruction does to it: claims, steps, cuts, objects.

Instructions, calls and library functions work on an `Execution`; who runs blocks and loops is the executor
(`execute`), which is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from vouch.bmc.callees import CalleePolicy, inline
from vouch.bmc.contents import Contents
from vouch.bmc.context import ExecutionContext
from vouch.bmc.environment.reach import Root
from vouch.bmc.equation import Claim, Cut, Equation, Incoming, Step, Touch
from vouch.bmc.frame import Frame, Shadow, name_of
from vouch.bmc.initial import Initial, Unknown
from vouch.bmc.reachability import Reachability
from vouch.bmc.state import Edge, State
from vouch.bmc.value import Kind, MemObject, Pointer, Value, symbols
from vouch.c import ir
from vouch.c.checks.base import Category, Check, Trigger
from vouch.c.flow.handlers import HANDLER, is_handler_call
from vouch.c.flow.order import Loop
from vouch.record import record
from vouch.smt import term as T
from vouch.smt.term import Term

if TYPE_CHECKING:
    from vouch.bmc.abstraction import Scope

# After these an execution goes on with arbitrary values, so later violations may be mere consequences.
CHAOS = frozenset({Category.POINTER, Category.BOUNDS, Category.UNINITIALISED, Category.DIVISION_BY_ZERO})

_DEAD = 24  # registers that nobody needs may go along for so long as they are few
# Violated by getting there: a branch that leads past has answered the question.
_REACHING = frozenset({Trigger.REACHED, Trigger.REACHED_ZERO, Trigger.REACHED_NONZERO})


@record
class ExecutionLimits:
    """`unwind` bounds loops whose exits depend on unknown data; `loops` overrides it by loop name."""

    unwind: int = 8
    loops: dict[str, int] = field(default_factory=dict)
    model_unwind: int = 64
    recursion: int = 8
    depth: int = 200
    deadline: float | None = None
    instructions: int = 3_000_000


class Budget(Exception):
    """Time or size ran out: what was not executed is cut."""


class Phase(Enum):
    """Of an inductive argument: which role checks play while instructions run."""

    CLAIM = "claim"
    ASSUME = "assume"
    TRIAL = "trial"  # nothing is recorded


Place = tuple[str, int, int, bool]  # a variable, offset and size of an integer in it, whether it is signed


class Invariants(Protocol):
    """What integers of `size` bytes in variables hold at the start of a block: signed low and high, unsigned
    low and high, more."""

    def of(
        self, function: str, label: str, variable: str, offset: int = 0, size: int | None = None
    ) -> tuple[int, ...] | None: ...

    def relations(self, function: str, label: str) -> list[tuple[Place, Place, int]]:
        """Differences of integers in variables at the start of a block, at most so large."""
        ...

    def printed(self, call: int) -> tuple[int, int, int, int] | None:
        """The bytes that a call prints to memory at least and at most, what it returns at least and at
        most."""
        ...


@record
class Induction:
    """After `k` iterations loops go on by induction, -1: before the first. `trusted` are checks that are
    assumed in the step; `generalised`: some loop was."""

    k: int
    trusted: frozenset[str]
    invariants: Invariants | None = None
    names: dict[MemObject, tuple[str, str]] = field(default_factory=dict)  # alloca: function, register
    generalised: bool = False


class RunFunction(Protocol):
    """Run a function with a body: the state after it and its result, None when no path returns. `marked` has
    the shadows of the arguments; that of the result is in `returned` afterwards."""

    def __call__(
        self,
        function: ir.Function,
        arguments: list[Value],
        state: State,
        caller: Frame | None,
        site: ir.Call | None,
        marked: list[Shadow | None] | None = None,
    ) -> tuple[State, Value | None] | None: ...


class RunIteration(Protocol):
    def __call__(self, frame: Frame, loop: Loop, returns: list[Edge], /) -> None: ...


class Execution:
    """Of one entry point. `sites` has the checks by the number of the instruction they are attached to;
    `scope` is that of the start."""

    def __init__(
        self,
        context: ExecutionContext,
        sites: Mapping[int, Sequence[Check]],
        limits: ExecutionLimits,
        *,
        unknown_calls: str = "havoc",
        malloc_may_fail: bool = False,
        propagation: bool = True,
        plan: Induction | None = None,
        reachability: Reachability | None = None,
        public: Sequence[str] = (),
        callees: CalleePolicy = inline,
        scope: Scope | None = None,
        printed: Callable[[int], tuple[int, int, int, int] | None] | None = None,
    ) -> None:
        self.scope = scope
        self.printed = printed  # how much calls print, where less than all may be said of it
        context.environment.escapes = self.escapes
        self.context = context
        self.memory = context.memory
        self.sites = sites
        self.limits = limits
        self.extern = unknown_calls
        self.malloc_may_fail = malloc_may_fail
        self.propagation = propagation
        self.equation = Equation("")
        self.reachability = reachability if reachability is not None else Reachability(context.program)
        self.induction = plan
        self.phase = Phase.CLAIM
        self.fixed: dict[str, Value] = {}  # of the current frame
        self.depth = 0
        self.active: dict[str, int] = {}
        self.public = public
        self.callees = callees
        self.iteration_exits: dict[tuple[int, str], list[bool]] = {}
        self.compared: dict[tuple[int, str], set[tuple[object, ...]]] = {}  # by the tests of running loops
        self.moved: dict[tuple[int, str], bool] = {}
        self.last_violation: dict[str, Term] = {}
        self.held: dict[str, Term] = {}  # checks that hold: the path they were claimed on last
        self.assertions: dict[tuple[str, str], list[Check]] = {}
        self.heap: list[tuple[MemObject, ir.Instruction]] = []
        self.owners: dict[MemObject, str] = {}  # of each object that was made: see `allocated`
        self._escaping: dict[str, bool] = {}  # by owner
        self.decoded: dict[str, Any] = {}  # functions as steps: see `vouch.bmc.decoded`
        self.readers: dict[str, dict[str, list[int]]] = {}  # of their registers: see `vouch.bmc.straight`
        self.companions: dict[MemObject, MemObject] = {}  # what models keep beside objects
        self.returned: Value | None = None  # marks of what the last call returned
        self.lent: dict[MemObject, tuple[Term, Term]] = {}  # what library code has: first byte, end
        self.call: RunFunction  # both set by the executor: run a function, an iteration of a loop
        self.run_iteration: RunIteration

    def claim(self, check: Check, state: State, violated: Term) -> None:
        """The check is executed on this path and violated where `violated` holds as well."""
        reached = state.guard.term
        if reached is T.FALSE:
            return
        if self.phase is not Phase.CLAIM:
            trusted = self.induction.trusted if self.induction is not None else frozenset()
            if self.phase is Phase.ASSUME and check.id in trusted:
                state.guard = state.guard.and_(T.not_(violated))
            return
        if check.after is not None:
            # The same mistake is reported by an earlier check.
            violated = T.and_(violated, T.not_(self.last_violation.get(check.after, T.FALSE)))
        self.last_violation[check.id] = violated
        chaos = check.category in CHAOS or check.trigger is Trigger.REACHED_NONZERO or _converts_float(check)
        self.equation.claims.append(
            Claim(
                check,
                reached,
                T.and_(reached, violated),
                len(self.equation.steps),
                len(self.equation.incoming),
                self.equation.touched,
                chaos,
            )
        )

    def holds(self, check: Check, state: State) -> None:
        """The check is executed and holds. Once is enough for all executions on the same path."""
        reached = state.guard.term
        if self.phase is Phase.CLAIM and self.held.get(check.id) is reached:
            self.last_violation[check.id] = T.FALSE
            return
        self.claim(check, state, T.FALSE)
        if self.phase is Phase.CLAIM:
            self.held[check.id] = reached

    def hold(self, instruction: ir.Instruction, checks: Iterable[Check], state: State) -> None:
        """A site is executed, and all its checks hold."""
        self.visit(instruction, state)
        for check in checks:
            self.holds(check, state)

    def visit(self, instruction: ir.Instruction, state: State) -> None:
        """A site is executed: its checks are to be claimed now, or they are not evaluated at all."""
        if self.phase is Phase.CLAIM and not state.guard.dead:
            self.equation.visited.add(instruction.number)

    def doubt(self, reason: str) -> Term:
        """A condition that nobody can work out. A check that hangs on it is undecided for that reason."""
        symbol = T.fresh("not.evaluated", T.BOOL)
        self.context.unsupported[symbol] = reason
        return symbol

    def pass_by(self, state: State, function: ir.Function, label: str) -> None:
        """A branch that may lead to a failing assertion or to a handler: the question is asked here, be it
        that nothing ever goes that way."""
        for check in self.passing(function, label):
            self.claim(check, state, T.FALSE)

    def passing(self, function: ir.Function, label: str) -> list[Check]:
        """The checks that a branch to this block asks about."""
        key = (function.name, label)
        checks = self.assertions.get(key)
        if checks is None:
            checks = self.assertions[key] = [
                check
                for instruction in function.blocks[label].instructions
                for check in self.sites.get(instruction.number, ())
                if check.trigger in _REACHING
                and (check.category is Category.ASSERTION or is_handler_call(instruction))
            ]
        return checks

    def claims_at(self, instruction: ir.Instruction, state: State, trigger: Trigger, violated: Term) -> None:
        for check in self.sites.get(instruction.number, ()):
            if check.trigger is trigger:
                self.claim(check, state, violated)

    def step(
        self,
        frame: Frame,
        state: State,
        kind: str,
        location: ir.Location | None,
        what: str,
        value: Value | None = None,
        target: MemObject | None = None,
        offset: int = 0,
        ctype: int | None = None,
        pointer: Pointer | None = None,
    ) -> None:
        if location is None or frame.model:
            return
        owner = frame.function.name
        step = Step(state.guard.term, kind, location, owner, what, value, target, offset, ctype, pointer)
        self.equation.steps.append(step)

    def incoming(
        self,
        state: State,
        kind: str,
        function: str,
        type_: ir.Type,
        value: Value | None,
        location: ir.Location | None,
    ) -> Incoming:
        event = Incoming(state.guard.term, kind, function, type_, value, location)
        event.position = len(self.equation.steps)
        self.equation.incoming.append(event)
        return event

    def cut(self, frame: Frame, label: str, guard: Term, kind: str, reason: str, index: int = -1) -> None:
        """Executions that hold `guard` at this block end here for the analysis."""
        if guard is T.FALSE:
            return
        reachable = self.reachability.after(frame, label, index)
        self.equation.cuts.append(Cut(guard, kind, reason, reachable))

    def not_executed(self, state: State, function: ir.Function) -> None:
        """Something stands in the place of a function: nothing is known of what happens inside."""
        inside = self.reachability.from_function(function.name)
        reason = f"{function.source_name} is not executed here"
        self.equation.cuts.append(Cut(state.guard.term, "callee", reason, inside))

    def unsupported(self, type_: ir.Type, reason: str) -> Value | None:
        """An arbitrary value in the place of something vouch cannot compute. Checks that depend on it and
        fail are undecided."""
        if isinstance(type_, ir.VoidType):
            return None
        value = self.context.fresh(type_, "unsupported")
        for symbol in symbols(value):
            self.context.unsupported[symbol] = reason
        return value

    def touch(self, target: MemObject, state: State, offset: Term, size: int) -> None:
        """Remember which bytes behind a pointer from outside are used, so that a replay can provide them. No
        object is so large that its places are further apart than 64-bit systems can address."""
        if offset.value is None and offset.width == 64:
            far = 1 << 47
            near = T.and_(T.sle(T.bv(-far, 64), offset), T.sle(offset, T.bv(far, 64)))
            state.guard = state.guard.and_(near)
        touch = Touch(state.guard.term, offset, size, self.equation.touched)
        self.equation.touches.setdefault(target, []).append(touch)
        self.equation.touched += 1

    def new_object(
        self, state: State, kind: Kind, name: str, size: int | Term | None, initial: Initial, align: int = 16
    ) -> MemObject:
        made = MemObject(kind, name, size, initial, align=align)
        state.memory[made] = Contents(state.token)
        return made

    def allocated(self, state: State, made: MemObject, owner: str, unless: Term = T.FALSE) -> None:
        """Remember an object that a native run makes too. `owner` is "F.x" for an alloca, "" for the heap."""
        guard = T.and_(state.guard.term, T.not_(unless))
        self.equation.allocations.append((guard, made, owner, made.initial))
        self.owners[made] = owner
        if self.induction is not None and owner:
            function, _, register = owner.rpartition(".")
            self.induction.names[made] = function, register

    def escapes(self, local: MemObject) -> bool:
        """May anything but accesses by name reach a local variable?"""
        if local.kind is Kind.HEAP:
            return True
        owner = self.owners.get(local, "")
        known = self._escaping.get(owner)
        if known is None:
            known = self._escaping[owner] = self._leaves(owner)
        return known

    def _leaves(self, owner: str) -> bool:
        """`owner` is the function with the register, `F.x`."""
        head, dot, rest = owner.partition(".")
        while dot and head not in self.context.program.functions:
            more, dot, rest = rest.partition(".")
            head = f"{head}.{more}"
        function = self.context.program.functions.get(head)
        return function is None or f"%{rest}" in self.reachability.escaping(function)

    def begun(self, state: State, variable: MemObject) -> Initial:
        """The life of a block's variable begins: what it holds now is not what it held the last time."""
        initial = Unknown(undefined=True)
        if variable in self.owners:
            record = (state.guard.term, variable, self.owners[variable], initial)
            self.equation.allocations.append(record)
        return initial

    # ------------------------------------------------------------ marks and edges

    def mark(self) -> tuple[int, ...]:
        """Where the records stand, for `rewind`."""
        e = self.equation
        return len(e.claims), len(e.steps), len(e.incoming), len(e.cuts), len(e.allocations), len(self.heap)

    def rewind(self, mark: tuple[int, ...]) -> None:
        """Forget what was recorded since."""
        e = self.equation
        records: tuple[list[Any], ...] = (e.claims, e.steps, e.incoming, e.cuts, e.allocations, self.heap)
        for kept, length in zip(records, mark, strict=True):
            del kept[length:]
        self.held.clear()

    def go(self, frame: Frame, state: State, source: str, target: str, *, last: bool = False) -> None:
        """Send a state along an edge; the `last` one out of a block may take the registers along."""
        if state.guard.term is T.FALSE:
            return
        current = frame.registers
        live = frame.flow.live[target]
        if last and len(current) <= len(live) + _DEAD:
            frame.pending.setdefault(target, []).append(Edge(state, current, source))
            return
        registers = {name: current[name] for name in live if name in current}
        if frame.marked:
            registers.update({m: current[m] for name in live if (m := name_of(name)) in current})
        frame.pending.setdefault(target, []).append(Edge(state, registers, source))

    def note_exit(self, frame: Frame, label: str, targets: Iterable[str], decided: bool) -> None:
        """Remember whether this iteration's exit test of the loops around `label` was decided."""
        around = frame.flow.enclosing.get(label, ())
        loops = frame.flow.loops
        left = [head for head in around if any(t not in loops[head].blocks for t in targets)]
        self.exits(id(frame), left, decided)

    def exits(self, frame: int, left: Iterable[str], decided: bool) -> None:
        """The same, of the loops that the branch may leave."""
        for head in left:
            noted = self.iteration_exits.get((frame, head))
            if noted is not None:
                noted.append(decided)

    def look(self, frame: int, label: str, values: Iterable[Value]) -> None:
        """Remember whether what decides this block's branch differs from what it was in all iterations
        before."""
        key = (frame, label)
        seen = self.compared.get(key)
        if seen is None:
            seen = self.compared[key] = set()
        found = tuple([v.value if type(v) is Term else _seen_value(v) for v in values])
        self.moved[key] = found not in seen and found.count(None) < len(found)
        seen.add(found)

    def at_exit(self, state: State, caller: Frame | None, site: ir.Call | None) -> State | None:
        """Run what was registered with `atexit`."""
        function = self.context.program.functions.get("__vouch_at_exit")
        if function is None or not function.defined:
            return state
        ended = self.call(function, [], state, caller, site)
        return ended[0] if ended is not None else None

    def program_ends(self, state: State, result: Value | None = None) -> None:
        """Heap objects that are live, and that neither the result nor a global points to, are lost."""
        self.equation.ends.append(state.guard.term)
        claimable = (check for _, site in self.heap for check in self.sites.get(site.number, ()))
        if not any(check.trigger is Trigger.LEAK for check in claimable):
            return
        objects = [o for o in self.context.globals.values() if o.kind is Kind.GLOBAL]
        roots = [Root(Pointer.to(o, self.context.zero_offset)) for o in objects]
        if result is not None:
            roots.append(Root(result))
        kept = self.context.environment.reach(state.memory, roots).seen
        for made, site in self.heap:
            contents = state.memory.get(made)
            if contents is not None and made not in kept:
                self.claims_at(site, state, Trigger.LEAK, contents.alive)


def _seen_value(value: Value) -> object:
    """A known number, or a known place in an object whichever it is: within an object a walk has an end, from
    object to object (a list) it may have none."""
    if isinstance(value, Term):
        return value.value
    single = value.single if isinstance(value, Pointer) else None
    return None if single is None or single[0].kind is Kind.OUTSIDE else single[1].value


def _converts_float(check: Check) -> bool:
    """A float that does not fit an integer becomes an arbitrary one."""
    site = check.site
    return (
        isinstance(site, ir.Call)
        and isinstance(site.callee, ir.GlobalConstant)
        and site.callee.name.startswith(f"{HANDLER}float_cast_overflow")
    )
