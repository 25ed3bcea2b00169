"""`vouch equiv …`: compare two networks, find the largest radius, sweep over compressed networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vouch.cli import outputs
from vouch.cli.network_words import NetworkProgress
from vouch.cli.supervised import Rendered, supervised
from vouch.errors import VouchError
from vouch.printable import visible
from vouch.run.supervise import Send
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict


def _shown(answer: Any, settings: Settings, question: dict[str, Any]) -> Rendered:
    lines = "" if settings.quiet else "".join(f"{visible(line)}\n" for line in answer.text().splitlines())
    found = getattr(answer, "counterexample", None)
    if found is not None and settings.centre is not None:
        from vouch.equiv.data import read_point

        centre = read_point(settings.centre, (len(found.input),))
        question = {**question, "original": [float(v) for v in centre]}
    return _written(answer.to_json(), int(answer.exit_code), lines, settings, question)


def _written(
    document: dict[str, Any], code: int, text: str, settings: Settings, question: dict[str, Any]
) -> Rendered:
    from vouch.report.model import read

    report = read({**document, "question": question}, exit_code=Exit(code), text=text)
    return Rendered(outputs.written(report, settings, text), code)


def _run(work: Callable[[Send], Any], settings: Settings, reference: str, test: str) -> int:
    """What is decided when the user interrupts is part of the answer."""
    named = (getattr(settings, name, None) for name in ("box", "centre", "clusters"))
    outputs.listed(settings, (reference, test, *(str(word) for word in named if word is not None)))
    question = _question(settings, reference, test)

    def without(verdict: Verdict, reason: str, seconds: float) -> Rendered:
        document = {"verdict": str(verdict), "reason": reason, "seconds": round(seconds, 4), "region": None}
        text = "" if settings.quiet else f"{verdict}: {reason} ({seconds:.2f} s)\n"
        return _written(document, Exit.UNDECIDED, text, settings, question)

    def shown(send: Send) -> Rendered:
        return _shown(work(send), settings, question)

    with NetworkProgress(settings) as progress:

        def hear(line: str) -> None:
            progress.line(visible(line))

        return supervised(shown, settings, without, hear, soft=True, progress=progress)


def _question(settings: Settings, reference: str, test: str) -> dict[str, Any]:
    """What was asked, for reports."""
    asked: dict[str, Any] = {"reference": reference, "test": test}
    for name in ("radius", "norm", "box", "clusters"):
        if getattr(settings, name, None) is not None:
            asked[name] = getattr(settings, name)
    return asked


def _report(settings: Settings, send: Send) -> Send | None:
    """Where a line for every part that is decided goes."""
    return None if settings.quiet else send


def compare(reference: str, test: str, settings: Settings) -> int:
    def work(send: Send) -> Any:
        from vouch.equiv.api import compared
        from vouch.run.pool import run_jobs

        return compared(reference, test, settings, pool=run_jobs, report=_report(settings, send))

    return _run(work, settings, reference, test)


def radius(reference: str, test: str, settings: Settings) -> int:
    def work(send: Send) -> Any:
        from vouch.equiv.maximal import radius_of
        from vouch.run.pool import run_jobs

        return radius_of(reference, test, settings, run_jobs)

    return _run(work, settings, reference, test)


def sweep(reference: str, folder: str, plot: str | None, settings: Settings) -> int:
    outputs.require_targets([plot], (reference, settings.clusters))

    def work(send: Send) -> Any:
        from vouch.equiv.sweeping import table_of
        from vouch.run.pool import run_jobs

        table = table_of(reference, folder, settings, run_jobs, _report(settings, send))
        if plot is not None:
            table.plot(plot)
        return table

    return _run(work, settings, reference, folder)


def code(reference: str, files: list[str], settings: Settings, **given: Any) -> int:
    if not files:
        raise VouchError("missing argument FILE.c…")
    if given["function"] is None and given["map"] is None:
        raise VouchError("missing option --function")

    def work(send: Send) -> Any:
        from vouch.shipped.compare import compare_code

        return compare_code(reference, files, settings, **given)

    return _run(work, settings, reference, " ".join(files))
