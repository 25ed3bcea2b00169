"""From concrete steps of an execution to the trace that a person reads.

The engine evaluates the steps it recorded under the solver's model and keeps those whose guard holds;
`trace` words them as C and leaves out what only the compiler knows about (its temporaries, spilled
parameters) and what says nothing new.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vouch.bmc.conditions import branch_text
from vouch.bmc.counterexample import OUTSIDE_FUNCTION, Address
from vouch.c.ir import CType, Location
from vouch.c.sources import Sources
from vouch.result import TraceStep

Value = int | Address | bytes | None
"""Bits of a scalar (floats too), a pointer, the bytes of an aggregate (little endian), or not known."""

CTypes = Mapping[int, CType]

MAXIMAL_STEPS = 400
_MAXIMAL_ELEMENTS = 8
_FLOATS = {2: "e", 4: "f", 8: "d"}
# Names that clang gives to what has no name in the source.
_TEMPORARIES = (
    "retval",
    "saved_stack",
    "cleanup.dest",
    "ref.tmp",
    "agg.tmp",
    "coerce",
    "__vla_expr",
    "undef.",
)
_TEMPORARY_ENDS = (".addr", ".coerce", ".indirect_addr")


@dataclass(slots=True)
class ConcreteStep:
    """One step as the engine saw it.

    kind: "call" (`name` is the callee, `value` unused), "return", "assign" (`name` is the variable or C
    expression written), "write" (`name` says which function outside wrote what), "branch" (`name` is the
    condition where known, `value` 1 or 0; or `name` is "switch" and `value` what it is on), "input" (`name`
    says where the data comes from), "violation" (`name` is the message). `ctype` is a key of
    `Program.ctypes`; without one, `bits` (where given) is the width in which the number is shown.
    """

    kind: str
    location: Location | None
    function: str
    name: str
    ctype: int | None = None
    value: Value = None
    bits: int | None = None


def trace(
    steps: Iterable[ConcreteStep],
    ctypes: CTypes,
    big_endian: bool = False,
    sources: Sources | None = None,
) -> list[TraceStep]:
    """The steps in words, with conditions as they stand in the sources. At most `MAXIMAL_STEPS` of them: the
    middle of a longer run is left out."""
    result: list[TraceStep] = []
    sources = sources or Sources()
    for step in steps:
        if step.location is None or _is_noise(step):
            continue
        if step.kind == "branch" and not step.name:
            what = branch_text(sources, step.location, bool(step.value))
        else:
            what = wording(step, ctypes, big_endian)
        shown = TraceStep(
            step.location.file,
            step.location.line,
            step.location.scope or step.function,
            step.kind,
            what,
        )
        if not result or result[-1] != shown:
            result.append(shown)
    return _shortened(result)


def _is_noise(step: ConcreteStep) -> bool:
    if step.kind != "assign":
        return False
    return (
        step.name.startswith(_TEMPORARIES)
        or step.name.endswith(_TEMPORARY_ENDS)
        or step.name.removeprefix("tmp").isdigit()
        or step.name in ("", "tmp")
    )


def _shortened(steps: list[TraceStep]) -> list[TraceStep]:
    if len(steps) <= MAXIMAL_STEPS:
        return steps
    half = MAXIMAL_STEPS // 2
    cut = steps[half]
    left_out = TraceStep(
        cut.file, cut.line, cut.function, "assign", f"… {len(steps) - 2 * half} steps left out"
    )
    return [*steps[:half], left_out, *steps[-half:]]


def wording(step: ConcreteStep, ctypes: CTypes, big_endian: bool = False) -> str:
    shown = value_text(step.value, step.ctype, ctypes, big_endian, step.bits)
    match step.kind:
        case "call":
            return f"call {step.name}" if "(" in step.name else f"call {step.name}()"
        case "return":
            return f"return {shown}" if shown else "return"
        case "branch":
            if step.name == "switch":
                return f"switch on {shown}"
            return f"{step.name} is {'true' if step.value else 'false'}"
        case "input":
            return f"{step.name} yields {shown}" if shown else step.name
        case "violation":
            return step.name
        case _:
            return f"{step.name} = {shown or '?'}"


def value_text(
    value: Value, ctype: int | None, ctypes: CTypes, big_endian: bool = False, bits: int | None = None
) -> str:
    """A value as C writes it, by its type: `-3`, `'a' (97)`, `1.5`, `&buffer + 4`, `{x = 1, y = 2}`."""
    if value is None:
        return ""
    kind = ctypes.get(ctype) if ctype is not None else None
    if isinstance(value, Address):
        return address_text(value)
    if isinstance(value, bytes):
        return _aggregate(value, kind, ctypes, big_endian)
    if kind is None:
        return str(_signed(value, bits) if bits else value)
    return _scalar(value, kind)


def address_text(address: Address) -> str:
    if address.base is None:
        return "NULL" if address.offset == 0 else f"(void *){address.offset:#x}"
    if address.base == OUTSIDE_FUNCTION:
        return "a function outside"
    if address.offset == 0:
        return f"&{address.base}"
    sign = "+" if address.offset > 0 else "-"
    return f"&{address.base} {sign} {abs(address.offset)} bytes"


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _scalar(value: int, kind: CType) -> str:
    bits = kind.size * 8
    if not bits:
        return str(value)
    value &= (1 << bits) - 1
    match kind.kind:
        case "bool":
            return "true" if value else "false"
        case "float":
            return _float(value, kind.size)
        case "pointer":
            return address_text(Address(None, value))
        case "char":
            number = _signed(value, bits) if kind.signed else value
            return f"{chr(value)!r} ({number})" if 32 <= value < 127 else str(number)
        case _:
            return str(_signed(value, bits) if kind.signed else value)


def _float(value: int, size: int) -> str:
    if size not in _FLOATS:
        return f"{value:#x} (bits)"
    number: float = struct.unpack("<" + _FLOATS[size], value.to_bytes(size, "little"))[0]
    return f"{number:.9g}" if size == 4 else repr(number)


def _aggregate(data: bytes, kind: CType | None, ctypes: CTypes, big_endian: bool) -> str:
    """Bytes of a struct, union or array, member by member, one level of nesting after the other."""
    if kind is None:
        return data.hex(" ")
    if kind.kind == "array" and kind.target is not None:
        element = ctypes.get(kind.target)
        if element is None or element.size == 0:
            return data.hex(" ")
        count = min(kind.count or len(data) // element.size, _MAXIMAL_ELEMENTS)
        parts = [
            _part(data[i * element.size : (i + 1) * element.size], element, ctypes, big_endian)
            for i in range(count)
        ]
        more = ", …" if count * element.size < len(data) else ""
        return "{" + ", ".join(parts) + more + "}"
    if kind.kind in ("struct", "union"):
        number = int.from_bytes(data, "big" if big_endian else "little")
        parts = []
        for member in kind.members:
            inner = ctypes.get(member.type)
            if inner is None:
                continue
            if member.bitfield:
                shift = len(data) * 8 - member.offset - member.size if big_endian else member.offset
                raw = (number >> shift) & ((1 << member.size) - 1)
                text = str(_signed(raw, member.size) if inner.signed else raw)
            else:
                start = member.offset // 8
                text = _part(data[start : start + member.size // 8], inner, ctypes, big_endian)
            parts.append(f"{member.name} = {text}")
        return "{" + ", ".join(parts) + "}"
    return _part(data, kind, ctypes, big_endian)


def _part(data: bytes, kind: CType, ctypes: CTypes, big_endian: bool) -> str:
    if kind.kind in ("array", "struct", "union"):
        return _aggregate(data, kind, ctypes, big_endian)  # as deep as C types nest
    return _scalar(int.from_bytes(data, "big" if big_endian else "little"), kind)
