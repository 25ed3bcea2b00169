"""`--output-format witness`: SV-COMP witnesses 2.0, for validators.

A violation is a sequence of waypoints that ends at the target; loop invariants are what a proof by induction
rests on. Only what SV-COMP has a property for can be said in its language; the rest is named in a comment.
Columns are left out: without one, a waypoint is the leftmost of its kind in the line.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from vouch import __version__
from vouch.printable import visible
from vouch.report.item import Item
from vouch.report.model import Report
from vouch.report.text import TextStyle
from vouch.verdict import Verdict

_PROPERTIES = {
    "assertion": "G ! call(reach_error())",
    "signed-overflow": "G ! overflow",
    "bounds": "G valid-deref",
    "pointer": "G valid-deref",
    "leak": "G valid-memtrack",
}
# What a call of a function outside yields in a trace: `nondet_int() yields -3`.
_RETURNED = re.compile(r"(?P<function>[A-Za-z_]\w*)\(\) yields (?P<value>-?\d+)\Z")
_NAMESPACE = uuid.UUID("7b0f4f3c-6f53-5c1e-9a3e-0f6d2f1f5a11")


def render(report: Report, style: TextStyle) -> str:
    entries = [_violation(report, item) for item in _sayable(report)]
    if not entries and report.kind == "c" and (content := list(_invariants(report))):
        entries = [_entry(report, "invariant_set", "G ! call(reach_error())", content, "invariants")]
    comments = [
        f"# {visible(item.id)}: SV-COMP has no property for {item.category}" for item in _others(report)
    ]
    if not entries:
        comments.append(
            "# nothing to witness: no violation that SV-COMP has a property for, and no invariant"
        )
    return "\n".join([*comments, *(_yaml(entries) if entries else ["[]"])])


def _violations(report: Report) -> list[Item]:
    return [item for item in report.counted if item.verdict is Verdict.UNSAFE]


def _sayable(report: Report) -> list[Item]:
    return [item for item in _violations(report) if item.category in _PROPERTIES]


def _others(report: Report) -> list[Item]:
    return [item for item in _violations(report) if item.category not in _PROPERTIES]


def _violation(report: Report, item: Item) -> dict[str, Any]:
    waypoints = [
        *_returns(item),
        {"type": "target", "action": "follow", "location": _place(item.file, item.line)},
    ]
    content = [{"segment": [{"waypoint": waypoint}]} for waypoint in waypoints]
    return _entry(report, "violation_sequence", _PROPERTIES[item.category], content, item.id)


def _returns(item: Item) -> Iterator[dict[str, Any]]:
    """What functions outside returned, in order."""
    for step in item.trace:
        found = _RETURNED.match(step.what) if step.kind == "input" else None
        if found is not None:
            yield {
                "type": "function_return",
                "action": "follow",
                "location": _place(step.file, step.line, step.function),
                "constraint": {"value": f"\\result == {found['value']}", "format": "acsl_expression"},
            }


def _invariants(report: Report) -> Iterator[dict[str, Any]]:
    for loop in report.loops:
        if loop.get("invariant") and loop.get("line"):
            place = _place(str(loop["file"]), int(loop["line"]), str(loop["function"]))
            yield {
                "invariant": {
                    "type": "loop_invariant",
                    "location": place,
                    "value": str(loop["invariant"]),
                    "format": "c_expression",
                }
            }


def _place(file: str, line: int, function: str | None = None) -> dict[str, Any]:
    place: dict[str, Any] = {"file_name": visible(file), "line": max(line, 1)}
    if function:
        place["function"] = visible(function)
    return place


def _entry(report: Report, kind: str, formula: str, content: Sequence[Any], name: str) -> dict[str, Any]:
    files = sorted({item.file for item in report.items})
    entry = report.entry_points[0] if report.entry_points else "main"
    identity = "\0".join([__version__, kind, name, *(_hash(report, file) for file in files)])
    return {
        "entry_type": kind,
        "metadata": {
            "format_version": "2.0",
            "uuid": str(uuid.uuid5(_NAMESPACE, identity)),
            "creation_time": _now(),
            "producer": {"name": "vouch", "version": __version__, "description": visible(name)},
            "task": {
                "input_files": [visible(file) for file in files],
                "input_file_hashes": {visible(file): _hash(report, file) for file in files},
                "specification": f"CHECK( init({visible(entry)}()), LTL({formula}) )",
                "data_model": _data_model(report),
                "language": "C",
            },
        },
        "content": list(content),
    }


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).replace(microsecond=0).isoformat()


def _data_model(report: Report) -> str:
    target = str(report.configuration.get("target") or "")
    narrow = ("i386", "i486", "i586", "i686", "arm", "thumb", "riscv32", "mips", "avr", "msp430", "xtensa")
    return "ILP32" if target.startswith(narrow) and not target.startswith("arm64") else "LP64"


def _hash(report: Report, file: str) -> str:
    """SHA-256 of the file as it is now; of nothing where it cannot be read."""
    lines = report.sources.lines(file) if report.sources is not None else []
    data = report.sources.data(file) if report.sources is not None and lines else b""
    return hashlib.sha256(data).hexdigest()


# ---------------------------------------------------------------- YAML

# Keys of the format, which need no quotes.
_WORDS = frozenset(
    """entry_type metadata format_version uuid creation_time producer name version description task content
    input_files input_file_hashes specification data_model language segment waypoint type action location
    file_name line function constraint value format invariant""".split()  # noqa: SIM905
)


def _yaml(value: Any, indent: str = "") -> list[str]:
    """Block style; scalars as JSON writes them, which is YAML too."""
    lines: list[str] = []
    if isinstance(value, list):
        for item in value:
            inner = _yaml(item, indent + "  ") if isinstance(item, dict) else [_scalar(item)]
            lines += [f"{indent}- {inner[0].lstrip()}", *inner[1:]]
        return lines
    for key, item in value.items():
        if isinstance(item, (dict, list)):
            inner = _yaml(item, indent + "  ")
            lines += [f"{indent}{_scalar(key)}:", *inner] if inner else [f"{indent}{_scalar(key)}: {'[]'}"]
        else:
            lines.append(f"{indent}{_scalar(key)}: {_scalar(item)}")
    return lines


def _scalar(value: Any) -> str:
    return value if value in _WORDS else json.dumps(value, ensure_ascii=True)
