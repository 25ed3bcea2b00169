"""The shipped driver: every marked defect is found, the corrected twin is proved."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import vouch
from vouch.verdict import Exit, Verdict

SENSOR = Path(__file__).resolve().parent.parent / "examples" / "sensor"


def test_every_marked_defect_is_found() -> None:
    result = vouch.check(SENSOR / "defective", include=[str(SENSOR / "include")])
    assert result.exit_code() is Exit.VIOLATED
    unsafe = [r for r in result.checks if r.verdict is Verdict.UNSAFE]
    assert all(r.replayed for r in unsafe)
    assert result.replay_failures == 0
    found = {(Path(r.check.location.file).name, r.check.location.line) for r in unsafe}
    marks = [
        (path.name, number)
        for path in sorted((SENSOR / "defective").glob("*.c"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if "Defect:" in line
    ]
    assert len(marks) >= 8
    for name, line in marks:
        assert any((name, line + below) in found for below in range(1, 8)), f"{name}:{line}"


def test_the_corrected_driver_is_proved() -> None:
    result = vouch.check(SENSOR / "corrected", include=[str(SENSOR / "include")])
    assert result.exit_code() is Exit.PROVED
    assert len(result.checks) > 50


def test_the_library_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    gate = runpy.run_path(str(SENSOR.parent / "library" / "gate.py"))
    assert gate["main"]() == 0
    assert capsys.readouterr().out == "everything asked is proved\n"


def test_the_library_example_can_fail() -> None:
    gate = runpy.run_path(str(SENSOR.parent / "library" / "gate.py"))
    problems = list(gate["driver"]("defective"))
    assert any("[unsafe] with " in line for line in problems)
    assert next(iter(gate["network"](6.0))).endswith("unsafe")
