"""From a solver's model to concrete values: the counterexample for the replay and the steps for the trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, TypeGuard, assert_never

from vouch.bmc.access_paths import AccessPaths
from vouch.bmc.context import ExecutionContext
from vouch.bmc.counterexample import (
    OUTSIDE_FUNCTION,
    Address,
    Counterexample,
    Event,
    OutsideObject,
    Scalar,
)
from vouch.bmc.environment.layers import OutsideData
from vouch.bmc.equation import Claim, Equation, Incoming, Step
from vouch.bmc.image import ObjectImage
from vouch.bmc.initial import CommandLine, Initial, Merged, Unknown
from vouch.bmc.trace import ConcreteStep, TracePlace, address_text, float_text, parted
from vouch.bmc.value import Kind, MemObject, Pointer, Value
from vouch.c import ir
from vouch.smt import term as T
from vouch.smt.term import Term

LARGEST = 1 << 18  # bytes of an object from outside that a replay provides; behind them, what is looked at
WIDEST = {64: 1 << 36}  # bytes of an object from outside, by the width of a pointer
_NARROW = 1 << 24
_NO_MEMORY = (Kind.NULL, Kind.WILD, Kind.DEVICE, Kind.FUNCTION)
_MOST_WRITES = 16  # of one call that a trace shows
_MOST_PLACES = 64  # of one object whose contents at the start a trace shows


class ModelReader:
    """`value` asks the solver for the value of a term in the current model."""

    def __init__(
        self, context: ExecutionContext, equation: Equation, value: Callable[[Term], int | bool]
    ) -> None:
        self.context = context
        self.equation = equation
        self.ask = value
        self._known: dict[Term, int | bool] = {}
        self._sizes: dict[MemObject, int] = {}
        self._until = equation.touched  # accesses that count
        self.widest = WIDEST.get(context.pointer_bits, _NARROW)
        self._made: list[tuple[MemObject, Initial, str, int]] | None = None
        self._numbers: dict[MemObject, tuple[str, int]] = {}
        self._before: dict[MemObject, OutsideObject] = {}
        self._rooms: dict[MemObject, int] = {}
        table, starts = context.program.ctypes, context.environment.starts
        self.paths = AccessPaths(table, starts, _passed(context, equation))

    def value(self, term: Term) -> int:
        if term.value is not None:
            return int(term.value)
        known = self._known.get(term)
        if known is None:
            known = self._known[term] = self.ask(term)
        return int(known)

    def holds(self, term: Term) -> bool:
        return bool(self.value(term))

    # ------------------------------------------------------------ values

    def scalar(self, value: Value) -> Scalar:
        if isinstance(value, Pointer):
            return self.address(value)
        assert isinstance(value, Term)
        number = self.value(value)
        if value.sort is not T.BOOL and self.context.float_type(value.sort) is not None:
            bits = self.context.memory.known_bits(value) if value.value is None else None
            if bits is not None and bits in self._known:
                return self.value(bits)
        return number

    def target(self, pointer: Pointer) -> tuple[MemObject, int] | None:
        """Where a pointer leads: an object and an offset."""
        for guard, target, offset in pointer.targets:
            if guard is T.TRUE or self.holds(guard):
                return target, self._signed(self.value(offset))
        return None

    def _signed(self, offset: int) -> int:
        bits = self.context.pointer_bits
        return offset - (1 << bits) if offset >> (bits - 1) else offset

    def address(self, pointer: Pointer) -> Address:
        found = self.target(pointer)
        return Address(None, 0) if found is None else self._place(*found)

    def pointer_text(self, pointer: Pointer) -> str:
        """A pointer as C writes it."""
        found = self.target(pointer)
        is_code = found is not None and self.context.environment.code.name(found[0], self.holds)
        if found is None or is_code or found[0].kind in (*_NO_MEMORY, Kind.HEAP):
            return address_text(self.address(pointer))
        return self.paths.pointer(*found)

    def _place(self, target: MemObject, number: int) -> Address:
        if called := self.context.environment.code.name(target, self.holds):
            return Address(called, number)
        match target.kind:
            case Kind.NULL | Kind.WILD | Kind.DEVICE:
                return Address(None, number % (1 << self.context.pointer_bits))
            case Kind.FUNCTION:
                return Address(target.name or OUTSIDE_FUNCTION, number)
            case Kind.STACK | Kind.GLOBAL | Kind.HEAP | Kind.OUTSIDE:
                return Address(self.name(target), number + self._room(target))
            case _ as never:
                assert_never(never)

    def name(self, target: MemObject) -> str:
        """How the replay knows an object."""
        match target.kind:
            case Kind.OUTSIDE:
                return f"{target.name}#{target.id}"
            case Kind.STACK | Kind.HEAP:
                self.made()
                if target not in self._numbers:
                    return target.name
                owner, number = self._numbers[target]
                return f"local:{owner}" if owner else f"heap:{number}"
            case Kind.GLOBAL | Kind.FUNCTION | Kind.NULL | Kind.WILD | Kind.DEVICE:
                return target.name
            case _ as never:
                assert_never(never)

    def made(self) -> list[tuple[MemObject, Initial, str, int]]:
        """Objects made on this path, what they hold unwritten, the alloca (or "" for the heap) and how many
        of it came before."""
        if self._made is None:
            self._made = []
            counts: dict[str, int] = {}
            for guard, target, owner, initial in self.equation.allocations:
                if self.holds(guard):
                    number = counts.get(owner, 0)
                    self._made.append((target, initial, owner, number))
                    self._numbers[target] = owner, number
                    counts[owner] = number + 1
        return self._made

    def flat(self, value: Value) -> list[Scalar]:
        if isinstance(value, tuple):
            return [scalar for part in value for scalar in self.flat(part)]
        return [self.scalar(value)]

    # ------------------------------------------------------------ the counterexample

    def counterexample(self, claim: Claim) -> Counterexample:
        equation = self.equation
        self._until = claim.touches
        self._sizes.clear()
        arguments = [scalar for value in equation.arguments for scalar in self.flat(value)]
        events = [self._event(e) for e in equation.incoming[: claim.events] if self.holds(e.guard)]
        objects = [self._outside(o) for o in equation.outside]
        objects += [
            self._object(o, o.name, "global", int(o.size))
            for o in equation.globals
            if o.kind is Kind.GLOBAL and isinstance(o.initial, Unknown) and isinstance(o.size, int)
        ]
        for target, initial, owner, number in self.made():
            if isinstance(initial, Unknown) and (initial.cells or initial.arrays or initial.ends.strings):
                name, kind = (f"{owner}#{number}", "local") if owner else (str(number), "heap")
                objects.append(self._object(target, name, kind, self._size(target, initial), initial))
        large = any(map(self._is_too_large, equation.outside))
        return Counterexample(claim.check, equation.entry, arguments, objects, events, large)

    def _outside(self, target: MemObject) -> OutsideObject:
        return self._object(target, self.name(target), "outside", self._size(target))

    def _size(self, target: MemObject, initial: Initial | None = None) -> int:
        """As large as the run in this model needs it."""
        known = self._sizes.get(target)
        if known is None:
            known = 0
            for place, size in self._touched(target):
                if place < self.widest:
                    known = max(known, place + size)
            initial = initial or target.initial
            if isinstance(initial, Unknown):
                ends = [offset + size for offset, (size, _) in initial.cells.items()]
                ends += [end + 1 for _, end in self.strings(initial)]
                known = max(known, min(max(ends, default=0), self.widest))
            ctype = self.context.program.ctypes.get(target.ctype) if target.ctype is not None else None
            if ctype is not None:
                known = max(known, min(ctype.size, self.widest))
            if target.size is not None:
                whole = target.size if isinstance(target.size, int) else self.value(target.size)
                known = min(whole, self.widest)
            least = 8 if target.size is None else 0
            known = self._sizes[target] = max(known, least) + self._room(target)
        return known

    def _is_too_large(self, target: MemObject) -> bool:
        """Whether the run gets to places that no native object has."""
        size, room = target.size, self._room(target)
        if size is not None and (size if isinstance(size, int) else self.value(size)) > self.widest:
            return True
        return any(place < -room or place + size > self.widest for place, size in self._touched(target))

    def _room(self, target: MemObject) -> int:
        """Bytes before the place that a pointer from outside leads to, where the run gets there or looks at
        the address: it may lead into the middle of an object. The native object has them in front."""
        if target.kind is not Kind.OUTSIDE or target.size is not None:
            return 0
        known = self._rooms.get(target)
        if known is None:
            touches = self.equation.touches.get(target, ())
            places = [self._signed(self.value(touch.offset)) for touch in touches if self.holds(touch.guard)]
            least = max(min(places, default=0), -LARGEST // 2)
            odd = self.value(target.base) % 16 if target.base is not None else 0
            known = self._rooms[target] = (-min(least, 0) + 15 & ~15) + odd  # as the object is aligned
        return known

    def _touched(self, target: MemObject) -> Iterator[tuple[int, int]]:
        """Places in an object, and how many bytes there, that the run gets to before the violation."""
        for touch in self.equation.touches.get(target, ()):
            if touch.number < self._until and self.holds(touch.guard):
                yield self._signed(self.value(touch.offset)), touch.size

    def _object(
        self, target: MemObject, name: str, kind: str, size: int, initial: Initial | None = None
    ) -> OutsideObject:
        image = self._image(target, initial or target.initial, size)
        return OutsideObject(name, kind, size, bytes(image.near), image.pointers, image.far)

    def _image(self, target: MemObject, initial: Initial, size: int) -> ObjectImage:
        image = ObjectImage(size, bytearray(min(size, LARGEST)))
        self._fill(target, initial, image)
        return image

    def _fill(self, target: MemObject, initial: Initial, image: ObjectImage) -> None:
        if isinstance(initial, Merged):
            return self._fill(target, initial.yes if self.holds(initial.condition) else initial.no, image)
        if not isinstance(initial, Unknown):
            return None
        room, pointers = self._room(target), image.pointers
        for word, array in initial.arrays.items():
            touched = (range(at // word * word, at + size, word) for at, size in self._touched(target))
            for place in sorted(set(chain.from_iterable(touched))):
                self._from_array(array, word, place, image, room)
        if isinstance(initial, CommandLine):
            for term, value in initial.reads:
                entry = self.scalar(value)
                at = self.value(term)
                if isinstance(entry, Address) and at <= image.size - 8:
                    pointers[at] = entry
        for where, held in initial.pointers.items():
            at, found = self._signed(self.value(where)) + room, self.scalar(held)
            if isinstance(found, Address) and 0 <= at <= image.size - self.context.pointer_bits // 8:
                pointers[at] = found
        for start, end in self.strings(initial):
            text = slice(start + room, end + room)
            image.near[text] = bytes(byte or ord("a") for byte in image.near[text])
        for offset, (size, value) in initial.cells.items():
            at = offset + room
            if not 0 <= at <= image.size - size or not self._was_written(initial, offset, size):
                continue
            scalar = self.scalar(value)
            if isinstance(scalar, Address):
                pointers[at] = scalar
            else:
                image.put(at, self._bytes(value, scalar, size))
        return None

    def text(self, target: MemObject, start: int, end: int) -> bytes:
        """The bytes of a string that lies in an object at the beginning."""
        room = self._room(target)
        return self.before(target).data[start + room : end + room]

    def strings(self, initial: Unknown) -> list[tuple[int, int]]:
        """Where strings of this model begin and end, as far as a run can provide them."""
        found = [
            (self.value(string.start), self.value(string.end))
            for string in initial.ends.strings
            if self.holds(string.when)
        ]
        return [(start, end) for start, end in found if start <= end < LARGEST]

    def _bytes(self, value: Value, scalar: int, size: int) -> bytes:
        order: Any = "big" if self.context.memory.big_endian else "little"
        return (scalar % (1 << (8 * size))).to_bytes(size, order)

    def _from_array(self, array: Term, word: int, place: int, image: ObjectImage, room: int) -> None:
        order: Any = "big" if self.context.memory.big_endian else "little"
        bits = self.context.pointer_bits
        if 0 <= place + room <= image.size - word:
            number = self.value(T.select(array, T.bv(place % (1 << bits) // word, bits)))
            image.put(place + room, number.to_bytes(word, order))

    def _event(self, event: Incoming) -> Event:
        value = None
        if event.value is not None:
            flat = self.flat(event.value)
            value = flat[0] if flat else None
        result = Event(event.kind, event.function, event.type, value, event.location)
        for target, initial in event.writes:
            size = self._size(target) if not isinstance(target.size, int) else target.size
            image = self._image(target, initial, size)
            name = self.name(target)
            self._chunks(result, name, initial, bytes(image.near), self._room(target))
            result.writes += [(Address(name, at), piece) for at, piece in image.far]
            for offset, address in image.pointers.items():
                result.pointer_writes.append((Address(name, offset), address))
        return result

    def _was_written(self, initial: Unknown, offset: int, size: int) -> bool:
        """In this model, where a call may have left what was there before."""
        if not isinstance(initial, OutsideData):
            return True
        condition = initial.written.get((offset, size))
        return condition is None or self.holds(condition)

    def _chunks(self, event: Event, name: str, initial: Initial, data: bytes, room: int) -> None:
        """Only what the run reads: the rest is left as it is."""
        if isinstance(initial, Unknown) and not initial.arrays and not initial.ends.strings:
            for offset, (size, value) in initial.cells.items():
                at = offset + room
                inside = 0 <= at <= len(data) - size and self._was_written(initial, offset, size)
                if inside and not isinstance(value, Pointer):
                    event.writes.append((Address(name, at), data[at : at + size]))
        else:
            low, high = initial.span if isinstance(initial, OutsideData) else (0, None)
            part = data[low + room : None if high is None else high + room]
            event.writes.append((Address(name, low + room), part))

    # ------------------------------------------------------------ the trace

    def steps(self, claim: Claim) -> list[ConcreteStep]:
        """What happened up to the claim, what code outside wrote among it, as far as a trace tells it."""
        result: list[ConcreteStep] = []
        events = [e for e in self.equation.incoming[: claim.events] if e.writes and self.holds(e.guard)]
        events.reverse()
        before = self.equation.steps[: claim.position]
        happened = [(number, step) for number, step in enumerate(before) if self.holds(step.guard)]
        parts = parted(happened)
        left_out = len(happened) - sum(map(len, parts))
        for index, part in enumerate(parts):
            if index:
                result.append(ConcreteStep("thinned", None, "", "", value=left_out))
                left_out = 0
            for number, step in part:
                while events and events[-1].position <= number:
                    result += self._written(events.pop())
                result.append(self._step(step))
        while events:
            result += self._written(events.pop())
        return result

    def _written(self, event: Incoming) -> list[ConcreteStep]:
        """What a function outside wrote, as far as the program reads it."""
        found: list[ConcreteStep] = []
        owner = event.location.scope if event.location is not None and event.location.scope else ""
        callee = "a function outside" if event.function == OUTSIDE_FUNCTION else f"{event.function}()"
        for target, initial in event.writes:
            if not isinstance(initial, Unknown):
                continue
            for offset, (size, value) in sorted(initial.cells.items(), key=lambda cell: cell[0]):
                if isinstance(value, tuple) or not self._was_written(initial, offset, size):
                    continue
                name = self.paths.place(target, offset)
                ctype = self.context.ctypes.ctype_at(target.ctype, offset)
                step = ConcreteStep("write", event.location, owner, f"{callee} wrote {name}", ctype)
                step.value, step.bits = self._traced(value), 8 * size
                step.place, step.written = self._identity(target), name
                found.append(step)
        return found[:_MOST_WRITES]

    def _step(self, step: Step) -> ConcreteStep:
        value: Any = None
        bits: int | None = None
        if step.value is not None and not isinstance(step.value, tuple):
            value = self._traced(step.value)
            # Nothing but its name says that such a function returns an unsigned number.
            if isinstance(step.value, Term) and not ("nondet_u" in step.what and step.kind == "input"):
                bits = step.value.width
            if step.ctype is None and isinstance(value, int) and _is_float(step.value):
                value = float_text(value, step.value.width // 8)
        made = ConcreteStep(step.kind, step.location, step.function, step.what, step.ctype, value, bits)
        target, offset = step.target, step.offset
        if step.pointer is not None:
            target, offset = self._aimed(step.pointer, offset)
            made.ctype = self.context.ctypes.ctype_at(target.ctype, offset) if target is not None else None
        if target is not None:
            made.name = self.paths.place(target, offset)
            made.place = self._identity(target)
        return made

    def _aimed(self, pointer: Pointer, shift: int) -> tuple[MemObject | None, int]:
        """The object that a pointer leads into, and where."""
        found = self.target(pointer)
        if found is None or found[0].kind in _NO_MEMORY:
            return None, 0
        return found[0], found[1] + shift

    def _traced(self, value: Value) -> Any:
        return self.pointer_text(value) if isinstance(value, Pointer) else self.scalar(value)

    def _identity(self, target: MemObject) -> TracePlace:
        owner = ""
        if target.kind is Kind.STACK:
            self.made()
            owner = self._numbers.get(target, ("", 0))[0]
        return TracePlace(target.id, owner)

    def start(self) -> list[ConcreteStep]:
        """The entry point's call: what its parameters hold, and what the run reads of memory that was there
        before."""
        function = self.context.program.functions[self.equation.entry]
        first = ConcreteStep("start", function.location, function.name, function.source_name)
        return [first, *self._parameters(function), *self._memory_before(function)]

    def _parameters(self, function: ir.Function) -> list[ConcreteStep]:
        found: list[ConcreteStep] = []
        for parameter, value in zip(function.parameters, self.equation.arguments, strict=False):
            variable = parameter.variable
            if variable is None or parameter.byval is not None or isinstance(value, tuple):
                continue
            step = ConcreteStep("parameter", function.location, function.name, variable.name, variable.type)
            step.value = self._traced(value)
            if step.value == variable.name:
                step.value = f"&*{variable.name}"  # an object of its own
            step.bits = value.width if isinstance(value, Term) else None
            found.append(step)
        return found

    def _memory_before(self, function: ir.Function) -> list[ConcreteStep]:
        found: list[ConcreteStep] = []
        known = [o for o in self.equation.globals if o.kind is Kind.GLOBAL and isinstance(o.initial, Unknown)]
        for target in [*self.equation.outside, *known]:
            for offset, size in self._looked_at(target)[:_MOST_PLACES]:
                step = ConcreteStep("memory", function.location, function.name, "")
                step.name = self.paths.place(target, offset)
                step.ctype = self.context.ctypes.ctype_at(target.ctype, offset)
                step.value, step.bits = self._held(target, offset, size), 8 * size
                step.place = self._identity(target)
                found.append(step)
        return found

    def _looked_at(self, target: MemObject) -> list[tuple[int, int]]:
        """Places (offset, size) of an object whose contents at the start matter in this run."""
        initial = target.initial
        while isinstance(initial, Merged):
            initial = initial.yes if self.holds(initial.condition) else initial.no
        if not isinstance(initial, Unknown):
            return []
        places = {offset: size for offset, (size, _) in initial.cells.items()}
        if initial.arrays:
            for offset, size in self._touched(target):
                places.setdefault(offset, size)
        room = self._room(target)
        return sorted((at, size) for at, size in places.items() if 0 <= at + room < self.widest)

    def before(self, target: MemObject) -> OutsideObject:
        """What an object from outside or a global holds at the beginning, as a native run has it."""
        known = self._before.get(target)
        if known is None:
            known = self._before[target] = self._object(target, "", "", self._size(target))
        return known

    def _held(self, target: MemObject, offset: int, size: int) -> int | str | None:
        known, at = self.before(target), offset + self._room(target)
        if at in known.pointers:
            cell = target.initial.cells.get(offset) if isinstance(target.initial, Unknown) else None
            whole = cell is not None and isinstance(cell[1], Pointer)
            return self._traced(cell[1]) if cell and whole else address_text(known.pointers[at])
        data = known.held(at, size)
        return int.from_bytes(data, "big" if self.context.memory.big_endian else "little") if data else None


def _is_float(value: Value) -> TypeGuard[Term]:
    return isinstance(value, Term) and value.sort.kind == "fp"


def _passed(context: ExecutionContext, equation: Equation) -> list[MemObject]:
    """The objects of the entry point's parameters that are passed by value."""
    function = context.program.functions[equation.entry]
    pairs = zip(function.parameters, equation.arguments, strict=False)
    return [
        value.single[0]
        for parameter, value in pairs
        if parameter.byval is not None and isinstance(value, Pointer) and value.single is not None
    ]
