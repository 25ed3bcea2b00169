"""`vouch check PATH…`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from vouch.cli import outputs, pages
from vouch.errors import VouchError
from vouch.printable import visible
from vouch.settings import Settings, chosen
from vouch.verdict import Exit, Verdict

if TYPE_CHECKING:
    from vouch.result import RunResult


def check(paths: list[str], settings: Settings) -> int:
    from vouch.cli.progress import Progress
    from vouch.run.checking import checked

    if not paths and not settings.project:
        raise VouchError("nothing to check: give files or folders, or -p DIR")
    targets = _outputs(paths, settings)
    earlier = _baseline(settings)
    with Progress(settings) as progress:
        result = checked(paths, settings, progress, meanwhile=lambda: _load_formats(targets))
    result = _judged(result, earlier, settings)
    if settings.html and not settings.loops:
        pages.write(result, settings)
    for name, file in targets:
        _write(_loops(result, name) if settings.loops else _report(result, settings, name, file), file)
    if result.incomplete and not settings.quiet and ("full", None) not in targets:
        print(f"warning: {visible(result.incomplete)}", file=sys.stderr)
    if settings.loops and not result.interrupted:
        return Exit.UNDECIDED if result.incomplete else Exit.PROVED
    return result.exit_code()


def _outputs(paths: list[str], settings: Settings) -> list[tuple[str, str | None]]:
    found = outputs.listed(settings, paths)
    if settings.loops and any(name not in ("full", "json") for name, _ in found):
        raise VouchError("option --loops: full or json only")
    return found


def _baseline(settings: Settings) -> dict[str, Verdict] | None:
    if settings.baseline is None:
        return None
    from vouch.report.baseline import read

    return read(settings.baseline)


def _judged(result: RunResult, earlier: dict[str, Verdict] | None, settings: Settings) -> RunResult:
    """The result with what the user makes of it."""
    from dataclasses import replace

    result = replace(result, fail_on=frozenset(settings.fail_on), configuration=chosen("check", settings))
    if earlier is None:
        return result
    from vouch.report.baseline import applied

    return applied(result, earlier)


def _load_formats(targets: list[tuple[str, str | None]]) -> None:
    """While others work: what is needed to say it."""
    from importlib import import_module

    from vouch.report import FORMATS

    for name, _ in targets:
        import_module(FORMATS[name])


def _report(result: RunResult, settings: Settings, name: str, file: str | None) -> str:
    from vouch.report import TextStyle, render

    to_terminal = not file and _is_terminal() and os.environ.get("TERM") != "dumb"
    style = TextStyle(
        colour=to_terminal and not os.environ.get("NO_COLOR"),
        verbosity=-1 if settings.quiet else int(settings.verbose),
        full_trace=settings.full_trace,
    )
    return render(result, name, style)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _loops(result: RunResult, name: str) -> str:
    from vouch.printable import in_json

    if name == "json":
        import json

        return in_json(json.dumps({"loops": result.to_json()["loops"]}, indent=2)) + "\n"

    rows = [("loop", "place", "trip count", "bound", "from")]
    for loop in result.loops:
        trips = "?" if loop.trip_count is None else str(loop.trip_count)
        bound = "none" if loop.bound is None else str(loop.bound)
        rows.append((loop.name, f"{visible(loop.file)}:{loop.line}", trips, bound, loop.bound_from))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "".join(
        "  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() + "\n" for r in rows
    )


def _write(text: str, file: str | None) -> None:
    if file is not None:
        outputs.write_file(text, file)
    else:
        outputs.to_stdout(text)
