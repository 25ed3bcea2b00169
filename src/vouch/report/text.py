"""What all text formats share: colours, escaping, places in the source, order and wording of results."""

from __future__ import annotations

from typing import Any

from vouch.printable import leading, visible
from vouch.record import frozen_record
from vouch.report.item import Item
from vouch.report.model import ORDER, Report
from vouch.verdict import Verdict

_COLOURS = {"red": "1;31", "yellow": "1;33", "green": "1;32", "blue": "1;34", "bold": "1", "dim": "2"}


@frozen_record
class TextStyle:
    """How to print: `colour` only on a terminal; `verbosity` -1 for --quiet, 1 for --verbose;
    `full_trace`: every step of a violation."""

    colour: bool = False
    verbosity: int = 0
    full_trace: bool = False

    def paint(self, text: str, colour: str) -> str:
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self.colour else text


def place(item: Item) -> str:
    return f"{leading(item.file)}:{item.line}:{item.column}"


def source_line(report: Report, item: Item) -> str | None:
    """The line as it can be shown: tabs are one blank, so that columns still point to the right place."""
    text = report.sources.line(item.file, item.line) if report.sources is not None else ""
    return "".join(" " if c == "\t" else c if c.isprintable() else "?" for c in text) or None


def value(data: Any) -> str:
    """An input as a person writes it."""
    if isinstance(data, dict):
        return "{" + ", ".join(f"{visible(str(k))} = {value(v)}" for k, v in data.items()) + "}"
    if isinstance(data, (list, tuple)):
        return "{" + ", ".join(value(item) for item in data) + "}"
    return visible(str(data))


_MOST_INPUTS = 24  # that a line shows; JSON has them all


def inputs(result: Item) -> str:
    found = list((result.inputs or {}).items())
    more = f", and {len(found) - _MOST_INPUTS} more" if len(found) > _MOST_INPUTS else ""
    return ", ".join(f"{visible(name)} = {value(data)}" for name, data in found[:_MOST_INPUTS]) + more


def explanation(result: Item) -> str:
    """Why the verdict is not plain `safe` or `unsafe`, in a few words."""
    match result.verdict:
        case Verdict.BOUND_SAFE:
            bound = f" {result.bound}" if result.bound is not None else ""
            return visible(result.reason or f"no violation up to bound{bound}")
        case Verdict.COND_UNSAFE:
            return visible(result.reason or "violated only under an abstraction")
        case _:
            return visible(result.reason or "")


def summary(result: Report, style: TextStyle) -> str:
    """`12 checks: 1 unsafe, 11 safe; 1 suppressed; entry main; 0.42 s`."""
    results, counts = result.counted, result.counts
    colours = {Verdict.UNSAFE: "red", Verdict.DIFFERENT: "red", Verdict.SAFE: "green"}
    parts = [style.paint(f"{counts[v]} {v}", colours.get(v, "yellow")) for v in ORDER if counts[v]]
    noun = "check" if len(results) == 1 else "checks"
    text = f"{len(results)} {noun}"
    if parts:
        text += ": " + ", ".join(parts)
    if hidden := len(result.suppressed):
        text += f"; {hidden} suppressed"
    if known := len(result.items) - len(results) - hidden:
        text += f"; {known} known from the baseline"
    if result.replay_failures:
        text += f"; {result.replay_failures} not confirmed by replay (a bug in vouch)"
    if result.interrupted:
        text += "; interrupted"
    if result.incomplete:
        text += f"; {visible(result.incomplete)}"
    return f"{text}; {result.seconds:.2f} s"
