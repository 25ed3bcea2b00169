"""What people write to vouch in comments: suppressed checks and loop bounds.

`// vouch: ignore[narrowing] the low byte is meant` suppresses the checks of that category on its line;
`// vouch: unwind 16` gives the loop on its line (or, on a line of its own, the next line of code) a bound.
`/* … */` works as well, and several categories are separated by commas.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from vouch.c.checks.base import Category, Check
from vouch.c.comments import COMMENT, code_line
from vouch.c.promises import understood
from vouch.c.sources import Sources
from vouch.record import record

_IGNORE = re.compile(r"ignore\s*\[([^\]]*)\]\s*[:-]?\s*(.*)")
_UNWIND = re.compile(r"unwind\s+(\d{1,18})\b")
LARGEST_BOUND = 2**31 - 1


@record
class Suppression:
    """One comment. `used` collects the categories that it suppressed a check of."""

    file: str
    line: int
    categories: tuple[str, ...]
    reason: str
    used: set[str]


def apply(
    files: Iterable[str], checks: list[Check], sources: Sources, categories: Collection[str] | None = None
) -> list[str]:
    """Set `suppressed` on the checks that a comment names, and return one warning per comment that is
    unused or not understood. `categories` are those of this run: others cannot be used in it."""
    found = [item for file in dict.fromkeys(files) for item in _suppressions(sources, file)]
    table: dict[tuple[str, int, str], Suppression] = {}
    for item in found:
        for category in item.categories:
            table[item.file, item.line, category] = item
    for check in checks:
        place = check.location
        known = table.get((place.file, place.line, str(check.category)))
        if known is not None:
            known.used.add(str(check.category))
            check.suppressed = known.reason or "no reason given"
    return [warning for item in found for warning in _warnings(item, categories)]


def _suppressions(sources: Sources, file: str) -> list[Suppression]:
    found = []
    for number, line in enumerate(sources.lines(file), 1):
        if "vouch:" in line:
            for comment in COMMENT.finditer(line):
                match = _IGNORE.match(comment.group(1))
                if match:
                    names = tuple(name.strip() for name in match.group(1).split(",") if name.strip())
                    found.append(Suppression(file, number, names, match.group(2).strip(), set()))
    return found


def _warnings(item: Suppression, categories: Collection[str] | None) -> list[str]:
    place = f"{item.file}:{item.line}"
    if not item.categories:
        return [f"{place}: 'vouch: ignore[]' names no category"]
    warnings = []
    for name in item.categories:
        if name not in set(Category):
            warnings.append(f"{place}: 'vouch: ignore[{name}]' names no check category")
        elif name not in item.used and (categories is None or name in categories):
            warnings.append(f"{place}: unused 'vouch: ignore[{name}]'")
    return warnings


def misread(files: Iterable[str], sources: Sources) -> list[str]:
    """One warning for each comment to vouch that says nothing vouch understands."""
    warnings = []
    for file in dict.fromkeys(files):
        for number, line in enumerate(sources.lines(file), 1):
            for comment in COMMENT.finditer(line) if "vouch:" in line else ():
                said = comment.group(1)
                unwind = _UNWIND.match(said)
                if understood(said) is not None:
                    continue
                if not _IGNORE.match(said) and (unwind is None or int(unwind[1]) > LARGEST_BOUND):
                    what = said if len(said) <= 40 else f"{said[:37]}…"
                    warnings.append(f"{file}:{number}: 'vouch: {what}' is not understood")
    return warnings


def loop_bounds(files: Iterable[str], sources: Sources) -> dict[tuple[str, int], int]:
    """Bounds by (file, line of the loop)."""
    bounds = {}
    for file in dict.fromkeys(files):
        lines = sources.lines(file)
        for number, line in enumerate(lines, 1):
            if "vouch:" not in line:
                continue
            for comment in COMMENT.finditer(line):
                match = _UNWIND.match(comment.group(1))
                if match and int(match.group(1)) <= LARGEST_BOUND:
                    bounds[file, code_line(lines, number, comment)] = int(match.group(1))
    return bounds
