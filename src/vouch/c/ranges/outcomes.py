"""What a function leaves behind, by the sign of what it returns: `if (!read(&x)) return;`.

A `CallOutcome` says of one sign what holds at every return with it: which bytes behind parameters are
written, what integers they hold, and whether something was freed. A caller learns at once what all outcomes
have in common; the rest is kept in the state (`PENDING`) beside the register and the cells that hold the
result, until a branch tells which outcomes are left (`settle`), or until something happens that may change
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vouch.c.ir import Call, Cast, IntType, Operand, Register
from vouch.c.ranges import domain
from vouch.c.ranges.pointers import NULL, PointerRange, is_unnamed
from vouch.c.ranges.state import PENDING, WRITTEN, State
from vouch.record import frozen_record

if TYPE_CHECKING:
    from vouch.c.ranges.interpret import Interpreter
    from vouch.c.ranges.memory import RangeMemory
    from vouch.c.ranges.registers import Registers

SIGNS = ZERO, POSITIVE, NEGATIVE = "zero", "positive", "negative"
Facts = dict[tuple[Any, ...], tuple[Any, ...]]  # entries of states
Choices = tuple[tuple[str, Facts], ...]


@frozen_record
class CallOutcome:
    """`written` maps parameters to bytes behind them, `cells` (parameter, offset, size) to integers; `facts`
    are those of the `FACTS` that the function was called with and that still hold."""

    written: dict[int, int]
    cells: dict[tuple[int, int, int], Any]
    frees: bool
    loses: bool
    facts: frozenset[tuple[Any, ...]] = frozenset()

    def join(self, other: CallOutcome) -> CallOutcome:
        cells = {
            key: domain.join(value, other.cells[key])
            for key, value in self.cells.items()
            if key in other.cells
        }
        written = {n: mask & other.written[n] for n, mask in self.written.items() if n in other.written}
        frees, loses = self.frees or other.frees, self.loses or other.loses
        return CallOutcome(written, cells, frees, loses, self.facts & other.facts)


@frozen_record
class CallSummary:
    """`result`: what is returned; `lives`: what a pointer leads to is there; `filled`: its bytes that are
    written, as bits. `outcomes` by sign; none where it does not return."""

    result: Any
    lives: bool
    filled: int
    outcomes: dict[str, CallOutcome]


def signs(value: Any, kind: Any) -> list[str]:
    """The signs that a value may have."""
    if value is ZERO:
        return [ZERO]
    if type(value) is PointerRange:
        if value == NULL:
            return [ZERO]
        return [POSITIVE] if value.nonnull and not value.or_null else [ZERO, POSITIVE]
    if type(value) is not tuple or not isinstance(kind, IntType):
        return [ZERO, POSITIVE, NEGATIVE]
    found = [ZERO] if domain.contains(value, 0, kind.bits) else []
    if kind.bits == 1:
        return found + ([POSITIVE] if value[3] else [])
    return found + ([POSITIVE] if value[1] > 0 else []) + ([NEGATIVE] if value[0] < 0 else [])


# ---------------------------------------------------------------- in the caller


def of_call(at: Interpreter, call: Call, target: str | None) -> dict[str, CallOutcome]:
    """The outcomes of a function, nothing where they are not known."""
    function = at.whole.program.functions.get(target or "")
    if function is None or function.signature != call.signature:
        return {}
    known = at.whole.general.get(target or "")
    return known.outcomes if known is not None else {}


def arrive(
    at: Interpreter,
    call: Call,
    found: dict[str, CallOutcome],
    places: list[PointerRange],
    quiet: State | None,
) -> None:
    """A call is back. `places` is where its arguments led, `quiet` the state if nothing was freed."""
    choices = tuple((sign, _facts(at, outcome, places, quiet)) for sign, outcome in found.items())
    if not any(facts for _, facts in choices):
        return
    common = _common([facts for _, facts in choices])
    _add(at, common)
    if call.result is not None and any(facts != common for _, facts in choices):
        _keep(at, call.result, choices)


def _facts(at: Interpreter, outcome: CallOutcome, places: list[PointerRange], quiet: State | None) -> Facts:
    found: Facts = {}
    if quiet is not None and not outcome.frees:
        found = {key: held for key, held in quiet.items() if key not in at.state and key != PENDING}
    found.update(dict.fromkeys(outcome.facts, (True,)))
    for number, mask in outcome.written.items():
        place = places[number] if number < len(places) else None
        if place is not None and _is_one_place(place):
            found[WRITTEN, place.base] = (found.get((WRITTEN, place.base), (0,))[0] | mask << place.lo,)
    for (number, offset, size), value in outcome.cells.items():
        place = places[number] if number < len(places) else None
        if place is not None and _is_one_place(place) and at.is_followed(place):
            found[place.base, place.lo + offset, size] = (value, ())
    return found


def _is_one_place(place: PointerRange) -> bool:
    """Whether a pointer leads to one place in an object that has a name and is followed byte by byte."""
    base = place.base
    named = base is not None and base != "null" and base[0] in "%^*!" and not is_unnamed(base)
    return named and place.lo == place.hi >= 0 and not place.or_null


def _common(facts: list[Facts]) -> Facts:
    found = dict(facts[0])
    for other in facts[1:]:
        for key, held in list(found.items()):
            if key not in other:
                del found[key]
            elif key[0] == WRITTEN:
                found[key] = (held[0] & other[key][0],)
            elif held != other[key]:
                if type(held[0]) is tuple and type(other[key][0]) is tuple:
                    found[key] = (domain.join(held[0], other[key][0]), ())
                else:
                    del found[key]
    return found


def _add(at: RangeMemory, facts: Facts) -> None:
    for key, held in facts.items():
        if key[0] == WRITTEN:
            mask = at.state.get(key, (0,))[0] | held[0]
            if mask and mask != at.state.get(key, (0,))[0]:
                at.writable()[key] = (mask,)
        elif key not in at.state:
            at.writable()[key] = held
            if len(key) == 3 and key[0][0] in "%^*!@":
                at.keys.setdefault(key[0], set()).add(key)


# ---------------------------------------------------------------- what waits for a branch


def _keep(at: RangeMemory, subject: Any, choices: Choices) -> None:
    at.writable()[PENDING] = ({**at.state.get(PENDING, ({},))[0], subject: choices},)


def stored(at: RangeMemory, operand: Operand, key: tuple[Any, ...]) -> None:
    """A cell gets what an operand holds."""
    waiting = at.state.get(PENDING)
    if waiting is None:
        return
    for _ in range(4):
        if not isinstance(operand, Register):
            return
        if operand.name in waiting[0]:
            _keep(at, key, waiting[0][operand.name])
            return
        made = at.frame.defs.get(operand.name)
        if not isinstance(made, Cast) or made.op not in ("zext", "sext"):
            return
        operand = made.value


def settle(at: RangeMemory, subject: Any, value: Any, kind: Any) -> None:
    """The result of a call, in a register or a cell, is known to be so."""
    waiting = at.state.get(PENDING)
    choices: Choices | None = waiting[0].get(subject) if waiting is not None else None
    if choices is None:
        return
    left = set(signs(value, kind))
    facts = [facts for sign, facts in choices if sign in left]
    if facts and len(facts) < len(choices):
        _add(at, _common(facts))


def forget(at: Registers, gone: Any = None) -> None:
    """Drop what waits: of one register or cell, or all of it."""
    waiting = at.state.get(PENDING)
    if waiting is None or (gone is not None and gone not in waiting[0]):
        return
    left = {} if gone is None else {k: held for k, held in waiting[0].items() if k != gone}
    if left:
        at.writable()[PENDING] = (left,)
    else:
        del at.writable()[PENDING]


def forget_object(at: RangeMemory, base: str) -> None:
    """Drop what waits and says something of an object, or lies in it."""
    waiting = at.state.get(PENDING)
    for subject, choices in list(waiting[0].items()) if waiting is not None else ():
        inside = type(subject) is tuple and subject[0] == base
        if inside or any(base in key for _, facts in choices for key in facts):
            forget(at, subject)
