"""Bounds of every operator contain what sampling finds: in the reals, and as onnxruntime computes."""

from __future__ import annotations

import numpy as np
import pytest
from test_onnx_ops import CASES
from zonotopes import zonotope_bounds

from vouch.errors import Unsupported
from vouch.nn import functions
from vouch.nn.bounds.arrays import NUMPY, arrays_for
from vouch.nn.bounds.curves import relaxed
from vouch.nn.bounds.model import model_of
from vouch.nn.bounds.outputs import output_bounds
from vouch.nn.loaders.onnx import from_bytes
from vouch.nn.replay import replay

# Operators with a domain: the box that they are asked about has to keep away from its edge.
POSITIVE = {"cast-up-and-down", "sqrt", "reciprocal", "pow-negative", "pow-broken", "reduce-l2"}
NORMS = {"layer-norm", "layer-norm-axes", "instance-norm"}

FUNCTIONS = {
    "exp": functions.exponential(),
    "exp-capped": functions.exponential(2.0),
    "reciprocal": functions.reciprocal(0.5),
    "log": functions.logarithm(),
    "erf": functions.error_function(),
    "softplus": functions.softplus(),
    "elu": functions.elu(1.0),
    "elu-steep": functions.elu(2.5),
    "elu-negative": functions.elu(-0.5),
    "selu": functions.elu(1.6732632, 1.050701),
    "celu": functions.elu(0.5, 1.0, 2.0),
    "hard-swish": functions.hard_swish(),
    "softsign": functions.softsign(),
    "sign": functions.sign(),
    "step": functions.step(),
    "silu": functions.silu(),
    "gelu": functions.gelu(),
    "gelu-tanh": functions.gelu(tanh=True),
    **{f"power {p:g}": functions.power(p) for p in (2, 3, 4, 5, -1, -2, -3, 0.5, -0.5, 1.5, 0.25, -1.25)},
}


def intervals(function, rng, count=1500):
    scale = rng.choice([1e-3, 1, 8], count)
    low = rng.normal(size=count) * scale
    high = low + np.abs(rng.normal(size=count)) * rng.choice([0, 1e-9, 0.01, 1, 6], count)
    if function.least > -np.inf:
        low, high = np.abs(low) + 1e-3, np.abs(low) + 1e-3 + (high - low)
    elif function.pole:
        away = np.where(low < 0, -1e-3, 1e-3)
        low, high = low + away, np.where(low < 0, np.minimum(high + away, -1e-4), high + away)
    return low[None, :], np.maximum(low, high)[None, :]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_functions_lie_between_their_lines(name, library):
    function, arrays = FUNCTIONS[name], NUMPY if library == "numpy" else arrays_for("cpu", torch=True)
    low, high = intervals(function, np.random.default_rng(5))
    lines, least, most, undefined = relaxed(
        arrays, function, arrays.array(low), arrays.array(high), float32=False
    )
    assert not bool(undefined.any())
    numbers = [lines.low_slope, lines.low_shift, lines.high_slope, lines.high_shift, least, most]
    k, c, m, d, bottom, top = (arrays.numpy(v) for v in numbers)
    for share in np.linspace(0, 1, 101):
        h = (low + share * (high - low)).clip(low, high)
        value = function.value(np, h)
        slack = 1e-12 * np.abs(value)
        assert (k * h + c <= value + slack + 1e-15 * np.abs(k * h)).all()
        assert (m * h + d >= value - slack - 1e-15 * np.abs(m * h)).all()
        assert (bottom <= value + slack).all()
        assert (top >= value - slack).all()
    if name in ("sign", "step"):
        return
    # On a short interval without a jump, both lines are close to the function.
    middle, value = (low + high) / 2, function.value(np, (low + high) / 2)
    short = (high - low < 0.02) & (np.abs(middle) > 0.05) & (np.abs(value) < 100)
    gap = (m * middle + d) - (k * middle + c)
    assert gap[short].max() < 0.05 * (1 + np.abs(value[short]).max())


def test_outside_of_the_domain_nothing_is_claimed():
    for function, low, high in (
        (functions.logarithm(), -0.5, 1.0),
        (functions.power(-1.0), -1.0, 1.0),
        (functions.power(0.5), -1e-9, 1.0),
        (functions.exponential(), 0.0, 1e4),
    ):
        bounds = np.array([[low]]), np.array([[high]])
        assert relaxed(NUMPY, function, *bounds, float32=True)[3].all()


@pytest.mark.parametrize("name", CASES)
def test_bounds_contain_samples(name):
    network = from_bytes(CASES[name](), name)
    rng = np.random.default_rng(11)
    for width in (0.02, 1.5):
        low = rng.normal(size=network.inputs).astype(np.float32).astype(np.float64)
        if name in POSITIVE:
            low = np.abs(low) + 0.25
        high = (low + width * rng.random(network.inputs)).astype(np.float32).astype(np.float64)
        points = low + rng.random((40, network.inputs)) * (high - low)
        points = np.vstack([low, high, points]).astype(np.float32).astype(np.float64).clip(low, high)
        for arithmetic in ("real", "float32"):
            values = network.evaluate(points) if arithmetic == "real" else replay(network, points)
            slack = 1e-12 * (1 + np.abs(values).max()) if arithmetic == "real" else 0.0
            model = model_of(network, arithmetic, logits=False)
            for bounds in every_domain(model, low, high, strict=width < 0.1 or name not in POSITIVE | NORMS):
                assert (values >= bounds[0] - slack).all()
                assert (values <= bounds[1] + slack).all()
                if width == 0.02 and name not in ("sign", "compare", "where-computed"):
                    assert (bounds[1] - bounds[0]).max() < 1.0


def every_domain(model, low, high, *, strict):
    """Bounds of each domain; only where it is not `strict` may one of them fear that a domain is left."""
    found = []
    for compute in (
        lambda: output_bounds(model, low, high, "interval"),
        lambda: output_bounds(model, low, high, "crown"),
        lambda: zonotope_bounds(model, low, high),
    ):
        try:
            found.append(compute())
        except Unsupported:
            assert not strict
    return found


def test_a_domain_that_is_left_is_unsupported():
    for name in ("sqrt", "reciprocal", "cast-up-and-down", "pow-negative"):
        network = from_bytes(CASES[name](), name)
        box = np.full(network.inputs, -1.0), np.full(network.inputs, 1.0)
        if name == "sqrt":  # of an absolute value, which round-off alone can make negative
            model = model_of(network, "float32")
        else:
            model = model_of(network, "real")
        with pytest.raises(Unsupported):
            output_bounds(model, *box, "interval")


def test_a_softmax_of_large_differences_is_bounded():
    """Sums up to e**80 round by more than their least value, 1; what is reached lies within the bounds."""
    network = from_bytes(CASES["softmax"](), "softmax")
    size = network.inputs
    model = model_of(network, logits=False)
    low, high = output_bounds(model, np.full(size, -1000.0), np.full(size, 1000.0))
    assert np.isfinite(low).all()
    assert (high < 1.1).all()
    points = np.random.default_rng(3).choice([-1000.0, 0.0, 0.1, 1000.0], (200, size))
    values = replay(network, points)
    assert (values >= low).all()
    assert (values <= high).all()
