"""Which instruction of the text each check is about."""

from __future__ import annotations

from collections.abc import Sequence

from vouch.bmc.replay.text import FunctionText, Line, ModuleText, Unreplayable
from vouch.c.checks.base import Check, Trigger
from vouch.c.ir import DebugValue, Function, Instruction, Load, Program
from vouch.c.reader.scan import unquoted

Sites = dict[
    str, dict[int, list[tuple[int, Check]]]
]  # function -> instruction number -> (check number, check)


def locate(program: Program, module: ModuleText, checks: Sequence[Check]) -> Sites:
    """Checks by place. The number of a check is its index in `checks` plus one. Raises `Unreplayable` where
    the text is not the one that the program was read from."""
    wanted = {check.site.number: [] for check in checks}  # type: dict[int, list[tuple[int, Check]]]
    for number, check in enumerate(checks, 1):
        if check.trigger is not Trigger.NEVER:
            wanted[check.site.number].append((number, check))
    sites: Sites = {}
    for name in {check.function for check in checks}:
        function, text = program.functions.get(name), module.functions.get(name)
        if function is None or text is None:
            raise Unreplayable(f"function {name} is not in the IR text")
        sites[name] = _in_function(function, text, wanted)
    return sites


def carrying(program: Program, module: ModuleText) -> dict[str, frozenset[int]]:
    """By function, the numbers of the loads that only hand a struct on."""
    found = {}
    for name, function in program.functions.items():
        loads = [i for b in function.blocks.values() for i in b.instructions if isinstance(i, Load)]
        wanted = {load.number for load in loads if load.carries}
        if wanted and name in module.functions:
            pairs = _paired(function, module.functions[name])
            found[name] = frozenset(line.number for line, record in pairs if record.number in wanted)
    return found


def _in_function(
    function: Function, text: FunctionText, wanted: dict[int, list[tuple[int, Check]]]
) -> dict[int, list[tuple[int, Check]]]:
    pairs = _paired(function, text)
    return {line.number: checks for line, record in pairs if (checks := wanted.get(record.number))}


def _paired(function: Function, text: FunctionText) -> list[tuple[Line, Instruction]]:
    lines = [line for line in text.body if isinstance(line, Line)]
    records = [
        record
        for block in function.blocks.values()
        for record in block.instructions
        if not isinstance(record, DebugValue)
    ]
    if len(lines) != len(records):
        raise Unreplayable(f"function {function.name} does not match the IR text")
    for line, record in zip(lines, records, strict=True):
        result = unquoted(line.result[1:]) if line.result else None
        if result != record.result:
            raise Unreplayable(f"function {function.name} does not match the IR text")
    return list(zip(lines, records, strict=True))
