"""How results show themselves in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any

from vouch.printable import visible
from vouch.report.model import report_of
from vouch.report.text import Style, explanation, place, summary
from vouch.verdict import Verdict

_COLOURS = {Verdict.UNSAFE: "#c62828", Verdict.SAFE: "#2e7d32"}


def render(result: Any, style: Style | None = None) -> str:
    """A table of what is not safe, under the summary line."""
    report = report_of(result)
    rows = [
        f'<tr><td style="color:{_COLOURS.get(r.verdict, "#b26a00")}">{escape(str(r.verdict))}</td>'
        f"<td>{escape(r.category)}</td>"
        f"<td style='text-align:left'><code>{escape(place(r))}</code></td>"
        f"<td style='text-align:left'>{escape(visible(r.message))}</td>"
        f"<td style='text-align:left'>{escape(explanation(r))}</td></tr>"
        for r in report.counted
        if r.verdict is not Verdict.SAFE
    ]
    head = "<tr><th>verdict</th><th>category</th><th>place</th><th>message</th><th>reason</th></tr>"
    table = f"<table>{head}{''.join(rows)}</table>" if rows else ""
    return f"<p><b>vouch</b>: {escape(summary(report, Style()))}</p>{table}"
