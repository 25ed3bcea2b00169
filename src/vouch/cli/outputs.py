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

# What vouch reads, it never writes over.
_SOURCES = (".c", ".h", ".i", ".ii", ".cc", ".cpp", ".cxx", ".hpp", ".cu", ".s", ".ll", ".bc", ".toml")
_NETWORKS = (".onnx", ".nnet", ".h5", ".hdf5", ".keras", ".pt", ".pth", ".tflite", ".vnnlib", ".gz", ".npy")


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
    if settings.output_file == "":
        raise VouchError("option --output-file: the name of a file expected")
    if any(file == "" for _, file in found):
        raise VouchError("option --output-format: NAME=FILE without a file")
    require_targets([file for _, file in found], read)
    pages.require(settings)
    return found


def require_targets(files: Iterable[str | None], read: Iterable[str | None]) -> None:
    """These files can be written, and nothing is lost by it: they are not read by the command, nor sources,
    networks or properties of any kind."""
    taken = {os.path.realpath(path) for path in read if path is not None and os.path.isfile(path)}
    for file in files:
        if file is None:
            continue
        path = Path(file)
        if not path.absolute().parent.is_dir() or path.is_dir():
            raise VouchError(f"no folder for the report {file!r}")
        foreign = path.is_file() and path.suffix.lower() in (*_SOURCES, *_NETWORKS)
        if foreign or os.path.realpath(file) in taken:
            raise VouchError(f"report {file!r} is an input or another report")
        taken.add(os.path.realpath(file))


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
    left = memoryview(text.encode("utf-8", "backslashreplace"))
    try:
        while left:  # without a buffer of Python's, a signal makes it write a part only
            left = left[sys.stdout.buffer.write(left) :]
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough; keep the interpreter from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise VouchError(f"cannot write to stdout: {error.strerror}") from None
