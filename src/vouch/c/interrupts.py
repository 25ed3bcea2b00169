"""Interrupt handlers: functions that the hardware calls, whenever it likes.

They are told by their attributes, by the names that startup code gives them, or because a table holds them
that other files see and nobody here reads, or that the program marks as used.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from vouch.c.escape import escaping, written_by_name
from vouch.c.flow.uses import names_in
from vouch.c.ir import Function, Program
from vouch.c.mentions import mentioned, reached_by_mention

_ATTRIBUTES = ("interrupt", "signal")
# CMSIS for the cores of Arm, and avr-libc.
_NAMES = re.compile(
    r"\w+_IRQHandler|(?:NMI|HardFault|MemManage|BusFault|UsageFault|SecureFault|SVC|DebugMon|PendSV|SysTick)_Handler"
    r"|__vector_\d+"
)
_POINTERS = "*"
_SHOWN = 4  # names in one line


def is_handler(function: Function) -> bool:
    """Whether the function itself says that it is one."""
    if function.linkage not in ("internal", "private") and _NAMES.fullmatch(function.name):
        return True
    return any(word.partition("=")[0] in _ATTRIBUTES for word in function.attributes)


def handlers(program: Program, starts: Collection[str]) -> list[str]:
    """Those of a program whose executions begin at `starts`."""
    own = {n: f for n, f in program.functions.items() if f.defined and n not in starts}
    found = _in_tables(program)
    if "main" in starts:
        found |= {name for name, function in own.items() if is_handler(function)} | _marked(program, starts)
    return [name for name in own if name in found]


def _in_tables(program: Program) -> set[str]:
    """What is in tables that other files see, and no function of the program looks at."""
    tables = [g for g in program.globals.values() if g.initializer and g.linkage == "external"]
    named = [(table.name, set(names_in(table.initializer))) for table in tables]
    if not any(name in program.functions for _, names in named for name in names):
        return set()
    known = {n for f in program.functions.values() if f.defined for n in mentioned(f)}
    return {name for table, names in named if table not in known for name in names}


def _marked(program: Program, starts: Collection[str]) -> set[str]:
    """What is marked as used, itself or by a table, although executions do not get there."""
    marked = reached_by_mention(program, program.used, into_functions=False)
    if not marked:
        return marked
    run = {*starts, *program.constructors, *program.destructors}
    return marked - reached_by_mention(program, run)


def undisturbed(program: Program, names: Collection[str]) -> str | None:
    """What the rest of the program rests on: that these handlers leave the variables alone that it shares
    with them. None if they share none, or by volatile accesses only."""
    inside = {n for n in reached_by_mention(program, names) if n in program.functions}
    changed = dict.fromkeys(v for n in inside for v in _changed(program, program.functions[n]))
    rest = [f for n, f in program.functions.items() if f.defined and n not in inside]
    known = {name for function in rest for name in mentioned(function)}
    shown = [_name(program, name) for name in changed if name in known]
    if _POINTERS in changed:
        shown.append("what pointers lead to")
    if not shown:
        return None
    who = [program.functions[name].source_name for name in names]
    verb = "is" if len(who) == 1 else "are"
    return f"while other code runs, {_some(who)} {verb} taken not to change {_some(shown)}"


def _name(program: Program, name: str) -> str:
    variable = program.globals[name].variable
    return name if variable is None else variable.name


def _changed(program: Program, function: Function) -> Iterator[str]:
    """Variables that a function writes, or whose address it uses for something else than to read them; not
    those that it accesses as volatile ones."""
    for text in (*written_by_name(function), *sorted(escaping(function))):
        if text == _POINTERS:
            yield text
        elif text[0] == "@" and text[1:] in program.globals and not program.globals[text[1:]].constant:
            yield text[1:]


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN} more" if len(names) > _SHOWN else shown
