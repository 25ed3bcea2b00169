"""The strategies: which entry points to execute, to which bound, and how answers add up to verdicts."""

from __future__ import annotations

import gc
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from vouch.bmc.cfg import analyse, may_follow
from vouch.bmc.context import ExecutionContext
from vouch.bmc.counterexample import Counterexample
from vouch.bmc.decide import Answers, Decider
from vouch.bmc.equation import Equation
from vouch.bmc.execute import ExecutionLimits, Executor
from vouch.bmc.induction import Induction, Invariants
from vouch.bmc.library import overrides
from vouch.bmc.loops import counts_bytes
from vouch.bmc.portable import Packed, pack, unpack
from vouch.bmc.reachability import Reachability
from vouch.c import ir
from vouch.c.checks.base import Check, Trigger
from vouch.c.entries import entry_points, is_library, mentioned, starts_arbitrary
from vouch.c.escape import escaping
from vouch.c.ir import Program
from vouch.c.uses import names_in
from vouch.errors import VouchError
from vouch.parallel import Pool
from vouch.result import CheckResult
from vouch.settings import Settings
from vouch.smt import solver as solvers
from vouch.smt import term as T
from vouch.smt.solver import Answer, Solver
from vouch.verdict import Verdict

# Worst first: what one entry point says about a check outweighs what follows.
_WEIGHT = [Verdict.UNSAFE, Verdict.COND_UNSAFE, Verdict.UNKNOWN, Verdict.BOUND_SAFE, Verdict.SAFE]
# Bounds of the ladder: it climbs while loops are cut and time is left. The last rung is for counters of eight
# bits, which need 256 iterations to come round, and for what costs next to nothing.
LADDER = (2, 8, 32, 128, 512)
DEAR = 128  # bounds above this
CHEAP_SECONDS = 0.25  # of a round, after which a dear one is tried whatever the loops are
NOT_EVALUATED = "not evaluated"
LADDER_SECONDS = 20.0
DEEPEST_INDUCTION = 4  # iterations assumed in the inductive step


class HasProgram(Protocol):
    @property
    def program(self) -> Program: ...


@dataclass(slots=True)
class Outcome:
    results: list[CheckResult] = field(default_factory=list)
    counterexamples: dict[str, Counterexample] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    instructions: int = 0


def verify(
    loaded: HasProgram,
    checks: Sequence[Check],
    decisions: Mapping[str, Any],
    settings: Settings,
    deadline: float | None = None,
    *,
    report: Callable[[CheckResult], None] | None = None,
    invariants: Invariants | None = None,
    pool: Pool | None = None,
) -> Outcome:
    """Decide every check that preprocessing left open. `invariants` help induction along; `pool` runs entry
    points and hard checks in processes of their own."""
    verifier = _Verifier(loaded.program, checks, decisions, settings, deadline, report)
    verifier.invariants = invariants
    verifier.pool = pool
    return verifier.run()


class _Verifier:
    def __init__(
        self,
        program: Program,
        checks: Sequence[Check],
        decisions: Mapping[str, Any],
        settings: Settings,
        deadline: float | None,
        report: Callable[[CheckResult], None] | None,
    ) -> None:
        self.program = program
        self.settings = settings
        self.deadline = deadline
        self.report = report
        self.checks = [c for c in checks if c.id not in decisions and c.trigger is not Trigger.NEVER]
        self.sites: dict[int, list[Check]] = {}
        for check in self.checks:
            self.sites.setdefault(id(check.site), []).append(check)
        self.entries = entry_points(program, settings.entry)
        self.library = is_library(program, settings.entry)
        self.arbitrary = starts_arbitrary(program, settings.entry, settings.globals)
        self.results: dict[str, CheckResult] = {}
        self.outcome = Outcome()
        self.found: dict[str, Counterexample] = {}  # of the entry point that is looked at
        self.bounds = _loop_bounds(settings)
        self.invariants: Invariants | None = None
        self.pool: Pool | None = None
        self.callbacks: dict[str, None] = {}
        self.waiting: dict[str, int] = {}  # entry points that may still say something about a check
        self.cut_loops: set[str] = set()  # of the last round
        self.private = _private(program)
        self.reachability = Reachability(program)
        self.checks_of: dict[str, list[Check]] = {}
        self.without_exceptions: dict[str, frozenset[int]] = {}
        self.jobs: int = settings.jobs or os.cpu_count() or 1

    # ------------------------------------------------------------ strategy

    def run(self) -> Outcome:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 50_000))
        before = gc.get_threshold()
        gc.set_threshold(50_000, 20, 50)  # terms live long: looking for garbage among them is wasted
        try:
            return self._run()
        finally:
            gc.set_threshold(*before)

    def _run(self) -> Outcome:
        T.configure(simplify=not self.settings.no_simplify, balance=not self.settings.no_balance)
        if not self.checks:
            for entry in self.entries if self._assumes() else ():
                self._round(entry, LADDER[0], {})  # for the warning about vacuous assumptions
        else:
            for entry in self.entries:
                for check in self._checks_of(entry):
                    self.waiting[check.id] = self.waiting.get(check.id, 0) + 1
            if self.pool is not None and len(self.entries) > 1:
                self._entries_in_processes(self.pool)
            else:
                for entry in self.entries:
                    self._merge(self._contained(entry), self.found)
                    self._heard_all_of(entry)
        self._called_back()
        self._nowhere([check for check in self.checks if check.id not in self.results])
        self.outcome.results = [self.results[c.id] for c in self.checks]
        return self.outcome

    def _nowhere(self, checks: Sequence[Check]) -> None:
        """Checks that no entry point has anything to do with: dead, if calls and mentions lead there from
        nowhere."""
        if not checks:
            return
        starts = dict.fromkeys([*self.entries, *self.callbacks])
        starts.update(dict.fromkeys([*self.program.constructors, *self.program.destructors]))
        reached = {site for name in starts for site in self.reachability.from_function(name)}
        for check in checks:
            dead = id(check.site) not in reached
            self.results[check.id] = CheckResult(
                check,
                Verdict.SAFE if dead else Verdict.UNKNOWN,
                decided_by="global",
                reason="unreachable" if dead else NOT_EVALUATED,
            )

    def _contained(self, entry: str) -> dict[str, CheckResult]:
        """What can be said about the checks of an entry point; a mistake in vouch costs no others."""
        try:
            return self._entry(entry)
        except (MemoryError, VouchError):
            raise
        except Exception as wrong:
            text = f"internal error: {type(wrong).__name__}: {' '.join(str(wrong).split())}".rstrip(": ")
            self.outcome.warnings.append(f"{text} in the analysis of {entry}")
            if self.settings.verbose:
                traceback.print_exc()
            self._lost(entry, text)
            return {}

    def _entries_in_processes(self, pool: Pool) -> None:
        """One process per entry point. What one of them cannot decide is unknown, the others go on."""
        checks = {c.id: c for c in self.checks}
        self.pool = None  # processes do not start processes

        def job(entry: str) -> tuple[list[Packed], list[str], int, list[str]]:
            self.outcome = Outcome()
            best = self._entry(entry)
            packed = pack(best, self.found)
            return packed, self.outcome.warnings, self.outcome.instructions, list(self.callbacks)

        left = None if self.deadline is None else max(self.deadline - time.monotonic(), 0.1)
        memory = self.settings.check_memory
        for entry, outcome in pool(
            job, self.entries, jobs=self.jobs, timeout=left, memory=memory, ordered=False
        ):
            if not outcome.ok:
                late = outcome.failure == "timeout"
                why = "time limit reached" if late else f"{outcome.failure}: {outcome.message}"
                if not late:
                    self.outcome.warnings.append(f"{why} in the analysis of {entry}")
                self._lost(entry, why)
                self._heard_all_of(entry)
                continue
            packed, warnings, count, callbacks = outcome.value
            self.callbacks.update(dict.fromkeys(callbacks))
            results, examples = unpack(packed, checks)
            self.outcome.instructions += count
            self.outcome.warnings += [w for w in warnings if w not in self.outcome.warnings]
            self._merge(results, examples)
            self._heard_all_of(entry)

    def _heard_all_of(self, entry: str) -> None:
        """Tell what is final now: nobody else has a word to say about it. Where functions may be called back,
        only violations are."""
        for check in self._checks_of(entry):
            self.waiting[check.id] -= 1
            result = self.results.get(check.id)
            if self.report is None or result is None:
                continue
            last = not self.waiting[check.id] and not self._may_be_called_back()
            if last or result.verdict is Verdict.UNSAFE:
                self.report(result)

    def _called_back(self) -> None:
        """Functions handed to code outside, and those in tables that only hardware or other files read, may
        be called with anything at any time. What goes wrong then depends on whether they are. Destructors
        run when the program ends, in whatever state that is."""
        if self.library:
            self._before_and_after()
            return
        self.callbacks.update(dict.fromkeys(self.handed_out))
        done = set(self.entries)
        self.library = self.arbitrary = True
        while waiting := [name for name in self.callbacks if name not in done]:
            done.update(waiting)
            for name in waiting:
                why = f"if code outside calls {name} with these arguments and globals"
                self._merge(_conditional(self._contained(name), why))

    def _before_and_after(self) -> None:
        """What a library runs of itself: constructors before anybody calls it, the first one in the state
        that the sources give, and destructors at the end, in whatever state that is."""
        arbitrary = self.arbitrary
        started = [n for n in self.program.constructors if self._is_defined(n) and n not in self.entries]
        for number, name in enumerate(started):
            self.arbitrary = number > 0
            best = self._contained(name)
            self._merge(_conditional(best, f"if globals hold this when {name} runs") if number else best)
        self.arbitrary = True
        for name in self.program.destructors:
            if self._is_defined(name) and name not in self.entries:
                best = self._contained(name)
                self._merge(_conditional(best, f"if globals hold this when {name} runs"))
        self.arbitrary = arbitrary

    @cached_property
    def handed_out(self) -> list[str]:
        """Functions that code outside has without being given them by an execution."""
        names = list(self.program.destructors)
        tables = (g for g in self.program.globals.values() if g.initializer and g.linkage == "external")
        known = {n for f in self.program.functions.values() if f.defined for n in mentioned(f)}
        for table in tables:
            if table.name not in known:
                names += [n for n in names_in(table.initializer) if self._is_defined(n)]
        return names

    def _may_be_called_back(self) -> bool:
        return not self.library and bool(self.callbacks or self.handed_out)

    def _is_defined(self, name: str) -> bool:
        function = self.program.functions.get(name)
        return function is not None and function.defined

    def _lost(self, entry: str, why: str) -> None:
        """Nothing is known about what this entry point reaches."""
        reached = self.reachability.from_function(entry)
        reason = f"{why} in the analysis of {entry}"
        self._merge(
            {
                c.id: CheckResult(c, Verdict.UNKNOWN, decided_by="global", reason=reason)
                for c in self.checks
                if id(c.site) in reached
            }
        )

    def _assumes(self) -> bool:
        """Does the program state assumptions?"""
        return any(
            isinstance(i, ir.Call) and isinstance(i.callee, ir.GlobalConstant) and overrides(i.callee.name)
            for name, function in self.program.functions.items()
            if name not in self.program.models
            for block in function.blocks.values()
            for i in block.instructions
        )

    def _entry(self, entry: str) -> dict[str, CheckResult]:
        """Climb the bounds until nothing is cut that matters, or time is up."""
        best: dict[str, CheckResult] = {}
        self.found = {}
        if not self._checks_of(entry):
            return best
        began = _worked()
        by_induction = self.settings.strategy in ("ladder", "k-induction")
        spent = 0.0
        for number, bound in enumerate(self._sequence(), 1):
            if self.settings.strategy == "ladder" and bound > DEAR and not self._affordable(spent, bound):
                break
            last = _worked()
            answers = self._round(entry, bound, best)
            spent = _worked() - last
            self._keep(best, answers, deeper=bound > DEAR)
            if by_induction and number <= DEEPEST_INDUCTION:
                self._induction(entry, best, number)
            bounded = any(r.verdict is Verdict.BOUND_SAFE for r in best.values())
            if not bounded or self._late(_worked() - began):
                break
        return best

    def _checks_of(self, entry: str) -> list[Check]:
        """The open checks that executions from an entry point may come to. Before `main` constructors run."""
        if not self.library:
            return self.checks
        known = self.checks_of.get(entry)
        if known is None:
            reached = self.reachability.from_function(entry)
            known = self.checks_of[entry] = [c for c in self.checks if id(c.site) in reached]
        return known

    def _induction(self, entry: str, best: dict[str, CheckResult], k: int) -> None:
        """Turn proofs up to a bound into proofs, for the checks that are inductive together."""
        trusted = frozenset(i for i, r in best.items() if r.verdict is Verdict.BOUND_SAFE)
        while trusted and not self._late(0.0):
            answers = self._inductive_round(entry, k, trusted)
            failed = {i for i in trusted if not _is_safe(answers.results.get(i))}
            if not failed:
                for name in trusted:
                    best[name] = answers.results[name]
                    best[name].decided_by = "induction"
                return
            trusted -= failed

    def _inductive_round(self, entry: str, k: int, trusted: frozenset[str]) -> Answers:
        plan = Induction(k, trusted, self.invariants)
        context, equation = self._execute(entry, k, plan)
        decider = self._decider(context, equation, None, "induction")
        wanted = [c for c in self.checks if c.id in trusted]
        answers = decider.run(wanted)
        self._unclaimed(entry, decider, equation, answers, frozenset(c.id for c in self.checks) - trusted)
        return answers

    def _sequence(self) -> Sequence[int]:
        given = self.settings.unwind
        if given is not None and self.settings.strategy not in ("incremental", "k-induction"):
            return (int(given),)
        match self.settings.strategy:
            case "global":
                return (LADDER[1],)
            case "incremental" | "k-induction":
                top = int(given) if given is not None else 1 << 12
                return tuple(k for k in (1 << i for i in range(13)) if k <= top)
            case _:
                return LADDER

    def _affordable(self, spent: float, bound: int) -> bool:
        """May a dear round follow one that took so long? It takes at least as many times longer as its bound
        is larger."""
        if spent <= CHEAP_SECONDS:
            return True
        return spent * bound / DEAR <= LADDER_SECONDS / 2 and any(map(self._counts_bytes, self.cut_loops))

    def _counts_bytes(self, name: str) -> bool:
        flows = self.reachability.flows.values()
        return any(
            loop.name == name and counts_bytes(flow, loop) for flow in flows for loop in flow.loops.values()
        )

    def _late(self, spent: float) -> bool:
        if self.deadline is not None and time.monotonic() > self.deadline:
            return True
        return self.settings.strategy == "ladder" and spent > LADDER_SECONDS / 4

    def _round(self, entry: str, bound: int, best: Mapping[str, CheckResult]) -> Answers:
        context, equation = self._execute(entry, bound, None)
        self.cut_loops = {name for name, count in equation.loops.items() if count > bound}
        decider = self._decider(context, equation, bound, "global")
        done = {Verdict.SAFE, Verdict.UNSAFE}
        settled = frozenset(i for i, r in best.items() if r.verdict in done and r.reason != "unreachable")
        violated = frozenset(i for i in settled if best[i].verdict is Verdict.UNSAFE)
        answers = decider.run(self._checks_of(entry), skip=settled, violated_before=violated)
        if answers.overlapping:
            self._choose_places(entry, bound, answers)
        self._unclaimed(entry, decider, equation, answers, settled)
        for warning in answers.warnings:
            if warning not in self.outcome.warnings:
                self.outcome.warnings.append(warning)
        return answers

    def _choose_places(self, entry: str, bound: int, answers: Answers) -> None:
        """Look once more for violations that need overlapping objects, at places that a run can have."""
        context, equation = self._execute(entry, bound, None, chosen=True)
        decider = self._decider(context, equation, bound, "global")
        wanted = [c for c in self.checks if c.id in answers.overlapping]
        found = decider.run(wanted)
        for name, result in found.results.items():
            if result.verdict is Verdict.UNSAFE:
                answers.results[name] = result
                answers.counterexamples[name] = found.counterexamples[name]

    def _execute(
        self, entry: str, bound: int, plan: Induction | None, *, chosen: bool = False
    ) -> tuple[ExecutionContext, Equation]:
        context = ExecutionContext(
            self.program,
            arbitrary=self.arbitrary,
            strict=self.settings.strict_pointers,
            devices=devices(self.settings.device_range),
            private=self.private,
            sharing=self.settings.sharing,
            chosen=chosen,
        )
        limits = ExecutionLimits(unwind=bound, loops=self.bounds, recursion=max(bound, 2))
        limits.deadline = self._symex_deadline()
        executor = Executor(
            context,
            self.sites,
            limits,
            unknown_calls=self.settings.extern,
            malloc_may_fail=self.settings.malloc_may_fail,
            propagation=not self.settings.no_propagation,
            reachability=self.reachability,
            feasible=self._feasible(context) if self.settings.smt_during_symex else None,
            plan=plan,
            public=self.entries if self.library else (),
        )
        before = not self.arbitrary and entry not in self.program.constructors
        equation = executor.run(entry, constructors=before)
        self.outcome.warnings += [f for f in equation.failures if f not in self.outcome.warnings]
        self.outcome.instructions += equation.instructions
        self.callbacks.update(equation.callbacks)
        return context, equation

    def _decider(
        self, context: ExecutionContext, equation: Equation, bound: int | None, rung: str
    ) -> Decider:
        return Decider(
            context,
            equation,
            self._solver,
            check_timeout=self.settings.check_timeout,
            deadline=self.deadline,
            bound=bound,
            rung=rung,
            individual=self.settings.individual,
            sliced=not self.settings.no_slice,
            pool=self.pool,
            jobs=self.jobs,
            memory=self.settings.check_memory,
            report=self._tell_proved if rung == "global" else None,
        )

    def _tell_proved(self, result: CheckResult) -> None:
        """A proof from the only entry point is final the moment it is found."""
        alone = len(self.entries) == 1 and not self._may_be_called_back()
        if self.report is not None and alone and result.verdict is Verdict.SAFE:
            self.report(result)

    def _unclaimed(
        self,
        entry: str,
        decider: Decider,
        equation: Equation,
        answers: Answers,
        settled: frozenset[str],
    ) -> None:
        """A check that no execution up to the bound reaches is only safe if none was cut before it, and one
        whose place was executed without anybody looking at the check is not evaluated."""
        claimed = {claim.check.id for claim in equation.claims}
        for check in self._checks_of(entry):
            if check.id in claimed or check.id in settled:
                continue
            verdict, reason = decider.cut_verdict(check)
            if id(check.site) in equation.visited and verdict is not Verdict.UNKNOWN:
                verdict, reason = Verdict.UNKNOWN, NOT_EVALUATED
            if verdict is Verdict.SAFE and self._only_after_exception(check):
                verdict, reason = Verdict.UNKNOWN, "C++ exceptions are not supported"
            answers.results[check.id] = CheckResult(
                check,
                verdict,
                decided_by="global",
                reason="unreachable" if verdict is Verdict.SAFE else reason,
                bound=decider.bound if verdict is Verdict.BOUND_SAFE else None,
            )

    def _only_after_exception(self, check: Check) -> bool:
        """Does control get to the check only where a call ends with an exception? (Not asked of the
        `delete` that the compiler adds for a constructor that throws: it gets what `new` gave.)"""
        if check.trigger is Trigger.FREE:
            return False
        usual = self.without_exceptions.get(check.function)
        if usual is None:
            function = self.program.functions.get(check.function)
            usual = _usual_sites(function) if function is not None else frozenset()
            self.without_exceptions[check.function] = usual
        return id(check.site) not in usual

    def _symex_deadline(self) -> float | None:
        own = time.monotonic() + max(float(self.settings.check_timeout), 10.0)
        return own if self.deadline is None else min(own, self.deadline)

    def _solver(self) -> Solver:
        dump = Path(self.settings.dump_smt) if self.settings.dump_smt else None
        return solvers.make(self.settings.solver, memory=self.settings.check_memory, dump=dump)

    def _feasible(self, context: ExecutionContext) -> Callable[[T.Term], bool]:
        solver = self._solver()
        added = 0

        def ask(guard: T.Term) -> bool:
            nonlocal added
            for constraint in context.constraints[added:]:
                solver.add(constraint)
            added = len(context.constraints)
            return solver.check([guard], timeout=5.0) is not Answer.UNSAT

        return ask

    # ------------------------------------------------------------ adding up

    def _keep(self, best: dict[str, CheckResult], answers: Answers, deeper: bool = False) -> None:
        """A later round knows more, but a violation stays a violation, and what a dear round found no time
        for stays as it was."""
        for name, result in answers.results.items():
            known = best[name].verdict if name in best else None
            if known is Verdict.UNSAFE:
                continue
            if deeper and known is Verdict.BOUND_SAFE and result.verdict is Verdict.UNKNOWN:
                continue
            best[name] = result
            if name in answers.counterexamples:
                self.found[name] = answers.counterexamples[name]

    def _merge(
        self, best: Mapping[str, CheckResult], examples: Mapping[str, Counterexample] | None = None
    ) -> None:
        """A result comes with its own counterexample, if it has one that is to be run."""
        for name, result in best.items():
            known = self.results.get(name)
            if known is None or _outweighs(result, known):
                self.results[name] = result
                self.outcome.counterexamples.pop(name, None)
                if examples is not None and name in examples:
                    self.outcome.counterexamples[name] = examples[name]


def _conditional(best: dict[str, CheckResult], why: str) -> dict[str, CheckResult]:
    """Violations that hang on whether the function is ever called so."""
    for result in best.values():
        if result.verdict is Verdict.UNSAFE:
            result.verdict, result.reason = Verdict.COND_UNSAFE, why
    return best


def _worked() -> float:
    """Processor time so far: how far the ladder climbs should not hang on what else the machine does."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _outweighs(new: CheckResult, old: CheckResult) -> bool:
    if new.verdict is old.verdict:
        return old.reason == "unreachable" and new.reason != "unreachable"
    return _WEIGHT.index(new.verdict) < _WEIGHT.index(old.verdict)


def _usual_sites(function: ir.Function) -> frozenset[int]:
    """Instructions that control can reach when no call throws."""
    if not function.blocks:
        return frozenset()
    seen: set[str] = set()
    work = [next(iter(function.blocks))]
    while work:
        label = work.pop()
        if label not in seen:
            seen.add(label)
            last = function.blocks[label].terminator
            work.extend([last.normal] if isinstance(last, ir.Invoke) else may_follow(function, last))
    return frozenset(id(i) for label in seen for i in function.blocks[label].instructions)


def _private(program: Program) -> frozenset[str]:
    """Globals of one file whose address is used for nothing but accesses by name."""
    exposed = {name for function in program.functions.values() for name in escaping(function)}
    exposed |= {f"@{n}" for g in program.globals.values() for n in names_in(g.initializer)}
    internal = (n for n, g in program.globals.items() if g.linkage in ("internal", "private"))
    return frozenset(n for n in internal if f"@{n}" not in exposed)


def _is_safe(result: CheckResult | None) -> bool:
    return result is not None and result.verdict is Verdict.SAFE


def _loop_bounds(settings: Settings) -> dict[str, int]:
    bounds: dict[str, int] = {}
    for text in settings.unwind_loop:
        name, _, number = text.rpartition("=")
        if not name or not number.isdecimal():
            raise VouchError(f"option --unwind-loop: {text!r} is not NAME=K")
        bounds[name] = int(number)
    return bounds


def devices(texts: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Address ranges from `A..B` words."""
    ranges = []
    for text in texts:
        low, dots, high = text.partition("..")
        try:
            first, last = int(low, 0), int(high if dots else low, 0)
        except ValueError:
            raise VouchError(f"option --device-range: {text!r} is not A..B") from None
        if not 0 <= first <= last < 1 << 64:
            raise VouchError(f"option --device-range: {text!r} is no range of addresses, lowest first")
        ranges.append((first, last))
    return tuple(ranges)


__all__ = ["Outcome", "analyse", "verify"]
