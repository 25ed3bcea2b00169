"""A counterexample as a C program that a person can read, compile and step through in a debugger.

The replay that confirms a violation is exact and needs nothing of this. The driver includes the source file
of the entry point, so that names and types are those of the program, sets memory and calls. What C cannot say
from outside (volatile reads, memory that nobody wrote, variables of other files) is listed as a limit.
"""

from __future__ import annotations

import math
import shlex
import struct
from collections.abc import Sequence
from dataclasses import field

from vouch.bmc.counterexample import OUTSIDE_FUNCTION, Address, Counterexample, Event, OutsideObject, Scalar
from vouch.c.checks.base import Category
from vouch.c.ir import CType, Function, Program
from vouch.printable import visible
from vouch.record import frozen_record, record

_LARGEST = 4096  # bytes of an object that a driver spells out
_WIDEST = 1 << 20  # bytes of an object that a driver has
_OUTSIDE = "vouch_outside"  # stands for all functions behind pointers from outside
_SCALARS = frozenset({"int", "char", "bool", "enum", "float", "pointer"})
# What makes a violation visible in a run of the driver.
_SANITIZERS = {
    Category.NARROWING: "clang -fsanitize=implicit-conversion",
    Category.CAST: "clang -fsanitize=implicit-conversion",
    Category.SIGN_CHANGE: "clang -fsanitize=implicit-conversion",
    Category.UNSIGNED_OVERFLOW: "clang -fsanitize=unsigned-integer-overflow",
    Category.UNINITIALISED: "clang -fsanitize=memory",
    Category.FLOAT: "clang -fsanitize=float-divide-by-zero",
}


@frozen_record
class Driver:
    """`limits`: what of the violation the program does not reproduce."""

    text: str
    command: str
    limits: tuple[str, ...] = ()


def driver(program: Program, example: Counterexample, flags: Sequence[str] = ()) -> Driver | None:
    """None where there is no C source to include. `flags` are those that the program was compiled with."""
    entry = program.functions.get(example.entry)
    if entry is None or entry.location is None or not entry.location.file.endswith((".c", ".i")):
        return None
    writer = DriverText(program, example, entry)
    text = writer.text()
    others = sorted(sources(program, (".c",)) - {entry.location.file})
    compiler = _SANITIZERS.get(example.check.category, "cc -fsanitize=address,undefined")
    words = [*shlex.split(compiler), "-g", *flags, "replay.c", *others, "-lm", "-o", "replay"]
    return Driver(text, f"{shlex.join(words)} && ./replay", tuple(dict.fromkeys(writer.limits)))


def sources(program: Program, suffixes: tuple[str, ...]) -> set[str]:
    """The files with functions of the program itself, of those that end so."""
    return {
        f.location.file
        for f in program.functions.values()
        if f.defined
        and f.location is not None
        and f.name not in program.models
        and f.location.file.endswith(suffixes)
    }


@record
class DriverText:
    """The parts of a driver as text; `limits` grows with what they leave out."""

    program: Program
    example: Counterexample
    entry: Function
    limits: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        check = self.example.check
        place = check.location
        file = self.entry.location.file if self.entry.location is not None else ""
        outside = [o for o in self.example.objects if o.kind == "outside"]
        self.names = {o.name: f"object_{n}" for n, o in enumerate(outside, 1)}
        what = comment(f"{check.id}: {check.message}, at {place.file}:{place.line}")
        stubs = self._stubs()
        body = [*self._memory(), *self._call()]
        lines = [
            f"/* {what} */",
            "#define main vouch_main",
            f'#include "{_quoted(file)}"',
            "#undef main",
            "#include <string.h>",
            "",
            *[line for o in outside for line in self._object(o)],
            *stubs,
            "int main(void)",
            "{",
            *[f"    {line}" for line in body],
            "    return 0;",
            "}",
        ]
        return "\n".join(lines) + "\n"

    # ------------------------------------------------------------ memory

    def _object(self, item: OutsideObject) -> list[str]:
        size = max(item.size, 1)
        if size > _LARGEST:
            self.limits.append(f"the contents of {item.name.partition('#')[0]} behind the first bytes")
        data = item.data[:_LARGEST]
        name = self.names[item.name]
        values = ", ".join(str(byte) for byte in data.rstrip(b"\0")) or "0"
        told = comment(item.name.partition("#")[0])
        return [
            f"static _Alignas(16) unsigned char {name}[{min(size, _WIDEST)}] = {{{values}}}; /* *{told} */",
            "",
        ]

    def _memory(self) -> list[str]:
        lines: list[str] = []
        for item in self.example.objects:
            if item.kind in ("local", "heap"):
                self.limits.append("what memory holds that nobody wrote")
                continue
            if item.kind == "global" and self._nameless(item.name):
                continue
            base = self._base(item.name)
            if base is None:
                self.limits.append(f"the contents of {item.name}")
                continue
            if item.kind == "global":
                lines.append(
                    f"memcpy((void *)({base}), {_bytes(item.data[:_LARGEST])}, {len(item.data[:_LARGEST])});"
                )
            for offset, address in item.pointers.items():
                if offset < _WIDEST and (value := self._address(address)) is not None:
                    lines.append(f"*(void **)({base} + {offset}) = (void *)({value});")
        return lines

    def _nameless(self, name: str) -> bool:
        """The compiler's own: strings, tables of checks."""
        known = self.program.globals.get(name)
        return known is None or known.variable is None

    def _base(self, name: str) -> str | None:
        """Where an object begins, as a pointer to characters."""
        if name in self.names:
            return self.names[name]
        known = self.program.globals.get(name)
        if (
            known is not None
            and known.variable is not None
            and self._visible(known.linkage, known.variable.location)
        ):
            return f"(char *)&{known.variable.name}"
        return None

    def _visible(self, linkage: str, place: object) -> bool:
        file = getattr(place, "file", None)
        own = self.entry.location.file if self.entry.location is not None else ""
        return linkage not in ("internal", "private") or file is None or file == own or file.endswith(".h")

    # ------------------------------------------------------------ values

    def _address(self, address: Address) -> str | None:
        if address.base is None:
            return f"(char *){address.offset:#x}"
        if address.base == OUTSIDE_FUNCTION:
            return f"(char *){_OUTSIDE}"
        function = self.program.functions.get(address.base)
        if function is not None:
            return f"(char *){function.source_name}"
        base = self._base(address.base)
        if base is None:
            self.limits.append(f"a pointer to {address.base.partition(':')[2] or address.base}")
            return None
        return f"{base} + {address.offset}" if address.offset else base

    def _value(self, value: Scalar, kind: CType) -> str:
        if isinstance(value, Address):
            return f"({_type(kind)})({self._address(value) or '0'})"
        if kind.kind == "float":
            return _float(value, kind.size)
        bits = 8 * kind.size
        number = value & ((1 << bits) - 1)
        if kind.signed and number >> (bits - 1):
            number -= 1 << bits
        if kind.kind == "pointer":
            return f"({_type(kind)}){number:#x}"
        least = -(1 << 63)
        return f"({number + 1}LL - 1)" if number == least else f"{number}{'ull' if number > 1 << 62 else ''}"

    def _call(self) -> list[str]:
        kinds = [
            self.program.ctypes.get(key) if key is not None else None for key in self.entry.parameter_types
        ]
        values = self.example.arguments
        plain = len(kinds) == len(values) and all(k is not None and k.kind in _SCALARS for k in kinds)
        name = "vouch_main" if self.entry.source_name == "main" else self.entry.source_name
        if name == "vouch_main" and not values:
            return [_main_call(self.entry)]
        if not plain:
            self.limits.append("arguments that are structs")
            return [f"/* call {name} with its arguments here */"]
        words = [self._value(v, k) for v, k in zip(values, kinds, strict=True) if k is not None]
        return [f"{name}({', '.join(words)});"]

    # ------------------------------------------------------------ functions outside

    def _stubs(self) -> list[str]:
        events: dict[str, list[Event]] = {}
        for event in self.example.events:
            if event.kind != "return":
                self.limits.append(
                    "volatile reads" if event.kind == "volatile" else "what memory holds that nobody wrote"
                )
            elif not event.function.startswith("llvm."):
                events.setdefault(event.function, []).append(event)
        lines: list[str] = []
        for name, own in events.items():
            lines += self.stub(name, own)
        return lines

    def stub(self, name: str, events: Sequence[Event]) -> list[str]:
        """A function without a body, which returns and writes what was recorded."""
        head = self._head(name)
        if head is None:
            self.limits.append(f"what {name} returns")
            return []
        declared, kind = head
        lines = [f"{declared}", "{", "    static unsigned call;", "    switch (call++) {"]
        for number, event in enumerate(events):
            lines.append(f"    case {number}:")
            lines += [f"        {line}" for line in self._writes(event)]
            if kind is not None and event.value is not None:
                lines.append(f"        return {self._value(event.value, kind)};")
            else:
                lines.append("        return;" if kind is None else "        return 0;")
        lines += ["    }", "    return;" if kind is None else "    return 0;", "}", ""]
        return lines

    def _head(self, name: str) -> tuple[str, CType | None] | None:
        """How the function is declared, and what it returns (None: nothing)."""
        if name == OUTSIDE_FUNCTION:
            arguments = ", ".join(f"char *a{n}" for n in range(6))
            return f"static long long {_OUTSIDE}({arguments})", CType("int", "long long", 8, signed=True)
        function = self.program.functions.get(name)
        if function is None or function.defined or function.signature.variadic:
            return None
        types = [
            self.program.ctypes.get(key) if key is not None else None for key in function.parameter_types
        ]
        if any(t is None or t.kind not in _SCALARS for t in types):
            return None
        result = self.program.ctypes.get(function.result_type) if function.result_type is not None else None
        if result is not None and result.kind not in _SCALARS | {"void"}:
            return None
        result = None if result is None or result.kind == "void" else result
        listed = ", ".join(f"{_type(t)} a{n}" for n, t in enumerate(types) if t is not None) or "void"
        return f"{_type(result) if result is not None else 'void'} {function.source_name}({listed})", result

    def _writes(self, event: Event) -> list[str]:
        lines = []
        for address, data in event.writes:
            if (place := self._written(address)) is not None and data:
                lines.append(f"memcpy((void *)({place}), {_bytes(data[:_LARGEST])}, {len(data[:_LARGEST])});")
        for address, value in event.pointer_writes:
            if (place := self._written(address)) is not None and (
                pointer := self._address(value)
            ) is not None:
                lines.append(f"*(void **)({place}) = (void *)({pointer});")
        return lines

    def _written(self, address: Address) -> str | None:
        if address.base is not None and address.base.startswith("argument:"):
            return f"(char *)a{address.base.removeprefix('argument:')} + {address.offset}"
        return self._address(address)


def _main_call(entry: Function) -> str:
    given = ["1", '(char *[]){"replay", 0}', "(char *[]){0}"][: len(entry.parameters)]
    return f"vouch_main({', '.join(given)});"


def _type(kind: CType) -> str:
    """A type as a cast spells it; a pointer to a function has no name that fits."""
    return "void *" if kind.kind == "pointer" and "(" in kind.name else kind.name


def _float(bits: int, size: int) -> str:
    if size not in (4, 8):
        return "0"
    number: float = struct.unpack("<f" if size == 4 else "<d", bits.to_bytes(size, "little"))[0]
    if math.isnan(number):
        return '__builtin_nan("")'
    if math.isinf(number):
        return f"{'-' if number < 0 else ''}__builtin_inf()"
    return number.hex() + ("f" if size == 4 else "")


def _bytes(data: bytes) -> str:
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


def _quoted(file: str) -> str:
    return visible(file).replace("\\", "\\\\").replace('"', '\\"')


def comment(text: str) -> str:
    return visible(text).replace("*/", "* /").replace("/*", "/ *")
