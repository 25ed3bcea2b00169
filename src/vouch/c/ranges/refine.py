"""What a condition that holds tells about the values it was computed from.

A condition on a register is carried back through comparisons, logic, extensions and additions of constants to
the memory cell that the register was loaded from, as long as that cell still holds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vouch.c.ir import (
    Binary,
    Call,
    Cast,
    Compare,
    Extract,
    IntConstant,
    IntType,
    Operand,
    Register,
    Select,
    Unary,
)
from vouch.c.ranges import domain, outcomes, pointers, relations
from vouch.c.ranges.domain import Value
from vouch.c.ranges.pointers import NULL, SOMEWHERE, PointerRange, is_unnamed, limited
from vouch.c.ranges.state import PENDING

if TYPE_CHECKING:
    from vouch.c.ranges.interpret import Interpreter

_DEPTH = 6


def assume(at: Interpreter, condition: Operand, truth: bool, depth: int = _DEPTH) -> bool:
    """Take into account that `condition` (of any integer type) is nonzero, or zero. False: it cannot be."""
    value = at.value(condition)
    if type(value) is tuple:
        if not truth and value[2] > 0:
            return False
        if truth and value[3] == 0:
            return False
    if not isinstance(condition, Register) or depth == 0:
        return True
    match at.frame.defs.get(condition.name):
        case Compare(op="icmp") as comparison:
            return _comparison(at, comparison, truth, depth)
        case Cast(op="zext" | "sext", value=inner):
            return assume(at, inner, truth, depth - 1)
        case Cast(op="trunc", value=inner, type=IntType(bits=1)):
            return _lowest_bit(at, inner, truth)
        case Unary(op="freeze", value=inner):
            return assume(at, inner, truth, depth - 1)
        case Binary(op="xor", left=left, right=IntConstant(value=1, type=IntType(bits=1))):
            return assume(at, left, not truth, depth - 1)
        case Binary(op="and" | "or" as op, left=left, right=right, type=IntType(bits=1)):
            return _logic(at, op == "and", left, right, truth, depth)
        case Select(condition=first, then=then, otherwise=otherwise, type=IntType(bits=1)):
            if isinstance(otherwise, IntConstant) and not otherwise.value:
                return _logic(at, True, first, then, truth, depth)
            if isinstance(then, IntConstant) and then.value:
                return _logic(at, False, first, otherwise, truth, depth)
            return True
        case _:
            return True if type(value) is not tuple else _nonzero(at, condition, value, truth)


def _nonzero(at: Interpreter, operand: Register, value: Value, truth: bool) -> bool:
    assert isinstance(operand.type, IntType)
    bits = operand.type.bits
    found = domain.refine("ne" if truth else "eq", value, domain.const(0, bits), bits)
    if found is None:
        return False
    return narrow(at, operand, found[0])


def _logic(
    at: Interpreter, conjunction: bool, left: Operand, right: Operand, truth: bool, depth: int
) -> bool:
    if conjunction is truth:
        return assume(at, left, truth, depth - 1) and assume(at, right, truth, depth - 1)
    # One side decides where the other is known not to.
    for known, other in ((left, right), (right, left)):
        value = at.value(known)
        if type(value) is tuple and domain.is_const(value) and bool(value[2]) is conjunction:
            return assume(at, other, truth, depth - 1)
    return True


def _lowest_bit(at: Interpreter, operand: Operand, truth: bool) -> bool:
    kind = getattr(operand, "type", None)
    if not isinstance(kind, IntType):
        return True
    value = at.integer(operand)
    bit = (0, 1) if truth else (1, 0)
    found = domain.make(*value[:4], value[4] | bit[0], value[5] | bit[1], kind.bits)
    return found is not None and narrow(at, operand, found)


def _comparison(at: Interpreter, comparison: Compare, truth: bool, depth: int) -> bool:
    predicate = comparison.predicate if truth else domain.NEGATED[comparison.predicate]
    a, b = at.value(comparison.left), at.value(comparison.right)
    if type(a) is PointerRange and type(b) is PointerRange:
        return _pointers(at, predicate, comparison, a, b)
    if type(a) is not tuple or type(b) is not tuple:
        return True
    kind = getattr(comparison.left, "type", None)
    assert isinstance(kind, IntType)
    if _is_truth_test(comparison.right, predicate) and not assume(
        at, comparison.left, predicate == "ne", depth - 1
    ):
        return False
    found = domain.refine(predicate, a, b, kind.bits)
    if found is None or relations.decide(at, comparison) is (not truth):
        return False
    possible = narrow(at, comparison.left, found[0]) and narrow(at, comparison.right, found[1])
    relations.learn(at, predicate, comparison.left, comparison.right)
    return possible


def _is_truth_test(right: Operand, predicate: str) -> bool:
    return isinstance(right, IntConstant) and right.value == 0 and predicate in ("eq", "ne")


def _pointers(at: Interpreter, predicate: str, comparison: Compare, a: PointerRange, b: PointerRange) -> bool:
    if pointers.compare(predicate, a, b) is False:
        return False
    relations.learn(at, predicate, comparison.left, comparison.right)
    for mine, value, other in ((comparison.left, a, b), (comparison.right, b, a)):
        if other.base == "null" and predicate == "ne" and value.base != "null":
            hold(at, mine, value._replace(nonnull=True, or_null=False) if value.base else SOMEWHERE)
        elif other.base == "null" and predicate == "eq":
            # What is from outside is never null, by assumption: nothing to be forgotten.
            if value.or_null or not at.is_outside(value.base):
                hold(at, mine, NULL)
        elif predicate == "eq" and _is_own(other) and not _is_own(value) and at.is_outside(value.base):
            hold(at, mine, other)  # which is as large as it is
        elif not _in_one_object(value, other):
            continue
        elif predicate[0] in "us":
            lower = mine is comparison.left
            narrowed = _ordered(predicate[1:] if lower else domain.SWAPPED[predicate][1:], value, other)
            if narrowed is None:
                return False
            hold(at, mine, narrowed)
        elif other.lo == other.hi and predicate == "ne":
            narrowed = limited(value, value.lo + (value.lo == other.lo), value.hi - (value.hi == other.lo))
            if narrowed is None:
                return False
            hold(at, mine, narrowed)
    return True


def _is_own(pointer: PointerRange) -> bool:
    """Whether a pointer leads to a variable or a heap block of the program's own."""
    return pointer.base is not None and pointer.base[0] in "@%*"


def _in_one_object(a: PointerRange, b: PointerRange) -> bool:
    return a.base is not None and a.base == b.base and not (is_unnamed(a.base) or a.or_null or b.or_null)


def _ordered(kind: str, mine: PointerRange, other: PointerRange) -> PointerRange | None:
    if mine.lo < 0 or other.lo < 0:
        return mine
    match kind:
        case "lt":
            return limited(mine, mine.lo, other.hi - 1)
        case "le":
            return limited(mine, mine.lo, other.hi)
        case "gt":
            return limited(mine, other.lo + 1, mine.hi)
        case _:
            return limited(mine, other.lo, mine.hi)


def hold(at: Interpreter, operand: Operand, value: Any) -> None:
    """A register, and the cell it was loaded from, have this value."""
    if not isinstance(operand, Register):
        return
    name = operand.name
    source = at.source(name)
    if PENDING in at.state:
        for subject in (name, source):
            outcomes.settle(at, subject, value, operand.type)
    if source is None and name not in at.frame.cross:
        return
    state = at.writable()
    if name in at.frame.cross:
        state["r", name] = (value,)
    if source is not None:
        cell = state.get(source)
        state[source] = (value, cell[1] if cell is not None else ())
        if name in at.sources:
            at.sources[name] = (source, state[source])


def narrow(at: Interpreter, operand: Operand, value: Value, depth: int = _DEPTH) -> bool:
    """The operand has this value, which is at most what was known. False: it cannot have it."""
    while isinstance(operand, Register) and depth:
        if at.integer(operand) == value:
            return True
        hold(at, operand, value)
        back = _back(at, operand, value)
        if back is None:
            return True
        operand, found = back
        if found is None:
            return False
        value, depth = found, depth - 1
    return True


def _back(at: Interpreter, operand: Register, value: Value) -> tuple[Operand, Value | None] | None:
    """The operand that another was computed from, and what it must be; None where nothing more is learnt."""
    match at.frame.defs.get(operand.name):
        case Cast(op="zext", value=inner):
            bits = _bits(inner)
            return inner, _met(at, inner, *domain.top(bits)[:2], value[2], min(value[3], (1 << bits) - 1))
        case Cast(op="sext", value=inner):
            bits = _bits(inner)
            lo, hi = domain.top(bits)[:2]
            return inner, _met(at, inner, max(lo, value[0]), min(hi, value[1]), *domain.top(bits)[2:4])
        case Cast(op="trunc", value=inner):
            return _untruncated(at, inner, value, _bits(operand))
        case Binary(op="add" | "sub" as op, left=left, right=IntConstant() as step):
            return _unstepped(at, op, left, step, value)
        case Extract(aggregate=Register(name=name), indices=(0,)):
            made = at.frame.defs.get(name)
            if isinstance(made, Call):
                return _unwrapped(at, made, value)
    return None


def _bits(operand: Operand) -> int:
    kind = getattr(operand, "type", None)
    assert isinstance(kind, IntType)
    return kind.bits


def _met(at: Interpreter, operand: Operand, slo: int, shi: int, ulo: int, uhi: int) -> Value | None:
    bits = _bits(operand)
    if slo > shi or ulo > uhi:
        return None
    made = domain.make(slo, shi, ulo, uhi, 0, 0, bits)
    return None if made is None else domain.meet(at.integer(operand), made, bits)


def _untruncated(
    at: Interpreter, inner: Operand, value: Value, bits: int
) -> tuple[Operand, Value | None] | None:
    whole = at.integer(inner)
    if whole[3] < 1 << bits:
        return inner, _met(at, inner, *domain.top(_bits(inner))[:2], value[2], value[3])
    if -(1 << (bits - 1)) <= whole[0] and whole[1] < 1 << (bits - 1):
        return inner, _met(at, inner, value[0], value[1], *domain.top(_bits(inner))[2:4])
    return None


def _unstepped(
    at: Interpreter, op: str, left: Operand, step: IntConstant, value: Value
) -> tuple[Operand, Value | None] | None:
    """x + c = v gives x = v - c where the sum did not wrap, read as signed or as unsigned."""
    bits = step.type.bits
    x, c = at.integer(left), domain.const(step.value, bits)
    if op == "sub":
        c = domain.sub(domain.const(0, bits), c, bits)
    whole = domain.top(bits)
    lo, hi = whole[:2]
    if x[0] + c[0] >= lo and x[1] + c[0] <= hi:
        return left, _met(at, left, max(lo, value[0] - c[0]), min(hi, value[1] - c[0]), *whole[2:4])
    if x[3] + c[2] <= whole[3]:
        return left, _met(at, left, *whole[:2], max(0, value[2] - c[2]), max(-1, value[3] - c[2]))
    return None


def _unwrapped(at: Interpreter, made: Call, value: Value) -> tuple[Operand, Value | None] | None:
    name = at.whole.graph.target(made) or ""
    if not name.startswith(("llvm.sadd.with.overflow", "llvm.ssub.with.overflow")):
        return None
    left, right = made.arguments
    if isinstance(right, IntConstant):
        return _unstepped(at, name[6:9], left, right, value)
    return None
