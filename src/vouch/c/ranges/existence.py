"""The objects that pointers lead to: whose they are, whether they still exist, how much room there is."""

from __future__ import annotations

from typing import Any

from vouch.c.ir import (
    Alloca,
    Operand,
    PointerType,
    Type,
)
from vouch.c.ranges import domain, pointers, written
from vouch.c.ranges.calls import root
from vouch.c.ranges.pointers import OUTSIDE, OWN, PointerRange, is_unnamed, unnamed
from vouch.c.ranges.registers import Registers
from vouch.c.ranges.state import LIVE, TEXT, UNFREED, UNLOST
from vouch.c.ranges.whole_program import ONLY_NULL, Extent
from vouch.errors import Unsupported

_MORTAL = "^*?!"  # what the names of objects begin with that something may free


class RangeObjects(Registers):
    """What the state, and what is known of the whole program, tell of objects by name."""

    def extent(self, kind: Type | None) -> int:
        try:
            return self.sizes.size(kind) if kind is not None else pointers.INFINITE
        except Unsupported:
            return pointers.INFINITE

    def size(self, base: str | None) -> int:
        """Bytes of an object, 0 where that is not known."""
        extent = self.extents.get(base or "") or self.whole.extent(base)
        return extent.hi if extent is not None else 0

    def may_be_one(self, first: str, second: str) -> bool:
        """Whether two names of objects may be those of one. A function's own variables and blocks are new,
        and not what its parameters lead to."""
        if "!" in (first[0], second[0]):
            return self.is_reachable(first) and self.is_reachable(second)
        if first[0] != "^" or second[0] != "^":
            kinds = {first[0], second[0]}
            return kinds == {"^", "@"} and self.is_reachable(first) and self.is_reachable(second)
        if first not in self.lent and second not in self.lent:
            return True
        names = [parameter.name for parameter in self.frame.function.parameters]
        if first[1:] not in names or second[1:] not in names:
            return False
        numbers = names.index(first[1:]), names.index(second[1:])
        return self.whole.lending.may_share(self.frame.function.name, *numbers)

    def is_reachable(self, name: str) -> bool:
        """Whether a pointer that is not followed can lead to an object."""
        return name not in self.private and name not in self.whole.objects.hidden and name not in self.lent

    def is_outside(self, base: str | None) -> bool:
        """Whether what a pointer leads to came from outside the program, as far as nobody wrote it since."""
        if base is None or is_unnamed(base):
            return base in (OUTSIDE, OWN)
        if base[0] == "@":
            return self.whole.arbitrary and not self.whole.objects.is_constant(base)
        extent = self.extents.get(base)
        if base[0] != "^" or extent is None:
            return False
        return extent.variable or (extent.outside and extent.hi > pointers.INFINITE)

    def is_large(self, base: str | None) -> bool:
        """Whether it is one of the objects from outside that are as large as they need be."""
        extent = self.extents.get(base or "")
        return self.is_outside(base) and extent is not None and extent.hi > pointers.INFINITE

    def is_own(self, base: str | None) -> bool:
        """Of memory from outside: whether it is the program's variables, or may be what they lead to."""
        return (
            base is None or base == OWN or base[0] == "@" or (base in self.extents and self.extents[base].own)
        )

    def general(self, base: str) -> str | None:
        """An unnamed object that a named one is an example of. A function's own variables are none: they
        end with it."""
        if base[0] not in "^@*!":
            return None
        extent = self.extents.get(base) or self.whole.extent(base)
        if extent is None or extent.constant or extent.lo > 0 or extent.hi <= 0:
            return None
        if base[0] == "^" and self.is_large(base):
            return OWN if extent.own else OUTSIDE
        return unnamed(extent.hi)

    def is_losable(self, name: str) -> bool:
        """Whether code outside that calls the program again may free an object."""
        return self.is_mortal(name) and not (self.is_outside(name) and not self.is_own(name))

    def is_mortal(self, name: str) -> bool:
        """Whether something may free an object."""
        if name[0] not in _MORTAL:
            return False
        extent = self.extents.get(name)
        return extent is None or extent.mortal

    def is_followed(self, pointer: PointerRange) -> bool:
        """Whether what is written through a pointer is known to be read there again."""
        base = pointer.base
        if base is None or pointer.or_null or not self.is_mortal(base):
            return base is not None and not pointer.or_null
        return (LIVE, base) in self.state or (UNLOST if self.is_losable(base) else UNFREED) in self.state

    def is_live(self, base: str, extent: Extent) -> bool:
        """Whether an object still exists that something may free."""
        sized = is_unnamed(base) and base != OUTSIDE
        return not extent.mortal or (LIVE, OWN if sized else base) in self.state

    def argument(self, operand: Operand) -> Any:
        """What a callee may assume of an argument: an integer's value, or how many bytes before and behind a
        pointer are known to exist, and the same of a pointer that is stored there."""
        value = self.value(operand)
        if type(value) is not PointerRange:
            return value
        named = isinstance(root(self.frame.defs, operand), Alloca)
        extent = self.room(value, named)
        if extent is None or value.lo != value.hi or value.or_null:
            return extent
        held = self.state.get((value.base, value.lo, self.sizes.store_size(PointerType())), (None,))[0]
        inner = self.room(held, False) if type(held) is PointerRange and self.is_followed(value) else None
        return extent._replace(inner=inner)

    def room(self, value: PointerRange, named: bool) -> Extent | None:
        """What is known to exist around a pointer; `named`: computed from the name of a variable."""
        if value.base == "null":
            return ONLY_NULL
        extent = self.extents.get(value.base or "") or self.whole.extent(value.base)
        if extent is None or value.lo < extent.lo or value.hi > extent.hi:
            return None
        assert value.base is not None
        if not self.is_live(value.base, extent) or (value.base in self.frame.inner and not named):
            return None  # it is gone, or the variable's block may have ended
        hi = extent.hi if extent.hi > pointers.INFINITE else extent.hi - value.hi
        text = self.is_text(value)
        lo, filled = extent.lo - value.lo, written.of_pointer(self, value._replace(or_null=False))
        if self.is_outside(value.base) and value.base[0] != "@":
            filled = written.ALL
        if written.has_known_size(value.base):
            filled = written.within(filled, hi)
        lent = value.base in self.lent
        own = not self.is_outside(value.base) or self.is_own(value.base)
        variable = extent.variable or (value.base[0] == "@" and self.is_outside(value.base))
        return Extent(
            lo, hi, extent.outside, extent.constant, extent.mortal, value.or_null, text, None, filled, lent,
            own, variable,
        )  # fmt: skip

    def text_length(self, pointer: PointerRange) -> int | None:
        """The characters that a text has at most, None where it may not end."""
        extent = self.extents.get(pointer.base or "") or self.whole.extent(pointer.base)
        if extent is None or pointer.or_null or extent.hi > pointers.INFINITE or not self.is_text(pointer):
            return None
        return extent.hi - pointer.lo - 1

    def is_text(self, pointer: PointerRange) -> bool:
        """Whether a zero byte lies in the object at or behind a place in it that is known to exist."""
        base = pointer.base
        if base is None or is_unnamed(base):
            return False
        if base[0] == "^" and TEXT in self.state:
            extent = self.extents.get(base)
            return extent is not None and extent.text and pointer.lo == pointer.hi == 0
        if base[0] == "@" and self.whole.objects.is_constant(base):
            return self.whole.objects.ends_behind(base, pointer.lo, pointer.hi) is not None
        zero = domain.const(0, 8)
        return any(
            key[1] >= pointer.hi and key[2] == 1 and self.state.get(key, (None,))[0] == zero
            for key in self.keys.get(base, ())
        )
