"""Finding the end of things in one line of IR text.

Strings in IR hold no quote (it is written `\\22`), and brackets are balanced outside strings, so counting
them is enough.
"""

from __future__ import annotations

import re


class Unreadable(Exception):
    """Text that the reader does not understand; whoever catches it makes an opaque record of it."""


_NESTING = re.compile(r'[\[({<\])}>]|"[^"]*"')
_BREAKING = re.compile(r'[\[({<\])}>]|"[^"]*"|,')
_COMPLEX = re.compile(r'[\[({<"]')
_TYPE = re.compile(r'ptr addrspace\(\d+\)|%"[^"]*"|[%\w.$:-]+')
_OPENING = "[({<"


def split(text: str) -> list[str]:
    """The parts between the commas that are in no bracket, stripped; none for an empty text."""
    if _COMPLEX.search(text) is None:
        return text.split(", ") if text else []
    parts = []
    depth = start = 0
    for match in _BREAKING.finditer(text):
        mark = match.group()
        if mark == ",":
            if not depth:
                parts.append(text[start : match.start()].strip())
                start = match.end()
        elif mark[0] in _OPENING:
            depth += 1
        elif mark[0] != '"':
            depth -= 1
    parts.append(text[start:].strip())
    return parts


def closing(text: str, start: int) -> int:
    """Where the bracket that opens at `start` is closed."""
    depth = 0
    for match in _NESTING.finditer(text, start):
        mark = match.group()
        if mark[0] in _OPENING:
            depth += 1
        elif mark[0] != '"':
            depth -= 1
            if not depth:
                return match.start()
    raise Unreadable(f"unbalanced brackets in {text!r}")


def type_end(text: str, start: int = 0) -> int:
    """Where the type that begins at `start` ends."""
    if text[start : start + 1] in _OPENING:
        return closing(text, start) + 1
    match = _TYPE.match(text, start)
    if match is None:
        raise Unreadable(f"no type in {text!r}")
    if text.startswith("target(", start):
        return closing(text, start + 6) + 1
    return match.end()


_ESCAPE = re.compile(r"\\([0-9a-fA-F]{2}|\\)")


def unquoted(name: str) -> str:
    """A name without its quotes and escapes."""
    if not name.startswith('"'):
        return name
    return string_bytes(name).decode("utf-8", "replace")


def string_bytes(quoted: str) -> bytes:
    """The bytes of a quoted string."""
    inner = quoted[1:-1]
    if "\\" not in inner:
        return inner.encode("utf-8", "surrogateescape")
    pieces = _ESCAPE.split(inner)
    out = bytearray()
    for index, piece in enumerate(pieces):
        if index % 2 == 0:
            out += piece.encode("utf-8", "surrogateescape")
        elif piece == "\\":
            out.append(0x5C)
        else:
            out.append(int(piece, 16))
    return bytes(out)
