"""Solve one equation: which claims can be violated, which hold, and which only hold up to a bound.

All claims share one solver. Groups are asked together; every model found settles as many of them as it can.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace

from vouch.bmc.asking import Asking
from vouch.bmc.context import ExecutionContext
from vouch.bmc.counterexample import Counterexample
from vouch.bmc.cuts import Cuts
from vouch.bmc.doubts import contradicted, is_vacuous
from vouch.bmc.environment.overlap import Pair
from vouch.bmc.equation import Claim, Equation
from vouch.bmc.findings import Finder, Finding
from vouch.bmc.inputs import numbers
from vouch.bmc.portable import Packed, pack, unpack
from vouch.bmc.simplest import Search
from vouch.c.checks.base import Check
from vouch.errors import Unsupported
from vouch.numeric.solver import NumericSolver
from vouch.parallel import Pool
from vouch.record import record
from vouch.result import CheckResult
from vouch.smt import term as T
from vouch.smt.model import Model, Whole, take
from vouch.smt.solver import Answer, Solver, SolverError
from vouch.smt.term import Term
from vouch.smt.walk import count
from vouch.status import UNREACHABLE, Direction
from vouch.verdict import Verdict

HUGE = "a violation was found with a string of more than 128 KiB only: no native run is given one"
_LARGE = 5_000  # terms of a question that bounds decided: each smaller input would bound all of them again
NOTING, NOTING_LEAST = 0.2, 0.5  # of the time for proofs, and seconds, to find out which never run
SIMPLIFYING = 10.0  # seconds of work for smaller inputs of all violations of an equation


@record
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


@record
class Answers:
    results: dict[str, CheckResult] = field(default_factory=dict)
    counterexamples: dict[str, Counterexample] = field(default_factory=dict)
    overlapping: dict[str, frozenset[Pair]] = field(default_factory=dict)  # violated where these overlap
    warnings: list[str] = field(default_factory=list)
    violated: set[str] = field(default_factory=set)  # where a violation does not count beyond the equation


def _note_how(question: Question, solver: Solver) -> None:
    """Who gave the last answer, where that was bounds or enumeration, and what it rests on."""
    if isinstance(solver, NumericSolver):
        question.by, question.assumed = solver.decided_by, solver.assumed(question.violated)


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
        self.asking = Asking(context, equation, make_solver, check_timeout, deadline, sliced=sliced)
        self.cuts = Cuts(equation, self.asking)
        self._finder = Finder(context, equation)
        self.bound = bound
        self.rung = rung
        self.individual = individual
        self.pool = pool
        self.jobs = jobs
        self.memory = memory
        self.report = report
        self.direction = direction  # which answers hold beyond this equation
        self.answers = Answers()
        self.reached: set[Term] = set()  # guards some model satisfies
        self._earlier: list[Claim] = []
        self._environment: Model | None = None
        self._simplifying = 0.0

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
        began = time.process_time()
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
            self._note_unreached(questions, NOTING * (time.process_time() - began))
            if is_vacuous(self.equation, self.asking):
                text = f"the assumptions in {self.equation.entry} exclude every execution"
                self.answers.warnings.append(text)
            known = self.answers.results
            doubts = list(contradicted(self.equation, self.asking, known.values()))
            known.update((result.check.id, result) for result in doubts)
        self.asking.close()  # questions about cuts may follow
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

    def _ask_small(self, solver: Solver, goal: Term) -> Answer:
        """Ask for an execution; if there is one, for one that is easy to run (short strings), if there is."""
        answer = self.asking.ask_cases(solver, goal, self.asking.check_timeout)
        if answer is not Answer.SAT or Direction.REFUTES not in self.direction:
            return answer
        wishes = [w for w in (self.context.preferences, self.context.bearable) if w]
        for wish in wishes:
            if self.asking.ask(solver, T.and_(goal, *wish), self.asking.check_timeout) is Answer.SAT:
                return answer
        return self.asking.ask(solver, goal, self.asking.check_timeout) if wishes else answer

    # ------------------------------------------------------------ groups

    def _grouped(self, undecided: list[Question], violated: list[Question]) -> list[Question]:
        """Ask for any violation until there is none. What is left over after a time-out is returned."""
        solver = self.asking.shared()
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
            self.asking.forget()
            found: list[Question] = []
            self._single(question, found)
            for hit in found:
                self._violation(hit, [*others, hit])
            name = question.check.id
            return pack({name: self.answers.results[name]}, self.answers.counterexamples)

        limit = min(3 * self.asking.check_timeout + 10, max(self.asking.left(), 0.1))
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
        solver, constraints = self.asking.slice(question.violated)
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
                if self.asking.ask(self.asking.shared(), T.TRUE, self.asking.check_timeout) is not Answer.SAT:
                    return
                self._environment = take(self.asking.shared(), self.equation.constraints)
        except Whole:  # no model that can be kept: the question is asked again, of all constraints
            return
        self._keep([question], Model({**self._environment.values, **inner.values}).value)

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
                *(self.equation.rests.get(question.check.id, ()) if verdict is not Verdict.UNSAFE else ()),
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
        verdict, reason = self.cuts.verdict(question.check)
        self._put(question, verdict, reason, self.bound if verdict is Verdict.BOUND_SAFE else None)

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
        goals = [self.asking.apart(alone)]
        if question.finding is None or question.finding.cause is not None:
            goals.append(alone)
        if question.finding is None:
            goals.append(question.violated)
        solver = self.asking.shared()
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
        if self._simplifying > SIMPLIFYING or self.asking.left() < 2.0:
            return
        if known.overlap is not None:
            return  # another execution is looked for, at chosen places
        if question.by is not None and count(question.violated) > _LARGE:
            return
        chaos = [c for q in violated for c in q.claims if c.chaos and q is not question]
        goal = self._alone(known.claim, chaos) if known.cause is None else known.claim.violated
        goal = self.asking.apart(goal)
        solver, began = self.asking.shared(), time.process_time()

        def ask(goal: Term, seconds: float) -> bool | None:
            answer = self.asking.ask(solver, goal, seconds)
            return None if answer is Answer.UNKNOWN else answer is Answer.SAT

        search = Search(ask, solver.value, T.and_(goal, *self.context.preferences))
        try:
            if search.run(lambda: numbers(self._finder.model(solver.value), known.claim)):
                found = self._finder.find(question.claims, self._finder.model(solver.value))
                if found is not None and found.flaws <= known.flaws:
                    question.finding = found
        except (Unsupported, SolverError):
            pass
        spent = time.process_time() - began
        self._simplifying += spent
        question.seconds += spent

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
        elif finding.huge:
            verdict, reason = Verdict.COND_UNSAFE, HUGE
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
        return bool(suspects) and not suspects.isdisjoint(self.asking.symbols_of(question.violated))

    def _cause(self, claim: Claim, suspects: Mapping[Term, str]) -> str | None:
        """Why nobody knows the first of the suspect symbols that the violation hangs on."""
        if not suspects:
            return None
        used = self.asking.symbols_of(claim.violated)
        return next((why for symbol, why in suspects.items() if symbol in used), None)

    # ------------------------------------------------------------ what no execution reaches

    def _note_unreached(self, questions: list[Question], seconds: float) -> None:
        """A proof of something that never runs says so. It is one all the same where there is no time to find
        that out."""
        end = time.process_time() + max(seconds, NOTING_LEAST)
        proved = [
            q
            for q in questions
            if self.answers.results.get(q.check.id) is not None
            and self.answers.results[q.check.id].verdict is Verdict.SAFE
            and q.reached not in self.reached
            and q.reached is not T.TRUE
        ]
        while proved and time.process_time() < end:
            solver = self.asking.shared()
            goals = list(dict.fromkeys(q.reached for q in proved))
            try:
                answer = self.asking.possible(T.or_(*goals))
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
