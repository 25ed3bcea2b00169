"""C types from debug information."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from vouch.c.ir import CType, Member

_QUALIFIERS = {
    "DW_TAG_const_type": "const",
    "DW_TAG_volatile_type": "volatile",
    "DW_TAG_restrict_type": "restrict",
    "DW_TAG_atomic_type": "_Atomic",
}
_POINTERS = {
    "DW_TAG_pointer_type": "*",
    "DW_TAG_reference_type": "&",
    "DW_TAG_rvalue_reference_type": "&&",
}
_ENCODINGS = {
    "DW_ATE_signed": ("int", True),
    "DW_ATE_unsigned": ("int", False),
    "DW_ATE_signed_char": ("char", True),
    "DW_ATE_unsigned_char": ("char", False),
    "DW_ATE_UTF": ("char", False),
    "DW_ATE_boolean": ("bool", False),
    "DW_ATE_float": ("float", False),
}
_RANKS = frozenset(
    {"char", "short", "int", "long", "long long", "__int128", "_Bool", "bool"}
    | {"float", "double", "long double"}
)
_RECORDS = {
    "DW_TAG_structure_type": "struct",
    "DW_TAG_class_type": "struct",
    "DW_TAG_union_type": "union",
}
_SPELLING = {"DW_TAG_class_type": "class", "DW_TAG_structure_type": "struct", "DW_TAG_union_type": "union"}


class CTypeReader:
    """`table` holds every C type reachable from the keys given out. A key is the number of a metadata
    node, or negative for types without a node of their own: `void` and the inner arrays of `int[2][3]`."""

    void = -1

    def __init__(self, fields: Callable[[str], dict[str, str]], items: Callable[[str], list[str]]) -> None:
        self._fields = fields
        self._items = items
        self._wanted: list[int] = []
        self._inner = self.void
        self._inner_keys: dict[tuple[int, int | None], int] = {}
        self.table: dict[int, CType] = {self.void: CType("void", "void", 0)}

    def key(self, reference: str) -> int:
        """The key of the type `!12`, or of void for `null`."""
        if not reference.startswith("!"):
            return self.void
        number = int(reference[1:])
        if number not in self.table:
            self._wanted.append(number)
        return number

    def finish(self) -> dict[int, CType]:
        """Read the types behind all keys given out, and those they lead to."""
        while self._wanted:
            number = self._wanted.pop()
            if number not in self.table:
                self._read(number)
        return self.table

    def _read(self, number: int) -> CType:
        known = self.table.get(number)
        if known is None:
            node = self._fields(str(number))
            if node.get("tag") in _RECORDS:
                # Members may lead back here, so they are only noted by key.
                known = self._record(node)
            else:
                known = self._plain(node)
            self.table[number] = known
        return known

    def _target(self, node: dict[str, str]) -> tuple[int, CType]:
        key = self.key(node.get("baseType", "null"))
        return key, self._read(key)

    def _plain(self, node: dict[str, str]) -> CType:
        tag, size = node.get("tag", ""), _bytes(node)
        if node[""] == "DIBasicType":
            kind, signed = _ENCODINGS.get(node.get("encoding", ""), ("unknown", False))
            return CType(kind, node.get("name", "?"), size, signed, rank=_rank(node.get("name", "?")))
        if node[""] == "DISubroutineType":
            return self._function(node)
        if tag in _POINTERS:
            key, target = self._target(node)
            return CType("pointer", _pointer_name(target, _POINTERS[tag]), size, target=key)
        if tag in _QUALIFIERS:
            base, word = self._target(node)[1], _QUALIFIERS[tag]
            return replace(base, name=_qualified(word, base), qualifiers=base.qualifiers | {word})
        if tag == "DW_TAG_typedef":
            return replace(self._target(node)[1], name=node.get("name", "?"))
        if tag == "DW_TAG_enumeration_type":
            name = f"enum {node.get('name', '(unnamed)')}"
            if "baseType" not in node:
                return CType("enum", name, size)
            base = self._target(node)[1]
            return CType("enum", name, size, base.signed, rank=base.rank)
        if tag == "DW_TAG_array_type":
            return self._array(node)
        return CType("unknown", node.get("name", tag), size)

    def _function(self, node: dict[str, str]) -> CType:
        keys = [self.key(f"!{n}" if n else "null") for n in self._items(node.get("types", "")[1:])]
        result = self._read(keys[0] if keys else self.void)
        names = [self._read(k).name if k != self.void else "..." for k in keys[1:]]
        return CType("function", f"{result.name} ({', '.join(names) or 'void'})", 0, yields=result.kind)

    def _array(self, node: dict[str, str]) -> CType:
        key, element = self._target(node)
        counts = [self._count(number) for number in self._items(node.get("elements", "")[1:])] or [None]
        for count in reversed(counts[1:]):
            element = _array_of(key, element, count)
            key = self._key_of_inner(key, count, element)
        return _array_of(key, element, counts[0])

    def _count(self, number: str) -> int | None:
        text = self._fields(number).get("count", "")
        return int(text) if text.isdecimal() else None

    def _key_of_inner(self, element: int, count: int | None, array: CType) -> int:
        known = self._inner_keys.get((element, count))
        if known is None:
            self._inner -= 1
            known = self._inner_keys[element, count] = self._inner
            self.table[known] = array
        return known

    def _record(self, node: dict[str, str]) -> CType:
        name = f"{_SPELLING[node['tag']]} {node.get('name', '(unnamed)')}"
        members = []
        for number in self._items(node.get("elements", "")[1:]):
            element = self._fields(number)
            static = "StaticMember" in element.get("flags", "")
            if element.get("tag") in ("DW_TAG_member", "DW_TAG_inheritance") and not static:
                members.append(self._member(element))
        rank = name if "name" in node else ""
        return CType(_RECORDS[node["tag"]], name, _bytes(node), members=tuple(members), rank=rank)

    def _member(self, node: dict[str, str]) -> Member:
        key = self.key(node.get("baseType", "null"))
        size = int(node.get("size", "0"))
        if not size:  # a base class carries no size of its own
            size = 8 * _bytes(self._fields(str(key)))
        bits = "BitField" in node.get("flags", "")
        return Member(node.get("name", ""), int(node.get("offset", "0")), size, key, bits)


def _rank(name: str) -> str:
    """The name of a number's type without its sign, where C has it."""
    words = [word for word in name.split() if word not in ("signed", "unsigned", "int")]
    rank = " ".join(words) or "int"
    return rank if rank in _RANKS else ""


def _bytes(node: dict[str, str]) -> int:
    size = node.get("size", "0")
    return (int(size) + 7) // 8 if size.isdecimal() else 0


def _qualified(word: str, base: CType) -> str:
    return f"{base.name} {word}" if base.kind == "pointer" else f"{word} {base.name}"


def _pointer_name(target: CType, mark: str) -> str:
    if target.kind == "function" or (target.kind == "array" and target.name.endswith("]")):
        head, _, tail = target.name.partition(" (" if target.kind == "function" else "[")
        return f"{head} ({mark}){'(' if target.kind == 'function' else '['}{tail}"
    return f"{target.name}{'' if target.name.endswith(('*', '&')) else ' '}{mark}"


def _array_of(key: int, element: CType, count: int | None) -> CType:
    head, bracket, tail = element.name.partition("[")
    name = f"{head}[{'' if count is None else count}]{bracket}{tail}"
    return CType("array", name, element.size * (count or 0), target=key, count=count)
