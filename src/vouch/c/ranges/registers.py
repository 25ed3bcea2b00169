"""The registers of one function on abstract values, and the point that the analysis is at."""

from __future__ import annotations

from math import gcd
from typing import Any

from vouch.c.ir import (
    Constant,
    ExpressionConstant,
    GlobalConstant,
    IntConstant,
    IntType,
    NullConstant,
    Operand,
    PointerType,
    Register,
    Type,
    ZeroConstant,
)
from vouch.c.ranges import domain, outcomes, pointers
from vouch.c.ranges.domain import Value
from vouch.c.ranges.frame import FrameFacts
from vouch.c.ranges.pointers import ANYWHERE, NULL, OUTSIDE, OWN, SOMEWHERE, PointerRange
from vouch.c.ranges.state import PENDING, State
from vouch.c.ranges.whole_program import FROM_OUTSIDE, Extent, WholeProgram
from vouch.errors import Unsupported


class Registers:
    """`state` is the state at the current point; `own` tells whether it may be changed in place."""

    def __init__(self, whole: WholeProgram, frame: FrameFacts, escaping: set[str]) -> None:
        trails = whole.lending.lent(frame.function)
        self.lent = {name: trail.registers for name, trail in trails.items()}  # who may hold the address
        self.whole = whole
        self.frame = frame
        self.sizes = whole.objects.sizes
        self.private = {name for name in frame.locals if name not in escaping}
        self.registers: dict[str, Any] = {}
        self.state: State = {}
        self.own = False
        self.changed: set[str] = set()  # registers of other blocks' interest that got a new value
        self.edges: set[tuple[str, str]] = set()  # feasible so far
        self.label = ""
        self.sources: dict[str, tuple[Any, ...]] = {}  # registers loaded in this block: cell, contents
        self.widening = False
        self.keys: dict[str, set[tuple[Any, ...]]] = {}  # cells seen so far, by object
        self.dead = False  # the rest of the block is not reached
        self.outline = False  # the engine knows no text
        self.parameters_apart: str | None = None  # why what they lead to does not overlap
        self.recording = False  # tell the others about calls and writes
        self.extents: dict[str, Extent] = {n: Extent(0, size, False) for n, size in frame.locals.items()}
        self.extents[OUTSIDE] = FROM_OUTSIDE
        self.extents[OWN] = FROM_OUTSIDE._replace(own=True)
        self.pointer_keys: set[tuple[Any, ...]] = set()
        for name, keys in frame.fields.items():
            self.keys[name] = set(keys)

    # ------------------------------------------------------------ points

    def enter(self, label: str, state: State) -> None:
        self.label = label
        self.state = state
        self.sources.clear()
        self.own = False
        self.dead = False

    def mark(self) -> tuple[Any, ...]:
        """What `reset` needs to come back to this point of the block."""
        self.own = False
        return self.state, dict(self.sources)

    def reset(self, mark: tuple[Any, ...]) -> None:
        self.state, self.sources, self.own = mark[0], dict(mark[1]), False

    def writable(self) -> State:
        if not self.own:
            self.state = dict(self.state)
            self.own = True
        return self.state

    # ------------------------------------------------------------ operands

    def value(self, operand: Operand) -> Any:
        """A `Value`, a `PointerRange`, a `PointerPair`, or None where nothing is known."""
        if type(operand) is Register:
            name = operand.name
            if name in self.frame.cross:
                refined = self.state.get(("r", name))
                if refined is not None:
                    return refined[0]
            return self.registers.get(name)
        if type(operand) is IntConstant:
            return domain.const(operand.value, operand.type.bits)
        return self.constant(operand)

    def integer(self, operand: Operand) -> Value:
        """Like `value`, for an operand of integer type."""
        found = self.value(operand)
        if type(found) is tuple:
            return found
        kind = getattr(operand, "type", None)
        return domain.top(kind.bits if isinstance(kind, IntType) else 64)

    def pointer(self, operand: Operand) -> PointerRange:
        found = self.value(operand)
        return found if type(found) is PointerRange else ANYWHERE

    def constant(self, operand: Operand) -> Any:
        match operand:
            case NullConstant():
                return NULL
            case GlobalConstant(name=name):
                held = self.whole.program.globals.get(name)
                if held is None or held.linkage == "extern_weak":
                    return ANYWHERE
                return PointerRange(f"@{name}", 0, 0, True)
            case ExpressionConstant(op="getelementptr", operands=(base, *indices), source=source):
                return self.stepped(self.constant_pointer(base), source, tuple(indices))
            case ZeroConstant(type=IntType(bits=bits)):
                return domain.const(0, bits)
            case ZeroConstant(type=PointerType()):
                return NULL
            case _:
                return self.unknown(getattr(operand, "type", None))

    def constant_pointer(self, operand: Constant) -> PointerRange:
        found = self.constant(operand)
        return found if type(found) is PointerRange else ANYWHERE

    def unknown(self, kind: Type | None) -> Any:
        if type(kind) is IntType:
            return domain.top(kind.bits)
        return ANYWHERE if isinstance(kind, PointerType) else None

    def define(self, name: str | None, value: Any) -> None:
        if name is None:
            return
        if name in self.frame.cross:
            for kind in ("r", "h"):  # what was known of the last value
                if (kind, name) in self.state:
                    del self.writable()[kind, name]
            if self.registers.get(name) != value:
                self.changed.add(name)
        if PENDING in self.state:
            outcomes.forget(self, name)
        self.registers[name] = value

    def stepped(
        self, pointer: PointerRange, source: Type | None, indices: tuple[Operand, ...]
    ) -> PointerRange:
        if pointer.base is None or source is None:
            return SOMEWHERE if pointer.nonnull else ANYWHERE
        lo = hi = step = 0
        try:
            for index, scale in self.sizes.strides(source, indices):
                if index is None:
                    lo, hi = lo + scale, hi + scale
                    continue
                steps = self.integer(index)
                lo, hi = lo + steps[0] * scale, hi + steps[1] * scale
                if not domain.is_const(steps):
                    step = gcd(step, scale)
        except (Unsupported, AssertionError):
            return SOMEWHERE if pointer.nonnull else ANYWHERE
        return pointers.moved(pointer, lo, hi, step)
