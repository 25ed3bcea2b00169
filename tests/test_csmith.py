"""Random programs: the checksum that a native run prints is proved, any other refuted."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import csmith

pytestmark = pytest.mark.skipif(csmith.include_folder() is None, reason="csmith is not installed")

SAMPLE = range(1, 9)
CAMPAIGN = range(100, 410)


def judge(seed: int, folder: Path) -> None:
    program = csmith.generate(seed, folder)
    if program is None:
        pytest.skip("runs too long natively")
    result = csmith.check(program)
    assert list(csmith.wrong(program, result)) == []
    assert csmith.undecided(program, result) == []


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
