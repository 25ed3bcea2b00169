"""Access paths: how C names what an entry point finds, `dev->calib.t1`, `buf[3]`, `*p`.

An object behind a pointer from outside is called after that pointer, which itself has a path: whatever was
made lazily has a name that a person can read in the sources.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from vouch.bmc.value import Kind, MemObject
from vouch.c import ir
from vouch.record import frozen_record

_DEEPEST = 32  # types within types


def _walk(
    table: Mapping[int, ir.CType], name: str, key: int | None, offset: int, outermost: bool
) -> tuple[str, int | None]:
    """From an object down to the scalar at an offset, or to the first part of it that begins there: its name
    and type."""
    for depth in range(_DEEPEST):
        ctype = table.get(key) if key is not None else None
        if ctype is None:
            return (name if offset == 0 else f"{name}+{offset}"), None
        if outermost and depth and offset == 0:
            break
        if ctype.kind == "array" and ctype.target is not None:
            element = table.get(ctype.target)
            if element is None or element.size == 0:
                break
            name = f"{name}[{offset // element.size}]"
            offset %= element.size
            key = ctype.target
        elif ctype.kind in ("struct", "union"):
            inside = [m for m in ctype.members if m.offset <= 8 * offset < m.offset + max(m.size, 1)]
            if not inside:
                break
            name = f"{name}.{inside[0].name}" if inside[0].name else name
            offset -= inside[0].offset // 8
            key = inside[0].type
        else:
            break
    return name, key


def place_name(table: Mapping[int, ir.CType], name: str, key: int | None, offset: int) -> str:
    """How C spells a place in an object: `s.field[2]`."""
    return _walk(table, name, key, offset, False)[0]


def pointed_name(table: Mapping[int, ir.CType], pointer: str, key: int | None, offset: int) -> str:
    """The same for a place behind a pointer: `p->field[2]`, `p[3]`, `*p`."""
    return _behind(table, pointer, key, offset, False)[0]


def _behind(
    table: Mapping[int, ir.CType], pointer: str, key: int | None, offset: int, outermost: bool
) -> tuple[str, int | None]:
    ctype = table.get(key) if key is not None else None
    size = ctype.size if ctype is not None else 0
    if not size and offset:
        return f"((char *){pointer})[{offset}]", None
    index, inner = divmod(offset, size) if size else (0, offset)
    inside = f"({pointer})" if pointer.startswith("*") else pointer
    if index:
        element = f"{inside}[{index}]"
        return (element, key) if outermost and inner == 0 else _walk(table, element, key, inner, outermost)
    name, found = _walk(table, "", key, inner, outermost)
    if name.startswith("."):
        return f"{inside}->{name[1:]}", found
    return (f"{inside}{name}" if name else f"*{pointer}"), found


class AccessPaths:
    """Paths of the objects of one execution. `starts` says where in its object a pointer from outside leads;
    `values` are the objects of parameters that are passed by value."""

    def __init__(
        self,
        table: Mapping[int, ir.CType],
        starts: Mapping[MemObject, int] | None = None,
        values: Collection[MemObject] = (),
    ) -> None:
        self._table = table
        self._starts = starts or {}
        self._values = frozenset(values)

    def place(self, target: MemObject, offset: int) -> str:
        """What lies there."""
        if target.kind is Kind.OUTSIDE and target not in self._values:
            return pointed_name(self._table, target.name, target.ctype, offset - self._start(target))
        return place_name(self._table, target.name, target.ctype, offset)

    def bytes_at(self, target: MemObject, offset: int, size: int) -> str:
        """So many bytes as a number, where the type of the object says something else."""
        behind = target.kind is Kind.OUTSIDE and target not in self._values
        base = target.name if behind else f"&{target.name}"
        distance = offset - (self._start(target) if behind else 0)
        place = f" {'-' if distance < 0 else '+'} {abs(distance)}" if distance else ""
        return f"*(int{8 * size}_t *)((char *){base}{place})"

    def pointer(self, target: MemObject, offset: int) -> str:
        """A pointer that leads there."""
        behind = target.kind is Kind.OUTSIDE and target not in self._values
        if behind and offset == self._start(target):
            return target.name
        ctype = self._table.get(target.ctype) if target.ctype is not None else None
        if ctype is None or not ctype.size:
            base = target.name if behind else f"&{target.name}"
            distance = offset - self._start(target)
            sign = "-" if distance < 0 else "+"
            return f"(char *){base} {sign} {abs(distance)}" if distance else base
        if behind:
            distance = offset - self._start(target)
            name, key = _behind(self._table, target.name, target.ctype, distance, True)
        elif offset == 0:
            name, key = target.name, target.ctype
        elif offset == ctype.size and ctype.kind != "array":
            return f"&{target.name} + 1"  # behind the end
        else:
            name, key = _walk(self._table, target.name, target.ctype, offset, True)
        is_array = key is not None and key in self._table and self._table[key].kind == "array"
        return name if is_array else f"&{name}"

    def is_own(self, name: str, target: MemObject, offset: int) -> bool:
        """Does a pointer of this name lead to the object that was made for it?"""
        return target.kind is Kind.OUTSIDE and target.name == name and offset == self._start(target)

    def _start(self, target: MemObject) -> int:
        return self._starts.get(target, 0)


@frozen_record
class BitField:
    """Bits `low` … `low + bits - 1` of the number in a cell."""

    path: str
    low: int
    bits: int
    signed: bool


def bit_fields(
    table: Mapping[int, ir.CType], key: int | None, offset: int, size: int, path: str, big_endian: bool
) -> Iterator[BitField]:
    """The bit-fields in a cell that holds such; `path` is that of the cell."""
    for _ in range(_DEEPEST):
        ctype = table.get(key) if key is not None else None
        if ctype is None or (ctype.kind != "array" and not ctype.members):
            return
        if ctype.kind == "array":
            element = table.get(ctype.target) if ctype.target is not None else None
            if element is None or not element.size:
                return
            key, offset = ctype.target, offset % element.size
            continue
        if ctype.size:
            offset %= ctype.size
        inside = [
            m for m in ctype.members if m.offset < 8 * (offset + size) and m.offset + m.size > 8 * offset
        ]
        if any(m.bitfield for m in inside):
            owner = path.rpartition(inside[0].name)[0] if inside[0].name else f"{path}."
            for member in inside:
                low = member.offset - 8 * offset
                if member.bitfield and member.name and low >= 0 and low + member.size <= 8 * size:
                    low = 8 * size - low - member.size if big_endian else low
                    signed = table[member.type].signed if member.type in table else False
                    yield BitField(f"{owner}{member.name}", low, member.size, signed)
            return
        if len(inside) != 1:
            return
        key, offset = inside[0].type, offset - inside[0].offset // 8


@frozen_record
class PathLeaf:
    """A scalar in a struct or an array, by its offset in bytes."""

    path: str
    offset: int
    type: int  # key into Program.ctypes


def leaves(table: Mapping[int, ir.CType], path: str, key: int) -> Iterator[PathLeaf]:
    """The scalars of an object, bit-fields left out. Of a union the first member."""
    work = [PathLeaf(path, 0, key)]
    while work:
        part = work.pop()
        ctype = table.get(part.type)
        if ctype is None:
            continue
        if ctype.kind == "array" and ctype.target is not None:
            size = table[ctype.target].size if ctype.target in table else 0
            inner = [
                PathLeaf(f"{part.path}[{i}]", part.offset + i * size, ctype.target)
                for i in range(ctype.count or 0)
            ]
        elif ctype.kind in ("struct", "union"):
            inner = [
                PathLeaf(
                    f"{part.path}.{m.name}" if m.name else part.path, part.offset + m.offset // 8, m.type
                )
                for m in ctype.members[: 1 if ctype.kind == "union" else None]
                if not m.bitfield
            ]
        else:
            yield part
            continue
        work.extend(reversed(inner))
