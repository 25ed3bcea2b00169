"""What the debug information says: places, C types, variables."""

from __future__ import annotations

from vouch.record import frozen_record


@frozen_record
class Location:
    """A place in the source. `inlined_at` is not kept: vouch reads unoptimised code."""

    file: str
    line: int
    column: int
    scope: str  # name of the C function


@frozen_record
class CType:
    """A C type as the debug information describes it, with typedefs kept by name.

    kind: "int" | "bool" | "char" | "float" | "pointer" | "array" | "struct" | "union" | "enum" | "function"
          | "void" | "unknown".
    `name` is how C spells it (`uint8_t`, `struct S`, `int *`, `int[10]`). `signed` holds for int, char and
    enum. `size` in bytes. `target`: what a pointer points to, what an array holds, as a key into
    `Program.ctypes`, which keeps recursive types finite; key -1 is void. `rank` is what C calls a number or a
    record without typedefs, qualifiers and signs (`long`, `struct S`); "" where it has no such name.
    `yields` is the kind of what a function returns.
    """

    kind: str
    name: str
    size: int
    signed: bool = False
    target: int | None = None  # key into Program.ctypes
    count: int | None = None  # arrays; None: flexible
    members: tuple[Member, ...] = ()
    qualifiers: frozenset[str] = frozenset()  # const, volatile, restrict, _Atomic; through typedefs too
    rank: str = ""
    yields: str = ""


@frozen_record
class Member:
    name: str
    offset: int  # bits from the start of the struct
    size: int  # bits
    type: int  # key into Program.ctypes
    bitfield: bool = False


@frozen_record
class Variable:
    """A C variable. `argument` is 1 for the first parameter, 0 for locals and globals."""

    name: str
    type: int  # key into Program.ctypes
    location: Location | None
    argument: int = 0
