"""What is added around an instruction so that a violated check there is noticed.

One function for each kind of trigger; `ACCESS`, `UNINITIALISED` and `CALL` are part of the rewritten
instruction itself (rewrite.py). A check that cannot be watched makes a replay of it impossible, which is
said; it never counts as violated.
"""

from __future__ import annotations

from collections.abc import Callable

from vouch.bmc.replay.emit import Emitter, bits, operand_text, type_text
from vouch.bmc.replay.text import CallText, Line, split, type_end
from vouch.c.checks.base import Check, Trigger


class Unwatchable(Exception):
    """Nothing can be added that notices a violation of this check; the message says why."""


Watch = Callable[[Emitter, Check, int, Line, CallText | None], None]


def _reached(out: Emitter, check: Check, site: int, line: Line, call: CallText | None) -> None:
    out.call("fire", str(site))


def _value(check: Check) -> tuple[str, str]:
    if check.value is None:
        raise Unwatchable("the check names no value")
    kind, text = type_text(check.value), operand_text(check.value)
    if kind is None or text is None:
        raise Unwatchable("the value of the check is a constant expression")
    return kind, text


def _compare(out: Emitter, predicate: str, kind: str, text: str) -> str:
    if kind in ("float", "double", "half", "x86_fp80", "fp128"):
        zero = "0.0" if kind in ("float", "double", "half") else "zeroinitializer"
        return out.value(f"fcmp {'oeq' if predicate == 'eq' else 'une'} {kind} {text}, {zero}")
    return out.value(f"icmp {predicate} {kind} {text}, {'null' if kind == 'ptr' else '0'}")


def _false_argument(out: Emitter, check: Check, site: int, line: Line, call: CallText | None) -> None:
    if call is None or check.argument >= len(call.arguments):
        raise Unwatchable("the call has no such argument")
    kind, _, text = call.arguments[check.argument]
    out.fire_if(_compare(out, "eq", kind, text), site)


def _reached_zero(out: Emitter, check: Check, site: int, line: Line, call: CallText | None) -> None:
    out.fire_if(_compare(out, "eq", *_value(check)), site)


def _reached_nonzero(out: Emitter, check: Check, site: int, line: Line, call: CallText | None) -> None:
    out.fire_if(_compare(out, "ne", *_value(check)), site)


def _narrowing(out: Emitter, check: Check, site: int, line: Line, call: CallText | None) -> None:
    kind, text = _value(check)
    width = bits(kind)
    if width is None or not kind.startswith("i"):
        raise Unwatchable("the value is no integer")
    wide = max(width, check.bits) + 1
    value = out.value(f"{'sext' if check.signed_from else 'zext'} {kind} {text} to i{wide}")
    low, high = (
        (-(1 << check.bits - 1), (1 << check.bits - 1) - 1) if check.signed_to else (0, (1 << check.bits) - 1)
    )
    below = out.value(f"icmp slt i{wide} {value}, {low}")
    above = out.value(f"icmp sgt i{wide} {value}, {high}")
    out.fire_if(out.value(f"or i1 {below}, {above}"), site)


def binary_parts(line: Line) -> tuple[str, str, str, str]:
    """Operation, type, left and right operand of a binary instruction."""
    words, right = split(line.text)[:2]
    rest = words.partition(" ")[2]
    while rest.partition(" ")[0] in ("nuw", "nsw", "exact", "disjoint"):
        rest = rest.partition(" ")[2]
    end = type_end(rest)
    return line.op, rest[:end], rest[end:].strip(), right


def _overflow(out: Emitter, check: Check, site: int, line: Line, call: CallText | None) -> None:
    _, kind, left, right = binary_parts(line)
    width = bits(kind)
    if width is None:
        raise Unwatchable("vector arithmetic")
    if line.op in ("sdiv", "srem"):
        least = out.value(f"icmp eq {kind} {left}, {-(1 << width - 1)}")
        minus = out.value(f"icmp eq {kind} {right}, -1")
        out.fire_if(out.value(f"and i1 {least}, {minus}"), site)
        return
    extend, wide = ("sext" if check.signed_to else "zext"), f"i{2 * width + 2}"
    a, b = (out.value(f"{extend} {kind} {operand} to {wide}") for operand in (left, right))
    exact = out.value(f"{line.op} {wide} {a}, {b}")
    back = out.value(f"{extend} {kind} {out.value(f'trunc {wide} {exact} to {kind}')} to {wide}")
    out.fire_if(out.value(f"icmp ne {wide} {exact}, {back}"), site)


def _shift(out: Emitter, check: Check, site: int, line: Line, call: CallText | None) -> None:
    _, kind, _, right = binary_parts(line)
    width = bits(kind)
    if width is None:
        raise Unwatchable("vector arithmetic")
    out.fire_if(out.value(f"icmp uge {kind} {right}, {width}"), site)


def _free(out: Emitter, check: Check, site: int, line: Line, call: CallText | None) -> None:
    if call is None or not call.arguments:
        raise Unwatchable("no argument to free")
    out.call("check_free", call.arguments[0][2], str(site))


def _leak(out: Emitter, check: Check, site: int, line: Line, call: CallText | None) -> None:
    if line.result is None or call is None or call.result != "ptr":
        raise Unwatchable("the allocation has no pointer as its result")
    out.call("allocated", line.result, str(site))


_NAN_OR_INFINITY = 0x207  # the classes of llvm.is.fpclass: signalling and quiet NaN, both infinities
_FINITE = 0x1F8


def _nan(out: Emitter, check: Check, site: int, line: Line, call: CallText | None) -> None:
    if line.result is None:
        raise Unwatchable("the operation has no result")
    if call is not None:
        result, operands = call.result, [(kind, text) for kind, _, text in call.arguments]
    elif line.op == "fptrunc":
        source, result = line.text.removeprefix("fptrunc ").rsplit(" to ", 1)
        source = source.lstrip()
        end = type_end(source)
        operands = [(source[:end], source[end:].strip())]
    else:
        words, right = split(line.text)[:2]
        *_, result, left = words.split(" ")
        operands = [(result, left), (result, right)]
    fine = "true"
    for kind, text in operands:
        if kind in _FLOATS:
            known = out.value(f"call i1 @llvm.is.fpclass.{_FLOATS[kind]}({kind} {text}, i32 {_FINITE})")
            fine = out.value(f"and i1 {fine}, {known}")
    if result not in _FLOATS:
        raise Unwatchable("the result is no number")
    bad = out.value(
        f"call i1 @llvm.is.fpclass.{_FLOATS[result]}({result} {line.result}, i32 {_NAN_OR_INFINITY})"
    )
    out.fire_if(out.value(f"and i1 {fine}, {bad}"), site)


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
}
AFTER: dict[Trigger, Watch] = {Trigger.LEAK: _leak, Trigger.NAN: _nan}
