"""`--output-format sarif`: SARIF 2.1.0, for code scanning services and editors.

Violations are results of kind `fail`, undecided questions of kind `open`, suppressed ones carry their reason;
what is proved is left out, as viewers show every result to a person.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vouch import __version__
from vouch.printable import in_json, visible
from vouch.report.item import Item
from vouch.report.model import Report, by_place
from vouch.report.text import TextStyle, explanation, inputs
from vouch.steps import TraceStep
from vouch.verdict import PROVED, VIOLATED, Verdict

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE = "SRCROOT"  # what relative paths are relative to
_NETWORK_RULES = {
    "property": "No input of the input set gives an output that the property forbids.",
    "robustness": "All inputs near a point get its class, or an output near that of the point.",
    "equivalence": "Two networks agree on all inputs of a region, in their class or up to a difference.",
    "coverage": "A data set exercises at least the wanted share of the neurons of a network.",
}
_IMPORTANT = frozenset({"start", "call", "input", "violation"})


def render(report: Report, style: TextStyle) -> str:
    shown = [r for r in by_place(report.items) if r.verdict not in PROVED]
    rules = sorted({r.category for r in shown})
    marks = _fingerprints(report, shown)
    run = {
        "tool": {
            "driver": {
                "name": "vouch",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(name) for name in rules],
            }
        },
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {_BASE: {"description": {"text": "The folder that vouch was run in."}}},
        "results": [
            _result(item, rules.index(item.category), mark) for item, mark in zip(shown, marks, strict=True)
        ],
        "invocations": [
            {
                "executionSuccessful": not (report.interrupted or report.incomplete),
                "exitCode": int(report.exit_code),
                "toolExecutionNotifications": [
                    {"level": "warning", "message": {"text": visible(w)}} for w in report.notes
                ],
            }
        ],
    }
    return in_json(json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2))


def _fingerprints(report: Report, items: Sequence[Item]) -> list[str]:
    """What stays the same when lines above change: the words of the line, and which of its kind it is."""
    seen: Counter[str] = Counter()
    found = []
    for item in items:
        line = report.sources.line(item.file, item.line) if report.sources is not None else ""
        words = "\0".join((item.category, item.function, item.message, " ".join(line.split())))
        seen[words] += 1
        text = f"{words}\0{seen[words]}".encode("utf-8", "surrogatepass")
        found.append(hashlib.sha256(text).hexdigest()[:32])
    return found


def _rule(name: str) -> dict[str, Any]:
    """A category with the manual's text on it."""
    if name in _NETWORK_RULES:
        text = _NETWORK_RULES[name]
        first, full = text, text
    else:
        from vouch.c.checks import explain

        text = explain(name)
        head, _, rest = text.partition("\n")
        first = head.partition(": ")[2] or name
        full = " ".join(rest.split("Fails:")[0].split()) or head
    return {
        "id": name,
        "name": "".join(part.capitalize() for part in name.split("-")),
        "shortDescription": {"text": first},
        "fullDescription": {"text": full},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": "error"},
    }


def _result(item: Item, rule: int, mark: str) -> dict[str, Any]:
    violated = item.verdict in VIOLATED or item.verdict is Verdict.COND_UNSAFE
    text = visible(item.message)
    if why := explanation(item):
        text += f" ({why})"
    if item.inputs:
        text += f" with {inputs(item)}"
    document: dict[str, Any] = {
        "ruleId": item.category,
        "ruleIndex": rule,
        "kind": "fail" if violated else "open",
        "level": "error" if item.verdict in VIOLATED else "warning" if violated else "none",
        "message": {"text": text},
        "locations": [_location(item.file, item.line, item.column, item.function)],
        "partialFingerprints": {"vouchCheckId/v1": visible(item.id), "vouchLine/v1": mark},
        "properties": {
            "verdict": str(item.verdict),
            "decidedBy": item.decided_by,
            "replayed": item.replayed,
            "assumptions": [visible(text) for text in item.assumptions],
        },
    }
    document["baselineState"] = "unchanged" if item.known else "new"
    if item.trace:
        flow = {"locations": [_step(number, step) for number, step in enumerate(item.trace, 1)]}
        document["codeFlows"] = [{"threadFlows": [flow]}]
    if item.suppressed is not None:
        document["suppressions"] = [{"kind": "inSource", "justification": visible(item.suppressed)}]
    return document


def _location(file: str, line: int, column: int | None, function: str) -> dict[str, Any]:
    region: dict[str, int] = {"startLine": max(line, 1)}
    if column:
        region["startColumn"] = column
    return {
        "physicalLocation": {"artifactLocation": _artifact(file), "region": region},
        "logicalLocations": [{"name": visible(function), "kind": "function"}],
    }


def _step(number: int, step: TraceStep) -> dict[str, Any]:
    document: dict[str, Any] = {
        "location": {
            **_location(step.file, step.line, step.column, step.function),
            "message": {"text": visible(step.what)},
        },
        "executionOrder": number,
        "nestingLevel": step.depth,
        "importance": "essential" if step.kind in _IMPORTANT else "important",
        "kinds": [step.kind],
    }
    if step.changes:
        document["state"] = {visible(c.name): {"text": visible(c.value)} for c in step.changes}
    return document


def _artifact(file: str) -> dict[str, str]:
    """Relative to the working folder where the file lies in it: that is what services look up."""
    from urllib.parse import quote_from_bytes

    path = Path(file)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    quoted = quote_from_bytes(os.fsencode(path.as_posix()))
    if quoted.startswith("/"):
        return {"uri": f"file://{quoted}"}
    return {"uri": quoted, "uriBaseId": _BASE}
