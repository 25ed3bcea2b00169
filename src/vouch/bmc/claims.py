"""From checks to claims: the condition under which an execution of a site violates its checks.

Triggers that concern memory (ACCESS, UNINITIALISED, FREE, LEAK) are evaluated where the access is, demands
of library models (REQUIRED) where the model makes them; all others here, before the instruction runs, or
behind it where they concern its result (NAN). An operation on vectors violates a check where it does so for
any element. A condition that cannot be worked out leaves the check undecided; a check that nobody claims
although its site was executed is not evaluated, and undecided too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from vouch.bmc import access, operands
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.state import State
from vouch.bmc.value import Pointer, Value
from vouch.c import ir
from vouch.c.checks.base import Check, Trigger
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

ELSEWHERE = frozenset(
    {
        Trigger.ACCESS,
        Trigger.UNINITIALISED,
        Trigger.REQUIRED,
        Trigger.FREE,
        Trigger.LEAK,
        Trigger.NAN,
        Trigger.NEVER,
    }
)


def at_site(
    ex: Execution, frame: Frame, state: State, instruction: ir.Instruction, condition: Term = T.TRUE
) -> None:
    """Claim every check of the site. `condition` is the one under which a handler would be called."""
    for check in ex.sites.get(instruction.number, ()):
        if check.trigger not in ELSEWHERE:
            try:
                violated = _violation(ex, frame, check, instruction)
            except Unsupported as reason:
                violated = ex.doubt(str(reason))
            ex.claim(check, state, T.and_(condition, violated))


def of_result(ex: Execution, frame: Frame, state: State, instruction: ir.Instruction) -> None:
    """Claim the checks of a site that look at what the instruction yields."""
    if instruction.result is None or isinstance(instruction, ir.AtomicUpdate):
        return  # what an atomic update yields is the old value
    if any(check.trigger is Trigger.NAN for check in ex.sites.get(instruction.number, ())):
        result = frame.registers.get(instruction.result)
        try:
            given = [operands.value_of(ex, frame, operand) for operand in float_operands(ex, instruction)]
            not_finite(ex, state, instruction, given, result, _computed(ex, instruction))
        except Unsupported as reason:
            ex.claims_at(instruction, state, Trigger.NAN, ex.doubt(str(reason)))


def float_operands(ex: Execution, instruction: ir.Instruction) -> list[ir.Operand]:
    """The numbers that an operation, a conversion or a function of `math.h` starts from."""
    match instruction:
        case ir.Binary(left=left, right=right):
            found = [left, right]
        case ir.Cast(value=value):
            found = [value]
        case ir.Call(arguments=arguments):
            found = [a for a in arguments if not isinstance(a, ir.MetadataOperand)]
        case _:
            raise Unsupported(f"float check of {type(instruction).__name__}")
    return [operand for operand in found if _is_float(ex.context.type_of(operand))]


def _is_float(kind: ir.Type) -> bool:
    return isinstance(kind.element if isinstance(kind, ir.VectorType) else kind, ir.FloatType)


def _computed(ex: Execution, instruction: ir.Instruction) -> Term:
    """True, or for a function of the library that has neither body nor model a condition that stands for
    not knowing what it yields."""
    callee = instruction.callee if isinstance(instruction, ir.Call) else None
    if not isinstance(callee, ir.GlobalConstant) or callee.name.startswith("llvm."):
        return T.TRUE
    function = ex.context.program.functions.get(callee.name)
    if function is not None and function.defined:
        return T.TRUE
    symbol = T.fresh("not.computed", T.BOOL)
    ex.context.inexact[symbol] = f"the result of {callee.name} is not computed"
    return symbol


def not_finite(
    ex: Execution,
    state: State,
    site: ir.Instruction,
    given: Sequence[Value],
    result: Value | None,
    computed: Term = T.TRUE,
) -> None:
    """Claim that finite operands give a finite result, element by element."""
    results = elements(result) if result is not None else ()
    if not results:
        violated = ex.doubt("a float result that is not known")
    else:
        columns = [elements(value) for value in given]
        bad = [_no_number(r, [c[n if len(c) > 1 else 0] for c in columns]) for n, r in enumerate(results)]
        violated = T.or_(*bad) if len(bad) > 1 else bad[0]
    ex.claims_at(site, state, Trigger.NAN, T.and_(violated, computed))


def _no_number(result: Term, given: Sequence[Term]) -> Term:
    strange = [test(x) for x in given for test in (T.fp_is_nan, T.fp_is_inf)]
    finite = T.not_(T.or_(*strange)) if strange else T.TRUE
    return T.and_(finite, T.or_(T.fp_is_nan(result), T.fp_is_inf(result)))


def elements(value: Value) -> tuple[Term, ...]:
    """The numbers of a vector; a scalar is its only one."""
    parts = value if isinstance(value, tuple) else (value,)
    found = tuple(part for part in parts if isinstance(part, Term))
    if len(found) != len(parts):
        raise Unsupported("a pointer or aggregate where a number is expected")
    return found


def _violation(ex: Execution, frame: Frame, check: Check, site: ir.Instruction) -> Term:
    match check.trigger:
        case Trigger.REACHED:
            return T.TRUE
        case Trigger.FALSE_ARGUMENT:
            assert isinstance(site, ir.Call)
            return is_zero(ex, frame, site.arguments[check.argument])
        case Trigger.REACHED_ZERO:
            assert check.value is not None
            return is_zero(ex, frame, check.value)
        case Trigger.REACHED_NONZERO:
            assert check.value is not None
            return T.not_(is_zero(ex, frame, check.value))
        case Trigger.CALL:
            assert check.value is not None
            return access.bad_callee(operands.pointer_of(ex, frame, check.value))
        case Trigger.MEMBER:
            assert check.value is not None
            return access.is_null(operands.pointer_of(ex, frame, check.value))
        case Trigger.NARROWING:
            assert check.value is not None
            values = elements(operands.value_of(ex, frame, check.value))
            return _any(_narrows(ex, value, check) for value in values)
        case Trigger.OVERFLOW:
            op = site.op if isinstance(site, ir.Binary) else "sdiv"
            pairs = list(_pairs(ex, frame, site))
            overflow = _any(_overflow(op, a, b, check.signed_to) for a, b in pairs)
            if op not in ("sdiv", "srem"):
                return overflow
            # Of vectors, another element may be divided by zero, which is a check of its own.
            return T.and_(overflow, *(T.ne(b, T.bv(0, b.width)) for _, b in pairs))
        case Trigger.SHIFT:
            return _any(T.uge(n, T.bv(n.width, n.width)) for _, n in _pairs(ex, frame, site))
        case Trigger.UNFINDABLE:
            raise Unsupported(check.message)
        case (
            Trigger.ACCESS
            | Trigger.UNINITIALISED
            | Trigger.REQUIRED
            | Trigger.FREE
            | Trigger.LEAK
            | Trigger.NAN
            | Trigger.NEVER
        ):
            raise Unsupported(f"check of kind {check.trigger}")
        case _ as never:
            assert_never(never)


def _any(conditions: Iterable[Term]) -> Term:
    found = list(conditions)
    return T.or_(*found) if len(found) > 1 else found[0]


def _pairs(ex: Execution, frame: Frame, site: ir.Instruction) -> Iterator[tuple[Term, Term]]:
    """The operands of an operation, or of a function that is one: its last two arguments."""
    assert isinstance(site, (ir.Binary, ir.Call))
    sides = (site.left, site.right) if isinstance(site, ir.Binary) else site.arguments[-2:]
    left, right = (operands.value_of(ex, frame, side) for side in sides)
    return zip(elements(left), elements(right), strict=True)


def is_zero(ex: Execution, frame: Frame, operand: ir.Operand) -> Term:
    value = operands.operand_value(ex, frame.registers, operand)
    if isinstance(value, Pointer):
        return access.compare_pointers(ex, "eq", value, ex.context.null)
    return _any(_equals_zero(ex, part) for part in elements(value))


def _equals_zero(ex: Execution, value: Term) -> Term:
    if value.sort is T.BOOL:
        return T.not_(value)
    if ex.context.float_type(value.sort) is not None:
        return T.fp_is_zero(value)
    return T.eq(value, T.bv(0, value.width))


def _narrows(ex: Execution, value: Term, check: Check) -> Term:
    if ex.context.float_type(value.sort) is None:
        found = narrows(value, check.bits, check.signed_from, check.signed_to)
        if not check.either_sign:
            return found
        other = narrows(value, check.bits, not check.signed_from, check.signed_to)
        if found is other:
            return found
        doubt = ex.doubt("whether the converted number is signed cannot be told")
        ex.context.preferences.append(T.not_(doubt))  # a run shows it that changes it in any case
        return T.or_(T.and_(found, other), T.and_(T.or_(found, other), doubt))
    bits = check.bits - 1 if check.signed_to else check.bits
    return T.not_(T.fp_in_range(value, -(1 << bits) if check.signed_to else 0, (1 << bits) - 1))


def narrows(value: Term, bits: int, signed_from: bool, signed_to: bool) -> Term:
    """The number changes when it is cut to `bits`: compared in one more bit, where all numbers meet."""
    if bits >= value.width and signed_from == signed_to:
        return T.FALSE
    width = max(value.width, bits) + 1
    before = T.sext(value, width) if signed_from else T.zext(value, width)
    low = T.extract(value, bits - 1, 0) if bits < value.width else before
    if bits >= value.width:
        low = T.extract(before, bits - 1, 0)
    after = T.sext(low, width) if signed_to else T.zext(low, width)
    return T.ne(before, after)


def _overflow(op: str, left: Term, right: Term, signed: bool) -> Term:
    width = left.width
    match op:
        case "add":
            return T.sadd_overflow(left, right) if signed else T.uadd_overflow(left, right)
        case "sub":
            return T.ssub_overflow(left, right) if signed else T.usub_overflow(left, right)
        case "mul":
            return T.smul_overflow(left, right) if signed else T.umul_overflow(left, right)
        case "sdiv" | "srem":
            least = T.eq(left, T.bv(1 << (width - 1), width))
            return T.and_(least, T.eq(right, T.bv(-1, width)))
        case _:
            raise Unsupported(f"overflow of {op}")
