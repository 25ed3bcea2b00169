"""`--output-format full`: for people. Violations with source line and trace, then the undecided and why."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from vouch.printable import visible
from vouch.report.item import Item
from vouch.report.model import ORDER, Report
from vouch.report.text import TextStyle, explanation, inputs, place, source_line, summary
from vouch.report.trace import relevant
from vouch.verdict import Verdict

_SHOWN_IN_FULL = (Verdict.UNSAFE, Verdict.COND_UNSAFE)
_HEADINGS = {
    Verdict.UNKNOWN: "undecided",
    Verdict.TIMEOUT: "undecided",
    Verdict.BOUND_SAFE: "proved up to a bound",
}
_MOST = 20  # checks under one heading, unless --verbose asks for all


def render(report: Report, style: TextStyle) -> str:
    if report.kind != "c":
        return _network(report, style)
    return "\n".join(_lines(report, style))


def _network(report: Report, style: TextStyle) -> str:
    """A network's answer says itself what is worth reading."""
    lines = [visible(line) for line in report.text.splitlines()]
    return "\n".join(lines[:1] if style.verbosity < 0 else lines)


def _lines(result: Report, style: TextStyle) -> Iterator[str]:
    results = result.counted
    for verdict in _SHOWN_IN_FULL:
        for item in results:
            if item.verdict is verdict:
                yield from _violation(item, result, style)
                yield ""
    for verdict in ORDER:
        if verdict in _HEADINGS:
            yield from _group([r for r in results if r.verdict is verdict], _HEADINGS[verdict], style)
    if style.verbosity > 0:
        yield from _safe([r for r in results if r.verdict is Verdict.SAFE], style)
    for item in result.suppressed:
        yield f"{style.paint('suppressed', 'dim')} {_headline(item)} [{item.verdict}]: " + visible(
            item.suppressed or "no reason given"
        )
    for warning in result.warnings:
        yield f"{style.paint('warning', 'yellow')}: {visible(warning)}"
    yield summary(result, style)


def _headline(item: Item) -> str:
    return f"{place(item)}: {item.category}: {visible(item.message)}"


def _violation(item: Item, result: Report, style: TextStyle) -> Iterator[str]:
    certain = item.verdict is Verdict.UNSAFE
    word, colour = ("error", "red") if certain else ("warning", "yellow")
    yield style.paint(f"{word}[{item.category}]", colour) + style.paint(f": {visible(item.message)}", "bold")
    margin = " " * len(str(item.line))
    bar = style.paint("|", "blue")
    arrow = style.paint("-->", "blue")
    yield f"{margin} {arrow} {place(item)} in {visible(_function(item))}"
    text = source_line(result, item)
    if text is not None:
        column = max(item.column, 1)
        yield f"{margin} {bar}"
        yield f"{style.paint(str(item.line), 'blue')} {bar} {text}"
        yield f"{margin} {bar} {' ' * (column - 1)}{style.paint('^', colour)}"
    for note in _notes(item):
        yield f"{margin} {style.paint('=', 'blue')} {note}"
    if style.verbosity >= 0:
        yield from _trace(item, result, margin, style)


def _notes(item: Item) -> Iterator[str]:
    if item.verdict is Verdict.COND_UNSAFE:
        yield explanation(item)
    elif item.reason:
        yield visible(item.reason)
    if item.inputs:
        yield f"inputs: {inputs(item)}"
    if item.precondition and item.precondition != "0":  # nothing makes it safe
        yield f"safe if: {visible(item.precondition)}"
    if item.replayed is True:
        yield "confirmed by a native run"
    elif item.replayed is False:
        yield "NOT confirmed by a native run: this is a bug in vouch, please report it"
    elif item.verdict is Verdict.UNSAFE:
        yield "not replayed"
    if item.replay is not None and item.replay.gpu:
        yield visible(item.replay.gpu)
    for assumption in item.assumptions:
        yield f"assuming: {visible(assumption)}"
    yield f"id: {visible(item.id)}"


def _trace(item: Item, result: Report, margin: str, style: TextStyle) -> Iterator[str]:
    """Steps that matter, one heading for each stretch in one function."""
    shown = item.trace if style.full_trace else relevant(item.trace, result.sources)
    if left := len(item.trace) - len(shown):
        yield f"{margin} {style.paint(f'{left} steps left out (--full-trace shows them)', 'dim')}"
    for (file, function), steps in groupby(shown, key=lambda s: (s.file, s.function)):
        yield f"{margin} {style.paint(f'in {visible(function)} ({visible(file)})', 'dim')}"
        for step in steps:
            yield f"{margin}   {step.line:>5}: {visible(step.what)}"


def _group(items: list[Item], heading: str, style: TextStyle) -> Iterator[str]:
    """Checks under one heading for each reason, most frequent reason first."""
    reasons: dict[str, list[Item]] = {}
    for item in items:
        reasons.setdefault(explanation(item) or "no reason given", []).append(item)
    for reason, members in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        yield f"{style.paint(heading, 'yellow')} ({len(members)}): {reason}"
        shown = members if style.verbosity > 0 or len(members) <= _MOST + 1 else members[:_MOST]
        for item in shown:
            yield f"    {_headline(item)}"
        if left := len(members) - len(shown):
            yield f"    {style.paint(f'and {left} more (-v lists them)', 'dim')}"
        yield ""


def _safe(items: list[Item], style: TextStyle) -> Iterator[str]:
    for item in items:
        how = f" by {item.decided_by}" if item.decided_by else ""
        why = f" ({visible(item.reason)})" if item.reason else ""
        assuming = f", assuming {visible('; '.join(item.assumptions))}" if item.assumptions else ""
        yield f"{style.paint('safe', 'green')}{how}{why}{assuming}: {_headline(item)}"


def _function(item: Item) -> str:
    """As the source calls it, where a trace ends in it."""
    mangled = item.function.startswith("_Z")
    return item.trace[-1].function if mangled and item.trace else item.function
