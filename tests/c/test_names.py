"""No rule depends on the name of a register: other names, the same checks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from vouch.c import bitfields, checks, struct_registers
from vouch.c.checks import Category, Check
from vouch.c.frontend import FrontOptions, load
from vouch.c.ir import Program
from vouch.c.reader import read

FORMS = sorted((Path(__file__).parents[1] / "forms").glob("*.c"))
CASES = sorted(
    path
    for folder in ("arithmetic", "language", "narrowing", "shift", "uninitialised")
    for path in (Path(__file__).parents[1] / "cases" / folder).glob("*.c")
)
_FUNCTION = re.compile(r"^define .*?^}$", re.MULTILINE | re.DOTALL)
_NAMED_TYPE = re.compile(r'^%("[^"]*"|[-\w.$]+) = type ', re.MULTILINE)
_TOKEN = re.compile(r'%("[^"]*"|[-\w.$]+)|^("[^"]*"|[-\w.$]+)(?=:)', re.MULTILINE)


def renamed(text: str) -> str:
    """The same module with registers and blocks that are called r0, r1, …"""
    types = set(_NAMED_TYPE.findall(text))

    def function(match: re.Match[str]) -> str:
        names: dict[str, str] = {}

        def other(token: re.Match[str]) -> str:
            name = token[1] or token[2]
            if token[1] is not None and name in types:
                return token[0]
            new = names.setdefault(name, f"r{len(names)}")
            return f"%{new}" if token[1] is not None else new

        return _TOKEN.sub(other, match[0])

    return _FUNCTION.sub(function, text)


def found(program: Program) -> list[tuple[object, ...]]:
    def shape(check: Check) -> tuple[object, ...]:
        bits = (check.bits, check.signed_to, check.signed_from)
        return check.id, check.location, check.trigger, bits, check.after

    return [shape(check) for check in checks.find(program, frozenset(Category))]


@pytest.mark.parametrize("path", [*FORMS, *CASES], ids=lambda path: path.stem)
def test_names_tell_nothing(path: Path) -> None:
    target = re.search(r"--target (\S+)", path.read_text())
    options = FrontOptions(categories=frozenset(Category), target=target[1] if target is not None else None)
    loaded = load([path], options)
    program = read(renamed(loaded.ir))
    program = replace(program, models=loaded.program.models, sources=loaded.program.sources)
    struct_registers.mark(program)
    bitfields.mark(program)
    assert found(program) == found(loaded.program)
