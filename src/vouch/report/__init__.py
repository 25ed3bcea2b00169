"""Reports: one result object in, text out; one file per format.

A format is a module with `render(result, style) -> str`. It reads `RunResult` and nothing else, and never
decides anything. Add a format by adding a file and a row to `FORMATS`.
"""

from __future__ import annotations

from importlib import import_module

from vouch.report.text import Style
from vouch.result import RunResult

# Name as in `--output-format`, module that renders it.
FORMATS = {
    "full": "vouch.report.full",
    "concise": "vouch.report.concise",
    "json": "vouch.report.json_document",
    "sarif": "vouch.report.sarif",
    "junit": "vouch.report.junit",
    "github": "vouch.report.github",
}


def render(result: RunResult, name: str, style: Style | None = None) -> str:
    """The report in one of `FORMATS`, ending in a newline unless it is empty."""
    text: str = import_module(FORMATS[name]).render(result, style or Style())
    return text if not text or text.endswith("\n") else text + "\n"


__all__ = ["FORMATS", "Style", "render"]
