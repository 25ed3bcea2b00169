"""A program is the same after a check as before."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

import vouch
from vouch.c import frontend

CODE = """
struct Pair { int a; unsigned low : 3; unsigned high : 5; };
static struct Pair made(int x) { struct Pair p; p.a = x; p.low = x & 7; return p; }
int t[4];
int f(int i, struct Pair q) { struct Pair p = made(i); p.high = 1; return t[p.low & 3] + q.a / (p.high | 2); }
"""


def test_nothing_changes_a_program_that_was_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.c").write_text(CODE, encoding="utf-8")
    load, seen = frontend.load, []

    def spy(*arguments: Any) -> frontend.Loaded:
        loaded = load(*arguments)
        seen.append((loaded.program, repr(loaded.program)))
        return loaded

    monkeypatch.setattr(frontend, "load", spy)
    result = vouch.check(tmp_path / "a.c", jobs=1)
    assert result.checks
    [(program, before)] = seen
    assert "carries=True" in before
    assert "of_field=True" in before
    assert repr(program) == before
    with pytest.raises(FrozenInstanceError):
        program.models = frozenset()  # type: ignore[misc]
