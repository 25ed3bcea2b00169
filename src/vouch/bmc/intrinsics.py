"""LLVM's intrinsic functions that clang emits for C and C++."""

from __future__ import annotations

from collections.abc import Callable

from vouch.bmc import access, memory_ops, operands, variadic
from vouch.bmc.contents import Contents
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.initial import Unknown
from vouch.bmc.operands import operand_value, pointer_of, term_of
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

_IGNORED = (
    "llvm.dbg.",
    "llvm.va_end",
    "llvm.assume",
    "llvm.prefetch",
    "llvm.donothing",
    "llvm.sideeffect",
    "llvm.experimental.noalias",
    "llvm.invariant.",
    "llvm.var.annotation",
    "llvm.eh.",
)


def run(ex: Execution, frame: Frame, state: State, call: ir.Call, name: str) -> State | None:
    if name.startswith(_IGNORED):
        if call.result is not None:
            operands.finish(frame, call, ex.context.fresh(call.type, "ignored"))
        return state
    if name in ("llvm.trap", "llvm.ubsantrap", "llvm.debugtrap"):
        return None if name != "llvm.debugtrap" else state
    parts = name.split(".")
    if parts[1] == "lifetime":
        variable = call.arguments[-1]
        name = variable.name if isinstance(variable, ir.Register) else ""
        lifetime(ex, frame, state, name, pointer_of(ex, frame, variable), parts[2])
        return state
    if name.startswith("llvm.stackrestore"):
        _restore(ex, frame, state, pointer_of(ex, frame, call.arguments[0]))
        return state
    if name.startswith(("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")):
        _memory(ex, frame, state, call, parts[1])
        return state
    if name.startswith(("llvm.va_start", "llvm.va_copy")):
        _variadic(ex, frame, state, call, parts[1])
        return state
    operands.finish(frame, call, _value(ex, frame, state, call, name, parts))
    return state


def _memory(ex: Execution, frame: Frame, state: State, call: ir.Call, kind: str) -> None:
    destination = pointer_of(ex, frame, call.arguments[0])
    size = term_of(ex, frame, call.arguments[2])
    if kind == "memset":
        byte = term_of(ex, frame, call.arguments[1])
        memory_ops.fill(ex, frame, state, call, destination, byte, size)
    else:
        source = pointer_of(ex, frame, call.arguments[1])
        memory_ops.copy(ex, frame, state, call, destination, source, size, apart=kind == "memcpy")
    memory_ops.note(ex, frame, state, call, destination, size)


def lifetime(ex: Execution, frame: Frame, state: State, name: str, pointer: Pointer, kind: str) -> None:
    """A block's variables begin without a value and end with the block. What begins again is another variable
    than the one that pointers kept from the last time lead to."""
    for guard, target, _ in pointer.targets:
        if target.kind is not Kind.STACK or guard is not T.TRUE:
            continue
        if kind == "end":
            contents = Contents(state.token)
            contents.alive = T.FALSE
            state.memory[target] = contents
        elif name in frame.fixed and _is_kept(ex, state, target):
            _begin_anew(ex, frame, state, name, target)
        else:
            state.memory[target] = Contents(state.token, ex.begun(state, target))


def _is_kept(ex: Execution, state: State, target: MemObject) -> bool:
    """May its life have ended before, and does a pointer to it remain in memory?"""
    last = state.memory.get(target)
    if last is None or last.alive is T.TRUE or not ex.escapes(target):
        return False
    walker = ex.context.environment.walker
    return any(
        walker.leads_to(value, target)
        for place, contents in state.memory.items()
        if not place.dead and contents.alive is not T.FALSE
        for _, value in walker.stored(place, contents)
    )


def _begin_anew(ex: Execution, frame: Frame, state: State, name: str, last: MemObject) -> None:
    made = ex.new_object(state, Kind.STACK, last.name, last.size, Unknown(undefined=True), last.align)
    made.ctype = last.ctype
    frame.objects.append(made)
    ex.allocated(state, made, ex.owners.get(last, ""))
    frame.fixed[name] = Pointer.to(made, ex.context.zero_offset)
    frame.registers.pop(name, None)


def _saved(ex: Execution, frame: Frame) -> Pointer:
    """The top of the stack, told by how many objects the activation has."""
    return Pointer.to(ex.context.null_object, T.bv(len(frame.objects), ex.context.pointer_bits))


def _restore(ex: Execution, frame: Frame, state: State, saved: Pointer) -> None:
    """Arrays of variable length end with their block: those that came after the stack was saved. Of what an
    induction forgot, all may have."""
    own = {o for p in frame.fixed.values() if isinstance(p, Pointer) for _, o, _ in p.targets}
    for guard, place, offset in saved.targets:
        known = place.kind is Kind.NULL and offset.value is not None
        for target in frame.objects[int(offset.value or 0) if known else 0 :]:
            if target in own:
                continue
            old = state.memory.get(target)
            new = Contents(state.token) if old is None else old.copy(state.token)
            new.alive = T.and_(new.alive, T.not_(guard))
            state.memory[target] = new


def _variadic(ex: Execution, frame: Frame, state: State, call: ir.Call, kind: str) -> None:
    target = pointer_of(ex, frame, call.arguments[0])
    if kind == "va_start":
        variadic.va_start(ex, frame, state, call, target)
        return
    source = pointer_of(ex, frame, call.arguments[1])
    size = 24 if ex.context.program.triple.startswith("x86_64") else ex.context.pointer_bits // 8
    memory_ops.copy(ex, frame, state, call, target, source, T.bv(size, ex.context.pointer_bits))


OVERFLOW: dict[str, tuple[Callable[[Term, Term], Term], Callable[[Term, Term], Term]]] = {
    "sadd": (T.add, T.sadd_overflow),
    "uadd": (T.add, T.uadd_overflow),
    "ssub": (T.sub, T.ssub_overflow),
    "usub": (T.sub, T.usub_overflow),
    "smul": (T.mul, T.smul_overflow),
    "umul": (T.mul, T.umul_overflow),
}
_COMPARE: dict[str, Callable[[Term, Term], Term]] = {
    "smax": T.sgt,
    "smin": T.slt,
    "umax": T.ugt,
    "umin": T.ult,
}
_ROUND = {
    "floor": "rtn",
    "ceil": "rtp",
    "trunc": "rtz",
    "rint": "rne",
    "nearbyint": "rne",
    "roundeven": "rne",
    "round": "rna",
}


def _value(
    ex: Execution, frame: Frame, state: State, call: ir.Call, name: str, parts: list[str]
) -> Value | None:
    operands = [
        operand_value(ex, frame.registers, a) for a in call.arguments if not isinstance(a, ir.MetadataOperand)
    ]
    kind = parts[1]
    match kind:
        case "expect" | "launder" | "strip" | "ssa" | "threadlocal" | "annotation" | "ptr" | "arithmetic":
            return operands[0]
        case "stacksave":
            return _saved(ex, frame)
        case "frameaddress" | "returnaddress":
            return ex.context.fresh(call.type, kind)
        case "objectsize":
            return _object_size(ex, operands, call)
        case "is" if name.startswith("llvm.is.constant"):
            return T.FALSE
        case "is" if name.startswith("llvm.is.fpclass"):
            return _class(operands)
        case "ptrmask":
            return _mask(ex, operands)
    if any(isinstance(v, tuple) for v in operands):
        return _by_element(kind, parts, operands)
    terms = [v for v in operands if isinstance(v, Term)]
    if len(terms) != len(operands):
        raise Unsupported(f"intrinsic {name}")
    return _scalar(name, kind, parts, terms)


def _by_element(kind: str, parts: list[str], operands: list[Value]) -> Value:
    """Intrinsics on vectors work on each element; a scalar operand goes with all of them."""
    count = next(len(v) for v in operands if isinstance(v, tuple))
    rows: list[Value] = []
    for position in range(count):
        row = [v[position] if isinstance(v, tuple) else v for v in operands]
        terms = [v for v in row if isinstance(v, Term)]
        rows.append(_scalar(".".join(parts), kind, parts, terms))
    if isinstance(rows[0], tuple):
        return tuple(tuple(row[i] for row in rows if isinstance(row, tuple)) for i in range(len(rows[0])))
    return tuple(rows)


def _scalar(name: str, kind: str, parts: list[str], t: list[Term]) -> Value:
    if kind in OVERFLOW and "overflow" in parts:
        value, overflow = OVERFLOW[kind]
        return (value(t[0], t[1]), overflow(t[0], t[1]))
    if kind in OVERFLOW and parts[2] == "sat":
        return _saturated(kind, t[0], t[1])
    if kind in _COMPARE:
        return T.ite(_COMPARE[kind](t[0], t[1]), t[0], t[1])
    if kind in _ROUND:
        return T.fp_round(t[0], _ROUND[kind])
    match kind:
        case "abs":
            return T.ite(T.slt(t[0], T.bv(0, t[0].width)), T.neg(t[0]), t[0])
        case "bswap":
            return _join([T.extract(t[0], 8 * i + 7, 8 * i) for i in range(t[0].width // 8)])
        case "bitreverse":
            return _join([T.extract(t[0], i, i) for i in range(t[0].width)])
        case "ctpop":
            return _count(t[0])
        case "ctlz":
            return _leading(t[0], reverse=True)
        case "cttz":
            return _leading(t[0], reverse=False)
        case "fshl" | "fshr":
            return _funnel(kind, *t)
        case "fabs":
            return T.fp_abs(t[0])
        case "sqrt":
            return T.fp_sqrt(t[0])
        case "fma":
            return T.fp_fma(*t)
        case "fmuladd":
            return T.fp_add(T.fp_mul(t[0], t[1]), t[2])
        case "minnum" | "minimumnum":
            return T.fp_min(t[0], t[1])
        case "maxnum" | "maximumnum":
            return T.fp_max(t[0], t[1])
        case "copysign":
            return _copysign(t[0], t[1])
        case "modf":
            return _parted(t[0])
        case _:
            raise Unsupported(f"intrinsic {name}")


def _saturated(kind: str, a: Term, b: Term) -> Term:
    value, overflow = OVERFLOW[kind]
    width = a.width
    if kind[0] == "u":
        limit = T.bv(-1 if kind == "uadd" else 0, width)
    else:
        negative = T.slt(a, T.bv(0, width))
        limit = T.ite(negative, T.bv(1 << (width - 1), width), T.bv((1 << (width - 1)) - 1, width))
    return T.ite(overflow(a, b), limit, value(a, b))


def _join(parts: list[Term]) -> Term:
    """The first part becomes the most significant."""
    result = parts[0]
    for part in parts[1:]:
        result = T.concat(result, part)
    return result


def _count(value: Term) -> Term:
    width = value.width
    total = T.bv(0, width)
    for i in range(width):
        bit = T.extract(value, i, i)
        total = T.add(total, T.zext(bit, width) if width > 1 else bit)
    return total


def _leading(value: Term, *, reverse: bool) -> Term:
    """Zeros before the first one, from the top or from the bottom; the width for zero."""
    width = value.width
    result = T.bv(width, width)
    positions = range(width) if reverse else range(width - 1, -1, -1)
    for i in positions:
        number = width - 1 - i if reverse else i
        result = T.ite(T.eq(T.extract(value, i, i), T.bv(1, 1)), T.bv(number, width), result)
    return result


def _funnel(kind: str, a: Term, b: Term, amount: Term) -> Term:
    width = a.width
    both = T.concat(a, b)
    shift = T.zext(T.urem(amount, T.bv(width, width)), 2 * width)
    if kind == "fshl":
        return T.extract(T.shl(both, shift), 2 * width - 1, width)
    return T.extract(T.lshr(both, shift), width - 1, 0)


def _parted(x: Term) -> Value:
    """What is behind the point of a number and what is before it, both with its sign."""
    whole = T.fp_round(x, "rtz")
    rest = T.ite(T.fp_is_inf(x), T.fp_const(0, x.sort), T.fp_sub(x, whole))
    return _copysign(rest, x), whole


def _copysign(a: Term, b: Term) -> Term:
    magnitude = T.fp_abs(a)
    return T.ite(T.fp_is_negative(b), T.fp_neg(magnitude), magnitude)


def _class(operands: list[Value]) -> Term:
    """llvm.is.fpclass: a mask of the classes of IEEE numbers."""
    value, mask = operands
    assert isinstance(value, Term)
    assert isinstance(mask, Term)
    bits = int(mask.value or 0)
    negative = T.fp_is_negative(value)
    nan, inf, zero, small = (
        T.fp_is_nan(value),
        T.fp_is_inf(value),
        T.fp_is_zero(value),
        T.fp_is_subnormal(value),
    )
    normal = T.not_(T.or_(nan, inf, zero, small))
    classes = [
        (0x3, nan),
        (0x4, T.and_(negative, inf)),
        (0x8, T.and_(negative, normal)),
        (0x10, T.and_(negative, small)),
        (0x20, T.and_(negative, zero)),
        (0x40, T.and_(T.not_(negative), zero)),
        (0x80, T.and_(T.not_(negative), small)),
        (0x100, T.and_(T.not_(negative), normal)),
        (0x200, T.and_(T.not_(negative), inf)),
    ]
    chosen = [condition for flag, condition in classes if bits & flag]
    return T.or_(*chosen) if len(chosen) > 1 else (chosen[0] if chosen else T.FALSE)


def _object_size(ex: Execution, operands: list[Value], call: ir.Call) -> Term:
    """Unknown at compile time: all ones, or zero when the minimum is asked for."""
    assert isinstance(call.type, ir.IntType)
    minimum = operands[1]
    return T.bv(0 if minimum is T.TRUE else -1, call.type.bits)


def _mask(ex: Execution, operands: list[Value]) -> Value:
    pointer, mask = operands
    assert isinstance(pointer, Pointer)
    assert isinstance(mask, Term)
    return ex.context.pointer_from(T.band(ex.context.address(pointer), mask))


def object_size(ex: Execution, state: State, pointer: Pointer) -> Term:
    """Bytes from a pointer to the end of its object; all ones where that is not known."""
    bits = ex.context.pointer_bits
    result = T.bv(0, bits)
    for guard, target, offset in reversed(pointer.targets):
        if target.kind not in access.MAIN:
            size = T.bv(0, bits)
        elif target.size is None:
            size = T.bv((1 << (bits - 1)) - 1, bits)
        else:
            whole = T.bv(target.size, bits) if isinstance(target.size, int) else target.size
            size = T.sub(whole, offset)
        result = T.ite(guard, size, result)
    return result


__all__ = ["Kind", "object_size", "run"]
