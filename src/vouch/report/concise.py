"""`--output-format concise`: one line for each question that is not proved, as compilers print warnings."""

from __future__ import annotations

from vouch.printable import visible
from vouch.report.item import Item
from vouch.report.model import Report
from vouch.report.text import TextStyle, explanation, place
from vouch.verdict import PROVED, VIOLATED


def render(report: Report, style: TextStyle) -> str:
    shown = [r for r in report.counted if r.verdict not in PROVED or style.verbosity > 0]
    lines = [_line(item, style) for item in shown]
    lines += [f"{_line(r, style)} (suppressed: {visible(r.suppressed or '')})" for r in report.suppressed]
    return "\n".join(lines)


def _line(item: Item, style: TextStyle) -> str:
    why = explanation(item)
    verdict = f"{item.verdict}: {why}" if why and item.verdict not in VIOLATED else str(item.verdict)
    where = style.paint(place(item), "bold")
    return f"{where}: {item.category}: {visible(item.message)} [{verdict}]"
