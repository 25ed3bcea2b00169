"""Questions about C types: what lies where in an object, and what may share a place with what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vouch.c import ir
from vouch.c.layout import Sizes

_NUMBERS = ("int", "enum", "char", "bool")
_LAST = -1  # the key of void, behind which those begin that are in no table


def _scalars_of(type_: ir.Type) -> Iterator[ir.Type | None]:
    """What a type of LLVM is made of; None for bytes of any kind, such as characters and unions."""
    work = [type_]
    while work:
        match work.pop():
            case ir.ArrayType(element=element):
                work.append(element)
            case ir.StructType(name=name, fields=fields) if fields is not None and "union." not in name:
                work.extend(fields)
            case ir.PointerType() | ir.FloatType() as scalar:
                yield scalar
            case ir.IntType(bits=bits) as scalar if bits in (16, 32, 64):
                yield scalar
            case _:
                yield None


class TypeTable:
    """`table` is `Program.ctypes`; a key of None stands for a type that nobody knows."""

    def __init__(self, table: Mapping[int, ir.CType]) -> None:
        self.table = table
        self._shares: dict[tuple[int, int], bool] = {}
        self._at: dict[tuple[int | None, int], int | None] = {}
        self._only: dict[tuple[int | None, int], ir.Type | None] = {}
        self._scalars: dict[int, frozenset[ir.Type | None]] = {}
        self._declared: dict[ir.Type, int] = {}
        self._made_of: dict[int, frozenset[ir.Type]] = {}

    def declared(self, type_: ir.Type) -> int | None:
        """A key, which is not in the table, for a variable that is only declared: of its type no more is
        known than the scalars it is made of. None where it may be made of anything."""
        if type_ not in self._declared:
            found = frozenset(_scalars_of(type_))
            if None in found or not found:
                return None
            self._declared[type_] = _LAST - 1 - len(self._declared)
            self._made_of[self._declared[type_]] = frozenset(s for s in found if s is not None)
        return self._declared[type_]

    def may_hold_pointers(self, key: int | None) -> bool:
        """Of a type that is not in the table."""
        return key not in self._made_of or ir.PointerType() in self._made_of[key]

    def same(self, a: int, b: int) -> bool:
        """One type, whatever its qualifiers, typedefs and, of numbers, sign (C11 6.5p7)."""
        x, y = self.table[a], self.table[b]
        if a == b or (x.kind, x.size, x.name) == (y.kind, y.size, y.name):
            return True
        if x.kind in _NUMBERS and y.kind in _NUMBERS:
            return x.size == y.size and (x.rank == y.rank or not (x.rank and y.rank))
        if x.kind != y.kind:
            return False
        match x.kind:
            case "struct" | "union":
                return self._same_record(x, y)
            case "float":
                return x.size == y.size and (x.rank == y.rank or not (x.rank and y.rank))
            case "pointer":
                return x.size == y.size and self._same_target(x.target, y.target)
            case _:
                return False

    @staticmethod
    def _same_record(x: ir.CType, y: ir.CType) -> bool:
        """By the tag, also where one of them is declared only; those without a tag by their members."""
        if x.rank and y.rank:
            return x.rank == y.rank and (x.size == y.size or not x.size or not y.size)
        mine, theirs = ([(m.name, m.offset, m.size) for m in z.members] for z in (x, y))
        return x.size == y.size and mine == theirs

    def _same_target(self, a: int | None, b: int | None) -> bool:
        """Do two pointers point to one type? All functions count as one."""
        if a is None or b is None or a not in self.table or b not in self.table:
            return True
        x, y = self.table[a], self.table[b]
        if "unknown" in (x.kind, y.kind) or x.kind == y.kind == "function":
            return True
        if x.kind == y.kind == "array":
            return self._same_target(x.target, y.target)
        return x.kind == y.kind == "void" or self.same(a, b)

    def known(self, key: int | None) -> int | None:
        return key if key is not None and key in self.table else None

    def is_open(self, key: int | None) -> bool:
        """Does nobody know what an object is made of: one behind a pointer to void?"""
        key = self.known(key)
        return key is None or self.table[key].kind == "void"

    def pointee(self, key: int | None) -> int | None:
        """What a pointer of this C type points to."""
        if key is None or key not in self.table:
            return None
        ctype = self.table[key]
        return ctype.target if ctype.kind == "pointer" else None

    def ctype_at(self, key: int | None, offset: int) -> int | None:
        """The C type of the scalar at a byte offset of a C type."""
        if (key, offset) not in self._at:
            self._at[key, offset] = self._ctype_at(key, offset)
        return self._at[key, offset]

    def _ctype_at(self, key: int | None, offset: int) -> int | None:
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
                return key if ctype.size == 0 or offset % ctype.size == 0 else None
        return None

    def scalar_at(self, key: int | None, offset: int) -> ir.Type | None:
        """The IR type of the C scalar at a byte offset of a C type."""
        return self._scalar(self.ctype_at(key, offset))

    def _scalar(self, key: int | None) -> ir.Type | None:
        if key is None:
            return None
        ctype = self.table[key]
        match ctype.kind:
            case "pointer":
                return ir.PointerType()
            case "float" if ctype.size in (4, 8):
                return ir.FloatType("float" if ctype.size == 4 else "double")
            case "int" | "bool" | "char" | "enum" if ctype.size in (1, 2, 4, 8):
                return ir.IntType(8 * ctype.size)
            case _:
                return None

    def only_scalar_at(self, key: int | None, offset: int) -> ir.Type | None:
        """The same where nothing else lies there: None in a union of several types, and in a bit-field."""
        if (key, offset) not in self._only:
            self._only[key, offset] = self._only_scalar_at(key, offset)
        return self._only[key, offset]

    def _only_scalar_at(self, key: int | None, offset: int) -> ir.Type | None:
        for _ in range(32):
            ctype = self.table.get(key) if key is not None else None
            if ctype is None or ctype.kind not in ("array", "struct", "union"):
                break
            if ctype.kind == "array":
                key = ctype.target
            else:
                offset = offset % ctype.size if ctype.size else offset
                inside = [m for m in ctype.members if m.offset <= 8 * offset < m.offset + max(m.size, 1)]
                if len(inside) != 1 or inside[0].bitfield:
                    return None
                key, offset = inside[0].type, offset - inside[0].offset // 8
        return self.scalar_at(key, offset)

    def scalars(self, key: int) -> frozenset[ir.Type | None]:
        """The scalars that an object of this type is made of; None for what is none of the usual ones."""
        if key not in self._scalars:
            self._scalars[key] = frozenset()  # a type does not hold itself
            ctype = self.table[key]
            inner = self._inside(ctype)
            found = {s for part in inner for s in (self.scalars(part) if part in self.table else {None})}
            if not inner:
                found.add(self._scalar(key))
            if any(member.bitfield for member in ctype.members):
                found.add(None)
            self._scalars[key] = frozenset(found)
        return self._scalars[key]

    @staticmethod
    def _inside(ctype: ir.CType) -> list[int]:
        """The types of the members, or of the elements."""
        inner = [m.type for m in ctype.members if not m.bitfield]
        return [*inner, ctype.target] if ctype.kind == "array" and ctype.target is not None else inner

    def _has_union(self, key: int) -> bool:
        """Do things of several types lie in one place?"""
        ctype = self.table[key]
        inner = [part for part in self._inside(ctype) if part in self.table]
        mixed = ctype.kind == "union" and len(self.scalars(key)) > 1
        return mixed or any(self._has_union(part) for part in inner)

    def written_as(self, key: int | None, offset: int | None, type_: ir.Type, copied: bool) -> ir.Type | None:
        """As what something of `type_` counts that is written to an object of type `key`, at an offset that
        may not be known: as the scalar that lies there. None: as bytes of whatever kind, since several
        scalars lie there, or a part of one only, or since whoever copies bytes does not say what they are."""
        if self.known(key) is None or self.is_bytes(key):
            return None if copied else type_
        if offset is not None:
            return type_ if self.only_scalar_at(key, offset) == type_ else None
        assert key is not None
        found = self.scalars(key)
        return type_ if type_ in found and None not in found and not self._has_union(key) else None

    def kinds(self, key: int | None) -> frozenset[ir.Type | None]:
        """What the bytes of an object may be: its scalars. None among them: anything."""
        key = self.known(key)
        return frozenset({None}) if key is None or self.is_bytes(key) else self.scalars(key)

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

    # ------------------------------------------------------------ what may lie in the same place

    def is_function(self, key: int | None) -> bool:
        return key is not None and key in self.table and self.table[key].kind == "function"

    def is_const(self, key: int | None) -> bool:
        """May an object not be written through an lvalue of this type?"""
        while key is not None and key in self.table:
            ctype = self.table[key]
            if "const" in ctype.qualifiers:
                return True
            if ctype.kind != "array":
                return False
            key = ctype.target
        return False

    def is_bytes(self, key: int | None) -> bool:
        """Is a pointer to it a pointer to memory of any kind: void, characters, or a type nobody knows?"""
        key = self._element(key)
        return key is None or self.table[key].kind in ("void", "unknown", "char")

    def is_number(self, key: int | None) -> bool:
        """Is it a number, or an array of numbers?"""
        key = self._element(key)
        return key is not None and self.table[key].kind in (*_NUMBERS, "float")

    def may_share(self, a: int | None, b: int | None) -> bool:
        """May an object of one type lie inside one of the other, as the language allows to access them?"""
        for one, other in ((a, b), (b, a)):
            if one in self._made_of:
                kinds = self._made_of.get(other or 0) or self.kinds(other)
                return None in kinds or not kinds.isdisjoint(self._made_of[one])
        a, b = self._element(a), self._element(b)
        if a is None or b is None or self.is_bytes(a) or self.is_bytes(b):
            return True
        known = self._shares.get((a, b))
        if known is None:
            known = self._holds(a, b) or self._holds(b, a)
            self._shares[a, b] = self._shares[b, a] = known
        return known

    def may_hold(self, whole: int | None, part: int | None) -> bool:
        """May an object of type `part` lie inside one of type `whole`?"""
        if not self.may_share(whole, part):
            return False
        whole, part = self._element(whole), self._element(part)
        if whole is None or part is None or self.is_bytes(whole) or self.is_bytes(part):
            return True
        return part in self._made_of or whole in self._made_of or self._holds(whole, part)

    def _element(self, key: int | None) -> int | None:
        """What an array is made of."""
        while key is not None and key in self.table and self.table[key].kind == "array":
            key = self.table[key].target
        return self.known(key)

    def _holds(self, whole: int, part: int) -> bool:
        """Is `part` the type `whole`, or that of something in it?"""
        work, seen = [whole], {whole}
        while work:
            key = work.pop()
            if self.same(key, part):
                return True
            for member in self.table[key].members:
                inner = self._element(member.type)
                if inner is None:
                    return True
                if inner not in seen:
                    seen.add(inner)
                    work.append(inner)
        return False

    def stride_of(self, array: int, element: int) -> int:
        """The distance of elements where `array` is an array of `element`s, else 0."""
        ctype = self.table[array]
        inner = self.known(ctype.target) if ctype.kind == "array" else None
        if inner is None:
            return 0
        return self.table[inner].size if self.same(inner, element) else self.stride_of(inner, element)

    def places(self, whole: int | None, part: int | None) -> list[int]:
        """Offsets of members that a pointer to `part` (None: to anything) may lead to."""
        found: list[int] = []
        work = [(whole, 0)]
        while work and len(found) < 32:
            key, at = work.pop(0)
            if key is None or key not in self.table:
                continue
            for member in self.table[key].members:
                inner = self._element(member.type)
                if member.bitfield or inner is None:
                    continue
                if part is None or self.is_bytes(part) or self.same(inner, part):
                    found.append(at + member.offset // 8)
                work.append((inner, at + member.offset // 8))
        return found

    def align(self, key: int | None, sizes: Sizes) -> int:
        """The alignment that a pointer to the type promises."""
        work, seen, found = [self._element(key)], {key}, 1
        while work:
            inner = work.pop()
            if inner is None or inner not in self.table:
                continue
            scalar = self.scalar_at(inner, 0) if not self.table[inner].members else None
            if scalar is not None:
                found = max(found, sizes.align(scalar))
            for member in self.table[inner].members:
                # A member of a packed struct lies where its type alone would not let it.
                part = self._element(member.type)
                if member.bitfield or part is None:
                    continue
                size = self.align(part, sizes) if part not in seen else 1
                seen.add(part)
                if (member.offset // 8) % size or self.table[inner].size % size:
                    return 1
                found = max(found, size)
        return found

    def part(self, key: int | None, offset: int, wanted: int | None) -> tuple[int, int | None]:
        """The bytes lo … hi - 1 of an object of type `key` that a pointer to `wanted` at this offset gives
        access to: what begins there, with the array it is an element of. None for `hi`: everything behind."""
        chain = list(self._chain(key, offset))
        begins = [(at, span) for start, at, span in chain if start == offset]
        if not self.is_bytes(wanted):
            typed = [span for at, span in begins if self.same_element(at, wanted)]
            if typed:
                return typed[0]
        if begins:
            return begins[0][1]
        return chain[-1][2] if chain else (0, None)

    def _chain(self, key: int | None, offset: int) -> Iterator[tuple[int, int, tuple[int, int | None]]]:
        """What lies around a byte, from the outside in: where it starts, its type, and the bytes that can be
        reached from it, which for an element are those of the array. The object may itself be an element."""
        span: tuple[int, int | None] = (0, None)
        size = self.table[key].size if key is not None and key in self.table else 0
        if key is None or offset < 0 or not size:
            return
        start, at = offset - offset % size, key
        for _ in range(32):
            yield start, at, span
            ctype = self.table[at]
            if ctype.kind == "array":
                inner = self.table.get(ctype.target) if ctype.target is not None else None
                if inner is None or not inner.size or ctype.target is None:
                    return
                start += (offset - start) // inner.size * inner.size
                at = ctype.target
            elif ctype.kind == "struct":
                here = 8 * (offset - start)
                inside = [m for m in ctype.members if m.offset <= here < m.offset + max(m.size, 1)]
                if len(inside) != 1 or inside[0].type not in self.table or inside[0].bitfield:
                    return
                at = inside[0].type
                start += inside[0].offset // 8
                flexible = self.table[at].kind == "array" and not self.table[at].size
                span = (start, None if flexible else start + self.table[at].size)
            else:
                return

    def same_element(self, a: int | None, b: int | None) -> bool:
        """Are both, or the arrays that they are, made of one type?"""
        x, y = self._element(a), self._element(b)
        return x is not None and y is not None and self.same(x, y)
