"""`--output-format github`: workflow commands that annotate a pull request."""

from __future__ import annotations

from vouch.printable import visible
from vouch.report.item import Item
from vouch.report.model import Report
from vouch.report.text import TextStyle, explanation, inputs
from vouch.verdict import PROVED, Verdict

_COMMANDS = {
    Verdict.UNSAFE: "error",
    Verdict.DIFFERENT: "error",
    Verdict.COND_UNSAFE: "warning",
}


def render(report: Report, style: TextStyle) -> str:
    lines = [_line(item) for item in report.counted if item.verdict not in PROVED]
    lines += [f"::warning::{_data(visible(warning))}" for warning in report.notes]
    return "\n".join(lines)


def _line(item: Item) -> str:
    command = _COMMANDS.get(item.verdict, "notice")
    properties = {
        "file": visible(item.file),
        "line": str(item.line),
        "col": str(max(item.column, 1)),
        "title": f"vouch {item.category} ({item.verdict})",
    }
    message = item.message
    if why := explanation(item):
        message += f" ({why})"
    if item.inputs:
        message += f" with {inputs(item)}"
    described = ",".join(f"{name}={_property(text)}" for name, text in properties.items())
    return f"::{command} {described}::{_data(visible(message))}"


def _data(text: str) -> str:
    """Escaped as the runner unescapes the message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
