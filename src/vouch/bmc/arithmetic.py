"""Arithmetic, comparisons and conversions on registers."""

from __future__ import annotations

from collections.abc import Callable

from vouch.bmc import access
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.operands import value_of
from vouch.bmc.state import State
from vouch.bmc.value import Pointer, Value, merge
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.term import Term

INTEGER: dict[str, Callable[[Term, Term], Term]] = {
    "add": T.add,
    "sub": T.sub,
    "mul": T.mul,
    "and": T.band,
    "or": T.bor,
    "xor": T.bxor,
}
FLOAT: dict[str, Callable[[Term, Term], Term]] = {
    "fadd": T.fp_add,
    "fsub": T.fp_sub,
    "fmul": T.fp_mul,
    "fdiv": T.fp_div,
    "frem": T.fp_fmod,
}
BOOLEAN: dict[str, Callable[[Term, Term], Term]] = {
    "and": lambda a, b: T.and_(a, b),
    "or": lambda a, b: T.or_(a, b),
    "xor": T.xor,
    "add": T.xor,
    "sub": T.xor,
    "mul": lambda a, b: T.and_(a, b),
}


def binary(ex: Execution, frame: Frame, state: State, i: ir.Binary) -> Value:
    left, right = value_of(ex, frame, i.left), value_of(ex, frame, i.right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return tuple(_scalar_binary(ex, frame, state, i, a, b) for a, b in zip(left, right, strict=True))
    return _scalar_binary(ex, frame, state, i, left, right)


def _undefined(ex: Execution, frame: Frame, state: State, i: ir.Instruction, width: int, when: Term) -> Term:
    """What an undefined operation yields: anything. The replay makes it yield the same."""
    value = T.fresh("undefined", T.bitvec(width))
    if isinstance(i.type, ir.IntType):
        event = ex.incoming(state, "undefined", frame.function.name, i.type, value, i.location)
        event.guard = T.and_(event.guard, when)
    return value


def _scalar_binary(
    ex: Execution, frame: Frame, state: State, i: ir.Binary, left: Value, right: Value
) -> Value:
    if not isinstance(left, Term) or not isinstance(right, Term):
        raise Unsupported(f"{i.op} of pointers")
    op = i.op
    if op in FLOAT:
        return FLOAT[op](left, right)
    if left.sort is T.BOOL:
        if op not in BOOLEAN:
            raise Unsupported(f"{op} of single bits")
        return BOOLEAN[op](left, right)
    if op in INTEGER:
        return _integer(ex, i, left, right)
    width = left.width
    if op in ("shl", "lshr", "ashr"):
        shifted = {"shl": T.shl, "lshr": T.lshr, "ashr": T.ashr}[op](left, right)
        good = T.ult(right, T.bv(width, width))
        if good is T.TRUE:
            return shifted
        return T.ite(good, shifted, _undefined(ex, frame, state, i, width, T.not_(good)))
    divided = {"udiv": T.udiv, "sdiv": T.sdiv, "urem": T.urem, "srem": T.srem}[op](left, right)
    zero = T.eq(right, T.bv(0, width))
    if zero is T.FALSE:
        return divided
    return T.ite(zero, _undefined(ex, frame, state, i, width, zero), divided)


def _integer(ex: Execution, i: ir.Binary, left: Term, right: Term) -> Term:
    """Sums and differences keep track of addresses: p - q of one object is a difference of offsets."""
    context = ex.context
    if i.op in ("add", "sub") and left.width == context.pointer_bits:
        p, q = context.pointer_of_number(left), context.pointer_of_number(right)
        if i.op == "sub" and p is not None and q is not None:
            difference = access.pointer_difference(ex, p, q)
            if difference is not None:
                return difference
        result = INTEGER[i.op](left, right)
        if p is not None and q is None:
            context.remember_number(result, p.shifted(right if i.op == "add" else T.neg(right)))
        elif q is not None and p is None and i.op == "add":
            context.remember_number(result, q.shifted(left))
        return result
    return INTEGER[i.op](left, right)


def unary(ex: Execution, frame: Frame, state: State, i: ir.Unary) -> Value:
    value = value_of(ex, frame, i.value)
    if i.op == "freeze":
        return value
    if isinstance(value, tuple):
        return tuple(T.fp_neg(v) for v in value if isinstance(v, Term))
    assert isinstance(value, Term)
    return T.fp_neg(value)


INT_COMPARE: dict[str, Callable[[Term, Term], Term]] = {
    "eq": T.eq,
    "ne": T.ne,
    "ugt": T.ugt,
    "uge": T.uge,
    "ult": T.ult,
    "ule": T.ule,
    "sgt": T.sgt,
    "sge": T.sge,
    "slt": T.slt,
    "sle": T.sle,
}


def compare_values(ex: Execution, frame: Frame, state: State, i: ir.Compare) -> Value:
    left, right = value_of(ex, frame, i.left), value_of(ex, frame, i.right)
    if isinstance(left, tuple) and isinstance(right, tuple):
        return tuple(compare(ex, i, a, b) for a, b in zip(left, right, strict=True))
    return compare(ex, i, left, right)


def compare(ex: Execution, i: ir.Compare, left: Value, right: Value) -> Term:
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        return access.compare_pointers(ex, i.predicate, left, right)
    assert isinstance(left, Term)
    assert isinstance(right, Term)
    if i.op == "fcmp":
        return _compare_floats(i.predicate, left, right)
    if left.sort is T.BOOL:
        left, right = T.bool_to_bv(left, 1), T.bool_to_bv(right, 1)
    if left.width == ex.context.pointer_bits:
        p, q = ex.context.pointer_of_number(left), ex.context.pointer_of_number(right)
        if p is not None and q is not None:
            return access.compare_pointers(ex, i.predicate, p, q)
        if p is not None and right.value == 0:
            return access.compare_pointers(ex, i.predicate, p, ex.context.null)
    return INT_COMPARE[i.predicate](left, right)


def _compare_floats(predicate: str, left: Term, right: Term) -> Term:
    """Ordered predicates are false, unordered ones true when an operand is a NaN."""
    unordered = T.or_(T.fp_is_nan(left), T.fp_is_nan(right))
    match predicate:
        case "false":
            return T.FALSE
        case "true":
            return T.TRUE
        case "ord":
            return T.not_(unordered)
        case "uno":
            return unordered
    kinds: dict[str, Callable[[Term, Term], Term]] = {
        "eq": T.fp_eq,
        "lt": T.fp_lt,
        "le": T.fp_le,
        "gt": lambda a, b: T.fp_lt(b, a),
        "ge": lambda a, b: T.fp_le(b, a),
    }
    kind = predicate[1:]
    if kind == "ne":
        different = T.not_(T.fp_eq(left, right))
        return different if predicate[0] == "u" else T.and_(different, T.not_(unordered))
    result = kinds[kind](left, right)
    return T.or_(result, unordered) if predicate[0] == "u" else result


def cast(ex: Execution, frame: Frame, state: State, i: ir.Cast) -> Value:
    value = value_of(ex, frame, i.value)
    source = ex.context.type_of(i.value)
    if i.op == "bitcast" and (isinstance(i.type, ir.VectorType) or isinstance(source, ir.VectorType)):
        return _bitcast_vector(ex, value, source, i.type)
    if isinstance(i.type, ir.VectorType) and isinstance(source, ir.VectorType) and isinstance(value, tuple):
        return tuple(_scalar_cast(ex, frame, state, i, v, source.element, i.type.element) for v in value)
    return _scalar_cast(ex, frame, state, i, value, source, i.type)


def _scalar_cast(
    ex: Execution, frame: Frame, state: State, i: ir.Cast, value: Value, source: ir.Type, target: ir.Type
) -> Value:
    context = ex.context
    if isinstance(value, Pointer):
        match i.op:
            case "ptrtoint" | "ptrtoaddr":
                assert isinstance(target, ir.IntType)
                return context.number(value, target.bits)
            case "bitcast" | "addrspacecast":
                return value
    if not isinstance(value, Term):
        raise Unsupported(f"{i.op} of an aggregate")
    match i.op:
        case "trunc":
            assert isinstance(target, ir.IntType)
            return (
                T.bv_to_bool(T.extract(value, 0, 0))
                if target.bits == 1
                else T.extract(value, target.bits - 1, 0)
            )
        case "zext":
            assert isinstance(target, ir.IntType)
            return T.bool_to_bv(value, target.bits) if value.sort is T.BOOL else T.zext(value, target.bits)
        case "sext":
            assert isinstance(target, ir.IntType)
            if value.sort is T.BOOL:
                return T.ite(value, T.bv(-1, target.bits), T.bv(0, target.bits))
            return T.sext(value, target.bits)
        case "inttoptr":
            return context.pointer_from(T.resize_u(value, context.pointer_bits))
        case "bitcast":
            return context.memory.from_bits(context.memory.to_bits(value), target)
        case "fptrunc" | "fpext":
            assert isinstance(target, ir.FloatType)
            return T.fp_to_fp(value, context.float_sort(target))
        case "sitofp" | "uitofp":
            assert isinstance(target, ir.FloatType)
            number = T.bool_to_bv(value, 8) if value.sort is T.BOOL else value
            convert = T.fp_from_sbv if i.op == "sitofp" and value.sort is not T.BOOL else T.fp_from_ubv
            return convert(number, context.float_sort(target))
        case "fptosi" | "fptoui":
            assert isinstance(target, ir.IntType)
            return _float_to_int(ex, frame, state, i, value, target.bits)
        case _:
            raise Unsupported(f"cast {i.op}")


def _float_to_int(ex: Execution, frame: Frame, state: State, i: ir.Cast, value: Term, bits: int) -> Term:
    """Rounds towards zero; a number that does not fit becomes arbitrary."""
    signed = i.op == "fptosi"
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    fits = T.fp_in_range(value, low, high)
    number = T.fp_to_sbv(value, bits) if signed else T.fp_to_ubv(value, bits)
    if fits is T.TRUE:
        return number
    return T.ite(fits, number, _undefined(ex, frame, state, i, bits, T.not_(fits)))


def _bitcast_vector(ex: Execution, value: Value, source: ir.Type, target: ir.Type) -> Value:
    memory = ex.context.memory
    parts = value if isinstance(value, tuple) else (value,)
    bits = memory.words.join([memory.to_bits(part) for part in parts])
    if not isinstance(target, ir.VectorType):
        return memory.from_bits(bits, target)
    width = ex.context.layouts.bits(target.element)
    pieces = [T.extract(bits, width * (k + 1) - 1, width * k) for k in range(target.count)]
    if memory.big_endian:
        pieces.reverse()
    return tuple(memory.from_bits(piece, target.element) for piece in pieces)


def select_value(ex: Execution, frame: Frame, state: State, i: ir.Select) -> Value:
    condition = value_of(ex, frame, i.condition)
    then, otherwise = value_of(ex, frame, i.then), value_of(ex, frame, i.otherwise)
    if isinstance(condition, tuple):
        assert isinstance(then, tuple)
        assert isinstance(otherwise, tuple)
        chosen = []
        for c, a, b in zip(condition, then, otherwise, strict=True):
            assert isinstance(c, Term)
            chosen.append(merge(c, a, b))
        return tuple(chosen)
    assert isinstance(condition, Term)
    return merge(condition, then, otherwise)
