"""Defects that are put into a correct driver are found and replayed with default options."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import seeded

DEFECTS = {defect.name: defect for defect in seeded.defects()}
SAMPLE = ("altitude-next",)


def test_enough_of_each_kind(tmp_path: Path) -> None:
    kinds = [defect.kind for defect in DEFECTS.values()]
    assert len(kinds) >= 30
    assert all(kinds.count(kind) >= 4 for kind in kinds)
    for defect in DEFECTS.values():
        seeded.put_into(defect, tmp_path / defect.name)


@pytest.mark.parametrize("name", SAMPLE)
def test_sample(name: str) -> None:
    outcome = seeded.try_out(DEFECTS[name])
    assert outcome.found, outcome


@pytest.mark.slow
@pytest.mark.timeout(700)
def test_driver_is_proved() -> None:
    document, _ = seeded.check(seeded.DRIVER)
    assert list(seeded.undecided(document)) == []


@pytest.mark.slow
@pytest.mark.timeout(700)
@pytest.mark.parametrize("name", [name for name in DEFECTS if name not in SAMPLE])
def test_defect(name: str) -> None:
    outcome = seeded.try_out(DEFECTS[name])
    assert outcome.found, outcome


def test_judge_sees_what_is_missed() -> None:
    """Neither a proof nor a violation that was not replayed counts as found."""
    defect = DEFECTS["lost-wrap"]
    check = {"id": "x", "function": "on_empty", "category": "narrowing", "verdict": "safe"}
    check |= {"reason": None, "replayed": None}
    assert not seeded.judge(defect, {"checks": [check]}, 1.0).found
    assert not seeded.judge(defect, {"checks": [check | {"verdict": "unsafe", "replayed": False}]}, 1.0).found
    assert seeded.judge(defect, {"checks": [check | {"verdict": "unsafe", "replayed": True}]}, 1.0).found
