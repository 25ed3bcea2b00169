"""`--output-format sarif`: SARIF 2.1.0, for code scanning services and editors.

Violations are results of kind `fail`, undecided checks of kind `open`, suppressed ones carry their reason;
safe checks are left out, as viewers show every result to a person.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from vouch import __version__
from vouch.printable import in_json, visible
from vouch.report.text import Style, by_place, explanation, inputs
from vouch.result import CheckResult, RunResult, TraceStep
from vouch.verdict import Verdict

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(result: RunResult, style: Style) -> str:
    shown = [r for r in by_place(result.checks) if r.verdict is not Verdict.SAFE]
    rules = sorted({str(r.check.category) for r in shown})
    run = {
        "tool": {
            "driver": {
                "name": "vouch",
                "version": __version__,
                "rules": [_rule(name) for name in rules],
            }
        },
        "columnKind": "utf16CodeUnits",
        "results": [_result(item, rules.index(str(item.check.category))) for item in shown],
        "invocations": [
            {
                "executionSuccessful": not result.interrupted,
                "exitCode": int(result.exit_code()),
                "toolExecutionNotifications": [
                    {"level": "warning", "message": {"text": visible(w)}} for w in result.warnings
                ],
            }
        ],
    }
    return in_json(json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2))


def _rule(name: str) -> dict[str, Any]:
    """A category with the manual's text on it."""
    from vouch.c.checks import explain

    text = explain(name)
    first, _, rest = text.partition("\n")
    return {
        "id": name,
        "shortDescription": {"text": first.partition(": ")[2] or name},
        "fullDescription": {"text": " ".join(rest.split("Fails:")[0].split()) or first},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": "error"},
    }


def _result(item: CheckResult, rule: int) -> dict[str, Any]:
    check = item.check
    violated = item.verdict in (Verdict.UNSAFE, Verdict.COND_UNSAFE)
    text = visible(check.message)
    if why := explanation(item):
        text += f" ({why})"
    if item.inputs:
        text += f" with {inputs(item)}"
    place = check.location
    document: dict[str, Any] = {
        "ruleId": str(check.category),
        "ruleIndex": rule,
        "kind": "fail" if violated else "open",
        "level": "error" if item.verdict is Verdict.UNSAFE else "warning" if violated else "none",
        "message": {"text": text},
        "locations": [_location(place.file, place.line, place.column, check.function)],
        "partialFingerprints": {"vouchCheckId/v1": visible(check.id)},
        "properties": {
            "verdict": str(item.verdict),
            "decidedBy": item.decided_by,
            "replayed": item.replayed,
        },
    }
    document["baselineState"] = "unchanged" if item.known else "new"
    if item.trace:
        flow = {"locations": [{"location": _step(step)} for step in item.trace]}
        document["codeFlows"] = [{"threadFlows": [flow]}]
    if check.suppressed is not None:
        document["suppressions"] = [{"kind": "inSource", "justification": visible(check.suppressed)}]
    return document


def _location(file: str, line: int, column: int | None, function: str) -> dict[str, Any]:
    region: dict[str, int] = {"startLine": max(line, 1)}
    if column:
        region["startColumn"] = column
    return {
        "physicalLocation": {"artifactLocation": {"uri": _uri(file)}, "region": region},
        "logicalLocations": [{"name": visible(function), "kind": "function"}],
    }


def _step(step: TraceStep) -> dict[str, Any]:
    return {
        **_location(step.file, step.line, None, step.function),
        "message": {"text": visible(step.what)},
    }


def _uri(file: str) -> str:
    from urllib.parse import quote_from_bytes

    quoted = quote_from_bytes(os.fsencode(Path(file).as_posix()))
    return f"file://{quoted}" if quoted.startswith("/") else quoted
