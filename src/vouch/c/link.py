"""Joining IR modules with llvmlite, the only place besides `frontend` that touches LLVM."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from vouch.errors import VouchError

_CONFLICT = re.compile(r"Linking globals named '([^']*)': symbol multiply defined")


class Module:
    """A verified LLVM module."""

    def __init__(self, reference: Any, name: str) -> None:
        self._reference = reference
        self.name = name

    @classmethod
    def parse(cls, content: str | bytes, name: str) -> Module:
        """From IR text or bitcode; `name` is the file, for messages."""
        import llvmlite.binding as llvm

        try:
            if isinstance(content, bytes):
                reference = llvm.parse_bitcode(content)
            else:
                reference = llvm.parse_assembly(content)
            reference.verify()
        except RuntimeError as error:
            raise VouchError(f"{name}: not valid LLVM IR: {_one_line(error)}") from None
        reference.name = name
        return cls(reference, name)

    @property
    def text(self) -> str:
        return str(self._reference)

    @property
    def bitcode(self) -> bytes:
        return bytes(self._reference.as_bitcode())

    @property
    def defined(self) -> set[str]:
        """Functions with a body that other modules can see."""
        return {
            f.name
            for f in self._reference.functions
            if not f.is_declaration and f.linkage.name not in ("internal", "private")
        }

    @property
    def undefined(self) -> set[str]:
        return {f.name for f in self._reference.functions if f.is_declaration}

    def add(self, other: Module) -> None:
        """Link `other` in; it cannot be used afterwards."""
        try:
            self._reference.link_in(other._reference)
        except RuntimeError as error:
            raise VouchError(self._conflict(other, error)) from None

    @staticmethod
    def _conflict(other: Module, error: RuntimeError) -> str:
        match = _CONFLICT.search(str(error))
        if match:
            return f"{other.name}: {match[1]!r} is already defined in another file"
        return f"{other.name}: cannot be linked: {_one_line(error)}"


def link(modules: Sequence[Module]) -> Module:
    """All modules as one. The first takes the others in."""
    whole, *others = modules
    for other in others:
        whole.add(other)
    return whole


def _one_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else "unknown error"
