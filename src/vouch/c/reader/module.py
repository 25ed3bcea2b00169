"""Module level: types, globals, aliases, functions."""

from __future__ import annotations

import gc
import re

from vouch.c.flow.uses import names_in
from vouch.c.ir import (
    AggregateConstant,
    Constant,
    Function,
    Global,
    GlobalConstant,
    IntConstant,
    Parameter,
    Program,
)
from vouch.c.layout import parse_layout
from vouch.c.reader.attributes import Attributes
from vouch.c.reader.body import Body
from vouch.c.reader.instructions import BEFORE_TYPE, Instructions
from vouch.c.reader.metadata import Metadata
from vouch.c.reader.scan import closing, split, unquoted
from vouch.c.reader.types import Types
from vouch.c.reader.values import ATTRIBUTES, Values

_NAMED = re.compile(r'^(%(?:"[^"]*"|[\w.$-]+)) = type (.*)$', re.MULTILINE)
_NODE = re.compile(r"^!(\d+) = (.*)$", re.MULTILINE)
_DECLARED = re.compile(r"\bdereferenceable\((\d+)\)")
_LAYOUT = re.compile(r'^target datalayout = "(.*)"$', re.MULTILINE)
_TRIPLE = re.compile(r'^target triple = "(.*)"$', re.MULTILINE)
_GLOBAL = re.compile(r'@("[^"]*"|[\w.$-]+) = (.*?)\b(global|constant|alias|ifunc) (?=\S)')
_NAME = re.compile(r'@("[^"]*"|[\w.$-]+)\(')
_DEBUG = re.compile(r"!dbg !(\d+)")
_CLANG = re.compile(r'[^"]*\bclang version (\d+)')
_ALIGN = re.compile(r"align (\d+)$")
# Sections whose addresses are called when a program begins and ends; older compilers count backwards.
_TABLE = re.compile(r'section "\.(preinit|init|fini|ctors|dtors)(?:_array)?(?:\.(\d+))?"$')
_LAST = 65535  # the priority of what has none
_SAYS_NOUNDEF = 15  # the first clang that marks arguments
_RENAMED = re.compile(r"^__isoc(?:99|23)_")  # how glibc's headers rename scanf, strtol and their kin
_INTERRUPTING = frozenset(("x86_intrcc", "msp430_intrcc", "avr_intrcc", "avr_signalcc"))
_LINKAGES = frozenset(
    [
        "private",
        "internal",
        "available_externally",
        "linkonce",
        "weak",
        "common",
        "appending",
        "extern_weak",
        "linkonce_odr",
        "weak_odr",
        "external",
    ]
)


def read(text: str) -> Program:
    """The program that `text` is."""
    # A program is millions of small records without cycles: looking for garbage among them doubles the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _Module(text).program()
    finally:
        if collecting:
            gc.enable()


class _Module:
    def __init__(self, text: str) -> None:
        # Named metadata such as !llvm.module.flags has no number and says nothing about the program.
        self._metadata = Metadata(dict(_NODE.findall(text)))
        self._types = Types(dict(_NAMED.findall(text)))
        self._values = Values(self._types)
        self._apart = Values(self._types)  # for what names functions without taking their address
        self._attributes = Attributes(text)
        self._reader = Instructions(self._types, self._values, self._attributes)
        self._text = text
        self._count = 0  # instructions so far
        self._functions: dict[str, Function] = {}
        self._globals: dict[str, Global] = {}
        self._aliases: dict[str, Constant] = {}
        self._renamed: list[Constant] = []  # what other files can see under the name of an alias
        self._lists: dict[str, Constant] = {}
        self._tables: dict[str, list[tuple[int, str]]] = {"init": [], "fini": []}
        self._resolved: list[str] = []  # definitions in place of ifuncs

    def program(self) -> Program:
        layout, triple = _LAYOUT.search(self._text), _TRIPLE.search(self._text)
        self._walk(self._text.split("\n"))
        self._walk(self._resolved)
        for name in self._values.referenced:
            target = self._aliases.get(name)
            function = self._functions.get(target.name if isinstance(target, GlobalConstant) else name)
            if function is not None:
                function.address_taken = True
        self._show_renamed()
        return Program(
            triple=triple[1] if triple else "",
            layout=parse_layout(layout[1] if layout else ""),
            functions=self._functions,
            globals=self._globals,
            aliases=self._aliases,
            ctypes=self._metadata.ctypes.finish(),
            constructors=_ordered(self._lists.get("llvm.global_ctors"), self._tables["init"]),
            destructors=_ordered(self._lists.get("llvm.global_dtors"), self._tables["fini"]),
            used=tuple(name for table in _USED for name in names_in(self._lists.get(table))),
            says_noundef=self._says_noundef(),
        )

    def _show_renamed(self) -> None:
        """What is of one file only, but has an alias that others see, is theirs too."""
        for constant in self._renamed:
            for name in names_in(constant):
                held = self._functions.get(name) or self._globals.get(name)
                if held is not None and held.linkage in ("internal", "private"):
                    held.linkage = "external"

    def _number(self, function: Function) -> None:
        for block in function.blocks.values():
            for instruction in block.instructions:
                instruction.number = self._count
                self._count += 1

    def _says_noundef(self) -> bool:
        _, *makers = self._text.split('producer: "')
        versions = [int(match[1]) if (match := _CLANG.match(maker)) else 0 for maker in makers]
        return bool(versions) and min(versions) >= _SAYS_NOUNDEF

    def _walk(self, lines: list[str]) -> None:
        at, count = 0, len(lines)
        while at < count:
            line = lines[at]
            at += 1
            if line.startswith("define "):
                function = self._header(line[7:])
                body = Body(self._reader, self._metadata, function.parameters)
                at = body.read(lines, at)
                function.blocks = body.blocks
                self._number(function)
            elif line.startswith("declare "):
                self._header(line[8:])
            elif line.startswith("@"):
                self._global(line)

    # -------------------------------------------------------- functions

    def _header(self, line: str) -> Function:
        debug = _DEBUG.search(line)
        if line.startswith("!dbg "):  # a declaration has its attachment in front
            line = line.split(" ", 2)[2]
        before = BEFORE_TYPE.match(line)
        start = before.end() if before else 0
        result, end = self._types.leading(line, start)
        name_match = _NAME.match(line, end + 1)
        assert name_match is not None, line
        name = unquoted(name_match[1])
        opening = name_match.end() - 1
        finish = closing(line, opening)
        parts = split(line[opening + 1 : finish])
        variadic = bool(parts) and parts[-1] == "..."
        parameters = [self._parameter(p, i) for i, p in enumerate(parts[:-1] if variadic else parts)]
        signature = self._types.signature(result, tuple(p.type for p in parameters), variadic)
        words = (before.group() if before else "").split()
        linkage = next((word for word in words if word in _LINKAGES), "external")
        attributes = self._attributes.resolve(_without_extras(line[finish + 1 :]))
        if not _INTERRUPTING.isdisjoint(words):
            attributes |= {"interrupt"}
        function = Function(
            name, _RENAMED.sub("", name), signature, parameters, {}, None, linkage, attributes
        )
        if debug is not None:
            source, place, returned, kinds = self._metadata.subprogram(debug[1])
            function.source_name = source or name
            function.location, function.result_type, function.parameter_types = place, returned, kinds
        self._functions[name] = function
        return function

    def _parameter(self, text: str, index: int) -> Parameter:
        kind, end = self._types.leading(text)
        rest = text[end + 1 :] + " "
        match = ATTRIBUTES.match(rest)
        attributes = match.group() if match else ""
        name = rest[len(attributes) :].strip()
        by_value, returned, has_value = self._values.passing(attributes)
        declared = _DECLARED.search(attributes)
        there = int(declared[1]) if declared is not None else 0
        return Parameter(
            unquoted(name[1:]) if name else str(index), kind, by_value, returned, has_value, there
        )

    # -------------------------------------------------------- variables

    def _global(self, line: str) -> None:
        match = _GLOBAL.match(line)
        if match is None:
            return
        name, words = unquoted(match[1]), match[2].split()
        if match[3] in ("alias", "ifunc"):
            signature, target = split(line[match.end() :])[:2]
            if match[3] == "alias":
                self._aliases[name] = self._apart.constant(target)
                if not {"internal", "private"} & set(words):
                    self._renamed.append(self._aliases[name])
            else:
                self._resolved += _resolved(match[1], signature, target, self._end_of(target))
            return
        kind, end = self._types.leading(line, match.end())
        linkage = next((word for word in words if word in _LINKAGES), "external")
        declared = not {"external", "extern_weak"}.isdisjoint(words)
        value, *extras = ["", *split(line[end + 2 :])] if declared else split(line[end + 1 :])
        if name.startswith("llvm."):
            self._special(name, value)
            return
        align = next((int(m[1]) for e in extras if (m := _ALIGN.match(e))), 0)
        debug = next((m[1] for e in extras if (m := _DEBUG.match(e))), None)
        variable = self._metadata.variable(debug) if debug else None
        initializer = None if declared else self._values.initializer(kind, value)
        section = next((extra for extra in extras if extra.startswith("section ")), "")
        if table := _TABLE.match(section):
            entries = self._tables["init" if table[1] in ("preinit", "init", "ctors") else "fini"]
            entries += [(_priority(table), named) for named in names_in(initializer)]
        self._globals[name] = Global(
            name=name,
            type=kind,
            initializer=initializer,
            constant=match[3] == "constant",
            linkage=linkage,
            align=align,
            variable=variable,
            section=bool(section),
        )

    def _end_of(self, function: str) -> str:
        """The debug location of what a function returns, as instructions have it."""
        name = re.escape(function.rpartition(" ")[2])
        body = re.search(rf"^define [^\n]*{name}\([^\n]*\n(.*?)^}}$", self._text, re.MULTILINE | re.DOTALL)
        places = re.findall(r"^  ret [^\n]*(, !dbg !\d+)", body[1], re.MULTILINE) if body else []
        return places[-1] if places else ""

    def _special(self, name: str, value: str) -> None:
        """llvm.global_ctors and the like are lists for the linker, not variables; that a function is in
        one of them does not let its address into the program."""
        if name in _LISTS:
            self._lists[name] = self._apart.initializer(self._types("ptr"), value)


def _resolved(name: str, kind: str, resolver: str, place: str) -> list[str]:
    """Which function an ifunc is, another one decides when the program is loaded: a definition that asks it
    with every call, and calls what it says. Where arguments have no names, code outside does."""
    result, _, given = kind.rpartition(" (")
    types = split(given.removesuffix(")"))
    arguments = [f"{text} %a{number}" for number, text in enumerate(types) if text != "..."]
    callee = f"%chosen({', '.join(arguments)})"
    if "..." in types:
        callee = f'@"{unquoted(name)}.chosen"({", ".join(["ptr %chosen", *arguments])})'
    value = "" if result == "void" else "%result = "
    returned = "void" if result == "void" else f"{result} %result"
    return [
        f"define {result} @{name}({', '.join([*arguments, '...'] if '...' in types else arguments)}) {{",
        f"  %chosen = call {resolver}(){place}",
        f"  {value}call {result} {callee}{place}",
        f"  ret {returned}{place}",
        "}",
    ]


_USED = ("llvm.used", "llvm.compiler.used")
_LISTS = ("llvm.global_ctors", "llvm.global_dtors", *_USED)


def _without_extras(text: str) -> str:
    """Attributes of a function header without sections, comdats, personality and attachments."""
    text = re.sub(r'\b(section|partition|gc) "[^"]*"', "", text)
    text = re.sub(r"\b(comdat)(\([^()]*\))?|\b(align|preallocated) \d+", "", text)
    text = re.sub(r"\b(personality|prefix|prologue) .*", "", text)
    return re.sub(r"![\w.]+ !\d+", "", text).replace("{", "").strip()


def _priority(table: re.Match[str]) -> int:
    """Of a section's entries, as the linker sorts them: those before all others, by number, and the rest."""
    if table[1] == "preinit":
        return -1
    number = int(table[2]) if table[2] else _LAST
    return _LAST - number if table[1] in ("ctors", "dtors") and table[2] else number


def _ordered(listed: Constant | None, sections: list[tuple[int, str]]) -> tuple[str, ...]:
    """Names in a list of { priority, function, data } and in sections of addresses, in order of priority."""
    entries = list(sections)
    for entry in listed.elements if isinstance(listed, AggregateConstant) else ():
        if isinstance(entry, AggregateConstant):
            priority, function = entry.elements[0], entry.elements[1]
            if isinstance(priority, IntConstant) and isinstance(function, GlobalConstant):
                entries.append((priority.value, function.name))
    return tuple(name for _, name in sorted(entries, key=lambda item: item[0]))
