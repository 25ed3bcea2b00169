"""Random libraries with a random outside: no check that vouch proves may fire in a native run."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bench import cases
from tests.bmc import environment_judge as judging
from tests.bmc import environment_natives as natives
from tests.bmc.environment_programs import Library, library

from vouch.result import CheckResult, RunResult
from vouch.verdict import Verdict

EVIDENCE = [
    path
    for path in sorted((cases.ROOT / "environment").glob("*_bad.c"))
    if "#ifdef EVIDENCE" in path.read_text(encoding="utf-8")
]


# A sample, and more than two thousand libraries in blocks.
SAMPLE = 10
SIZE = 25
CAMPAIGN = range(83)
RUNS = 2000


def block(number: int, size: int = SIZE) -> list[Library]:
    return [library(seed) for seed in range(number * size, (number + 1) * size)]


@pytest.mark.parametrize("path", EVIDENCE, ids=lambda path: path.stem)
def test_violations_of_the_cases_show_natively(path: Path, tmp_path: Path) -> None:
    """A case that must be found may hold its own proof: an outside with which it fails."""
    program = tmp_path / "program"
    command = [sys.executable, "-m", "ziglang", "cc", "-w", "-O0", "-fno-sanitize=all", "-DEVIDENCE"]
    subprocess.run([*command, str(path), "-o", str(program)], check=True, capture_output=True, timeout=250)
    done = subprocess.run([str(program)], capture_output=True, timeout=20, check=False)
    assert done.returncode < 0, "ends by itself"


def test_outside_keeps_to_the_rules(tmp_path: Path) -> None:
    """No crash and no violation outside; and the checks are worth something: many can fire."""
    found = natives.run(block(0, 20), tmp_path, 500)
    assert found.broken == []
    assert sum(len(places) for places in found.fired.values()) >= 20


def test_judge_sees_wrong_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verifier that proves everything does not get through."""

    def credulous(path: Path, **options: object) -> RunResult:
        from vouch.api import check

        result = check(path, **{**options, "strategy": "global", "unwind": 1, "timeout": 0.5})
        return replace(result, checks=[CheckResult(r.check, Verdict.SAFE) for r in result.checks])

    monkeypatch.setattr(judging, "check", credulous)
    judged = judging.judge(block(1, 5), tmp_path, 500)
    assert len(judged.wrong) >= 5


def test_sample(tmp_path: Path) -> None:
    judged = judging.judge(block(0, SAMPLE), tmp_path, RUNS, timeout=8)
    assert judged.broken == []
    assert judged.wrong == []
    assert judged.firing["unsafe"] >= judged.firing.total() / 3, judged


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("number", CAMPAIGN)
def test_campaign(number: int, tmp_path: Path) -> None:
    judged = judging.judge(block(number), tmp_path, RUNS)
    assert judged.broken == []
    assert judged.wrong == []
