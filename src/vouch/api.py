"""`vouch.check`: the C flow from files to a `RunResult`, stage by stage.

The stages know nothing of each other; this file alone puts them in order, measures them, keeps to the
time limit and saves what is decided when the user interrupts.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vouch.c.checks.base import Category, Check, Trigger
from vouch.check_run import CheckRun, Listener
from vouch.deciding import decide
from vouch.errors import TimeIsUp, TimeLimit, VouchError
from vouch.printable import visible
from vouch.result import CheckResult, RunResult
from vouch.settings import Settings, resolve
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.c.entries import Entries
    from vouch.c.ir import Program
    from vouch.c.options import FrontOptions
    from vouch.c.promises import Promises
    from vouch.c.ranges import RangeAnalysis
    from vouch.c.sources import Sources


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
    interrupted, incomplete = False, None
    try:
        _flow(state, paths, earlier)
    except TimeLimit as limit:
        incomplete = str(limit)
    except TimeIsUp:
        incomplete = "time limit of the command reached"
    except KeyboardInterrupt:
        interrupted = True
    why = _why_undecided(state, interrupted, incomplete is not None)
    return state.result(why, interrupted=interrupted, incomplete=incomplete)


def _why_undecided(state: CheckRun, interrupted: bool, late: bool) -> str:
    if interrupted:
        return "interrupted"
    return "time limit of the command reached" if state.late() or late else "the engine gave no answer"


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
    from vouch.c import checks, frontend

    settings = state.settings
    wanted = checks.chosen(settings.checks)
    if not wanted or (settings.checks and not "".join(settings.checks).strip(", ")):
        raise VouchError("option --checks: no category is left")
    _validate(settings)
    with state.stage("compile"):
        loaded = frontend.load(list(paths), front_options(settings, wanted), _load_stages)
    from vouch.c import suppress
    from vouch.c.comments import files_of
    from vouch.c.entries import entries
    from vouch.c.interrupts import is_handler, undisturbed
    from vouch.c.promises import promises

    program, sources = loaded.program, loaded.program.sources
    state.warnings += loaded.warnings
    state.left_out += loaded.left_out
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
    by_hardware = [*(n for n in starts.names if is_handler(program.functions[n])), *starts.handlers]
    state.undisturbed = undisturbed(program, by_hardware) if by_hardware else None
    promised, warnings = promises(program, sources, settings.range)
    state.warnings += warnings
    with state.stage("checks"):
        listed = checks.find(program, wanted, sources)
        state.warnings += suppress.apply(files_of(program), listed, sources, wanted)
        state.warnings += suppress.misread(files_of(program), sources)
        state.warnings += _uncalled(state, program, starts, listed)
        state.found(listed, sources)
    from vouch.bmc.loops import with_invariants

    with state.stage("ranges"):
        analysis = _analysis(state, program, starts, promised)
        state.loops = with_invariants(program, state.loops, analysis.ranges.of)
    decisions = analysis.decisions
    state.decide(*_preprocessed(state.checks, decisions))
    before: list[CheckResult] = []
    if earlier is not None:
        found = _known_before(state, program, promised, earlier)
        before = [result for result in found if result.check.id not in state.decided]
        state.decide(*before)
    if not state.late() and (len(state.decided) < len(state.checks) or _assumes(program)):
        decide(state, loaded, analysis, starts, bounds, promised)
    state.decide(*before)  # whose violations were run then


def _uncalled(state: CheckRun, program: Program, starts: Entries, listed: list[Check]) -> list[str]:
    """That `main` never gets to what others may call: nobody should take that for a proof."""
    from vouch.c.entries import uncalled
    from vouch.c.mentions import reached_by_mention

    if starts.library or state.settings.entry:
        return []
    judged = {check.function for check in listed}
    found = uncalled(program, starts)
    state.uncalled = frozenset(reached_by_mention(program, found))
    names = [program.functions[n].source_name for n in found if n in judged]
    if not names:
        return []
    some = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    one = len(names) == 1
    text = f"{some} {'is' if one else 'are'} not called from main: {'its' if one else 'their'} checks are"
    return [f"{text} unreachable there (--entry NAME checks a function that others call, such as hardware)"]


def _load_stages() -> None:
    """Loads what is needed in any case once the compiler is done: a processor is free while it works."""
    from vouch.bmc import loops  # noqa: F401
    from vouch.c import entries, promises, ranges, reader, suppress  # noqa: F401


def _analysis(state: CheckRun, program: Program, starts: Entries, promised: Promises) -> RangeAnalysis:
    """What preprocessing decides. A mistake in it costs its decisions: the engine answers without them."""
    from vouch.c import ranges

    settings = state.settings
    if settings.no_invariants:
        return ranges.RangeAnalysis({}, ranges.Ranges({}))
    try:
        return ranges.analyse(
            program,
            state.checks,
            starts,
            settings.strict_pointers,
            settings.malloc_may_fail,
            promised,
            _part_of_time(state),
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


# Of the time that is left, for ranges: the other engines need most of it where it is short.
_RANGES_SHARE = 0.4


def _part_of_time(state: CheckRun) -> float | None:
    now = time.monotonic()
    return None if state.deadline is None else now + _RANGES_SHARE * max(state.deadline - now, 0.0)


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
        from vouch.numeric.accuracy import Accuracy

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
