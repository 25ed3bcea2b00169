"""Writing IR lines: fresh names, calls of the runtime, sizes of types."""

from __future__ import annotations

import re

from vouch.c.ir import (
    FloatConstant,
    FloatType,
    IntConstant,
    IntType,
    NullConstant,
    Operand,
    PointerType,
    Register,
    VectorType,
)

# The runtime's functions that rewritten code calls, with their signatures.
RUNTIME = {
    "fire": "void (i32)",
    "fire_if": "void (i8, i32)",
    "end": "void (i32)",
    "exit": "void (i32)",
    "at_exit": "void ()",
    "assume": "void (i8)",
    "blame": "void (i32, i32)",
    "unblame": "void ()",
    "lend": "void (ptr, i64, i64)",
    "unlend": "void ()",
    "within": "void (ptr, i64, ptr, i64, i64, i32, i32)",
    "load": "ptr (ptr, i64, i32, i32, i32)",
    "volatile_load": "ptr (ptr, i64, i32, i32, i32)",
    "store": "ptr (ptr, i64, i32, i32)",
    "apart": "void (ptr, ptr, i64, i32, i32)",
    "copy": "void (ptr, ptr, i64, i32, i32, i32, i32)",
    "fill": "void (ptr, i8, i64, i32, i32)",
    "written": "void (ptr, i64)",
    "alloca": "ptr (i64, i64, i32)",
    "fresh": "void (ptr, i64, i32)",
    "by_value": "ptr (ptr, i64, i64, i32)",
    "frame": "i64 ()",
    "leave": "void (i64)",
    "callee": "ptr (ptr, ptr, i32, i32)",
    "known": "i8 (i32)",
    "havoc": "void (i32, ptr, i64)",
    "text": "void (i32, ptr, i64)",
    "length": "i64 (ptr, i64, i64, i32)",
    "find": "i64 (ptr, i64, i64, i64, i64, i32)",
    "find_last": "i64 (ptr, i64, i64, i64, i32)",
    "span": "i64 (ptr, ptr, i64, i32)",
    "compare": "i64 (ptr, ptr, i64, i64, i64, i64, i32)",
    "access": "void (ptr, i64, i64, i32)",
    "distinct": "void (ptr, ptr, i64, i32)",
    "writable": "void (ptr, i64, i32, i32)",
    "arbitrary": "i64 (i64, i8, i32, i32)",
    "assumed": "void (i32)",
    "real": "i64 (i32, i64, i64)",
    "new": "ptr (i64)",
    "return": "void (i32, ptr, i64, i8, ptr, i32)",
    "malloc": "ptr (i64, i32)",
    "calloc": "ptr (i64, i64, i32)",
    "aligned": "ptr (i64, i64, i32)",
    "realloc": "ptr (ptr, i64, i32)",
    "check_free": "void (ptr, i32, i32)",
    "family": "void (ptr, i32)",
    "free": "void (ptr)",
    "allocated": "void (ptr, i32)",
    "object_size": "i64 (ptr)",
    "scope_begin": "void (ptr)",
    "scope_end": "void (ptr)",
    "shadow_clear": "void (ptr)",
    "shadow_load": "void (ptr, ptr, i64)",
    "shadow_store": "void (ptr, ptr, i64)",
    "shadow_part": "void (ptr, i64, ptr, i64, i64)",
    "pass": "void (ptr, i32, ptr, i64)",
    "passed": "void (ptr, i32, ptr)",
    "give": "void (ptr, ptr, i64)",
    "given": "void (ptr, ptr)",
    "result": "void (ptr)",
    "expect": "void (ptr, i32)",
    "expected": "void ()",
    "require": "void (i8, ptr)",
    "valid": "i8 (ptr, i64)",
    "starts": "i8 (ptr)",
    "together": "i8 (ptr, ptr)",
    "beside": "ptr (ptr, i64)",
}

_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128}
_VECTOR = re.compile(r"<(\d+) x (.*)>$")


def declarations() -> list[str]:
    out = []
    for name, signature in RUNTIME.items():
        result, _, parameters = signature.partition(" ")
        out.append(f"declare {result} @__replay_{name}{parameters}")
    return out


def bits(kind: str) -> int | None:
    """Width of a scalar type, None for pointers and aggregates."""
    if kind[0] == "i" and kind[1:].isdecimal():
        return int(kind[1:])
    return _BITS.get(kind)


def allocated_size(kind: str) -> str:
    """Bytes from one element of an array to the next, as an i64 constant that LLVM computes."""
    return f"ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)"


def stored_size(kind: str) -> str:
    """Bytes that a load or store of the type touches."""
    width = bits(kind)
    if width is None and (match := _VECTOR.match(kind)) and (element := bits(match[2])) is not None:
        width = element * int(match[1])
    return allocated_size(kind) if width is None else str((width + 7) // 8)


class CodeText:
    """Collects the lines of one function. Names begin with `v.`, which clang does not use."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def name(self) -> str:
        self._count += 1
        return f"%v.{self._count}"

    def value(self, text: str) -> str:
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def call(self, name: str, *arguments: str) -> str:
        """Call a function of the runtime; its result's name ("" for none)."""
        result, _, kinds = RUNTIME[name].partition(" ")
        kinds_list = [k for k in kinds[1:-1].split(", ") if k]
        inner = ", ".join(f"{k} {a}" for k, a in zip(kinds_list, arguments, strict=True))
        text = f"call {result} @__replay_{name}({inner})"
        if result == "void":
            self.do(text)
            return ""
        return self.value(text)

    def fire_if(self, condition: str, site: int) -> None:
        """`condition` is an i1."""
        self.call("fire_if", self.value(f"zext i1 {condition} to i8"), str(site))

    def or_arbitrary(self, kind: str, text: str, bad: str, function: str) -> str:
        """An expression of the integer type `kind`: `text`, or where the i1 `bad` holds anything."""
        wide = self.to_i64(kind, text)
        size = str((int(kind[1:]) + 7) // 8)
        value = self.call("arbitrary", wide, self.value(f"zext i1 {bad} to i8"), size, function)
        return f"trunc i64 {value} to {kind}" if kind != "i64" else f"or i64 {value}, 0"

    def to_i64(self, kind: str, text: str) -> str:
        """An unsigned integer or pointer as i64."""
        width = bits(kind)
        if width == 64:
            return text
        if width is None:
            return self.value(f"ptrtoint {kind} {text} to i64")
        return self.value(f"{'zext' if width < 64 else 'trunc'} {kind} {text} to i64")


def element_bits(kind: str) -> tuple[int, str, int] | None:
    """Count, type and width of the elements of a vector type, None for what is none."""
    match = _VECTOR.match(kind)
    width = bits(match[2]) if match is not None else None
    return None if match is None or width is None else (int(match[1]), match[2], width)


def type_text(operand: Operand) -> str | None:
    """How IR spells the type of a scalar or of a vector of them."""
    kind = getattr(operand, "type", None)
    if isinstance(kind, VectorType):
        element = _scalar_text(kind.element)
        return None if element is None else f"<{kind.count} x {element}>"
    return _scalar_text(kind)


def _scalar_text(kind: object) -> str | None:
    match kind:
        case IntType(bits=width):
            return f"i{width}"
        case FloatType(kind=name):
            return name
        case PointerType(space=0):
            return "ptr"
        case _:
            return None


def operand_text(operand: Operand) -> str | None:
    """How IR spells a scalar operand, None where it is not a plain one."""
    match operand:
        case Register(name=name):
            return f"%{name}" if re.fullmatch(r"[-\w.$]+", name) else f'%"{name}"'
        case IntConstant(value=value):
            return str(value)
        case NullConstant():
            return "null"
        case FloatConstant(type=FloatType(kind="double"), bits=value):
            return f"0x{value:016X}"
        case _:
            return None
