"""Regions: membership is exact, and points near an edge are moved inside."""

from __future__ import annotations

import numpy as np
import pytest

from vouch.equiv.region import Region, ball, box, polytope
from vouch.errors import VouchError


@pytest.mark.parametrize(
    ("region", "edge"),
    [
        (box(np.zeros(2), np.ones(2) / 3), [1 / 3, 0.1]),
        (ball(np.array([0.1, 0.7]), 0.25, "l1"), [0.1 + 0.2, 0.7 + 0.05]),
        (polytope(np.zeros(2), np.ones(2), np.array([[1.0, 1.0]]), np.array([0.7])), [0.3, 0.4]),
    ],
)
def test_points_near_an_edge_are_moved_inside(region: Region, edge: list[float]) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        x = np.array(edge) + rng.uniform(0, 1e-9, 2)
        found = list(region.nearby(x))
        assert found
        assert all(region.contains(point) and np.abs(point - x).max() < 1e-4 for point in found)


def test_membership_in_a_ball_is_exact() -> None:
    region = ball(np.zeros(2), 1.0, "l1")
    assert region.contains(np.array([0.5, 0.5]))
    assert not region.contains(np.array([0.5, np.nextafter(0.5, 1)]))


def test_a_bad_region_is_refused() -> None:
    for make in (
        lambda: box(np.ones(2), np.zeros(2)),
        lambda: box(np.zeros(2), np.full(2, np.inf)),
        lambda: ball(np.zeros(2), -1.0),
        lambda: ball(np.zeros(2), 1.0, "l2"),
        lambda: ball(np.zeros(2), 1.0, domain=(np.ones(2), np.ones(2) * 2)),
    ):
        with pytest.raises(VouchError):
            make()
