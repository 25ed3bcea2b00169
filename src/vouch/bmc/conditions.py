"""What a branch asks, read off the source line it comes from.

Debug information tells where a branch stands, not what it asks. For `if`, `while` and `for` on one line the
text between the parentheses is it; where that cannot be told apart (`&&`, `||`), only the whole is named.
"""

from __future__ import annotations

import re

from vouch.c.ir import Location
from vouch.c.sources import Sources

_KEYWORD = re.compile(r"\b(if|while|for)\s*\(")
_NEGATED = re.compile(r"!\s*([\w.\[\]]+|\(.*\))$")
_JOINED = re.compile(r"&&|\|\||\?")


def branch_text(sources: Sources, place: Location, taken: bool) -> str:
    """`x > 2 is true`, or `branch taken` where the source does not tell."""
    asked = _condition(sources, place)
    if asked is None:
        return "branch taken" if taken else "branch not taken"
    if _JOINED.search(asked):
        return f"evaluates {asked}"
    # The compiler branches on what is behind the `!` and swaps the targets.
    if (negated := _NEGATED.match(asked)) is not None:
        asked = negated.group(1)
        if asked.startswith("("):
            asked = asked[1:-1].strip()
    return f"{asked} is {'true' if taken else 'false'}"


def _condition(sources: Sources, place: Location) -> str | None:
    found = list(_KEYWORD.finditer(sources.line(place.file, place.line)))
    if len(found) != 1:
        return None
    text = sources.line(place.file, place.line)
    for following in range(place.line + 1, place.line + 4):
        inner = _balanced(text, found[0].end())
        if inner is not None:
            return _asked(found[0].group(1), inner)
        text += " " + sources.line(place.file, following).strip()
    return None


def _asked(keyword: str, inner: str) -> str | None:
    if keyword == "for":
        parts = inner.split(";")
        inner = parts[1] if len(parts) == 3 else ""
    return " ".join(inner.split()) or None


def _balanced(text: str, start: int) -> str | None:
    """What stands between the parenthesis before `start` and the one that closes it."""
    depth = 1
    for position in range(start, len(text)):
        depth += (text[position] == "(") - (text[position] == ")")
        if depth == 0:
            return text[start:position]
    return None
