"""The lines of the source files that locations point into, read once and on demand."""

from __future__ import annotations

from pathlib import Path


class Sources:
    """`line(file, n)` is the text of a source line, or "" where there is none (a missing file is no error: IR
    can outlive its source)."""

    __slots__ = ("_files", "_given")

    def __init__(self, given: dict[str, str] | None = None) -> None:
        """`given` maps file names, as locations spell them, to text that is used instead of the disk's."""
        self._given = given or {}
        self._files: dict[str, list[str]] = {}

    def lines(self, file: str) -> list[str]:
        lines = self._files.get(file)
        if lines is None:
            lines = self._files[file] = self._read(file).splitlines()
        return lines

    def line(self, file: str, number: int) -> str:
        lines = self.lines(file)
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def _read(self, file: str) -> str:
        if file in self._given:
            return self._given[file]
        try:
            return Path(file).read_text(errors="replace")
        except OSError:
            return ""
