"""Structs in registers, in rewritten code: an array beside each register tells which bytes were written.

Filled where a struct is loaded to be handed on, taken along through calls, returns and the instructions that
take a struct apart, and put into shadow memory where the register is stored (runtime/shadow.c).
"""

from __future__ import annotations

import re
from collections.abc import Collection

from vouch.bmc.replay.emit import CodeText, stored_size
from vouch.bmc.replay.text import CallText, FunctionText, Line, split, type_end
from vouch.c.reader.scan import unquoted

_SIZE = 128  # bytes, as in runtime/shadow.c
_PART = re.compile(r"(extractvalue|insertvalue) ")
_CAST = re.compile(r"(trunc|zext|ptrtoint|inttoptr) (?:nuw |nsw |nneg )*")


class RegisterShadow:
    """`received` names the registers that may hold unwritten bytes (`vouch.c.struct_registers`), `carrying`
    are the numbers of the loads that fill them."""

    def __init__(
        self, out: CodeText, text: FunctionText, received: Collection[str], carrying: Collection[int]
    ) -> None:
        self._out = out
        self._text = text
        self._received = received
        self._carrying = carrying
        self._arrays: dict[str, str] = {}
        self._awaited: dict[str, str] = {}  # result of an invoke, not asked for yet -> callee

    def of(self, register: str) -> str | None:
        """The array of a register, spelled with its %."""
        if not self._received or not register.startswith("%") or unquoted(register[1:]) not in self._received:
            return None
        if register not in self._arrays:
            self._arrays[register] = f"%v.shadow.{len(self._arrays)}"
        array = self._arrays[register]
        callee = self._awaited.pop(register, None)
        if callee is not None:
            self._out.call("given", callee, array)
        return array

    def reserve(self) -> list[str]:
        """Lines for the start of the function: all arrays, with nothing unwritten."""
        lines = []
        for array in self._arrays.values():
            lines.append(f"  {array} = alloca [{_SIZE} x i8]")
            lines.append(f"  call void @__replay_shadow_clear(ptr {array})")
        return lines

    def enter(self) -> None:
        for index, parameter in enumerate(self._text.parameters):
            array = self.of(parameter.name)
            if array is not None:
                self._out.call("passed", self._self(), str(index), array)

    def _self(self) -> str:
        return f"@{self._text.spelled}"

    def load(self, line: Line, kind: str, pointer: str) -> None:
        if line.number in self._carrying and line.result is not None:
            array = self.of(line.result)
            if array is not None:
                self._out.call("shadow_load", array, pointer, stored_size(kind))

    def store(self, kind: str, value: str, pointer: str) -> None:
        array = self.of(value)
        if array is not None:
            self._out.call("shadow_store", array, pointer, stored_size(kind))

    def before_call(self, call: CallText) -> None:
        for index, (kind, _, value) in enumerate(call.arguments):
            array = self.of(value)
            if array is not None:
                self._out.call("pass", call.callee, str(index), array, stored_size(kind))

    def after_call(self, line: Line, call: CallText) -> None:
        if line.result is None:
            return
        if line.op == "invoke":  # another block follows
            if self.of(line.result) is not None:
                self._awaited[line.result] = call.callee
            return
        array = self.of(line.result)
        if array is not None:
            self._out.call("given", call.callee, array)

    def leave(self, line: Line) -> None:
        kind, _, value = line.text.removeprefix("ret ").rpartition(" ")
        array = self.of(value)
        if array is not None:
            self._out.call("give", self._self(), array, stored_size(kind))

    def follow(self, line: Line) -> None:
        """Casts, and what takes structs apart and puts them together."""
        if line.result is None or (array := self.of(line.result)) is None:
            return
        self._out.call("shadow_clear", array)
        if match := _CAST.match(line.text):
            kind, value = _typed(line.text[match.end() :].rpartition(" to ")[0])
            self._part(array, "0", value, "0", stored_size(kind))
        elif match := _PART.match(line.text):
            parts = split(line.text[match.end() :])
            kind, value = _typed(parts[0])
            indices = parts[1:] if match[1] == "extractvalue" else parts[2:]
            at = f"ptrtoint (ptr getelementptr ({kind}, ptr null, i32 0, {_indices(indices)}) to i64)"
            if match[1] == "extractvalue":
                self._part(array, "0", value, at, str(_SIZE))
            else:
                inner, part = _typed(parts[1])
                self._part(array, "0", value, "0", str(_SIZE))
                self._part(array, at, part, "0", stored_size(inner))

    def _part(self, array: str, to: str, source: str, start: str, size: str) -> None:
        other = self.of(source)
        if other is not None:
            self._out.call("shadow_part", array, to, other, start, size)


def _typed(text: str) -> tuple[str, str]:
    end = type_end(text)
    return text[:end], text[end:].strip()


def _indices(parts: list[str]) -> str:
    return ", ".join(f"i32 {part}" for part in parts)
