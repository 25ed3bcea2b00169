"""Bounds checks of accesses, one past the end included.

clang's check of `a[i]` lets `i` equal the length wherever it takes the subscript for an address, as in
`&a[n]`. It takes it so as well where a whole struct is copied, in `a[i]++`, for complex numbers, atomic
operations and `*&a[i]`. If such an element is accessed, its index has to be smaller (C11 6.5.6p8).

Comes in: IR as text, since native runs are made from it. Goes out: the same with those checks tightened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_HANDLER = "@__ubsan_handle_out_of_bounds("
_FUNCTION = re.compile(r"^define [^\n]*\{\n.*?^\}$", re.MULTILINE | re.DOTALL)
_NAME = r'%(?:"[^"]*"|[\w.$-]+)'
_POINTER = rf"ptr(?: addrspace\(\d+\))?(?: [a-z]+(?:\([^)]*\))?| align \d+)* ({_NAME})"

_LABEL = re.compile(r'^("[^"]*"|[\w.$-]+):')
_BRANCH = re.compile(rf"^  br i1 ([^\s,]+), label ({_NAME}), label ({_NAME})")
_JUMP = re.compile(rf"^  br label ({_NAME})")
_COMPARED = re.compile(rf"^  ({_NAME}) = icmp ule ")
_DEBUG = re.compile(r"!dbg (!\d+)")
_ELEMENT = re.compile(rf"^  ({_NAME}) = getelementptr ")
_PAST = re.compile(r"getelementptr (?:\w+ )*\[(\d+) x .*, i\d+ 0, i\d+ \1(?:,|$)")
# The start of what an element holds: a member, the first element of an array in it.
_WITHIN = re.compile(rf"^  ({_NAME}) = getelementptr .*?, {_POINTER}, i\d+ 0(?:,|$)")
_ACCESSES = (
    re.compile(rf"^  {_NAME} = load .*, {_POINTER}(?= |,|$)"),
    re.compile(rf"^  store .*, {_POINTER}(?= |,|$)"),
    re.compile(rf"^  {_NAME} = (?:atomicrmw (?:volatile )?\w+|cmpxchg(?: weak)?(?: volatile)?) {_POINTER}"),
    re.compile(rf"\bptr [^,%]*byval\([^)]*\)[^,%]* ({_NAME})"),
)
_COPIED = re.compile(r"call void @llvm\.mem(?:cpy|move|set)\.[\w.]+\((.*), i\d+ [1-9]\d*, i1 \w+\)")
_COPIED_FROM = re.compile(rf"\b{_POINTER}")


def tighten(text: str) -> str:
    """The module, in which an element that is accessed lies before the end of its array."""
    if _HANDLER not in text:
        return text
    return _FUNCTION.sub(lambda found: _function(found[0]) if _HANDLER in found[0] else found[0], text)


def _function(text: str) -> str:
    lines = text.split("\n")
    blocks = _blocks(lines)
    branches = {m[3]: number for number, line in enumerate(lines) if (m := _BRANCH.match(line))}
    compared = {m[1]: number for number, line in enumerate(lines) if (m := _COMPARED.match(line))}
    accessed = _accessed(lines)
    for label, block in blocks.items():
        call = next((number for number in block if _HANDLER in lines[number]), None)
        if call is None or label not in branches:
            continue
        jump, branch = _JUMP.match(lines[block[-1]]), _BRANCH.match(lines[branches[label]])
        if jump is None or branch is None or jump[1] != branch[2]:
            continue
        element = _element(lines, blocks[jump[1]], lines[call])
        if element is None or element[0] not in accessed:
            continue
        if branch[1] in compared:
            at = compared[branch[1]]
            lines[at] = lines[at].replace("= icmp ule ", "= icmp ult ", 1)
        elif branch[1] == "true" and _PAST.search(element[1]):
            at = branches[label]
            lines[at] = lines[at].replace("br i1 true,", "br i1 false,", 1)
    return "\n".join(lines)


def _blocks(lines: Sequence[str]) -> dict[str, list[int]]:
    """The lines of each basic block, by its name as branches spell it."""
    blocks: dict[str, list[int]] = {}
    current: list[int] = []
    for number, line in enumerate(lines):
        if label := _LABEL.match(line):
            current = blocks["%" + label[1]] = []
        elif line.startswith("  "):
            current.append(number)
    return blocks


def _element(lines: Sequence[str], block: Sequence[int], call: str) -> tuple[str, str] | None:
    """The address that a check is made for, and its line: the first one behind it of the same place."""
    place = _DEBUG.search(call)
    for number in block:
        made, here = _ELEMENT.match(lines[number]), _DEBUG.search(lines[number])
        if made and (place and place[1]) == (here and here[1]):
            return made[1], lines[number]
    return None


def _accessed(lines: Sequence[str]) -> set[str]:
    """Registers through which memory is accessed, at their own address or in what lies there."""
    outer = {m[1]: m[2] for line in lines if (m := _WITHIN.match(line))}
    found: set[str] = set()
    for line in lines:
        for name in _pointers(line):
            current: str | None = name
            while current is not None and current not in found:
                found.add(current)
                current = outer.get(current)
    return found


def _pointers(line: str) -> Iterator[str]:
    if line.endswith("!nosanitize") or not line.startswith("  "):
        return
    for pattern in _ACCESSES:
        for found in pattern.finditer(line):
            yield found[1]
    if copied := _COPIED.search(line):
        for found in _COPIED_FROM.finditer(copied[1]):
            yield found[1]
