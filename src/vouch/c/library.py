"""Models of library functions: C sources in `models/`, compiled for the program's target, from which only
the functions that a program needs are added to it.

Compiled models are kept as text, with names and numbers that no other text has: adding one to a program is
putting its text behind the program's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from vouch.c.cache import Cache, key_of
from vouch.c.known import TABLE
from vouch.c.link import Module
from vouch.record import record

FOLDER = Path(__file__).parent / "models"
# Models are compiled as they are; helpers of a model get names that no program has.
FLAGS = ("-ffreestanding", "-Wno-everything", "-g0")

_NAME = r'("[^"]*"|[\w.$-]+)'
_FUNCTION = re.compile(rf"^define [^\n]*?@{_NAME}\(.*?^\}}$", re.MULTILINE | re.DOTALL)
_GLOBAL = re.compile(rf"^@{_NAME} = .*$", re.MULTILINE)
_DECLARE = re.compile(rf"^declare [^\n]*?@{_NAME}\(.*$", re.MULTILINE)
_LOCAL = re.compile(rf"^(?:define internal [^@\n]*@{_NAME}\(|@{_NAME} = (?:internal|private) )", re.MULTILINE)
_REFERENCE = re.compile(rf"@{_NAME}")
_TYPE = re.compile(r"%(struct|union)\.")
_NUMBER = re.compile(r"(?<=[ (,{])([!#])(\d+)\b|^!(\d+) = ", re.MULTILINE)
_COMMON = re.compile(r"^(?:%|attributes |!\d+ = ).*$", re.MULTILINE)
_FIRST = 1_000_000  # metadata and attribute groups of models are numbered from here
_APART = 10_000


@record
class ModelPart:
    """One compiled model file, in pieces: `common` lines, and symbols by name."""

    name: str
    layout: str
    common: str
    functions: dict[str, str]
    globals: dict[str, str]
    declared: dict[str, str]

    def needed(self, roots: Iterable[str], present: set[str]) -> tuple[set[str], set[str]]:
        """Own symbols that `roots` lead to, and names of others that they refer to; what is `present` in
        the program goes before an own function of that name."""
        own: set[str] = set()
        foreign: set[str] = set()
        todo = list(roots)
        while todo:
            name = todo.pop()
            text = self.functions.get(name) or self.globals.get(name)
            if text is None or name in present:
                foreign.add(name)
            elif name not in own:
                own.add(name)
                todo.extend(_REFERENCE.findall(text))
        return own, foreign

    def text(self, own: set[str], foreign: set[str], known: set[str]) -> str:
        """IR of just these symbols; `known` are declared already."""
        pieces = [self.common]
        pieces += [text for name, text in self.globals.items() if name in own]
        pieces += [text for name, text in self.functions.items() if name in own]
        for name in sorted(foreign - known):
            text = self.declared.get(name)
            pieces.append(text if text is not None else _declaration(self.functions[name]))
        return "\n".join(pieces) + "\n"


def _declaration(definition: str) -> str:
    header = definition.partition("\n")[0]
    return header.replace("define", "declare", 1).removesuffix(" {")


def split_model(name: str, text: str, number: int) -> ModelPart:
    """The pieces of a compiled model file, the `number`-th."""
    prefix = f"__vouch_{name}_"
    for local in sorted({a or b for a, b in _LOCAL.findall(text)}):
        text = re.sub(rf"@{re.escape(local)}(?![\w.$-])", f"@{prefix}{local}", text)
    text = _TYPE.sub(rf"%\1.{prefix}", text)
    base = _FIRST + number * _APART
    text = _NUMBER.sub(
        lambda m: f"!{base + int(m[3])} = " if m[3] else f"{m[1]}{base + int(m[2])}",
        text,
    )
    layout = re.search(r'^target datalayout = "(.*)"$', text, re.MULTILINE)
    return ModelPart(
        name=f"{name}.c",
        layout=layout[1] if layout else "",
        common="\n".join(_COMMON.findall(text)),
        functions={match[1]: match.group() for match in _FUNCTION.finditer(text)},
        globals={match[1]: match.group() for match in _GLOBAL.finditer(text)},
        declared={match[1]: match.group() for match in _DECLARE.finditer(text)},
    )


class Parts:
    """The models, compiled or from the cache, each when it is needed. `identity` tells the compiler, its
    flags and the target."""

    def __init__(self, compile_model: Callable[[Path], str], identity: str, cache: Cache | None) -> None:
        self._compile, self._identity, self._cache = compile_model, identity, cache
        self._numbers = {path.stem: number for number, path in enumerate(sorted(FOLDER.glob("*.c")))}
        self._known: dict[str, ModelPart] = {}
        # Headers, and this module, on which the form of what is stored depends.
        self._shared = [path.read_bytes() for path in (*sorted(FOLDER.glob("*.h")), Path(__file__))]

    def home(self, name: str) -> ModelPart | None:
        """The part that models a function."""
        stem = self._stem(name)
        if stem is None:
            return None
        part = self._known.get(stem)
        if part is None:
            part = self._known[stem] = self._load(stem)
        return part if name in part.functions else None

    def _stem(self, name: str) -> str | None:
        row = TABLE.get(name)
        if row is not None and row.place == "model":
            return row.by
        if row is not None or not name.startswith("__vouch_"):
            return None
        return next((stem for stem in self._numbers if name.startswith(f"__vouch_{stem}")), None)

    def _load(self, stem: str) -> ModelPart:
        path = FOLDER / f"{stem}.c"
        key = key_of(["model", stem, self._identity, path.read_bytes(), *self._shared])
        import json

        stored = self._cache.get(key) if self._cache else None
        if stored is not None:
            return ModelPart(**json.loads(stored))
        part = split_model(stem, self._compile(path), self._numbers[stem])
        if self._cache:
            self._cache.put(key, json.dumps(asdict(part)).encode())
        return part


def is_modelled(name: str) -> bool:
    row = TABLE.get(name)
    return row is not None and row.place == "model"


def add_models(program: Module, parts: Parts) -> tuple[Module, frozenset[str]]:
    """The program with models of the functions that it declares only, and of those these call; and the
    names of all functions with a body that came with them. Raises `OtherLayout` where the models are not for
    the program's data layout."""
    wanted, present = program.undefined, program.bodies
    roots: dict[str, set[str]] = {}
    chosen: dict[str, tuple[ModelPart, set[str], set[str]]] = {}
    todo = sorted(wanted)
    while todo:
        name = todo.pop()
        part = parts.home(name)
        if part is None or name in roots.setdefault(part.name, set()):
            continue
        if part.layout != program.layout:
            raise OtherLayout
        roots[part.name].add(name)
        own, foreign = part.needed(roots[part.name], present)
        chosen[part.name] = part, own, foreign
        todo.extend(f for f in foreign if f not in present)
    if not chosen:
        return program, frozenset()
    names = frozenset(name for part, own, _ in chosen.values() for name in own if name in part.functions)
    known = wanted | present | names
    text = _without_declarations(program.text, names)
    for _, (part, own, foreign) in sorted(chosen.items()):
        text += part.text(own, foreign, known)
        known |= foreign
    return Module(program.name, text), names


class OtherLayout(Exception):
    """The program's data layout is not clang's for its target."""


def _without_declarations(text: str, names: frozenset[str]) -> str:
    """The text without the declarations that the models replace."""
    return _DECLARE.sub(lambda match: "" if match[1] in names else match.group(), text)
