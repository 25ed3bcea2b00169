"""`vouch explain`."""

from __future__ import annotations

from typer.testing import CliRunner

from vouch.c.checks.base import Category
from vouch.cli.main import build


def test_lists_every_category() -> None:
    result = CliRunner().invoke(build(), ["explain"])
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == [str(c) for c in Category]


def test_prints_what_fails_and_what_passes() -> None:
    result = CliRunner().invoke(build(), ["explain", "bounds"])
    assert result.stdout.startswith("bounds: ")
    assert "Fails:" in result.stdout
    assert "Passes:" in result.stdout
