"""Memory of one function on abstract values: loads, stores, and what calls and frees make uncertain.

Loads and stores through what cannot be followed lose information, never gain any: a store through an unknown
pointer may change everything but private locals and hidden globals.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from vouch.c.ir import (
    Call,
    GlobalConstant,
    IntType,
    Load,
    Operand,
    PointerType,
    Register,
    Store,
    Type,
)
from vouch.c.ranges import outcomes, pointers, relations, sums, written
from vouch.c.ranges.calls import Effects
from vouch.c.ranges.existence import RangeObjects
from vouch.c.ranges.pointers import NULL, OUTSIDE, OWN, PointerRange, is_unnamed, size_of_unnamed, unnamed
from vouch.c.ranges.state import CLEAN, LIVE, PENDING, TEXT, TIDY, UNFREED, UNLOST, WRITTEN, ZONES
from vouch.c.ranges.whole_program import Extent
from vouch.errors import Unsupported


class RangeMemory(RangeObjects):
    """Cells are in the `state`; `keys` are those seen so far, by object."""

    def load(self, instruction: Load) -> None:
        kind = instruction.type
        pointer = self.pointer(instruction.pointer)
        result = instruction.result
        assert result is not None
        followed = self.is_followed(pointer) and self.fits(kind)
        if instruction.volatile or instruction.atomic or not followed:
            self.define(result, self.unknown(kind))
            return
        if is_unnamed(pointer.base):
            self.define(result, self.initial(pointer, kind, 1))
            return
        size = self.sizes.store_size(kind)
        assert pointer.base is not None
        if pointer.lo != pointer.hi:
            aligned = instruction.align % size == 0  # else offsets between the elements are possible
            self.define(result, self.initial(pointer, kind, size) if aligned else self.unknown(kind))
            return
        key = (pointer.base, pointer.lo, size)
        held = self.state.get(key)
        if held is not None and (type(held[0]) is PointerRange) is isinstance(kind, PointerType):
            value = held[0]
        else:
            held, value = None, self.initial(pointer, kind, size)
        known = relations.tightened(self, key, value)
        if known is not value and held is not None:
            value = known
            held = self.writable()[key] = (value, held[1])
        self.define(result, value)
        if value is None or pointer.base == "null":
            return
        if type(value) is PointerRange:
            self.pointer_keys.add(key)
        self.keys.setdefault(pointer.base, set()).add(key)
        if result in self.frame.cross:
            self.remember(result, key, value, held[1] if held is not None else ())
            return
        if held is None:
            held = self.writable()[key] = (value, ())
        self.sources[result] = (key, held)

    def remember(self, result: str, key: tuple[Any, ...], value: Any, holders: tuple[str, ...]) -> None:
        """A register that other blocks use was loaded from a cell, or stored there."""
        state = self.writable()
        state["h", result] = (key,)
        state[key] = (value, (*holders[-3:], result))

    def source(self, name: str) -> tuple[Any, ...] | None:
        """The cell that a register was loaded from, if it still holds it."""
        local = self.sources.get(name)
        if local is not None:
            key, held = local
            return key if self.state.get(key) is held else None
        far = self.state.get(("h", name))
        if far is None:
            return None
        cell = self.state.get(far[0])
        return far[0] if cell is not None and name in cell[1] else None

    def fits(self, kind: Type) -> bool:
        return isinstance(kind, PointerType) or (isinstance(kind, IntType) and kind.bits % 8 == 0)

    def initial(self, pointer: PointerRange, kind: Type, size: int) -> Any:
        """What a cell holds that the function has not written: something for constants and, in a program
        with a `main`, for hidden globals."""
        unknown = self.unknown(kind)
        if isinstance(kind, PointerType) and self.is_outside(pointer.base):
            own = self.is_own(pointer.base)
            if (TIDY if own else CLEAN) in self.state:
                return PointerRange(OWN if own else OUTSIDE, 0, 0, False)
        if pointer.base is None or pointer.base[0] != "@" or not isinstance(kind, IntType):
            return unknown
        known = self.whole.content(pointer.base, pointer.lo, pointer.hi, size)
        return unknown if known is None else known

    def store(self, instruction: Store) -> None:
        kind = getattr(instruction.value, "type", None)
        value = self.value(instruction.value)
        pointer = self.pointer(instruction.pointer)
        self.fill(instruction, pointer, kind)
        size = self.sizes.store_size(kind) if isinstance(kind, Type) and self.fits(kind) else None
        if size is None:
            self.forget(pointer, self.extent(kind), through=instruction.pointer)
            return
        if isinstance(kind, PointerType):
            for fact in self.spoilt_by(pointer, instruction.value):
                self.drop(fact)
        elif instruction.number in self.whole.graph.over_pointers and (pointer.base or "?")[0] != "%":
            self.drop(CLEAN)
            self.drop(TIDY)
        exact = pointer.lo == pointer.hi and self.is_followed(pointer)
        known = value if exact or instruction.align % size == 0 else None
        key = (pointer.base, pointer.lo, size)
        named = pointer.base is not None and not is_unnamed(pointer.base) and pointer.base != "null"
        kept = named and exact and not instruction.volatile and value is not None
        related = relations.before_store(self, instruction, key) if kept else []
        moved = sums.before_store(self, instruction, key) if kept and self.frame.sums else {}
        zone = relations.of_state(self.state)
        self.forget(pointer, size, known, instruction.pointer)
        if not kept:
            return
        assert pointer.base is not None
        if type(value) is PointerRange:
            self.pointer_keys.add(key)
        self.writable()[key] = (value, ())
        self.keys.setdefault(pointer.base, set()).add(key)
        relations.after_store(self, key, zone, related)
        if self.frame.sums and pointer.base in self.private and self.whole.relating:
            sums.after_store(self, key, moved)
        outcomes.stored(self, instruction.value, key)
        if isinstance(instruction.value, Register) and self.source(instruction.value.name) is None:
            self._hold(instruction.value.name, key, value)

    def step_of(self, operand: Operand, reading: str, cell: tuple[Any, ...]) -> int | None:
        """What an operand is more than a cell, None where that is not known or something wraps around."""
        found = (
            by for variable, by in relations.forms(self, operand, reading) if variable == (reading, cell)
        )
        return next(found, None)

    def _hold(self, name: str, key: tuple[Any, ...], value: Any) -> None:
        """A cell holds a register: what a branch tells of the one it tells of the other."""
        if name in self.frame.cross:
            self.remember(name, key, value, self.state[key][1])
        else:
            self.sources[name] = (key, self.state[key])

    def fill(self, instruction: Store, pointer: PointerRange, kind: Type | None) -> None:
        """What a store writes holds something, unless it was handed over and may lack something."""
        if instruction.carries and self.whole.copies.some:
            written.spoil(self, pointer, self.extent(kind), instruction.pointer)
        elif instruction.field is None and kind is not None:
            try:
                written.put(self, pointer, self.sizes.store_size(kind))
            except Unsupported:
                return

    def forget(
        self, pointer: PointerRange, size: int, value: Any = None, through: Operand | None = None
    ) -> None:
        """Something of `size` bytes is written through a pointer, which is in the operand `through`."""
        base = pointer.base
        if self.recording and base is not None and base[0] == "@":
            self.whole.note_write(pointer, size, value)
        if base == "null":
            return
        self._unsettle(base)
        if TEXT in self.state and (base is None or base[0] != "%"):
            del self.writable()[TEXT]
        if base is None or is_unnamed(base):
            self.forget_reachable()
            for name, registers in self.lent.items():
                if not isinstance(through, Register) or through.name in registers:
                    self.forget_object(name)
            return
        for key in self.keys.get(base, ()):
            if key[1] < pointer.hi + size and pointer.lo < key[1] + key[2]:
                self.forget_cell(key)
        if base in self.private or base in self.whole.objects.hidden:
            return
        for other in list(self.keys):
            if other != base and self.may_be_one(base, other):
                self.forget_object(other)

    def _unsettle(self, base: str | None) -> None:
        """Something is written to an object: what a branch was going to tell of it is told no more."""
        if PENDING in self.state and base not in self.private:
            if base in self.lent and base is not None and base[0] == "%":
                outcomes.forget_object(self, base)
            else:
                outcomes.forget(self)

    def forget_object(self, name: str) -> None:
        self.forget_objects({name})

    def forget_objects(self, names: Collection[str]) -> None:
        for name in names:
            for key in self.keys.get(name, ()):
                if key in self.state:
                    del self.writable()[key]
            sums.forget(self, name)
        if ZONES in self.state:
            relations.forget_objects(self, names)
        if PENDING in self.state:
            for name in names:
                outcomes.forget_object(self, name)

    def forget_cell(self, key: tuple[Any, ...]) -> None:
        if key in self.state:
            del self.writable()[key]
        sums.forget(self, key[0])
        if ZONES in self.state:
            relations.forget_cell(self, key)
        if PENDING in self.state:
            outcomes.forget(self, key)

    def forget_reachable(self) -> None:
        is_constant = self.whole.objects.is_constant
        self.forget_objects({n for n in self.keys if self.is_reachable(n) and not is_constant(n)})

    def spoilt_by(self, place: PointerRange, operand: Operand) -> tuple[Any, ...]:
        """What does not hold any more once a pointer is stored. Nothing if the place is a local of this
        function, or the pointer is a function's or from outside itself. (A global is valid too, but no larger
        than it is.)"""
        if place.base is not None and place.base[0] == "%":
            return ()
        if isinstance(operand, GlobalConstant) and operand.name in self.whole.program.functions:
            return ()
        value = self.value(operand)
        if (
            isinstance(operand, GlobalConstant)
            or type(value) is not PointerRange
            or value.lo < 0  # behind it is enough, wherever it leads
            or value.or_null
            or not self.is_large(value.base)
        ):
            return CLEAN, TIDY
        return (CLEAN,) if self.is_own(value.base) else ()

    def drop(self, fact: tuple[Any, ...]) -> None:
        if fact in self.state:
            del self.writable()[fact]
        if PENDING in self.state:
            outcomes.forget(self)

    def forget_effects(self, effects: Effects) -> None:
        if PENDING in self.state:
            outcomes.forget(self)
        if effects.taints or effects.frees:
            self.drop(CLEAN)
        if effects.taints or effects.frees or effects.unsettles:
            self.drop(TIDY)
        if effects.frees:
            self.free()
        elif effects.loses:
            self.lose()
        if effects.wild:
            if TEXT in self.state:
                del self.writable()[TEXT]
            self.forget_reachable()
        for name in effects.globals:
            if f"@{name}" in self.keys:
                self.forget_object(f"@{name}")

    def forget_lent(self, call: Call, target: str | None) -> None:
        """A call may change what it gets the address of."""
        for number, argument in enumerate(call.arguments):
            for name in self.lent_by(argument):
                stretches = None if target is None else self.whole.written_through(target, number)
                if stretches is None or self.pointer(argument).base != name:
                    self.forget_object(name)
                else:
                    self._changed_by(
                        self.pointer(argument), stretches, self.whole.carried.get((target or "", number))
                    )

    def lent_by(self, argument: Operand) -> list[str]:
        """The lent objects that a pointer may lead to."""
        if not isinstance(argument, Register):
            return []
        base = self.pointer(argument).base
        followed = base is not None and base != "null" and not is_unnamed(base)
        return [
            name
            for name, registers in self.lent.items()
            if argument.name in registers
            and (not followed or name == base or (base is not None and self.may_be_one(name, base)))
        ]

    def _changed_by(
        self, pointer: PointerRange, stretches: tuple[tuple[int, int], ...], moved: PointerRange | None
    ) -> None:
        """A call writes these stretches behind a pointer, and moves the pointer that is stored there."""
        assert pointer.base is not None
        key = (pointer.base, pointer.lo, self.sizes.store_size(PointerType()))
        before = self.state.get(key, (None,))[0]
        for lo, hi in stretches:
            self.forget(pointer._replace(lo=pointer.lo + lo, hi=pointer.hi + lo), hi - lo)
        if moved is not None and type(before) is PointerRange and pointer.lo == pointer.hi:
            after = pointers.moved(before, moved.lo, moved.hi, moved.step)
            relations.forget_cell(self, key)
            self.writable()[key] = (pointers.join(after, NULL) if moved.or_null else after, ())

    def free(self) -> None:
        """Something is freed that any pointer may lead to: what is read there is arbitrary from now on."""
        for key in [k for k in self.state if k[0] == LIVE or k in (UNFREED, UNLOST, PENDING)]:
            del self.writable()[key]
        self.forget_objects({name for name in self.keys if self.is_mortal(name)})
        written.freed(self, self.is_mortal)

    def lose(self) -> None:
        """Some of the program's own heap is freed: as `free`, but for memory from outside."""
        for key in [
            k for k in self.state if (k[0] == LIVE and self.is_losable(k[1])) or k in (UNLOST, PENDING)
        ]:
            del self.writable()[key]
        self.forget_objects({name for name in self.keys if self.is_losable(name)})
        written.freed(self, self.is_losable)

    def allocated(self, instruction: Call, size: int, or_null: bool) -> PointerRange:
        """A new object of at least `size` bytes. In loops there may be many of them, which have no name."""
        if self.frame.repeats(self.label):
            return PointerRange(unnamed(size), 0, 0, not or_null, 0, or_null)
        base = f"*{instruction.number}"
        known = self.extents.get(base)
        self.extents[base] = Extent(0, size if known is None else min(size, known.hi), False, mortal=True)
        self.writable()[LIVE, base] = (True,)
        written.begin(self, base)
        return PointerRange(base, 0, 0, not or_null, 0, or_null)

    def named(self, call: Call, pointer: PointerRange, lives: bool, filled: int) -> PointerRange:
        """What a call returns, as an object of its own name: whether it lives, and which of its bytes are
        written, is known however old the memory is. In loops there may be many of them, which have no
        name; what may be lent is followed by its own."""
        base, result = pointer.base, call.result or ""
        if base is None or not is_unnamed(base) or base in (OUTSIDE, OWN) or self.frame.repeats(self.label):
            return pointer
        if any(result in registers for registers in self.lent.values()):
            return pointer
        name, size = f"!{call.number}", size_of_unnamed(base)
        known = self.extents.get(name)
        hi = size if known is None else min(size, known.hi)
        self.extents[name] = Extent(0, hi, True, mortal=True, own=True)
        self.forget_object(name)
        state = self.writable()
        for key, held in (((LIVE, name), lives), ((WRITTEN, name), filled)):
            if held:
                state[key] = (held,)
            else:
                state.pop(key, None)
        return pointer._replace(base=name)
