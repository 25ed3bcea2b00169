"""`--output-format github`: workflow commands that annotate a pull request."""

from __future__ import annotations

from vouch.printable import visible
from vouch.report.text import Style, counted, explanation, inputs
from vouch.result import CheckResult, RunResult
from vouch.verdict import Verdict

_COMMANDS = {Verdict.UNSAFE: "error", Verdict.COND_UNSAFE: "warning"}


def render(result: RunResult, style: Style) -> str:
    lines = [_line(item) for item in counted(result) if item.verdict is not Verdict.SAFE]
    lines += [f"::warning::{_data(visible(warning))}" for warning in result.warnings]
    return "\n".join(lines)


def _line(item: CheckResult) -> str:
    check, command = item.check, _COMMANDS.get(item.verdict, "notice")
    properties = {
        "file": visible(check.location.file),
        "line": str(check.location.line),
        "col": str(max(check.location.column, 1)),
        "title": f"vouch {check.category} ({item.verdict})",
    }
    message = check.message
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
