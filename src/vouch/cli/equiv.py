"""`vouch equiv …`: compare two networks, find the largest radius, sweep over compressed networks."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from vouch.cli.supervised import Rendered, supervised
from vouch.printable import visible
from vouch.run.supervise import Send
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict


def _shown(answer: Any, settings: Settings) -> Rendered:
    if settings.json:
        return Rendered(json.dumps(answer.to_json()) + "\n", int(answer.exit_code))
    lines = "" if settings.quiet else "".join(f"{visible(line)}\n" for line in answer.text().splitlines())
    return Rendered(lines, int(answer.exit_code))


def _run(work: Callable[[Send], Any], settings: Settings) -> int:
    """What is decided when the user interrupts is part of the answer."""

    def without(verdict: Verdict, reason: str, seconds: float) -> Rendered:
        document = {"verdict": str(verdict), "reason": reason, "seconds": round(seconds, 4)}
        text = json.dumps(document) if settings.json else f"{verdict}: {reason} ({seconds:.2f} s)"
        return Rendered("" if settings.quiet and not settings.json else f"{text}\n", Exit.UNDECIDED)

    def hear(line: str) -> None:
        print(visible(line), file=sys.stderr)

    return supervised(lambda send: _shown(work(send), settings), settings, without, hear, soft=True)


def _report(settings: Settings, send: Send) -> Send | None:
    """Where a line for every part that is decided goes."""
    return None if settings.quiet else send


def compare(reference: str, test: str, settings: Settings) -> int:
    def work(send: Send) -> Any:
        from vouch.equiv.api import compared
        from vouch.run.pool import run_jobs

        return compared(reference, test, settings, pool=run_jobs, report=_report(settings, send))

    return _run(work, settings)


def radius(reference: str, test: str, settings: Settings) -> int:
    def work(send: Send) -> Any:
        from vouch.equiv.maximal import radius_of
        from vouch.run.pool import run_jobs

        return radius_of(reference, test, settings, run_jobs)

    return _run(work, settings)


def sweep(reference: str, folder: str, plot: str | None, settings: Settings) -> int:
    def work(send: Send) -> Any:
        from vouch.equiv.sweeping import table_of
        from vouch.run.pool import run_jobs

        table = table_of(reference, folder, settings, run_jobs, _report(settings, send))
        if plot is not None:
            table.plot(plot)
        return table

    return _run(work, settings)
