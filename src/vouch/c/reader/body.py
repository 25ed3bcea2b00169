"""The lines of one function body to its blocks."""

from __future__ import annotations

import re

from vouch.c.ir import (
    Alloca,
    Block,
    Branch,
    Call,
    DebugValue,
    GetElementPtr,
    Instruction,
    Opaque,
    OtherType,
    Parameter,
    Register,
    Store,
    Variable,
)
from vouch.c.reader.instructions import OTHER_TERMINATORS, READERS, Instructions
from vouch.c.reader.metadata import Metadata
from vouch.c.reader.scan import Unreadable, split, unquoted
from vouch.c.reader.types import VOID

_LABEL = re.compile(r'("[^"]*"|[-\w.$]+):')
_QUOTED_RESULT = re.compile(r'%("[^"]*") = ')
_ATTACHMENTS = re.compile(r"(?:, ![\w.$-]+ !\d+)+$")
_RECORD = re.compile(r"\s*#dbg_(declare|value)\((.*)\)$")
_UNKNOWN = OtherType("unknown")
# What a reader may stumble over in text it does not know.
_STUMBLES = (Unreadable, ValueError, IndexError, KeyError, AttributeError, TypeError)


class Body:
    """Reads one body: after `read`, `blocks` is complete and the parameters have their C variables."""

    def __init__(self, reader: Instructions, metadata: Metadata, parameters: list[Parameter]) -> None:
        self._reader = reader
        self._metadata = metadata
        self._parameters = parameters
        self._allocas: dict[str, Alloca] = {}
        self._steps: dict[str, GetElementPtr] = {}
        self.blocks: dict[str, Block] = {}
        self._current: list[Instruction] = []

    def read(self, lines: list[str], start: int) -> int:
        """Read from the line after `define` to the closing brace; the number of the line after it."""
        at = start
        opened = False
        while True:
            line = lines[at]
            at += 1
            if line.startswith("  "):
                if not opened:
                    self._open(self._implicit_label())
                    opened = True
                if line.startswith("    #dbg"):
                    self._record(line)
                    continue
                at = self._instruction(line, lines, at)
            elif line == "}":
                break
            elif match := _LABEL.match(line):
                self._open(unquoted(match[1]))
                opened = True
        self._name_parameters()
        self._restore_noreturn()
        return at

    def _open(self, label: str) -> None:
        self._current = []
        self.blocks[label] = Block(label, self._current)

    def _implicit_label(self) -> str:
        """An entry block without a label has the number after the last unnamed parameter."""
        numbers = [int(p.name) for p in self._parameters if p.name.isdecimal()]
        return str(max(numbers) + 1 if numbers else 0)

    def _instruction(self, line: str, lines: list[str], at: int) -> int:
        """Read an instruction, with the lines it goes on over; the number of the line after it."""
        if lines[at].startswith("    ") or line.endswith("["):
            line, at = _joined(line, lines, at)
        suffix = line.find(", !")
        if suffix < 0:
            suffix = len(line)
        elif '"' in line:  # perhaps in a string
            match = _ATTACHMENTS.search(line)
            suffix = match.start() if match else len(line)
        place, inner, loop = self._metadata.attached(line[suffix:])
        result, text = _result(line[2:suffix])
        op, _, rest = text.partition(" ")
        read = READERS.get(op)
        try:
            if read is None:
                raise Unreadable(op)
            made = read(self._reader, op, result, rest, place, inner)
        except _STUMBLES:
            kind = VOID if result is None else _UNKNOWN
            made = Opaque(result, kind, place, inner, line.strip(), op in OTHER_TERMINATORS)
        if loop is not None and isinstance(made, Branch):
            made.loop = loop
        elif op == "alloca" and isinstance(made, Alloca) and result is not None:
            self._allocas[result] = made
        elif op == "getelementptr" and isinstance(made, GetElementPtr) and result is not None:
            self._steps[result] = made
        self._current.append(made)
        return at

    # -------------------------------------------------------- debug records

    def _record(self, line: str) -> None:
        """#dbg_declare names an alloca (or a by-value parameter), #dbg_value a value; others say nothing
        about values. With an expression the value is not the variable's own: left out."""
        match = _RECORD.match(line)
        if match is None:
            return
        value, variable, expression, place = split(match[2])
        if expression != "!DIExpression()" or not variable.startswith("!"):
            return
        known = self._metadata.variable(variable[1:])
        if known is None or value.startswith("!"):
            return
        operand = self._reader.values.operand(value)
        if match[1] == "value":
            where = self._metadata.location(place[1:])
            self._current.append(DebugValue(None, VOID, where, False, known, operand))
            if isinstance(operand, Register) and known.argument:
                self._bind(operand.name, known)
        elif isinstance(operand, Register):
            if operand.name in self._allocas:
                self._allocas[operand.name].variable = known
            elif operand.name in self._steps:
                self._steps[operand.name].variable = known
            else:
                self._bind(operand.name, known)

    def _bind(self, name: str, variable: Variable) -> None:
        for parameter in self._parameters:
            if parameter.name == name:
                parameter.variable = variable

    def _restore_noreturn(self) -> None:
        """Instrumenting `unreachable` takes the attribute off calls that do not return, and puts a handler
        for the case that they do behind them, at the same place."""
        for block in self.blocks.values():
            if len(block.instructions) < 2:
                continue
            call, jump = block.instructions[-2:]
            if (
                isinstance(jump, Branch)
                and jump.nosanitize
                and jump.otherwise is not None
                and jump.otherwise.startswith("handler.builtin_unreachable")
                and isinstance(call, Call)
                and call.location == jump.location
            ):
                call.attributes |= {"noreturn"}

    def _name_parameters(self) -> None:
        """A parameter belongs to the variable into whose alloca the entry block stores it; so do the
        pieces of a struct that is passed in registers."""
        homes = {name: a.variable for name, a in self._allocas.items() if a.variable is not None}
        pieces: dict[str, str] = {}
        entry = next(iter(self.blocks.values()), None)
        for made in entry.instructions if entry else ():
            if isinstance(made, GetElementPtr) and isinstance(made.base, Register) and made.result:
                pieces[made.result] = pieces.get(made.base.name, made.base.name)
            elif (
                isinstance(made, Store)
                and isinstance(made.value, Register)
                and isinstance(made.pointer, Register)
            ):
                home = pieces.get(made.pointer.name, made.pointer.name)
                variable = homes.get(home)
                if variable is not None and variable.argument:
                    self._bind(made.value.name, variable)


def _joined(line: str, lines: list[str], at: int) -> tuple[str, int]:
    """An instruction that goes on over several lines, as one; and the number of the line after it."""
    if line.startswith("  switch ") and line.endswith("["):
        end = at
        while not lines[end].startswith("  ]"):
            end += 1
        return "\n".join((line, *lines[at : end + 1])), end + 1
    # Second lines of invoke, callbr and landingpad are indented further than debug records.
    while lines[at].startswith("     "):
        line += " " + lines[at].strip()
        at += 1
    return line, at


def _result(text: str) -> tuple[str | None, str]:
    """The name before the `=`, if any, and the rest."""
    if text[0] != "%":
        return None, text
    if text[1] == '"':
        match = _QUOTED_RESULT.match(text)
        if match is not None:
            return unquoted(match[1]), text[match.end() :]
    name, _, rest = text.partition(" = ")
    return name[1:], rest
