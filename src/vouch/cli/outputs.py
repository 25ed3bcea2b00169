"""Where results go: `--output-format`, `--output-file`, `--json` and `--html` of all commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vouch.cli import pages
from vouch.errors import VouchError
from vouch.settings import Settings, chosen


def listed(settings: Settings, read: Iterable[str] = ()) -> list[tuple[str, str | None]]:
    """Formats with the files they go to, None for stdout; what cannot be meant is refused before any work.
    `read` are files that the command reads and that must not be written over."""
    words = [word.partition("=") for word in settings.output_format]
    found: list[tuple[str, str | None]] = [(name, file) for name, mark, file in words if mark]
    plain = [name for name, mark, _ in words if not mark]
    if settings.json:
        plain.append("json")
    if len(set(plain)) > 1:
        raise VouchError(f"contradictory formats: {' and '.join(dict.fromkeys(plain))} (give NAME=FILE)")
    found.append((plain[0] if plain else "full", settings.output_file))
    taken = {os.path.realpath(path) for path in read if os.path.isfile(path)}
    for _, file in found:
        if file is None:
            continue
        if not file:
            raise VouchError("option --output-format: NAME=FILE without a file")
        if not Path(file).absolute().parent.is_dir() or Path(file).is_dir():
            raise VouchError(f"no folder for the report {file!r}")
        if os.path.realpath(file) in taken:
            raise VouchError(f"report {file!r} is an input or another report")
        taken.add(os.path.realpath(file))
    pages.require(settings)
    return found


def write_file(text: str, file: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise VouchError(f"{file}: {error.strerror}") from None


def written(result: Any, settings: Settings, text: str, section: str | None = None) -> str:
    """Write the files and pages that are asked for, and return what stdout gets: `text`, which is what a
    terminal shows, or the one format that was chosen instead. `result` is of any kind, or a `Report`."""
    from vouch.report import render, report_of

    more = {"configuration": chosen(section, settings)} if section else {}
    report = report_of(result, **more)
    on_stdout = ""
    for name, file in listed(settings):
        shown = text if name == "full" else render(report, name)
        if file is None:
            on_stdout = shown
        else:
            write_file(shown, file)
    pages.write(report, settings)
    return on_stdout


def to_stdout(text: str) -> None:
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
