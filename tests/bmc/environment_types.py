"""C types for random libraries: how they are declared, and which places a variable leads to.

The types say more than C does: how many elements stand behind a pointer, and what a `void *` or an address in
an integer really leads to. Library and outside world are generated from the same types, so that neither
breaks the rules of C (effective types, const, sizes), whatever they do to each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Scalar:
    name: str


INT, UNSIGNED, SHORT = Scalar("int"), Scalar("unsigned"), Scalar("short")
LONG, BYTE, FLOAT = Scalar("long"), Scalar("unsigned char"), Scalar("float")
SCALARS = (INT, UNSIGNED, SHORT, LONG, BYTE)


@dataclass(frozen=True)
class Record:
    """A struct or union of the program; its members stand in `Records`, because types may be recursive."""

    name: str
    union: bool = False


@dataclass(frozen=True)
class Array:
    of: Type
    length: int
    flexible: bool = False  # declared without a length, as the last member


@dataclass(frozen=True)
class Pointer:
    """To `count` elements. `const`: what it points to. `void`: declared as `void *`."""

    to: Type
    const: bool = False
    count: int = 1
    void: bool = False


@dataclass(frozen=True)
class Address:
    """An integer that holds the address of `to`."""

    to: Type


@dataclass(frozen=True)
class Callback:
    result: Type | None
    parameters: tuple[Type, ...]


Type = Scalar | Record | Array | Pointer | Address | Callback
Records = dict[str, list[tuple[str, Type]]]


def declare(type_: Type | None, name: str, const: bool = False) -> str:
    """A declaration of `name`, or with an empty name the type."""
    constant = "const " if const else ""
    match type_:
        case None:
            return f"void {name}".strip()
        case Scalar():
            return f"{constant}{type_.name} {name}".strip()
        case Record():
            return f"{constant}{'union' if type_.union else 'struct'} {type_.name} {name}".strip()
        case Address():
            return f"{constant}unsigned long {name}".strip()
        case Array():
            length = "" if type_.flexible else str(type_.length)
            return declare(type_.of, f"{name}[{length}]", const)
        case Pointer():
            inner = f"*{constant}{name}"
            if type_.void:
                return f"{'const ' if type_.const else ''}void {inner}"
            return declare(type_.to, inner, type_.const)
        case Callback():
            parameters = ", ".join(declare(p, "") for p in type_.parameters) or "void"
            return declare(type_.result, f"(*{constant}{name})({parameters})")


def key(type_: Type) -> str:
    """A name for the type, as part of identifiers."""
    match type_:
        case Scalar():
            return type_.name.replace("unsigned char", "byte")
        case Record():
            return type_.name
        case Array():
            return f"{key(type_.of)}s{type_.length}"
        case Pointer():
            flags = ("c" if type_.const else "") + ("v" if type_.void else "") + str(type_.count)
            return f"p{flags}_{key(type_.to)}"
        case Address():
            return f"addr_{key(type_.to)}"
        case Callback():
            result = "void" if type_.result is None else key(type_.result)
            return "fn_" + "_".join([result, *(key(p) for p in type_.parameters)])


@dataclass(frozen=True)
class Place:
    """An lvalue. `const`: not to be written. `local`: part of a variable of the function itself. `punned`: a
    member of a union of which others have another type, so that no pointer to it is handed on."""

    text: str
    type: Type
    const: bool = False
    local: bool = False
    pointer: str = ""  # the text of the pointer, where this is all it points to
    punned: bool = False


@dataclass
class Walker:
    """All places that a variable leads to, up to some depth. `indices` are expressions of type int."""

    records: Records
    indices: list[str] = field(default_factory=list)

    def places(self, root: Place, depth: int) -> Iterator[Place]:
        yield root
        text, const, local, punned = root.text, root.const, root.local, root.punned
        match root.type:
            case Record():
                for name, type_ in self.records[root.type.name]:
                    dotted = f"{root.pointer}->{name}" if root.pointer else f"{text}.{name}"
                    odd = root.type.union and type_ in (FLOAT, Array(SHORT, 2))
                    yield from self.places(Place(dotted, type_, const, local, punned=odd), depth)
            case Array():
                for index in self._within(root.type.length):
                    element = Place(f"{text}[{index}]", root.type.of, const, local, punned=punned)
                    yield from self.places(element, depth)
            case Pointer() if depth > 0:
                yield from self._behind(text, root.type, depth)
            case Address() if depth > 0:
                yield from self._behind(text, Pointer(root.type.to, void=True), depth)
            case _:
                pass

    def _behind(self, text: str, pointer: Pointer, depth: int) -> Iterator[Place]:
        if pointer.void:
            text = f"(({declare(Pointer(pointer.to, pointer.const), '')}){text})"
        if pointer.count == 1:
            places = [Place(f"(*{text})", pointer.to, pointer.const, pointer=text)]
        else:
            places = [Place(f"{text}[{i}]", pointer.to, pointer.const) for i in self._within(pointer.count)]
        for place in places:
            yield from self.places(place, depth - 1)

    def _within(self, length: int) -> list[str]:
        """Indices below a length that is a power of two."""
        if not length:
            return []
        return [str(length - 1), *(f"{name} & {length - 1}" for name in self.indices)]
