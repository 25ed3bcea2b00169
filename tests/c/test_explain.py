"""`vouch explain`."""

from __future__ import annotations

import pytest

from vouch.c.checks.base import Category
from vouch.cli.main import run


def test_lists_every_category(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["explain"])
    shown = capsys.readouterr().out
    assert code == 0
    assert [line.split()[0] for line in shown.splitlines()] == [str(c) for c in Category]


def test_prints_what_fails_and_what_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "bounds"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("bounds: ")
    assert "Fails:" in shown
    assert "Passes:" in shown
