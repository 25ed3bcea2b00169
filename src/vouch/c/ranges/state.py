"""What is known at one point of a function: the contents of memory cells, and facts about registers.

Keys are `(object, offset, size)` for cells, `("r", register)` for a register that a branch tells more about,
`("h", register)` for the cell that a register was loaded from and that still holds it, `CLEAN` while no
pointer of the program's making was stored to memory from outside, `(LIVE, object)` while nothing was freed
that may be that object (`OUTSIDE` stands for all that existed when the function was called), `TEXT` while
nothing was written but local variables, `UNFREED` while the function has freed nothing, `(WRITTEN, object)`
for the bytes of an object that hold something (`written.py`). A key that is missing says nothing. States are
shared: whoever changes one copies it first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vouch.c.ranges import domain, pointers
from vouch.c.ranges.pointers import PointerRange

CLEAN = ("clean",)
LIVE = "live"
TEXT = ("text",)
UNFREED = ("unfreed",)
WRITTEN = "written"
State = dict[tuple[Any, ...], tuple[Any, ...]]
# Cells map to (value, registers that hold it); ("r", x) to (value,); ("h", x) to (cell,); (WRITTEN, x) to
# (mask,).


def join_values(a: Any, b: Any) -> Any:
    """None where the two have nothing in common to say."""
    if a is b:
        return a
    if a is None or b is None:
        return None
    if type(a) is PointerRange:
        return pointers.join(a, b) if type(b) is PointerRange else None
    if type(a) is tuple and type(b) is tuple:
        return domain.join(a, b)
    return None


def join(a: State, b: State) -> State:
    """`a` itself where nothing is lost."""
    if a is b:
        return a
    result: State | None = None
    for key, held in a.items():
        other = b.get(key)
        if other is held or other == held:
            continue
        if result is None:
            result = dict(a)
        if other is None or key[0] in ("h", "clean", "text", "unfreed", LIVE):
            del result[key]
            continue
        if key[0] == WRITTEN:
            result[key] = (held[0] & other[0],)
            continue
        value = join_values(held[0], other[0])
        if value is None:
            del result[key]
        elif key[0] == "r":
            result[key] = (value,)
        else:
            result[key] = (value, tuple(r for r in held[1] if r in other[1]))
    return a if result is None else result


def widen(old: State, new: State, thresholds: Sequence[int], size: Callable[[str | None], int]) -> State:
    """Like `join`, with bounds that moved sent to the next threshold; `size` is that of an object."""
    joined = join(old, new)
    if joined is old:
        return old
    result = dict(joined)
    for key, held in joined.items():
        before = old[key]
        if key[0] in ("h", WRITTEN) or held[0] == before[0]:
            continue
        if type(held[0]) is PointerRange:
            value: Any = pointers.widen(before[0], held[0], size(held[0].base))
        elif key[0] == "r":
            del result[key]
            continue
        else:
            value = domain.widen(before[0], held[0], thresholds, 8 * key[2])
        result[key] = (value, *held[1:])
    return result


def keep(old: State, new: State) -> State:
    """What both say alike: the coarsest of widenings."""
    joined = join(old, new)
    if joined is old:
        return old
    return {key: held for key, held in joined.items() if held[0] == old[key][0]}
