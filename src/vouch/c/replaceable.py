"""Weak definitions of a library: a program that is linked with it may bring another one in their place.

A call of a weak function runs its body, or one that nobody here knows; the choice is a function of its own,
to which every mention of the name goes. A weak constant holds what somebody else may have put there. A
program with a `main` is complete: its weak definitions are those that count.
"""

from __future__ import annotations

import re

from vouch.c.reader.instructions import BEFORE_TYPE
from vouch.c.reader.scan import closing, split, type_end, unquoted

_HEADER = re.compile(r"^define [^@\n]*\bweak .*$", re.MULTILINE)
_CONSTANT = re.compile(r'^(@(?:"[^"]*"|[\w.$-]+) = )weak ((?:[a-z_]+ )*)constant (.*)$', re.MULTILINE)
_LINKING = frozenset(("weak", "dso_local", "dso_preemptable", "default", "hidden", "protected"))
_DEBUG = re.compile(r"!dbg !\d+")
_CHOICE = "__vouch_nondet_replaced"


def with_choices(text: str) -> tuple[str, list[str]]:
    """The program, as IR text, with what may take the place of its weak definitions; and the functions whose
    own bodies count all the same, because their arguments cannot be handed on."""
    text = _CONSTANT.sub(_declared, text)
    added, left = [], []
    for line in _HEADER.findall(text):
        name, lines = _choice(line)
        if lines:
            text = _renamed(text, name, line)
        else:
            left.append(unquoted(name))
        added += lines
    if added:
        added.append(f"declare i8 @{_CHOICE}()")
    return "\n".join([text, *added, ""]) if added else text, left


def _declared(match: re.Match[str]) -> str:
    """A constant without its value."""
    place, words, rest = match.groups()
    end = type_end(rest)
    extras = split(rest[end + 1 :])[1:]
    return ", ".join([f"{place}external {words}constant {rest[:end]}", *extras])


def _choice(line: str) -> tuple[str, list[str]]:
    """The name of the function as it is spelled, and the text of the function that chooses. Nothing where the
    arguments cannot be handed on: those that have no names, and conventions of calling other than C's."""
    before = BEFORE_TYPE.match(line, len("define "))
    start = before.end() if before else len("define ")
    words = [word for word in line[len("define ") : start].split() if word not in _LINKING]
    end = type_end(line, start)
    opening = line.index("(", line.index("@", end))
    name = line[line.index("@", end) + 1 : opening]
    finish = closing(line, opening)
    given = line[opening + 1 : finish]
    if "..." in split(given) or any("cc" in word for word in words):
        return name, []
    result = " ".join([*words, line[start:end]])
    plain = line[start:end]
    value, returned = ("", "void") if plain == "void" else ("%vouch.value = ", f"{plain} %vouch.value")
    debug = _DEBUG.search(line, finish)
    other = f'@"another {unquoted(name)}"'
    lines = [
        f"define internal {result} {_chooser(name)}({given}) {{",
        f"  %vouch.replaced = call i8 @{_CHOICE}()",  # names that no parameter has
        "  %vouch.own = icmp eq i8 %vouch.replaced, 0",
        "  br i1 %vouch.own, label %vouch.here, label %vouch.elsewhere",
        "",
        "vouch.here:",
        f"  {value}call {result} @{name}({given})",
        f"  ret {returned}",
        "",
        "vouch.elsewhere:",
        f"  {value.replace('value', 'other')}call {result} {other}({given})",
        f"  ret {returned.replace('%vouch.value', '%vouch.other')}",
        "}",
        f"declare {debug.group() + ' ' if debug else ''}{result} {other}({given})",
    ]
    return name, lines


def _chooser(name: str) -> str:
    return f'@"whichever {unquoted(name)}"'


def _renamed(text: str, name: str, header: str) -> str:
    """All mentions of the function lead to the choice, but for its own definition."""
    mention = re.compile(rf"@{re.escape(name)}(?![\w.$-])")
    before, _, after = text.partition(header)
    chooser = _chooser(name)
    return mention.sub(lambda _: chooser, before) + header + mention.sub(lambda _: chooser, after)
