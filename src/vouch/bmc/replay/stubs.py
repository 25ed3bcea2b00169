"""Bodies for functions that have none, and the ways into the program.

A few names mean something to the runtime (allocation, assumptions, the end of the program); all others
return what the counterexample recorded for them and write what it recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from vouch.bmc.counterexample import OUTSIDE_FUNCTION
from vouch.bmc.replay.emit import CodeText, allocated_size, bits
from vouch.bmc.replay.text import FunctionText, ParameterText, split
from vouch.c import known
from vouch.numeric import real

UNKNOWN_CALLEE = OUTSIDE_FUNCTION
_VARIADIC_POINTERS = 8  # how many of the unnamed arguments a recorded write may refer to

ASSUMPTIONS = known.having(known.Trait.ASSUMES)
# Where the sanitizer says that the program does not go on.
_STOPS = ("__ubsan_handle_builtin_unreachable", "__ubsan_handle_missing_return")
END_EXIT, END_ABORT, END_THROW = 2, 3, 8

# How the runtime's allocator is called, by the keys of `c/known.py`: the arguments (by position) it gets.
_HEAP: Mapping[str, tuple[int, ...]] = {
    "malloc": (0,),
    "calloc": (0, 1),
    "aligned": (0, 1),
    "realloc": (0, 1),
    "new": (0,),
    "free": (0,),
    "object_size": (0,),
}
ALLOCATORS = known.by_engine("malloc", "calloc", "aligned", "realloc")

SCANS = ("length", "find", "find_last", "span", "compare", "access", "distinct")

# Writes a body (whose parameters are %a0, %a1, …); what the function returns, None for zero or nothing.
_Body = Callable[[CodeText, FunctionText, int], str | None]


def stub(function: FunctionText, number: int) -> list[str]:
    """A definition in place of a declaration."""
    out = CodeText()
    function = replace(
        function, parameters=[replace(p, name=f"%a{i}") for i, p in enumerate(function.parameters)]
    )
    result = _body_of(function)(out, function, number)
    if function.result == "void":
        out.do("ret void")
    else:
        out.do(f"ret {function.result} {result or 'zeroinitializer'}")
    return [_head(function), *out.lines, "}"]


def _body_of(function: FunctionText) -> _Body:
    name, count = function.name, len(function.parameters)
    if name.startswith("__ubsan_handle_"):
        return _ending("end", END_ABORT) if name in _STOPS else _nothing
    key = known.engine_key(name) or ""
    body, least = _BODIES.get(key, (None, 0))
    if body is not None and count >= least:
        return body
    if key in _HEAP and count > max(_HEAP[key]):
        return _heap
    if is_real(function):
        return _real
    return _assumed if name.startswith("__vouch_any_") else _recorded


def _nothing(out: CodeText, function: FunctionText, number: int) -> str | None:
    return None


def _ending(hook: str, why: int) -> _Body:
    def body(out: CodeText, function: FunctionText, number: int) -> str | None:
        out.call(hook, str(why))
        return None

    return body


def _exit(out: CodeText, function: FunctionText, number: int) -> str | None:
    out.call("at_exit")
    out.call("exit", str(END_EXIT))
    return None


def _assume(out: CodeText, function: FunctionText, number: int) -> str | None:
    if function.parameters:
        kind, value = function.parameters[0].type, "%a0"
    else:  # never declared, so that its argument is an unnamed one
        ap = out.value("alloca [4 x i64], align 16")
        out.do(f"call void @llvm.va_start.p0(ptr {ap})")
        kind, value = "i32", out.value(f"va_arg ptr {ap}, i32")
    holds = out.value(f"icmp ne {kind} {value}, {'null' if kind == 'ptr' else '0'}")
    out.call("assume", out.value(f"zext i1 {holds} to i8"))
    return None


def _bytes(hook: str, *, assumed: bool = False) -> _Body:
    """Bytes that come in, or (`assumed`) that a model does not work out: a run that uses those shows
    nothing."""

    def body(out: CodeText, function: FunctionText, number: int) -> str | None:
        if assumed:
            out.call("assumed", str(number))
        out.call(hook, str(number), "%a0", out.to_i64(function.parameters[1].type, "%a1"))
        return None

    return body


def _scan(hook: str) -> _Body:
    """What a model asks of memory."""

    def body(out: CodeText, function: FunctionText, number: int) -> str | None:
        values = [p.name if p.type == "ptr" else out.to_i64(p.type, p.name) for p in function.parameters]
        result = out.call(hook, *values, str(number))
        if not result or function.result == "i64":
            return result or None
        return out.value(f"trunc i64 {result} to {function.result}")

    return body


def _known(out: CodeText, function: FunctionText, number: int) -> str | None:
    known = out.value(f"trunc i8 {out.call('known', str(number))} to i1")
    return known if function.result == "i1" else out.value(f"zext i1 {known} to {function.result}")


def _require(out: CodeText, function: FunctionText, number: int) -> str | None:
    holds = out.value(f"zext {function.parameters[0].type} %a0 to i8")
    out.call("require", holds, "%a1")
    return None


def _asked(hook: str) -> _Body:
    """A question about a pointer, answered by yes or no."""

    def body(out: CodeText, function: FunctionText, number: int) -> str | None:
        more = [p.name if p.type == "ptr" else out.to_i64(p.type, p.name) for p in function.parameters[1:]]
        yes = out.value(f"trunc i8 {out.call(hook, '%a0', *more)} to i1")
        return yes if function.result == "i1" else out.value(f"zext i1 {yes} to {function.result}")

    return body


def _beside(out: CodeText, function: FunctionText, number: int) -> str | None:
    return out.call("beside", "%a0", out.to_i64(function.parameters[1].type, "%a1"))


def _guard(out: CodeText, function: FunctionText, number: int) -> str | None:
    """Whether a static local of C++ is to be initialised: the first time."""
    done = out.value("load i8, ptr %a0")
    out.do("store i8 1, ptr %a0")
    return out.value(f"zext i1 {out.value(f'icmp eq i8 {done}, 0')} to {function.result}")


def _head(function: FunctionText) -> str:
    inner = [" ".join(w for w in (p.type, _abi(p.attributes), p.name) if w) for p in function.parameters]
    if function.variadic:
        inner.append("...")
    convention = " ".join(w for w in function.lead.split() if w.endswith("cc") or w in ("signext", "zeroext"))
    return f"define {convention} {function.result} @{function.spelled}({', '.join(inner)}) {{"


def _abi(attributes: str) -> str:
    """The attributes that decide where an argument is passed."""
    return " ".join(w for w in attributes.split() if w in ("inreg", "signext", "zeroext"))


def _heap(out: CodeText, function: FunctionText, number: int) -> str | None:
    hook = known.engine_key(function.name) or ""
    positions = _HEAP[hook]
    values = []
    for parameter in (function.parameters[position] for position in positions):
        pointer = parameter.type == "ptr"
        values.append(parameter.name if pointer else out.to_i64(parameter.type, parameter.name))
    if hook not in ("free", "object_size", "new"):
        values.append(str(number))
    result = out.call(hook, *values)
    if family := known.FAMILIES.index(known.family(function.name)) * (hook != "free"):
        out.call("family", str(result), str(family))
    return out.value(f"trunc i64 {result} to i32") if function.result == "i32" else result


def _block(out: CodeText, function: FunctionText, number: int) -> str | None:
    """memcpy and its like, called as functions."""
    length = out.to_i64(function.parameters[2].type, "%a2")
    if known.engine_key(function.name) == "fill":
        byte = out.value(f"trunc {function.parameters[1].type} %a1 to i8")
        out.call("fill", "%a0", byte, length, "0", str(number))
    else:
        if function.name != "memmove":
            out.call("apart", "%a0", "%a1", length, "0", str(number))
        out.call("copy", "%a0", "%a1", length, "0", "0", "0", str(number))
    return "%a0" if function.result == "ptr" else None


def _recorded(out: CodeText, function: FunctionText, number: int) -> str | None:
    """Pointer arguments are handed over, so that recorded writes can refer to them."""
    _demanded(out, function, number)
    parameters = function.parameters
    count = len(parameters) + (_VARIADIC_POINTERS if function.variadic else 0)
    array = out.value(f"alloca [{max(count, 1)} x ptr]")
    out.do(f"store [{max(count, 1)} x ptr] zeroinitializer, ptr {array}")
    for index, parameter in enumerate(parameters):
        if parameter.type == "ptr":
            slot = out.value(f"getelementptr ptr, ptr {array}, i32 {index}")
            out.do(f"store ptr {parameter.name}, ptr {slot}")
    if function.variadic:
        _unnamed(out, array, len(parameters))
    void = function.result == "void"
    buffer = out.value("alloca i64" if void else f"alloca {function.result}, align 16")
    size = "0" if void else allocated_size(function.result)
    pointer = str(int(function.result == "ptr"))
    out.call("return", str(number), buffer, size, pointer, array, str(count))
    if void:
        return None
    value = out.value(f"load {function.result}, ptr {buffer}")
    if function.name.endswith("_bool") and "nondet" in function.name and bits(function.result):
        value = out.value(f"and {function.result} {value}, 1")
    return value


def _demanded(out: CodeText, function: FunctionText, number: int) -> None:
    """Look at what the prototype demands of the arguments."""
    for parameter, (letter, counted) in zip(
        function.parameters, known.contract(function.name), strict=False
    ):
        if parameter.type != "ptr" or letter == "-":
            continue
        size = "1"
        if counted is not None and counted < len(function.parameters):
            given = function.parameters[counted]
            size = given.name if given.type == "i64" else out.value(f"zext {given.type} {given.name} to i64")
        null = out.value(f"icmp eq ptr {parameter.name}, null") if letter.isupper() else "false"
        if letter in "sStT":
            out.call("length", parameter.name, _unless(out, null, "-1"), "1", str(number))
        if letter not in "sS":
            written = str(int(letter not in "rR"))
            out.call("access", parameter.name, _unless(out, null, size), written, str(number))


def _unless(out: CodeText, null: str, count: str) -> str:
    """A number of bytes, none where the pointer is null and may be."""
    return count if null == "false" else out.value(f"select i1 {null}, i64 0, i64 {count}")


def _unnamed(out: CodeText, array: str, first: int) -> None:
    """Unnamed arguments, read as pointers; what is none is never used."""
    ap = out.value("alloca [4 x i64], align 16")
    out.do(f"call void @llvm.va_start.p0(ptr {ap})")
    for index in range(first, first + _VARIADIC_POINTERS):
        slot = out.value(f"getelementptr ptr, ptr {array}, i32 {index}")
        out.do(f"store ptr {out.value(f'va_arg ptr {ap}, ptr')}, ptr {slot}")


def _assumed(out: CodeText, function: FunctionText, number: int) -> str | None:
    """A result that a model only assumes: a run that uses it shows nothing."""
    out.call("assumed", str(number))
    return _recorded(out, function, number)


def is_real(function: FunctionText) -> bool:
    """A function of the math library that vouch calls in place of its model."""
    return real.shape(function.name) == (function.result, tuple(p.type for p in function.parameters))


def _real(out: CodeText, function: FunctionText, number: int) -> str | None:
    """The runtime looks the result up by the arguments' bits; what it does not know ends the run."""
    bits_of = [_bits64(out, p.type, p.name) for p in function.parameters]
    result = out.call("real", str(number), *[*bits_of, "0"][:2])
    if function.result == "float":
        return out.value(f"bitcast i32 {out.value(f'trunc i64 {result} to i32')} to float")
    return out.value(f"bitcast i64 {result} to double")


def _bits64(out: CodeText, kind: str, value: str) -> str:
    if kind == "double":
        return out.value(f"bitcast double {value} to i64")
    if kind == "float":
        value, kind = out.value(f"bitcast float {value} to i32"), "i32"
    return out.value(f"zext {kind} {value} to i64")


_BODIES: Mapping[str, tuple[_Body, int]] = {  # by key, with the least number of parameters
    "abort": (_ending("end", END_ABORT), 0),
    "unsupported_arguments": (_ending("end", END_ABORT), 0),
    "leave": (_ending("exit", END_EXIT), 0),
    "exit": (_exit, 0),
    "throw": (_ending("end", END_THROW), 0),
    "resume": (_ending("end", END_THROW), 0),
    "assume": (_assume, 0),
    "assert": (_assume, 0),
    "skip": (_nothing, 0),
    "round": (_nothing, 0),
    "register": (_nothing, 0),
    "repeats": (_nothing, 0),
    "copy": (_block, 3),
    "fill": (_block, 3),
    "input": (_bytes("havoc"), 2),
    "bytes": (_bytes("havoc", assumed=True), 2),
    "text": (_bytes("text", assumed=True), 2),
    "known": (_known, 1),
    "constant": (_known, 1),
    "note": (_nothing, 2),
    "guard": (_guard, 1),
    "require": (_require, 2),
    "valid": (_asked("valid"), 2),
    "starts": (_asked("starts"), 1),
    "beside": (_beside, 2),
    "together": (_asked("together"), 2),
    **{hook: (_scan(hook), 0) for hook in SCANS},
}


def unknown_callees(indirect: Mapping[str, str], number: int) -> list[str]:
    """What runs when a pointer that is called points to no function of the program."""
    lines = []
    for text, name in indirect.items():
        result, _, signature = text.rpartition(" (")
        kinds = split(signature.removesuffix(")"))
        variadic = kinds[-1:] == ["..."]
        parameters = [ParameterText(kind, "", "") for kind in kinds if kind != "..."]
        lines += stub(FunctionText(name, name, "", result, parameters, variadic, ""), number)
    return lines


def entry(function: FunctionText, name: str, offsets: list[int]) -> list[str]:
    """A function `name` that calls `function` with arguments read from memory and stores its result."""
    out = CodeText()
    arguments = []
    for parameter, offset in zip(function.parameters, offsets, strict=True):
        place = out.value(f"getelementptr i8, ptr %arguments, i64 {offset}")
        value = out.value(f"load {parameter.type}, ptr {place}, align 1")
        if parameter.returned:
            out.call("result", value)
        arguments.append(" ".join(w for w in (parameter.type, _abi(parameter.attributes), value) if w))
    kinds = [parameter.type for parameter in function.parameters]
    signature = f" ({', '.join([*kinds, '...'])})" if function.variadic else ""
    convention = " ".join(w for w in function.lead.split() if w.endswith("cc"))
    call = f"call {convention} {function.result}{signature} @{function.spelled}({', '.join(arguments)})"
    if function.result == "void":
        out.do(call)
    else:
        result = out.value(call)
        width = bits(function.result)
        if function.result == "ptr" or (width is not None and width <= 128) or function.result[0] in "{[":
            out.do(f"store {function.result} {result}, ptr %result, align 1")
    out.do("ret void")
    return [f"define internal void @{name}(ptr %arguments, ptr %result) {{", *out.lines, "}"]
