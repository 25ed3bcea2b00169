"""Compound literals end with their block (C11 6.5.2.5p5).

clang says so of variables, with markers of their lifetime, but not of compound literals: `p = &(int){5};` in
an inner block is as good behind it. The block that an instruction belongs to is told by its debug location.

Comes in: IR as text, since native runs are made from it. Goes out: the same with markers for literals of
inner blocks. One that may be computed again before its block ends stays as it is: it is the same object.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

LITERAL = "%.compoundliteral"
_FUNCTION = re.compile(r"^define [^\n]*\{\n.*?^\}$", re.MULTILINE | re.DOTALL)
_MADE = re.compile(r"^  (%\.compoundliteral\d*) = alloca ")
_LABEL = re.compile(r'^("[^"]*"|[\w.$-]+):')
_TARGET = re.compile(r'label %("[^"]*"|[\w.$-]+)')
_DEBUG = re.compile(r"!dbg !(\d+)")
_PLACE = re.compile(r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+),.*?scope: !(\d+)[,)]", re.MULTILINE)
_BLOCK = re.compile(r"^!(\d+) = distinct !DILexicalBlock(?:File)?\(scope: !(\d+)[,)]", re.MULTILINE)
_DECLARED = "declare void @llvm.lifetime.{}.p0(ptr captures(none))"


def mark(text: str) -> str:
    """The module, in which literals of inner blocks begin and end with them. In C++ they are temporaries."""
    if "DW_LANG_C_plus_plus" in text:
        return text
    scopes = {place: scope for place, line, scope in _PLACE.findall(text) if line != "0"}
    outer = dict(_BLOCK.findall(text))
    marked = _FUNCTION.sub(lambda found: _function(found[0], scopes, outer), text)
    if marked == text:
        return text
    missing = [_DECLARED.format(end) for end in ("start", "end")]
    return "\n".join([marked.rstrip("\n"), *(line for line in missing if line.split("(")[0] not in text), ""])


def _function(text: str, scopes: Mapping[str, str], outer: Mapping[str, str]) -> str:
    if LITERAL not in text:
        return text
    lines = text.split("\n")
    before: dict[int, list[str]] = {}
    for line in lines:
        if (made := _MADE.match(line)) is not None:
            _literal(lines, made[1], scopes, outer, before)
    return "\n".join(part for number, line in enumerate(lines) for part in (*before.get(number, ()), line))


def _literal(
    lines: Sequence[str],
    name: str,
    scopes: Mapping[str, str],
    outer: Mapping[str, str],
    before: dict[int, list[str]],
) -> None:
    """Put the markers of one literal before the lines that they belong to."""
    used = re.compile(re.escape(name) + r"(?![\w.])")
    uses = [number for number, line in enumerate(lines) if used.search(line) and not _MADE.match(line)]
    scope = _scope(lines[uses[0]], scopes) if uses else None
    if scope not in outer:  # nobody knows, or the whole function
        return
    inside = _inside(lines, scope, scopes, outer)
    if _is_repeated(lines, uses[0], inside):
        return
    before.setdefault(uses[0], []).append(f"  call void @llvm.lifetime.start.p0(ptr {name})")
    for number in _ends(lines, inside):
        before.setdefault(number, []).insert(0, f"  call void @llvm.lifetime.end.p0(ptr {name})")


def _scope(line: str, scopes: Mapping[str, str]) -> str | None:
    place = _DEBUG.search(line)
    return scopes.get(place[1]) if place and not line.lstrip().startswith("#") else None


def _inside(
    lines: Sequence[str], scope: str | None, scopes: Mapping[str, str], outer: Mapping[str, str]
) -> list[bool | None]:
    """Whether each line lies in the block or one within it; None for those that say nothing."""
    found: list[bool | None] = []
    for line in lines:
        current = _scope(line, scopes)
        inside = None if current is None else False
        while current is not None and not inside:
            inside = current == scope
            current = outer.get(current)
        found.append(inside)
    return found


def _blocks(lines: Sequence[str]) -> dict[str, range]:
    """The lines of each basic block; the first may have no name."""
    starts = [(1, "")] + [(n + 1, m[1]) for n, line in enumerate(lines) if (m := _LABEL.match(line))]
    ends = [start - 1 for start, _ in starts[1:]] + [len(lines) - 1]
    return {label: range(start, end) for (start, label), end in zip(starts, ends, strict=True)}


def _edges(lines: Sequence[str], blocks: Mapping[str, range]) -> list[tuple[str, str]]:
    """From where to where control goes; a switch takes several lines."""
    lines_of = ((label, lines[number]) for label, held in blocks.items() for number in held)
    return [(label, target) for label, line in lines_of for target in _TARGET.findall(line)]


def _is_repeated(lines: Sequence[str], use: int, inside: Sequence[bool | None]) -> bool:
    """Whether control may come back to where the literal is computed without leaving its block."""
    blocks = _blocks(lines)
    within = {label for label, held in blocks.items() if all(inside[n] is not False for n in held)}
    first = next(label for label, held in blocks.items() if use in held)
    edges = [(origin, target) for origin, target in _edges(lines, blocks) if target in within]
    reached, seen = {first}, set[str]()
    while reached:
        seen |= reached
        reached = {target for origin, target in edges if origin in reached}
        if first in reached:
            return True
        reached -= seen
    return False


def _ends(lines: Sequence[str], inside: Sequence[bool | None]) -> list[int]:
    """The first lines behind the block: within a basic block, and where control comes from one in it."""
    blocks = _blocks(lines)
    into: dict[str, list[str]] = {}
    for origin, target in _edges(lines, blocks):
        into.setdefault(target, []).append(origin)
    last: dict[str, bool] = {}  # whether a basic block ends inside, which those that say nothing inherit
    found = []
    for label, held in blocks.items():
        now = any(last.get(origin, False) for origin in into.get(label, ()))
        for number in held:
            here = inside[number]
            if here is None or " = phi " in lines[number]:
                continue
            if now and not here:
                found.append(number)
            now = here
        last[label] = now
    return found
