"""Objects that the analysis follows: sizes, initial contents, and who can reach them.

An object is named by a string: `%x` a local variable of the function at hand, `@g` a global, `^p` what the
parameter `p` points to, `*n` what instruction number n allocates outside of loops, `!n` what call number n
returns, which may be any object that pointers lead to. A local is *private* where
its address is only ever used to access it; a global is *hidden* where in addition no other file can see it.
Nothing but accesses by name changes those.
"""

from __future__ import annotations

from vouch.c.escape import escaping, owner
from vouch.c.ir import (
    AggregateConstant,
    ArrayType,
    Constant,
    IntConstant,
    Program,
    StringConstant,
    StructType,
    Type,
    ZeroConstant,
)
from vouch.c.layout import Sizes
from vouch.c.ranges import domain
from vouch.c.ranges.domain import Value
from vouch.errors import Unsupported


class Objects:
    """What is known about the globals of a program. `hidden` as above; sizes by name."""

    def __init__(self, program: Program, arbitrary: bool) -> None:
        self.program = program
        self.arbitrary = arbitrary
        self.sizes = Sizes(program.layout)
        self.escaping = {name: escaping(f) for name, f in program.functions.items() if f.defined}
        taken = {name for found in self.escaping.values() for name in found if name[0] == "@"}
        for held in [*(g.initializer for g in program.globals.values()), *program.aliases.values()]:
            if held is not None:
                taken |= owner({}, held)
        internal = {f"@{n}" for n, g in program.globals.items() if g.linkage in ("internal", "private")}
        self.hidden = internal - taken
        self._tables: dict[tuple[str, int], list[Value | None] | None] = {}

    def size(self, name: str) -> int | None:
        held = self.program.globals.get(name[1:]) if name[0] == "@" else None
        try:
            return self.sizes.size(held.type) if held is not None else None
        except Unsupported:
            return None

    def is_constant(self, name: str) -> bool:
        held = self.program.globals.get(name[1:]) if name[0] == "@" else None
        if held is None or not held.constant or held.initializer is None:
            return False
        return held.linkage not in ("weak", "linkonce", "common", "extern_weak")  # which others may replace

    def ends_behind(self, name: str, lo: int, hi: int) -> int | None:
        """The characters that a literal has behind the places lo … hi in it at most, None where it does not
        end."""
        held = self.program.globals.get(name[1:])
        if held is None or not isinstance(held.initializer, StringConstant) or lo < 0:
            return None
        end = held.initializer.data.find(0, hi)
        return end - lo if end >= 0 else None

    def initial(self, name: str, lo: int, hi: int, size: int) -> Value | None:
        """The integers of `size` bytes that a global's initialiser holds at offsets lo … hi, which step by
        the size; None where that cannot be told."""
        held = self.program.globals.get(name[1:])
        if held is None or held.initializer is None or hi - lo > 4096 * size:
            return None
        key = (name, size)
        if key not in self._tables:
            self._tables[key] = self._table(held.initializer, held.type, size)
        table = self._tables[key]
        if table is None or lo < 0 or lo % size:
            return None
        found: Value | None = None
        for value in table[lo // size : hi // size + 1]:
            if value is None:
                return None
            found = value if found is None else domain.join(found, value)
        return found if hi // size < len(table) else None

    def _table(self, initial: Constant, kind: Type, size: int) -> list[Value | None] | None:
        """The initialiser cut into integers of `size` bytes; None entries where there is something else."""
        try:
            total = self.sizes.size(kind)
        except Unsupported:
            return None
        if total > 1 << 20:
            return None
        image: list[Value | None] = [None] * (total // size)
        work: list[tuple[Constant, Type, int]] = [(initial, kind, 0)]
        while work:
            constant, held, at = work.pop()
            self._place(image, work, constant, held, at, size)
        return image

    def _place(
        self,
        image: list[Value | None],
        work: list[tuple[Constant, Type, int]],
        constant: Constant,
        kind: Type,
        at: int,
        size: int,
    ) -> None:
        bits = 8 * size
        match constant:
            case IntConstant(value=value, type=held) if held.bits == bits and at % size == 0:
                image[at // size] = domain.const(value, bits)
            case ZeroConstant():
                for slot in range(-(-at // size), (at + self.sizes.size(kind)) // size):
                    image[slot] = domain.const(0, bits)
            case StringConstant(data=data) if size == 1:
                for number, byte in enumerate(data):
                    image[at + number] = domain.const(byte, 8)
            case AggregateConstant(type=held, elements=elements):
                for number, element in enumerate(elements):
                    inner, offset = self._element(held, number)
                    work.append((element, inner, at + offset))
            case _:
                pass

    def _element(self, kind: Type, number: int) -> tuple[Type, int]:
        if isinstance(kind, StructType) and kind.fields is not None:
            return kind.fields[number], self.sizes.offset(kind, number)
        assert isinstance(kind, ArrayType)
        return kind.element, number * self.sizes.size(kind.element)
