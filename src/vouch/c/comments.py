"""Comments to vouch in sources: where they are, and which line they speak of."""

from __future__ import annotations

import re

from vouch.c.ir import Program

COMMENT = re.compile(r"(?://|/\*)\s*vouch:\s*(.*?)\s*(?:\*/|$)")


def files_of(program: Program) -> list[str]:
    """The source files with code in the program, models left out."""
    functions = (f for f in program.functions.values() if f.defined and f.name not in program.models)
    return list(dict.fromkeys(f.location.file for f in functions if f.location is not None))


def code_line(lines: list[str], number: int, comment: re.Match[str]) -> int:
    """The line that a comment speaks of: its own, or the next one with code where it stands alone."""
    line = lines[number - 1]
    if line[: comment.start()].strip() or line[comment.end() :].strip():
        return number
    for following in range(number, len(lines)):
        text = lines[following].strip()
        if text and not text.startswith(("//", "/*", "*")):
            return following + 1
    return number
