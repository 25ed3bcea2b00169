"""For the tests of the replay: compile a snippet, find a check in it, run a hand-made counterexample."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vouch.bmc.counterexample import Address, Counterexample, Event, OutsideObject, Scalar
from vouch.bmc.replay import Replayer, ReplayLimits, ReplayResult
from vouch.c import checks
from vouch.c.checks.base import Category, Check
from vouch.c.frontend import FrontOptions, Loaded, load
from vouch.c.ir import IntType, PointerType, Type

I8, I16, I32, I64, PTR = IntType(8), IntType(16), IntType(32), IntType(64), PointerType()


@dataclass(eq=False)
class Snippet:
    """A compiled program with its checks."""

    loaded: Loaded
    checks: list[Check]
    _replayer: Replayer | None = field(default=None)

    def check(self, category: str, number: int = 0) -> Check:
        """The check of the category, in source order."""
        found = [c for c in self.checks if c.category == category]
        assert found, f"no {category} check among {[c.id for c in self.checks]}"
        return found[number]

    def replay(
        self,
        check: Check,
        *arguments: Scalar,
        entry: str = "f",
        objects: Sequence[OutsideObject] = (),
        events: Sequence[Event] = (),
        limits: ReplayLimits | None = None,
    ) -> ReplayResult:
        """Run a counterexample. The limits of the first one hold for all: the program is built once."""
        example = Counterexample(check, entry, list(arguments), list(objects), list(events))
        if self._replayer is None:
            self._replayer = Replayer(self.loaded, self.checks, limits or ReplayLimits(seconds=5))
            weakref.finalize(self, self._replayer.close)
        result = self._replayer.replay(example)
        assert result.possible, result.reason
        return result


def compiled(
    folder: Path,
    source: str,
    *,
    name: str = "code.c",
    target: str | None = None,
    categories: frozenset[Category] = frozenset(Category),
) -> Snippet:
    path = folder / name
    path.write_text(source)
    loaded = load([str(path)], FrontOptions(target=target, categories=categories, cache=False))
    return Snippet(loaded, checks.find(loaded.program, categories))


def outside(name: str, data: bytes, pointers: dict[int, Address] | None = None) -> OutsideObject:
    return OutsideObject(name, "outside", len(data), data, pointers or {})


def returned(function: str, value: Scalar | None, kind: Type = I32, **more: list[object]) -> Event:
    return Event("return", function, kind, value, None, **more)  # type: ignore[arg-type]


def read(function: str, value: int, kind: Type = I32) -> Event:
    return Event("volatile", function, kind, value, None)
