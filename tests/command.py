"""The command line in the process of the tests: what a user gets, without a start of Python for each case.

The analysis runs in a fork all the same; what it needs is loaded here once. That the program starts, ends and
answers signals as a process of its own is asked elsewhere (`tests/test_cli.py`, `tests/test_signals.py`).
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest import mock

from vouch.cli.main import run


def vouch(
    folder: Path, *arguments: str, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with these variables beside those of the tests."""
    _load()
    with _in(folder), mock.patch.dict(os.environ, environ or {}), _captured() as said:
        code = run(arguments)
    out, err = said
    assert "Traceback" not in err, err
    return subprocess.CompletedProcess(arguments, code, out, err)


@cache
def _load() -> None:
    """Loads all that a small file with a violation takes."""
    from vouch.api import check

    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "a.c")
        file.write_text("int f(int x) { return 10 / x; }\n")
        assert check(str(file)).exit_code() == 1


@contextmanager
def _in(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _captured() -> Iterator[list[str]]:
    """What this process and its children write is in the list in the end."""
    said: list[str] = []
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        before = sys.stdout, sys.stderr, os.dup(1), os.dup(2)
        sys.stdout.flush()
        sys.stderr.flush()
        for number, file in ((1, out), (2, err)):
            os.dup2(file.fileno(), number)
        sys.stdout, sys.stderr = _stream(1), _stream(2)
        try:
            yield said
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.close()
            sys.stdout, sys.stderr = before[:2]
            for number, kept in enumerate(before[2:], 1):
                os.dup2(kept, number)
                os.close(kept)
            for file in (out, err):
                file.seek(0)
                said.append(file.read().decode("utf-8", "replace"))


def _stream(number: int) -> io.TextIOWrapper:
    """As Python opens it: what goes to stderr is written line by line."""
    return open(number, "w", 1 if number == 2 else -1, "utf-8", "backslashreplace", closefd=False)
