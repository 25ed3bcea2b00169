"""Bounds contain what sampling finds, are as tight as theory says, and account for round-off."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from zonotopes import zonotope_bounds

from vouch.errors import VouchError
from vouch.nn.bounds.arrays import NUMPY, arrays_for
from vouch.nn.bounds.backward import least_value, substitute
from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.bounds.model import model_of
from vouch.nn.bounds.outputs import output_bounds
from vouch.nn.bounds.region import Unsafe, exclude
from vouch.nn.bounds.relax import curve, relu
from vouch.nn.bounds.splits import bound, root
from vouch.nn.bounds.zonotope import propagate
from vouch.nn.lowered import NodeKind
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import BatchNormalization, Conv
from vouch.nn.property import output_union
from vouch.nn.replay import replay


def layers(rng, *sizes):
    pairs = pairwise(sizes)
    return [(rng.normal(size=(b, a)) / np.sqrt(a), rng.normal(size=b) * 0.3) for a, b in pairs]


def test_relu_relaxation_is_the_triangle():
    low, high = np.array([[-1.0, -3.0, 1.0, -2.0]]), np.array([[3.0, 1.0, 2.0, -1.0]])
    found = relu(NUMPY, low, high)
    assert found.high_slope.tolist() == [[0.75, 0.25, 1.0, 0.0]]
    assert found.high_shift == pytest.approx(np.array([[0.75, 0.75, 0.0, 0.0]]))
    assert found.low_slope.tolist() == [[1.0, 0.0, 1.0, 0.0]]
    assert found.unstable.tolist() == [[True, True, False, False]]


@pytest.mark.parametrize("kind", [NodeKind.SIGMOID, NodeKind.TANH])
def test_curves_lie_between_their_lines(kind):
    rng = np.random.default_rng(3)
    low = rng.normal(size=(1, 3000)) * rng.choice([0.01, 1, 10], 3000)
    high = low + np.abs(rng.normal(size=(1, 3000))) * rng.choice([0, 1e-9, 0.01, 1, 10, 60], 3000)
    found, value_low, value_high = curve(NUMPY, kind, low, high, 2.0**-49)
    for share in np.linspace(0, 1, 201):
        h = low + share * (high - low)
        value = np.tanh(h) if kind is NodeKind.TANH else 1 / (1 + np.exp(-h))
        assert (found.low_slope * h + found.low_shift <= value + 1e-15).all()
        assert (found.high_slope * h + found.high_shift >= value - 1e-15).all()
        assert (value_low <= value).all()
        assert (value <= value_high).all()
    # On a short interval both lines are close to the function.
    short = (high - low) < 0.02
    gap = (found.high_shift - found.low_shift) + (found.high_slope - found.low_slope) * low
    assert gap[short].max() < 0.02


def test_crown_is_exact_on_a_known_network():
    # relu(x) - relu(-x) = x, and relu(x + 5) = x + 5 on [-1, 1].
    network = Network.from_layers(
        [
            (np.array([[1.0], [-1.0], [1.0]]), np.array([0, 0, 5.0])),
            (np.array([[1.0, -1.0, 1.0]]), np.zeros(1)),
        ]
    )
    model = model_of(network, "real")
    low, high = output_bounds(model, np.array([2.0]), np.array([3.0]))
    # Stable throughout: x + x + 5.
    assert low[0] == pytest.approx(9.0, abs=1e-9)
    assert high[0] == pytest.approx(11.0, abs=1e-9)
    low, high = output_bounds(model, np.array([-1.0]), np.array([1.0]), "interval")
    assert (low[0], high[0]) == pytest.approx((3.0, 7.0), abs=1e-9)


@pytest.mark.parametrize("activation", ["relu", "sigmoid", "tanh"])
@pytest.mark.parametrize("arithmetic", ["real", "float32"])
def test_domains_contain_samples(activation, arithmetic):
    rng = np.random.default_rng(5)
    network = Network.from_layers(layers(rng, 4, 12, 12, 3), activation)
    model = model_of(network, arithmetic)
    centre = rng.uniform(-1, 1, (20, 4))
    lower, upper = centre - 0.2, centre + 0.2
    found = analyse(model, lower, upper, fresh(model, 20))
    shapes = propagate(model, lower, upper).shapes
    zono_low, zono_high = shapes[model.output].interval()
    points = lower + rng.random((300, 20, 4)) * (upper - lower)
    values = np.stack([network.evaluate(p) for p in points])
    assert (values >= found.output_low).all()
    assert (values <= found.output_high).all()
    assert (values >= zono_low).all()
    assert (values <= zono_high).all()
    rows = {model.output: np.tile(np.eye(3), (20, 1))}
    boxes = np.repeat(np.arange(20), 3)
    a, c = substitute(model, rows, boxes, found.noise, found.relaxed)
    lowest = least_value(model.arrays, a, c, boxes, lower, upper)
    linear = np.einsum("sbd,bod->sbo", points, a.reshape(20, 3, 4)) + c.reshape(20, 3)
    assert (values >= linear - 1e-12).all()
    assert (values.min(0) >= lowest.reshape(20, 3)).all()


def test_domains_are_ordered_in_tightness():
    rng = np.random.default_rng(6)
    model = model_of(Network.from_layers(layers(rng, 5, 30, 30, 2)), "real")
    lower, upper = -0.05 * np.ones(5), 0.05 * np.ones(5)
    widths = []
    for low, high in (
        output_bounds(model, lower, upper, "interval"),
        zonotope_bounds(model, lower, upper),
        output_bounds(model, lower, upper, "crown"),
    ):
        widths.append(float((high - low).sum()))
    assert widths[1] < 0.5 * widths[0]
    assert widths[2] < 0.5 * widths[0]


def test_a_batch_is_the_same_as_its_boxes():
    rng = np.random.default_rng(7)
    model = model_of(Network.from_layers(layers(rng, 3, 9, 9, 2)), "float32")
    lower = rng.uniform(-1, 0, (6, 3))
    upper = lower + 0.5
    whole = analyse(model, lower, upper, fresh(model, 6))
    for i in range(6):
        one = analyse(model, lower[i : i + 1], upper[i : i + 1], fresh(model, 1))
        np.testing.assert_allclose(one.state.low[0], whole.state.low[i], atol=1e-9)
        np.testing.assert_allclose(one.state.high[0], whole.state.high[i], atol=1e-9)


def test_state_of_a_larger_box_may_be_handed_down():
    rng = np.random.default_rng(8)
    network = Network.from_layers(layers(rng, 3, 10, 10, 2))
    model = model_of(network, "float32")
    state = fresh(model, 1)
    analyse(model, -np.ones((1, 3)), np.ones((1, 3)), state)
    lower, upper = np.array([[0.0, -1.0, 0.5]]), np.array([[0.5, 0.0, 1.0]])
    child = analyse(model, lower, upper, state)
    points = lower + rng.random((500, 3)) * (upper - lower)
    hidden = points @ network_weights(network)[0].T + network_weights(network)[1]
    assert (hidden >= child.state.low[0, :10]).all()
    assert (hidden <= child.state.high[0, :10]).all()
    assert (network.evaluate(points) >= child.output_low).all()


def network_weights(network):
    from vouch.nn.lowering import lower

    first = lower(network).as_chain()[0]
    return first.maps[0].dense(), first.bias


def test_noise_covers_float32_sums_in_any_order():
    """Sums with terrible cancellation, evaluated in float32 in several orders."""
    rng = np.random.default_rng(9)
    weights = (rng.normal(size=(4, 40)) * 10.0 ** rng.integers(-3, 4, (4, 40))).astype(np.float32)
    bias = rng.normal(size=4).astype(np.float32)
    network = Network.from_layers([(weights.astype(float), bias.astype(float))])
    model = model_of(network, "float32")
    for _ in range(50):
        x = (rng.normal(size=40) * 10.0 ** rng.integers(-3, 4, 40)).astype(np.float32)
        low, high = output_bounds(model, x.astype(float), x.astype(float), "interval")
        for order in (np.arange(40), np.arange(40)[::-1], rng.permutation(40)):
            total = np.zeros(4, dtype=np.float32)
            for j in order:
                total = (total + weights[:, j] * x[j]).astype(np.float32)
            total = (total + bias).astype(np.float32)
            assert (low <= total).all()
            assert (total <= high).all()


def test_real_bounds_contain_the_exact_rational_value():
    rng = np.random.default_rng(10)
    weights, x = rng.normal(size=(1, 30)) * 1e6, rng.normal(size=30)
    model = model_of(Network.from_layers([(weights, np.zeros(1))]), "real")
    low, high = output_bounds(model, x, x)
    exact = sum(Fraction(w) * Fraction(v) for w, v in zip(weights[0], x, strict=True))
    assert Fraction(low[0]) <= exact <= Fraction(high[0])
    assert high[0] - low[0] < 1e-5


def test_exclude_never_cuts_off_a_violation():
    rng = np.random.default_rng(11)
    for seed in range(30):
        network = Network.from_layers(layers(np.random.default_rng(seed), 3, 8, 8, 3))
        model = model_of(network, "float32")
        lower = rng.uniform(-1, 0, (4, 3))
        upper = lower + rng.uniform(0.1, 1.5, (4, 3))
        rows = rng.normal(size=(2, 3))
        points = lower + rng.random((2000, 4, 3)) * (upper - lower)
        values = np.stack([network.evaluate(p) for p in points])
        limit = np.quantile((values @ rows.T).reshape(-1, 2), 0.02, axis=0)
        prop = output_union(lower.min(0), upper.max(0), [(rows, limit)])
        region = Unsafe.of(model, prop.cases[0], prop.cases[0].regions[0])
        left = exclude(analyse(model, lower, upper, fresh(model, 4)), region)
        bad = ((values @ rows.T) <= limit).all(2)
        for box in range(4):
            hits = points[bad[:, box], box]
            if len(hits):
                place = np.flatnonzero(left.index == box)
                assert len(place) == 1, "a box with a violation was closed"
                assert (hits >= left.lower[place[0]]).all()
                assert (hits <= left.upper[place[0]]).all()


def test_bounds_under_assumptions_hold_where_they_do():
    rng = np.random.default_rng(12)
    network = Network.from_layers(layers(rng, 6, 10, 10, 2))
    model = model_of(network, "float32")
    lower, upper = -np.ones((1, 6)), np.ones((1, 6))
    prop = output_union(lower[0], upper[0], [(np.array([[1.0, -1.0]]), np.array([-100.0]))])
    region = Unsafe.of(model, prop.cases[0], prop.cases[0].regions[0])
    state = fresh(model, 1)
    analyse(model, lower, upper, state)
    nodes = root(model, state, region)
    free, _ = bound(model, lower, upper, nodes.take(np.array([0])), region, 30)
    unstable = np.flatnonzero((state.low[0, :10] < 0) & (state.high[0, :10] > 0))
    points = rng.uniform(-1, 1, (20000, 6))
    excess = network.evaluate(points) @ np.array([1.0, -1.0]) + 100.0
    weights, bias = network_weights(network)
    hidden = points @ weights.T + bias
    assert free.value[0] <= excess.min()
    for neuron in unstable[:4]:
        for sign in (1.0, -1.0):
            child = nodes.take(np.array([0]))
            child.signs[0, neuron] = sign
            if sign > 0:
                child.state.low[0, neuron] = 0.0
            else:
                child.state.high[0, neuron] = 0.0
            found, _ = bound(model, lower, upper, child, region, 30)
            where = hidden[:, neuron] * sign >= 0
            assert found.value[0] <= excess[where].min()


def test_torch_computes_the_same():
    pytest.importorskip("torch")
    rng = np.random.default_rng(13)
    network = Network.from_layers(layers(rng, 4, 12, 12, 3))
    results = []
    for arrays in (NUMPY, arrays_for("cpu", torch=True)):
        model = model_of(network, "float32", arrays)
        lower = arrays.array(np.random.default_rng(1).uniform(-1, 0, (5, 4)))
        prop = output_union(-np.ones(4), np.ones(4), [(np.eye(3)[:2], np.zeros(2))])
        region = Unsafe.of(model, prop.cases[0], prop.cases[0].regions[0])
        analysis = analyse(model, lower, lower + 0.3, fresh(model, 5))
        left = exclude(analysis, region)
        results.append([arrays.numpy(v) for v in (analysis.output_low, left.index, left.lower, left.upper)])
    for first, second in zip(*results, strict=True):
        np.testing.assert_allclose(first, second, atol=1e-9)


def test_a_device_that_is_not_there():
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(VouchError, match="no CUDA device"):
        arrays_for("cuda")


def test_rounding_of_a_normalisation_that_the_runtime_folds() -> None:
    """Folded into the convolution, mean and shift are part of its sum, rounded with every product there."""
    channels, mean = 256, 2.0**20
    rng = np.random.default_rng(0)
    # The first output loses nearly every product when the folded bias comes first: each is below half a unit.
    small = np.where(np.arange(channels) % 8, 0.03, 0.02)
    kernel = np.stack([small, rng.normal(size=channels)]).astype(np.float32)
    scale, shift, variance = np.float32([1, 1.5]), np.float32([0, 3]), np.float32([1, 0.5])
    conv = Conv(kernel[:, :, None, None].astype(float), np.full(2, 0.125), (1, 1), ((0, 0),) * 2, (1, 1), 1)
    norm = BatchNormalization(
        *(part.astype(float) for part in (scale, shift, np.full(2, mean), variance)), epsilon=0.0
    )
    builder = GraphBuilder("folded", "x", (1, channels, 1, 1))
    network = builder.build(builder.add("norm", norm, builder.add("conv", conv, "x")))
    x = np.vstack([np.ones(channels), rng.normal(size=(4, channels))]).astype(np.float32)
    model = model_of(network, "float32")
    known = analyse(model, x.astype(float), x.astype(float), fresh(model, len(x)), "interval")

    factor = scale / np.sqrt(variance)
    total = np.tile((np.float32(0.125) - np.float32(mean)) * factor + shift, (len(x), 1))
    for weights, column in zip((kernel * factor[:, None]).T, x.T, strict=True):
        total = total + column[:, None] * weights
    exact = network.evaluate(x.astype(float))
    assert total.dtype == np.float32
    assert np.abs(total - exact)[0, 0] > 30 * 2.0**-24 * mean
    for run in (total, replay(network, x.astype(float))):
        assert (known.output_low <= run).all()
        assert (run <= known.output_high).all()
    width = (known.output_high - known.output_low).max()
    assert width < 4 * (channels + 20) * 2.0**-24 * 2.2 * mean
