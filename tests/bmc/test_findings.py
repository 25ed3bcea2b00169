"""An execution that was found stays found, and what is said about it holds in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import vouch
from vouch.smt import chain
from vouch.smt.node import Term
from vouch.smt.solver import Answer, Solver
from vouch.smt.wrapper import Wrapper

SOURCE = """#include <assert.h>
int nondet_int(void);
int a[4];
int main(void)
{
    int i = nondet_int(), x = nondet_int();
    a[i & 7] = 1;
    assert(x != 1234567);
    return 0;
}
"""


class OneModel(Wrapper):
    """Gives one model, and then up: the next questions are too hard."""

    given = 0

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        if OneModel.given:
            return Answer.UNKNOWN
        answer = super().check(assumptions, timeout)
        OneModel.given += answer is Answer.SAT
        return answer


@pytest.fixture
def one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    make = chain.make

    def made(*arguments: object, **options: object) -> Solver:
        return OneModel(make(*arguments, **options))  # type: ignore[arg-type]

    monkeypatch.setattr(OneModel, "given", 0)
    monkeypatch.setattr(chain, "make", made)


@pytest.mark.usefixtures("one_model")
def test_the_first_model_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "one.c"
    path.write_text(SOURCE.replace("& 7", "& 3"))
    result = vouch.check(path, checks=["assertion"])
    assert [(str(r.verdict), r.replayed) for r in result.checks] == [("unsafe", True)]


@pytest.mark.usefixtures("one_model")
def test_what_was_seen_is_reported_in_slices_too(tmp_path: Path) -> None:
    path = tmp_path / "sliced.c"
    path.write_text(SOURCE.replace("& 7", "& 3"))
    result = vouch.check(path, checks=["assertion"], individual=True, jobs=1)
    assert [(str(r.verdict), r.replayed) for r in result.checks] == [("unsafe", True)]


def test_a_cause_is_violated_itself(tmp_path: Path) -> None:
    path = tmp_path / "cause.c"
    path.write_text(
        """#include <assert.h>
        int nondet_int(void);
        int main(void)
        {
            int a[4] = {0}, b[4] = {0}, i = nondet_int(), j = nondet_int() & 3;
            int x = a[i & 7], y = b[j];
            assert(x == 0);
            assert(y == 0);
            return 0;
        }
        """
    )
    result = vouch.check(path)
    verdicts = {r.check.id: str(r.verdict) for r in result.checks}
    reasons = [r.reason for r in result.checks if r.reason and r.reason.startswith("only after")]
    assert verdicts["main.assertion.1"] == "cond-unsafe"
    assert verdicts["main.assertion.2"] == "safe"
    assert reasons
    for reason in reasons:
        assert verdicts[reason.split()[2]] == "unsafe"
