"""The lines of the source files that locations point into, read once and on demand.

A location is what the program says of itself (`#line 1 "/etc/passwd"`), so files are read only below the
folders that the user gave.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from vouch.errors import VouchError
from vouch.files import read_bytes

_LARGEST = 64 << 20


class Sources:
    """`line(file, n)` is the text of a source line, or "" where there is none (a missing file is no error: IR
    can outlive its source)."""

    __slots__ = ("_files", "_given", "_roots", "left_out")

    def __init__(self, given: dict[str, str] | None = None, roots: Iterable[str] = ()) -> None:
        """`given` maps file names, as locations spell them, to text that is used instead of the disk's; only
        what lies below `roots` is read from there. `left_out` collects existing files that do not."""
        self._given = given or {}
        self._files: dict[str, list[str]] = {}
        self._roots = tuple(dict.fromkeys(os.path.join(os.path.realpath(root), "") for root in roots))
        self.left_out: dict[str, None] = {}

    def lines(self, file: str) -> list[str]:
        lines = self._files.get(file)
        if lines is None:
            lines = self._files[file] = _lines(self._read(file))
        return lines

    def line(self, file: str, number: int) -> str:
        lines = self.lines(file)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def data(self, file: str) -> bytes:
        """The file as it is now, nothing where it may not or cannot be read."""
        if file in self._given:
            return self._given[file].encode("utf-8", "surrogateescape")
        try:
            if not self.shows(file):
                if self._roots and os.path.isfile(file):
                    self.left_out[file] = None
                return b""
            return read_bytes(os.path.realpath(file), _LARGEST)
        except (OSError, ValueError, VouchError):
            return b""

    def shows(self, file: str) -> bool:
        """Whether lines of the file may be shown, links followed."""
        return file in self._given or os.path.realpath(file).startswith(self._roots)

    def _read(self, file: str) -> str:
        return self._given[file] if file in self._given else self.data(file).decode("utf-8", "replace")


def _lines(text: str) -> list[str]:
    """Lines as compilers count them: a form feed does not end one."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines
