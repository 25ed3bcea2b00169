"""A range analysis that runs out of time says nothing of what it has not finished, and nothing wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from vouch.c import checks, frontend, ranges
from vouch.c.entries import entries
from vouch.c.options import FrontOptions
from vouch.c.ranges.whole_program import RangesLate, WholeProgram

SOURCE = """
static int hidden = 3;
static int divide(int a, int n) { return a / n; }
static int lower(int n) { return divide(hidden, n + 1); }
int upper(int n) { int s[4] = {0}; return n >= 0 && n < 4 ? s[n] + lower(n) : 0; }
int ping(int n);
int pong(int n) { return n > 0 ? ping(n - 1) : 100 / (n - 1); }
int ping(int n) { return n > 0 ? pong(n - 1) : 100 / (n - 2); }
void change(int v) { hidden = v; }
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> frontend.Loaded:
    path: Path = tmp_path_factory.mktemp("late") / "late.c"
    path.write_text(SOURCE)
    return frontend.load([str(path)], FrontOptions())


def _analyse(loaded: frontend.Loaded, monkeypatch: pytest.MonkeyPatch, steps: int) -> ranges.RangeAnalysis:
    left = steps

    def stay(whole: WholeProgram) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise RangesLate

    monkeypatch.setattr(WholeProgram, "stay_in_time", stay)
    found = checks.find(loaded.program, checks.chosen(()), loaded.program.sources)
    return ranges.analyse(loaded.program, found, entries(loaded.program, (), None))


def test_decisions_grow_with_time(loaded: frontend.Loaded, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _analyse(loaded, monkeypatch, 10**9)
    counts = []
    for steps in range(0, 400, 7):
        part = _analyse(loaded, monkeypatch, steps)
        assert part.decisions.items() <= whole.decisions.items()
        assert part.contexts.items() <= whole.contexts.items()
        assert part.graph is not None
        counts.append(len(part.decisions))
    assert counts[0] < counts[-1] == len(whole.decisions)
    assert any(counts[0] < count < counts[-1] for count in counts)
    late = _analyse(loaded, monkeypatch, 0)
    assert not late.contexts
    assert not late.results
    assert not late.complete
