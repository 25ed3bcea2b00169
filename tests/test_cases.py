"""Every regression case gets the verdicts that its comments expect, each violation replayed."""

from __future__ import annotations

import pytest
from bench import cases

ALL = cases.find()


def test_enough_cases() -> None:
    assert len(ALL) >= 150
    for case in ALL:
        assert case.expected or case.warnings or case.path.stem.endswith("safe"), (
            f"{case.name} expects nothing"
        )


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case.name, marks=[pytest.mark.slow] * case.slow) for case in ALL]
)
def test_case(case: cases.Case) -> None:
    result = cases.run(case)
    assert list(cases.problems(case, result)) == []
