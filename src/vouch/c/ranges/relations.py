"""Relations between integers and offsets of pointers: where zones (`zones.py`) come from, and what they tell.

Variables of zones are cells read in one way: `("s", cell)` and `("u", cell)` for the signed and the unsigned
number in it, `("o", cell, object)` for the offset of the pointer in it, and `("z", object, unit)` for the
number of units that a heap block has at least. An operand has a *form* (variable, step) where it is known to
be that variable plus that number, nothing having wrapped around on the way: by what intervals prove, never by
what the standard leaves undefined. The state's `ZONES` holds the zone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from vouch.c.ir import (
    Binary,
    Call,
    Cast,
    Compare,
    Extract,
    GetElementPtr,
    IntConstant,
    IntType,
    Operand,
    Register,
    Store,
    Unary,
)
from vouch.c.ranges import domain, sums, zones
from vouch.c.ranges.domain import Value
from vouch.c.ranges.pointers import PointerRange, is_unnamed, limited
from vouch.c.ranges.state import ZONES, State, zone_bounds
from vouch.c.ranges.zones import Variable, Zone
from vouch.errors import Unsupported

if TYPE_CHECKING:
    from vouch.c.ranges.memory import RangeMemory
    from vouch.c.ranges.registers import Registers

Form = tuple[Variable, int]
_DEPTH = 6


def of_state(state: State) -> Zone:
    held = state.get(ZONES)
    return zones.EMPTY if held is None else held[0]


def _set(at: Registers, zone: Zone) -> None:
    if zone is of_state(at.state):
        return
    if zone:
        at.writable()[ZONES] = (zone,)
    else:
        at.writable().pop(ZONES, None)


# ---------------------------------------------------------------- forms


def forms(at: RangeMemory, operand: Operand, reading: str, depth: int = _DEPTH) -> list[Form]:
    """What an operand, read as signed (`s`), unsigned (`u`) or as an offset (`o`), is made of."""
    if not isinstance(operand, Register) or not depth:
        return []
    source = at.source(operand.name)
    if source is not None:
        return _of_cell(at, source, operand, reading)
    if reading == "o":
        return _of_pointer(at, operand, depth)
    match at.frame.defs.get(operand.name):
        case Cast(op="zext", value=inner):
            return forms(at, inner, "u", depth - 1)
        case Cast(op="sext", value=inner):
            same = reading == "s" or at.integer(inner)[0] >= 0
            return forms(at, inner, "s", depth - 1) if same else []
        case Cast(op="trunc", value=inner, type=IntType(bits=bits)):
            return forms(at, inner, reading, depth - 1) if _fits(at.integer(inner), reading, bits) else []
        case Unary(op="freeze", value=inner):
            return forms(at, inner, reading, depth - 1)
        case Binary(op="add" | "sub" as op, left=left, right=IntConstant() as step):
            return _stepped(at, op, left, step, reading, depth)
        case Extract(aggregate=Register(name=name), indices=(0,)):
            made = at.frame.defs.get(name)
            called = (at.whole.graph.target(made) or "") if isinstance(made, Call) else ""
            if isinstance(made, Call) and called[6:].startswith(("add.with.overflow", "sub.with.overflow")):
                left, right = made.arguments
                if isinstance(right, IntConstant):
                    return _stepped(at, called[6:9], left, right, reading, depth)
    return []


def _of_cell(at: RangeMemory, cell: tuple[Any, ...], operand: Register, reading: str) -> list[Form]:
    value = at.value(operand)
    if reading == "o":
        followed = type(value) is PointerRange and value.base is not None and not value.or_null
        if not followed or value.base == "null" or is_unnamed(value.base):
            return []
        return [(("o", cell, value.base), 0)]
    if type(value) is not tuple or not isinstance(operand.type, IntType) or operand.type.bits != 8 * cell[2]:
        return []
    return [((reading, cell), 0)]


def _of_pointer(at: RangeMemory, operand: Register, depth: int) -> list[Form]:
    made = at.frame.defs.get(operand.name)
    if not isinstance(made, GetElementPtr) or len(made.indices) != 1:
        return []
    step = made.indices[0]
    if not isinstance(step, IntConstant):
        return []
    try:
        scale = at.sizes.size(made.source)
    except Unsupported:
        return []
    moved = domain.const(step.value, step.type.bits)[0] * scale
    return [(variable, by + moved) for variable, by in forms(at, made.base, "o", depth - 1)]


def _stepped(
    at: RangeMemory, op: str, left: Operand, step: IntConstant, reading: str, depth: int
) -> list[Form]:
    number = domain.const(step.value, step.type.bits)[0]
    number = -number if op == "sub" else number
    value, whole = at.integer(left), domain.top(step.type.bits)
    first = 0 if reading == "s" else 2
    lo, hi = value[first] + number, value[first + 1] + number
    if lo < whole[first] or hi > whole[first + 1]:
        return []
    return [(variable, by + number) for variable, by in forms(at, left, reading, depth - 1)]


def _fits(value: Value, reading: str, bits: int) -> bool:
    if reading == "s":
        return -(1 << (bits - 1)) <= value[0] and value[1] < 1 << (bits - 1)
    return value[3] < 1 << bits


# ---------------------------------------------------------------- comparisons


def learn(at: RangeMemory, predicate: str, left: Operand, right: Operand) -> None:
    """`left predicate right` holds."""
    if not at.whole.relating:
        return
    if predicate[-2:] in ("gt", "ge"):
        predicate, left, right = domain.SWAPPED[predicate], right, left
    for reading in _readings(at, predicate, left, right):
        _learn(at, predicate, left, right, reading)


def _learn(at: RangeMemory, predicate: str, left: Operand, right: Operand, reading: str) -> None:
    zone = of_state(at.state)
    for x, by in forms(at, left, reading):
        for y, other in forms(at, right, reading):
            if x == y:
                continue
            most = other - by  # of x - y, where left <= right
            match predicate[-2:]:
                case "lt":
                    zone = zones.add(zone, x, y, most - 1)
                case "le":
                    zone = zones.add(zone, x, y, most)
                case "eq":
                    zone = zones.add(zones.add(zone, x, y, most), y, x, -most)
                case _:  # they differ, and one is known not to be larger
                    for a, b, limit in ((x, y, most), (y, x, -most)):
                        known = _bound(at, zone, a, b)
                        if known is not None and known <= limit:
                            zone = zones.add(zone, a, b, min(known, limit - 1))
    _set(at, zone)


def _bound(at: RangeMemory, zone: Zone, x: Variable, y: Variable) -> int | None:
    found = (zones.bound(zone, x, y), zone_bounds(at.state)(x, y))
    return min((c for c in found if c is not None), default=None)


def difference(at: RangeMemory, left: Operand, right: Operand, reading: str) -> tuple[int | None, int | None]:
    """The least and the largest that `left - right` can be, as far as relations tell."""
    zone = of_state(at.state)
    least: int | None = None
    most: int | None = None
    if not zone:
        return least, most
    for x, by in forms(at, left, reading):
        for y, other in forms(at, right, reading):
            above, below = zones.bound(zone, x, y), zones.bound(zone, y, x)
            if above is not None:
                most = above + by - other if most is None else min(most, above + by - other)
            if below is not None:
                least = by - other - below if least is None else max(least, by - other - below)
    return least, most


def subtracted(at: RangeMemory, left: Operand, right: Operand, value: Value, bits: int) -> Value:
    """A difference, of which intervals know `value`."""
    for reading, first in (("s", 0), ("u", 2)):
        least, most = difference(at, left, right, reading)
        lo, hi = domain.top(bits)[first : first + 2]
        a, b = at.integer(left), at.integer(right)
        least = max(a[first] - b[first + 1], least) if least is not None else a[first] - b[first + 1]
        most = min(a[first + 1] - b[first], most) if most is not None else a[first + 1] - b[first]
        if lo <= least <= most <= hi:  # it does not wrap around
            parts = list(value)
            parts[first : first + 2] = max(least, value[first]), min(most, value[first + 1])
            if parts[first] <= parts[first + 1]:
                value = _made(parts, bits) or value
    return value


def _made(parts: list[int], bits: int) -> Value | None:
    slo, shi, ulo, uhi, zeros, ones = parts
    return domain.make(slo, shi, ulo, uhi, zeros, ones, bits)


def decide(at: RangeMemory, comparison: Compare) -> bool | None:
    """Whether a comparison holds in any case (True) or in none (False)."""
    if ZONES not in at.state:
        return None
    for reading in _readings(at, comparison.predicate, comparison.left, comparison.right):
        least, most = difference(at, comparison.left, comparison.right, reading)
        known = _known(comparison.predicate[-2:], least, most)
        if known is not None:
            return known
    return None


def _known(kind: str, least: int | None, most: int | None) -> bool | None:
    """Whether a difference is negative (`lt`) and so on."""
    negative = most is not None and most < 0
    positive = least is not None and least > 0
    match kind:
        case "lt" | "ge":
            known = True if negative else False if least is not None and least >= 0 else None
            return known if kind == "lt" or known is None else not known
        case "le" | "gt":
            known = True if most is not None and most <= 0 else False if positive else None
            return known if kind == "le" or known is None else not known
        case _:
            known = False if negative or positive else True if least == most == 0 else None
            return known if kind == "eq" or known is None else not known


def _readings(at: RangeMemory, predicate: str, left: Operand, right: Operand) -> str:
    """How the operands of a comparison are read. Addresses before an object may have wrapped around."""
    a, b = at.value(left), at.value(right)
    if type(a) is PointerRange and type(b) is PointerRange:
        one = a.base is not None and a.base == b.base and not a.or_null and not b.or_null
        return "o" if one and (predicate in ("eq", "ne") or min(a.lo, b.lo) >= 0) else ""
    return "su" if predicate in ("eq", "ne") else predicate[0]


# ---------------------------------------------------------------- memory


def tightened(at: RangeMemory, cell: tuple[Any, ...], value: Any) -> Any:
    """What a cell can hold, by what others hold that it is related to."""
    zone = of_state(at.state)
    if not zone and cell[0] not in at.frame.sums:
        return value
    if type(value) is tuple:
        found: Any = value
        for reading, first in (("s", 0), ("u", 2)):
            lo, hi = sums.met(_limits(at, zone, (reading, cell)), sums.limits(at, cell, reading))
            lo = value[first] if lo is None else max(value[first], lo)
            hi = value[first + 1] if hi is None else min(value[first + 1], hi)
            if (lo, hi) != value[first : first + 2] and lo <= hi:
                parts = list(found)
                parts[first : first + 2] = max(lo, found[first]), min(hi, found[first + 1])
                found = _made(parts, 8 * cell[2]) or found
        return found
    if type(value) is PointerRange and value.base is not None:
        lo, hi = _limits(at, zone, ("o", cell, value.base))
        if lo is None and hi is None:
            return value
        return limited(value, value.lo if lo is None else lo, value.hi if hi is None else hi) or value
    return value


def _limits(at: RangeMemory, zone: Zone, variable: Variable) -> tuple[int | None, int | None]:
    least: int | None = None
    most: int | None = None
    bounds = zone_bounds(at.state)
    for (x, y), c in zone.items():
        if x == variable:
            hi = bounds.ends(y)[1]
            most = most if hi is None else hi + c if most is None else min(most, hi + c)
        elif y == variable:
            lo = bounds.ends(x)[0]
            least = least if lo is None else lo - c if least is None else max(least, lo - c)
    return least, most


def forget_cell(at: Registers, cell: tuple[Any, ...]) -> None:
    """A cell gets a new content."""
    zone: Any = of_state(at.state)
    if any(x[1] == cell or y[1] == cell for x, y in zone):
        _set(at, zones.forget(zone, lambda v: v[1] == cell))  # type: ignore[index]


def forget_objects(at: Registers, names: Collection[str]) -> None:
    """All cells of some objects get new contents."""
    zone: Any = of_state(at.state)
    if any(x[1][0] in names or y[1][0] in names for x, y in zone):
        _set(at, zones.forget(zone, lambda v: v[0] != "z" and v[1][0] in names))  # type: ignore[index]


def before_store(at: RangeMemory, instruction: Store, cell: tuple[Any, ...]) -> list[tuple[Variable, Form]]:
    """What a store relates the cell to: each of its readings, and the form that it gets."""
    found: list[tuple[Variable, Form]] = []
    if not at.whole.relating:
        return found
    for reading in "suo":
        for form in forms(at, instruction.value, reading):
            variable = form[0]
            assert isinstance(variable, tuple)
            mine = ("o", cell, variable[2]) if reading == "o" else (reading, cell)
            found.append((mine, form))
    if any(mine == form[0] for mine, form in found):
        _note_counters(at, cell)
    return found


def after_store(
    at: RangeMemory, cell: tuple[Any, ...], before: Zone, gained: list[tuple[Variable, Form]]
) -> None:
    """The store is done, and has forgotten what it may have changed: relate the cell anew."""
    zone = of_state(at.state)
    for mine, (variable, step) in gained:
        if mine == variable:
            moved = zones.shift(before, mine, step)
            for (x, y), most in moved.items():
                if mine in (x, y) and _is_alive(at, y if x == mine else x, cell):
                    zone = zones.add(zone, x, y, most)
    for mine, (variable, step) in gained:
        if _is_alive(at, variable, cell):
            zone = zones.add(zones.add(zone, mine, variable, step), variable, mine, -step)
    _set(at, zone)


def _is_alive(at: RangeMemory, variable: Variable, cell: tuple[Any, ...]) -> bool:
    """Whether a variable is still what it was before a store to another cell."""
    assert isinstance(variable, tuple)
    return variable[0] == "z" or (variable[1] != cell and variable[1] in at.state)


def _note_counters(at: RangeMemory, cell: tuple[Any, ...]) -> None:
    """Before a counter moves: how it stands to the function's other counters."""
    zone, bounds = of_state(at.state), zone_bounds(at.state)
    value = at.state[cell][0]
    mine: list[tuple[Any, ...]] = [("o", cell, value.base)] if type(value) is PointerRange else []
    if type(value) is tuple:
        known = value[:2] != domain.top(8 * cell[2])[:2]
        mine = [("s" if known else "u", cell)]
    for other in [key for name in at.frame.counters for key in at.keys.get(name, ())]:
        if other == cell or other not in at.state:
            continue
        for x in mine:
            y = (x[0], other, *x[2:])
            for a, b in ((x, y), (y, x)):
                most = bounds(a, b)
                if most is not None and zones.bound(zone, a, b) is None:
                    zone = zones.add(zone, a, b, most)
    _set(at, zone)


# ---------------------------------------------------------------- blocks of symbolic size


def size_of_block(at: RangeMemory, base: str, size: Operand) -> None:
    """A heap block was allocated, of so many bytes."""
    if not at.whole.relating:
        return
    unit, count = 1, size
    made = at.frame.defs.get(size.name) if isinstance(size, Register) else None
    if isinstance(made, Binary) and made.op == "mul" and isinstance(made.type, IntType):
        factor, other = made.right, made.left
        if isinstance(factor, IntConstant) and factor.value > 0:
            if at.integer(other)[3] * factor.value > domain.top(made.type.bits)[3]:
                return
            unit, count = factor.value, other
    zone = zones.forget(of_state(at.state), lambda v: v[1] == base)  # type: ignore[index]
    for variable, step in forms(at, count, "u"):
        zone = zones.add(zone, variable, ("z", base, unit), -step)
    _set(at, zone)


def is_within_block(at: RangeMemory, operand: Operand, size: int) -> bool:
    """Whether an access at a place in a heap block is below its end, which only relations tell."""
    made = at.frame.defs.get(operand.name) if isinstance(operand, Register) else None
    zone = of_state(at.state)
    if not zone or not isinstance(made, GetElementPtr) or len(made.indices) != 1:
        return False
    start, index = at.pointer(made.base), made.indices[0]
    if start.base is None or start.base[0] != "*" or start.lo != start.hi or start.lo < 0 or start.or_null:
        return False
    try:
        scale = at.sizes.size(made.source)
    except Unsupported:
        return False
    if not scale or size > scale or start.lo % scale or at.integer(index)[0] < 0:
        return False
    for variable, step in (*forms(at, index, "s"), *forms(at, index, "u")):  # which are the same
        most = zones.bound(zone, variable, ("z", start.base, scale))
        if most is not None and most + step + start.lo // scale <= -1:
            return True
    return False
