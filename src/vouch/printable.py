"""Text of others made fit to print: names, messages and source lines must not drive a terminal, nor the
machine that reads a log. Every report escapes with these functions, and its format's own rules on top."""

from __future__ import annotations

import re

# Commands of build services: one at the start of a line, the older form anywhere in it.
_COMMAND = "::"
_OLD_COMMAND = "##["
_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")


def visible(text: str) -> str:
    """One line, with control characters spelled out."""
    if not text.isprintable():
        text = "".join(c if c.isprintable() else _spelled(c) for c in text)
    return text.replace(_OLD_COMMAND, r"##\[") if _OLD_COMMAND in text else text


def _spelled(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte that is no UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def leading(text: str) -> str:
    """As `visible`, for the start of a line: a file's name must not look like a command."""
    text = visible(text)
    return f"./{text}" if text.lstrip().startswith(_COMMAND) else text


def in_json(document: str) -> str:
    """The same document, spelled so that no line of it is taken for a command."""
    return document.replace(_OLD_COMMAND, r"##\u005b")


def diagnostics(text: str, colour: bool = False) -> str:
    """Lines of a compiler that quotes its input. Colours stay where they were asked for."""
    return "".join(_line(line, colour) + "\n" for line in text.splitlines())


def _line(line: str, colour: bool) -> str:
    parts = _COLOUR.split(line) if colour else [line]
    shown = "".join(p if colour and _COLOUR.fullmatch(p) else _tabbed(p) for p in parts)
    return f"| {shown}" if shown.lstrip().startswith(_COMMAND) else shown


def _tabbed(text: str) -> str:
    return "\t".join(visible(part) for part in text.split("\t"))
