"""Joining IR modules, as text, with llvmlite. Beside `isolated`, the only module that calls LLVM."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from vouch.c.isolated import parse_error, printed
from vouch.errors import VouchError

_SYMBOL = re.compile(r'^(define|declare) ([^@\n]*)@("[^"]*"|[\w.$-]+)\(', re.MULTILINE)
_VARIABLE = re.compile(r'^@("[^"]*"|[\w.$-]+) = ([^\n@]*?)(?:global|constant|alias) ', re.MULTILINE)
_LAYOUT = re.compile(r'^target datalayout = "(.*)"$', re.MULTILINE)
_TRIPLE = re.compile(r'^target triple = "(.*)"$', re.MULTILINE)
# Definitions that may meet others of the same name.
_YIELDING = frozenset(
    (
        "private",
        "internal",
        "available_externally",
        "linkonce",
        "linkonce_odr",
        "weak",
        "weak_odr",
        "common",
        "appending",
        "external",
        "extern_weak",
    )
)


@dataclass(frozen=True)
class Module:
    """IR text with the file it came from. What it defines is looked up once."""

    name: str
    text: str

    @cached_property
    def _symbols(self) -> list[tuple[str, str, str]]:
        return _SYMBOL.findall(self.text)

    @cached_property
    def defined(self) -> set[str]:
        """Functions and variables that no other module may define too."""
        functions = {n for kind, words, n in self._symbols if kind == "define" and _strong(words)}
        return functions | {n for n, words in _VARIABLE.findall(self.text) if _strong(words)}

    @cached_property
    def bodies(self) -> set[str]:
        """All functions with a body."""
        return {name.strip('"') for kind, _, name in self._symbols if kind == "define"}

    @cached_property
    def undefined(self) -> set[str]:
        """Functions that are declared only."""
        return {name.strip('"') for kind, _, name in self._symbols if kind == "declare"}

    @property
    def layout(self) -> str:
        match = _LAYOUT.search(self.text)
        return match[1] if match else ""

    @property
    def triple(self) -> str:
        match = _TRIPLE.search(self.text)
        return match[1] if match else ""


def _strong(words: str) -> bool:
    return _YIELDING.isdisjoint(words.split())


def normal(content: str | bytes, name: str) -> Module:
    """A module of any origin, text or bitcode, verified and printed as this LLVM prints."""
    if isinstance(content, bytes):
        return Module(name, printed(content, name, bitcode=True))
    return Module(name, printed(content.encode("utf-8", "surrogateescape"), name, bitcode=False))


def _parse(content: str, name: str) -> Any:
    """IR that LLVM printed itself."""
    import llvmlite.binding as llvm

    try:
        reference = llvm.parse_assembly(content)
        reference.verify()
    except RuntimeError as error:
        raise VouchError(parse_error(name, str(error))) from None
    return reference


def link(modules: Sequence[Module]) -> Module:
    """All modules as one."""
    first, *others = modules
    if not others:
        return first
    _check_conflicts(modules)
    whole = _parse(first.text, first.name)
    for other in others:
        if other.layout != first.layout:
            raise VouchError(f"{other.name}: made for another target than {first.name}")
        try:
            whole.link_in(_parse(other.text, other.name))
        except RuntimeError as error:
            raise VouchError(f"{other.name}: cannot be linked: {_one_line(error)}") from None
    return Module(first.name, str(whole))


def _check_conflicts(modules: Sequence[Module]) -> None:
    owners: dict[str, list[str]] = {}
    for module in modules:
        for name in module.defined:
            owners.setdefault(name, []).append(module.name)
    doubled = {name: files for name, files in owners.items() if len(files) > 1}
    if not doubled:
        return
    name = "main" if "main" in doubled else min(doubled)
    files = ", ".join(doubled[name])
    if name == "main":
        raise VouchError(f"several files define main: {files} (give the files of one program)")
    raise VouchError(f"{name!r} is defined in several files: {files} (--exclude leaves out some)")


def hide_main(module: Module) -> Module:
    """The module with a `main` that only it can see, where another function is the entry point."""
    text = re.sub(
        r"^define (?:dso_local )?([^@\n]*@main\()", r"define internal \1", module.text, flags=re.MULTILINE
    )
    return Module(module.name, text)


def _one_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else "unknown error"
