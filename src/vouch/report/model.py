"""`Report`: what every format reads, whatever was asked. One `Item` for each question and its answer.

A report is made from the document that `--json` prints, so a result at hand and a file of an earlier run come
out the same. C checks, network properties and comparisons differ in `kind` and in what stands in `detail`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from vouch.c.sources import Sources
from vouch.errors import VouchError
from vouch.record import frozen_record
from vouch.report import networks
from vouch.report.item import Grid, Item, item_of_check
from vouch.verdict import PROVED, VIOLATED, Exit, Verdict

# Worst first: the order in which results are shown and counted.
ORDER = (
    Verdict.UNSAFE,
    Verdict.DIFFERENT,
    Verdict.COND_UNSAFE,
    Verdict.UNKNOWN,
    Verdict.TIMEOUT,
    Verdict.BOUND_SAFE,
    Verdict.SAFE,
    Verdict.EQUIVALENT,
)


@frozen_record
class Report:
    """`document` is what `--json` prints; `text` is what a terminal shows of a network or a comparison (C
    checks are written by the `full` format). `sources` has lines that may be quoted."""

    kind: str  # "c", "network", "equivalence"
    title: str
    items: tuple[Item, ...]
    document: Mapping[str, Any]
    exit_code: Exit
    seconds: float = 0.0
    text: str = ""
    warnings: tuple[str, ...] = ()
    stages: Mapping[str, float] = field(default_factory=dict)
    entry_points: tuple[str, ...] = ()
    configuration: Mapping[str, Any] = field(default_factory=dict)
    loops: tuple[Mapping[str, Any], ...] = ()
    replay_failures: int = 0
    interrupted: bool = False
    incomplete: str | None = None
    grids: tuple[Grid, ...] = ()
    sources: Sources | None = field(default=None, repr=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said about the run as a whole."""
        return (*self.warnings, *([self.incomplete] if self.incomplete else ()))

    @property
    def counted(self) -> list[Item]:
        """What the exit code stands for, in the order of the source."""
        return by_place([item for item in self.items if item.suppressed is None and not item.known])

    @property
    def suppressed(self) -> list[Item]:
        return by_place([item for item in self.items if item.suppressed is not None])

    @property
    def counts(self) -> Counter[Verdict]:
        return Counter(item.verdict for item in self.counted)


def by_place(items: Sequence[Item]) -> list[Item]:
    return sorted(items, key=lambda item: (item.file, item.line, item.column, item.id))


def report_of(result: Any, **more: Any) -> Report:
    """The report of a result of any kind, or of a report as it is. `more` are fields that the result does not
    know, such as the configuration."""
    if isinstance(result, Report):
        return result
    code = result.exit_code() if callable(result.exit_code) else result.exit_code
    known = {
        "exit_code": Exit(code),
        "sources": getattr(result, "sources", None),
        "interrupted": bool(getattr(result, "interrupted", False)),
        "text": networks.text_of(result),
    }
    return read(result.to_json(), **{**known, **more})


def read(document: Mapping[str, Any], **more: Any) -> Report:
    """The report of a document that vouch wrote. `VouchError` where it is none."""
    kind = next((kind for kind, (mark, _) in _KINDS.items() if mark(document)), None)
    if kind is None:
        raise VouchError("not a JSON report of vouch")
    try:
        made: Report = _KINDS[kind][1](document, more)
        return made
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise VouchError(f"not a JSON report of vouch ({type(error).__name__}: {error})") from None


def _of_run(document: Mapping[str, Any], more: dict[str, Any]) -> Report:
    items = tuple(item_of_check(check) for check in document["checks"])
    known: dict[str, Any] = {
        "seconds": float(document.get("seconds", 0.0)),
        "warnings": tuple(document.get("warnings", ())),
        "stages": dict(document.get("stages", {})),
        "entry_points": tuple(document.get("entry_points", ())),
        "configuration": dict(document.get("configuration") or {}),
        "loops": tuple(document.get("loops", ())),
        "replay_failures": int(document.get("replay_failures", 0)),
        "incomplete": document.get("incomplete"),
        "interrupted": bool(document.get("interrupted", False)),
    }
    known |= {key: value for key, value in more.items() if value is not None}
    if "exit_code" not in known:
        known["exit_code"] = _exit_code(items, bool(known["incomplete"] or document.get("left_out")))
    return Report("c", "C code", items, document, **known)


def _of_network(kind: str, make: Callable[[Mapping[str, Any]], networks.Made]) -> Any:
    def read_it(document: Mapping[str, Any], more: dict[str, Any]) -> Report:
        made = make(document)
        known: dict[str, Any] = {
            "seconds": float(document.get("seconds", 0.0)),
            "warnings": tuple(document.get("warnings", ())),
            "configuration": dict(document.get("configuration") or {}),
            "text": made.text,
            "grids": made.grids,
            "exit_code": _exit_code(made.items),
        }
        known |= {key: value for key, value in more.items() if value}
        return Report(kind, made.title, made.items, document, **known)

    return read_it


def _exit_code(items: Sequence[Item], incomplete: bool = False) -> Exit:
    counted = [item.verdict for item in items if item.suppressed is None and not item.known]
    if any(verdict in VIOLATED for verdict in counted):
        return Exit.VIOLATED
    proved = all(verdict in PROVED for verdict in counted) and not incomplete
    return Exit.PROVED if proved else Exit.UNDECIDED


# How a document of each kind is recognised, most telling first, and what makes a report of it.
_KINDS: Mapping[str, tuple[Callable[[Mapping[str, Any]], bool], Any]] = {
    "run": (lambda d: "checks" in d, _of_run),
    "batch": (lambda d: "instances" in d, _of_network("network", networks.of_batch)),
    "sweep": (lambda d: "cells" in d and "clusters" in d, _of_network("equivalence", networks.of_sweep)),
    "widths": (lambda d: "widths" in d and "smallest" in d, _of_network("network", networks.of_widths)),
    "coverage": (
        lambda d: "methods" in d and "measures" in d,
        _of_network("network", networks.of_coverage),
    ),
    "radius": (lambda d: "refuted" in d, _of_network("equivalence", networks.of_radius)),
    "comparison": (networks.is_comparison, _of_network("equivalence", networks.of_comparison)),
    "network": (lambda d: "verdict" in d, _of_network("network", networks.of_answer)),
}
