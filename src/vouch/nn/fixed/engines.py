"""The engines by name, and the order in which `auto` tries them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from vouch.errors import VouchError
from vouch.nn.result import Result

if TYPE_CHECKING:
    from vouch.nn.fixed.decide import Question

Engine = Callable[["Question"], Result]


def engine(name: str) -> Engine:
    match name:
        case "enumerate":
            from vouch.nn.fixed.exhaust import exhaust

            return exhaust
        case "auto":
            return _auto
        case _:
            raise VouchError(f"engine {name!r} does not decide properties in fixed point")


def _auto(question: Question) -> Result:
    from vouch.nn.fixed.exhaust import exhaust

    return exhaust(question)
