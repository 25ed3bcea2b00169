"""`vouch.check`: the C flow from files to a `RunResult`, stage by stage.

The stages know nothing of each other; this file alone puts them in order, measures them, keeps to the
time limit and saves what is decided when the user interrupts.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vouch.c.checks.base import Category, Check, Trigger
from vouch.check_run import CheckRun, Listener
from vouch.errors import VouchError
from vouch.printable import visible
from vouch.result import CheckResult, RunResult
from vouch.settings import Settings, resolve
from vouch.status import Direction, at_least, refined
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.bmc.counterexample import Counterexample
    from vouch.bmc.problem import Problem
    from vouch.c.entries import Entries
    from vouch.c.frontend import Loaded
    from vouch.c.ir import Program
    from vouch.c.options import FrontOptions
    from vouch.c.promises import Promises
    from vouch.c.ranges import RangeAnalysis
    from vouch.c.sources import Sources
    from vouch.modular.levels import Proofs
    from vouch.parallel import Pool


def check(paths: str | Path | Sequence[str | Path], **options: Any) -> RunResult:
    """Verify C code. `options` are those of `vouch check`, with underscores (`check_timeout=10`).

    Raises `VouchError` where the input cannot be read or compiled.
    """
    if isinstance(paths, (str, Path)):
        paths = [paths]
    return run([str(p) for p in paths], resolve("check", options))


def run(
    paths: Sequence[str],
    settings: Settings,
    tell: Listener | None = None,
    *,
    earlier: Mapping[str, tuple[str | None, Mapping[str, Any]]] | None = None,
    only: str | None = None,
) -> RunResult:
    """The whole flow. An interrupt (Ctrl-C) ends it early with what is decided so far. `earlier` has results
    of other runs by check id, with the fingerprints of the code that they are about: what is final there and
    about the same code is not decided again. `only`: the one check that engines are to look at."""
    state = CheckRun(settings=settings, tell=tell or (lambda kind, content: None), only=only)
    interrupted = False
    try:
        _flow(state, paths, earlier)
    except KeyboardInterrupt:
        interrupted = True
    return state.result(_why_undecided(state, interrupted), interrupted=interrupted)


def _why_undecided(state: CheckRun, interrupted: bool) -> str:
    if interrupted:
        return "interrupted"
    return "time limit of the command reached" if state.late() else "the engine gave no answer"


def _known_before(
    state: CheckRun,
    program: Program,
    promised: Promises,
    earlier: Mapping[str, tuple[str | None, Mapping[str, Any]]],
) -> Iterator[CheckResult]:
    """Final results of earlier runs about code that has not changed since, nor what is promised of inputs,
    at their places of today."""
    from vouch.modular.fingerprint import fingerprints
    from vouch.settings import chosen

    apart = ("timeout", "check-timeout", "jobs", "rungs", "caller-depth", "havoc-limit", "points")
    options = repr(sorted((k, v) for k, v in chosen("check", state.settings).items() if k not in apart))
    options += repr(promised)
    marks = {name: f"{mark} {options}" for name, mark in fingerprints(program).items()}
    state.tell("fingerprints", marks)
    for check in state.checks:
        mark, document = earlier.get(check.id, (None, {}))
        if mark is not None and mark == marks.get(check.function):
            result = CheckResult.from_json(document)
            if result.verdict in (Verdict.SAFE, Verdict.UNSAFE):
                yield replace(result, check=check)


def _flow(
    state: CheckRun,
    paths: Sequence[str],
    earlier: Mapping[str, tuple[str | None, Mapping[str, Any]]] | None = None,
) -> None:
    from vouch.c import checks, frontend, suppress
    from vouch.c.comments import files_of
    from vouch.c.entries import entries
    from vouch.c.promises import promises

    settings = state.settings
    wanted = checks.chosen(settings.checks)
    if not wanted or (settings.checks and not "".join(settings.checks).strip(", ")):
        raise VouchError("option --checks: no category is left")
    _validate(settings)
    with state.stage("compile"):
        loaded = frontend.load(list(paths), front_options(settings, wanted))
    program, sources = loaded.program, loaded.program.sources
    state.warnings += loaded.warnings
    if settings.verbose:
        for line in loaded.found:
            print(visible(line), file=sys.stderr)
    bounds = _bounds(state, program, sources)
    if settings.loops:
        return
    starts = entries(program, settings.entry, settings.globals)
    state.entries = list(starts.names)
    if not state.entries:
        raise VouchError("no function to check: the program has no code")
    promised, warnings = promises(program, sources, settings.range)
    state.warnings += warnings
    with state.stage("checks"):
        listed = checks.find(program, wanted, sources)
        state.warnings += suppress.apply(files_of(program), listed, sources, wanted)
        state.warnings += suppress.misread(files_of(program), sources)
        state.found(listed, sources)
    from vouch.bmc.loops import with_invariants

    with state.stage("ranges"):
        analysis = _analysis(state, program, starts)
        state.loops = with_invariants(program, state.loops, analysis.ranges.of)
    decisions = analysis.decisions
    state.decide(*_preprocessed(state.checks, decisions))
    before: list[CheckResult] = []
    if earlier is not None:
        found = _known_before(state, program, promised, earlier)
        before = [result for result in found if result.check.id not in state.decided]
        state.decide(*before)
    if not state.late() and (len(state.decided) < len(state.checks) or _assumes(program)):
        _engine(state, loaded, analysis, starts, bounds, promised)
    state.decide(*before)  # whose violations were run then


def _analysis(state: CheckRun, program: Program, starts: Entries) -> RangeAnalysis:
    """What preprocessing decides. A mistake in it costs its decisions: the engine answers without them."""
    from vouch.c import ranges

    settings = state.settings
    try:
        return ranges.analyse(
            program,
            state.checks,
            starts,
            settings.strict_pointers,
            settings.malloc_may_fail,
        )
    except (MemoryError, VouchError):
        raise
    except Exception as wrong:
        if settings.verbose:
            import traceback

            traceback.print_exc()
        text = f"internal error: {type(wrong).__name__}: {' '.join(str(wrong).split())}".rstrip(": ")
        state.warnings.append(f"{text} in the range analysis; it decides nothing in this run")
        return ranges.RangeAnalysis({}, ranges.Ranges({}))


def _preprocessed(checks: Sequence[Check], decisions: Mapping[str, Any]) -> Iterator[CheckResult]:
    from vouch.c.ranges.access import ASSUMED

    for item in checks:
        if (decision := decisions.get(item.id)) is not None:
            assumed = (decision.reason,) if decision.reason in ASSUMED else ()
            yield CheckResult(
                item, decision.verdict, decided_by=decision.rung, reason=decision.reason, assumptions=assumed
            )
        elif item.trigger is Trigger.NEVER:
            yield CheckResult(item, Verdict.SAFE, decided_by="preprocess")


def _assumes(program: Program) -> bool:
    """Whether the program may state assumptions: the engine warns where they exclude everything."""
    return any("assume" in name for name in program.functions)


def _machine_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20


_DEFAULT_MEMORY = 4096
_SOLVER = "bitwuzla"  # comes with vouch: nothing to look up


def _validate(settings: Settings) -> None:
    """What the option table cannot check, before any work: a typing mistake should not cost a compilation."""
    if settings.check_memory > max(_machine_memory(), _DEFAULT_MEMORY):
        raise VouchError(f"option --check-memory: this machine has {_machine_memory()} MiB")
    if settings.libm != "glibc":
        from vouch.numeric.mathlib import Accuracy

        Accuracy(settings.libm)
    if settings.dump_smt:
        try:
            os.makedirs(settings.dump_smt, exist_ok=True)
        except OSError as error:
            raise VouchError(f"option --dump-smt: {settings.dump_smt!r}: {error.strerror}") from None
    if settings.unwind_loop:
        from vouch.bmc.loops import given_bounds

        given_bounds(settings.unwind_loop)
    if settings.device_range:
        from vouch.bmc.problem import devices

        devices(settings.device_range)
    if settings.solver != _SOLVER:
        from vouch.smt.backends import backend

        for name in settings.solver.split(","):
            backend(name.strip())


def _bounds(state: CheckRun, program: Program, sources: Sources) -> dict[str, int]:
    """List the loops. The bounds that users gave for them by name: in comments, and in options, which win."""
    from vouch.bmc.loops import describe, given_bounds
    from vouch.c import suppress
    from vouch.c.comments import files_of

    settings = state.settings
    comments = suppress.loop_bounds(files_of(program), sources)
    given = given_bounds(settings.unwind_loop)
    state.loops = describe(program, given, comments, settings.unwind)
    noted = {
        loop.name: loop.bound
        for loop in state.loops
        if loop.bound_from == "comment" and loop.bound is not None
    }
    return noted | given


def front_options(settings: Settings, wanted: frozenset[Category]) -> FrontOptions:
    from vouch.c.options import FrontOptions

    return FrontOptions(
        includes=tuple(settings.include),
        defines=tuple(settings.define),
        target=settings.target,
        clang=settings.clang,
        categories=wanted,
        std=settings.std,
        jobs=settings.jobs,
        cache=not settings.no_cache,
        database=settings.project,
        entry=settings.entry[0] if settings.entry else None,
        quoted=_quoted(settings),
        exclude=tuple(settings.exclude),
        strict=settings.strict_sources,
        deadline=None if settings.timeout is None else time.monotonic() + float(settings.timeout),
    )


def _quoted(settings: Settings) -> tuple[str, ...]:
    """Folders that the user named: a file of the project must not widen what is read."""
    from vouch.c.project import repository

    own = [] if "include" in settings.from_file else list(settings.include)
    if settings.project and "project" not in settings.from_file:
        own.append(repository(settings.project) or settings.project)
    return tuple(own)


def _engine(
    state: CheckRun,
    loaded: Loaded,
    analysis: RangeAnalysis,
    starts: Entries,
    bounds: Mapping[str, int],
    promised: Promises,
) -> None:
    from vouch.bmc.problem import pose
    from vouch.bmc.verify import verify
    from vouch.modular import ladder

    settings = state.settings
    pool = _pool(settings)

    candidates: dict[str, CheckResult] = {}

    def report(result: CheckResult) -> None:
        known = at_least(result, candidates.get(result.check.id))
        state.decide(known if settings.no_replay else _unconfirmed(known))

    with state.stage("engine"):
        problem = pose(
            loaded.program,
            state.checks,
            state.left_alone(),
            settings,
            _before_replay(state),
            entries=starts,
            bounds=bounds,
            invariants=analysis.ranges,
            promises=promised,
        )
    if settings.strategy == "ladder":
        with state.stage("local"):
            for prove in _abstractions(settings):
                proofs = prove(problem, analysis, report=report, pool=pool)
                problem = problem.without(proofs.results)
                state.warnings += proofs.warnings
                for name, found in proofs.candidates.items():
                    candidates[name] = refined(candidates.get(name), found, Direction.BOTH)
                left = (candidates[check.id] for check in problem.checks if check.id in candidates)
                state.decide(*proofs.results, *left)
        for plan in ladder.plans(settings):
            with state.stage("preconditions"):
                pushed = ladder.refine(problem, analysis, plan, report=report, pool=pool)
                proved = pushed.proved()
                problem = problem.without(proved)
                state.warnings += pushed.warnings
                state.decide(*proved)
            if "global" not in settings.rungs:
                _confirm(state, loaded, problem, {**state.decided, **pushed.results}, pushed.examples)
    if "global" not in settings.rungs:
        return
    with state.stage("engine"):
        outcome = verify(problem, report=report, pool=pool)
    state.warnings += outcome.warnings
    results = (at_least(result, candidates.get(result.check.id)) for result in outcome.results)
    known = state.decided | {result.check.id: result for result in results}
    _confirm(state, loaded, problem, known, outcome.counterexamples)
    if settings.strategy == "ladder" and ladder.wants_text(settings):
        with state.stage("preconditions"):
            state.decide(*ladder.described(problem, analysis, state.decided, pool=pool))


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
    from vouch.run.pool import run_jobs

    if settings.cluster is None:
        return run_jobs
    from vouch.run.cluster import cluster_pool

    return cluster_pool(settings.cluster)


_MOST_DRIVERS = 1000


def _with_drivers(
    state: CheckRun,
    loaded: Loaded,
    results: Mapping[str, CheckResult],
    examples: Mapping[str, Counterexample],
) -> list[CheckResult]:
    """Violations with a program that a person can run. A mistake in writing one costs that one."""
    from vouch.bmc.replay.driver import driver

    settings = state.settings
    flags = [f"-I{path}" for path in settings.include] + [f"-D{name}" for name in settings.define]
    flags += [f"-std={settings.std}"] if settings.std else []
    found: dict[str, CheckResult] = {}
    for name, example in list(examples.items())[:_MOST_DRIVERS]:
        result = results.get(name)
        if result is None or result.verdict is not Verdict.UNSAFE:
            continue
        try:
            made = driver(loaded.program, example, flags)
        except (KeyError, ValueError, AttributeError, TypeError, OverflowError):
            continue
        if made is not None:
            text = {"driver": made.text, "command": made.command, "limits": list(made.limits)}
            found[name] = replace(result, driver=text)
    return [found.get(name, result) for name, result in results.items()]


def _abstractions(settings: Settings) -> Iterator[Callable[..., Proofs]]:
    """How parts of the program are looked at before whole executions."""
    from vouch.modular import caller_closed, levels

    limit = int(settings.havoc_limit)
    if "calls" in settings.rungs:
        yield partial(caller_closed.prove, limit=limit)
    for level in _levels(settings, limit):
        yield partial(levels.prove, level=level)


def _levels(settings: Settings, limit: int) -> Sequence[int]:
    """How deep functions are looked at together."""
    if "callers" not in settings.rungs:
        return range(limit) if "local" in settings.rungs else ()
    return range(0 if "local" in settings.rungs else 1, int(settings.caller_depth) + 1)


def _unconfirmed(result: CheckResult) -> CheckResult:
    """What a violation is until it was run: nothing that a report may call unsafe."""
    if result.verdict is not Verdict.UNSAFE:
        return result
    reason = "a violation was found, but not yet confirmed by a native run"
    return replace(result, verdict=Verdict.UNKNOWN, reason=reason)


# What is kept back for replay, as a share of the time limit and in seconds at most.
_REPLAY_SHARE, _REPLAY_SECONDS = 0.1, 1.0


def _before_replay(state: CheckRun) -> float | None:
    """When the engine has to end, so that what it finds can still be run within the limit."""
    limit = state.settings.timeout
    if state.deadline is None or limit is None or state.settings.no_replay:
        return state.deadline
    return state.deadline - min(_REPLAY_SHARE * limit, _REPLAY_SECONDS)
