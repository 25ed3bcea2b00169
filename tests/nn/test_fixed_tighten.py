"""Exact propagation of bounds over integers, against all points of small boxes."""

from __future__ import annotations

import itertools

import numpy as np

from vouch.nn.fixed.tighten import IntegerRows


def _rows(matrix: np.ndarray, constants: np.ndarray, low: np.ndarray, high: np.ndarray) -> IntegerRows:
    places = [(r, c, float(v)) for (r, c), v in np.ndenumerate(matrix) if v]
    return IntegerRows(places, constants, low, high)


def test_no_solution_is_lost_and_empty_means_empty() -> None:
    rng = np.random.default_rng(3)
    empty = tightened = 0
    for _ in range(400):
        columns, count = int(rng.integers(1, 4)), int(rng.integers(1, 5))
        size = 10.0 ** int(rng.integers(1, 8))
        matrix = np.rint(rng.normal(size=(count, columns)) * size) * (rng.random((count, columns)) < 0.7)
        constants = np.rint(rng.normal(size=count) * size * 4)
        low = rng.integers(-6, 3, columns).astype(float)
        high = low + rng.integers(0, 8, columns)
        ranges = [range(int(a), int(b) + 1) for a, b in zip(low, high, strict=True)]
        points = np.array(list(itertools.product(*ranges)), dtype=float)
        solutions = points[(points @ matrix.T + constants <= 0).all(1)]
        box = _rows(matrix, constants, low, high).tightened(low, high)
        if box is None:
            empty += 1
            assert not len(solutions)
            continue
        assert (box[0] >= low).all()
        assert (box[1] <= high).all()
        assert (solutions >= box[0]).all()
        assert (solutions <= box[1]).all()
        tightened += bool((box[0] > low).any() or (box[1] < high).any())
    assert empty > 50
    assert tightened > 50


def test_quotients_next_to_whole_numbers() -> None:
    """3 x <= k, -3 x <= k near 2**51: the quotient in float64 may round up to the next whole number."""
    for factor in (3.0, -3.0, 7.0, -7.0):
        for k in range(2**51 - 9, 2**51 + 9):
            ends = np.array([-(2.0**47)]), np.array([2.0**47])
            room = k >> 6
            low, high = _rows(np.array([[factor]]), np.array([-float(room)]), *ends).tightened(*ends)
            if factor > 0:
                assert high[0] == room // int(factor)
            else:
                assert low[0] == -(room // int(-factor))


def test_rows_beyond_exact_sums_are_left_out() -> None:
    """2**40 x <= -1 has no solution with x >= 0; with an x up to 2**40 it is not looked at."""
    low, high = np.array([0.0]), np.array([2.0**40])
    assert _rows(np.array([[2.0**40]]), np.array([1.0]), low, high).tightened(low, high) is not None
    high = np.array([4.0])
    assert _rows(np.array([[2.0**40]]), np.array([1.0]), low, high).tightened(low, high) is None
