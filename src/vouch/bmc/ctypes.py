"""Questions about C types: what lies where in an object, and what may share a place with what."""

from __future__ import annotations

from collections.abc import Mapping

from vouch.c import ir


class CTypes:
    """`table` is `Program.ctypes`; a key of None stands for a type that nobody knows."""

    def __init__(self, table: Mapping[int, ir.CType]) -> None:
        self.table = table

    def same(self, a: int, b: int) -> bool:
        if a == b:
            return True
        x, y = self.table[a], self.table[b]
        return (x.kind, x.size, x.name) == (y.kind, y.size, y.name) or (
            x.kind == y.kind and x.kind in ("int", "char", "float") and x.size == y.size
        )

    def known(self, key: int | None) -> int | None:
        return key if key is not None and key in self.table else None

    def pointee(self, key: int | None) -> int | None:
        """What a pointer of this C type points to."""
        if key is None or key not in self.table:
            return None
        ctype = self.table[key]
        return ctype.target if ctype.kind == "pointer" else None

    def ctype_at(self, key: int | None, offset: int) -> int | None:
        """The C type of the scalar at a byte offset of a C type."""
        for _ in range(32):
            if key is None or key not in self.table:
                return None
            ctype = self.table[key]
            if ctype.kind == "array" and ctype.target is not None:
                element = self.table.get(ctype.target)
                if element is None or element.size == 0:
                    return None
                offset %= element.size
                key = ctype.target
            elif ctype.kind in ("struct", "union"):
                if ctype.size and offset >= ctype.size:
                    offset %= ctype.size
                inside = [m for m in ctype.members if m.offset <= 8 * offset < m.offset + max(m.size, 1)]
                if not inside:
                    return None
                pointers = [m for m in inside if self.table.get(m.type, None) is not None]
                member = pointers[0] if pointers else inside[0]
                offset -= member.offset // 8
                key = member.type
            else:
                return key if offset == 0 or ctype.size == 0 else None
        return None

    def place_name(self, name: str, key: int | None, offset: int) -> str:
        """How C spells a place in an object: `s.field[2]`."""
        for _ in range(32):
            ctype = self.table.get(key) if key is not None else None
            if ctype is None:
                return name if offset == 0 else f"{name}+{offset}"
            if ctype.kind == "array" and ctype.target is not None:
                element = self.table.get(ctype.target)
                if element is None or element.size == 0:
                    return name
                name = f"{name}[{offset // element.size}]"
                offset %= element.size
                key = ctype.target
            elif ctype.kind in ("struct", "union"):
                inside = [m for m in ctype.members if m.offset <= 8 * offset < m.offset + max(m.size, 1)]
                if not inside:
                    return name
                name = f"{name}.{inside[0].name}" if inside[0].name else name
                offset -= inside[0].offset // 8
                key = inside[0].type
            else:
                return name
        return name

    def pointed_name(self, pointer: str, key: int | None, offset: int) -> str:
        """The same for a place behind a pointer: `p->field[2]`, `p[3]`, `*p`."""
        ctype = self.table.get(key) if key is not None else None
        size = ctype.size if ctype is not None else 0
        index, inner = divmod(offset, size) if size else (0, offset)
        if index:
            return self.place_name(f"{pointer}[{index}]", key, inner)
        name = self.place_name("", key, inner)
        if name.startswith("."):
            return f"{pointer}->{name[1:]}"
        return f"{pointer}{name}" if name else f"*{pointer}"

    def scalar_at(self, key: int | None, offset: int) -> ir.Type | None:
        """The IR type of the C scalar at a byte offset of a C type."""
        found = self.ctype_at(key, offset)
        if found is None:
            return None
        ctype = self.table[found]
        match ctype.kind:
            case "pointer":
                return ir.PointerType()
            case "float" if ctype.size in (4, 8):
                return ir.FloatType("float" if ctype.size == 4 else "double")
            case "int" | "bool" | "char" | "enum" if ctype.size in (1, 2, 4, 8):
                return ir.IntType(8 * ctype.size)
            case _:
                return None

    def element_of_size(self, key: int | None, size: int) -> int | None:
        """The C type of `size` bytes of which an object of this C type is made."""
        for _ in range(16):
            if key is None or key not in self.table:
                return None
            ctype = self.table[key]
            if ctype.size == size and ctype.kind != "array":
                return key
            if ctype.kind != "array":
                return None
            key = ctype.target
        return None
