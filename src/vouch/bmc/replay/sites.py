"""Which instruction of the text each check is about."""

from __future__ import annotations

from collections.abc import Sequence

from vouch.bmc.replay.text import FunctionText, Line, ModuleText, Unreplayable
from vouch.c.checks.base import Check, Trigger
from vouch.c.ir import DebugValue, Function, Program
from vouch.c.reader.scan import unquoted

Sites = dict[
    str, dict[int, list[tuple[int, Check]]]
]  # function -> instruction number -> (check number, check)


def locate(program: Program, module: ModuleText, checks: Sequence[Check]) -> Sites:
    """Checks by place. The number of a check is its index in `checks` plus one. Raises `Unreplayable` where
    the text is not the one that the program was read from."""
    wanted = {id(check.site): [] for check in checks}  # type: dict[int, list[tuple[int, Check]]]
    for number, check in enumerate(checks, 1):
        if check.trigger is not Trigger.NEVER:
            wanted[id(check.site)].append((number, check))
    sites: Sites = {}
    for name in {check.function for check in checks}:
        function, text = program.functions.get(name), module.functions.get(name)
        if function is None or text is None:
            raise Unreplayable(f"function {name} is not in the IR text")
        sites[name] = _in_function(function, text, wanted)
    return sites


def _in_function(
    function: Function, text: FunctionText, wanted: dict[int, list[tuple[int, Check]]]
) -> dict[int, list[tuple[int, Check]]]:
    lines = [line for line in text.body if isinstance(line, Line)]
    records = [
        record
        for block in function.blocks.values()
        for record in block.instructions
        if not isinstance(record, DebugValue)
    ]
    if len(lines) != len(records):
        raise Unreplayable(f"function {function.name} does not match the IR text")
    found = {}
    for line, record in zip(lines, records, strict=True):
        result = unquoted(line.result[1:]) if line.result else None
        if result != record.result:
            raise Unreplayable(f"function {function.name} does not match the IR text")
        if checks := wanted.get(id(record)):
            found[line.number] = checks
    return found
