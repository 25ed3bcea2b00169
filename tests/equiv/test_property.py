"""The three notions of equivalence on concrete outputs, ties included."""

from __future__ import annotations

import numpy as np
import pytest

from vouch.equiv.property import Epsilon, Top


def _violated(prop: Epsilon | Top, r: list[float], t: list[float]) -> bool:
    return bool(prop.violated(np.array([r]), np.array([t]))[0])


@pytest.mark.parametrize(
    ("prop", "r", "t", "expected"),
    [
        (Epsilon(1.0), [0, 0], [1, -1], False),  # exactly ε is still equivalent
        (Epsilon(1.0), [0, 0], [1.5, 0], True),
        (Epsilon(1.0, "l1"), [0, 0], [0.6, -0.6], True),
        (Epsilon(0.0), [1, 2], [1, 2], False),
        (Top(1), [1, 1, 0], [2, 1, 0], False),  # the first of equal maxima counts
        (Top(1), [1, 1, 0], [1, 2, 0], True),
        (Top(1), [0, 1, 1], [0, 5, 5], False),
        (Top(2), [3, 1, 0], [1, 2, 0], False),
        (Top(2), [3, 1, 0], [0, 2, 1], True),
        (Top(2), [3, 1, 0], [1, 2, 1], False),  # a tie with the second does not push it out
        (Top(2), [3, 3, 0], [0, 1, 2], False),  # no unique maximum: nothing is asked
        (Top(3), [3, 1, 0], [0, 1, 2], False),
    ],
)
def test_violated(prop: Epsilon | Top, r: list[float], t: list[float], expected: bool) -> None:
    assert _violated(prop, r, t) is expected


def test_the_score_of_a_ranking_has_the_sign_of_the_verdict() -> None:
    rng = np.random.default_rng(0)
    r, t = rng.normal(size=(200, 5)), rng.normal(size=(200, 5))
    for k in (1, 2, 3):
        assert ((Top(k).excess(r, t) > 0) == Top(k).violated(r, t)).all()
