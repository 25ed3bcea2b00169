"""Questions about one equation: which constraints they have to do with, and solvers that hold those."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from vouch.bmc.context import ExecutionContext
from vouch.bmc.equation import Equation
from vouch.bmc.value import symbols
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.solver import Answer, Solver, SolverError
from vouch.smt.term import Term
from vouch.smt.walk import substitute

AT_ONCE = 2.0  # seconds for a question before it is cut into cases


class Asking:
    """`make_solver` gives a new solver; `check_timeout` is for one question, `deadline` the end of the whole
    run; `sliced`: only constraints that a question has to do with are asked."""

    def __init__(
        self,
        context: ExecutionContext,
        equation: Equation,
        make_solver: Callable[[], Solver],
        check_timeout: float,
        deadline: float | None,
        *,
        sliced: bool = True,
    ) -> None:
        self.context = context
        self.equation = equation
        self.make_solver = make_solver
        self.check_timeout = check_timeout
        self.deadline = deadline
        self.sliced = sliced
        self._solver: Solver | None = None
        self._support: dict[Term, frozenset[Term]] = {}
        self._by_symbol: dict[Term, list[int]] = {}  # numbers of constraints
        self._indexed = 0  # how many constraints that has
        self._replaced: dict[Term, Term] = {}  # terms as they are where nothing overlaps

    def close(self) -> None:
        """Let go of the shared solver; a further question makes a new one."""
        if self._solver is not None:
            self._solver.close()
            self._solver = None

    def forget(self) -> None:
        """In another process: the shared solver belongs to the one that made it."""
        self._solver = None

    def left(self) -> float:
        return 1e9 if self.deadline is None else self.deadline - time.monotonic()

    def shared(self) -> Solver:
        """A solver with the constraints that what is asked in this equation has to do with. The others share
        no symbol with it, and can be met (`can_be_met`)."""
        if self._solver is None:
            self._solver = self.make_solver()
            for constraint in self._relevant():
                self._solver.add(constraint)
        return self._solver

    def _relevant(self) -> list[Term]:
        if not self.sliced:
            return self.equation.constraints
        goals = [term for claim in self.equation.claims for term in (claim.reached, claim.violated)]
        goals += [cut.guard for cut in self.equation.cuts]
        goals += [*self.equation.assumptions, *self.equation.ends, *self.context.preferences]
        return self.connected(set(symbols(tuple(goals))))

    def connected(self, wanted: Iterable[Term]) -> list[Term]:
        """The constraints that share a symbol with these, directly or not."""
        # Reading a model may add constraints.
        for number in range(self._indexed, len(self.equation.constraints)):
            for symbol in self.symbols_of(self.equation.constraints[number]):
                self._by_symbol.setdefault(symbol, []).append(number)
        self._indexed = len(self.equation.constraints)
        work, seen, found = list(wanted), set(wanted), set()
        while work:
            for number in self._by_symbol.get(work.pop(), ()):
                if number not in found:
                    found.add(number)
                    fresh = self.symbols_of(self.equation.constraints[number]) - seen
                    seen |= fresh
                    work.extend(fresh)
        return [self.equation.constraints[number] for number in sorted(found)]

    def slice(self, goal: Term) -> tuple[Solver, list[Term]]:
        """A solver with the constraints that share a symbol with the goal, directly or not; and which."""
        solver = self.make_solver()
        if not self.sliced:
            for constraint in self.equation.constraints:
                solver.add(constraint)
            return solver, self.equation.constraints
        added = self.connected(self.symbols_of(goal))
        for constraint in added:
            solver.add(constraint)
        return solver, added

    def symbols_of(self, term: Term) -> frozenset[Term]:
        known = self._support.get(term)
        if known is None:
            known = self._support[term] = frozenset(symbols(term))
        return known

    def ask(self, solver: Solver, goal: Term, timeout: float) -> Answer:
        limit = min(timeout, self.left())
        if limit <= 0:
            return Answer.UNKNOWN
        return solver.check([goal], timeout=limit)

    def ask_cases(self, solver: Solver, goal: Term, timeout: float) -> Answer:
        """As `_ask`. What hangs on objects that may overlap, and has no answer at once, is asked again: where
        nothing overlaps, then for each two that do. Each case is simpler than all of them together."""
        used = self.overlaps(goal)
        if not used:
            return self.ask(solver, goal, timeout)
        end = time.monotonic() + timeout
        answer = self.ask(solver, goal, min(timeout, AT_ONCE))
        if answer is not Answer.UNKNOWN:
            return answer
        result = Answer.UNSAT
        for number in range(-1, len(used)):
            if time.monotonic() >= min(end, self.deadline or end):
                return Answer.UNKNOWN
            case = dict.fromkeys(used if number < 0 else used[:number], T.FALSE)
            if number >= 0:
                case[used[number]] = T.TRUE
            known = (symbol if value is T.TRUE else T.not_(symbol) for symbol, value in case.items())
            answer = self.ask(solver, T.and_(substitute(goal, case), *known), end - time.monotonic())
            if answer is Answer.SAT:
                return answer
            if answer is Answer.UNKNOWN:
                result = answer
        return result

    def overlaps(self, goal: Term) -> list[Term]:
        """The symbols of overlapping objects that a goal hangs on."""
        pairs = self.context.environment.overlaps.symbols
        return [symbol for symbol in self.symbols_of(goal) if symbol in pairs] if pairs else []

    def apart(self, goal: Term) -> Term:
        """The goal where no objects from outside overlap, of those that it hangs on."""
        used = self.overlaps(goal)
        if not used:
            return goal
        self._replaced.update((symbol, T.FALSE) for symbol in used)
        return T.and_(substitute(goal, {}, self._replaced), *map(T.not_, used))

    def possible(self, goal: Term) -> Answer:
        """Is there an execution? Those in which nothing overlaps are easier to find."""
        limit, easier = min(self.check_timeout, 10.0), self.apart(goal)
        if easier is not goal and self.ask(self.shared(), easier, limit) is Answer.SAT:
            return Answer.SAT
        return self.ask_cases(self.shared(), goal, limit)

    def can_be_met(self) -> Answer:
        """Can the constraints be met? All at once, or else in parts that share no symbol."""
        answer = self.meet(self.equation.constraints)
        if answer is not Answer.UNKNOWN:
            return answer
        left, end = dict.fromkeys(self.equation.constraints), time.monotonic() + 5 * AT_ONCE
        found = Answer.SAT
        while left:
            first = next(iter(left))
            part = list(dict.fromkeys([first, *self.connected(self.symbols_of(first))]))
            answer = self.meet(part) if time.monotonic() < end else Answer.UNKNOWN
            if answer is Answer.UNSAT:
                return answer
            found = found if answer is Answer.SAT else Answer.UNKNOWN
            for constraint in part:
                left.pop(constraint, None)
        return found

    def meet(self, constraints: Iterable[Term]) -> Answer:
        solver = self.make_solver()
        try:
            for constraint in constraints:
                solver.add(constraint)
            return self.ask(solver, T.TRUE, min(self.check_timeout, AT_ONCE))
        except (Unsupported, SolverError):
            return Answer.UNKNOWN
        finally:
            solver.close()
