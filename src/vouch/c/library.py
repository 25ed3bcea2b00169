"""Models of library functions: C sources in `models/`, compiled for the program's target, from which only
the functions that a program needs are linked in."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from vouch.c.cache import Cache, key_of
from vouch.c.link import Module

FOLDER = Path(__file__).parent / "models"
# Models are compiled as they are; helpers of a model get names that no program has.
FLAGS = ("-ffreestanding", "-Wno-everything", "-g0")

_FUNCTION = re.compile(r"^define [^\n]*?@(\"[^\"]*\"|[\w.$-]+)\(.*?^\}$", re.MULTILINE | re.DOTALL)
_LOCAL = re.compile(
    r"^(?:define internal [^@\n]*@|@)(\"[^\"]*\"|[\w.$-]+)(?:\(| = (?:internal|private) )", re.MULTILINE
)
_REFERENCE = re.compile(r'@("[^"]*"|[\w.$-]+)')
_GLOBAL = re.compile(r"^@(\"[^\"]*\"|[\w.$-]+) = .*$", re.MULTILINE)
_DECLARE = re.compile(r"^declare [^\n]*?@(\"[^\"]*\"|[\w.$-]+)\(.*$", re.MULTILINE)
_KEPT = re.compile(r"^(?:target |%|attributes |!\d+ = ).*$", re.MULTILINE)


@dataclass(slots=True)
class Part:
    """One compiled model file, in pieces: `common` lines, and symbols by name."""

    name: str
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

    def module(self, own: set[str], foreign: set[str]) -> Module:
        """A module of just these symbols."""
        pieces = [self.common]
        pieces += [text for name, text in self.globals.items() if name in own]
        pieces += [text for name, text in self.declared.items() if name in foreign]
        pieces += [_declaration(text) for name, text in self.functions.items() if name in foreign]
        pieces += [text for name, text in self.functions.items() if name in own]
        return Module(self.name, "\n".join(pieces) + "\n")


def _declaration(definition: str) -> str:
    header = definition.partition("\n")[0]
    return header.replace("define", "declare", 1).removesuffix(" {")


def split_model(name: str, text: str) -> Part:
    """The pieces of a compiled model file."""
    prefix = f"__vouch_{name}_"
    for local in sorted(set(_LOCAL.findall(text))):
        text = re.sub(rf"@{re.escape(local)}(?![\w.$-])", f"@{prefix}{local}", text)
    return Part(
        name=f"{name}.c",
        common="\n".join(_KEPT.findall(text)),
        functions={match[1]: match.group() for match in _FUNCTION.finditer(text)},
        globals={match[1]: match.group() for match in _GLOBAL.finditer(text)},
        declared={match[1]: match.group() for match in _DECLARE.finditer(text)},
    )


def load_parts(compile_model: Callable[[Path], str], identity: str, cache: Cache | None) -> list[Part]:
    """All models, compiled or from the cache; `identity` tells the compiler and target."""
    files = sorted(FOLDER.glob("*.c"))
    contents = [path.read_bytes() for path in (*files, *sorted(FOLDER.glob("*.h")))]
    key = key_of(["models", identity, *contents])
    stored = cache.get(key) if cache else None
    if stored is not None:
        return [Part(**fields) for fields in json.loads(stored)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        texts = list(pool.map(compile_model, files))
    parts = [split_model(path.stem, text) for path, text in zip(files, texts, strict=True)]
    if cache:
        cache.put(key, json.dumps([asdict(part) for part in parts]).encode())
    return parts


def select(parts: Iterable[Part], wanted: set[str], present: set[str]) -> tuple[list[Module], frozenset[str]]:
    """Modules with the models of `wanted` functions and of those they call, and the names of all functions
    with a body in them. `present` are functions that the program defines."""
    parts = list(parts)
    home: Mapping[str, Part] = {name: part for part in parts for name in part.functions}
    roots: dict[str, set[str]] = {part.name: set() for part in parts}
    todo = [name for name in wanted if name in home]
    chosen: dict[str, tuple[set[str], set[str]]] = {}
    while todo:
        name = todo.pop()
        part = home[name]
        if name in roots[part.name]:
            continue
        roots[part.name].add(name)
        own, foreign = chosen[part.name] = part.needed(roots[part.name], present)
        todo.extend(f for f in foreign if f in home and f not in present)
    modules, names = [], set()
    for part in parts:
        if part.name in chosen:
            own, foreign = chosen[part.name]
            modules.append(part.module(own, foreign))
            names |= own & part.functions.keys()
    return modules, frozenset(names)
