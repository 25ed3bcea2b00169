"""What happens in an execution that violates a check, step by step, as every report shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from vouch.record import frozen_record


@frozen_record
class Change:
    """A variable or place in memory that got a value: what C calls it, the value and its type as C writes
    them. `frame` is the number of the call whose variable it is (0: the entry point); None: memory that
    belongs to no call."""

    name: str
    value: str
    type: str | None = None
    frame: int | None = None


@frozen_record
class TraceStep:
    """One C-level step of a violation. kind: start, call, return, assign, write, branch, input, violation.

    `depth` is the number of the call in which it happens (0: the entry point); `changes` is what it changes,
    so that all values at any step are those of the changes up to it. Variables of a call are gone when a
    step of a smaller depth follows."""

    file: str
    line: int
    function: str
    kind: str
    what: str
    column: int = 0
    depth: int = 0
    changes: tuple[Change, ...] = ()

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> TraceStep:
        """Read back. Reports of earlier versions have no values."""
        return cls(
            file=str(document["file"]),
            line=int(document["line"]),
            function=str(document["function"]),
            kind=str(document["kind"]),
            what=str(document["what"]),
            column=int(document.get("column", 0)),
            depth=int(document.get("depth", 0)),
            changes=tuple(Change(**change) for change in document.get("changes", ())),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "line": self.line,
            "function": self.function,
            "kind": self.kind,
            "what": self.what,
            "column": self.column,
            "depth": self.depth,
            "changes": [asdict(change) for change in self.changes],
        }
