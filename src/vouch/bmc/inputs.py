"""The inputs of an execution that violates a check: what the entry point found, by access path.

Arguments are listed always; memory behind pointers and globals as far as the violation depends on it. Values
are numbers, or texts in the syntax of C (`"abc"`, `NULL`, `&table[3]`).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Any

from vouch.bmc.access_paths import bit_fields, leaves
from vouch.bmc.equation import Claim
from vouch.bmc.initial import CommandLine, Unknown
from vouch.bmc.model import ModelReader
from vouch.bmc.simplest import InputPart, needed
from vouch.bmc.value import Kind, MemObject, Pointer, Value, symbols
from vouch.c import ir
from vouch.smt import term as T
from vouch.smt.term import Term

_MOST = 256  # inputs of one execution
_MOST_ELEMENTS = 64  # of one array
_LONGEST = 64  # characters of a string


def inputs(model: ModelReader, claim: Claim) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, value in _Inputs(model, claim).all():
        if len(found) == _MOST:
            break
        found.setdefault(path, value)
    return found


def numbers(model: ModelReader, claim: Claim) -> Iterator[InputPart]:
    """The inputs that are numbers, data that came in on the way among them, in a fixed order."""
    return _Inputs(model, claim).numbers()


class _Inputs:
    def __init__(self, model: ModelReader, claim: Claim) -> None:
        self._claim = claim
        self._model = model
        self._context = model.context
        self._equation = model.equation
        self._table = model.context.program.ctypes
        self._wanted = frozenset(needed(claim.violated, model.value))

    def all(self) -> Iterator[tuple[str, Any]]:
        yield from self._arguments()
        for target in self._equation.outside:
            yield from self._contents(target)
        for target in self._equation.globals:
            if target.kind is Kind.GLOBAL:
                yield from self._contents(target)

    def numbers(self) -> Iterator[InputPart]:
        # Which objects share a place, and the like: the less happens, the better.
        for symbol in sorted(self._wanted, key=lambda term: term.id):
            if symbol.sort is T.BOOL:
                yield InputPart(symbol, "condition")
        for _, value, key in self._parameters():
            yield from self._input(value, key)
        for event in self._equation.incoming[: self._claim.events]:
            if event.value is not None and self._matters(event.value):
                yield from self._input(event.value, None, signed="nondet_u" not in event.function)
        for target in (*self._equation.outside, *self._equation.globals):
            if isinstance(target.initial, Unknown):
                yield from self._held(target, target.initial)

    def _held(self, target: MemObject, initial: Unknown) -> Iterator[InputPart]:
        for string in initial.ends.strings:
            if self._matters(string.end):
                yield InputPart(T.sub(string.end, string.start), "unsigned")
        for offset, (_, value) in sorted(initial.cells.items(), key=lambda cell: cell[0]):
            if self._matters(value):
                yield from self._input(value, self._context.ctypes.ctype_at(target.ctype, offset))
        for word, array in initial.arrays.items():
            if array in self._wanted:
                for _, bits, kind in self._touched(target, word, array):
                    yield InputPart(bits, _kind(kind))

    def _input(self, value: Value, key: int | None, signed: bool = True) -> Iterator[InputPart]:
        if not isinstance(value, Term) or value.sort is T.BOOL or value.value is not None:
            return
        if value.sort.kind == "fp":
            bits = self._context.memory.float_bits(value)
            if bits is not None:
                yield InputPart(bits, "float")
        elif parts := self._packed("", value, key):
            for _, part, inner in parts:
                yield from self._input(part, inner)
        else:
            kind = self._table.get(key) if key is not None else None
            yield InputPart(value, _kind(kind) if kind is not None else "signed" if signed else "unsigned")

    def _matters(self, value: Value) -> bool:
        return not self._wanted.isdisjoint(_symbols(value))

    def _arguments(self) -> Iterator[tuple[str, Any]]:
        for name, value, key in self._parameters():
            yield from self._shown(name, value, key)

    def _packed(self, path: str, value: Term, key: int | None) -> list[tuple[str, Term, int | None]]:
        """The parts of a struct that is passed as one number."""
        kind = self._table.get(key) if key is not None else None
        if key is None or kind is None or kind.kind not in ("struct", "union", "array"):
            return []
        found: list[tuple[str, Term, int | None]] = []
        for leaf in leaves(self._table, path, key):
            bits = 8 * self._table[leaf.type].size
            low = 8 * leaf.offset
            if self._context.memory.big_endian:
                low = value.width - low - bits
            if bits and 0 <= low <= value.width - bits and self._table[leaf.type].kind != "pointer":
                found.append((leaf.path, T.extract(value, low + bits - 1, low), leaf.type))
        return found

    def _parameters(self) -> Iterator[tuple[str, Value, int | None]]:
        function = self._context.program.functions[self._equation.entry]
        types = function.parameter_types
        for number, (parameter, value) in enumerate(
            zip(function.parameters, self._equation.arguments, strict=False)
        ):
            variable = parameter.variable
            name = variable.name if variable is not None else parameter.name
            key = types[number] if number < len(types) else None
            if not parameter.byval and not parameter.sret:
                yield name, value, variable.type if variable is not None else key

    def _contents(self, target: MemObject) -> Iterator[tuple[str, Any]]:
        """What an object held at the beginning, as far as the violation depends on it."""
        initial = target.initial
        if not isinstance(initial, Unknown):
            return
        texts = self._texts(target, initial)
        yield from texts
        for offset, (size, value) in sorted(initial.cells.items(), key=lambda cell: cell[0]):
            if self._matters(value) and not (texts and size == 1):
                yield from self._cell(target, offset, size, value)
        if isinstance(initial, CommandLine):
            for place, value in initial.reads:
                if self._matters(value):
                    path = f"{target.name}[{8 * self._model.value(place) // self._context.pointer_bits}]"
                    yield from self._shown(path, value, None)
        elif not texts:
            for word, array in initial.arrays.items():
                if array in self._wanted:
                    yield from self._elements(target, word, array)

    def _cell(self, target: MemObject, offset: int, size: int, value: Value) -> Iterator[tuple[str, Any]]:
        path = self._model.paths.place(target, offset)
        if isinstance(target.initial, CommandLine):
            path = f"{target.name}[{8 * offset // self._context.pointer_bits}]"
        big = self._context.memory.big_endian
        fields = list(bit_fields(self._table, target.ctype, offset, size, path, big))
        if not fields or not isinstance(value, Term):
            key = self._context.ctypes.ctype_at(target.ctype, offset)
            if isinstance(value, Term) and size in (1, 2, 4, 8) and not self._fits(target, key, size):
                path, key = self._model.paths.bytes_at(target, offset, size), None
            yield from self._shown(path, value, key)
            return
        number = self._model.value(value)
        for field in fields:
            bits = (number >> field.low) & ((1 << field.bits) - 1)
            yield field.path, _signed(bits, field.bits) if field.signed else bits

    def _fits(self, target: MemObject, key: int | None, size: int) -> bool:
        """Whether a read of so many bytes is one of what the object holds there."""
        whole = self._table.get(target.ctype) if target.ctype is not None else None
        kind = self._table.get(key) if key is not None else None
        return whole is None or not whole.size or (kind is not None and kind.size == size)

    def _elements(self, target: MemObject, word: int, array: Term) -> Iterator[tuple[str, Any]]:
        """The elements of an array that this execution uses."""
        for offset, bits, kind in self._touched(target, word, array):
            number = self._number(self._model.value(bits), bits.width, kind)
            yield self._model.paths.place(target, offset), number

    def _touched(
        self, target: MemObject, word: int, array: Term
    ) -> Iterator[tuple[int, Term, ir.CType | None]]:
        """Places in an array of numbers that this execution uses, what they hold at first, and its type."""
        model, words = self._model, self._context.memory.words
        places = {
            (model.value(touch.offset), touch.size)
            for touch in self._equation.touches.get(target, ())
            if touch.size <= 8 and touch.number < self._claim.touches and model.holds(touch.guard)
        }
        for offset, size in sorted(places)[:_MOST_ELEMENTS]:
            key = self._context.ctypes.ctype_at(target.ctype, offset)
            kind = self._table.get(key) if key is not None else None
            if offset < model.widest and (kind is None or kind.kind != "pointer"):
                yield offset, words.read(array, T.bv(offset, self._context.pointer_bits), size, word), kind

    def _texts(self, target: MemObject, initial: Unknown) -> list[tuple[str, str]]:
        """Strings that lie in the object."""
        found = []
        if any(self._matters(string.end) for string in initial.ends.strings):
            for start, end in self._model.strings(initial):
                text = self._model.text(target, start, end)
                if len(text) == end - start:
                    found.append((self._model.paths.pointer(target, start), _quoted(text)))
        return found

    # ------------------------------------------------------------ values

    def _shown(self, path: str, value: Value, key: int | None) -> Iterator[tuple[str, Any]]:
        if isinstance(value, Pointer):
            target = self._model.target(value)
            if target is None or not self._model.paths.is_own(path, *target):
                yield path, self._model.pointer_text(value)
        elif isinstance(value, Term):
            parts = self._packed(path, value, key) if value.sort.kind == "bv" else []
            for name, part, inner in parts or [(path, value, key)]:
                yield name, self._scalar(part, inner)

    def _scalar(self, value: Term, key: int | None) -> Any:
        scalar = self._model.scalar(value)
        assert isinstance(scalar, int)
        if value.sort is T.BOOL:
            return bool(scalar)
        kind = self._context.float_type(value.sort)
        if kind is not None:
            return _float(scalar, kind.kind)
        return self._number(scalar, value.width, self._table.get(key) if key is not None else None)

    def _number(self, bits: int, width: int, kind: ir.CType | None) -> Any:
        if kind is not None and kind.kind == "float" and width in (32, 64):
            return _float(bits, "float" if width == 32 else "double")
        return _signed(bits, width) if kind is None or kind.signed else bits


def _symbols(value: Value) -> Iterator[Term]:
    """Also those that say where a pointer leads."""
    yield from symbols(value)
    if isinstance(value, Pointer):
        for guard, _, _ in value.targets:
            yield from symbols(guard)


def _kind(kind: ir.CType | None) -> str:
    if kind is not None and kind.kind == "float":
        return "float"
    return "signed" if kind is None or kind.signed else "unsigned"


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def _quoted(data: bytes) -> str:
    """A string as C writes it."""
    shown = "".join(
        f"\\{chr(byte)}" if byte in b'"\\' else chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}"
        for byte in data[:_LONGEST]
    )
    return f'"{shown}"' if len(data) <= _LONGEST else f'"{shown}"… ({len(data)} characters)'


def _float(bits: int, kind: str) -> float | str:
    formats = {"float": ("<I", "<f"), "double": ("<Q", "<d")}
    if kind not in formats:
        return hex(bits)
    whole, real = formats[kind]
    number: float = struct.unpack(real, struct.pack(whole, bits))[0]
    return number if math.isfinite(number) else str(number)
