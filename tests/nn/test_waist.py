"""Layers with few neurons alive: the part behind them, the values that lead into a region, and verdicts
against plain enumeration."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from exact_paths import exact_maximum

from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.bounds.model import model_of
from vouch.nn.bounds.region import Unsafe
from vouch.nn.network import Network
from vouch.nn.property import Property, output_union
from vouch.nn.search import neurons
from vouch.nn.search.neurons import NeuronSearch
from vouch.nn.search.outcome import Outcome
from vouch.nn.search.task import Clock, Judge
from vouch.nn.search.waist import leading, reaching, waist

SIZES = (3, 4, 2, 3, 1)
LOW, HIGH = np.full(3, -0.7), np.full(3, 0.7)


def _network(seed: int) -> Network:
    rng = np.random.default_rng(seed)
    layers = [
        (rng.normal(size=(out, into)) * np.sqrt(2 / into), rng.normal(size=out) * 0.2 + 0.1)
        for into, out in pairwise(SIZES)
    ]
    return Network.from_layers(layers)


def _above(network: Network, limit: float) -> Property:
    """Violated where the output is at least `limit`."""
    return output_union(LOW, HIGH, [(np.array([[-1.0]]), np.array([-limit]))])


def _points(count: int = 5_000) -> np.ndarray:
    inner = np.random.default_rng(1).uniform(size=(count, len(LOW)))
    inner = np.where(np.random.default_rng(2).uniform(size=inner.shape) < 0.4, np.round(inner), inner)
    return LOW + inner * (HIGH - LOW)


@pytest.mark.parametrize("seed", range(4))
def test_the_part_behind_computes_the_same_and_its_bounds_hold(seed: int) -> None:
    model = model_of(_network(seed))
    state = fresh(model, 1)
    analyse(model, LOW[None, :], HIGH[None, :], state)
    index = waist(model)
    assert index == 4
    behind, values = model.after(index), model.lowered.values(_points())
    assert np.array_equal(behind.run(values[index]), values[-1])
    box = values[index].min(0)[None, :], values[index].max(0)[None, :]
    found = analyse(behind, *box, fresh(behind, 1))
    assert (found.output_low <= values[-1].min()).all()
    assert (found.output_high >= values[-1].max()).all()
    # Rounding counts as much as in the whole.
    assert {i + index: f for i, f in behind.factors.items()}.items() <= model.factors.items()


@pytest.mark.parametrize("seed", range(6))
def test_values_that_lead_into_a_region_are_within_the_box_around_them(seed: int) -> None:
    network = _network(seed)
    model, state = model_of(network), fresh(model_of(network), 1)
    analyse(model, LOW[None, :], HIGH[None, :], state)
    values = model.lowered.values(_points())
    limit = float(np.quantile(values[-1], 0.97))
    prop = _above(network, limit)
    region = Unsafe.of(model, prop.cases[0], prop.cases[0].regions[0])
    boxes, _ = leading(model, 4, state, [region], lambda: False)
    ((low, high),) = boxes
    bad = values[4][values[-1][:, 0] >= limit]
    assert (bad >= low - 1e-12).all()
    assert (bad <= high + 1e-12).all()
    reached = reaching(model, 4, state, boxes)
    if reached is not None:
        before = values[3][values[-1][:, 0] >= limit]
        assert (before @ reached.y_rows.T <= reached.rhs + 1e-12).all()


def _searched(network: Network, limit: float) -> Outcome:
    prop = _above(network, limit)
    judge = Judge(network, prop, False)
    return NeuronSearch(model_of(network), prop.cases[0], judge, Clock(60.0), cutting=False).run()


@pytest.mark.parametrize("seed", range(8))
def test_verdicts_of_networks_with_a_waist(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Just above the true maximum everything is proved, just below it a violation is found; without
    refinement first."""
    monkeypatch.setattr(neurons, "_REFINED_A_SECOND", 0.0)
    network = _network(seed)
    top = exact_maximum(network, LOW, HIGH, np.array([1.0]))
    if top is None:
        pytest.skip("too many linear pieces for plain enumeration")
    room = 1e-3 * (abs(top) + 1)
    assert _searched(network, top + room).proved == 1.0
    below = _searched(network, top - room)
    assert below.counterexample is not None


def test_the_waist_has_its_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of these questions come to it, and are decided by it; a wrong answer of it would be seen."""
    monkeypatch.setattr(neurons, "_REFINED_A_SECOND", 0.0)
    decided = []
    asked = NeuronSearch._at_waist

    def spied(self, regions, state):
        found = asked(self, regions, state)
        decided.append(found is not None)
        return found

    monkeypatch.setattr(NeuronSearch, "_at_waist", spied)
    for seed in range(8):
        network = _network(seed)
        top = float(model_of(network).run(_points()).max())
        _searched(network, top + 0.3 * (abs(top) + 1))
    assert any(decided)
