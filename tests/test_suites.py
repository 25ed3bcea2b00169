"""Descriptions of CBMC's tests are read as they are meant, and disagreements are told from agreement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bench.descriptions import Described, Property, Skipped, read
from bench.suites import compare


def described(folder: Path, options: str, *patterns: str, tags: str = "CORE", source: str = "") -> Described:
    (folder / "main.c").write_text(source or "int main(void) { return 0; }\n")
    path = folder / "test.desc"
    path.write_text("\n".join((tags, "main.c", options, *patterns, "--", "^warning: ignoring")) + "\n")
    return read(path, "suite/test")


def test_options_and_properties(tmp_path: Path) -> None:
    pattern = r"^\[main\.assertion\.2\] line 7 assertion a\[1\] == 0: FAILURE$"
    test = described(tmp_path, "--unwind 4 --no-bounds-check --function f -DN=3", pattern, "^EXIT=10$")
    assert test.properties == [Property("main", "assertion", 2, 7, False)]
    assert test.arguments == [
        "--unwind",
        "4",
        "--entry",
        "f",
        "--strict-pointers",
        "-DN=3",
        "--malloc-may-fail",
    ]
    assert not test.holds
    assert "bounds" not in test.categories
    assert "pointer" in test.categories
    only = described(tmp_path, "--no-standard-checks --div-by-zero-check", "^VERIFICATION SUCCESSFUL$")
    assert only.holds
    assert only.categories == {"assertion", "division-by-zero"}


@pytest.mark.parametrize(
    ("options", "tags", "source", "why"),
    [
        ("--show-vcc", "CORE", "", "--show-vcc"),
        ("", "KNOWNBUG", "", "KNOWNBUG"),
        ("", "CORE", "int main() { __CPROVER_havoc_object(0); }", "own language"),
    ],
)
def test_skipped(tmp_path: Path, options: str, tags: str, source: str, why: str) -> None:
    with pytest.raises(Skipped, match=why):
        described(tmp_path, options, "^EXIT=0$", tags=tags, source=source)


def answer(*checks: tuple[str, str, str]) -> dict[str, Any]:
    """A document with (id, verdict, reason) for each check, on lines 1, 2, …"""
    found = [
        {"id": i, "function": "main", "category": i.split(".")[1], "line": n, "message": ""}
        | {"verdict": verdict, "reason": reason or None}
        for n, (i, verdict, reason) in enumerate(checks, 1)
    ]
    return {"checks": found, "replay_failures": 0}


def test_comparison(tmp_path: Path) -> None:
    fails = described(tmp_path, "", r"^\[main\.assertion\.1\] line 1 x: FAILURE$", "^EXIT=10$")
    holds = described(tmp_path, "", "^EXIT=0$")
    safe, unsafe = ("main.assertion.1", "safe", ""), ("main.assertion.1", "unsafe", "")
    after = ("main.assertion.1", "cond-unsafe", "only after main.uninitialised.2 is violated")
    unknown = ("main.assertion.1", "unknown", "time limit reached")
    assert [compare(fails, answer(c)).kind for c in (safe, unsafe, after)] == ["disagree", "agree", "agree"]
    assert [compare(holds, answer(c)).kind for c in (safe, unsafe, after)] == [
        "agree",
        "disagree",
        "disagree",
    ]
    assert compare(holds, answer(unknown)).kind == compare(fails, answer(unknown)).kind == "undecided"
    assert compare(holds, answer(("main.narrowing.1", "unsafe", ""))).kind == "agree"
    assert compare(holds, answer(safe) | {"replay_failures": 1}).kind == "disagree"
