"""Reports: one result in, text out; one file per format.

A format is a module with `render(report, style) -> str`. It reads `Report` (`model.py`) and nothing else, be
it about C code, a network or two of them, and never decides anything. Add a format by adding a file and a row
to `FORMATS`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from vouch.report.model import Report, report_of
from vouch.report.text import TextStyle

# Name as in `--output-format`, module that renders it.
FORMATS = {
    "full": "vouch.report.full",
    "concise": "vouch.report.concise",
    "json": "vouch.report.json_document",
    "sarif": "vouch.report.sarif",
    "junit": "vouch.report.junit",
    "github": "vouch.report.github",
    "witness": "vouch.report.witness",
}


def render(result: Any, name: str, style: TextStyle | None = None) -> str:
    """The report in one of `FORMATS`, ending in a newline unless it is empty. `result` is that of a check, of
    a network or of a comparison, or a `Report`."""
    text: str = import_module(FORMATS[name]).render(report_of(result), style or TextStyle())
    return text if not text or text.endswith("\n") else text + "\n"


__all__ = ["FORMATS", "Report", "TextStyle", "render", "report_of"]
