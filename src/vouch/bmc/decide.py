"""Solve one equation: which claims can be violated, which hold, and which only hold up to a bound.

All claims share one solver. Groups are asked together; every model found settles as many of them as it can.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from vouch.bmc.context import ExecutionContext
from vouch.bmc.counterexample import Counterexample
from vouch.bmc.environment.overlap import Pair
from vouch.bmc.equation import Claim, Cut, Equation
from vouch.bmc.findings import Finder, Finding
from vouch.bmc.inputs import numbers
from vouch.bmc.portable import Packed, pack, unpack
from vouch.bmc.simplest import AT_MOST, Search
from vouch.bmc.value import symbols
from vouch.c.checks.base import Check, Trigger
from vouch.errors import Unsupported
from vouch.numeric.solver import NumericSolver
from vouch.parallel import Pool
from vouch.result import CheckResult
from vouch.smt import term as T
from vouch.smt.model import Model, Whole, take
from vouch.smt.solver import Answer, Solver, SolverError
from vouch.smt.term import Term
from vouch.smt.walk import substitute
from vouch.status import UNREACHABLE, Direction
from vouch.verdict import Verdict

SIMPLIFYING = 10.0  # seconds for smaller inputs of all violations of an equation
AT_ONCE = 2.0  # seconds for a question before it is cut into cases


@dataclass(slots=True)
class Question:
    """A check in this equation: all its executions together. `finding` is an execution that violates it, the
    best that was seen: one in which nothing else goes wrong before."""

    check: Check
    claims: list[Claim]
    violated: Term
    reached: Term
    seconds: float = 0.0
    finding: Finding | None = None
    by: str | None = None  # what decided it, where that was not the solver
    assumed: tuple[str, ...] = ()  # what that rests on


@dataclass(slots=True)
class Answers:
    results: dict[str, CheckResult] = field(default_factory=dict)
    counterexamples: dict[str, Counterexample] = field(default_factory=dict)
    open_cuts: list[Cut] = field(default_factory=list)  # cuts that some execution runs into
    overlapping: dict[str, frozenset[Pair]] = field(default_factory=dict)  # violated where these overlap
    warnings: list[str] = field(default_factory=list)
    violated: set[str] = field(default_factory=set)  # where a violation does not count beyond the equation


def _note_how(question: Question, solver: Solver) -> None:
    """Who gave the last answer, where that was bounds or enumeration, and what it rests on."""
    if isinstance(solver, NumericSolver):
        question.by, question.assumed = solver.decided_by, solver.assumed(question.violated)


def unconfirmed(proof: CheckResult, entry: str) -> CheckResult:
    """A proof from constraints of which nobody has shown that they can be met."""
    assumed = f"the environment of {entry} can exist (not confirmed in time)"
    return replace(proof, assumptions=(*proof.assumptions, assumed))


class Decider:
    """`make_solver` gives a new solver; `deadline` is the end of the whole run. `direction`: which
    answers hold beyond this equation; no execution is worked out where a violation does not."""

    def __init__(
        self,
        context: ExecutionContext,
        equation: Equation,
        make_solver: Callable[[], Solver],
        *,
        check_timeout: float,
        deadline: float | None,
        bound: int | None,
        rung: str,
        individual: bool = False,
        sliced: bool = True,
        pool: Pool | None = None,
        jobs: int = 1,
        memory: int | None = None,
        report: Callable[[CheckResult], None] | None = None,
        direction: Direction = Direction.BOTH,
    ) -> None:
        self.context = context
        self.equation = equation
        self._finder = Finder(context, equation)
        self.make_solver = make_solver
        self.check_timeout = check_timeout
        self.deadline = deadline
        self.bound = bound
        self.rung = rung
        self.individual = individual
        self.sliced = sliced
        self.pool = pool
        self.jobs = jobs
        self.memory = memory
        self.report = report
        self.direction = direction  # which answers hold beyond this equation
        self.answers = Answers()
        self.reached: set[Term] = set()  # guards some model satisfies
        self.unreached: set[Term] = set()  # guards no execution satisfies
        self._cuts: dict[Term, bool | None] = {}
        self._support: dict[Term, frozenset[Term]] = {}
        self._solver: Solver | None = None
        self._earlier: list[Claim] = []
        self._environment: Model | None = None
        self._by_symbol: dict[Term, list[int]] = {}  # numbers of constraints
        self._indexed = 0  # how many constraints that has
        self._simplifying = 0.0
        self._replaced: dict[Term, Term] = {}  # terms as they are where nothing overlaps

    # ------------------------------------------------------------ main loop

    def run(
        self,
        checks: Iterable[Check],
        *,
        skip: frozenset[str] = frozenset(),
        violated_before: frozenset[str] = frozenset(),
    ) -> Answers:
        """Decide the checks that the equation claims; the others are the caller's. What an earlier equation
        found violated may still be the cause of other violations."""
        self._earlier = [c for c in self.equation.claims if c.chaos and c.check.id in violated_before]
        questions = self._questions(checks, skip)
        undecided: list[Question] = []
        violated: list[Question] = []
        for question in questions:
            if question.violated is T.FALSE:
                self._proved(question)
            else:
                undecided.append(question)
        if undecided and not self.individual:
            undecided = self._grouped(undecided, violated)
        if undecided and self.pool is not None:
            self._in_processes(undecided, violated)
        else:
            for question in undecided:
                self._single(question, violated)
        for question in violated:
            self._violation(question, violated)
        if Direction.PROVES in self.direction:
            self._note_unreached(questions)
            self._vacuous()
            self._contradiction()
        if self._solver is not None:
            self._solver.close()
            self._solver = None  # questions about cuts may follow
        return self.answers

    def _questions(self, checks: Iterable[Check], skip: frozenset[str]) -> list[Question]:
        claims: dict[str, list[Claim]] = {}
        for claim in self.equation.claims:
            claims.setdefault(claim.check.id, []).append(claim)
        result = []
        for check in checks:
            own = claims.get(check.id)
            if own and check.id not in skip:
                result.append(
                    Question(
                        check,
                        own,
                        T.or_(*(c.violated for c in own)),
                        T.or_(*dict.fromkeys(c.reached for c in own)),
                    )
                )
        return result

    def _left(self) -> float:
        return 1e9 if self.deadline is None else self.deadline - time.monotonic()

    def _shared(self) -> Solver:
        """A solver with the constraints that what is asked in this equation has to do with. The others share
        no symbol with it, and can be met (`_contradiction`)."""
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
        return self._connected(set(symbols(tuple(goals))))

    def _connected(self, wanted: Iterable[Term]) -> list[Term]:
        """The constraints that share a symbol with these, directly or not."""
        # Reading a model may add constraints.
        for number in range(self._indexed, len(self.equation.constraints)):
            for symbol in self._symbols(self.equation.constraints[number]):
                self._by_symbol.setdefault(symbol, []).append(number)
        self._indexed = len(self.equation.constraints)
        work, seen, found = list(wanted), set(wanted), set()
        while work:
            for number in self._by_symbol.get(work.pop(), ()):
                if number not in found:
                    found.add(number)
                    fresh = self._symbols(self.equation.constraints[number]) - seen
                    seen |= fresh
                    work.extend(fresh)
        return [self.equation.constraints[number] for number in sorted(found)]

    def _ask(self, solver: Solver, goal: Term, timeout: float) -> Answer:
        limit = min(timeout, self._left())
        if limit <= 0:
            return Answer.UNKNOWN
        return solver.check([goal], timeout=limit)

    def _ask_cases(self, solver: Solver, goal: Term, timeout: float) -> Answer:
        """As `_ask`. What hangs on objects that may overlap, and has no answer at once, is asked again: where
        nothing overlaps, then for each two that do. Each case is simpler than all of them together."""
        used = self._overlaps(goal)
        if not used:
            return self._ask(solver, goal, timeout)
        end = time.monotonic() + timeout
        answer = self._ask(solver, goal, min(timeout, AT_ONCE))
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
            answer = self._ask(solver, T.and_(substitute(goal, case), *known), end - time.monotonic())
            if answer is Answer.SAT:
                return answer
            if answer is Answer.UNKNOWN:
                result = answer
        return result

    def _overlaps(self, goal: Term) -> list[Term]:
        """The symbols of overlapping objects that a goal hangs on."""
        pairs = self.context.environment.overlaps.symbols
        return [symbol for symbol in self._symbols(goal) if symbol in pairs] if pairs else []

    def _ask_small(self, solver: Solver, goal: Term) -> Answer:
        """Ask for an execution; if there is one, for one that is easy to run (short strings), if there is."""
        answer = self._ask_cases(solver, goal, self.check_timeout)
        wishes = self.context.preferences
        if answer is not Answer.SAT or not wishes or Direction.REFUTES not in self.direction:
            return answer
        if self._ask(solver, T.and_(goal, *wishes), self.check_timeout) is Answer.SAT:
            return answer
        return self._ask(solver, goal, self.check_timeout)

    # ------------------------------------------------------------ groups

    def _grouped(self, undecided: list[Question], violated: list[Question]) -> list[Question]:
        """Ask for any violation until there is none. What is left over after a time-out is returned."""
        solver = self._shared()
        while undecided:
            began = time.monotonic()
            goal = T.or_(*(q.violated for q in undecided))
            try:
                answer = self._ask_small(solver, goal)
            except Unsupported:
                return undecided
            except SolverError as wrong:
                self.answers.warnings.append(f"solver: {wrong}")
                return undecided
            spent = (time.monotonic() - began) / len(undecided)
            for question in undecided:
                question.seconds += spent
            if answer is Answer.UNSAT:
                for question in undecided:
                    _note_how(question, solver)
                    self._proved(question)
                return []
            if answer is Answer.UNKNOWN:
                return undecided
            hit = [q for q in undecided if q.violated is goal or solver.value(q.violated)]
            for question in hit:
                _note_how(question, solver)
            self._witness(solver, undecided)
            if Direction.REFUTES in self.direction:
                self._keep(hit, solver.value)
            violated.extend(hit)
            gone = {q.check.id for q in hit}
            undecided = [q for q in undecided if q.check.id not in gone]
            if not hit:
                return undecided
        return []

    def _witness(self, solver: Solver, questions: Iterable[Question]) -> None:
        for question in questions:
            if question.reached not in self.reached and solver.value(question.reached):
                self.reached.add(question.reached)

    def _keep(self, questions: Iterable[Question], value: Callable[[Term], int | bool]) -> None:
        """Take what the model at hand says about the questions, unless something better is known."""
        model = self._finder.model(value)
        for question in questions:
            if question.finding is None or question.finding.flaws:
                found = self._finder.find(question.claims, model)
                if found is not None and (question.finding is None or found.flaws < question.finding.flaws):
                    question.finding = found

    # ------------------------------------------------------------ one by one

    def _in_processes(self, undecided: list[Question], violated: list[Question]) -> None:
        """One process per check: a solver that dies or outgrows its memory costs that check alone."""
        assert self.pool is not None
        others = list(violated)
        checks = {q.check.id: q.check for q in undecided}

        def job(question: Question) -> list[Packed]:
            self._solver = None
            found: list[Question] = []
            self._single(question, found)
            for hit in found:
                self._violation(hit, [*others, hit])
            name = question.check.id
            return pack({name: self.answers.results[name]}, self.answers.counterexamples)

        limit = min(3 * self.check_timeout + 10, max(self._left(), 0.1))
        for question, outcome in self.pool(job, undecided, jobs=self.jobs, timeout=limit, memory=self.memory):
            if outcome.ok:
                results, examples = unpack(outcome.value, checks)
                self.answers.results.update(results)
                self.answers.counterexamples.update(examples)
                if self.report is not None:
                    self.report(results[question.check.id])
            else:
                self._put(question, Verdict.UNKNOWN, f"solver: {outcome.failure} {outcome.message}".strip())

    def _single(self, question: Question, violated: list[Question]) -> None:
        began = time.monotonic()
        solver, constraints = self._slice(question.violated)
        reason = None
        try:
            answer = self._ask_small(solver, question.violated)
            _note_how(question, solver)
            reason = solver.reason if answer is Answer.UNKNOWN else None
            if answer is Answer.SAT and Direction.REFUTES in self.direction:
                self._keep_sliced(question, solver, constraints)
        except (Unsupported, SolverError) as problem:
            answer, reason = Answer.UNKNOWN, str(problem)
        finally:
            solver.close()
        question.seconds += time.monotonic() - began
        if answer is Answer.UNSAT:
            self._proved(question)
        elif answer is Answer.SAT:
            violated.append(question)
        else:
            self._put(question, Verdict.UNKNOWN, reason or "time limit reached")

    def _keep_sliced(self, question: Question, solver: Solver, constraints: list[Term]) -> None:
        """A model of a slice becomes one of the whole by any values that the other constraints allow: they
        share no symbol with it."""
        if len(constraints) == len(self.equation.constraints):
            self._keep([question], solver.value)
            return
        try:
            inner = take(solver, [*constraints, question.violated])
            if self._environment is None:
                if self._ask(self._shared(), T.TRUE, self.check_timeout) is not Answer.SAT:
                    return
                self._environment = take(self._shared(), self.equation.constraints)
        except Whole:  # no model that can be kept: the question is asked again, of all constraints
            return
        self._keep([question], Model({**self._environment.values, **inner.values}).value)

    def _slice(self, goal: Term) -> tuple[Solver, list[Term]]:
        """A solver with the constraints that share a symbol with the goal, directly or not; and which."""
        solver = self.make_solver()
        if not self.sliced:
            for constraint in self.equation.constraints:
                solver.add(constraint)
            return solver, self.equation.constraints
        added = self._connected(self._symbols(goal))
        for constraint in added:
            solver.add(constraint)
        return solver, added

    def _symbols(self, term: Term) -> frozenset[Term]:
        known = self._support.get(term)
        if known is None:
            known = self._support[term] = frozenset(symbols(term))
        return known

    # ------------------------------------------------------------ verdicts

    def _put(
        self,
        question: Question,
        verdict: Verdict,
        reason: str | None = None,
        bound: int | None = None,
        finding: Finding | None = None,
    ) -> None:
        result = CheckResult(
            question.check,
            verdict,
            decided_by=question.by or self.rung,
            reason=reason,
            bound=bound,
            seconds=question.seconds,
            inputs=finding.inputs if finding is not None else None,
            trace=tuple(finding.trace) if finding is not None else (),
            assumptions=(
                *(f"external function {n}" for n in self.equation.externals),
                *self.equation.notes,
                *question.assumed,
            ),
        )
        self.answers.results[question.check.id] = result
        if self.report is not None:
            self.report(result)

    def _proved(self, question: Question) -> None:
        """No violation in this equation: final unless executions were cut that lead to the check."""
        if Direction.PROVES not in self.direction:
            self._put(question, Verdict.UNKNOWN)
            return
        verdict, reason = self.cut_verdict(question.check)
        self._put(question, verdict, reason, self.bound if verdict is Verdict.BOUND_SAFE else None)

    def cut_verdict(self, check: Check) -> tuple[Verdict, str | None]:
        """What the cuts leave of a proof for this check. One that is open is enough: those that weigh most
        are asked about first."""
        # Memory may be lost at the end of any execution that was not followed so far.
        leak = check.trigger is Trigger.LEAK
        cuts = [cut for cut in self.equation.cuts if leak or check.site.number in cut.reachable]
        for verdict, bounded in ((Verdict.UNKNOWN, False), (Verdict.BOUND_SAFE, True)):
            alike = [cut for cut in cuts if (cut.kind in ("loop", "recursion")) is bounded]
            known = (cut for cut in alike if self._cuts.get(cut.guard, False) is not False)
            found = next(known, None) or self._first_open(alike)
            if found is not None:
                return verdict, found.reason
        return Verdict.SAFE, None

    def _first_open(self, cuts: list[Cut]) -> Cut | None:
        """One that an execution can run into. They are asked about together first: mostly there is none."""
        unasked = [cut for cut in cuts if cut.guard not in self._cuts]
        if len(unasked) > 1:
            with suppress(Unsupported, SolverError):
                answer = self._possible(T.or_(*(cut.guard for cut in unasked)))
                if answer is Answer.UNSAT:
                    self._cuts.update((cut.guard, False) for cut in unasked)
                elif answer is Answer.SAT:
                    self._open_too()
        known = (cut for cut in cuts if self._cuts.get(cut.guard))
        return next(known, None) or next((cut for cut in cuts if self._is_open(cut) is not False), None)

    def _is_open(self, cut: Cut) -> bool | None:
        """Can an execution run into the cut? None: not decided, which counts as yes."""
        known = self._cuts.get(cut.guard, "ask")
        if known != "ask":
            assert known is None or isinstance(known, bool)
            return known
        answer: bool | None = None
        if cut.guard is T.TRUE:
            answer = True
        else:
            try:
                asked = self._possible(cut.guard)
                answer = {Answer.SAT: True, Answer.UNSAT: False}.get(asked)
                if answer:
                    self._open_too()
            except (Unsupported, SolverError):
                answer = None
        self._cuts[cut.guard] = answer
        if answer is not False:
            self.answers.open_cuts.append(cut)
        return answer

    def _open_too(self) -> None:
        """The execution that was just found runs into other cuts as well: nobody need ask about those."""
        solver = self._shared()
        for cut in self.equation.cuts:
            if cut.guard not in self._cuts and solver.value(cut.guard):
                self._cuts[cut.guard] = True
                self.answers.open_cuts.append(cut)

    # ------------------------------------------------------------ violations

    def _violation(self, question: Question, violated: list[Question]) -> None:
        """Find an execution in which this check fails before any other goes wrong in a way that makes the
        rest arbitrary; report one that needs another failure first as conditional."""
        if Direction.REFUTES not in self.direction:
            self._put(question, Verdict.UNKNOWN)
            if not self._is_guessed(question):
                self.answers.violated.add(question.check.id)
            return
        if question.finding is None or question.finding.flaws:
            began = time.monotonic()
            problem = self._look_for_cleaner(question, violated)
            question.seconds += time.monotonic() - began
            if question.finding is None:
                limit = "time limit reached while an execution that violates it was worked out"
                self._put(question, Verdict.UNKNOWN, problem or limit)
                return
        self._simplify(question, violated)
        self.reached.add(question.reached)
        self._refuted(question, question.finding)

    def _look_for_cleaner(self, question: Question, violated: list[Question]) -> str | None:
        """Ask for an execution without another failure first and, if none at all is known yet, for any. Why
        the solver gave up, if it did."""
        found = [c for q in violated for c in q.claims if c.chaos and c.check is not question.check]
        chaos = [*found, *self._earlier]
        alone = T.or_(*(self._alone(c, chaos) for c in question.claims))
        goals = [self._apart(alone)]
        if question.finding is None or question.finding.cause is not None:
            goals.append(alone)
        if question.finding is None:
            goals.append(question.violated)
        solver = self._shared()
        for goal in dict.fromkeys(goals):
            try:
                if goal is not T.FALSE and self._ask_small(solver, goal) is Answer.SAT:
                    self._keep([question], solver.value)
                    return None
            except (Unsupported, SolverError) as problem:
                return str(problem)
        return None

    def _simplify(self, question: Question, violated: list[Question]) -> None:
        """Look for an execution like the one that is known, with smaller inputs, as long as that is cheap."""
        known = question.finding
        assert known is not None
        if self._simplifying > SIMPLIFYING or self._left() < 2.0:
            return
        if known.overlap is not None:
            return  # another execution is looked for, at chosen places
        chaos = [c for q in violated for c in q.claims if c.chaos and q is not question]
        goal = self._alone(known.claim, chaos) if known.cause is None else known.claim.violated
        goal = self._apart(goal)
        solver, began = self._shared(), time.monotonic()

        def ask(goal: Term) -> bool | None:
            answer = self._ask(solver, goal, AT_MOST)
            return None if answer is Answer.UNKNOWN else answer is Answer.SAT

        search = Search(ask, solver.value, T.and_(goal, *self.context.preferences))
        try:
            if search.run(lambda: numbers(self._finder.model(solver.value), known.claim)):
                found = self._finder.find(question.claims, self._finder.model(solver.value))
                if found is not None and found.flaws <= known.flaws:
                    question.finding = found
        except (Unsupported, SolverError):
            pass
        spent = time.monotonic() - began
        self._simplifying += spent
        question.seconds += spent

    def _apart(self, goal: Term) -> Term:
        """The goal where no objects from outside overlap, of those that it hangs on."""
        used = self._overlaps(goal)
        if not used:
            return goal
        self._replaced.update((symbol, T.FALSE) for symbol in used)
        return T.and_(substitute(goal, {}, self._replaced), *map(T.not_, used))

    def _possible(self, goal: Term) -> Answer:
        """Is there an execution? Those in which nothing overlaps are easier to find."""
        limit, easier = min(self.check_timeout, 10.0), self._apart(goal)
        if easier is not goal and self._ask(self._shared(), easier, limit) is Answer.SAT:
            return Answer.SAT
        return self._ask_cases(self._shared(), goal, limit)

    def _alone(self, claim: Claim, chaos: list[Claim]) -> Term:
        """The claim is violated, and none of these before it."""
        return T.and_(claim.violated, *(T.not_(c.violated) for c in chaos if self._finder.before(c, claim)))

    def _refuted(self, question: Question, finding: Finding) -> None:
        claim = finding.claim
        cause = self._cause(claim, self.equation.unsupported)
        inexact = self._cause(claim, self.context.inexact)
        guessed = self._cause(claim, self.context.changed)
        verdict, reason = Verdict.UNSAFE, None
        if cause is not None:
            verdict, reason = Verdict.UNKNOWN, cause
        elif inexact is not None:
            verdict, reason = Verdict.COND_UNSAFE, inexact
        elif guessed is not None:
            verdict, reason = Verdict.UNKNOWN, guessed
        elif finding.cause is not None:
            verdict, reason = Verdict.COND_UNSAFE, f"only after {finding.cause.id} is violated"
        elif finding.overlap is not None:
            verdict, reason = Verdict.COND_UNSAFE, finding.overlap
            self.answers.overlapping[question.check.id] = finding.pairs
        self._put(question, verdict, reason, finding=finding)
        # What was guessed or not computed, a native run may confirm; not what follows from another violation.
        if verdict is Verdict.UNSAFE or finding.cause is None:
            self.answers.counterexamples[question.check.id] = finding.example

    def _is_guessed(self, question: Question) -> bool:
        """Whether the violation hangs on something that vouch cannot compute."""
        suspects = self.equation.unsupported.keys() | self.context.changed.keys()
        return bool(suspects) and not suspects.isdisjoint(self._symbols(question.violated))

    def _cause(self, claim: Claim, suspects: Mapping[Term, str]) -> str | None:
        """Why nobody knows the first of the suspect symbols that the violation hangs on."""
        if not suspects:
            return None
        used = self._symbols(claim.violated)
        return next((why for symbol, why in suspects.items() if symbol in used), None)

    # ------------------------------------------------------------ what no execution reaches

    def _note_unreached(self, questions: list[Question]) -> None:
        """A proof of something that never runs says so."""
        proved = [
            q
            for q in questions
            if self.answers.results.get(q.check.id) is not None
            and self.answers.results[q.check.id].verdict is Verdict.SAFE
            and q.reached not in self.reached
            and q.reached is not T.TRUE
        ]
        while proved:
            solver = self._shared()
            goals = list(dict.fromkeys(q.reached for q in proved))
            try:
                answer = self._possible(T.or_(*goals))
            except (Unsupported, SolverError):
                return
            if answer is Answer.UNSAT:
                for question in proved:
                    name = question.check.id
                    self.answers.results[name] = replace(self.answers.results[name], reason=UNREACHABLE)
                return
            if answer is Answer.UNKNOWN:
                return
            seen = {g for g in goals if solver.value(g)}
            self.reached |= seen
            left = [q for q in proved if q.reached not in seen]
            if len(left) == len(proved):
                return
            proved = left

    def _contradiction(self) -> None:
        """Constraints that nothing satisfies would prove everything. There are none by construction; this
        is where a mistake would show. What the solver does not confirm is an assumption of each proof."""
        proofs = [r for r in self.answers.results.values() if r.verdict in (Verdict.SAFE, Verdict.BOUND_SAFE)]
        if not proofs or not self.equation.constraints:
            return
        answer = self._can_be_met()
        if answer is Answer.SAT:
            return
        entry = self.equation.entry
        for proof in proofs:
            if answer is Answer.UNSAT:
                why = f"internal error: the environment of {entry} is contradictory"
                doubted = replace(proof, verdict=Verdict.UNKNOWN, reason=why)
            else:
                doubted = unconfirmed(proof, entry)
            self.answers.results[proof.check.id] = doubted

    def _can_be_met(self) -> Answer:
        """Can the constraints be met? All at once, or else in parts that share no symbol."""
        answer = self._meet(self.equation.constraints)
        if answer is not Answer.UNKNOWN:
            return answer
        left, end = dict.fromkeys(self.equation.constraints), time.monotonic() + 5 * AT_ONCE
        found = Answer.SAT
        while left:
            first = next(iter(left))
            part = list(dict.fromkeys([first, *self._connected(self._symbols(first))]))
            answer = self._meet(part) if time.monotonic() < end else Answer.UNKNOWN
            if answer is Answer.UNSAT:
                return answer
            found = found if answer is Answer.SAT else Answer.UNKNOWN
            for constraint in part:
                left.pop(constraint, None)
        return found

    def _meet(self, constraints: Iterable[Term]) -> Answer:
        solver = self.make_solver()
        try:
            for constraint in constraints:
                solver.add(constraint)
            return self._ask(solver, T.TRUE, min(self.check_timeout, AT_ONCE))
        except (Unsupported, SolverError):
            return Answer.UNKNOWN
        finally:
            solver.close()

    def _vacuous(self) -> None:
        """Assumptions that no execution satisfies make every proof worthless."""
        equation = self.equation
        if not equation.assumptions or equation.cuts:
            return
        ends = [*equation.ends, *(c.violated for c in equation.claims)]
        possible = T.or_(*ends) if ends else T.FALSE
        if possible is not T.FALSE:
            try:
                if self._ask(self._shared(), possible, min(self.check_timeout, 10.0)) is not Answer.UNSAT:
                    return
            except (Unsupported, SolverError):
                return
        self.answers.warnings.append(f"the assumptions in {equation.entry} exclude every execution")
