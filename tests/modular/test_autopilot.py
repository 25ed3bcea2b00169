"""An endless control loop: proofs whatever the number of turns, and twins for which there are none."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from vouch.api import check
from vouch.result import CheckResult
from vouch.verdict import Verdict

SOURCE = Path(__file__).resolve().parents[2] / "examples" / "autopilot" / "autopilot.c"


def checked(
    text: str, folder: Path, rungs: tuple[str, ...] = ("global",), unwind: int | None = None
) -> list[CheckResult]:
    path = folder / "autopilot.c"
    path.write_text(text)
    options = {"rungs": list(rungs), "check_timeout": 300, "no_replay": True, "jobs": 1}
    return list(check([str(path)], **options, **({} if unwind is None else {"unwind": unwind})).checks)


def replaced(old: str, new: str) -> str:
    text = SOURCE.read_text()
    assert old in text
    return text.replace(old, new)


def test_all_turns_are_safe(tmp_path: Path) -> None:
    found = checked(SOURCE.read_text(), tmp_path)
    assert {r.verdict for r in found} == {Verdict.SAFE}
    assert Counter(r.decided_by for r in found)["induction"] >= 5


def test_a_sum_that_grows_is_safe_up_to_the_bound_only(tmp_path: Path) -> None:
    text = replaced("c->integral = clamp(c->integral + error / 16, 4096);", "c->integral += error / 16;")
    found = checked(text, tmp_path, unwind=6)
    bounded = {r.check.function for r in found if r.verdict is Verdict.BOUND_SAFE}
    assert bounded == {"controlled"}
    assert {r.verdict for r in found} == {Verdict.SAFE, Verdict.BOUND_SAFE}


def test_a_route_that_is_left(tmp_path: Path) -> None:
    found = checked(replaced("leg < ROUTE - 1", "leg < ROUTE"), tmp_path)
    assert [r.check.category for r in found if r.verdict is Verdict.UNSAFE] == ["bounds"]


@pytest.mark.slow
def test_refinement_takes_false_alarms_away(tmp_path: Path) -> None:
    counts = []
    for rungs in (("local",), ("local", "callers"), ("local", "callers", "preconditions", "global")):
        found = checked(SOURCE.read_text(), tmp_path, rungs)
        counts.append(sum(r.verdict is not Verdict.SAFE for r in found))
    assert counts[0] > 0
    assert counts[1:] == [0, 0]
