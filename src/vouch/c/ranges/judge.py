"""Decides checks from the states that the analysis found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard, assert_never

from vouch.c.checks.base import Check, Trigger
from vouch.c.ir import (
    Binary,
    Branch,
    Call,
    Instruction,
    IntConstant,
    IntType,
    Load,
    Operand,
    Register,
)
from vouch.c.ranges import access, domain, formats, library, refine, written
from vouch.c.ranges.domain import Value
from vouch.c.ranges.interpret import Interpreter
from vouch.c.ranges.intrinsics import exact_bounds
from vouch.c.ranges.solve import FixedPoint
from vouch.c.ranges.state import WHOLE

UNREACHABLE = "unreachable"


def judge(solver: FixedPoint, checks: Iterable[Check]) -> dict[str, str]:
    """Ids of the checks that no execution violates, with the reason ("" where there is nothing to say). Also
    tells the whole about calls and writes on the way, since every reachable instruction is visited once."""
    sites: dict[int, list[Check]] = {}
    for check in checks:
        sites.setdefault(check.site.number, []).append(check)
    found: dict[str, str] = {}
    reached: set[int] = set()
    solver.at.recording = True
    for label in solver.frame.graph.order:
        if label in solver.inputs and label not in solver.frame.handlers:
            solver.at.enter(label, solver.inputs[label])
            _visit(solver, label, sites, reached, found)
    solver.at.recording = False
    asked = _asked(solver)
    for site, held in sites.items():
        if site not in reached:
            found.update(
                (c.id, "" if c.trigger in _REACHING and site in asked else UNREACHABLE) for c in held
            )
    return found


_REACHING = frozenset({Trigger.REACHED, Trigger.REACHED_ZERO, Trigger.REACHED_NONZERO})


def _asked(solver: FixedPoint) -> set[int]:
    """Calls in blocks that a reached block branches to, if only by a condition that never holds: being
    reached there is the violation, and the question was asked."""
    blocks = solver.frame.function.blocks
    found: set[int] = set()
    for label in solver.inputs:
        last = blocks[label].terminator
        if isinstance(last, Branch):
            for target in (last.then, last.otherwise):
                if (target is not None and target not in solver.inputs) or target in solver.frame.handlers:
                    found |= {i.number for i in blocks[target].instructions if isinstance(i, Call)}
    return found


def _visit(
    solver: FixedPoint, label: str, sites: dict[int, list[Check]], reached: set[int], found: dict[str, str]
) -> None:
    """Run a block, deciding the checks of its instructions and of the handler that it may branch to."""
    at = solver.at
    for instruction in solver.frame.function.blocks[label].instructions:
        if instruction.number in sites:
            reached.add(instruction.number)
            for check in sites[instruction.number]:
                reason = _holds(at, check)
                if reason is not None:
                    found[check.id] = reason
        if (
            isinstance(instruction, Branch)
            and solver.frame.handlers.get(instruction.otherwise or "") is not None
        ):
            assert instruction.condition is not None
            assert instruction.otherwise is not None
            if refine.assume(at, instruction.condition, False):
                _visit(solver, instruction.otherwise, sites, reached, found)
            return
        if isinstance(instruction, Call):
            _note_printed(at, instruction)
        at.step(instruction)
        if at.dead:
            return


def _note_printed(at: Interpreter, call: Call) -> None:
    """How much a call prints to memory, where it is known to be there and nothing else is accessed."""
    found = formats.printed(at, call, at.whole.graph.called(call))
    if found is None or found.place.to is None:
        return
    at.whole.printed.pop(call.number, None)
    length = formats.length(call, found)
    if not found.texts and library.outcome(at, call)[0] is not None:
        at.whole.printed[call.number] = (*formats.stretch(at, call, found), length[0], length[1])


def _holds(at: Interpreter, check: Check) -> str | None:
    """Why the check cannot be violated in the current state, None where it may be."""
    site = check.site
    safe: bool
    match check.trigger:
        case Trigger.REACHED_ZERO:
            safe = _is_integer(check.value) and at.integer(check.value)[2] > 0
        case Trigger.REACHED_NONZERO:
            safe = (
                isinstance(site, Call)
                and check.value is not None
                and not _may_overflow(at, site, check.value)
            )
        case Trigger.FALSE_ARGUMENT:
            assert isinstance(site, Call)
            before = at.mark()
            safe = not refine.assume(at, site.arguments[check.argument], False)
            at.reset(before)
        case Trigger.NARROWING:
            safe = _is_integer(check.value) and _fits(at.integer(check.value), check)
        case Trigger.OVERFLOW:
            safe = isinstance(site, Binary) and _no_overflow(at, site, check.signed_to)
        case Trigger.SHIFT:
            safe = isinstance(site, Binary) and isinstance(site.type, IntType)
            safe = safe and isinstance(site, Binary) and at.integer(site.right)[3] < _width(site)
        case Trigger.ACCESS:
            if check.written and isinstance(site, Load) and access.is_constant(at, site.pointer):
                return None
            return library.outcome(at, site)[0] if _calls_library(site, at) else access.valid_access(at, site)
        case Trigger.UNINITIALISED:
            if _calls_library(site, at):
                _doubt(at, check)
                return library.outcome(at, site)[1]
            if not isinstance(site, Load):
                return None
            return _read(at, check, site)
        case Trigger.CALL | Trigger.MEMBER:
            assert check.value is not None
            return access.OUTSIDE if access.is_trusted(at, at.pointer(check.value)) else None
        case (
            Trigger.REACHED
            | Trigger.REQUIRED
            | Trigger.FREE
            | Trigger.LEAK
            | Trigger.NAN
            | Trigger.UNFINDABLE
            | Trigger.NEVER
        ):
            return None
        case _ as never:
            assert_never(never)
    return "" if safe else None


def _read(at: Interpreter, check: Check, site: Load) -> str | None:
    """Why what a load reads was written. Where that rests on the function's own writes alone, no copy of
    something unwritten elsewhere matters."""
    sizes = [size for _, size in access.accesses(at, site)]
    pointer = at.pointer(site.pointer)
    _doubt(at, check)
    extent = at.extents.get(pointer.base or "")
    size = sizes[0] if sizes else None
    own = extent is not None and not extent.outside and size is not None
    if own and size is not None and written.covers(at, pointer, size):
        at.whole.doubtful.discard(check.id)
        return ""
    return access.is_written(at, pointer, size)


def _doubt(at: Interpreter, check: Check) -> None:
    """Note whether a proof rests on nobody having copied something unwritten elsewhere."""
    if WHOLE in at.state:
        at.whole.doubtful.discard(check.id)
    else:
        at.whole.doubtful.add(check.id)


def _is_integer(value: Operand | None) -> TypeGuard[Operand]:
    """Ranges say nothing about fractions and vectors."""
    return isinstance(getattr(value, "type", None), IntType)


def _width(site: Binary) -> int:
    return site.type.bits if isinstance(site.type, IntType) else 0


def _may_overflow(at: Interpreter, handler: Call, divisor: Operand) -> bool:
    """Whether a division handler can be reached for INT_MIN / -1."""
    right = at.integer(divisor)
    if not right[0] <= -1 <= right[1]:
        return False
    left = handler.arguments[1]
    definition = at.frame.defs.get(left.name) if isinstance(left, Register) else None
    inner = getattr(definition, "value", None) if definition is not None and definition.nosanitize else left
    kind = getattr(divisor, "type", None)
    if not isinstance(inner, Operand) or not isinstance(kind, IntType):
        return True
    if isinstance(inner, IntConstant):  # extended with zeros for the handler
        return inner.value % (1 << kind.bits) == 1 << (kind.bits - 1)
    return getattr(inner, "type", None) != kind or at.integer(inner)[0] == -(1 << (kind.bits - 1))


def _fits(value: Value, check: Check) -> bool:
    ways = (True, False) if check.either_sign else (check.signed_from,)
    return all(_holds_numbers(check, *(value[:2] if signed else value[2:4])) for signed in ways)


def _holds_numbers(check: Check, lo: int, hi: int) -> bool:
    if check.signed_to:
        return -(1 << (check.bits - 1)) <= lo and hi < 1 << (check.bits - 1)
    return lo >= 0 and hi < 1 << check.bits


def _no_overflow(at: Interpreter, site: Binary, signed: bool) -> bool:
    a, b = at.integer(site.left), at.integer(site.right)
    bits = _width(site)
    if not bits:
        return False
    if site.op in ("sdiv", "srem"):
        return a[0] > -(1 << (bits - 1)) or not b[0] <= -1 <= b[1]
    lo, hi = exact_bounds(signed, site.op, a, b)
    smallest, largest = domain.top(bits)[:2] if signed else domain.top(bits)[2:4]
    return smallest <= lo and hi <= largest


def _calls_library(site: Instruction, at: Interpreter) -> TypeGuard[Call]:
    return isinstance(site, Call) and (at.whole.graph.target(site) or "") in at.whole.program.models
