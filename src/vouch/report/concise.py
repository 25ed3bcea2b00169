"""`--output-format concise`: one line for each check that is not safe, as compilers print warnings."""

from __future__ import annotations

from vouch.printable import visible
from vouch.report.text import Style, counted, explanation, place, suppressed
from vouch.result import CheckResult, RunResult
from vouch.verdict import Verdict


def render(result: RunResult, style: Style) -> str:
    shown = [r for r in counted(result) if r.verdict is not Verdict.SAFE or style.verbosity > 0]
    lines = [_line(item, style) for item in shown]
    lines += [
        f"{_line(r, style)} (suppressed: {visible(r.check.suppressed or '')})" for r in suppressed(result)
    ]
    return "\n".join(lines)


def _line(item: CheckResult, style: Style) -> str:
    check = item.check
    why = explanation(item)
    verdict = f"{item.verdict}: {why}" if why and item.verdict is not Verdict.UNSAFE else str(item.verdict)
    where = style.paint(place(check.location), "bold")
    return f"{where}: {check.category}: {visible(check.message)} [{verdict}]"
