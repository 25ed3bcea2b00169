"""Which variables of a function can stay where the compiler puts them: all their uses are plain loads and
stores."""

from __future__ import annotations

import re

from vouch.bmc.replay.text import NAME, FunctionText, Line, split, type_end

REGISTER = re.compile(rf"%{NAME}")
STORE = re.compile(r"store (atomic )?(volatile )?")
_LOAD = re.compile(r"load (atomic )?(volatile )?")


def simple_allocas(text: FunctionText) -> dict[str, str]:
    """Allocas of the entry block whose address is only used for loads and stores of the allocated type, which
    stands beside them."""
    kinds: dict[str, str] = {}
    first_label = isinstance(text.body[0], str) if text.body else False
    for position, item in enumerate(text.body):
        if isinstance(item, str):
            if position == 0 and first_label:
                continue
            break
        if item.op == "alloca" and item.result is not None:
            parts = split(item.text.removeprefix("alloca "))
            if all(part.startswith("align ") for part in parts[1:]):
                kinds[item.result] = parts[0]
    for item in text.body:
        if isinstance(item, str) or item.op == "alloca":
            continue
        allowed = _own_pointer(item, kinds)
        for register in REGISTER.findall(item.text):
            if register != allowed:
                kinds.pop(register, None)
        if not kinds:
            break
    return kinds


def written_first(text: FunctionText) -> set[str]:
    """Allocas that the entry block writes before anything else: spilled parameters and variables with an
    initial value. What they held before is never seen."""
    written: set[str] = set()
    used: set[str] = set()
    block = 0
    for position, item in enumerate(text.body):
        if isinstance(item, str):
            block += position > 0
        elif item.op == "call" and "@llvm.lifetime.start" in item.text:
            if block:  # its life begins again and again
                written.difference_update(REGISTER.findall(item.text))
        elif block == 0 and item.op == "store":
            match = STORE.match(item.text)
            assert match is not None
            place = split(item.text[match.end() :])[1].removeprefix("ptr ").split(" ")[0]
            if place not in used:
                written.add(place)
        elif block == 0 and item.op != "alloca":
            used.update(REGISTER.findall(item.text))
    return written


def _own_pointer(line: Line, kinds: dict[str, str]) -> str | None:
    """The pointer of a plain load or store of just the type that was allocated, if it is used only so."""
    if line.op == "load":
        kind, pointer, volatile = load_parts(line)
        return pointer if not volatile and kinds.get(pointer) == kind else None
    if line.op == "store" and not line.text.startswith("store volatile"):
        match = STORE.match(line.text)
        assert match is not None
        value, place = split(line.text[match.end() :])[:2]
        pointer = place.removeprefix("ptr ").split(" ")[0]
        end = type_end(value)
        if kinds.get(pointer) == value[:end] and pointer not in value[end:].split():
            return pointer
    elif line.op == "call" and ("@llvm.lifetime." in line.text or "@llvm.dbg." in line.text):
        registers = REGISTER.findall(line.text)
        return registers[0] if len(registers) == 1 else None
    return None


def load_parts(line: Line) -> tuple[str, str, bool]:
    """Type, pointer operand, volatile."""
    match = _LOAD.match(line.text)
    assert match is not None
    kind, place = split(line.text[match.end() :])[:2]
    return kind, plain_pointer(place, atomic=bool(match[1])), bool(match[2])


def plain_pointer(place: str, *, atomic: bool) -> str:
    """The pointer of a load or store, without what makes it atomic."""
    pointer = place.removeprefix("ptr ")
    if atomic:
        pointer = pointer.split(" syncscope")[0]
        pointer = re.sub(r" (unordered|monotonic|acquire|release|seq_cst)$", "", pointer)
    return pointer
