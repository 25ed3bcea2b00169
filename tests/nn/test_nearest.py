"""The nearest input of another class, in reals: against distances that geometry gives."""

from __future__ import annotations

import numpy as np
import pytest

from vouch.nn.nearest import nearest
from vouch.nn.network import Network
from vouch.settings import resolve
from vouch.verdict import Exit

# Class 0 where x0 + x1 >= 1, class 1 below.
HALVES = Network.from_layers([(np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([0.0, 1.0]))])
POINT = np.array([1.0, 1.0])
SETTINGS = resolve("nn", {"timeout": 60})


@pytest.mark.parametrize(("norm", "distance"), [("l2", 0.5**0.5), ("l1", 1.0), ("linf", 0.5)])
def test_the_distance_to_a_plane(norm, distance):
    found = nearest(HALVES, POINT, SETTINGS, norm=norm, radius=2.0)
    assert found.exact
    assert found.exit_code is Exit.VIOLATED
    assert found.proved <= distance * (1 + 1e-9) <= found.distance * (1 + 1e-6)
    assert found.distance <= found.proved * 1.01
    outputs = HALVES.evaluate(found.result.counterexample.input[None, :])[0]
    assert outputs[1] >= outputs[0]


def test_none_within_a_smaller_radius():
    found = nearest(HALVES, POINT, SETTINGS, norm="l2", radius=0.7)
    assert (found.distance, found.proved, found.exit_code) == (None, 0.7, Exit.PROVED)


def test_valid_inputs_only():
    found = nearest(HALVES, POINT, SETTINGS, norm="l2", radius=5.0, lower=np.array([0.9, -5.0]))
    # Down the second input only: from 1 to 0.1, with the first at 0.9.
    assert found.distance == pytest.approx((0.1**2 + 0.9**2) ** 0.5, rel=0.011)


def test_a_point_of_another_class():
    found = nearest(HALVES, POINT, SETTINGS, label=1)
    assert found.distance == 0
