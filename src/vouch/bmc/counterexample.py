"""A violation in concrete values: all that a native run needs to repeat it.

The engine makes it from a solver's model; the replay turns it into a driver program.
"""

from __future__ import annotations

from dataclasses import field

from vouch.c.checks.base import Check
from vouch.c.ir import Location, Type
from vouch.record import frozen_record, record

# The name of a function that is not in the program: of the calls through pointers to one, and of its address.
OUTSIDE_FUNCTION = "(unknown function pointer)"


@frozen_record
class Address:
    """A concrete pointer: into an `OutsideObject` or global by name, to a function, or a plain number.

    `base` is the name of an object in `Counterexample.objects`, of a global or of a function; None means that
    `offset` is the whole address (0: null). Objects that the program makes while it runs are named too:
    "local:F.x" is the youngest live instance of the alloca %x of function F, "heap:N" the heap object whose
    allocation N others came before. In an event, "argument:K" is the pointer passed as argument K (from 0).
    """

    base: str | None
    offset: int


Scalar = int | Address  # an int holds the bits, unsigned; floats too


@record
class OutsideObject:
    """Memory that exists before the entry point runs.

    kind "global": `name` is a global of the program whose contents are set (library mode).
    kind "outside": an object behind a pointer from outside; the driver makes it.
    kind "local" or "heap": the program makes it; this is what its bytes hold before they are written (the
    arbitrary value that an uninitialised read yields). `name` is "F.x", or "F.x#i" for the instance that i
    others came before, where a local that begins to live again is another instance; for the heap it is the
    number N of "heap:N".
    `data` holds the first bytes, `far` pieces at offsets behind them (what both leave out of `size` is zero);
    `pointers` overrides them where a pointer is stored.
    """

    name: str
    kind: str
    size: int
    data: bytes
    pointers: dict[int, Address] = field(default_factory=dict)
    far: list[tuple[int, bytes]] = field(default_factory=list)

    def held(self, at: int, size: int) -> bytes:
        """The bytes there, as far as it says something about them."""
        found = (piece for place, piece in self.far if place == at and len(piece) == size)
        return next(found, self.data[at : at + size])


@record
class Event:
    """Data that comes in during the run, in order of execution.

    kind "return": a call of `function` (no body: external, nondet_*, …) returned `value`, after writing
    `writes` (destination, bytes) to memory. kind "volatile": a volatile or device-register load yielded
    `value`; `function` is the function that contains it. kind "undefined": an invalid load yielded `value`;
    `function` contains it. Events of one kind and function are used in their order.
    """

    kind: str
    function: str
    type: Type
    value: Scalar | None
    location: Location | None
    writes: list[tuple[Address, bytes]] = field(default_factory=list)
    pointer_writes: list[tuple[Address, Address]] = field(default_factory=list)


@record
class Counterexample:
    """`arguments` are the values of the entry function's parameters, aggregates flattened to their fields.
    `too_large`: its objects are larger than those that a native run is given."""

    check: Check
    entry: str
    arguments: list[Scalar]
    objects: list[OutsideObject]
    events: list[Event]
    too_large: bool = False
