"""Random libraries that talk to an unknown outside: what they write is checked after others had the chance
to change it.

A library has structs with pointers, globals of both linkages, functions for others to call, callbacks and
external functions. Its checks hold if nobody else wrote in between, and most of them sit on places that an
argument may alias or an external function may reach. Macros that mean nothing to the verifier (`SET`, `USE`,
`ENTER`, …) let the native run follow what is initialised and what is alive.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from tests.bmc.environment_types import (
    BYTE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    UNSIGNED,
    Address,
    Array,
    Callback,
    Place,
    Pointer,
    Record,
    Records,
    Scalar,
    Type,
    Walker,
    declare,
)

HEAD = """\
#ifndef NATIVE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#define SET(place, value) place = value
#define FILL(place, byte) memset(&(place), byte, sizeof(place))
#define USE(place) place
#define WHOLE(place) place
#define CALLED(place) place
#define UNSET(declaration, name) declaration
#define ENTER
#define LEAVE
#define RETURN(value) return value
#define DATA
#define ELSEWHERE extern
#define NEXT(p, q) (const void *)((p) + 1) == (const void *)(q)
#endif
"""


@dataclass(frozen=True)
class Variable:
    name: str
    type: Type
    visible: bool = True  # to other files
    const: bool = False
    start: str = ""  # its initial value as C


@dataclass(frozen=True)
class Function:
    name: str
    result: Type | None
    parameters: tuple[tuple[str, Type], ...]
    kind: str  # "public", "static" or "external"

    def header(self) -> str:
        parameters = ", ".join(declare(t, n) for n, t in self.parameters) or "void"
        return declare(self.result, f"{self.name}({parameters})")

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(t for _, t in self.parameters)


@dataclass
class Library:
    """`text` holds one check of a category a line."""

    prefix: str
    records: Records = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    handed_out: list[Function] = field(default_factory=list)  # static ones whose address gets out
    text: str = ""

    def of_kind(self, kind: str) -> list[Function]:
        return [f for f in self.functions if f.kind == kind]


# What a fact `place == number` makes safe, as C with {0} for the place and {1} for the number.
_CHECKS = (
    "assert({0} == {1});",
    "assert({0} == {1});",
    "assert({0} < {1} + 3);",
    "t = 84 / ({0} + 0);",
    "t = table[{0}];",
    "t = {0} + (2147483647 - {1});",
    "t = (int)(1u << {0});",
    "b = {0};",
)


@dataclass
class _Scope:
    """What a function can name. Facts are what it has written and not yet checked."""

    places: list[Place]
    indices: list[str]
    facts: list[tuple[str, str, bool]] = field(default_factory=list)  # place, value, is it a number
    lines: list[str] = field(default_factory=list)
    depth: int = 1

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def of(self, type_: Type, *, writable: bool = False) -> list[Place]:
        return [p for p in self.places if p.type == type_ and not (writable and p.const)]


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.library = Library(f"p{seed}_")
        self.count = 0
        self.hooks: dict[str, Function] = {}  # variables of the library's own that hold one of its functions

    def make(self) -> Library:
        self._records()
        self._globals()
        self._externals()
        bodies = [self._body(f) for f in self._signatures()]
        self.library.text = HEAD + "\n".join([*self._declarations(), "", *bodies, ""])
        return self.library

    # ------------------------------------------------------------ choices

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{self.library.prefix}{stem}{self.count}"

    def number(self) -> int:
        return self.random.choice((0, 1, 2, 2, 3, 3))

    # ------------------------------------------------------------ declarations

    def _records(self) -> None:
        prefix, records = self.library.prefix, self.library.records
        self.one, self.two = Record(prefix + "S"), Record(prefix + "T")
        self.union, self.flexible = Record(prefix + "U", union=True), Record(prefix + "F")
        self.callbacks = [
            Callback(INT, (Pointer(INT),)),
            Callback(None, (Pointer(self.one),)),
            Callback(INT, (Pointer(INT, void=True), Pointer(BYTE, count=4), INT)),
        ]
        records[self.union.name] = [
            *(("i", INT), ("u", UNSIGNED), ("b", Array(BYTE, 4))),
            *(("h", Array(SHORT, 2)), ("f", FLOAT)),
        ]
        records[self.flexible.name] = [("n", INT), ("data", Array(INT, 4, flexible=True))]
        for record, other in ((self.two, self.one), (self.one, self.two)):
            members: list[tuple[str, Type]] = [(f"m{i}", self._member(other)) for i in range(2)]
            if record == self.one and self.chance(40):
                members.append(("in", self.two))
            members.append(("x", INT))
            self.random.shuffle(members)
            records[record.name] = members

    def _member(self, other: Record) -> Type:
        return self.random.choice(
            [
                *(INT, SHORT, LONG, BYTE, UNSIGNED, self.union, Array(INT, 4), Array(BYTE, 4)),
                *(Pointer(INT), Pointer(INT), Pointer(other), Pointer(other), Pointer(INT, const=True)),
                *(Pointer(INT, void=True), Pointer(BYTE), Array(Pointer(INT), 2), Array(Pointer(other), 2)),
                *self.callbacks[:2],
            ]
        )

    def _globals(self) -> None:
        simple: list[Type] = [INT, INT, SHORT, LONG, BYTE, UNSIGNED, Array(INT, 4), self.one, self.two]
        for _ in range(self.random.randint(2, 4)):
            type_ = self.random.choice(simple)
            self._variable(type_, visible=self.chance(50))
        for _ in range(self.random.randint(0, 2)):
            targets = [v for v in self.library.variables if isinstance(v.type, (Scalar, Record))]
            if not targets:
                break
            target = self.random.choice(targets)
            start = f"&{target.name}"
            type_ = Pointer(target.type, void=self.chance(15))
            if self.chance(30):
                self._variable(Array(type_, 2), visible=self.chance(60), start=f"{{{start}, {start}}}")
            else:
                self._variable(type_, visible=self.chance(60), start=start)
        self.weak = self.name("weak") if self.chance(5) else ""
        if self.chance(5):
            self._variable(Array(INT, 0), visible=True)
        if self.chance(10):
            self._variable(INT, visible=True, const=True, start="3")

    def _variable(self, type_: Type, *, visible: bool, const: bool = False, start: str = "") -> None:
        """Structs hold pointers, which nobody may find null: those start with what the outside gives them,
        so they are visible or free of pointers."""
        if isinstance(type_, Record) and self._leads_on(type_):
            visible = True
        variable = Variable(self.name("g"), type_, visible, const, start)
        self.library.variables.append(variable)

    def _leads_on(self, type_: Type) -> bool:
        match type_:
            case Pointer() | Callback() | Address():
                return True
            case Array():
                return self._leads_on(type_.of)
            case Record():
                return any(self._leads_on(t) for _, t in self.library.records[type_.name])
            case _:
                return False

    def _parameter(self) -> Type:
        if self.chance(5):
            return self.random.choice((self.two, self.two, Address(INT)))
        return self.random.choice(
            [
                *(INT, INT, Pointer(INT), Pointer(INT), Pointer(INT), Pointer(INT, const=True)),
                *(Pointer(self.one), Pointer(self.one), Pointer(self.two), Pointer(self.one, const=True)),
                *(Pointer(INT, void=True), Pointer(self.one, void=True), Pointer(SHORT), Pointer(BYTE)),
                *(Pointer(BYTE, count=4), Pointer(INT, count=4), Pointer(self.union), Pointer(UNSIGNED)),
                *(Pointer(Pointer(INT)), Pointer(Pointer(INT), const=True), Pointer(Pointer(INT), count=2)),
                *(Pointer(self.flexible), Pointer(Pointer(self.two)), self.random.choice(self.callbacks)),
            ]
        )

    def _result(self) -> Type | None:
        pointers = [
            Pointer(INT),
            Pointer(INT),
            Pointer(INT, const=True),
            Pointer(self.one),
            Pointer(self.two),
        ]
        return self.random.choice([None, INT, INT, *pointers, Pointer(INT, void=True), Pointer(BYTE)])

    def _externals(self) -> None:
        for _ in range(self.random.randint(2, 3)):
            types = [self._parameter() for _ in range(self.random.randint(0, 2))]
            if self.chance(10):
                types.append(Address(INT))
            result = self.two if self.chance(8) else self._result()
            self._function("ext", result, types, "external")

    def _function(self, stem: str, result: Type | None, types: list[Type], kind: str) -> Function:
        parameters = tuple((f"a{i}", t) for i, t in enumerate(types))
        made = Function(self.name(stem), result, parameters, kind)
        self.library.functions.append(made)
        return made

    def _signatures(self) -> list[Function]:
        made = []
        if self.chance(60):
            types = [self._parameter() for _ in range(self.random.randint(1, 2))]
            made.append(self._function("help", self.random.choice([None, INT]), types, "static"))
        if self.chance(30):
            shape = self.random.choice(self.callbacks)
            made.append(self._function("handler", shape.result, list(shape.parameters), "static"))
        if self.chance(25):
            shape = self.random.choice(self.callbacks)
            held = self._function("held", shape.result, list(shape.parameters), "static")
            self.hooks[self.name("hook")] = held
            made.append(held)
        for _ in range(self.random.randint(2, 3)):
            if self.chance(15):
                shape = self.random.choice(self.callbacks)
                made.append(self._function("f", shape.result, list(shape.parameters), "public"))
                continue
            types = [self._parameter() for _ in range(self.random.randint(1, 3))]
            made.append(self._function("f", self._result(), types, "public"))
        return made

    def _declarations(self) -> list[str]:
        lines = []
        for record in (self.union, self.two, self.one, self.flexible):
            word = "union" if record.union else "struct"
            lines.append(f"{word} {record.name};")
        for record in (self.union, self.two, self.one, self.flexible):
            members = " ".join(declare(t, n) + ";" for n, t in self.library.records[record.name])
            lines.append(f"{declare(record, '')} {{ {members} }};")
        lines.append(f"static const int {self.library.prefix}table[4] = {{1, 2, 3, 4}};")
        if self.weak:
            lines.append(f"extern int {self.weak} __attribute__((weak));")
        for v in self.library.variables:
            start = f" = {v.start}" if v.start else ""
            data = "" if v.const or v.type == Array(INT, 0) else "DATA "
            linkage = "" if v.visible else "static "
            if v.visible and data and not start and sum(map(ord, v.name)) % 3 == 0:
                linkage = "ELSEWHERE "  # only declared: a file outside defines it
            lines.append(f"{data}{linkage}{declare(v.type, v.name, v.const)}{start};")
        for f in self.library.functions:
            lines.append(f"{'static ' if f.kind == 'static' else ''}{f.header()};")
        for name, held in self.hooks.items():
            lines.append(f"static {declare(Callback(held.result, held.types), name)} = {held.name};")
        return lines

    # ------------------------------------------------------------ bodies

    def _body(self, function: Function) -> str:
        roots = [Place(n, t) for n, t in function.parameters]
        roots += [Place(v.name, v.type, v.const) for v in self.library.variables]
        for name, held in self.hooks.items():
            if self.library.functions.index(held) < self.library.functions.index(function):
                roots.append(Place(name, Callback(held.result, held.types)))
        indices = [n for n, t in function.parameters if t == INT][:1]
        scope = _Scope([], indices)
        self._locals(scope, roots)
        walker = Walker(self.library.records, indices)
        scope.places = [p for root in roots for p in walker.places(root, 3)]
        scope.places += [p for root in self._local_records(scope) for p in walker.places(root, 2)]
        for _ in range(self.random.randint(4, 8)):
            self._statement(function, scope)
        for _ in range(2):
            self._check(scope)
        self._end(function, scope)
        linkage = "static " if function.kind == "static" else ""
        return "\n".join([linkage + function.header(), "{", *scope.lines, "}"])

    def _locals(self, scope: _Scope, roots: list[Place]) -> None:
        scope.line("int t = 0; unsigned char b = 0; (void)t; (void)b;")
        scope.line("ENTER;")
        if self.chance(40):
            scope.line("int v = 1;")
            roots.append(Place("v", INT, local=True))
        if self.chance(15):
            scope.line("int w[4] = {0, 1, 2, 3};")
            roots.append(Place("w", Array(INT, 4), local=True))
        if self.chance(15):
            scope.line("int *h = malloc(sizeof(int)); SET(*h, 1);")
            roots.append(Place("(*h)", INT, pointer="h"))

        if self.chance(15):
            name = self.name("kept")
            scope.line(f"DATA static int {name} = 1;")
            roots.append(Place(name, INT))

    def _local_records(self, scope: _Scope) -> list[Place]:
        """Structs on the stack or the heap, set so that no pointer in them is null."""
        made = []
        if self.chance(20):
            record = self.random.choice((self.one, self.two))
            start = self._initial(scope, record)
            if start is not None:
                scope.line(f"{declare(record, 's')} = {start};")
                made.append(Place("s", record, local=True))
        if self.chance(10):
            record = self.random.choice((self.one, self.two))
            others = scope.of(record)
            if others:
                other = self.random.choice(others).text
                name = declare(record, "")
                scope.line(f"{declare(Pointer(record), 'm')} = malloc(sizeof({name})); SET(*m, {other});")
                made.append(Place("(*m)", record, pointer="m"))
        return made

    def _initial(self, scope: _Scope, type_: Type) -> str | None:
        match type_:
            case Record(union=True):
                return f"{{{self.number()}}}"
            case Record():
                members = [self._initial(scope, t) for _, t in self.library.records[type_.name]]
            case Array():
                members = [self._initial(scope, type_.of) for _ in range(type_.length)]
            case _:
                return self._argument(scope, type_)
        return None if None in members else f"{{{', '.join(str(m) for m in members)}}}"

    def _statement(self, function: Function, scope: _Scope) -> None:
        kind = self.random.randrange(100)
        if kind < 35:
            self._store(scope)
        elif kind < 50:
            self._call(function, scope)
        elif kind < 70:
            self._check(scope)
        elif kind < 77:
            self._pointer_store(scope)
        elif kind < 84:
            self._pointer_check(scope)
        elif kind < 88:
            self._unset(scope)
        elif kind < 92:
            self._get(scope)
        elif kind < 94:
            self._copy(scope)
        elif kind < 97:
            self._bytes(scope)
        elif scope.depth < 2:
            self._nested(function, scope)

    def _nested(self, function: Function, scope: _Scope) -> None:
        places = scope.of(INT)
        if not places:
            return
        chosen = self.random.choice(places).text
        scope.line(self._head(scope, chosen))
        scope.depth += 1
        before = list(scope.facts), list(scope.places)
        for _ in range(self.random.randint(1, 3)):
            self._statement(function, scope)
        scope.depth -= 1
        scope.facts, scope.places = before
        scope.line("}")

    def _head(self, scope: _Scope, chosen: str) -> str:
        """Of a loop or a branch."""
        kind = self.random.randrange(100)
        if kind < 30:
            counter = f"i{len(scope.lines)}"
            return f"for (int {counter} = 0; {counter} < ({chosen} & 3); {counter}++) {{"
        callees = [f for f in self.library.of_kind("external") if f.result == INT]
        if kind < 45 and callees:
            callee = self.random.choice(callees)
            values = self._arguments(scope, callee.types)
            if values is not None:
                return f"while ({callee.name}({', '.join(values)}) > 0) {{"
        return f"if ({chosen} > {self.number()}) {{"

    def _copy(self, scope: _Scope) -> None:
        """One struct onto another."""
        record = self.random.choice((self.one, self.two))
        targets, sources = scope.of(record, writable=True), scope.of(record)
        if targets:
            target, source = self.random.choice(targets).text, self.random.choice(sources).text
            scope.line(f"SET({target}, WHOLE({source}));")

    def _bytes(self, scope: _Scope) -> None:
        """A whole object at once: as bytes, or as what an external function returns."""
        callees = [f for f in self.library.of_kind("external") if isinstance(f.result, Record)]
        targets = [p for p in scope.places if isinstance(p.type, (Record, Array, Scalar)) and not p.const]
        if callees and self.chance(40):
            callee = self.random.choice(callees)
            values = self._arguments(scope, callee.types)
            targets = [p for p in targets if p.type == callee.result]
            if values is not None and targets:
                target = self.random.choice(targets).text
                scope.line(f"SET({target}, {callee.name}({', '.join(values)}));")
            return
        # Whoever finds a null pointer stops: those are rare. A flexible array has no size.
        flexible = Record(self.library.prefix + "F")
        fit = [p for p in targets if p.type != flexible and not getattr(p.type, "flexible", False)]
        plain = [p for p in fit if not self._leads_on(p.type)]
        chosen = fit if self.chance(10) else plain
        if chosen:
            target = self.random.choice(chosen)
            byte = 0 if self._leads_on(target.type) else self.random.choice((0, 0, 1))
            scope.line(f"FILL({target.text}, {byte});")

    def _store(self, scope: _Scope) -> None:
        places = [p for p in scope.places if isinstance(p.type, Scalar) and not p.const]
        if not places:
            return
        place = self.random.choice(places)
        value = self.number()
        others = [p for p in scope.of(place.type) if p != place]
        if others and self.chance(15):
            other = self.random.choice(others)
            scope.line(f"SET({place.text}, {other.text});")
            scope.facts.append((place.text, other.text, False))
            return
        scope.line(f"SET({place.text}, {value});")
        scope.facts.append((place.text, str(value), place.type != FLOAT))

    def _check(self, scope: _Scope) -> None:
        """Of something written earlier, mostly not of the last: others shall have had a chance."""
        if not scope.facts:
            return
        place, value, number = self.random.choice(scope.facts[-5:])
        if not number:
            scope.line(f"assert({place} == {value});")
            return
        form = self.random.choice(_CHECKS)
        if "/" in form and value == "0":
            form = _CHECKS[0]
        scope.line(form.format(place, value).replace("table", self.library.prefix + "table"))

    def _pointer_store(self, scope: _Scope) -> None:
        places = [p for p in scope.places if isinstance(p.type, Pointer) and not p.const and not p.type.void]
        if not places:
            return
        place = self.random.choice(places)
        assert isinstance(place.type, Pointer)
        # Elements behind a null pointer lie at other addresses, at which the sanitizer sees nothing.
        null = self.chance(5) and place.type.count == 1
        value = "0" if null else self._pointer(scope, place.type)
        if value is None or value == place.text:
            return
        scope.line(f"SET({place.text}, {value});")
        if value != "0":
            scope.facts.append((place.text, value, False))

    def _pointer_check(self, scope: _Scope) -> None:
        """Two pointers differ, or one is aligned as only luck would have it."""
        places = [p for p in scope.places if isinstance(p.type, Pointer) and not p.local]
        if not places:
            return
        place = self.random.choice(places)
        assert isinstance(place.type, Pointer)
        if self.chance(10):
            scope.line(f"assert(((unsigned long){place.text} & 15) == 0);")
            return
        if self.weak and self.chance(20):
            scope.line(f"assert(&{self.weak} != 0);")
            return
        other = self._pointer(scope, Pointer(place.type.to, const=True))
        if other is None or other == place.text:
            return
        if self.chance(20) and not place.type.void:
            scope.line(f"assert(!(NEXT({place.text}, {other})));")
        else:
            scope.line(f"assert((const void *)({place.text}) != (const void *)({other}));")

    def _pointer(self, scope: _Scope, wanted: Pointer) -> str | None:
        """A pointer of this type: the value of a place, or the address of one."""
        values = [
            p.text
            for p in scope.places
            if isinstance(p.type, Pointer)
            and p.type.to == wanted.to
            and p.type.count >= wanted.count
            and (wanted.const or not p.type.const)
        ]
        places = [p for p in scope.places if not p.punned]
        addresses = [
            p.pointer or f"&{p.text}"
            for p in places
            if p.type == wanted.to and (wanted.const or not p.const) and wanted.count == 1
        ]
        decayed = [
            p.text
            for p in places
            if isinstance(p.type, Array)
            and p.type.of == wanted.to
            and p.type.length >= wanted.count
            and (wanted.const or not p.const)
        ]
        kinds = [kind for kind in (values, addresses, addresses, decayed) if kind]
        return self.random.choice(self.random.choice(kinds)) if kinds else None

    # ------------------------------------------------------------ calls

    def _call(self, function: Function, scope: _Scope) -> None:
        known = self.library.functions
        own = known.index(function)
        callees = [f for f in known if f.kind == "external"] * 3
        callees += [f for f in known[:own] if f.kind != "external"]
        through = [p for p in scope.places if isinstance(p.type, Callback)]
        if through and self.chance(40):
            place = self.random.choice(through)
            assert isinstance(place.type, Callback)
            values = self._arguments(scope, place.type.parameters)
            if values is not None:
                scope.line(f"CALLED({place.text})({', '.join(values)});")
            return
        callee = self.random.choice(callees)
        values = self._arguments(scope, callee.types)
        if values is None:
            return
        call = f"{callee.name}({', '.join(values)})"
        if callee.result == INT and self.chance(50):
            scope.line(f"t = {call};")
        else:
            scope.line(f"{call};")

    def _arguments(self, scope: _Scope, types: tuple[Type, ...]) -> list[str] | None:
        values = [self._argument(scope, t) for t in types]
        return None if None in values else [v for v in values if v is not None]

    def _argument(self, scope: _Scope, type_: Type) -> str | None:
        match type_:
            case Scalar():
                places = scope.of(type_)
                return self.random.choice(places).text if places and self.chance(60) else str(self.number())
            case Pointer():
                return self._pointer(scope, type_)
            case Address():
                address = self._pointer(scope, Pointer(type_.to))
                return None if address is None else f"(unsigned long){address}"
            case Callback():
                return self._callback(scope, type_)
            case Record():
                places = scope.of(type_)
                return f"WHOLE({self.random.choice(places).text})" if places else None
            case _:
                return None

    def _callback(self, scope: _Scope, type_: Callback) -> str | None:
        names = [p.text for p in scope.of(type_)]
        for f in self.library.functions:
            if f.kind != "external" and (f.result, f.types) == (type_.result, type_.parameters):
                names.append(f.name)
        if not names:
            return None
        chosen = self.random.choice(names)
        name = self.hooks[chosen].name if chosen in self.hooks else chosen
        self.library.handed_out += [
            f for f in self.library.of_kind("static") if f.name == name and f not in self.library.handed_out
        ]
        return chosen

    def _get(self, scope: _Scope) -> None:
        """A pointer or a struct from outside, kept in a variable for the rest of the block."""
        external = self.library.of_kind("external")
        callees = [f for f in external if isinstance(f.result, (Pointer, Record))]
        if not callees:
            return
        callee = self.random.choice(callees)
        values = self._arguments(scope, callee.types)
        if values is None:
            return
        assert callee.result is not None
        name = f"q{len(scope.lines)}"
        scope.line(f"{declare(callee.result, name)} = {callee.name}({', '.join(values)});")
        walker = Walker(self.library.records, scope.indices)
        scope.places = [*scope.places, *walker.places(Place(name, callee.result, local=True), 2)]

    def _unset(self, scope: _Scope) -> None:
        """A variable that an external function may or may not write."""
        callees = [f for f in self.library.of_kind("external") if Pointer(INT) in f.types]
        buffers = [f for f in self.library.of_kind("external") if Pointer(BYTE, count=4) in f.types]
        wanted: Type = Pointer(INT)
        if buffers and (not callees or self.chance(50)):
            callees, wanted = buffers, Pointer(BYTE, count=4)
        if not callees:
            return
        callee = self.random.choice(callees)
        name = f"u{len(scope.lines)}"
        whole: Type = INT if wanted == Pointer(INT) else Array(BYTE, 4)
        place = f"&{name}" if whole == INT else name
        values = [place if t == wanted else self._argument(scope, t) for t in callee.types]
        if None in values:
            return
        scope.line(f"UNSET({declare(whole, name)}, {name});")
        call = f"{callee.name}({', '.join(str(v) for v in values)})"
        used = name if whole == INT else f"{name}[{self.random.randrange(4)}]"
        if callee.result == INT:
            scope.line(f"t = {call};")
            scope.line(f"if (t == {self.number()}) {{")
            scope.line(f"    t = USE({used});")
            scope.line("}")
        else:
            scope.line(f"{call};")
            scope.line(f"t = USE({used});")

    def _end(self, function: Function, scope: _Scope) -> None:
        match function.result:
            case None:
                scope.line("LEAVE;")
            case Pointer():
                outer = replace(scope, places=[p for p in scope.places if not p.local])
                value = self._pointer(outer, function.result) or "0"
                if value == "0":
                    # No such thing at hand: whatever an external function gives, or nothing at all.
                    scope.line("t = 0;")
                scope.line(f"RETURN({value});")
            case _:
                scope.line("RETURN(t);")


def library(seed: int) -> Library:
    return Generator(seed).make()
