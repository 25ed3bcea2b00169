"""Refined bounds of hidden neurons, models without dead neurons, and cuts, against sampling."""

from itertools import pairwise

import numpy as np
import pytest

from vouch.nn.bounds.arrays import NUMPY, arrays_for
from vouch.nn.bounds.forward import ForwardState, analyse, fresh
from vouch.nn.bounds.model import BoundModel, model_of
from vouch.nn.bounds.region import Unsafe
from vouch.nn.bounds.splits import bound, root
from vouch.nn.bounds.trim import trimmed
from vouch.nn.network import Network
from vouch.nn.property import output_union
from vouch.nn.search import neurons, refine, verify
from vouch.nn.search.neurons import NeuronSearch
from vouch.nn.search.refine import Refinement
from vouch.nn.search.task import Clock, Judge
from vouch.settings import resolve

INPUTS = 14


def _network(rng, sizes=(INPUTS, 12, 12, 12, 3), shift=-0.4):
    layers = [
        (rng.normal(size=(out, into)) * np.sqrt(2 / into), rng.normal(size=out) * 0.3 + shift)
        for into, out in pairwise(sizes)
    ]
    return Network.from_layers(layers)


def _rooted(network: Network, radius=0.6, arrays=NUMPY):
    model = model_of(network, "float32", arrays)
    lower, upper = np.full((1, network.inputs), -radius), np.full((1, network.inputs), radius)
    box = arrays.array(lower), arrays.array(upper)
    state = fresh(model, 1)
    analyse(model, *box, state)
    return model, *box, state


def _points(rng, lower, upper, count=4000):
    inner = rng.uniform(size=(count, lower.shape[1]))
    inner = np.where(rng.uniform(size=inner.shape) < 0.5, np.round(inner), inner)
    return lower + inner * (upper - lower)


def _before(model: BoundModel, points):
    """Values before every activation, in the order of the slots."""
    values = model.lowered.values(points)
    return np.hstack([values[model.node(index).input] for index in model.slots])


@pytest.mark.parametrize("seed", range(4))
def test_refined_bounds_hold_and_are_tighter(seed):
    rng = np.random.default_rng(seed)
    model, lower, upper, state = _rooted(_network(rng))
    first = ForwardState(state.low.copy(), state.high.copy())
    Refinement(model, lower, upper, state).run(3e9)
    assert (state.low >= first.low).all()
    assert (state.high <= first.high).all()
    assert (state.high - state.low).sum() < 0.95 * (first.high - first.low).sum()
    values = _before(model, _points(rng, lower, upper))
    assert (values >= state.low - 1e-9).all()
    assert (values <= state.high + 1e-9).all()


@pytest.mark.parametrize("seed", range(4))
def test_values_of_a_narrow_layer_are_bounded_beyond_their_signs(seed):
    """A layer of three neurons, one of them always on: its interval comes near to what is reached, and never
    leaves out anything that is."""
    rng = np.random.default_rng(seed)
    layers = [
        (rng.normal(size=(out, into)) * np.sqrt(2 / into), rng.normal(size=out) * 0.3)
        for into, out in pairwise((INPUTS, 12, 12, 3, 12, 3))
    ]
    layers[2] = (layers[2][0], np.array([6.0, 0.2, -0.2]))
    model, lower, upper, state = _rooted(Network.from_layers(layers))
    first = ForwardState(state.low.copy(), state.high.copy())
    work = Refinement(model, lower, upper, state)
    for _ in range(4):
        work.run(1e9)
    corners = lower + (np.arange(1 << INPUTS)[:, None] >> np.arange(INPUTS) & 1) * (upper - lower)
    values = _before(model, np.vstack([corners, _points(rng, lower, upper)]))
    assert (values >= state.low - 1e-5).all()
    assert (values <= state.high + 1e-5).all()
    part = model.slots[model.activations[2]]
    on = part.start
    assert state.low[0, on] > 0
    reached = values[:, on].max() - values[:, on].min()
    before, after = (s.high[0, on] - s.low[0, on] for s in (first, state))
    assert after - reached < 0.8 * (before - reached)


def test_torch_refines_as_numpy_does(monkeypatch):
    pytest.importorskip("torch")
    # A device takes more leaves in a round.
    monkeypatch.setattr(refine, "_ROUND_ON_DEVICE", refine._ROUND)
    monkeypatch.setattr(refine, "_DEVICE_ROUND_COST", refine._ROUND_COST)
    network = _network(np.random.default_rng(7))
    found = []
    for arrays in (NUMPY, arrays_for("cpu", torch=True)):
        model, lower, upper, state = _rooted(network, arrays=arrays)
        Refinement(model, lower, upper, state).run(2e8)
        found.append((arrays.numpy(state.low), arrays.numpy(state.high)))
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)


@pytest.mark.parametrize("few", [0, 48])
def test_a_device_decides_as_the_cpu_does(few, monkeypatch):
    """Also where small batches are computed on the CPU, which is where the nodes of these searches go."""
    pytest.importorskip("torch")
    monkeypatch.setattr(neurons, "_FEW_NODES", few)
    network = _network(np.random.default_rng(3))
    low, high = np.full(INPUTS, -0.6), np.full(INPUTS, 0.6)
    top = network.evaluate(_points(np.random.default_rng(0), low[None, :], high[None, :]))[:, 0].max()
    for limit, safe in ((top - 0.01, False), (top + 1.0, True)):
        prop = output_union(low, high, [(np.array([[-1.0, 0.0, 0.0]]), np.array([-limit]))])
        outcomes = []
        for arrays in (NUMPY, arrays_for("cpu", torch=True)):
            model, judge = model_of(network, "float32", arrays), Judge(network, prop, False)
            outcomes.append(NeuronSearch(model, prop.cases[0], judge, Clock(60), finish=False).run())
        assert [o.proved >= 1.0 for o in outcomes] == [safe, safe]
        assert [o.counterexample is None for o in outcomes] == [safe, safe]


@pytest.mark.parametrize("seed", range(4))
def test_a_model_without_dead_neurons_computes_the_same(seed):
    rng = np.random.default_rng(seed)
    model, lower, upper, state = _rooted(_network(rng, shift=-1.0), radius=0.3)
    small, kept = trimmed(model, state)
    assert small.neurons == len(kept) < model.neurons
    points = _points(rng, lower, upper, 500)
    np.testing.assert_allclose(small.run(points), model.run(points), atol=1e-12)
    np.testing.assert_allclose(_before(small, points), _before(model, points)[:, kept], atol=1e-12)
    whole = analyse(model, lower, upper, ForwardState(state.low.copy(), state.high.copy()), "interval")
    part = analyse(small, lower, upper, state.columns(kept), "interval")
    np.testing.assert_allclose(part.output_low, whole.output_low, atol=1e-9)
    np.testing.assert_allclose(part.output_high, whole.output_high, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_under_cuts_hold_for_every_point_that_satisfies_them(seed):
    """And they are better than bounds without assumptions."""
    rng = np.random.default_rng(seed)
    model, lower, upper, state = _rooted(_network(rng))
    row = np.array([[1.0, -1.0, 0.5]])
    prop = output_union(lower[0], upper[0], [(row, np.array([0.0]))])
    region = Unsafe.of(model, prop.cases[0], prop.cases[0].regions[0])
    points = _points(rng, lower, upper, 20000)
    values, excess = _before(model, points), (model.run(points) @ row.T)[:, 0]
    plain, _ = bound(model, lower, upper, root(model, state, region), region, 30)
    better = 0
    for _ in range(6):
        nodes = root(model, ForwardState(state.low.copy(), state.high.copy()), region)
        chosen = rng.choice(model.neurons, 2, replace=False)
        for neuron in chosen:
            ends = np.quantile(values[:, neuron], [0.5, 0.9])
            nodes.state.low[0, neuron], nodes.state.high[0, neuron] = ends
            nodes.cuts[0, neuron] = 1.0
        held = np.ones(len(points), bool)
        for neuron in chosen:
            low, high = nodes.state.low[0, neuron], nodes.state.high[0, neuron]
            held &= (values[:, neuron] >= low) & (values[:, neuron] <= high)
        found, _ = bound(model, lower, upper, nodes, region, 30)
        if held.any():
            assert found.value[0] <= excess[held].min() + 1e-9
        better += found.value[0] > plain.value[0] + 0.01
    assert better


@pytest.mark.parametrize("seed", range(3))
def test_a_search_never_proves_what_some_input_reaches(seed):
    rng = np.random.default_rng(100 + seed)
    network = _network(rng, (INPUTS, 10, 10, 2, 10, 2))
    lower, upper = np.full(INPUTS, -0.5), np.full(INPUTS, 0.5)
    points = _points(rng, lower[None], upper[None], 20000)
    least = (network.evaluate(points) @ [1.0, -1.0]).min()
    for shift, reached in ((1e-3, True), (-1.0, False)):
        prop = output_union(lower, upper, [(np.array([[1.0, -1.0]]), np.array([least + shift]))])
        model = model_of(network)
        judge = Judge(network, prop, False)
        outcome = NeuronSearch(model, prop.cases[0], judge, Clock(60.0)).run()
        if reached:
            assert outcome.proved < 1.0 or outcome.counterexample is not None
        elif outcome.counterexample is None and outcome.proved < 1.0:
            pytest.skip("not decided")


def test_refinement_gives_the_same_answer_on_any_number_of_threads():
    network = _network(np.random.default_rng(3))
    states = []
    for jobs in (1, 3):
        model, lower, upper, state = _rooted(network)
        Refinement(model, lower, upper, state, jobs=jobs).run(1e9)
        states.append((state.low, state.high))
    np.testing.assert_array_equal(states[0], states[1])


@pytest.mark.parametrize("seed", range(3))
def test_curved_neurons_are_cut_and_no_value_that_is_reached_is_excluded(seed):
    """Sigmoids over many inputs: a value some input reaches is never excluded, one well below all is."""
    rng = np.random.default_rng(seed)
    sizes = (INPUTS, 6, 5, 2)
    layers = [(rng.normal(size=(b, a)), rng.normal(size=b)) for a, b in pairwise(sizes)]
    network = Network.from_layers(layers, activation="sigmoid")
    lower, upper = np.full(INPUTS, -0.3), np.full(INPUTS, 0.3)
    points = _points(rng, lower[None], upper[None], 20000)
    least = (network.evaluate(points) @ [1.0, -1.0]).min()
    for shift, verdicts in ((1e-3, {"unsafe", "timeout", "unknown"}), (-0.3, {"safe", "timeout"})):
        prop = output_union(lower, upper, [(np.array([[1.0, -1.0]]), np.array([least + shift]))])
        assert verify(network, prop, resolve("nn", {"timeout": 20})).verdict.value in verdicts
