"""Proofs in an environment that cannot exist, or of which nobody knows whether it can."""

from __future__ import annotations

from pathlib import Path

import pytest

import vouch
from vouch.bmc.asking import Asking
from vouch.bmc.decide import Decider
from vouch.smt import term as T
from vouch.smt.solver import Answer
from vouch.verdict import Verdict

# Only symbolic execution proves it, and there are constraints: which of the elements `p` leads to.
LIBRARY = """
#include <assert.h>
int table[4];
int twice(int *p, int n)
{
    if (n < 0 || n > 9) return 0;
    *p = n;
    assert(*p + *p == 2 * n);
    return table[0] & 1;
}
"""


def proved(path: Path) -> list[vouch.result.CheckResult]:
    path.write_text(LIBRARY)
    found = vouch.check(path, jobs=1, no_replay=True).checks
    return [r for r in found if r.decided_by == "global" and r.check.category == "assertion"]


def test_environment_that_can_exist(tmp_path: Path) -> None:
    (result,) = proved(tmp_path / "library.c")
    assert result.verdict is Verdict.SAFE
    assert not any("can exist" in a for a in result.assumptions)


def test_contradiction_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Decider.run

    def contradictory(self: Decider, *args: object, **options: object) -> object:
        symbol = T.fresh("x", T.BOOL)
        self.equation.constraints += [symbol, T.not_(symbol)]
        return run(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Decider, "run", contradictory)
    (result,) = proved(tmp_path / "library.c")
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason is not None
    assert "contradictory" in result.reason


def test_no_answer_is_an_assumption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Asking, "meet", lambda self, constraints: Answer.UNKNOWN)
    (result,) = proved(tmp_path / "library.c")
    assert result.verdict is Verdict.SAFE
    assert any("the environment of twice can exist" in a for a in result.assumptions)
