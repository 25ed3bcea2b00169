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


def _options(settings: Settings, names: str, send: Send | None = None) -> dict[str, Any]:
    """The options of these names, and processes as many as -j says. A line for every part that is decided."""
    import os

    from vouch.run.pool import run_jobs

    options = {name: getattr(settings, name) for name in names.split()}
    if send is not None:
        options["report"] = None if settings.quiet else send
    return options | {"jobs": settings.jobs or os.cpu_count() or 1, "pool": run_jobs}


def _run(work: Callable[[Send], Any], settings: Settings) -> int:
    """What is decided when the user interrupts is part of the answer."""

    def without(verdict: Verdict, reason: str, seconds: float) -> Rendered:
        document = {"verdict": str(verdict), "reason": reason, "seconds": round(seconds, 4)}
        text = json.dumps(document) if settings.json else f"{verdict}: {reason} ({seconds:.2f} s)"
        return Rendered("" if settings.quiet and not settings.json else f"{text}\n", Exit.UNDECIDED)

    def hear(line: str) -> None:
        print(visible(line), file=sys.stderr)

    return supervised(lambda send: _shown(work(send), settings), settings, without, hear, soft=True)


def compare(reference: str, test: str, settings: Settings) -> int:
    def work(send: Send) -> Any:
        import vouch.equiv

        names = "epsilon top norm ball_norm box centre radius domain clusters densest"
        names += " property engine strategy arithmetic timeout seed"
        return vouch.equiv.compare(reference, test, **_options(settings, names, send))

    return _run(work, settings)


def radius(reference: str, test: str, settings: Settings) -> int:
    def work(send: Send) -> Any:
        import vouch.equiv

        names = "epsilon top norm ball_norm centre domain timeout seed"
        return vouch.equiv.radius(reference, test, **_options(settings, names))

    return _run(work, settings)


def sweep(reference: str, folder: str, plot: str | None, settings: Settings) -> int:
    def work(send: Send) -> Any:
        import vouch.equiv

        names = "epsilon top norm ball_norm clusters densest domain timeout seed"
        table = vouch.equiv.sweep(reference, folder, **_options(settings, names, send))
        if plot is not None:
            table.plot(plot)
        return table

    return _run(work, settings)
