"""What a verdict about a function may depend on, as a number: the same number, the same verdict.

Functions that call or mention each other, or that have to do with the same variables, hang together: a change
in one may change what is known of all of them. Places in the source do not matter, nor does the order.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields

from vouch.c import ir
from vouch.c.flow.uses import names_in
from vouch.c.mentions import mentioned


def fingerprints(program: ir.Program) -> dict[str, str]:
    """By function with a body."""
    parents: dict[str, str] = {}

    def find(name: str) -> str:
        while parents.setdefault(name, name) != name:
            parents[name] = name = parents[parents[name]]
        return name

    for name, function in program.functions.items():
        for other in mentioned(function) if name not in program.models else ():
            if _matters(program, other):
                parents[find(other)] = find(name)
    for name, variable in program.globals.items():
        for other in names_in(variable.initializer):
            if _matters(program, other):
                parents[find(other)] = find(name)
    texts: dict[str, list[str]] = {}
    for name, function in sorted(program.functions.items()):
        if function.defined and name not in program.models:
            texts.setdefault(find(name), []).append(_text(program, function))
    for name, variable in sorted(program.globals.items()):
        if find(name) in texts:
            held = f"{name} {variable.linkage} {variable.constant} {variable.initializer!r}"
            texts[find(name)].append(held)
    marks = {root: hashlib.sha256("\n".join(text).encode()).hexdigest() for root, text in texts.items()}
    defined = (name for name, function in program.functions.items() if function.defined)
    return {name: marks[find(name)] for name in defined if find(name) in marks}


def _matters(program: ir.Program, name: str) -> bool:
    """Models, and constants of the compiler's making, are the same whoever uses them, by their contents."""
    if name in program.functions:
        return program.functions[name].defined and name not in program.models
    return name in program.globals


def _text(program: ir.Program, function: ir.Function) -> str:
    lines = [_declared(program, function)]
    for name in sorted(set(mentioned(function))):
        other = program.functions.get(name)
        if other is not None and not other.defined:
            lines.append(_declared(program, other))
    for label, block in function.blocks.items():
        lines.append(f"{label}:")
        lines += [_line(i) for i in block.instructions if not isinstance(i, ir.DebugValue)]
    return "\n".join(lines)


def _declared(program: ir.Program, function: ir.Function) -> str:
    """The prototype, with the C types that pointers have: they say what may share memory."""
    types = [_type(program, key, set()) for key in (function.result_type, *function.parameter_types)]
    held = (function.name, function.signature, function.linkage, sorted(function.attributes), types)
    return f"{held!r} {function.address_taken}"


def _type(program: ir.Program, key: int | None, seen: set[int]) -> str:
    ctype = program.ctypes.get(key) if key is not None else None
    if ctype is None or key is None or key in seen:
        return ""
    seen.add(key)
    inner = [_type(program, ctype.target, seen), *(_type(program, m.type, seen) for m in ctype.members)]
    return f"{ctype.kind} {ctype.name} {ctype.size} {sorted(ctype.qualifiers)!r} ({', '.join(inner)})"


_LEFT_OUT = frozenset({"location", "number", "variable"})


def _line(instruction: ir.Instruction) -> str:
    held = (getattr(instruction, f.name) for f in fields(instruction) if f.name not in _LEFT_OUT)
    return type(instruction).__name__ + " ".join(map(_shown, held))


def _shown(value: object) -> str:
    """The same in every process: sets have no order."""
    return repr(sorted(value)) if isinstance(value, (set, frozenset)) else repr(value)
