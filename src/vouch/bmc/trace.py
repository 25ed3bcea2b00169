"""From concrete steps of an execution to the trace that a person reads.

The engine evaluates the steps it recorded under the solver's model and keeps those whose guard holds;
`trace` words them as C and leaves out what only the compiler knows about (its temporaries, spilled
parameters) and what says nothing new.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from vouch.bmc.conditions import branch_text
from vouch.bmc.counterexample import OUTSIDE_FUNCTION, Address
from vouch.bmc.equation import Step
from vouch.c.ir import CType, Location
from vouch.c.sources import Sources
from vouch.record import frozen_record, record
from vouch.steps import Change, TraceStep

Value = int | Address | bytes | str | None
"""Bits of a scalar (floats too), a pointer, the bytes of an aggregate (little endian), a text in C, or not
known."""

CTypes = Mapping[int, CType]

MAXIMAL_STEPS = 400
_EDGE = 4 * MAXIMAL_STEPS  # steps at both ends that are all put into words, of
_LONG = 3 * _EDGE  # so many and more
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


@frozen_record
class TracePlace:
    """The object that a step changes: its number, and "F.x" where it is the variable x of a call of F."""

    number: int
    owner: str


@record
class ConcreteStep:
    """One step as the engine saw it.

    kind: "start" (the entry point `name` is called), "memory" (what was there before, belongs to the start),
    "call" (`name` is the callee, `value` unused), "parameter" (belongs to the call or start before it),
    "return" (`name` is the callee, the step happens in its caller), "assign" (`name` is the variable or C
    expression written), "write" (`name` says which function outside wrote what, `written` is the place),
    "branch" (`name` is the condition where known, `value` 1 or 0; or `name` is "switch" and `value` what it
    is on), "input" (`name` says where the data comes from), "violation" (`name` is the message). `ctype` is a
    key of `Program.ctypes`; without one, `bits` (where given) is the width in which the number is shown.
    "thinned" stands before and behind steps of which `value` were left out: see `parted`.
    """

    kind: str
    location: Location | None
    function: str
    name: str
    ctype: int | None = None
    value: Value = None
    bits: int | None = None
    place: TracePlace | None = None
    written: str = ""


def parted(steps: list[tuple[int, Step]]) -> list[list[tuple[int, Step]]]:
    """Steps with their numbers, or, where there are many more than a trace shows, their beginning, what the
    middle leaves behind, and their end. That are the calls, the first write to each object, which says whose
    variable it is, and the last one to each place."""
    if len(steps) <= _LONG:
        return [steps]
    middle = steps[_EDGE:-_EDGE]
    last = {_written(step): number for number, step in middle if step.kind == "assign"}
    kept: list[tuple[int, Step]] = []
    objects: set[object] = set()
    for number, step in middle:
        if step.kind != "assign":
            if step.kind in ("call", "parameter", "return"):
                kept.append((number, step))
        elif step.target not in objects or last[_written(step)] == number:
            objects.add(step.target)
            kept.append((number, step))
    return [steps[:_EDGE], kept, steps[-_EDGE:]]


def _written(step: Step) -> tuple[object, ...]:
    return step.target, step.offset, step.pointer, step.what


def trace(
    steps: Iterable[ConcreteStep],
    ctypes: CTypes,
    big_endian: bool = False,
    sources: Sources | None = None,
) -> list[TraceStep]:
    """The steps in words, with conditions as they stand in the sources. At most `MAXIMAL_STEPS` of them: the
    middle of a longer run is left out."""
    writer = _Writer(ctypes, big_endian, sources or Sources())
    thinned: list[int] = []
    left_out = 0
    for step in steps:
        if step.kind == "thinned":
            assert isinstance(step.value, int)
            thinned.append(len(writer.steps))
            left_out += step.value
        elif step.location is not None:
            writer.add(step, step.location)
    return _shortened(writer.steps, thinned, left_out)


class _Writer:
    """Puts steps into words, and keeps track of the calls that are active."""

    def __init__(self, ctypes: CTypes, big_endian: bool, sources: Sources) -> None:
        self._ctypes, self._big_endian, self._sources = ctypes, big_endian, sources
        self._calls: list[str] = [""]
        self._entered = 0  # the call that parameters belong to
        self._owners: dict[int, int] = {}  # objects, and the call whose variables they are
        self.steps: list[TraceStep] = []

    def add(self, step: ConcreteStep, place: Location) -> None:
        if step.kind in ("parameter", "memory"):
            self._attach(step)
            return
        if step.kind == "return" and len(self._calls) > 1:
            self._calls.pop()
        if step.kind != "write":
            self._calls[-1] = step.function
        depth = len(self._calls) - 1
        if not _is_noise(step):
            self._append(step, place, depth)
        if step.kind == "call":
            self._calls.append(step.name)
        self._entered = len(self._calls) - 1

    def _append(self, step: ConcreteStep, place: Location, depth: int) -> None:
        function = place.scope or step.function
        changes = self._changes(step, depth)
        words = f"{step.name} = {changes[0].value}" if step.kind == "assign" else self._words(step)
        shown = TraceStep(place.file, place.line, function, step.kind, words, place.column, depth, changes)
        if not self.steps or not _says_the_same(self.steps[-1], shown):
            self.steps.append(shown)

    def _words(self, step: ConcreteStep) -> str:
        if step.kind == "branch" and not step.name and step.location is not None:
            return branch_text(self._sources, step.location, bool(step.value))
        return wording(step, self._ctypes, self._big_endian)

    def _changes(self, step: ConcreteStep, depth: int) -> tuple[Change, ...]:
        if step.kind != "assign" and step.kind != "write":
            return ()
        frame: int | None = depth
        if step.place is not None:
            frame = self._owner(step.place)
        elif step.kind == "write":
            frame = None
        return (self._change(step, step.written or step.name, frame),)

    def _change(self, step: ConcreteStep, name: str, frame: int | None) -> Change:
        value = value_text(step.value, step.ctype, self._ctypes, self._big_endian, step.bits)
        kind = self._ctypes.get(step.ctype) if step.ctype is not None else None
        return Change(name, value or "?", kind.name if kind is not None else None, frame)

    def _owner(self, place: TracePlace) -> int | None:
        """The call whose variable an object is: the innermost of its function when it was first written."""
        if not place.owner:
            return None
        if place.number not in self._owners:
            depth = len(self._calls) - 1
            active = [n for n, name in enumerate(self._calls) if place.owner.startswith(f"{name}.")]
            self._owners[place.number] = active[-1] if active else depth
        return self._owners[place.number]

    def _attach(self, step: ConcreteStep) -> None:
        """To the call that the step belongs to."""
        if not self.steps:
            return
        frame = self._entered if step.kind == "parameter" else self._owner(step.place) if step.place else None
        change = self._change(step, step.name, frame)
        last = self.steps[-1]
        self.steps[-1] = replace(last, what=_with(last, change), changes=(*last.changes, change))


def _with(step: TraceStep, change: Change) -> str:
    """`call f()` with one more argument."""
    if change.frame is None or not step.what.endswith(")"):
        return step.what
    separator = "" if step.what.endswith("()") else ", "
    return f"{step.what[:-1]}{separator}{change.name} = {change.value})"


_INTERNAL = "__vouch_"  # how names of vouch's own functions begin


def _is_noise(step: ConcreteStep) -> bool:
    if step.kind in ("call", "return"):
        return step.name.startswith(_INTERNAL)
    if step.kind != "assign":
        return False
    return (
        step.name.startswith(_TEMPORARIES)
        or step.name.endswith(_TEMPORARY_ENDS)
        or step.name.removeprefix("tmp").isdigit()
        or step.name in ("", "tmp")
    )


def _shortened(steps: list[TraceStep], thinned: Sequence[int], left_out: int) -> list[TraceStep]:
    """With thinned steps, which are between two places, all that is shown lies outside of them."""
    if len(steps) <= MAXIMAL_STEPS and not thinned:
        return steps
    half = MAXIMAL_STEPS // 2
    begin, end = min([half, *thinned]), max([len(steps) - half, *thinned])
    hidden = steps[begin:end]
    depth = hidden[-1].depth
    changes: dict[tuple[int | None, str], Change] = {}
    deepest = 0  # no change is of a call further down
    for step in hidden:
        if step.depth < deepest:
            changes = {key: c for key, c in changes.items() if key[0] is None or key[0] <= step.depth}
            deepest = step.depth
        changes.update({(c.frame, c.name): c for c in step.changes})
        deepest = max(deepest, *(c.frame or 0 for c in step.changes), 0)
    cut = replace(hidden[0], kind="assign", what=f"… {len(hidden) + left_out} steps left out", depth=depth)
    return [*steps[:begin], replace(cut, changes=tuple(changes.values())), *steps[end:]]


def wording(step: ConcreteStep, ctypes: CTypes, big_endian: bool = False) -> str:
    shown = value_text(step.value, step.ctype, ctypes, big_endian, step.bits)
    match step.kind:
        case "call":
            return f"call {step.name}" if "(" in step.name else f"call {step.name}()"
        case "return":
            callee = f"{step.name}() returns" if step.name else "return"
            return f"{callee} {shown}" if shown else callee
        case "start":
            return f"{step.name}()"
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
    if isinstance(value, str):
        return value
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
    kind, _, number = address.base.partition(":")
    if kind == "heap" and number.isdigit():
        base = f"heap object {int(number) + 1}"
    else:
        base = f"&{_object_name(address.base)}"
    if address.offset == 0:
        return base
    sign = "+" if address.offset > 0 else "-"
    return f"{base} {sign} {abs(address.offset)} bytes"


def _object_name(base: str) -> str:
    """How a person calls the object that the replay calls `base`."""
    if base.startswith("local:"):
        return base.removeprefix("local:").partition(".")[2].removesuffix(".addr") or base
    name, mark, number = base.rpartition("#")
    return f"*{name}" if mark and number.isdigit() and name.isidentifier() else base


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
            return float_text(value, kind.size)
        case "pointer":
            return address_text(Address(None, value))
        case "char":
            number = _signed(value, bits) if kind.signed else value
            return f"{chr(value)!r} ({number})" if 32 <= value < 127 else str(number)
        case _:
            return str(_signed(value, bits) if kind.signed else value)


def float_text(value: int, size: int) -> str:
    """The float with these bits, with as many digits as tell it from others."""
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


def _says_the_same(step: TraceStep, following: TraceStep) -> bool:
    """Parts of one condition stand in different columns, and are told as one."""
    if step.kind == following.kind == "branch":
        following = replace(following, column=step.column)
    return step == following


def _part(data: bytes, kind: CType, ctypes: CTypes, big_endian: bool) -> str:
    if kind.kind in ("array", "struct", "union"):
        return _aggregate(data, kind, ctypes, big_endian)  # as deep as C types nest
    return _scalar(int.from_bytes(data, "big" if big_endian else "little"), kind)
