"""What the ranges left open, decided: parts of the program alone, with their callers, from its entry points,
and every violation run natively before it counts.

The second half of `vouch.check`. The engines know nothing of each other; here is the order in which they are
asked, and how what they say adds up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from vouch.check_run import CheckRun
from vouch.result import CheckResult
from vouch.settings import Settings
from vouch.status import Direction, at_least, refined
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.bmc.counterexample import Counterexample
    from vouch.bmc.problem import Problem
    from vouch.c.entries import Entries
    from vouch.c.frontend import Loaded
    from vouch.c.promises import Promises
    from vouch.c.ranges import RangeAnalysis
    from vouch.gpu_program import GpuProgram
    from vouch.modular.levels import Proofs
    from vouch.parallel import Pool


def decide(
    state: CheckRun,
    loaded: Loaded,
    analysis: RangeAnalysis,
    starts: Entries,
    bounds: Mapping[str, int],
    promised: Promises,
) -> None:
    """Decides what `state` has open, up the ladder or as the strategy says."""
    from vouch.bmc.problem import pose

    with state.stage("engine"):
        problem = pose(
            loaded.program,
            state.checks,
            state.left_alone(),
            state.settings,
            _before_replay(state),
            entries=starts,
            bounds=bounds,
            invariants=analysis.ranges,
            promises=promised,
        )
    ladder = _Ladder(state, loaded, analysis, problem)
    if state.settings.strategy == "ladder":
        if ladder.in_a_moment():
            return
        ladder.parts()
        ladder.preconditions()
    if "global" in state.settings.rungs:
        ladder.executions()


class _Ladder:
    """Climbs with what is left of a problem. `candidates` are violations of parts alone: no more than hints,
    but a check that nobody decides is at least as bad."""

    def __init__(self, state: CheckRun, loaded: Loaded, analysis: RangeAnalysis, problem: Problem) -> None:
        self.state, self.loaded, self.analysis, self.problem = state, loaded, analysis, problem
        self.pool = _pool(state.settings)
        self.candidates: dict[str, CheckResult] = {}
        self.alone: Collection[str] | None = None  # functions still to be looked at alone, None for all

    def report(self, result: CheckResult) -> None:
        known = at_least(result, self.candidates.get(result.check.id))
        self.state.decide(known if self.state.settings.no_replay else _unconfirmed(known))

    def in_a_moment(self) -> bool:
        """Functions alone and then the whole, each for a moment, where a program begins by itself: many are
        executed faster than the last of their functions is understood. Whether nothing is left."""
        settings, problem = self.state.settings, self.problem
        if problem.library or len(problem.starts) != 1 or not {"local", "global"} <= set(settings.rungs):
            return False
        from vouch.modular import levels

        with self.state.stage("local"):
            proofs = levels.prove(
                problem, self.analysis, report=self.report, pool=self.pool, most=_MOMENT
            )
            self._add(proofs)
            self.alone = proofs.late
        return self._executed_at_once()

    def _executed_at_once(self) -> bool:
        from vouch.bmc.verify import verify

        end = time.monotonic() + _MOMENT
        if self.problem.deadline is not None:
            end = min(end, self.problem.deadline)
        with self.state.stage("engine"):
            outcome = verify(replace(self.problem, deadline=end))
        proofs = [result for result in outcome.results if result.verdict is Verdict.SAFE]
        violated = [result for result in outcome.results if result.verdict is Verdict.UNSAFE]
        if len(proofs) + len(violated) < len(outcome.results):
            self.problem = self.problem.without(proofs)
            self.state.decide(*proofs)
            return False
        self.state.warnings += outcome.warnings
        known = self.state.decided | {result.check.id: result for result in outcome.results}
        _confirm(self.state, self.loaded, self.problem, known, outcome.counterexamples)
        return True

    def parts(self) -> None:
        """Functions alone, and as far up as their callers are known."""
        with self.state.stage("local"):
            for prove in _abstractions(self.state.settings, self.alone):
                self._add(prove(self.problem, self.analysis, report=self.report, pool=self.pool))

    def _add(self, proofs: Proofs) -> None:
        state, candidates = self.state, self.candidates
        self.problem = self.problem.without(proofs.results)
        state.warnings += proofs.warnings
        for name, found in proofs.candidates.items():
            candidates[name] = refined(candidates.get(name), found, Direction.BOTH)
        left = (candidates[check.id] for check in self.problem.checks if check.id in candidates)
        state.decide(*proofs.results, *left)

    def preconditions(self) -> None:
        """Conditions of violations, asked of the callers."""
        from vouch.modular import ladder

        state = self.state
        for plan in ladder.plans(state.settings):
            with state.stage("preconditions"):
                pushed = ladder.refine(self.problem, self.analysis, plan, report=self.report, pool=self.pool)
                proved = pushed.proved()
                self.problem = self.problem.without(proved)
                state.warnings += pushed.warnings
                state.decide(*proved)
            if "global" not in state.settings.rungs:
                known = {**state.decided, **pushed.results}
                _confirm(state, self.loaded, self.problem, known, pushed.examples)

    def executions(self) -> None:
        """Whole executions, from the entry points; then, where a reader wants them, conditions as C."""
        from vouch.bmc.verify import verify

        state, settings = self.state, self.state.settings
        with state.stage("engine"):
            outcome = verify(self.problem, report=self.report, pool=self.pool)
        state.warnings += outcome.warnings
        results = (at_least(result, self.candidates.get(result.check.id)) for result in outcome.results)
        known = state.decided | {result.check.id: result for result in results}
        _confirm(state, self.loaded, self.problem, known, outcome.counterexamples)
        if settings.strategy != "ladder":
            return
        from vouch.modular import ladder

        if ladder.wants_text(settings):
            with state.stage("preconditions"):
                described = ladder.described(self.problem, self.analysis, state.decided, pool=self.pool)
                state.decide(*described)


def _confirm(
    state: CheckRun,
    loaded: Loaded,
    problem: Problem,
    known: Mapping[str, CheckResult],
    examples: Mapping[str, Counterexample],
) -> None:
    """Decide what is known, violations after they were run."""
    if state.settings.no_replay or not examples:
        state.decide(*known.values())
        return
    state.decide(*map(_unconfirmed, known.values()))
    from vouch.bmc.confirm import confirm

    with state.stage("replay"):
        confirmed = confirm(
            loaded,
            state.checks,
            examples,
            known,
            devices=problem.devices,
            late=state.late,
            report=state.decide,
        )
    state.replay_failures += confirmed.failures
    state.decide(*_with_drivers(state, loaded, confirmed.results, examples))


def _pool(settings: Settings) -> Pool:
    """Where jobs run: in processes here, or on a cluster."""
    if settings.cluster is None:
        return _jobs_here
    from vouch.run.cluster import cluster_pool

    return cluster_pool(settings.cluster)


def _jobs_here(*arguments: Any, **options: Any) -> Iterator[tuple[Any, Any]]:
    from vouch.run.pool import run_jobs  # loaded for the first job

    return run_jobs(*arguments, **options)


_MOST_DRIVERS = 1000
_MOMENT = 1.0  # seconds for one function, and for the whole, before any gets more


def _with_drivers(
    state: CheckRun,
    loaded: Loaded,
    results: Mapping[str, CheckResult],
    examples: Mapping[str, Counterexample],
) -> list[CheckResult]:
    """Violations with a program that a person can run. A mistake in writing one costs that one."""
    from vouch.bmc.replay.driver import driver
    from vouch.bmc.replay.gpu import gpu_program

    settings = state.settings
    flags = [f"-I{path}" for path in settings.include] + [f"-D{name}" for name in settings.define]
    flags += [f"-std={settings.std}"] if settings.std else []
    found: dict[str, CheckResult] = {}
    for name, example in list(examples.items())[:_MOST_DRIVERS]:
        result = results.get(name)
        if result is None or result.verdict is not Verdict.UNSAFE:
            continue
        try:
            gpu = gpu_program(loaded.program, example, flags)
            made = driver(loaded.program, example, flags) if gpu is None else None
        except (KeyError, ValueError, AttributeError, TypeError, OverflowError):
            continue
        if gpu is not None:
            found[name] = replace(result, driver=_on_gpu(state, gpu))
        elif made is not None:
            text = {"driver": made.text, "command": made.command, "limits": list(made.limits)}
            found[name] = replace(result, driver=text)
    return [found.get(name, result) for name, result in results.items()]


def _on_gpu(state: CheckRun, program: GpuProgram) -> dict[str, Any]:
    """A violation of a CUDA program for a person with a GPU, and what this machine's GPU showed of it."""
    import shlex

    from vouch.run import gpu

    words = shlex.join(gpu.command(program))
    text: dict[str, Any] = {"driver": program.header, "command": f"{words} && ./replay", "file": "replay.h"}
    text |= {"limits": list(program.limits), "program": program.to_json()}
    if state.settings.replay_gpu:
        on = "no time is left" if state.late() else gpu.machine(state.settings.nvcc)
        run = gpu.GpuRun(None, on) if isinstance(on, str) else gpu.replay(program, on)
        text["gpu"] = {"seen": run.seen, "what": run.what}
    return text


def _abstractions(settings: Settings, alone: Collection[str] | None) -> Iterator[Callable[..., Proofs]]:
    """How parts of the program are looked at before whole executions; `alone` only these functions."""
    from vouch.modular import caller_closed, levels

    limit = int(settings.havoc_limit)
    if "calls" in settings.rungs:
        yield partial(caller_closed.prove, limit=limit)
    for level in _levels(settings, limit):
        yield partial(levels.prove, level=level, only=None if level else alone)


def _levels(settings: Settings, limit: int) -> Sequence[int]:
    """How deep functions are looked at together."""
    from vouch.modular.policy import WHOLE

    if "callers" not in settings.rungs:
        return range(limit) if "local" in settings.rungs else ()
    # From the entry points on each loop is one turn: cheaper than a few calls with loops that are unrolled.
    first = (0, WHOLE) if "local" in settings.rungs else (WHOLE,)
    return (*first, *range(1, int(settings.caller_depth) + 1))


def _unconfirmed(result: CheckResult) -> CheckResult:
    """What a violation is until it was run: nothing that a report may call unsafe."""
    if result.verdict is not Verdict.UNSAFE:
        return result
    reason = "a violation was found, but not yet confirmed by a native run"
    return replace(result, verdict=Verdict.UNKNOWN, reason=reason)


# What is kept back for replay, as a share of the time limit and in seconds at most: the program is built anew
# for it, and all violations wait for that.
_REPLAY_SHARE, _REPLAY_SECONDS = 0.1, 5.0


def _before_replay(state: CheckRun) -> float | None:
    """When the engine has to end, so that what it finds can still be run within the limit."""
    limit = state.settings.timeout
    if state.deadline is None or limit is None or state.settings.no_replay:
        return state.deadline
    return state.deadline - min(_REPLAY_SHARE * limit, _REPLAY_SECONDS)
