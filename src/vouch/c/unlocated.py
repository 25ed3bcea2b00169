"""Places for code without debug information: the lines of the IR file that it came from.

IR of other compilers need not say where its code comes from. A check needs a place all the same, and nothing
may be left out for want of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from vouch.c.ir import Function, Location, Program
from vouch.errors import VouchError
from vouch.files import read_bytes

_HEADER = re.compile(r'^define\b[^@]*@("[^"]*"|[-\w.$]+)\(')
_LABEL = re.compile(r'^("[^"]*"|[-\w.$]+):')
_CONTINUED = re.compile(r"^\s+(to label|cleanup|catch|filter|\])")


def locate(program: Program, files: Iterable[str]) -> None:
    """Give every instruction of functions without debug information a place in its IR file, or in the
    first of the files (line 0) where the text does not tell."""
    bare = [
        f
        for f in program.functions.values()
        if f.defined and f.location is None and f.name not in program.models
    ]
    if not bare:
        return
    known = list(files)
    headers: dict[str, tuple[str, int, list[int]]] = {}
    for file in known:
        if file.endswith(".ll"):
            headers |= _functions(file)
    for function in bare:
        file, line, lines = headers.get(function.name, (known[0] if known else "", 0, []))
        _place(function, file, line, lines)


def _place(function: Function, file: str, line: int, lines: list[int]) -> None:
    instructions = [i for block in function.blocks.values() for i in block.instructions]
    exact = len(lines) == len(instructions)
    function.location = Location(file, line, 0, function.name)
    for number, instruction in enumerate(instructions):
        if instruction.location is None:
            at = lines[number] if exact else line
            instruction.location = Location(file, at, 3 if exact else 0, function.name)


def _functions(file: str) -> dict[str, tuple[str, int, list[int]]]:
    """By name: the file, the line of the definition, the lines of its instructions."""
    try:
        text = read_bytes(file).decode("utf-8", "replace")
    except VouchError:
        return {}
    found: dict[str, tuple[str, int, list[int]]] = {}
    body: list[int] | None = None
    in_switch = False
    for number, line in enumerate(text.splitlines(), 1):
        if body is None:
            if (header := _HEADER.match(line)) is not None:
                body = []
                found[header[1].strip('"')] = (file, number, body)
        elif line.startswith("}"):
            body = None
        elif in_switch:
            in_switch = "]" not in line
        elif _is_instruction(line):
            body.append(number)
            in_switch = line.rstrip().endswith("[")
    return found


def _is_instruction(line: str) -> bool:
    bare = line.split(";", 1)[0].rstrip()
    if not bare or _CONTINUED.match(bare) or bare.lstrip().startswith("#dbg"):
        return False
    return _LABEL.match(bare.lstrip()) is None
