"""`vouch check PATH…`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from vouch.cli import pages
from vouch.errors import VouchError
from vouch.settings import Settings, chosen
from vouch.verdict import Exit, Verdict

if TYPE_CHECKING:
    from vouch.result import RunResult


def check(paths: list[str], settings: Settings) -> int:
    from vouch.cli.progress import Progress
    from vouch.run.checking import checked

    if not paths and not settings.project:
        raise VouchError("nothing to check: give files or folders, or -p DIR")
    outputs = _outputs(paths, settings)
    pages.require(settings)
    earlier = _baseline(settings)
    if settings.verbose and settings.configuration:
        from vouch.printable import visible

        print(f"settings from {visible(str(settings.configuration))}", file=sys.stderr)
    with Progress(settings) as progress:
        result = checked(paths, settings, progress)
    result = _judged(result, earlier, settings)
    if settings.html and not settings.loops:
        pages.write(result, settings)
    for name, file in outputs:
        _write(_loops(result, name) if settings.loops else _report(result, settings, name, file), file)
    if settings.loops and not result.interrupted:
        return Exit.PROVED
    return result.exit_code()


def _outputs(paths: list[str], settings: Settings) -> list[tuple[str, str | None]]:
    """Formats with the files they go to, None for stdout; what cannot be meant is refused before any work."""
    listed = [word.partition("=") for word in settings.output_format]
    outputs: list[tuple[str, str | None]] = [(name, file) for name, mark, file in listed if mark]
    plain = [name for name, mark, _ in listed if not mark]
    if settings.json:
        plain.append("json")
    if len(set(plain)) > 1:
        raise VouchError(f"contradictory formats: {' and '.join(dict.fromkeys(plain))} (give NAME=FILE)")
    outputs.append((plain[0] if plain else "full", settings.output_file))
    if settings.loops and any(name not in ("full", "json") for name, _ in outputs):
        raise VouchError("option --loops: full or json only")
    taken = {os.path.realpath(path) for path in paths if os.path.isfile(path)}
    for _, file in outputs:
        if file is None:
            continue
        if not file:
            raise VouchError("option --output-format: NAME=FILE without a file")
        if not Path(file).absolute().parent.is_dir() or Path(file).is_dir():
            raise VouchError(f"option --output-file: no folder for {file!r}")
        if os.path.realpath(file) in taken:
            raise VouchError(f"option --output-file: {file!r} is an input or another report")
        taken.add(os.path.realpath(file))
    return outputs


def _baseline(settings: Settings) -> dict[str, Verdict] | None:
    if settings.baseline is None:
        return None
    from vouch.report.baseline import read

    return read(settings.baseline)


def _judged(result: RunResult, earlier: dict[str, Verdict] | None, settings: Settings) -> RunResult:
    """The result with what the user makes of it."""
    from dataclasses import replace

    result = replace(
        result, fail_on=frozenset(settings.fail_on), configuration=chosen("check", settings)
    )
    if earlier is None:
        return result
    from vouch.report.baseline import applied

    return applied(result, earlier)


def _report(result: RunResult, settings: Settings, name: str, file: str | None) -> str:
    from vouch.report import Style, render

    to_terminal = not file and _is_terminal() and os.environ.get("TERM") != "dumb"
    style = Style(
        colour=to_terminal and not os.environ.get("NO_COLOR"),
        verbosity=-1 if settings.quiet else int(settings.verbose),
        full_trace=settings.full_trace,
    )
    return render(result, name, style)


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _loops(result: RunResult, name: str) -> str:
    from vouch.printable import in_json, visible

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
        try:
            Path(file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise VouchError(f"{file}: {error.strerror}") from None
        return
    if sys.__stdout__ is None:
        raise VouchError("stdout is closed")
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough; keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise VouchError(f"cannot write to stdout: {error.strerror}") from None
