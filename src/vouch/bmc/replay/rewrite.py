"""One function, rewritten: memory accesses go through the runtime, checks are watched.

Nothing else about the function changes: blocks, branches and arithmetic are those that clang made.
Objects whose address is used for more than plain loads and stores live in the runtime's arena, so that an
access outside them is noticed; the others stay where the compiler puts them, with a flag that tells
whether they were written.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection, Mapping
from dataclasses import field

from vouch.bmc.replay.allocas import REGISTER, STORE, load_parts, plain_pointer, simple_allocas, written_first
from vouch.bmc.replay.emit import CodeText, allocated_size, bits, operand_text, stored_size
from vouch.bmc.replay.shadow import RegisterShadow
from vouch.bmc.replay.text import NAME, CallText, FunctionText, Line, call_result, parse_call, split, type_end
from vouch.bmc.replay.triggers import AFTER, BEFORE, Unwatchable, Watch, binary_parts
from vouch.c.checks.base import Check, Trigger
from vouch.c.ir import Call, Load, Store
from vouch.record import record

_DROPPED = ("@llvm.dbg.", "@llvm.experimental.noalias.scope.", "@llvm.invariant.")
_TRAPS = ("@llvm.trap", "@llvm.debugtrap", "@llvm.ubsantrap")
END_ABORT, END_UNREACHABLE, END_FOREIGN = 3, 5, 11


@record
class RewriteTables:
    """What the rewriting of all functions needs to know and finds out."""

    functions: Mapping[str, int]  # number of each function by name
    pointer_bits: int
    foreign: bool  # for another processor: its assembly and argument lists cannot be run
    allocas: dict[str, int] = field(default_factory=dict)  # "function.register" -> number
    unwatched: dict[int, str] = field(default_factory=dict)  # check number -> why
    indirect: dict[str, str] = field(default_factory=dict)  # "result (signature)" -> stub for unknown callees

    def alloca(self, function: str, register: str) -> int:
        name = f"{function}.{register.removeprefix('%').strip(chr(34))}"
        return self.allocas.setdefault(name, len(self.allocas))


class FunctionRewriter:
    """Rewrites one function; `lines()` is the definition that replaces it."""

    def __init__(
        self,
        text: FunctionText,
        checks: Mapping[int, list[tuple[int, Check]]],
        shared: RewriteTables,
        received: Collection[str] = (),
        carrying: Collection[int] = (),
    ) -> None:
        self._text = text
        self._checks = checks
        self._shared = shared
        self._number = str(shared.functions[text.name])
        self._out = CodeText()
        self._shadow = RegisterShadow(self._out, text, received, carrying)
        self._simple = simple_allocas(text)
        self._flagged = self._find_flagged()
        self._open = self._simple.keys() - written_first(text)
        self._frame = ""
        self._copies: dict[str, str] = {}

    def lines(self) -> list[str]:
        text = self._text
        parameters = [" ".join(w for w in (p.type, p.attributes, p.name) if w) for p in text.parameters]
        if text.variadic:
            parameters.append("...")
        # C's inline functions have their definition elsewhere, in C; the run has no elsewhere.
        lead = text.lead.replace("available_externally", "")
        head = f"define {lead} {text.result} @{text.spelled}({', '.join(parameters)}) {text.tail} {{"
        start = None
        for item in text.body:
            if isinstance(item, str):
                self._out.lines.append(item)
                continue
            if start is None:
                start = len(self._out.lines)
                self._enter()
                self._shadow.enter()
            self._instruction(item)
        body = self._out.lines
        body[start:start] = self._shadow.reserve()
        if self._copies:
            body = [self._renamed(line) for line in body]
        return [head, *body, "}"]

    # ------------------------------------------------------------ entering and leaving

    def _enter(self) -> None:
        arena = any(
            isinstance(i, Line) and i.op == "alloca" and i.result not in self._simple for i in self._text.body
        )
        copied = [p for p in self._text.parameters if p.by_value is not None and p.name]
        if not arena and not copied:
            return
        self._frame = self._out.call("frame")
        for parameter in copied:
            assert parameter.by_value is not None
            kind, align = parameter.by_value
            copy = self._out.call("by_value", parameter.name, allocated_size(kind), str(align), self._number)
            self._out.lines[-1] += " ; by value"
            self._copies[parameter.name] = copy

    def _renamed(self, line: str) -> str:
        """Uses of a by-value parameter become uses of the callee's own copy."""
        if line.endswith(" ; by value"):
            return line
        return REGISTER.sub(lambda m: self._copies.get(m[0], m[0]), line)

    def _leave(self) -> None:
        if self._frame:
            self._out.call("leave", self._frame)

    # ------------------------------------------------------------ instructions

    def _instruction(self, line: Line) -> None:
        checks = self._checks.get(line.number, ())
        call = parse_call(line.text) if line.op in ("call", "invoke") else None
        for number, check in checks:
            self._watch(BEFORE, number, check, line, call)
        match line.op:
            case "alloca":
                self._alloca(line)
            case "load":
                self._load(line)
            case "store":
                self._store(line)
            case "call" | "invoke" if call is not None:
                self._call(line, call)
            case "call" if self._shared.foreign:
                self._assembly(line)
            case "atomicrmw" | "cmpxchg":
                self._atomic(line)
            case "ret":
                self._shadow.leave(line)
                self._leave()
                self._keep(line)
            case "unreachable":
                self._out.call("end", str(END_UNREACHABLE))
                self._keep(line)
            case "sdiv" | "udiv" | "srem" | "urem":
                self._division(line)
            case "shl" | "lshr" | "ashr":
                self._shift(line)
            case "fptosi" | "fptoui":
                self._float_to_integer(line)
            case _:
                self._keep(line)
                self._shadow.follow(line)
        for number, check in checks:
            if line.op == "invoke" and check.trigger in AFTER:
                self._shared.unwatched[number] = "the call may throw"
            else:
                self._watch(AFTER, number, check, line, call)

    def _watch(
        self, table: Mapping[Trigger, Watch], number: int, check: Check, line: Line, call: CallText | None
    ) -> None:
        watch = table.get(check.trigger)
        if watch is None:
            return
        try:
            watch(self._out, check, number, line, call)
        except Unwatchable as error:
            self._shared.unwatched[number] = str(error)

    def _keep(self, line: Line, text: str | None = None) -> None:
        self._out.do((f"{line.result} = " if line.result else "") + (text if text is not None else line.text))

    def _site(self, line: Line, trigger: Trigger) -> str:
        for number, check in self._checks.get(line.number, ()):
            if check.trigger is trigger:
                return str(number)
        return "0"

    # ------------------------------------------------------------ memory

    def _find_flagged(self) -> set[str]:
        """Simple allocas with a load whose initialisation is checked."""
        found = set()
        for item in self._text.body:
            if isinstance(item, Line) and item.op == "load":
                pointer = load_parts(item)[1]
                if pointer in self._simple and self._site(item, Trigger.UNINITIALISED) != "0":
                    found.add(pointer)
        return found

    def _alloca(self, line: Line) -> None:
        assert line.result is not None
        if line.result in self._simple:
            self._keep(line)
            if line.result in self._flagged:
                self._out.do(f"{_flag(line.result)} = alloca i8")
            self._begin_simple(line.result)
            return
        parts = split(line.text.removeprefix("alloca ").removeprefix("inalloca "))
        size = allocated_size(parts[0])
        align = "16"
        for part in parts[1:]:
            if part.startswith("align "):
                align = part.removeprefix("align ")
            elif not part.startswith("addrspace"):
                kind, _, count = part.partition(" ")
                size = self._out.value(f"mul i64 {self._out.to_i64(kind, count)}, {size}")
        number = self._shared.alloca(self._text.name, line.result)
        self._keep(line, f"call ptr @__replay_alloca(i64 {size}, i64 {align}, i32 {number})")

    def _begin_simple(self, register: str) -> None:
        """Nobody wrote the variable yet: it holds what the counterexample says such bytes hold."""
        if register in self._flagged:
            self._out.do(f"store i8 0, ptr {_flag(register)}")
        if register in self._open:
            number = self._shared.alloca(self._text.name, register)
            self._out.call("fresh", register, stored_size(self._simple[register]), str(number))

    def _lifetime(self, pointer: str, begins: bool) -> None:
        """A block's variables begin without a value and end with the block."""
        if pointer not in self._simple:
            self._out.call("scope_begin" if begins else "scope_end", pointer)
        elif begins:
            self._begin_simple(pointer)

    def _load(self, line: Line) -> None:
        kind, pointer, volatile = load_parts(line)
        access, uninitialised = self._site(line, Trigger.ACCESS), self._site(line, Trigger.UNINITIALISED)
        if pointer in self._simple:
            if uninitialised != "0":
                flag = self._out.value(f"load i8, ptr {_flag(pointer)}")
                self._out.fire_if(self._out.value(f"icmp eq i8 {flag}, 0"), int(uninitialised))
            self._keep(line)
            return
        if _is_whole_global(pointer) and not volatile and access == "0":
            self._keep(line, f"load {kind}, ptr {pointer}, align 1")
            return
        self._stay_within(line, pointer, kind, access)
        if any(check.written for _, check in self._checks.get(line.number, ())):
            self._out.call("writable", pointer, stored_size(kind), access, self._number)
        hook = "volatile_load" if volatile else "load"
        place = self._out.call(hook, pointer, stored_size(kind), access, uninitialised, self._number)
        self._keep(line, f"load {kind}, ptr {place}, align 1")
        self._shadow.load(line, kind, pointer)

    def _store(self, line: Line) -> None:
        match = STORE.match(line.text)
        assert match is not None
        value, place = split(line.text[match.end() :])[:2]
        kind, pointer = value[: type_end(value)], plain_pointer(place, atomic=bool(match[1]))
        if pointer in self._simple:
            self._keep(line)
            if pointer in self._flagged:
                self._out.do(f"store i8 1, ptr {_flag(pointer)}")
            return
        access = self._site(line, Trigger.ACCESS)
        self._stay_within(line, pointer, kind, access)
        target = self._out.call("store", pointer, stored_size(kind), access, self._number)
        self._out.do(f"store {value}, ptr {target}, align 1")
        self._shadow.store(kind, value[len(kind) :].strip(), pointer)

    def _stay_within(self, line: Line, pointer: str, kind: str, access: str) -> None:
        """A step from a member of a struct from outside must not leave the struct."""
        checks = (check for _, check in self._checks.get(line.number, ()))
        site = next((check.site for check in checks if check.trigger is Trigger.ACCESS), None)
        member = site.within if isinstance(site, Load | Store) else None
        if member is not None:
            anchor, before, whole = operand_text(member[0]) or "null", str(member[1]), str(member[2])
            self._out.call("within", pointer, stored_size(kind), anchor, before, whole, access, self._number)

    def _atomic(self, line: Line) -> None:
        before, pointer, after = _around_pointer(line.text)
        kind = after.lstrip(", ").split(" ", 1)[0]
        site = self._site(line, Trigger.ACCESS)
        place = self._out.call(
            "volatile_load" if " volatile " in before else "load",
            pointer,
            stored_size(kind),
            site,
            self._site(line, Trigger.UNINITIALISED),
            self._number,
        )
        self._out.call("store", place, stored_size(kind), site, self._number)
        self._keep(line, f"{before}{place}{after}")

    # ------------------------------------------------------------ arithmetic

    def _division(self, line: Line) -> None:
        """The processor traps where C leaves the result open."""
        op, kind, left, right = binary_parts(line)
        width = bits(kind)
        if width is None or (right.lstrip("-").isdecimal() and right not in ("0", "-1")):
            self._keep(line)
            return
        out = self._out
        zero = out.value(f"icmp eq {kind} {right}, 0")
        minus = out.value(f"icmp eq {kind} {right}, -1") if op[0] == "s" else "false"
        unsafe = out.value(f"or i1 {zero}, {minus}")
        divisor = out.value(f"select i1 {unsafe}, {kind} 1, {kind} {right}")
        result = out.value(f"{op} {kind} {left}, {divisor}")
        if op == "sdiv":
            negated = out.value(f"sub {kind} 0, {left}")
            result = out.value(f"select i1 {minus}, {kind} {negated}, {kind} {result}")
        self._result(line, kind, result, zero)

    def _shift(self, line: Line) -> None:
        """A shift by the width or more is anything."""
        op, kind, left, right = binary_parts(line)
        width = bits(kind)
        if width is None or right.isdecimal():
            self._keep(line)
            return
        far = self._out.value(f"icmp uge {kind} {right}, {width}")
        amount = self._out.value(f"select i1 {far}, {kind} 0, {kind} {right}")
        self._result(line, kind, self._out.value(f"{op} {kind} {left}, {amount}"), far)

    def _float_to_integer(self, line: Line) -> None:
        """A number that does not fit becomes anything."""
        source, kind = line.text[len(line.op) + 1 :].rsplit(" to ", 1)
        end = type_end(source)
        real, value = source[:end], source[end:].strip()
        width = bits(kind)
        if real not in ("float", "double") or width is None or width > 64:
            self._keep(line)
            return
        signed = line.op == "fptosi"
        low, inclusive = _least(width, signed, 24 if real == "float" else 53)
        high = 2.0 ** (width - 1 if signed else width)
        above = self._out.value(f"fcmp {'oge' if inclusive else 'ogt'} {real} {value}, {_real(low)}")
        below = self._out.value(f"fcmp olt {real} {value}, {_real(high)}")
        fits = self._out.value(f"and i1 {above}, {below}")
        tame = self._out.value(f"select i1 {fits}, {real} {value}, {real} 0.0")
        bad = self._out.value(f"xor i1 {fits}, true")
        self._result(line, kind, self._out.value(f"{line.op} {real} {tame} to {kind}"), bad)

    def _result(self, line: Line, kind: str, value: str, bad: str) -> None:
        width = bits(kind)
        if width is not None and width <= 64:
            self._keep(line, self._out.or_arbitrary(kind, value, bad, self._number))
        else:
            self._keep(line, f"or {kind} {value}, 0")

    # ------------------------------------------------------------ calls

    def _call(self, line: Line, call: CallText) -> None:
        name = call.callee
        if name.startswith("@llvm."):
            self._intrinsic(line, call)
            return
        blame = (self._site(line, Trigger.ACCESS), self._site(line, Trigger.UNINITIALISED))
        charged = blame != ("0", "0") and line.op == "call"
        if charged:
            self._out.call("blame", *blame)
            lent = self._lend(line)
        if not name.startswith("@"):
            call.callee = self._checked_callee(line, call)
        self._shadow.before_call(call)
        self._keep(line, call.spelled())
        self._shadow.after_call(line, call)
        if charged:
            self._unlend(lent)
            self._out.call("unblame")

    def _lend(self, line: Line) -> int:
        """Say of which structs members are handed out. How many."""
        checks = (check for _, check in self._checks.get(line.number, ()))
        site = next((check.site for check in checks if check.trigger is Trigger.ACCESS), None)
        members = site.members if isinstance(site, Call) else ()
        for _, anchor, before, size in members:
            self._out.call("lend", operand_text(anchor) or "null", str(before), str(size))
        return len(members)

    def _unlend(self, count: int) -> None:
        if count:
            self._out.call("unlend")

    def _assembly(self, line: Line) -> None:
        self._out.call("end", str(END_FOREIGN))
        if line.result is not None:
            self._keep(line, f"freeze {call_result(line.text)} zeroinitializer")

    def _checked_callee(self, line: Line, call: CallText) -> str:
        signature = call.signature or f"({', '.join(kind for kind, _, _ in call.arguments)})"
        stub = self._shared.indirect.setdefault(
            f"{call.result} {signature}", f"__replay_unknown.{len(self._shared.indirect)}"
        )
        return self._out.call("callee", call.callee, f"@{stub}", self._site(line, Trigger.CALL), self._number)

    def _intrinsic(self, line: Line, call: CallText) -> None:
        name, out = call.callee, self._out
        values = [value for _, _, value in call.arguments]
        access = self._site(line, Trigger.ACCESS)
        if name.startswith(_DROPPED):
            return
        if name.startswith("@llvm.lifetime."):
            self._lifetime(values[-1], name.startswith("@llvm.lifetime.start"))
            return
        if name.startswith(("@llvm.memcpy.", "@llvm.memmove.")):
            uninitialised = self._site(line, Trigger.UNINITIALISED)
            length = out.to_i64(call.arguments[2][0], values[2])
            if name.startswith("@llvm.memcpy."):
                out.call("apart", values[0], values[1], length, access, self._number)
            lent = self._lend(line)
            out.call("copy", values[0], values[1], length, access, access, uninitialised, self._number)
            self._unlend(lent)
        elif name.startswith("@llvm.memset."):
            length = out.to_i64(call.arguments[2][0], values[2])
            lent = self._lend(line)
            out.call("fill", values[0], values[1], length, access, self._number)
            self._unlend(lent)
        elif name.startswith("@llvm.stacksave"):
            self._keep(line, f"inttoptr i64 {out.call('frame')} to ptr")
        elif name.startswith("@llvm.stackrestore"):
            out.call("leave", out.value(f"ptrtoint ptr {values[0]} to i64"))
        elif name.startswith("@llvm.threadlocal.address"):
            self._keep(line, f"getelementptr i8, ptr {values[0]}, i64 0")
        elif name in _TRAPS:
            out.call("end", str(END_ABORT))
        elif self._shared.foreign and name.startswith(("@llvm.va_start", "@llvm.va_copy")):
            out.call("end", str(END_FOREIGN))
        else:
            self._keep(line, call.spelled())
            if name.startswith(("@llvm.va_start", "@llvm.va_copy")):
                out.call("written", values[0], "24" if self._shared.pointer_bits == 64 else "4")


def _least(width: int, signed: bool, precision: int) -> tuple[float, bool]:
    """The bound below which a number does not fit, and whether it fits itself."""
    if not signed:
        return -1.0, False
    if width <= precision:
        return -(2.0 ** (width - 1)) - 1, False
    return -(2.0 ** (width - 1)), True


def _real(value: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _flag(register: str) -> str:
    name = register[1:].strip('"')
    return f'%"v.written.{name}"'


def _is_whole_global(pointer: str) -> bool:
    return re.fullmatch(rf"@{NAME}", pointer) is not None


def _around_pointer(text: str) -> tuple[str, str, str]:
    """atomicrmw and cmpxchg: what stands before, in and behind the pointer operand."""
    start = text.index("ptr ") + len("ptr ")
    first = split(text[start:])[0]
    return text[:start], first, text[start + len(first) :]
