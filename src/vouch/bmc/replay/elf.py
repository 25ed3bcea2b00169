"""A look at a linked binary: does it start where it should, and is it nothing but code and data?"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from vouch.record import frozen_record

_NULL, _LOAD, _NOTE, _PHDR, _TLS = 0, 1, 4, 6, 7
_GNU = (0x6474E550, 0x6474E551, 0x6474E552)  # unwinding, stack, parts to protect after start
_HARMLESS = frozenset((_NULL, _LOAD, _NOTE, _PHDR, _TLS, *_GNU))
_SYMBOLS = 2  # kind of the section with the symbol table
_GLOBAL = 1


@frozen_record
class _Layout:
    """Where things stand in files of one word size: structs of file, program and section header and of a
    symbol, with the places of the fields that are used."""

    file: str
    section: str
    symbol: str
    symbol_fields: tuple[int, int, int]  # name, binding, value


_LAYOUTS = {
    1: _Layout("<16xHHIIIIIHHHHHH", "<IIIIIIIIII", "<IIIBBH", (0, 3, 1)),
    2: _Layout("<16xHHIQQQIHHHHHH", "<IIQQQQIIQQ", "<IBBHQQ", (0, 1, 4)),
}


def plain(data: bytes, start: str) -> bool:
    """Whether an ELF file is a static program that begins at the global symbol `start`: no interpreter, no
    dynamic section, no header that a loader would act on."""
    layout = _LAYOUTS.get(data[4]) if data[:4] == b"\x7fELF" and len(data) > 64 else None
    if layout is None:
        return False
    try:
        kind, _, _, entry, headers, *_ = struct.unpack_from(layout.file, data)
        fixed = kind == 2 and all(t in _HARMLESS for t in _segments(data, layout, headers))
        return fixed and [entry] == list(_values(data, layout, start.encode()))
    except (struct.error, IndexError):
        return False


def _segments(data: bytes, layout: _Layout, headers: int) -> Iterator[int]:
    size, count = struct.unpack_from(layout.file, data)[8:10]
    for number in range(count):
        yield struct.unpack_from("<I", data, headers + number * size)[0]


def _values(data: bytes, layout: _Layout, wanted: bytes) -> Iterator[int]:
    """Addresses of the global symbols of this name."""
    fields = struct.unpack_from(layout.file, data)
    table, size, count = fields[5], fields[10], fields[11]
    sections = [struct.unpack_from(layout.section, data, table + n * size) for n in range(count)]
    name_at, binding_at, value_at = layout.symbol_fields
    step = struct.calcsize(layout.symbol)
    for section in sections:
        if section[1] != _SYMBOLS:
            continue
        at, length, names = section[4], section[5], sections[section[6]][4]
        for place in range(at, at + length, step):
            symbol = struct.unpack_from(layout.symbol, data, place)
            begin = names + symbol[name_at]
            if symbol[binding_at] >> 4 == _GLOBAL and data[begin : data.index(b"\0", begin)] == wanted:
                yield symbol[value_at]
