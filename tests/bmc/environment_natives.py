"""The outside of random libraries as C: callers, external functions and callbacks that do at random whatever
C allows them, on objects that overlap as much as possible. Run natively, it shows which checks can fire.

What it never does is what vouch assumes away: hand out null or dangling pointers or objects that are too
small, access an object as another type than its own (bytes apart), write what is const, call the library
while something other than a visible variable leads to what external functions keep for themselves.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bmc.environment_programs import Function, Library
from tests.bmc.environment_types import (
    BYTE,
    INT,
    LONG,
    SCALARS,
    SHORT,
    UNSIGNED,
    Address,
    Array,
    Callback,
    Place,
    Pointer,
    Record,
    Scalar,
    Type,
    Walker,
    declare,
    key,
)

RUNTIME = Path(__file__).with_name("environment_runtime.c")
_SIZES = {INT: 4, UNSIGNED: 4, SHORT: 2, LONG: 8}
_SANITIZERS = (
    "signed-integer-overflow",
    "integer-divide-by-zero",
    "shift",
    "bounds",
    "null",
    "implicit-signed-integer-truncation",
    "implicit-unsigned-integer-truncation",
)


@dataclass
class Outside:
    """The outside of one library. A `Target` below is what a pointer leads to: a type and a count."""

    library: Library
    lists: dict[str, int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.prefix = self.library.prefix
        self.walker = Walker(self.library.records, ["(int)rnd()"])
        self.slots, self.targets = self._types()
        self.callbacks = self._callbacks()

    # ------------------------------------------------------------ which types there are

    def _all_types(self) -> Iterator[Type]:
        for members in self.library.records.values():
            yield from (t for _, t in members)
        yield from (v.type for v in self.library.variables)
        for function in self.library.functions:
            yield from function.types
            if function.result is not None:
                yield function.result
        yield from SCALARS
        yield from (Record(name, name.endswith("U")) for name in self.library.records)

    def _types(self) -> tuple[list[Pointer], list[tuple[Type, int]]]:
        """Types of pointers that lie in memory, and all that pointers lead to."""
        slots: dict[Pointer, None] = {}
        targets: dict[tuple[Type, int], None] = {}
        work = list(self._all_types())
        done: set[Type] = set()
        while work:
            type_ = work.pop()
            if type_ in done:
                continue
            done.add(type_)
            match type_:
                case Pointer():
                    slots[type_] = None
                    targets[type_.to, type_.count] = None
                    targets[type_.to, 1] = None
                    work.append(type_.to)
                case Address():
                    targets[type_.to, 1] = None
                case Array():
                    work.append(type_.of)
                case Callback():
                    work += type_.parameters
                case Scalar() | Record() if type_ in SCALARS or isinstance(type_, Record):
                    targets[type_, 1] = None
        for slot in slots:
            targets[slot, 1] = None
        return list(slots), list(targets)

    def _callbacks(self) -> list[Callback]:
        return [t for t in dict.fromkeys(self._all_types()) if isinstance(t, Callback)]

    # ------------------------------------------------------------ text

    def text(self) -> str:
        self._arena()
        for type_, count in self.targets:
            self.lines.append(f"static {declare(Pointer(type_), self._pick(type_, count))}(int d);")
        for name in self.library.records:
            record = Record(name, name.endswith("U"))
            self.lines.append(f"static {declare(record, f'copy_{name}')}({declare(Pointer(record), 'from')})")
            missing = "    if (!from) end_run();"  # not even the outside functions know one
            self.lines += ["{", missing, "    return *from;", "}"]
        for callback in self.callbacks:
            self.lines.append(f"static void *{self.prefix}pick_{key(callback)}(void);")
        self.lines.append(f"static void {self.prefix}act(void);")
        for type_, count in self.targets:
            self._picker(type_, count)
        for function in self.library.of_kind("external"):
            self._outside_function(function)
        for callback in self.callbacks:
            self._callback(callback)
        self._every_pointer()
        self._begins()
        self._enter()
        self._act()
        self._run()
        return "\n".join(self.lines) + "\n"

    def _pick(self, type_: Type, count: int) -> str:
        return f"{self.prefix}pick{count}_{key(type_)}"

    def _list(self, type_: Type, count: int, const: bool = False) -> int:
        name = f"{key(type_)} {count} {const}"
        return self.lists.setdefault(name, len(self.lists))

    def _arena(self) -> None:
        """Objects of the outside's own."""
        self.roots: list[Place] = []
        for type_ in self._arena_types():
            name = f"{self.prefix}own_{key(type_)}"
            self.lines.append(f"OWN {declare(type_, name)};")
            self.roots.append(Place(name, type_))
        # The outside functions' own objects, which lead nowhere else.
        self.shared = [Place(f"{self.prefix}shared_{key(t)}", Array(t, 4)) for t in SCALARS]
        self.lines += [f"SHARED {declare(place.type, place.text)};" for place in self.shared]
        flexible = f"{self.prefix}F"
        self.lines.append(f"OWN int {self.prefix}room[2][8];")
        self.flexible = f"((struct {flexible} *){self.prefix}room[rnd() & 1])"
        self.visible = [Place(v.name, v.type, v.const) for v in self.library.variables if v.visible]

    def _arena_types(self) -> Iterator[Type]:
        yield from (Array(t, 8 if t == INT else 4) for t in SCALARS)
        for name in self.library.records:
            if not name.endswith("F"):
                yield Array(Record(name, name.endswith("U")), 2)
        yield from (Array(slot, 4) for slot in self.slots)

    def _picker(self, type_: Type, count: int) -> None:
        """A pointer to `count` objects of the type; null if outside functions know of none."""
        sources = list(dict.fromkeys(self._sources(type_, count)))
        assert sources[0].startswith("if (callers)"), (type_, count)
        head = declare(Pointer(type_), self._pick(type_, count))
        self.lines += [
            f"static {head}(int d)",
            "{",
            f"    {declare(Pointer(type_), 'found')} = 0;",
            "    step();",
        ]
        self.lines += [
            "    for (int i = 0; i < 8 && !found; i++) {",
            f"        switch (below({len(sources) + 2})) {{",
        ]
        self.lines += [f"        case {i}: {source} break;" for i, source in enumerate(sources)]
        self.lines.append(f"        default: found = recall({self._list(type_, count)}); break;")
        self.lines += ["        }", "    }", f"    if (!found) {sources[0]}", "    return found;", "}"]

    def _sources(self, type_: Type, count: int) -> Iterator[str]:
        """Statements that set `found`: what the caller owns comes first."""
        if type_ == Record(self.prefix + "F"):
            yield f"if (callers) found = {self.flexible};"
        owned = [p for root in self.roots for p in self.walker.places(root, 0)]
        yield from (f"if (callers) found = {a};" for a in self._addresses(owned, type_, count))
        others = [p for root in self.visible for p in self.walker.places(root, 0)]
        yield from (f"found = {a};" for a in self._addresses(others, type_, count))
        shared = [p for root in self.shared for p in self.walker.places(root, 0)]
        yield from (f"if (!entering) found = {a};" for a in self._addresses(shared, type_, count))
        for name in self.library.records:
            record = Record(name, name.endswith("U"))
            inside = list(self.walker.places(Place("(*r)", record, pointer="r"), 0))[1:]
            for address in self._addresses(inside, type_, count):
                yield self._from(Pointer(record), f"found = {address};")
        for slot in self.slots:
            if slot.to == type_ and slot.count >= count and not slot.const:
                yield self._from(Pointer(slot), "found = led_to(r, *r);")
        if type_ == BYTE:
            for scalar, size in _SIZES.items():
                step = f" + (rnd() & {size - 1})" if count == 1 else ""
                if count <= size:
                    yield self._from(Pointer(scalar), f"found = (unsigned char *)r{step};")

    def _from(self, pointer: Pointer, then: str) -> str:
        """With something else that is known."""
        pick = f"{self._pick(pointer.to, 1)}(d - 1)"
        return f"if (d > 0) {{ {declare(pointer, 'r')} = {pick}; if (r) {then} }}"

    def _addresses(self, places: Sequence[Place], type_: Type, count: int) -> Iterator[str]:
        same = {INT: (INT, UNSIGNED), UNSIGNED: (INT, UNSIGNED)}.get(type_, (type_,))  # type: ignore[arg-type]
        for place in places:
            if place.const or place.punned:
                continue
            if count == 1 and place.type in same:
                cast = "" if place.type == type_ else f"({declare(Pointer(type_), '')})"
                yield cast + (place.pointer or f"&{place.text}")
            if isinstance(place.type, Array) and place.type.of == type_ and place.type.length >= count > 1:
                yield f"&{place.text}[below({place.type.length - count + 1})]"

    # ------------------------------------------------------------ functions

    def _value(self, type_: Type) -> str:
        match type_:
            case Scalar():
                return f"({type_.name})number()"
            case Pointer(const=True):
                kept = f"recall({self._list(type_.to, type_.count, True)})"
                return (
                    f"({self.prefix}kept = below(4) ? 0 : {kept}, {self.prefix}kept ? {self.prefix}kept : "
                    f"{self._pick(type_.to, type_.count)}(3))"
                )
            case Pointer():
                return f"{self._pick(type_.to, type_.count)}(3)"
            case Address():
                return f"(unsigned long){self._pick(type_.to, 1)}(3)"
            case Callback():
                return f"{self.prefix}pick_{key(type_)}()"
            case Record():
                return f"copy_{key(type_)}({self._pick(type_, 1)}(3))"
            case _:
                raise AssertionError(type_)

    def _remember(self, type_: Type, text: str) -> Iterator[str]:
        match type_:
            case Pointer():
                yield f"remember({self._list(type_.to, type_.count, type_.const)}, {text});"
                if type_.count > 1:
                    element = f"{text} ? {text} + below({type_.count}) : 0"
                    yield f"remember({self._list(type_.to, 1, type_.const)}, {element});"
                if type_.const and isinstance(type_.to, (Record, Pointer)):
                    yield from self._through_const(type_, text)
            case Address():
                yield f"remember({self._list(type_.to, 1)}, (void *){text});"
            case Callback():
                yield f"remember({self._list(type_, 0)}, (void *){text});"
            case Record():
                for leaf in self._leaves(Place(text, type_)):
                    if not isinstance(leaf.type, Scalar):
                        yield from self._remember(leaf.type, leaf.text)
            case _:
                pass

    def _through_const(self, type_: Pointer, text: str) -> Iterator[str]:
        """What stands behind pointers in a const object may be written all the same."""
        inner = list(self.walker.places(Place(f"(*{text})", type_.to, pointer=text), 0))
        for place in inner:
            if isinstance(place.type, Pointer) and not place.type.const:
                shown = f"(*{text})" if isinstance(type_.to, Pointer) else place.text
                yield f"remember({self._list(place.type.to, place.type.count)}, {shown});"

    def _outside_function(self, function: Function) -> None:
        self.lines += [function.header(), "{", "    step();"]
        self.lines.append("    int before = null_pointers(), any = callers;")
        for name, type_ in function.parameters:
            casted = name
            if isinstance(type_, Pointer) and type_.void:
                casted = f"(({declare(Pointer(type_.to, type_.const), '')}){name})"
            self.lines += [f"    {line}" for line in self._remember(type_, casted)]
        # Pointers from outside are valid: a function of the library that was called in between may have left
        # null ones, which the one that waits must not be blamed for.
        self.lines.append(f"    callers = 0; {self.prefix}act(); callers = 1;")
        self.lines.append("    if (null_pointers() > before) end_run();")
        if function.result is not None:
            self.lines.append(f"    {declare(function.result, 'result')} = {self._value(function.result)};")
        self.lines.append("    callers = any;")
        if function.result is not None:
            self.lines.append("    return result;")
        self.lines.append("}")

    def _callback(self, callback: Callback) -> None:
        own = f"{self.prefix}own_{key(callback)}"
        parameters = tuple((f"a{i}", t) for i, t in enumerate(callback.parameters))
        body = Function(own, callback.result, parameters, "external")
        self._outside_function(body)
        names = [own, own]
        for f in self.library.of_kind("public"):
            if (f.result, f.types) == (callback.result, callback.parameters):
                names.append(f.name)
        self.lines += [f"static void *{self.prefix}pick_{key(callback)}(void)", "{"]
        self.lines.append(f"    void *known = below(2) ? recall({self._list(callback, 0)}) : 0;")
        self.lines.append("    if (known) return known;")
        self.lines.append(f"    switch (below({len(names)})) {{")
        self.lines += [f"    case {i}: return (void *){name};" for i, name in enumerate(names)]
        self.lines += ["    }", "    return 0;", "}"]

    def _leaves(self, place: Place) -> Iterator[Place]:
        """Every scalar, pointer and callback that the object consists of."""
        match place.type:
            case Array():
                for i in range(place.type.length):
                    yield from self._leaves(Place(f"{place.text}[{i}]", place.type.of, place.const))
            case Record(union=True):
                yield Place(f"{place.text}.i", INT)
            case Record():
                for name, type_ in self.library.records[place.type.name]:
                    if not (isinstance(type_, Array) and type_.flexible):
                        yield from self._leaves(Place(f"{place.text}.{name}", type_, place.const))
            case _:
                yield place

    def _every_pointer(self) -> None:
        self.lines += [f"static int {self.prefix}every(int (*test)(const void *))", "{"]
        hidden = [Place(v.name, v.type) for v in self.library.variables if not v.visible]
        for root in [*self.roots, *hidden]:
            self._every_leaf(root, "")
        for root in self.visible:
            self._every_leaf(root, "test != is_shared && ")
        for type_ in [*(Record(name, name.endswith("U")) for name in self.library.records), *self.slots]:
            self._every_pointer_of(type_)
        self.lines += ["    return 0;", "}"]

    def _begins(self) -> None:
        """Does an object begin here?"""
        roots = [*self.roots, *self.shared, *(Place(v.name, v.type) for v in self.library.variables)]
        tests = " || ".join(f"at == (const void *)&{root.text}" for root in roots)
        self.lines += [f"static int {self.prefix}begins(const void *at)", "{", f"    return {tests};", "}"]

    def _every_leaf(self, root: Place, unless: str) -> None:
        for leaf in self._leaves(root):
            if isinstance(leaf.type, (Pointer, Callback)):
                self.lines.append(f"    if ({unless}test((const void *){leaf.text})) return 1;")

    def _every_pointer_of(self, type_: Type) -> None:
        """Those in variables and heap objects of the library that are known outside."""
        leaves = [
            p.text for p in self._leaves(Place("(*r)", type_)) if isinstance(p.type, (Pointer, Callback))
        ]
        tests = " || ".join(f"test((const void *){leaf})" for leaf in leaves)
        for const in (False, True) if leaves else ():
            number = self._list(type_, 1, const)
            self.lines.append(f"    for (int i = 0; i < known_count[{number}]; i++) {{")
            self.lines.append(f"        {declare(Pointer(type_), 'r')} = known[{number}][i];")
            self.lines += [f"        if ({tests}) return 1;", "    }"]

    def _enter(self) -> None:
        """A call of one of the library's functions."""
        public = self.library.of_kind("public")
        self.lines += [f"static void {self.prefix}enter(void)", "{", "    struct knowledge before;"]
        self.lines.append(f"    if (nesting > 2 || {self.prefix}every(is_null)) return;")
        self.lines.append(f"    if ({self.prefix}every(is_shared)) return;")
        self.lines.append("    if (nesting) wait_for(nesting);")
        self.lines.append("    nesting++;")
        self.lines.append(f"    switch (below({len(public)})) {{")
        for number, function in enumerate(public):
            self.lines += [f"    case {number}: {{", *self._one_call(function), "        break;", "    }"]
        self.lines += ["    }", "    nesting--;", "    if (nesting) go_on(nesting);", "}"]

    def _one_call(self, function: Function) -> Iterator[str]:
        names = [name for name, _ in function.parameters]
        yield "        entering++;"
        for name, type_ in function.parameters:
            yield f"        {declare(type_, name)} = {self._value(type_)};"
        yield "        entering--;"
        missing = [f"!{n}" for n, t in function.parameters if isinstance(t, (Pointer, Address))]
        if missing:
            yield f"        if ({' || '.join(missing)}) break;"
        call = f"{function.name}({', '.join(names)})"
        yield "        forget(&before);"
        after = "know_again(&before); leave(__builtin_frame_address(0), 0);"
        if not isinstance(function.result, Pointer):
            yield f"        {call}; {after}"
            return
        yield f"        {declare(function.result, 'result')} = {call}; {after}"
        taken = Pointer(function.result.to, function.result.const)
        shown = f"(({declare(taken, '')})result)"
        yield f"        if (result) {{ {' '.join(self._remember(taken, shown))} }}"

    def _act(self) -> None:
        """Some things that code outside may do at any time. While the library waits, it writes what it was
        given and what everybody can see, and leaves alone what else the caller may have passed."""
        actions = []
        for scalar in SCALARS:
            pick = f"{self._pick(scalar, 1)}(3)"
            write = f"*p = ({scalar.name})number(); wrote(p, sizeof *p);"
            actions.append(f"{scalar.name} *p = {pick}; if (p) {{ {write} }}")
        actions.append(actions[0])
        for slot in self.slots:
            place = declare(Pointer(slot), "p")
            write = f"int any = callers; callers = 1; *p = {self._value(slot)}; callers = any;"
            actions.append(f"{place} = {self._pick(slot, 1)}(3); if (p) {{ {write} }}")
        for root in self.visible:
            for leaf in self._leaves(root):
                if not leaf.const and isinstance(leaf.type, (Scalar, Pointer, Callback)):
                    write = f"{leaf.text} = {self._value(leaf.type)};"
                    actions.append(f"int any = callers; callers = 1; {write} callers = any;")
        actions += [f"{self.prefix}enter();"] * 2
        self.lines += [
            f"static void {self.prefix}act(void)",
            "{",
            "    for (unsigned n = below(4); n; n--) {",
        ]
        self.lines.append(f"        switch (below({len(actions)})) {{")
        self.lines += [f"        case {i}: {{ {action} break; }}" for i, action in enumerate(actions)]
        self.lines += ["        }", "    }", "}"]

    def _run(self) -> None:
        self.lines += [f"static void {self.prefix}run(void)", "{"]
        self.lines.append("    callers = entering = 1;")
        for root in [*self.roots, *self.visible, *self.shared]:
            for leaf in self._leaves(root):
                if not leaf.const:
                    self.lines.append(f"    {leaf.text} = {self._value(leaf.type)};")
        self.lines.append("    for (int i = 0; i < 2; i++)")
        self.lines.append(f"        for (int j = 0; j < 8; j++) {self.prefix}room[i][j] = (int)number();")
        self.lines.append("    entering = 0;")
        self.lines.append("    for (unsigned calls = 1 + below(3); calls; calls--) {")
        self.lines.append("        steps = 0;")
        self.lines.append(f"        {self.prefix}enter();")
        self.lines.append(f"        {self.prefix}act();")
        self.lines += ["    }", "}"]


def program(libraries: Sequence[Library]) -> str:
    """One C file with all libraries and their outsides."""
    parts = [f'#line 1 "runtime"\n{RUNTIME.read_text(encoding="utf-8")}']
    for library in libraries:
        for macro in ("DATA", "OWN", "SHARED"):
            section = f"{macro.lower()}_{library.prefix}"
            parts.append(f'#undef {macro}\n#define {macro} __attribute__((section("{section}")))\n')
            parts.append(f"extern char __start_{section}[], __stop_{section}[];\n")
        parts.append(f"static const void *{library.prefix}kept;\nDATA char {library.prefix}first;\n")
        parts.append(f'#line 1 "library"\n{library.text}')
        parts.append(f'#line 1 "outside"\n{Outside(library).text()}')
    rows = "".join(_row(library.prefix) for library in libraries)
    parts.append(f"static const struct program programs[] = {{\n{rows}}};\n")
    parts.append("int main(int argc, char **argv)\n{\n    (void)argc;\n")
    parts.append(f"    try_all(programs, {len(libraries)}, (unsigned)atoi(argv[1]));\n    return 0;\n}}\n")
    return "".join(parts)


def _row(prefix: str) -> str:
    sections = (f"__{end}_{kind}_{prefix}" for kind in ("data", "own", "shared") for end in ("start", "stop"))
    return f'    {{"{prefix}", {prefix}run, {prefix}every, {prefix}begins, {", ".join(sections)}}},\n'


@dataclass
class Natively:
    """What fired, as line and category with the number of runs, for each library by its prefix."""

    fired: dict[str, dict[tuple[int, str], int]]
    broken: list[str]  # runs that say more about the generator than about the library


def run(libraries: Sequence[Library], folder: Path, runs: int) -> Natively:
    source, binary = folder / "outside.c", folder / "outside"
    source.write_text(program(libraries), encoding="utf-8")
    flags = ["-w", "-O0", "-g0", "-std=gnu11", "-fno-sanitize=all", "-fno-strict-aliasing"]
    flags += [*(f"-fsanitize={name}" for name in _SANITIZERS), "-fsanitize-recover=all"]
    compiler = [sys.executable, "-m", "ziglang", "cc"]
    made = binary.with_suffix(".o")
    _call([*compiler, *flags, "-c", str(source), "-o", str(made)])
    _call([*compiler, "-fno-sanitize=all", str(made), "-o", str(binary)])
    output = _call([str(binary), str(runs)])
    found = Natively({library.prefix: {} for library in libraries}, [])
    for line in output.splitlines():
        words = line.split()
        if words[0] in found.fired and len(words) == 4:
            found.fired[words[0]][int(words[1]), words[2]] = int(words[3])
        elif words[1] != "done":
            found.broken.append(line)
    return found


def _call(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return done.stdout
