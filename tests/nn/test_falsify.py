"""The search for violations by evaluation: networks whose outputs say nothing about where to go."""

from __future__ import annotations

import numpy as np
import pytest

from vouch.nn.bounds.model import model_of
from vouch.nn.network import Network
from vouch.nn.property import Case, Property, Rows
from vouch.nn.search.falsify import Effort, falsify
from vouch.nn.search.task import Clock, Judge

_INPUTS = 30


def _asked(reach: float, towards: int) -> tuple[Network, Property]:
    """y = relu(h), where h > 0 only near one corner of the box, one of 2^30, and everywhere else y = 0; the
    other hidden neurons do not matter. Is y at least 1/4 somewhere (or at most -1/4)? At the corner it is
    `reach`."""
    rng = np.random.default_rng(3)
    signs = rng.choice([-1.0, 1.0], _INPUTS)
    first = np.vstack([signs, rng.normal(size=(3, _INPUTS))])
    bias = np.array([reach - np.maximum(signs, 0.0).sum(), 0.0, 0.0, 0.0])
    network = Network.from_layers([(first, bias), (np.array([[float(towards), 0.0, 0.0, 0.0]]), np.zeros(1))])
    region = Rows.of(np.zeros((1, _INPUTS)), np.array([[-float(towards)]]), -0.25)
    return network, Property((Case(np.zeros(_INPUTS), np.ones(_INPUTS), (region,)),), _INPUTS, 1)


def _found(network: Network, prop: Property, effort: Effort) -> bool:
    judge = Judge(network, prop, False)
    return falsify(model_of(network, "float32"), prop.cases[0], judge, Clock(), 0, effort) is not None


@pytest.mark.parametrize("towards", [1, -1])
def test_violation_behind_a_neuron_that_is_mostly_off(towards: int) -> None:
    network, prop = _asked(0.5, towards)
    assert _found(network, prop, Effort(128, 16, 30, pushed=32))
    # The samples alone see a plateau: this is what the pushed neurons are for.
    assert not _found(network, prop, Effort(128, 16, 30))


@pytest.mark.parametrize("towards", [1, -1])
def test_none_where_the_corner_is_not_high_enough(towards: int) -> None:
    network, prop = _asked(0.24, towards)
    assert not _found(network, prop, Effort(128, 16, 30, pushed=32))


def test_several_regions_descend_together() -> None:
    """The second of three regions is the one that can be met."""
    network, prop = _asked(0.5, 1)
    (case,) = prop.cases
    (met,) = case.regions
    never = Rows.of(np.zeros((1, _INPUTS)), np.array([[1.0]]), -1.0)
    several = Property((Case(case.lower, case.upper, (never, met, never)),), _INPUTS, 1)
    assert _found(network, several, Effort(128, 16, 30, pushed=32))
