"""`vouch check PATH…`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from vouch.errors import VouchError
from vouch.settings import Settings
from vouch.verdict import Exit

if TYPE_CHECKING:
    from vouch.result import RunResult


def check(paths: list[str], settings: Settings) -> int:
    from vouch.cli.progress import Progress
    from vouch.run.checking import checked

    if not paths and not settings.project:
        raise VouchError("nothing to check: give files or folders, or -p DIR")
    if settings.output_file and not Path(settings.output_file).absolute().parent.is_dir():
        raise VouchError(f"option --output-file: no folder {str(Path(settings.output_file).parent)!r}")
    if settings.verbose and settings.configuration:
        from vouch.printable import visible

        print(f"settings from {visible(str(settings.configuration))}", file=sys.stderr)
    with Progress(settings) as progress:
        result = checked(paths, settings, progress)
    _write(_loops(result, settings) if settings.loops else _report(result, settings), settings)
    if settings.loops and not result.interrupted:
        return Exit.PROVED
    return result.exit_code()


def _report(result: RunResult, settings: Settings) -> str:
    from vouch.report import Style, render

    to_terminal = not settings.output_file and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    style = Style(
        colour=to_terminal and not os.environ.get("NO_COLOR"),
        verbosity=-1 if settings.quiet else int(settings.verbose),
    )
    return render(result, "json" if settings.json else settings.output_format, style)


def _loops(result: RunResult, settings: Settings) -> str:
    from vouch.printable import in_json, visible

    if settings.json or settings.output_format == "json":
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


def _write(text: str, settings: Settings) -> None:
    if settings.output_file:
        Path(settings.output_file).write_text(text, encoding="utf-8")
        return
    try:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough; keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
