"""Each format, from hand-made results: complete, escaped, and readable by its consumer."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from vouch.c.checks.base import Category, Check, Trigger
from vouch.c.ir import Location, Unreachable, VoidType
from vouch.c.sources import Sources
from vouch.report import FORMATS, TextStyle, render
from vouch.result import CheckResult, RunResult
from vouch.steps import TraceStep
from vouch.verdict import Exit, Verdict


def make(
    number: int, file: str, line: int, category: Category, message: str, verdict: Verdict, **more: object
) -> CheckResult:
    place = Location(file, line, 5, "f")
    site = Unreachable(None, VoidType(), place, False)
    suppressed = more.pop("suppressed", None)
    check = Check(f"f.{category}.{number}", category, place, "f", message, Trigger.REACHED, site)
    check.suppressed = suppressed  # type: ignore[assignment]
    return CheckResult(check, verdict, **more)  # type: ignore[arg-type]


@pytest.fixture
def result(tmp_path: Path) -> RunResult:
    source = tmp_path / "a.c"
    source.write_text("int f(int x) {\n\treturn x + 2;\x1b[31m\n}\n")
    file = str(source)
    return RunResult(
        ["f"],
        [
            make(
                1,
                file,
                2,
                Category.SIGNED_OVERFLOW,
                "x + 2 overflows 'int'",
                Verdict.UNSAFE,
                replayed=True,
                inputs={"x": 2147483647, "p": {"a": 1, "b": [1, 2]}},
                trace=[TraceStep(file, 1, "f", "call", "call f(x = 2147483647)\x07")],
            ),
            make(1, file, 2, Category.NARROWING, "50% of <x> & \"y\", 'z'", Verdict.UNKNOWN, reason="time"),
            make(2, file, 3, Category.NARROWING, "n", Verdict.BOUND_SAFE, bound=8),
            make(1, file, 3, Category.SHIFT, "s", Verdict.SAFE, decided_by="ranges"),
            make(1, file, 1, Category.BOUNDS, "b", Verdict.UNSAFE, suppressed="known, see #3"),
            make(1, file, 1, Category.POINTER, "p", Verdict.COND_UNSAFE),
        ],
        warnings=["unused\nsuppression"],
        seconds=1.25,
        sources=Sources(roots=[str(tmp_path)]),
    )


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_no_control_characters(result: RunResult, name: str) -> None:
    text = render(result, name)
    assert all(c == "\n" or c.isprintable() for c in text)
    assert text.endswith("\n")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_nothing_to_report(name: str) -> None:
    text = render(RunResult(["main"], []), name)
    assert text == "" or text.endswith("\n")


def test_full(result: RunResult) -> None:
    text = render(result, "full")
    lines = text.splitlines()
    assert lines[0] == "error[signed-overflow]: x + 2 overflows 'int'"
    source = next(i for i, line in enumerate(lines) if "return x + 2" in line)
    assert lines[source + 1].index("^") == lines[source].index("|") + 2 + 4  # column 5
    assert "inputs: x = 2147483647, p = {a = 1, b = {1, 2}}" in text
    assert "confirmed by a native run" in text
    assert "undecided (1): time" in text
    assert "bound 8" in text
    assert "known, see #3" in text
    assert lines[-1].startswith(
        "5 checks: 1 unsafe, 1 cond-unsafe, 1 unknown, 1 bound-safe, 1 safe; 1 suppressed"
    )
    assert "\x1b[1;31m" in render(result, "full", TextStyle(colour=True))
    assert "call f" not in render(result, "full", TextStyle(verbosity=-1))
    assert "safe by ranges" in render(result, "full", TextStyle(verbosity=1))


def test_full_keeps_long_lists_short(result: RunResult) -> None:
    undecided = next(item for item in result.checks if item.verdict is Verdict.UNKNOWN)
    many = RunResult(["f"], [undecided] * 100)
    assert "and 80 more (-v lists them)" in render(many, "full")
    assert render(many, "full").count("narrowing") == 20
    assert render(many, "full", TextStyle(verbosity=1)).count("narrowing") == 100
    assert render(many, "concise").count("narrowing") == 100


def test_concise(result: RunResult) -> None:
    lines = render(result, "concise").splitlines()
    assert lines[1].endswith(":2:5: narrowing: 50% of <x> & \"y\", 'z' [unknown: time]")
    assert any(line.endswith("[unsafe]") for line in lines)
    assert not any("[safe]" in line for line in lines)


def test_json(result: RunResult) -> None:
    document = json.loads(render(result, "json"))
    assert {"vouch", "entry_points", "checks", "summary", "seconds"} <= document.keys()
    assert document["summary"] == {"unsafe": 1, "unknown": 1, "bound-safe": 1, "safe": 1, "cond-unsafe": 1}
    first = document["checks"][0]
    assert first["id"] == "f.signed-overflow.1"
    assert (first["line"], first["column"], first["replayed"]) == (2, 5, True)
    assert document["checks"][4]["suppressed"] == "known, see #3"


def test_github_escapes(result: RunResult) -> None:
    lines = render(result, "github").splitlines()
    assert lines[0].startswith("::")
    error = next(line for line in lines if line.startswith("::error "))
    assert "line=2,col=5" in error
    notice = next(line for line in lines if "50%25 of" in line)
    assert notice.startswith("::notice ")
    assert not any("suppression" in line and "\n" in line for line in lines)


def test_sarif(result: RunResult) -> None:
    run = json.loads(render(result, "sarif"))["runs"][0]
    levels = {item["partialFingerprints"]["vouchCheckId/v1"]: item["level"] for item in run["results"]}
    assert levels["f.signed-overflow.1"] == "error"
    assert levels["f.narrowing.1"] == "none"
    assert levels["f.pointer.1"] == "warning"
    assert "f.shift.1" not in levels
    for item in run["results"]:
        assert run["tool"]["driver"]["rules"][item["ruleIndex"]]["id"] == item["ruleId"]
    suppressed = next(item for item in run["results"] if item["ruleId"] == "bounds")
    assert suppressed["suppressions"][0]["justification"] == "known, see #3"


def test_junit(result: RunResult) -> None:
    root = ElementTree.fromstring(render(result, "junit").encode())
    suite = root.find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("6", "1", "4")
    assert len(root.findall(".//failure")) == 1


def test_exit_codes(result: RunResult) -> None:
    assert result.exit_code() is Exit.VIOLATED
    result.checks[0].check.suppressed = "also known"
    assert result.exit_code() is Exit.UNDECIDED
    result.interrupted = True
    assert result.exit_code() is Exit.INTERRUPTED
    assert RunResult(["main"], []).exit_code() is Exit.PROVED


def test_notebook(result: RunResult) -> None:
    html = result._repr_html_()
    assert "&lt;x&gt; &amp;" in html
    assert "<x>" not in html
    assert html.count('class="vouch-step"') == 1  # the trace of the violation, step by step


def test_missing_source_is_no_problem(result: RunResult) -> None:
    place = result.checks[0].check.location
    result.checks[0].check.location = Location("gone.c", place.line, place.column, place.scope)
    assert "gone.c:2:5" in render(result, "full")
