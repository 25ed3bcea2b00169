"""LLVM IR text, taken apart as far as the instrumentation needs it.

The replay works on the text and not on `Program`, so that what runs is what clang made: a mistake of the
reader does not carry over. Metadata (debug information, loop hints) is dropped, nothing else.
"""

from __future__ import annotations

import re
from dataclasses import field

from vouch.c.reader.scan import Unreadable, closing, split, type_end, unquoted
from vouch.record import record

__all__ = [
    "CallText",
    "FunctionText",
    "Line",
    "ModuleText",
    "ParameterText",
    "call_result",
    "parse_call",
    "read_module",
    "split",
    "type_end",
]

NAME = r'(?:"[^"]*"|[-\w.$]+)'
_FUNCTION = re.compile(rf"@({NAME})\(")
_GLOBAL = re.compile(rf"@({NAME}) = (.*)$")
_LABEL = re.compile(rf"{NAME}:")
_RESULT = re.compile(rf"(%{NAME}) = ")
_ATTACHMENTS = re.compile(r"(?:,? ![\w.$-]+ !\d+)+(?= \{$|$)")
_TYPE_START = re.compile(r"(?:void|ptr|i\d+|float|double|half|bfloat|x86_fp80|fp128|ppc_fp128|token|[%\[{<])")
_CALL = re.compile(r"(?:(?:tail|musttail|notail) )?call ")
_COMMENT = re.compile(r"\s*; preds = .*$|\s*; No predecessors!$")
# By-value and struct-return pointers become plain pointers on both sides of a call; the callee makes copies.
_PASSING = re.compile(r"\b(?:byval|sret|preallocated)\(")


class Unreplayable(Exception):
    """The program cannot be run natively; the message says why."""


@record
class Line:
    """One instruction. `result` is spelled with its %; `number` counts the function's instructions."""

    result: str | None
    op: str  # "call" for every kind of call
    text: str  # without the result
    number: int


@record
class ParameterText:
    """`name` is spelled with its %, "" where there is none. `by_value`: type and alignment of the copy."""

    type: str
    attributes: str
    name: str
    by_value: tuple[str, int] | None = None
    returned: bool = False  # the place for a struct that is returned


@record
class FunctionText:
    """A function as printed. `lead` is what stands before the result type (linkage, calling convention),
    `tail` what follows the parameters."""

    name: str
    spelled: str
    lead: str
    result: str
    parameters: list[ParameterText]
    variadic: bool
    tail: str
    body: list[Line | str] = field(default_factory=list)  # a str is a label


@record
class ModuleText:
    preamble: list[str] = field(default_factory=list)
    globals: dict[str, str] = field(default_factory=dict)  # spelled name -> definition behind " = "
    functions: dict[str, FunctionText] = field(default_factory=dict)
    declarations: dict[str, FunctionText] = field(default_factory=dict)
    metadata: list[str] = field(default_factory=list)


def read_module(text: str) -> ModuleText:
    """Take a module apart. Raises `Unreplayable` on text that LLVM would not print."""
    module = ModuleText()
    lines = text.split("\n")
    at = 0
    try:
        while at < len(lines):
            line = lines[at]
            at += 1
            if line.startswith("define "):
                function = _function(_ATTACHMENTS.sub("", line), len("define "))
                at = _body(function, lines, at)
                module.functions[function.name] = function
            elif line.startswith("declare "):
                start = len("declare ")
                while line.startswith("!", start):  # a declaration carries its metadata in front
                    start = line.index(" ", line.index(" ", start) + 1) + 1
                function = _function(_ATTACHMENTS.sub("", line), start)
                module.declarations[function.name] = function
            elif line.startswith("@"):
                match = _GLOBAL.match(_ATTACHMENTS.sub("", line))
                if match is None:
                    raise Unreadable(line)
                module.globals[match[1]] = match[2]
            elif line.startswith("!"):
                module.metadata.append(line)
            elif line and not line.startswith((";", "source_filename", "uselistorder", "^")):
                module.preamble.append(line)
    except (Unreadable, ValueError, IndexError) as error:
        raise Unreplayable(f"IR text not understood: {error}") from None
    return module


def _function(line: str, start: int) -> FunctionText:
    match = _FUNCTION.search(line, start)
    if match is None:
        raise Unreadable(line)
    end = closing(line, match.end() - 1)
    before = line[start : match.start()].rstrip()
    at = _type_at(before, 0)
    parameters, variadic = [], False
    for part in split(line[match.end() : end]):
        if part == "...":
            variadic = True
        else:
            parameters.append(_parameter(part))
    tail = line[end + 1 :].strip().removesuffix("{").strip()
    spelled = match[1]
    return FunctionText(
        unquoted(spelled), spelled, before[:at].strip(), before[at:].strip(), parameters, variadic, tail
    )


def _parameter(part: str) -> ParameterText:
    by_value = None
    if (at := part.find("byval(")) >= 0:
        align = re.search(r"\balign (\d+)", part)
        kind = part[at + len("byval(") : closing(part, at + len("byval"))]
        by_value = (kind, int(align[1]) if align else 16)
    returned = "sret(" in part
    part = without_passing(part)
    end = type_end(part)
    kind, rest = part[:end], part[end:].strip()
    attributes, _, name = rest.rpartition(" ")
    if not name.startswith("%"):
        attributes, name = rest, ""
    return ParameterText(kind, attributes.strip(), name, by_value, returned)


def without_passing(text: str) -> str:
    """`text` without byval(…), sret(…) and the like."""
    while match := _PASSING.search(text):
        text = text[: match.start()] + text[closing(text, match.end() - 1) + 1 :].lstrip()
    return text


def _type_at(text: str, start: int) -> int:
    """Where the result type begins, behind linkage, attributes and calling convention."""
    at = start
    while not _TYPE_START.match(text, at):
        space, bracket = text.find(" ", at), text.find("(", at)
        if 0 <= bracket < space:
            space = text.find(" ", closing(text, bracket))
        if space < 0:
            raise Unreadable(text)
        if text.startswith(("align ", "cc "), at):
            space = text.find(" ", space + 1)
        at = space + 1
    return at


def _body(function: FunctionText, lines: list[str], at: int) -> int:
    count = 0
    while True:
        line = lines[at]
        at += 1
        if line == "}":
            return at
        if line.startswith("    #dbg") or not line:
            continue
        if not line.startswith("  "):
            if _LABEL.match(line):
                function.body.append(_COMMENT.sub("", line))
            continue
        if line.startswith("  switch") and line.endswith("["):
            while not lines[at].startswith("  ]"):
                line += "\n" + lines[at]
                at += 1
            line += "\n" + lines[at]
            at += 1
        else:
            while lines[at].startswith("     "):
                line += " " + lines[at].strip()
                at += 1
        function.body.append(_line(_ATTACHMENTS.sub("", line), count))
        count += 1


def _line(line: str, number: int) -> Line:
    match = _RESULT.match(line, 2)
    result, text = (match[1], line[match.end() :]) if match else (None, line[2:])
    op = "call" if _CALL.match(text) else text.partition(" ")[0]
    return Line(result, op, text, number)


@record
class CallText:
    """A call taken apart. `arguments` are (type, attributes, value); text is
    before + callee + "(" + arguments + ")" + after."""

    before: str
    result: str
    signature: str  # "(ptr, ...)" where the call spells it, else ""
    callee: str
    arguments: list[tuple[str, str, str]]
    after: str

    def spelled(self) -> str:
        arguments = ", ".join(" ".join(part for part in argument if part) for argument in self.arguments)
        return f"{self.before}{self.callee}({arguments}){self.after}"


def call_result(text: str) -> str:
    """The result type of a call."""
    match = _CALL.match(text)
    at = _type_at(text, match.end() if match else len("invoke "))
    return text[at : type_end(text, at)]


def parse_call(text: str) -> CallText | None:
    """None for inline assembly."""
    match = _CALL.match(text)
    start = match.end() if match else len("invoke ")
    at = _type_at(text, start)
    end = type_end(text, at)
    result, rest = text[at:end], end
    while text.startswith("*", rest):
        rest += 1
    signature = ""
    if text.startswith(" (", rest):
        close = closing(text, rest + 1)
        signature, rest = text[rest + 1 : close + 1], close + 1
    rest += 1
    if text.startswith("asm ", rest):
        return None
    if text.startswith(("@", "%"), rest):
        found = re.compile(rf"[@%]{NAME}").match(text, rest)
        if found is None:
            raise Unreadable(text)
        opening = found.end()
    else:  # inttoptr (i64 4 to ptr)
        opening = closing(text, text.index("(", rest)) + 1
    close = closing(text, opening)
    named = split(signature[1:-1])
    fixed = len(named) - 1 if named[-1:] == ["..."] else None
    parts = split(text[opening + 1 : close])
    arguments = [_argument(part, fixed is None or i < fixed) for i, part in enumerate(parts)]
    return CallText(text[:rest], result, signature, text[rest:opening], arguments, text[close + 1 :])


_VALUE_START = re.compile(r"(?:align \d+|[a-z_]+(?:\([^()]*(?:\([^()]*\))?[^()]*\))?)(?: |$)")
_VALUE_WORDS = frozenset(
    {
        "null",
        "true",
        "false",
        "undef",
        "poison",
        "zeroinitializer",
        "none",
        "getelementptr",
        "inttoptr",
        "ptrtoint",
    }
    | {
        "bitcast",
        "addrspacecast",
        "blockaddress",
        "dso_local_equivalent",
        "no_cfi",
        "add",
        "sub",
        "xor",
        "trunc",
    }
    | {"asm", "splat", "ptrtoaddr"}
)


def _argument(part: str, named: bool) -> tuple[str, str, str]:
    """A variable argument stays as it is: nobody but `va_arg` reads it."""
    part = without_passing(part) if named else part
    end = type_end(part)
    kind, rest = part[:end], part[end:].lstrip()
    if kind == "metadata":
        return kind, "", rest
    attributes = []
    while (match := _VALUE_START.match(rest)) and re.split(r"[ (]", match[0])[0] not in _VALUE_WORDS:
        attributes.append(match[0].strip())
        rest = rest[match.end() :]
    return kind, " ".join(attributes), rest
