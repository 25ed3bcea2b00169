"""`--output-format full`: for people. Violations with source line and trace, then the undecided and why."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from vouch.printable import visible
from vouch.report.text import (
    ORDER,
    Style,
    counted,
    explanation,
    inputs,
    place,
    source_line,
    summary,
    suppressed,
)
from vouch.report.trace import relevant
from vouch.result import CheckResult, RunResult
from vouch.verdict import Verdict

_SHOWN_IN_FULL = (Verdict.UNSAFE, Verdict.COND_UNSAFE)
_HEADINGS = {
    Verdict.UNKNOWN: "undecided",
    Verdict.TIMEOUT: "undecided",
    Verdict.BOUND_SAFE: "proved up to a bound",
}


def render(result: RunResult, style: Style) -> str:
    return "\n".join(_lines(result, style))


def _lines(result: RunResult, style: Style) -> Iterator[str]:
    results = counted(result)
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
    for item in suppressed(result):
        yield f"{style.paint('suppressed', 'dim')} {_headline(item)} [{item.verdict}]: " + visible(
            item.check.suppressed or "no reason given"
        )
    for warning in result.warnings:
        yield f"{style.paint('warning', 'yellow')}: {visible(warning)}"
    yield summary(result, style)


def _headline(item: CheckResult) -> str:
    check = item.check
    return f"{place(check.location)}: {check.category}: {visible(check.message)}"


def _violation(item: CheckResult, result: RunResult, style: Style) -> Iterator[str]:
    check = item.check
    certain = item.verdict is Verdict.UNSAFE
    word, colour = ("error", "red") if certain else ("warning", "yellow")
    yield style.paint(f"{word}[{check.category}]", colour) + style.paint(
        f": {visible(check.message)}", "bold"
    )
    margin = " " * len(str(check.location.line))
    bar = style.paint("|", "blue")
    arrow = style.paint("-->", "blue")
    yield f"{margin} {arrow} {place(check.location)} in {visible(check.function)}"
    text = source_line(result, check.location)
    if text is not None:
        column = max(check.location.column, 1)
        yield f"{margin} {bar}"
        yield f"{style.paint(str(check.location.line), 'blue')} {bar} {text}"
        yield f"{margin} {bar} {' ' * (column - 1)}{style.paint('^', colour)}"
    for note in _notes(item):
        yield f"{margin} {style.paint('=', 'blue')} {note}"
    if style.verbosity >= 0:
        yield from _trace(item, result, margin, style)


def _notes(item: CheckResult) -> Iterator[str]:
    if item.verdict is Verdict.COND_UNSAFE:
        yield explanation(item)
    elif item.reason:
        yield visible(item.reason)
    if item.inputs:
        yield f"inputs: {inputs(item)}"
    if item.precondition:
        yield f"safe if: {visible(item.precondition)}"
    if item.replayed is True:
        yield "confirmed by a native run"
    elif item.replayed is False:
        yield "NOT confirmed by a native run: this is a bug in vouch, please report it"
    elif item.verdict is Verdict.UNSAFE:
        yield "not replayed"
    for assumption in item.assumptions:
        yield f"assuming: {visible(assumption)}"
    yield f"id: {visible(item.check.id)}"


def _trace(item: CheckResult, result: RunResult, margin: str, style: Style) -> Iterator[str]:
    """Steps that matter, one heading for each stretch in one function."""
    shown = item.trace if style.full_trace else relevant(item.trace, result.sources)
    if left := len(item.trace) - len(shown):
        yield f"{margin} {style.paint(f'{left} steps left out (--full-trace shows them)', 'dim')}"
    for (file, function), steps in groupby(shown, key=lambda s: (s.file, s.function)):
        yield f"{margin} {style.paint(f'in {visible(function)} ({visible(file)})', 'dim')}"
        for step in steps:
            yield f"{margin}   {step.line:>5}: {visible(step.what)}"


def _group(items: list[CheckResult], heading: str, style: Style) -> Iterator[str]:
    """Checks under one heading for each reason, most frequent reason first."""
    reasons: dict[str, list[CheckResult]] = {}
    for item in items:
        reasons.setdefault(explanation(item) or "no reason given", []).append(item)
    for reason, members in sorted(reasons.items(), key=lambda pair: -len(pair[1])):
        yield f"{style.paint(heading, 'yellow')} ({len(members)}): {reason}"
        for item in members:
            yield f"    {_headline(item)}"
        yield ""


def _safe(items: list[CheckResult], style: Style) -> Iterator[str]:
    for item in items:
        how = f" by {item.decided_by}" if item.decided_by else ""
        why = f" ({visible(item.reason)})" if item.reason else ""
        assuming = f", assuming {visible('; '.join(item.assumptions))}" if item.assumptions else ""
        yield f"{style.paint('safe', 'green')}{how}{why}{assuming}: {_headline(item)}"
