"""What the printf family writes and reads where its format is a literal: how many characters come out at
least and at most, and which texts are read on the way.

The lengths are those of the model (`models/format.h`). A format that is not understood to its end, or that
does not fit the arguments of the call, says nothing at all.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from vouch.c.ir import Call, FloatType, IntType, Operand, PointerType, StringConstant
from vouch.c.known import PRINTING, PrintedPlace
from vouch.c.ranges import domain, spreading, written
from vouch.c.ranges.domain import Value
from vouch.c.ranges.pointers import INFINITE
from vouch.c.ranges.state import WHOLE

if TYPE_CHECKING:
    from vouch.c.ranges.memory import RangeMemory

_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d+|\*)?(?P<point>\.(?P<precision>\d+|\*)?)?"
    r"(?P<length>hh|h|ll|l|q|z|t|j|L)?(?P<kind>[diuxXocspaAeEfFgG%])"
)
_UNLIMITED = 1 << 47  # characters of a text from outside: no address space has more
_FARTHEST = 1 << 31  # widths and precisions


class TextRead(NamedTuple):
    """A text that is read, up to so many characters (None: to its end)."""

    argument: int
    most: int | None


class Printed(NamedTuple):
    """The characters that come out, without the zero at the end; `texts` are those that are read."""

    place: PrintedPlace
    least: int
    most: int
    texts: tuple[TextRead, ...]


def printed(at: RangeMemory, call: Call, target: str | None) -> Printed | None:
    """What a call prints, None where that is not known."""
    place = PRINTING.get(target or "")
    if place is None or target not in at.whole.program.models or len(call.arguments) <= place.format:
        return None
    function = at.whole.program.functions[target]
    if function.signature != call.signature or not isinstance(call.type, IntType):
        return None
    text = _literal(at, call.arguments[place.format])
    return None if text is None else FormatReading(at, call, place).all_of(text)


def _literal(at: RangeMemory, operand: Operand) -> str | None:
    pointer = at.pointer(operand)
    base = pointer.base
    if base is None or base[0] != "@" or pointer.or_null or pointer.lo != pointer.hi:
        return None
    held = at.whole.program.globals.get(base[1:])
    if held is None or not at.whole.objects.is_constant(base):
        return None
    data = held.initializer.data if isinstance(held.initializer, StringConstant) else b""
    end = data.find(0, pointer.lo) if pointer.lo >= 0 else -1
    return data[pointer.lo : end].decode("latin-1") if end >= 0 else None


class Precision(NamedTuple):
    """`said`: it is there in any case."""

    least: int
    most: int
    said: bool


_UNSAID = Precision(0, 0, False)


class _Unclear(Exception):
    """Nothing is said of this format."""


class FormatReading:
    """Follows a format and the arguments of a call."""

    def __init__(self, at: RangeMemory, call: Call, place: PrintedPlace) -> None:
        self.at = at
        self.call = call
        self.place = place
        self.next = place.format + 1
        self.texts: list[TextRead] = []
        assert isinstance(call.type, IntType)
        self.int_bits = call.type.bits

    def all_of(self, text: str) -> Printed | None:
        least = most = position = 0
        try:
            while (percent := text.find("%", position)) >= 0:
                found = _CONVERSION.match(text, percent)
                if found is None:
                    return None
                low, high = self._conversion(found)
                before = percent - position
                least, most, position = least + before + low, most + before + high, found.end()
        except _Unclear:
            return None
        rest = len(text) - position
        return Printed(self.place, least + rest, most + rest, tuple(self.texts))

    def _argument(self, kind: type, bits: int = 0) -> int:
        number, self.next = self.next, self.next + 1
        if number >= len(self.call.arguments):
            raise _Unclear
        given = getattr(self.call.arguments[number], "type", None)
        if not isinstance(given, kind) or (isinstance(given, IntType) and given.bits != bits):
            raise _Unclear
        return number

    def _integer(self, bits: int) -> Value:
        return self.at.integer(self.call.arguments[self._argument(IntType, bits)])

    def _conversion(self, found: re.Match[str]) -> tuple[int, int]:
        """The characters of one conversion."""
        width = self._width(found["width"])
        limits = self._precision(found["precision"]) if found["point"] else _UNSAID
        kind, length = found["kind"], found["length"] or ""
        match kind:
            case "%":
                if found[0] != "%%":
                    raise _Unclear
                return 1, 1
            case "c":
                if length:
                    raise _Unclear
                self._argument(IntType, self.int_bits)
                own = (1, 1)
            case "s":
                if length:
                    raise _Unclear
                own = self._text(limits)
            case "p":
                self._argument(PointerType)
                own = (1, 18)
            case "d" | "i" | "u" | "x" | "X" | "o":
                own = self._number(kind, length, found["flags"], limits)
            case _:
                own = self._real(kind, length, limits)
        return max(own[0], width[0]), max(own[1], width[1])

    def _width(self, given: str | None) -> tuple[int, int]:
        if given != "*":
            return self._limited(int(given or 0), int(given or 0))
        lo, hi = self._integer(self.int_bits)[:2]
        least = 0 if lo <= 0 <= hi else min(abs(lo), abs(hi))
        return self._limited(least, max(abs(lo), abs(hi)))

    def _precision(self, given: str | None) -> Precision:
        if given != "*":
            return Precision(*self._limited(int(given or 0), int(given or 0)), True)
        lo, hi = self._integer(self.int_bits)[:2]  # less than nothing: as if it were not there
        return Precision(*self._limited(max(lo, 0), max(hi, 0)), lo >= 0)

    def _limited(self, lo: int, hi: int) -> tuple[int, int]:
        if hi >= min(_FARTHEST, 1 << (self.int_bits - 1)):
            raise _Unclear
        return lo, hi

    def _text(self, limits: Precision) -> tuple[int, int]:
        number = self._argument(PointerType)
        known = self.at.text_length(self.at.pointer(self.call.arguments[number]))
        most = _UNLIMITED if known is None else known
        self.texts.append(TextRead(number, limits.most if limits.said else None))
        return 0, min(most, limits.most) if limits.said else most

    def _number(self, kind: str, length: str, flags: str, limits: Precision) -> tuple[int, int]:
        pointer_bits = self.at.whole.program.layout.pointer_bits
        wide = {"l": max(32, pointer_bits), "z": pointer_bits, "t": pointer_bits}
        if length == "L":
            raise _Unclear
        bits = self.int_bits if length in ("", "h", "hh") else wide.get(length, 64)
        value = self._integer(bits)
        signed = kind in "di"
        lo, hi = value[:2] if signed else value[2:4]
        part = {"h": 16, "hh": 8}.get(length)
        if part is not None:  # converted first
            whole = domain.top(part)[:2] if signed else domain.top(part)[2:4]
            lo, hi = (lo, hi) if whole[0] <= lo and hi <= whole[1] else whole
        base = 8 if kind == "o" else 16 if kind in "xX" else 10
        digits = max(_digits(abs(lo), base), _digits(abs(hi), base))
        before = 2 if "#" in flags else 1 if signed and (lo < 0 or "+" in flags or " " in flags) else 0
        least = limits.least if limits.said else 0
        return least, before + max(digits, limits.most, 1)

    def _real(self, kind: str, length: str, limits: Precision) -> tuple[int, int]:
        if length not in ("", "l"):
            raise _Unclear
        number = self._argument(FloatType)
        given = getattr(self.call.arguments[number], "type", None)
        if not isinstance(given, FloatType) or given.kind != "double":
            raise _Unclear
        whole = 40 if kind in "aA" else 310 if kind in "fF" else 9
        return 1, whole + 1 + (limits.most if limits.said else max(limits.most, 6))


def _digits(number: int, base: int) -> int:
    count = 0
    while number:
        number //= base
        count += 1
    return count


def stretch(at: RangeMemory, call: Call, found: Printed) -> tuple[int, int]:
    """The bytes that are written at least and at most, where there is something to write to."""
    least, most = found.least + 1, found.most + 1
    if found.place.size is None:
        return least, most
    room = at.integer(call.arguments[found.place.size])
    return min(least, room[2]), min(most, room[3])


def written_by(at: RangeMemory, call: Call, target: str, found: Printed) -> None:
    """The call changes what it writes to, and nothing else: its characters are no pointers."""
    for name in at.whole.graph.effects[target].globals:
        if f"@{name}" in at.keys:
            at.forget_object(f"@{name}")
    if spreading.of_call(at, call, target) != frozenset():
        at.drop(WHOLE)
    if found.place.to is None:
        return
    operand = call.arguments[found.place.to]
    pointer = at.pointer(operand)
    least, most = stretch(at, call, found)
    if most == 0:
        return
    at.forget(pointer, min(most, INFINITE), through=operand)
    if found.texts:
        written.spoil(at, pointer, most, operand)  # a text may hold bytes that hold nothing
    else:
        written.put(at, pointer, least)


def length(call: Call, found: Printed) -> Value:
    """What is returned: the characters, or less than nothing where an int cannot say it or a stream fails."""
    assert isinstance(call.type, IntType)
    largest = (1 << (call.type.bits - 1)) - 1
    if found.place.to is None or found.most > largest:
        return domain.signed(-1, largest, call.type.bits)
    return domain.signed(found.least, found.most, call.type.bits)
