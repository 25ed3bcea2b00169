"""Random programs: the checksum that a native run prints is proved, any other refuted."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import csmith

pytestmark = pytest.mark.skipif(csmith.include_folder() is None, reason="csmith is not installed")

SAMPLE = (4, 6, 8, 9, 10)
# About one in ten runs too long natively, or has more steps than the time limit allows.
CAMPAIGN = range(100, 460)


def judge(seed: int, folder: Path) -> None:
    program = csmith.generate(seed, folder)
    if program is None:
        pytest.skip("runs too long natively")
    result = csmith.check(program)
    assert list(csmith.wrong(program, result)) == []
    left_open = csmith.undecided(program, result)
    if left_open and all("time limit" in text for text in left_open):
        pytest.skip(left_open[0])
    assert left_open == []


@pytest.mark.parametrize("seed", SAMPLE)
def test_sample(seed: int, tmp_path: Path) -> None:
    judge(seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("seed", CAMPAIGN)
def test_campaign(seed: int, tmp_path: Path) -> None:
    judge(seed, tmp_path)


def test_judges_see_wrong_answers(tmp_path: Path) -> None:
    """The judge itself: an empty result is not a success."""
    from vouch.result import RunResult

    program = csmith.Random(1, tmp_path / "x.c", 10, 11)
    assert csmith.undecided(program, RunResult(["main"], [])) == ["an assertion at the end is missing"]
