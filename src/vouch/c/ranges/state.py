"""What is known at one point of a function: the contents of memory cells, and facts about registers.

Keys are `(object, offset, size)` for cells, `("r", register)` for a register that a branch tells more about,
`("h", register)` for the cell that a register was loaded from and that still holds it, and

- `CLEAN` while no pointer of the program's making was stored to memory from outside, `TIDY` while none was
  stored to the program's variables and to what they lead to,
- `(LIVE, object)` while nothing was freed that may be that object: `OUTSIDE` stands for all that pointers
  from outside lead to, `OWN` for all else that has no name,
- `UNFREED` while the function has freed nothing, `UNLOST` while in addition no code outside may have called
  the program again to free some of its own,
- `TEXT` while nothing was written but local variables,
- `(WRITTEN, object)` for the bytes of an object that hold something (`written.py`), `WHOLE` while no bytes
  that may hold nothing were copied to memory from outside or to globals (`spreading.py`),
- `ZONES` for relations (`relations.py`), `PENDING` for what results of calls will tell (`outcomes.py`),
  `(SUM, sum)` for the ends of a linear form (`sums.py`).

A key that is missing says nothing. States are shared: whoever changes one copies it first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vouch.c.ranges import domain, pointers, zones
from vouch.c.ranges.pointers import OUTSIDE, OWN, General, PointerRange

CLEAN = ("clean",)
TIDY = ("tidy",)
LIVE = "live"
TEXT = ("text",)
UNFREED = ("unfreed",)
UNLOST = ("unlost",)
WHOLE = ("whole",)
WRITTEN = "written"
ZONES = ("zones",)
PENDING = ("pending",)
SUM = "sum"
FACTS = (
    CLEAN,
    TIDY,
    (LIVE, OUTSIDE),
    (LIVE, OWN),
    WHOLE,
)  # that a function starts with if all its callers do
_PLAIN = frozenset({"h", "clean", "tidy", "text", "unfreed", "unlost", "whole", LIVE})
State = dict[tuple[Any, ...], tuple[Any, ...]]
# Cells map to (value, registers that hold it); ("r", x) to (value,); ("h", x) to (cell,); (WRITTEN, x) to
# (mask,).


def join_values(a: Any, b: Any, general: General | None = None) -> Any:
    """None where the two have nothing in common to say."""
    if a is b:
        return a
    if a is None or b is None:
        return None
    if type(a) is PointerRange:
        return pointers.join(a, b, general) if type(b) is PointerRange else None
    if type(a) is tuple and type(b) is tuple:
        return domain.join(a, b)
    return None


def join(a: State, b: State, general: General | None = None) -> State:
    """`a` itself where nothing is lost."""
    if a is b:
        return a
    result = _join_zones(a, b)
    of_b = b.get
    for key, held in a.items():
        other = of_b(key)
        if other is held or other == held or key is ZONES:
            continue
        if result is None:
            result = dict(a)
        if key[0] == SUM:
            ends = _joined_ends(held[0], implied_sum(b, key[1]) if other is None else other[0])
            if ends == (None, None):
                del result[key]
            else:
                result[key] = (ends,)
            continue
        if other is None or key[0] in _PLAIN:
            del result[key]
            continue
        if key[0] == WRITTEN:
            result[key] = (held[0] & other[0],)
            continue
        if key is PENDING:
            result[key] = ({s: choices for s, choices in held[0].items() if other[0].get(s) == choices},)
            continue
        value = join_values(held[0], other[0], general)
        if value is None:
            del result[key]
        elif key[0] == "r":
            result[key] = (value,)
        else:
            result[key] = (value, tuple(r for r in held[1] if r in other[1]))
    return a if result is None else result


class Bounds:
    """What the intervals of a state say of the variables of zones (see `relations.py`)."""

    def __init__(self, state: State) -> None:
        self.state = state

    def ends(self, variable: Any) -> tuple[int | None, int | None]:
        kind, cell = variable[:2]
        if kind == "z":
            return 0, None
        value = self.state.get(cell, (None,))[0]
        if kind == "o":
            same = type(value) is PointerRange and value.base == variable[2] and not value.or_null
            return (value.lo, value.hi) if same else (None, None)
        if type(value) is not tuple:
            return None, None
        first, whole = 0 if kind == "s" else 2, domain.top(8 * cell[2])
        lo, hi = value[first], value[first + 1]
        return (lo if lo > whole[first] else None), (hi if hi < whole[first + 1] else None)

    def __call__(self, x: Any, y: Any) -> int | None:
        hi, lo = self.ends(x)[1], self.ends(y)[0]
        if lo is None and y[0] == "u":
            lo = 0
        return None if hi is None or lo is None else hi - lo


def zone_bounds(state: State) -> Bounds:
    return Bounds(state)


_Ends = tuple[int | None, int | None]


def implied_sum(state: State, made: Any) -> _Ends:
    """The ends of `x - rate * i` (see `sums.py`) that the intervals of a state imply."""
    x, i = Bounds(state).ends(made.x), counted(state, made)
    return (
        None if x[0] is None or i[1] is None else x[0] - made.rate * i[1],
        None if x[1] is None or i[0] is None else x[1] - made.rate * i[0],
    )


_FARTHER = (1 << 8, 1 << 12, 1 << 16, 1 << 24, 1 << 31)  # where an end of a sum comes to rest that moves


def _farther(end: int | None, side: int) -> int | None:
    if end is None:
        return None
    found = next((far for far in _FARTHER if side * end <= far), None)
    return None if found is None else side * found


def counted(state: State, made: Any) -> _Ends:
    """The ends of the counter of a sum, in the order in which its multiples are. All that a small type can
    hold counts for few."""
    reading, cell = made.i
    least, most = Bounds(state).ends(made.i)
    if cell[2] <= 2:
        whole, first = domain.top(8 * cell[2]), 0 if reading == "s" else 2
        least = whole[first] if least is None else least
        most = whole[first + 1] if most is None else most
    return (least, most) if made.rate > 0 else (most, least)


def _joined_ends(a: _Ends, b: _Ends) -> _Ends:
    return (
        None if a[0] is None or b[0] is None else min(a[0], b[0]),
        None if a[1] is None or b[1] is None else max(a[1], b[1]),
    )


def _join_zones(a: State, b: State) -> State | None:
    """None where `a` loses nothing."""
    first, second = a.get(ZONES), b.get(ZONES)
    if first is second or (first is None and second is None):
        return None
    mine: zones.Zone = first[0] if first is not None else zones.EMPTY
    both = zones.join(mine, second[0] if second is not None else zones.EMPTY, Bounds(a), Bounds(b))
    if both is mine:
        return None
    result = dict(a)
    if both:
        result[ZONES] = (both,)
    else:
        result.pop(ZONES, None)
    return result


def _widened_zones(old: State, new: State, result: State) -> None:
    before, after = old.get(ZONES), new.get(ZONES)
    both = zones.EMPTY
    if before is not None:
        both = zones.widen(before[0], after[0] if after is not None else zones.EMPTY, Bounds(new))
    if both:
        result[ZONES] = (both,) if before is None or both is not before[0] else before
    else:
        result.pop(ZONES, None)


def widen(
    old: State,
    new: State,
    thresholds: Sequence[int],
    size: Callable[[str | None], int],
    general: General | None = None,
) -> State:
    """Like `join`, with bounds that moved sent to the next threshold; `size` is that of an object."""
    joined = join(old, new, general)
    if joined is old:
        return old
    result = dict(joined)
    _widened_zones(old, new, result)
    for key, held in joined.items():
        if key is ZONES:
            continue
        before = old[key]
        if key is PENDING or key[0] in ("h", WRITTEN) or held[0] == before[0]:
            continue
        if key[0] == SUM:
            lo, hi = held[0]
            ends = (
                lo if lo == before[0][0] else _farther(lo, -1),
                hi if hi == before[0][1] else _farther(hi, 1),
            )
            if ends == (None, None):
                del result[key]
            else:
                result[key] = (ends,)
            continue
        if type(held[0]) is PointerRange:
            value: Any = pointers.widen(before[0], held[0], size(held[0].base), general)
        elif key[0] == "r":
            del result[key]
            continue
        else:
            value = domain.widen(before[0], held[0], thresholds, 8 * key[2])
        result[key] = (value, *held[1:])
    return result


def keep(old: State, new: State, general: General | None = None) -> State:
    """What both say alike: the coarsest of widenings."""
    joined = join(old, new, general)
    if joined is old:
        return old
    result = {key: held for key, held in joined.items() if key is not ZONES and held[0] == old[key][0]}
    _widened_zones(old, new, result)
    return result
