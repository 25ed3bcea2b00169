"""How a `RunResult` shows itself in a notebook."""

from __future__ import annotations

from html import escape

from vouch.printable import visible
from vouch.report.text import Style, counted, explanation, place, summary
from vouch.result import RunResult
from vouch.verdict import Verdict

_COLOURS = {Verdict.UNSAFE: "#c62828", Verdict.SAFE: "#2e7d32"}


def render(result: RunResult, style: Style | None = None) -> str:
    """A table of what is not safe, under the summary line."""
    rows = [
        f'<tr><td style="color:{_COLOURS.get(r.verdict, "#b26a00")}">{escape(str(r.verdict))}</td>'
        f"<td>{escape(str(r.check.category))}</td>"
        f"<td style='text-align:left'><code>{escape(place(r.check.location))}</code></td>"
        f"<td style='text-align:left'>{escape(visible(r.check.message))}</td>"
        f"<td style='text-align:left'>{escape(explanation(r))}</td></tr>"
        for r in counted(result)
        if r.verdict is not Verdict.SAFE
    ]
    head = "<tr><th>verdict</th><th>category</th><th>place</th><th>message</th><th>reason</th></tr>"
    table = f"<table>{head}{''.join(rows)}</table>" if rows else ""
    return f"<p><b>vouch</b>: {escape(summary(result, Style()))}</p>{table}"
