"""Parameters that are looked for in float32: what is proved with them holds, and guesses are near."""

from itertools import pairwise

import numpy as np
import pytest

from vouch.nn.bounds.climb import climb_roughly
from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.bounds.glance import Glance
from vouch.nn.bounds.model import model_of
from vouch.nn.bounds.region import Unsafe
from vouch.nn.bounds.splits import bound, root
from vouch.nn.network import Network
from vouch.nn.property import output_union

SIZES = 6, 12, 12, 2


def _question(seed, scale=1.0, arithmetic="real"):
    """A model with its box, the state of the box, and a region of its outputs."""
    rng = np.random.default_rng(seed)
    layers = [
        (rng.normal(size=(out, into)) * np.sqrt(2 / into) * scale, rng.normal(size=out) * 0.3 * scale)
        for into, out in pairwise(SIZES)
    ]
    model = model_of(Network.from_layers(layers), arithmetic)
    lower, upper = np.full((1, 6), -0.5), np.full((1, 6), 0.5)
    prop = output_union(lower[0], upper[0], [(np.array([[1.0, -1.0]]), np.array([0.0]))])
    state = fresh(model, 1)
    analyse(model, lower, upper, state)
    return model, lower, upper, state, Unsafe.of(model, prop.cases[0], prop.cases[0].regions[0])


def _least(model, lower, upper):
    points = np.random.default_rng(1).uniform(lower, upper, (4000, 6))
    outputs = model.run(points)
    return (outputs[:, 0] - outputs[:, 1]).min()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scale", [1.0, 10.0, 1e7, 1e20], ids="{:g}".format)
def test_bounds_hold_and_rise_whatever_float32_makes_of_the_numbers(seed, scale):
    """At 1e20 every sum overflows in float32, and float64 has to do the work."""
    model, lower, upper, state, region = _question(seed, scale)
    plain, _ = bound(model, lower, upper, root(model, state, region), region, 0)
    found, _ = bound(model, lower, upper, root(model, state, region), region, 30)
    assert found.value[0] <= _least(model, lower, upper)
    size = scale**3 * 1e-6
    assert found.value[0] >= plain.value[0] - size
    loose = _least(model, lower, upper) - plain.value[0]
    assert found.value[0] > plain.value[0] + 0.02 * loose or loose < size


def test_nodes_that_are_left_out_on_the_way_keep_their_parameters():
    """Of nodes that close at different steps, each has in the end the parameters of its own best bound."""
    model, lower, upper, state, region = _question(3)
    nodes = root(model, state.take([0] * 24), region, 24)
    rng = np.random.default_rng(2)
    neurons = rng.permutation(model.neurons)[:24]
    signs = rng.choice([-1.0, 1.0], 24)
    nodes.signs[np.arange(24), neurons] = signs
    nodes.state.low[signs > 0, neurons[signs > 0]] = np.maximum(0, state.low[0, neurons[signs > 0]])
    nodes.state.high[signs < 0, neurons[signs < 0]] = np.minimum(0, state.high[0, neurons[signs < 0]])
    # Between the best and the worst node, so that some close.
    copied = nodes.moved(np.copy)
    found, _ = bound(model, lower, upper, copied, region, 12)
    region.rhs[...] += np.quantile(found.value, 0.6)
    analysis = analyse(model, lower, upper, nodes.state, "interval")
    seeming = climb_roughly(model, analysis, nodes, region, 12, lambda: False)
    assert 0 < (seeming > 0).sum() < 24
    exact, _ = bound(model, lower, upper, nodes, region, 0)
    assert exact.value == pytest.approx(seeming, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_a_glance_at_halves_is_near_their_bounds(seed):
    """The same for neurons of the last layer; before it, halves also have tighter intervals behind."""
    model, lower, upper, state, region = _question(seed)
    nodes = root(model, state, region)
    parent, _ = bound(model, lower, upper, nodes, region, 20)
    last = list(model.slots.values())[-1]
    for part, same in ((last, True), (slice(0, last.start), False)):
        neuron = np.array([part.start + int(parent.loss[0, part].argmax())])
        guesses = Glance(model, lower, upper, nodes, region).halves(neuron, np.zeros(1))
        for guess, sign in zip(guesses, (1.0, -1.0), strict=True):
            child = nodes.moved(np.copy)
            child.signs[0, neuron] = sign
            ends = child.state.low if sign > 0 else child.state.high
            ends[0, neuron] = 0.0
            found, _ = bound(model, lower, upper, child, region, 0)
            assert guess[0] <= found.value[0] + 1e-5
            assert not same or guess[0] >= found.value[0] - 1e-5
