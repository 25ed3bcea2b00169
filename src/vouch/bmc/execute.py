"""Symbolic execution of one entry point to an `Equation`.

Blocks run in weak topological order; paths meet at joins and go on as one. Loops run until no path takes the
back edge, or to their bound; what is left then is recorded as a cut. A call runs the callee in place.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from vouch.bmc import induction, instructions, operands, promises, shadow
from vouch.bmc.decoded_flow import decode
from vouch.bmc.endless import Heads
from vouch.bmc.equation import Cut, Equation
from vouch.bmc.execution import Budget, Execution, Phase
from vouch.bmc.frame import Frame, Shadow, name_of
from vouch.bmc.guard import root
from vouch.bmc.state import ANY_TURN, Edge, State, join_states, join_values
from vouch.bmc.straight import Straight
from vouch.bmc.straight_steps import DONE
from vouch.bmc.value import Value
from vouch.c import ir
from vouch.c.flow.order import Loop
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

MOST_TURNS = 64  # of a loop that are executed while its head decides by itself, before it is generalised
HARD_LIMIT = 100_000  # iterations of a loop whose end the executor sees coming


class Executor:
    """Runs blocks and loops on an execution. `feasible` tells whether a path can be taken, if that is to be
    asked on the way."""

    def __init__(self, ex: Execution, feasible: Callable[[Term], bool] | None = None) -> None:
        self.ex = ex
        self.feasible = feasible
        ex.call, ex.run_iteration = self.call, self.run_iteration

    # ------------------------------------------------------------ entry

    def run(self, entry: str, *, constructors: bool) -> Equation:
        """Execute an entry point with arbitrary arguments."""
        context = self.ex.context
        self.ex.equation = equation = Equation(entry)
        function = context.program.functions[entry]
        state = State(root(), {})
        scope = self.ex.scope
        named = self.ex.reachability.globals_of(entry) if scope is None else scope.globals
        context.environment.relevant = sorted(self.ex.reachability.with_initial(named))
        try:
            if constructors:
                state = self._construct(state)
            arguments = instructions.entry_arguments(self.ex, function, state)
            equation.arguments = arguments
            promises.at_entry(self.ex, function, arguments, state)
            ended = self._enter(function, arguments, state)
            if ended is not None:
                equation.finished = ended[0].guard.term
                last = self.ex.at_exit(ended[0], None, None) if entry == "main" else ended[0]
                if last is not None:
                    self.ex.program_ends(last, ended[1])
        except Budget as over:
            equation.cuts.append(Cut(T.TRUE, "budget", str(over), self.ex.reachability.from_function(entry)))
        equation.constraints = context.constraints
        equation.outside = context.environment.objects
        equation.globals = list(context.globals.values())
        equation.notes = context.notes
        equation.unsupported = context.unsupported
        return equation

    def _enter(
        self, function: ir.Function, arguments: list[Value], state: State
    ) -> tuple[State, Value | None] | None:
        """Run the entry point. Where the budget ends that, what was not executed is cut, path by path; an
        argument that assumes checks needs all of them."""
        try:
            return self.call(function, arguments, state, None, None)
        except Budget:
            if self.ex.induction is not None and self.ex.induction.trusted:
                raise
            return None

    def _construct(self, state: State) -> State:
        """Static constructors of C++ run before `main`."""
        for name in self.ex.context.program.constructors:
            function = self.ex.context.program.functions.get(name)
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
        marked: list[Shadow | None] | None = None,
    ) -> tuple[State, Value | None] | None:
        """Run a function with a body. None when no path returns. `marked` has the marks of the arguments;
        those of the result are in `returned` afterwards."""
        frame = Frame(self.ex.reachability.flow(function), caller, site)
        frame.model = function.name in self.ex.context.program.models
        marked = marked or [None] * len(arguments)
        for parameter, value, unwritten in zip(function.parameters, arguments, marked, strict=False):
            frame.fixed[parameter.name] = value
            if unwritten is not None:
                frame.fixed[name_of(parameter.name)] = unwritten
                frame.marked = True
        count = len(function.parameters)
        if len(arguments) > count and site is not None:
            types = [self.ex.context.type_of(a) for a in site.arguments[count:]]
            frame.varargs = list(zip(types, arguments[count:], marked[count:], strict=True))
        self.ex.active[function.name] = self.ex.active.get(function.name, 0) + 1
        self.ex.depth += 1
        outer, self.ex.fixed = self.ex.fixed, frame.fixed
        returns: list[Edge] = []
        try:
            entry = next(iter(function.blocks))
            frame.pending[entry] = [Edge(state, frame.registers, "")]
            self._run_order(frame, frame.flow.order, returns)
        except Budget as over:
            for label, edges in frame.pending.items():
                for edge in edges:
                    self.ex.cut(frame, label, edge.state.guard.term, "budget", str(over))
            raise
        finally:
            self.ex.depth -= 1
            self.ex.fixed = outer
            self.ex.active[function.name] -= 1
        return self._leave(frame, returns)

    def _leave(self, frame: Frame, returns: list[Edge]) -> tuple[State, Value | None] | None:
        self.ex.returned = None
        for owned in frame.objects:
            owned.dead = True
        if not returns:
            return None
        state, conditions = join_states(self.ex.memory, [edge.state for edge in returns])
        for owned in frame.objects:
            state.memory.pop(owned, None)
        if isinstance(frame.function.signature.result, ir.VoidType):
            return state, None
        if frame.marked:
            self.ex.returned = shadow.joined(returns, ("",), conditions).get(name_of(""))
        values = [edge.registers[""] for edge in returns]
        return state, values[0] if len(values) == 1 else join_values(conditions, values)

    # ------------------------------------------------------------ blocks and loops

    def _run_order(self, frame: Frame, order: list[str | Loop], returns: list[Edge]) -> None:
        for element in order:
            if isinstance(element, Loop):
                self._run_loop(frame, element, returns)
            elif element in frame.pending:
                self._run_block(frame, element, returns)

    def run_iteration(self, frame: Frame, loop: Loop, returns: list[Edge]) -> None:
        self._run_block(frame, loop.head, returns)
        self._run_order(frame, loop.body, returns)

    def _run_loop(self, frame: Frame, loop: Loop, returns: list[Edge]) -> None:
        counted = total = 0
        bound = self._bound(frame, loop)
        key = (id(frame), loop.head)
        for label in loop.blocks:
            self.ex.compared.pop((id(frame), label), None)
        heads = Heads()
        before: list[State] = []
        while not loop.blocks.isdisjoint(frame.pending):
            if self.ex.induction is not None and not frame.model:
                if counted > self.ex.induction.k and (
                    self.ex.induction.k >= 0 or self._generalises(frame, loop, total)
                ):
                    self._induct(frame, loop, returns, before)
                    break
                before += [edge.state.fork(edge.state.guard) for edge in frame.pending.get(loop.head, ())]
            if counted and loop.head in frame.pending and heads.repeats(frame.pending[loop.head], total):
                # These executions never leave the loop.
                self.ex.equation.ends += [edge.state.guard.term for edge in frame.pending.pop(loop.head)]
                continue
            if loop.head in frame.pending and (counted > bound or total >= HARD_LIMIT):
                self._cut_loop(frame, loop, counted)
                continue
            exits = self.ex.iteration_exits[key] = []
            self.run_iteration(frame, loop, returns)
            total += 1
            # An iteration whose exit test was decided while executing does not count towards the bound.
            if not any(exits):
                counted += 1
            if self.feasible is not None and counted:
                self._drop_infeasible(frame, loop)
        self.ex.iteration_exits.pop(key, None)
        known = self.ex.equation.loops.get(loop.name, 0)
        self.ex.equation.loops[loop.name] = max(known, total)

    def _induct(self, frame: Frame, loop: Loop, returns: list[Edge], heads: list[State]) -> None:
        """The loop's end is not in sight: go on by induction. `heads` are the states before each iteration so
        far."""
        assert self.ex.induction is not None
        pending = {label: list(edges) for label, edges in frame.pending.items()}
        try:
            induction.run_loop(self.ex, frame, loop, returns, self.ex.induction, heads)
        except Budget:
            # Whatever was on its way into the loop is not executed, and is cut where this ends.
            for label, edges in pending.items():
                frame.pending[label] = [*frame.pending.get(label, ()), *edges]
            raise
        except Unsupported as reason:
            guards = [e.state.guard.term for label in loop.blocks for e in pending.get(label, ())]
            self.ex.cut(frame, loop.head, T.or_(*guards) if guards else T.TRUE, "loop", str(reason))
            for label in loop.blocks:
                frame.pending.pop(label, None)

    def _generalises(self, frame: Frame, loop: Loop, turns: int) -> bool:
        """May a loop be generalised before its next turn? Not where it is entered elsewhere than at its head
        or carries registers from turn to turn, and not while its head decides by itself how it goes on."""
        if any(label in frame.pending for label in loop.blocks if label != loop.head):
            return False
        if loop.head not in frame.pending:
            return False
        if type(frame.function.blocks[loop.head].instructions[0]) is ir.Phi:
            return turns > 0  # all edges come from its own turns then
        return turns >= MOST_TURNS or not self._head_decides(frame, loop)

    def _head_decides(self, frame: Frame, loop: Loop) -> bool:
        """Run the head alone, for nothing but its exit test."""
        ex, key = self.ex, (id(frame), loop.head)
        pending = {label: list(edges) for label, edges in frame.pending.items()}
        compared = {label: set(ex.compared.get((id(frame), label), ())) for label in loop.blocks}
        outer, ex.phase = ex.phase, Phase.TRIAL
        mark = ex.mark()
        exits = ex.iteration_exits[key] = []
        try:
            first = pending[loop.head]
            frame.pending = {
                loop.head: [Edge(e.state.fork(e.state.guard), dict(e.registers), e.source) for e in first]
            }
            self._run_block(frame, loop.head, [])
        finally:
            ex.phase = outer
            ex.rewind(mark)
            frame.pending = pending
            for label, seen in compared.items():
                ex.compared[id(frame), label] = seen
        return any(exits)

    def _bound(self, frame: Frame, loop: Loop) -> int:
        if frame.model:
            return self.ex.limits.model_unwind
        return self.ex.limits.loops.get(loop.name, self.ex.limits.unwind)

    def _cut_loop(self, frame: Frame, loop: Loop, counted: int) -> None:
        for edge in frame.pending.pop(loop.head):
            place = loop.location
            where = f"{place.file}:{place.line}" if place is not None else frame.function.source_name
            bound = max(counted - 1, 0)
            self.ex.cut(
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
            state, conditions = join_states(self.ex.memory, [edge.state for edge in edges])
            frame.registers = self._join_registers(frame, block, edges, conditions)
        except Unsupported as reason:
            for edge in edges:
                self.ex.cut(frame, label, edge.state.guard.term, "unsupported", str(reason))
            return
        except (Budget, MemoryError):
            raise
        except Exception as wrong:
            for edge in edges:
                self._cut_failed(frame, edge.state, label, -1, wrong)
            return
        if state.guard.dead:
            return
        entered, part, index = state.guard.term, label, -1
        try:
            self._check_budget(len(block.instructions))
            straight = self._decoded(frame)[label]
            first = straight.begin(frame, state)
            if first == DONE:
                return
            for part, index, instruction, fast in straight.steps[first:] if first else straight.steps:
                try:
                    if fast is not None:
                        done = fast(frame, state)
                        if done:
                            continue
                        if done is None:
                            return
                except (Budget, MemoryError):
                    raise
                except Exception:  # goes wrong again where it is looked into
                    pass
                after = self._run_instruction(frame, state, instruction, part, index)
                if after is None:
                    return
                state = after
                if isinstance(instruction, ir.Return):
                    kept = ("", name_of(""))
                    registers = {name: frame.registers[name] for name in kept if name in frame.registers}
                    returns.append(Edge(state, registers, part))
                    return
        except Budget as over:
            # All that was in this block ends here; before this instruction everything was looked at.
            self.ex.cut(frame, part, entered, "budget", str(over), index)
            raise

    def _decoded(self, frame: Frame) -> dict[str, Straight]:
        name = frame.function.name
        known: dict[str, Straight] | None = self.ex.decoded.get(name)
        if known is None:
            known = self.ex.decoded[name] = decode(self.ex, frame.flow)
        return known

    def _run_instruction(
        self, frame: Frame, state: State, instruction: ir.Instruction, label: str, index: int
    ) -> State | None:
        known = len(self.ex.equation.claims)
        try:
            return instructions.execute(self.ex, frame, state, instruction, label, index)
        except Unsupported as reason:
            return self._skip(frame, state, instruction, label, index, str(reason), known)
        except (Budget, MemoryError):
            raise
        except Exception as wrong:
            self._cut_failed(frame, state, label, index, wrong)
            return None

    def _join_registers(
        self, frame: Frame, block: ir.Block, edges: list[Edge], conditions: list[Term]
    ) -> dict[str, Value]:
        if len(edges) == 1 and type(block.instructions[0]) is not ir.Phi:
            return edges[0].registers
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
        if edge.source == ANY_TURN:
            assert phi.result is not None
            return edge.registers[phi.result]
        for operand, source in phi.incoming:
            if source == edge.source:
                return operands.operand_value(self.ex, edge.registers, operand, phi.type)
        raise Unsupported(f"phi without a value for block {edge.source}")

    def _check_budget(self, count: int) -> None:
        self.ex.equation.instructions += count
        if self.ex.equation.instructions > self.ex.limits.instructions:
            raise Budget(f"more than {self.ex.limits.instructions} instructions to execute")
        if self.ex.limits.deadline is not None and time.monotonic() > self.ex.limits.deadline:
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
                value = self.ex.unsupported(instruction.type, reason)
            except Unsupported:
                value = None
            if value is not None:
                claimed = {claim.check.id for claim in self.ex.equation.claims[known:]}
                for check in self.ex.sites.get(instruction.number, ()):
                    if check.id not in claimed:
                        self.ex.claim(check, state, self.ex.doubt(reason))
                frame.registers[instruction.result] = value
                return state
        self.ex.cut(frame, label, state.guard.term, "unsupported", reason, index)
        return None

    def _cut_failed(self, frame: Frame, state: State, label: str, index: int, wrong: Exception) -> None:
        """An instruction that vouch should have been able to execute: a mistake in vouch costs what comes
        behind it."""
        where = frame.function.blocks[label].instructions[max(index, 0)].location
        place = f"{where.file}:{where.line}" if where is not None else frame.function.source_name
        reason = f"internal error at {place}: {type(wrong).__name__}: {' '.join(str(wrong).split())}"
        reason = reason.rstrip(": ")
        self.ex.equation.failures[reason] = None
        self.ex.cut(frame, label, state.guard.term, "unsupported", reason, index)
