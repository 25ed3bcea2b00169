"""What is added around an instruction so that a violated check there is noticed.

One function for each kind of trigger; `ACCESS`, `UNINITIALISED` and `CALL` are part of the rewritten
instruction itself (rewrite.py). A check that cannot be watched makes a replay of it impossible, which is
said; it never counts as violated.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from vouch.bmc.replay.emit import CodeText, bits, element_bits, operand_text, type_text
from vouch.bmc.replay.text import CallText, Line, split, type_end
from vouch.c import known
from vouch.c.checks.base import Check, Trigger
from vouch.c.ir import GlobalConstant


class Unwatchable(Exception):
    """Nothing can be added that notices a violation of this check; the message says why."""


Watch = Callable[[CodeText, Check, int, Line, CallText | None], None]


def _reached(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    out.call("fire", str(site))


def _value(check: Check) -> tuple[str, str]:
    if check.value is None:
        raise Unwatchable("the check names no value")
    kind, text = type_text(check.value), operand_text(check.value)
    if kind is None or text is None:
        raise Unwatchable("the value of the check is a constant expression")
    return kind, text


def _any(out: CodeText, kind: str, condition: str) -> str:
    """An i1: the comparison of values of this type holds, for vectors in some element."""
    vector = element_bits(kind)
    if vector is None:
        return condition
    mask = f"i{vector[0]}"
    return out.value(f"icmp ne {mask} {out.value(f'bitcast <{vector[0]} x i1> {condition} to {mask}')}, 0")


def _number(kind: str, number: int) -> str:
    """A constant of an integer type; of a vector of them, the same in each element."""
    vector = element_bits(kind)
    return str(number) if vector is None else f"splat ({vector[1]} {number})"


def _widened(kind: str, width: int) -> str:
    vector = element_bits(kind)
    return f"i{width}" if vector is None else f"<{vector[0]} x i{width}>"


def _width(kind: str) -> int:
    vector = element_bits(kind)
    width = bits(kind) if vector is None else vector[2]
    if width is None:
        raise Unwatchable(f"arithmetic in {kind}")
    return width


def _compare(out: CodeText, predicate: str, kind: str, text: str) -> str:
    if kind.startswith("<"):
        return _any(out, kind, out.value(f"icmp {predicate} {kind} {text}, zeroinitializer"))
    if kind in ("float", "double", "half", "x86_fp80", "fp128"):
        zero = "0.0" if kind in ("float", "double", "half") else "zeroinitializer"
        return out.value(f"fcmp {'oeq' if predicate == 'eq' else 'une'} {kind} {text}, {zero}")
    return out.value(f"icmp {predicate} {kind} {text}, {'null' if kind == 'ptr' else '0'}")


def _false_argument(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    if call is None or check.argument >= len(call.arguments):
        raise Unwatchable("the call has no such argument")
    kind, _, text = call.arguments[check.argument]
    out.fire_if(_compare(out, "eq", kind, text), site)


def _reached_zero(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    if line.op in _DIVISIONS:
        _, kind, _, right = binary_parts(line)
        out.fire_if(_compare(out, "eq", kind, right), site)
        return
    out.fire_if(_compare(out, "eq", *_value(check)), site)


def _reached_nonzero(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    out.fire_if(_compare(out, "ne", *_value(check)), site)


def _narrowing(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    kind, text = _value(check)
    low, high = (
        (-(1 << check.bits - 1), (1 << check.bits - 1) - 1) if check.signed_to else (0, (1 << check.bits) - 1)
    )
    vector = element_bits(kind)
    element = kind if vector is None else vector[1]
    if element in _FLOATS:
        _from_float(out, check, site, kind, text)
        return
    if not element.startswith("i"):
        raise Unwatchable("the value is no number")
    width = max(_width(kind), check.bits) + 1
    wide = _widened(kind, width)
    ways = ("sext", "zext") if check.either_sign else ("sext" if check.signed_from else "zext",)
    changed = []
    for way in ways:
        value = out.value(f"{way} {kind} {text} to {wide}")
        below = out.value(f"icmp slt {wide} {value}, {_number(wide, low)}")
        above = out.value(f"icmp sgt {wide} {value}, {_number(wide, high)}")
        changed.append(out.value(f"or i1 {_any(out, wide, below)}, {_any(out, wide, above)}"))
    out.fire_if(out.value(f"and i1 {changed[0]}, {changed[-1]}"), site)


def _from_float(out: CodeText, check: Check, site: int, kind: str, text: str) -> None:
    """A fraction fits if converting it with saturation, to one more bit, stays within the type."""
    vector, wide = element_bits(kind), _widened(kind, check.bits + 2)
    element = kind if vector is None else vector[1]
    name = _FLOATS[element] if vector is None else f"v{vector[0]}{_FLOATS[element]}"
    integer = f"i{check.bits + 2}" if vector is None else f"v{vector[0]}i{check.bits + 2}"
    # A saturated NaN is zero: it is asked for by itself.
    number = out.value(f"call {wide} @llvm.fptosi.sat.{integer}.{name}({kind} {text})")
    low = -(1 << check.bits - 1) if check.signed_to else 0
    high = (1 << check.bits - 1) - 1 if check.signed_to else (1 << check.bits) - 1
    below = out.value(f"icmp slt {wide} {number}, {_number(wide, low)}")
    above = out.value(f"icmp sgt {wide} {number}, {_number(wide, high)}")
    strange = out.value(f"fcmp uno {kind} {text}, {text}")
    outside = out.value(f"or i1 {_any(out, wide, below)}, {_any(out, wide, above)}")
    out.fire_if(out.value(f"or i1 {outside}, {_any(out, wide, strange)}"), site)


_DIVISIONS = frozenset({"sdiv", "udiv", "srem", "urem"})


def binary_parts(line: Line) -> tuple[str, str, str, str]:
    """Operation, type, left and right operand of a binary instruction."""
    words, right = split(line.text)[:2]
    rest = words.partition(" ")[2]
    while rest.partition(" ")[0] in ("nuw", "nsw", "exact", "disjoint"):
        rest = rest.partition(" ")[2]
    end = type_end(rest)
    return line.op, rest[:end], rest[end:].strip(), right


def _overflow(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    if call is not None and len(call.arguments) >= 2:
        (kind, _, left), (_, _, right) = call.arguments[-2:]
    else:
        _, kind, left, right = binary_parts(line)
    width = _width(kind)
    if call is not None or line.op in ("sdiv", "srem"):
        least = out.value(f"icmp eq {kind} {left}, {_number(kind, -(1 << width - 1))}")
        minus = out.value(f"icmp eq {kind} {right}, {_number(kind, -1)}")
        truth = _widened(kind, 1)
        out.fire_if(_any(out, kind, out.value(f"and {truth} {least}, {minus}")), site)
        return
    extend, wide = ("sext" if check.signed_to else "zext"), _widened(kind, 2 * width + 2)
    a, b = (out.value(f"{extend} {kind} {operand} to {wide}") for operand in (left, right))
    exact = out.value(f"{line.op} {wide} {a}, {b}")
    back = out.value(f"{extend} {kind} {out.value(f'trunc {wide} {exact} to {kind}')} to {wide}")
    out.fire_if(_any(out, wide, out.value(f"icmp ne {wide} {exact}, {back}")), site)


def _shift(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    _, kind, _, right = binary_parts(line)
    amount = _number(kind, _width(kind))
    out.fire_if(_any(out, kind, out.value(f"icmp uge {kind} {right}, {amount}")), site)


def _free(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    if call is None or not call.arguments:
        raise Unwatchable("no argument to free")
    family = known.FAMILIES.index(known.family(call.callee.strip('@"')))
    out.call("check_free", call.arguments[0][2], str(family), str(site))


def _required(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    if not isinstance(check.value, GlobalConstant):
        raise Unwatchable("the demand has no text")
    out.call("expect", f'@"{check.value.name}"', str(site))


def _not_required(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    out.call("expected")


def _leak(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    if line.result is None or call is None or call.result != "ptr":
        raise Unwatchable("the allocation has no pointer as its result")
    out.call("allocated", line.result, str(site))


_NAN_OR_INFINITY = 0x207  # the classes of llvm.is.fpclass: signalling and quiet NaN, both infinities
_FINITE = 0x1F8


def _nan(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    if line.op == "atomicrmw":
        _nan_of_update(out, site, line)
        return
    if line.result is None:
        raise Unwatchable("the operation has no result")
    if call is not None:
        result, operands = call.result, [(kind, text) for kind, _, text in call.arguments]
    elif " to " in line.text:
        source, result = line.text.partition(" ")[2].rsplit(" to ", 1)
        source = source.lstrip()
        end = type_end(source)
        operands = [(source[:end], source[end:].strip())]
    else:
        words, right = split(line.text)[:2]
        rest = words.partition(" ")[2]
        while rest.partition(" ")[0] in _FAST:
            rest = rest.partition(" ")[2]
        end = type_end(rest)
        result, left = rest[:end], rest[end:].strip()
        operands = [(result, left), (result, right)]
    _fire_if_strange(out, site, result, line.result, operands)


def _fire_if_strange(
    out: CodeText, site: int, kind: str, result: str, operands: list[tuple[str, str]]
) -> None:
    """Fire where finite operands gave a result that is none, in the same element; for a complex number in a
    vector, whose parts are passed one by one, in either."""
    bad = _classified(out, kind, result, _NAN_OR_INFINITY)
    if bad is None:
        raise Unwatchable("the result is no number")
    if any(other != kind for other, _ in operands if other in _FLOATS):
        bad, kind = _any(out, kind, bad), "i1"
    truth = _widened(kind, 1) if kind.startswith("<") else "i1"
    for other, text in operands:
        fine = _classified(out, other, text, _FINITE)
        if fine is not None:
            bad = out.value(f"and {truth} {bad}, {fine}")
    out.fire_if(_any(out, kind, bad), site)


def _classified(out: CodeText, kind: str, text: str, classes: int) -> str | None:
    vector = element_bits(kind)
    element = kind if vector is None else vector[1]
    if element not in _FLOATS:
        return None
    name = _FLOATS[element] if vector is None else f"v{vector[0]}{_FLOATS[element]}"
    truth = "i1" if vector is None else f"<{vector[0]} x i1>"
    return out.value(f"call {truth} @llvm.is.fpclass.{name}({kind} {text}, i32 {classes})")


def _nan_of_update(out: CodeText, site: int, line: Line) -> None:
    """An atomic operation yields the old value: the new one is computed again."""
    match = _UPDATE.match(line.text)
    if match is None or line.result is None:
        raise Unwatchable("an atomic operation of another form")
    kind, value = match[2], match[3]
    new = out.value(f"{match[1]} {kind} {line.result}, {value}")
    _fire_if_strange(out, site, kind, new, [(kind, line.result), (kind, value)])


def _member(out: CodeText, check: Check, site: int, line: Line, call: CallText | None) -> None:
    kind, text = _value(check)
    out.fire_if(out.value(f"icmp eq {kind} {text}, null"), site)


_UPDATE = re.compile(r"atomicrmw (?:volatile )?(fadd|fsub) ptr .*, (\w+) (\S+) (?:syncscope|\w)[^,]*")
_FAST = frozenset({"fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"})
_FLOATS = {"half": "f16", "float": "f32", "double": "f64", "x86_fp80": "f80", "fp128": "f128"}
DECLARATIONS = tuple(
    f"declare i1 @llvm.is.fpclass.{short}({kind}, i32 immarg)" for kind, short in _FLOATS.items()
)

BEFORE: dict[Trigger, Watch] = {
    Trigger.REACHED: _reached,
    Trigger.FALSE_ARGUMENT: _false_argument,
    Trigger.NARROWING: _narrowing,
    Trigger.REACHED_ZERO: _reached_zero,
    Trigger.REACHED_NONZERO: _reached_nonzero,
    Trigger.OVERFLOW: _overflow,
    Trigger.SHIFT: _shift,
    Trigger.FREE: _free,
    Trigger.MEMBER: _member,
    Trigger.REQUIRED: _required,
}
AFTER: dict[Trigger, Watch] = {
    Trigger.LEAK: _leak,
    Trigger.NAN: _nan,
    Trigger.REQUIRED: _not_required,
}
