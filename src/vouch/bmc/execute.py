"""Symbolic execution of one entry point to an `Equation`.

Blocks run in weak topological order; paths meet at joins and go on as one. Loops run until no path takes the
back edge, or to their bound; what is left then is recorded as a cut. A call runs the callee in place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vouch.bmc import induction, instructions, operands, shadow
from vouch.bmc.callees import CalleePolicy, inline
from vouch.bmc.context import ExecutionContext
from vouch.bmc.endless import Heads
from vouch.bmc.environment.reach import Root
from vouch.bmc.equation import Claim, Cut, Equation, Incoming, Step, Touch
from vouch.bmc.guard import root
from vouch.bmc.initial import Initial, Unknown
from vouch.bmc.memory import Contents
from vouch.bmc.reachability import Reachability
from vouch.bmc.state import Edge, State, join_states, join_values
from vouch.bmc.value import Kind, MemObject, Pointer, Value, symbols
from vouch.c import ir
from vouch.c.checks.base import Category, Check, Trigger
from vouch.c.flow.handlers import HANDLER, is_handler_call
from vouch.c.flow.order import Flow, Loop
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

# After these an execution goes on with arbitrary values, so later violations may be mere consequences.
CHAOS = frozenset({Category.POINTER, Category.BOUNDS, Category.UNINITIALISED, Category.DIVISION_BY_ZERO})

# Violated by getting there: a branch that leads past has answered the question.
_REACHING = frozenset({Trigger.REACHED, Trigger.REACHED_ZERO, Trigger.REACHED_NONZERO})

HARD_LIMIT = 100_000  # iterations of a loop whose end the executor sees coming


@dataclass(slots=True)
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


class Frame:
    """One activation. `registers` are those of the current block; `caller` is the call that made it."""

    __slots__ = (
        "call",
        "caller",
        "fixed",
        "flow",
        "function",
        "marked",
        "model",
        "objects",
        "pending",
        "registers",
        "varargs",
    )

    def __init__(self, flow: Flow, caller: Frame | None, call: ir.Call | None) -> None:
        self.flow = flow
        self.function = flow.function
        self.caller = caller
        self.call = call
        self.registers: dict[str, Value] = {}
        self.fixed: dict[
            str, Value
        ] = {}  # parameters and allocas of the entry block: the same in every block
        self.pending: dict[str, list[Edge]] = {}
        self.objects: list[MemObject] = []
        self.varargs: list[tuple[ir.Type, Value, shadow.Shadow | None]] = []
        self.model = False
        self.marked = False  # some register holds unwritten bytes

    def chain(self) -> Iterable[Frame]:
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.caller


class Executor:
    """Executes one entry point. `sites` has the checks by the number of the
    instruction that they are attached to."""

    def __init__(
        self,
        context: ExecutionContext,
        sites: Mapping[int, Sequence[Check]],
        limits: ExecutionLimits,
        *,
        unknown_calls: str = "havoc",
        malloc_may_fail: bool = False,
        propagation: bool = True,
        plan: induction.Induction | None = None,
        feasible: Callable[[Term], bool] | None = None,
        reachability: Reachability | None = None,
        public: Sequence[str] = (),
        callees: CalleePolicy = inline,
    ) -> None:
        self.context = context
        self.memory = context.memory
        self.sites = sites
        self.limits = limits
        self.extern = unknown_calls
        self.malloc_may_fail = malloc_may_fail
        self.propagation = propagation
        self.feasible = feasible
        self.equation = Equation("")
        self.reachability = reachability if reachability is not None else Reachability(context.program)
        self.induction = plan
        self.phase = induction.Phase.CLAIM
        self.fixed: dict[str, Value] = {}  # of the current frame
        self.depth = 0
        self.active: dict[str, int] = {}
        self.public = public
        self.callees = callees
        self.iteration_exits: dict[tuple[int, str], list[bool]] = {}
        self.compared: dict[tuple[int, str], set[tuple[object, ...]]] = {}  # by the tests of running loops
        self.moved: dict[tuple[int, str], bool] = {}
        self.last_violation: dict[str, Term] = {}
        self.assertions: dict[tuple[str, str], list[Check]] = {}
        self.heap: list[tuple[MemObject, ir.Instruction]] = []
        self.owners: dict[MemObject, str] = {}  # of each object that was made: see `allocated`
        self.returned: Value | None = None  # marks of what the last call returned

    # ------------------------------------------------------------ services

    def claim(self, check: Check, state: State, violated: Term) -> None:
        """The check is executed on this path and violated where `violated` holds as well."""
        reached = state.guard.term
        if reached is T.FALSE:
            return
        if self.phase is not induction.Phase.CLAIM:
            trusted = self.induction.trusted if self.induction is not None else frozenset()
            if self.phase is induction.Phase.ASSUME and check.id in trusted:
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

    def visit(self, instruction: ir.Instruction, state: State) -> None:
        """A site is executed: its checks are to be claimed now, or they are not evaluated at all."""
        if self.phase is induction.Phase.CLAIM and not state.guard.dead:
            self.equation.visited.add(instruction.number)

    def doubt(self, reason: str) -> Term:
        """A condition that nobody can work out. A check that hangs on it is undecided for that reason."""
        symbol = T.fresh("not.evaluated", T.BOOL)
        self.context.unsupported[symbol] = reason
        return symbol

    def pass_by(self, state: State, function: ir.Function, label: str) -> None:
        """A branch that may lead to a failing assertion or to a handler: the question is asked here, be it
        that nothing ever goes that way."""
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
        for check in checks:
            self.claim(check, state, T.FALSE)

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
        step = Step(
            state.guard.term, kind, location, owner, what, value, target, offset, ctype, pointer
        )
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

    def begun(self, state: State, variable: MemObject) -> Initial:
        """The life of a block's variable begins: what it holds now is not what it held the last time."""
        initial = Unknown(undefined=True)
        if variable in self.owners:
            record = (state.guard.term, variable, self.owners[variable], initial)
            self.equation.allocations.append(record)
        return initial

    # ------------------------------------------------------------ entry

    def run(self, entry: str, *, constructors: bool) -> Equation:
        """Execute an entry point with arbitrary arguments."""
        context = self.context
        self.equation = equation = Equation(entry)
        function = context.program.functions[entry]
        state = State(root(), {})
        context.environment.relevant = sorted(self.reachability.globals_of(entry))
        try:
            if constructors:
                state = self._construct(state)
            arguments = instructions.entry_arguments(self, function, state)
            equation.arguments = arguments
            ended = self.call(function, arguments, state, None, None)
            if ended is not None:
                equation.finished = ended[0].guard.term
                last = self.at_exit(ended[0], None, None) if entry == "main" else ended[0]
                if last is not None:
                    self.program_ends(last, ended[1])
        except Budget as over:
            equation.cuts.append(Cut(T.TRUE, "budget", str(over), self.reachability.from_function(entry)))
        equation.constraints = context.constraints
        equation.outside = context.environment.objects
        equation.globals = list(context.globals.values())
        equation.notes = context.notes
        equation.unsupported = context.unsupported
        return equation

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

    def _construct(self, state: State) -> State:
        """Static constructors of C++ run before `main`."""
        for name in self.context.program.constructors:
            function = self.context.program.functions.get(name)
            if function is not None and function.defined:
                ended = self.call(function, [], state, None, None)
                if ended is not None:
                    state = ended[0]
        return state

    # ------------------------------------------------------------ functions

    def call(
        self,
        function: ir.Function,
        arguments: list[Value],
        state: State,
        caller: Frame | None,
        site: ir.Call | None,
        marked: list[shadow.Shadow | None] | None = None,
    ) -> tuple[State, Value | None] | None:
        """Run a function with a body. None when no path returns. `marked` has the marks of the arguments;
        those of the result are in `returned` afterwards."""
        frame = Frame(self.reachability.flow(function), caller, site)
        frame.model = function.name in self.context.program.models
        marked = marked or [None] * len(arguments)
        for parameter, value, unwritten in zip(function.parameters, arguments, marked, strict=False):
            frame.fixed[parameter.name] = value
            if unwritten is not None:
                frame.fixed[shadow.name_of(parameter.name)] = unwritten
                frame.marked = True
        count = len(function.parameters)
        if len(arguments) > count and site is not None:
            types = [self.context.type_of(a) for a in site.arguments[count:]]
            frame.varargs = list(zip(types, arguments[count:], marked[count:], strict=True))
        self.active[function.name] = self.active.get(function.name, 0) + 1
        self.depth += 1
        outer, self.fixed = self.fixed, frame.fixed
        returns: list[Edge] = []
        try:
            entry = next(iter(function.blocks))
            frame.pending[entry] = [Edge(state, frame.registers, "")]
            self._run_order(frame, frame.flow.order, returns)
        finally:
            self.depth -= 1
            self.fixed = outer
            self.active[function.name] -= 1
        return self._leave(frame, returns)

    def _leave(self, frame: Frame, returns: list[Edge]) -> tuple[State, Value | None] | None:
        self.returned = None
        for owned in frame.objects:
            owned.dead = True
        if not returns:
            return None
        state, conditions = join_states(self.memory, [edge.state for edge in returns])
        for owned in frame.objects:
            state.memory.pop(owned, None)
        if isinstance(frame.function.signature.result, ir.VoidType):
            return state, None
        if frame.marked:
            self.returned = shadow.joined(returns, ("",), conditions).get(shadow.name_of(""))
        values = [edge.registers[""] for edge in returns]
        return state, values[0] if len(values) == 1 else join_values(conditions, values)

    # ------------------------------------------------------------ blocks and loops

    def _run_order(self, frame: Frame, order: list[str | Loop], returns: list[Edge]) -> None:
        for element in order:
            if isinstance(element, Loop):
                self._run_loop(frame, element, returns)
            else:
                self._run_block(frame, element, returns)

    def run_iteration(self, frame: Frame, loop: Loop, returns: list[Edge]) -> None:
        self._run_block(frame, loop.head, returns)
        self._run_order(frame, loop.body, returns)

    def _run_loop(self, frame: Frame, loop: Loop, returns: list[Edge]) -> None:
        counted = total = 0
        bound = self._bound(frame, loop)
        key = (id(frame), loop.head)
        for label in loop.blocks:
            self.compared.pop((id(frame), label), None)
        heads = Heads()
        before: list[State] = []
        while any(label in frame.pending for label in loop.blocks):
            if self.induction is not None and not frame.model:
                if counted > self.induction.k:
                    self._induct(frame, loop, returns, before)
                    break
                before += [edge.state.fork(edge.state.guard) for edge in frame.pending.get(loop.head, ())]
            if counted and loop.head in frame.pending and heads.repeats(frame.pending[loop.head], total):
                # These executions never leave the loop.
                self.equation.ends += [edge.state.guard.term for edge in frame.pending.pop(loop.head)]
                continue
            if loop.head in frame.pending and (counted > bound or total >= HARD_LIMIT):
                self._cut_loop(frame, loop, counted)
                continue
            exits = self.iteration_exits[key] = []
            self.run_iteration(frame, loop, returns)
            total += 1
            # An iteration whose exit test was decided while executing does not count towards the bound.
            if not any(exits):
                counted += 1
            if self.feasible is not None and counted:
                self._drop_infeasible(frame, loop)
        self.iteration_exits.pop(key, None)
        known = self.equation.loops.get(loop.name, 0)
        self.equation.loops[loop.name] = max(known, total)

    def _induct(self, frame: Frame, loop: Loop, returns: list[Edge], heads: list[State]) -> None:
        """The loop's end is not in sight: go on by induction. `heads` are the states before each iteration so
        far."""
        assert self.induction is not None
        pending = {label: list(edges) for label, edges in frame.pending.items()}
        try:
            induction.run_loop(self, frame, loop, returns, self.induction, heads)
        except Unsupported as reason:
            guards = [e.state.guard.term for label in loop.blocks for e in pending.get(label, ())]
            self.cut(frame, loop.head, T.or_(*guards) if guards else T.TRUE, "loop", str(reason))
            for label in loop.blocks:
                frame.pending.pop(label, None)

    def mark(self) -> tuple[int, ...]:
        """Where the records stand, for `rewind`."""
        e = self.equation
        return len(e.claims), len(e.steps), len(e.incoming), len(e.cuts), len(e.allocations), len(self.heap)

    def rewind(self, mark: tuple[int, ...]) -> None:
        """Forget what was recorded since."""
        e = self.equation
        records: tuple[list[Any], ...] = (e.claims, e.steps, e.incoming, e.cuts, e.allocations, self.heap)
        for record, length in zip(records, mark, strict=True):
            del record[length:]

    def _bound(self, frame: Frame, loop: Loop) -> int:
        if frame.model:
            return self.limits.model_unwind
        return self.limits.loops.get(loop.name, self.limits.unwind)

    def _cut_loop(self, frame: Frame, loop: Loop, counted: int) -> None:
        for edge in frame.pending.pop(loop.head):
            place = loop.location
            where = f"{place.file}:{place.line}" if place is not None else frame.function.source_name
            bound = max(counted - 1, 0)
            self.cut(
                frame,
                loop.head,
                edge.state.guard.term,
                "loop",
                f"loop {loop.name} ({where}) runs more than {bound} times",
            )

    def _drop_infeasible(self, frame: Frame, loop: Loop) -> None:
        assert self.feasible is not None
        edges = frame.pending.get(loop.head)
        if edges:
            kept = [edge for edge in edges if self.feasible(edge.state.guard.term)]
            if kept:
                frame.pending[loop.head] = kept
            else:
                del frame.pending[loop.head]

    def _run_block(self, frame: Frame, label: str, returns: list[Edge]) -> None:
        edges = frame.pending.pop(label, None)
        if not edges:
            return
        block = frame.function.blocks[label]
        try:
            state, conditions = join_states(self.memory, [edge.state for edge in edges])
            frame.registers = self._join_registers(frame, block, edges, conditions)
        except Unsupported as reason:
            for edge in edges:
                self.cut(frame, label, edge.state.guard.term, "unsupported", str(reason))
            return
        except (Budget, MemoryError):
            raise
        except Exception as wrong:
            for edge in edges:
                self._cut_failed(frame, edge.state, label, -1, wrong)
            return
        if state.guard.dead:
            return
        self._check_budget(len(block.instructions))
        for index, instruction in enumerate(block.instructions):
            if isinstance(instruction, ir.Phi):
                continue
            known = len(self.equation.claims)
            try:
                after = instructions.execute(self, frame, state, instruction, label, index)
            except Unsupported as reason:
                after = self._skip(frame, state, instruction, label, index, str(reason), known)
            except (Budget, MemoryError):
                raise
            except Exception as wrong:
                self._cut_failed(frame, state, label, index, wrong)
                return
            if after is None:
                return
            state = after
            if isinstance(instruction, ir.Return):
                kept = ("", shadow.name_of(""))
                registers = {name: frame.registers[name] for name in kept if name in frame.registers}
                returns.append(Edge(state, registers, label))
                return

    def _join_registers(
        self, frame: Frame, block: ir.Block, edges: list[Edge], conditions: list[Term]
    ) -> dict[str, Value]:
        phis: dict[str, Value] = {}
        for instruction in block.instructions:
            if not isinstance(instruction, ir.Phi):
                break
            values = [self._incoming_value(instruction, edge) for edge in edges]
            assert instruction.result is not None
            phis[instruction.result] = values[0] if len(values) == 1 else join_values(conditions, values)
        if len(edges) == 1:
            registers = edges[0].registers
            return {**registers, **phis} if phis else registers
        live = frame.flow.live[block.label]
        registers = {}
        for name in live:
            values = [edge.registers[name] for edge in edges if name in edge.registers]
            if len(values) == len(edges):
                registers[name] = join_values(conditions, values)
            elif values:
                # Defined on some edges only: needed on those alone (it feeds a phi).
                registers[name] = values[0]
        if frame.marked:
            registers.update(shadow.joined(edges, live, conditions))
        registers.update(phis)
        return registers

    def _incoming_value(self, phi: ir.Phi, edge: Edge) -> Value:
        for operand, source in phi.incoming:
            if source == edge.source:
                return operands.operand_value(self, edge.registers, operand, phi.type)
        raise Unsupported(f"phi without a value for block {edge.source}")

    def _check_budget(self, count: int) -> None:
        self.equation.instructions += count
        if self.equation.instructions > self.limits.instructions:
            raise Budget(f"more than {self.limits.instructions} instructions to execute")
        if self.limits.deadline is not None and time.monotonic() > self.limits.deadline:
            raise Budget("time limit reached during symbolic execution")

    def _skip(
        self,
        frame: Frame,
        state: State,
        instruction: ir.Instruction,
        label: str,
        index: int,
        reason: str,
        known: int,
    ) -> State | None:
        """An instruction vouch cannot execute. The value of one that does nothing but compute becomes
        arbitrary, and those of its checks that were not claimed (claims from `known` on are its own) are
        undecided; anything else ends the path with the checks behind it undecided."""
        if instruction.result is not None and isinstance(instruction, instructions.PURE):
            try:
                value = self.unsupported(instruction.type, reason)
            except Unsupported:
                value = None
            if value is not None:
                claimed = {claim.check.id for claim in self.equation.claims[known:]}
                for check in self.sites.get(instruction.number, ()):
                    if check.id not in claimed:
                        self.claim(check, state, self.doubt(reason))
                frame.registers[instruction.result] = value
                return state
        self.cut(frame, label, state.guard.term, "unsupported", reason, index)
        return None

    def _cut_failed(self, frame: Frame, state: State, label: str, index: int, wrong: Exception) -> None:
        """An instruction that vouch should have been able to execute: a mistake in vouch costs what comes
        behind it."""
        where = frame.function.blocks[label].instructions[max(index, 0)].location
        place = f"{where.file}:{where.line}" if where is not None else frame.function.source_name
        reason = f"internal error at {place}: {type(wrong).__name__}: {' '.join(str(wrong).split())}"
        reason = reason.rstrip(": ")
        self.equation.failures[reason] = None
        self.cut(frame, label, state.guard.term, "unsupported", reason, index)

    # ------------------------------------------------------------ edges

    def go(self, frame: Frame, state: State, source: str, target: str) -> None:
        """Send a state along an edge."""
        if state.guard.dead:
            return
        current = frame.registers
        live = frame.flow.live[target]
        registers = {name: current[name] for name in live if name in current}
        if frame.marked:
            registers.update({m: current[m] for name in live if (m := shadow.name_of(name)) in current})
        frame.pending.setdefault(target, []).append(Edge(state, registers, source))

    def note_exit(self, frame: Frame, label: str, targets: Iterable[str], decided: bool) -> None:
        """Remember whether this iteration's exit test of the loops around `label` was decided."""
        for head in frame.flow.enclosing.get(label, ()):
            exits = self.iteration_exits.get((id(frame), head))
            if exits is not None and any(t not in frame.flow.loops[head].blocks for t in targets):
                exits.append(decided)


def _converts_float(check: Check) -> bool:
    """A float that does not fit an integer becomes an arbitrary one."""
    site = check.site
    return (
        isinstance(site, ir.Call)
        and isinstance(site.callee, ir.GlobalConstant)
        and site.callee.name.startswith(f"{HANDLER}float_cast_overflow")
    )
