"""What functions and initialisers name: where executions can get to, whatever they do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vouch.c.flow.uses import names_in, operands
from vouch.c.ir import Constant, Function, Program


def mentioned(function: Function) -> Iterator[str]:
    """Globals and functions that the body names, calls included."""
    for block in function.blocks.values():
        for instruction in block.instructions:
            for operand in operands(instruction):
                if isinstance(operand, Constant):
                    yield from names_in(operand)


def reached_by_mention(program: Program, start: Iterable[str], into_functions: bool = True) -> set[str]:
    """Functions and variables that `start` leads to: by what functions name, if wanted, and initialisers."""
    functions = program.functions.items() if into_functions else ()
    return reached_through(program, start, {name: set(mentioned(f)) for name, f in functions if f.defined})


def reached_through(program: Program, start: Iterable[str], calls: dict[str, set[str]]) -> set[str]:
    """What `start` leads to: by `calls`, what each function names, and through initialisers."""
    reached: set[str] = set()
    work = list(start)
    while work:
        name = work.pop()
        if name in reached:
            continue
        reached.add(name)
        if name in calls:
            work.extend(calls[name])
        elif name in program.globals and program.globals[name].initializer is not None:
            work.extend(names_in(program.globals[name].initializer))
    return reached
