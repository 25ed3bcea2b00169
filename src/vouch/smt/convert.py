"""What the backends with an API share: terms are converted once, in one loop, incrementally."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container
from typing import Any

from vouch.errors import Unsupported
from vouch.smt.node import Term
from vouch.smt.sort import Sort
from vouch.smt.walk import order


def expect_standard(name: str, sort: Sort, standard: Container[Sort]) -> None:
    """Refuses float formats for which the solver is not trusted."""
    if sort not in standard:
        raise Unsupported(
            f"{name} has no floats of {sort.exponent} exponent and {sort.significand} significand bits"
        )


class Converter(ABC):
    """Keeps the solver's object for every term it has seen."""

    name = ""

    def __init__(self) -> None:
        self.reason = ""
        self._made: dict[Term, Any] = {}

    @abstractmethod
    def _node(self, term: Term, args: list[Any]) -> Any:
        """The solver's object for `term`, given those of its arguments."""

    def convert(self, term: Term) -> Any:
        made = self._made
        known = made.get(term)
        if known is None:
            for t in order((term,), made):
                made[t] = self._node(t, [made[arg] for arg in t.args])
            known = made[term]
        return known

    def close(self) -> None:
        self._made.clear()
