"""The outcomes of one function (`outcomes.py`): what holds where it returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vouch.c.ir import IntType, Operand
from vouch.c.ranges import domain, refine
from vouch.c.ranges.interpret import Interpreter
from vouch.c.ranges.outcomes import POSITIVE, ZERO, CallOutcome, signs
from vouch.c.ranges.pointers import NULL, PointerRange
from vouch.c.ranges.state import FACTS, UNFREED, UNLOST, WRITTEN

_MOST_CELLS = 16


def at_return(at: Interpreter, result: Operand | None) -> Iterator[tuple[str, CallOutcome]]:
    """What holds at a return, for each sign that the result may have."""
    before = at.mark()
    for sign in signs(ZERO if result is None else at.value(result), getattr(result, "type", None)):
        at.reset(before)
        if result is None or _assume(at, result, sign):
            yield sign, _here(at)
    at.reset(before)


def _here(at: Interpreter) -> CallOutcome:
    written: dict[int, int] = {}
    cells: dict[tuple[int, int, int], Any] = {}
    for number, parameter in enumerate(at.frame.function.parameters):
        base = f"^{parameter.name}"
        if parameter.byval is not None or (WRITTEN, base) not in at.state:
            continue
        written[number] = at.state[WRITTEN, base][0]
        for key in at.keys.get(base, ()):
            value = at.state.get(key, (None,))[0]
            if type(value) is tuple and value != domain.top(8 * key[2]) and len(cells) < _MOST_CELLS:
                cells[number, key[1], key[2]] = value
    facts = frozenset(fact for fact in FACTS if fact in at.state)
    return CallOutcome(written, cells, UNFREED not in at.state, UNLOST not in at.state, facts)


def _assume(at: Interpreter, operand: Operand, sign: str) -> bool:
    value, kind = at.value(operand), getattr(operand, "type", None)
    if type(value) is PointerRange:
        if sign == ZERO:
            refine.hold(at, operand, NULL)
        elif value.base != "null":
            refine.hold(at, operand, value._replace(nonnull=True, or_null=False))
        return True
    if type(value) is not tuple or not isinstance(kind, IntType):
        return True
    if not refine.assume(at, operand, sign != ZERO):
        return False
    found = domain.meet(at.integer(operand), _range(sign, kind.bits), kind.bits)
    return found is not None and refine.narrow(at, operand, found)


def _range(sign: str, bits: int) -> domain.Value:
    if sign == ZERO:
        return domain.const(0, bits)
    if bits == 1:
        return domain.const(1, 1)
    lo, hi = domain.top(bits)[:2]
    return domain.signed(1, hi, bits) if sign == POSITIVE else domain.signed(lo, -1, bits)
