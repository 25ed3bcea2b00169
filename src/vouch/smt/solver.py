"""The solver protocol."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from vouch.smt.node import Term, Value


class Answer(StrEnum):
    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


class SolverError(Exception):
    """A solver gave an answer that is provably wrong, or died: a bug outside the question asked."""


class Solver(Protocol):
    """Decides whether the added terms can hold together.

    Raises `vouch.errors.Unsupported` for terms it has no theory for. `value` may be asked after SAT
    until the next `add` or `check`: booleans are bool, bit-vectors int, floats their IEEE bits.
    """

    @property
    def name(self) -> str: ...

    @property
    def reason(self) -> str:
        """Why the last answer was UNKNOWN."""
        ...

    def add(self, term: Term) -> None: ...

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer: ...

    def value(self, term: Term) -> Value: ...

    def close(self) -> None: ...
