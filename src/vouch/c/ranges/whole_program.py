"""What the analysis knows beyond one function: globals, call graph, results, arguments, writes to globals."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any, NamedTuple, Protocol

from vouch.c.ir import Call, Function, Partly, Program
from vouch.c.ranges import domain
from vouch.c.ranges.calls import RangeCalls, is_silent
from vouch.c.ranges.domain import Value
from vouch.c.ranges.frame import FrameFacts
from vouch.c.ranges.lending import Lending
from vouch.c.ranges.objects import Objects
from vouch.c.ranges.outcomes import CallSummary
from vouch.c.ranges.pointers import UNBOUNDED, PointerRange, is_unnamed, size_of_unnamed
from vouch.c.ranges.state import FACTS, join_values


class Extent(NamedTuple):
    """The bytes lo … hi - 1, counted from a pointer's origin, belong to one live object. `outside`: by the
    assumption that pointers from outside the program are valid. `constant`: it may be one that nobody may
    write, such as a string literal. `mortal`: that ends when something is freed. `or_null`: or else the
    pointer is null. `text`: a zero byte is there at or behind the origin when the function is called.
    `inner`: an `Extent` of the pointer that is stored at the origin then. `written`: the bytes behind the
    origin that hold something, as bits. `lent`: no pointers lead to the object but those that are made of
    arguments. `own`: it may be one that the program's own variables lead to. `variable`: it is one of these,
    whose pointers are from outside when an entry point is called."""

    lo: int
    hi: int
    outside: bool
    constant: bool = False
    mortal: bool = False
    or_null: bool = False
    text: bool = False
    inner: Any = None
    written: int = 0
    lent: bool = False
    own: bool = False
    variable: bool = False


FROM_OUTSIDE = Extent(0, UNBOUNDED, True, mortal=True, written=-1)
ONLY_NULL = Extent(-2 * UNBOUNDED, 2 * UNBOUNDED, False, or_null=True, text=True, written=-1, lent=True)


class Summarising(Protocol):
    def of_call(self, at: Any, call: Call, target: str) -> CallSummary | None: ...


class RangesLate(Exception):
    """The time of the range analysis is up: what it has not finished is not known."""


class WholeProgram:
    """Filled in by the first pass over all functions, read by the second."""

    def __init__(
        self, program: Program, arbitrary: bool, public: Collection[str] = (), may_fail: bool = False
    ) -> None:
        """`may_fail`: allocations may yield null."""
        self.program = program
        self.relating = True  # relations are looked for
        self.strict = False  # nothing is known of pointers from outside
        self.deadline: float | None = None
        self.may_fail = may_fail
        self.arbitrary = arbitrary  # globals may hold anything when an entry point is called
        self.objects = Objects(program, arbitrary)
        self.graph = RangeCalls(program, public)
        self.general: dict[str, CallSummary] = {}  # what functions do whatever they get
        self.summaries: Summarising | None = None  # what they do with what they get, in the second pass
        self.arguments: dict[str, list[Any]] = {}  # by function: join over the calls seen
        self.called: set[str] = set()
        self.copies = Partly(False)
        self.incomplete = False  # memory from outside, and globals, may be written in part only
        self.lost: set[tuple[str, Any]] = set()  # functions called where one of the `FACTS` does not hold
        self.writes: dict[str, list[tuple[int, int, int, Value | None]]] | None = None
        self._recorded: dict[str, list[tuple[int, int, int, Value | None]]] = {}
        self.library: dict[Any, tuple[str | None, str | None]] = {}  # calls of models that were looked at
        self.printed: dict[int, tuple[int, int, int, int]] = {}  # by calls: see `Ranges.printed`
        self.lending = Lending(program, self.graph, self.objects.escaping)
        self.modified: dict[tuple[str, int], tuple[tuple[int, int], ...] | None] = {}
        self.carried: dict[tuple[str, int], PointerRange] = {}  # how far pointers behind parameters are moved
        self.doubtful: set[str] = set()  # checks of what is written that hold if everything is
        self.spreads: dict[str, frozenset[int] | None] = {}  # see `written.spreads`
        self._frames: dict[str, FrameFacts] = {}
        self._contents: dict[tuple[str, int, int, int], Value | None] = {}

    def stay_in_time(self) -> None:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise RangesLate

    def frame(self, function: Function) -> FrameFacts:
        if function.name not in self._frames:
            self._frames[function.name] = FrameFacts(function, self.objects.sizes)
        return self._frames[function.name]

    def extent(self, base: str | None) -> Extent | None:
        if base is not None and is_unnamed(base):
            return Extent(0, size_of_unnamed(base), True, mortal=True)
        if base is None or base[0] != "@":
            return None
        size = self.objects.size(base)
        return None if size is None else Extent(0, size, False, self.program.globals[base[1:]].constant)

    # ------------------------------------------------------------ calls

    def written_through(self, name: str, number: int) -> tuple[tuple[int, int], ...] | None:
        """The bytes that a call may write through an argument, counted from where it points; None for all."""
        function = self.program.functions.get(name)
        if function is None or not function.defined:
            return (
                ()
                if is_silent(self.program, name) or name.startswith(("llvm.lifetime", "llvm.dbg"))
                else None
            )
        if not self.graph.effects[name].wild:
            return ()
        return self.modified.get((name, number))

    def note_call(self, name: str, arguments: list[Any], facts: Collection[Any] = ()) -> None:
        """A call, and which of the `FACTS` hold there."""
        self.called.add(name)
        self.lost.update((name, fact) for fact in FACTS if fact not in facts)
        known = self.arguments.get(name)
        if known is None:
            self.arguments[name] = arguments
        else:
            joined = [join_arguments(a, b) for a, b in zip(known, arguments, strict=False)]
            self.arguments[name] = joined

    # ------------------------------------------------------------ globals

    def note_write(self, pointer: PointerRange, size: int, value: Any) -> None:
        """A write to a global that the analysis has seen. All writes to hidden globals are seen."""
        assert pointer.base is not None
        known = value if type(value) is tuple else None
        self._recorded.setdefault(pointer.base, []).append((pointer.lo, pointer.hi, size, known))

    def settle_writes(self) -> None:
        """All functions were visited once: what was recorded is all that is ever written."""
        self.writes = {name: list(dict.fromkeys(held)) for name, held in self._recorded.items()}
        self._recorded = {}

    def content(self, name: str, lo: int, hi: int, size: int) -> Value | None:
        """What an integer of `size` bytes at offsets lo … hi of a global can be at any time; None:
        anything."""
        if self.objects.is_constant(name):
            return self.objects.initial(name, lo, hi, size)
        if self.arbitrary or self.writes is None or name not in self.objects.hidden:
            return None
        key = (name, lo, hi, size)
        if key not in self._contents:
            self._contents[key] = self._content(name, lo, hi, size)
        return self._contents[key]

    def _content(self, name: str, lo: int, hi: int, size: int) -> Value | None:
        found = self.objects.initial(name, lo, hi, size)
        assert self.writes is not None
        for wlo, whi, wsize, value in self.writes.get(name, ()):
            if whi + wsize <= lo or hi + size <= wlo:
                continue
            if found is None or value is None or wsize != size:
                return None
            if wlo != whi or lo != hi:
                if wlo % size or lo % size:
                    return None
            elif wlo != lo:
                return None
            found = domain.join(found, value)
        return found


def join_arguments(a: Any, b: Any) -> Any:
    if type(a) is Extent and type(b) is Extent:
        return Extent(
            max(a.lo, b.lo),
            min(a.hi, b.hi),
            a.outside or b.outside,
            a.constant or b.constant,
            a.mortal or b.mortal,
            a.or_null or b.or_null,
            a.text and b.text,
            join_arguments(a.inner, b.inner) if a.inner is not None and b.inner is not None else None,
            a.written & b.written,
            a.lent and b.lent,
            a.own or b.own,
            a.variable and b.variable,
        )
    if type(a) is Extent or type(b) is Extent:
        return None
    return join_values(a, b)
