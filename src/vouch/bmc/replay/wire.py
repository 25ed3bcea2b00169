"""What goes to the runtime and what comes back (runtime/input.c, runtime/report.c).

64-bit little-endian numbers; bytes with their length in front, padded to eight.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from vouch.bmc.counterexample import Address, Counterexample, Event, OutsideObject, Scalar
from vouch.bmc.replay.module import Rewritten
from vouch.bmc.replay.stubs import ALLOCATORS
from vouch.c import ir
from vouch.c.layout import Sizes
from vouch.errors import Unsupported
from vouch.record import record

_MAGIC = 0x31505256
RANDOM, CONSTRUCTORS, MAIN = 1, 2, 4
_KINDS = {"return": 0, "volatile": 1, "undefined": 2}
_NONE, _BYTES, _ADDRESS = 0, 1, 2
_NUMBER, _OBJECT, _GLOBAL, _FUNCTION, _ARGUMENT, _LOCAL, _HEAP = range(7)
_EVERY = (1 << 64) - 1

ENDS = (
    "the check was violated",
    "the entry point returned",
    "the program called exit",
    "the program aborted",
    "an assumption does not hold",
    "unreachable code was reached",
    "no room for the program's objects",
    "the inputs were not understood",
    "an exception was thrown",
    "a pointer made from random data was used",
    "the kernel cannot confine a native run",
    "code that only the target's own processor can run was reached",
    "more results of library functions are wanted than are worked out",
)
NOTES = (
    "more calls of {} than recorded",
    "events of {} in another order than recorded",
    "an invalid access without a check of its own in {}",
    "a recorded write of {} has no place to go to",
    "a result is used that nobody computes",
)
CONFIRMED, RETURNED, EXIT, ABORT, ASSUMPTION = range(5)
SPACE, UNCONFINED, FOREIGN, QUESTION = 6, 10, 11, 12
# Notes about what the program does and what its models do not compute; the others are about what came in.
BAD_ACCESS, ASSUMED = 2, 4


Question = tuple[int, int, int]  # number of a function, the bits of two arguments


@record
class RunReport:
    """What a run told: numbers of violated checks in order, remarks, how it ended (index into ENDS), and the
    call of a library function whose result it wants."""

    fired: list[int] = field(default_factory=list)
    notes: list[tuple[int, int]] = field(default_factory=list)
    end: int | None = None
    question: Question | None = None


def decode(output: bytes) -> RunReport:
    report = RunReport()
    arguments = [0, 0]
    for tag, a, b in struct.iter_unpack("<III", output[: len(output) // 12 * 12]):
        if tag == ord("F"):
            report.fired.append(a)
        elif tag == ord("N") and a < len(NOTES):
            report.notes.append((a, b))
        elif tag == ord("E") and a < len(ENDS):
            report.end = a
        elif tag in (ord("A"), ord("B")):
            arguments[tag - ord("A")] = a | b << 32
        elif tag == ord("Q"):
            report.question = (a, arguments[0], arguments[1])
    return report


def _fails(event: Event) -> bool:
    """An allocation is recorded by whether it fails (one bit) or by the pointer it returns."""
    if isinstance(event.type, ir.IntType) and event.type.bits == 1:
        return bool(event.value)
    return event.value in (0, Address(None, 0))


class _Writer:
    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def number(self, *values: int) -> None:
        self.parts.append(struct.pack(f"<{len(values)}Q", *(v & _EVERY for v in values)))

    def data(self, content: bytes) -> None:
        self.number(len(content))
        self.parts.append(content + bytes(-len(content) % 8))

    def joined(self) -> bytes:
        return b"".join(self.parts)


class Encoder:
    """Encodes counterexamples of one program. `problems` collects what the program has no place for."""

    def __init__(self, rewritten: Rewritten, program: ir.Program) -> None:
        self._names = rewritten
        self._program = program
        self._sizes = Sizes(program.layout)
        self._objects: dict[str, int] = {}
        self.problems: list[str] = []

    def encode(
        self,
        example: Counterexample,
        *,
        flags: int,
        wanted: int,
        sites: int,
        seed: int = 0,
        answers: Mapping[Question, int] | None = None,
    ) -> bytes:
        """`answers` are results of library functions that earlier runs asked for."""
        self.problems = []
        placed = [o for o in example.objects if o.kind in ("global", "outside") and self._placeable(o)]
        made = [o for o in example.objects if o.kind in ("local", "heap")]
        self._objects = {o.name: i for i, o in enumerate(placed)}
        out = _Writer()
        out.number(_MAGIC, flags, wanted, sites, self._names.entries[example.entry], seed)
        out.number(len(self._names.devices), *(n for low_high in self._names.devices for n in low_high))
        known = answers or {}
        out.number(len(known), *(n for question, result in known.items() for n in (*question, result)))
        out.number(len(self._names.allocas))
        self._contents(out, made)
        self._events(out, example.events)
        out.number(len(placed))
        for item in placed:
            out.number(self._names.globals[item.name] + 1 if item.kind == "global" else 0, item.size)
            self._bytes(out, item)
        self._arguments(out, example)
        return out.joined()

    def _placeable(self, item: OutsideObject) -> bool:
        if item.kind == "global" and item.name not in self._names.globals:
            if item.name not in self._program.globals:  # else it is data of the sanitizer, which nobody reads
                self.problems.append(f"no global {item.name} to set")
            return False
        return True

    # ------------------------------------------------------------ values

    def _address(self, out: _Writer, address: Address) -> None:
        base, offset = address.base, address.offset
        head, _, tail = (base or "").partition(":")
        if base is None:
            out.number(_NUMBER, 0, offset)
        elif base in self._objects:
            out.number(_OBJECT, self._objects[base], offset)
        elif base in self._names.globals:
            out.number(_GLOBAL, self._names.globals[base], offset)
        elif base in self._names.functions:
            out.number(_FUNCTION, self._names.functions[base], offset)
        elif head in ("argument", "heap") and tail.isdecimal():
            out.number(_ARGUMENT if head == "argument" else _HEAP, int(tail), offset)
        elif head == "local" and tail in self._names.allocas:
            out.number(_LOCAL, self._names.allocas[tail], offset)
        else:
            self.problems.append(f"no object {base} to point to")
            out.number(_NUMBER, 0, 0)

    def _value(self, out: _Writer, value: Scalar | None, size: int) -> None:
        if value is None:
            out.number(_NONE)
        elif isinstance(value, Address):
            out.number(_ADDRESS)
            self._address(out, value)
        else:
            out.number(_BYTES)
            out.data((value & ((1 << 8 * size) - 1)).to_bytes(size, "little"))

    def _size(self, kind: ir.Type) -> int:
        try:
            return self._sizes.store_size(kind)
        except Unsupported:
            return 0

    # ------------------------------------------------------------ sections

    def _bytes(self, out: _Writer, item: OutsideObject) -> None:
        out.data(item.data[: item.size])
        out.number(len(item.pointers))
        for offset, address in item.pointers.items():
            out.number(offset)
            self._address(out, address)
        out.number(len(item.far))
        for offset, piece in item.far:
            out.number(offset)
            out.data(piece)

    def _contents(self, out: _Writer, items: Iterable[OutsideObject]) -> None:
        body, count = _Writer(), 0
        for item in items:
            name, _, instance = item.name.partition("#")
            if item.kind == "heap":
                body.number(_HEAP, int(name), _EVERY)
            elif name in self._names.allocas:
                body.number(_LOCAL, self._names.allocas[name], int(instance) if instance else _EVERY)
            else:
                continue  # nobody reads it before it is written
            self._bytes(body, item)
            count += 1
        out.number(count)
        out.parts += body.parts

    def _events(self, out: _Writer, events: Sequence[Event]) -> None:
        body, count = _Writer(), 0
        for event in events:
            number = self._names.functions.get(event.function)
            if number is None:
                self.problems.append(f"no function {event.function} for an event")
                continue
            one = _Writer()
            if event.function in ALLOCATORS:
                self._value(one, int(_fails(event)), 1)
            else:
                self._value(one, event.value, self._size(event.type))
            one.number(len(event.writes))
            for target, content in event.writes:
                self._address(one, target)
                one.data(content)
            one.number(len(event.pointer_writes))
            for target, pointer in event.pointer_writes:
                self._address(one, target)
                self._address(one, pointer)
            content = one.joined()
            body.number(_KINDS[event.kind], number, len(content) // 8)
            body.parts.append(content)
            count += 1
        out.number(count)
        out.parts += body.parts

    def _arguments(self, out: _Writer, example: Counterexample) -> None:
        leaves = self.leaves(example.entry)
        values: list[Scalar | None] = list(example.arguments)
        if len(values) > len(leaves):
            self.problems.append(f"{len(values)} arguments for {len(leaves)} parameters of {example.entry}")
        values += [None] * (len(leaves) - len(values))
        out.number(len(leaves), max((offset + size for offset, size, _ in leaves), default=0))
        for (offset, size, _), value in zip(leaves, values, strict=False):
            out.number(offset, size)
            self._value(out, value, size)

    def leaves(self, entry: str) -> list[tuple[int, int, ir.Type]]:
        """Offset, size and type of each scalar in the entry's arguments, in order."""
        function = self._program.functions[entry]
        found: list[tuple[int, int, ir.Type]] = []
        for parameter, start in zip(function.parameters, self._names.arguments[entry], strict=True):
            work: list[tuple[int, ir.Type]] = [(start, parameter.type)]
            while work:
                at, kind = work.pop()
                if isinstance(kind, ir.StructType) and kind.fields is not None:
                    fields = [(at + self._sizes.offset(kind, i), f) for i, f in enumerate(kind.fields)]
                    work += reversed(fields)
                elif isinstance(kind, (ir.ArrayType, ir.VectorType)):
                    step = self._sizes.size(kind.element)
                    work += [(at + i * step, kind.element) for i in reversed(range(kind.count))]
                else:
                    found.append((at, self._size(kind), kind))
        return found
