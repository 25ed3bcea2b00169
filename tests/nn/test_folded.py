"""Constants that onnxruntime folds in float32: what under- or overflows there may not be proved away.

Each model is harmless operator by operator; folded, a weight or a sum leaves the range of float32. That the
runtime really does so is part of every test, or the test would show nothing.
"""

from __future__ import annotations

import numpy as np
import pytest
from onnx_models import model, node
from tests.patience import slowed

from vouch.nn.loaders.onnx import from_bytes
from vouch.nn.property import output_union
from vouch.nn.replay import replay
from vouch.nn.search import verify
from vouch.settings import resolve
from vouch.verdict import Verdict

F = np.float32


def conv_mul(weight, scale):
    constants = {"w": np.full((1, 1, 1, 1), weight, F), "s": np.full((1, 1, 1), scale, F)}
    return model([node("Conv", "x w", "c"), node("Mul", "c s")], [1, 1, 1, 1], constants)


def conv_normalised(weight, scale):
    names = {"g": scale, "b": 0.0, "m": 0.0, "v": 1.0}
    constants = {name: np.full(1, value, F) for name, value in names.items()}
    constants["w"] = np.full((1, 1, 1, 1), weight, F)
    nodes = [node("Conv", "x w", "c"), node("BatchNormalization", "c g b m v", epsilon=0.0)]
    return model(nodes, [1, 1, 1, 1], constants)


def scaled_matmul(weight, scale):
    constants = {"s": np.array(scale, F), "w": np.full((1, 1), weight, F)}
    return model([node("Mul", "x s", "c"), node("MatMul", "c w")], [1, 1], constants)


def gemm_alpha(weight, scale):
    return model([node("Gemm", "x w", alpha=scale)], [1, 1], {"w": np.full((1, 1), weight, F)})


def mean_of_many(weight, scale):
    nodes = [node("Mul", "x w", "c"), node("ReduceMean", "c", axes=[1]), node("Mul", "y s", "z")]
    constants = {"w": np.full((1, 100), weight, F), "s": np.array(scale, F)}
    return model(nodes, [1, 1], constants, output="z")


def decided(network, low, high, arithmetic, least, seconds=60):
    """The verdict on "the output is at least `least`"."""
    prop = output_union(np.array([low]), np.array([high]), [(np.array([[1.0]]), np.array([least]))])
    return verify(network, prop, resolve("nn", {"arithmetic": arithmetic, "timeout": seconds, "jobs": 1}))


@pytest.mark.parametrize(
    ("make", "weight", "scale", "low"),
    [
        (conv_mul, 1e-30, 1e-20, 1e30),
        (conv_mul, 1e30, 1e20, 1e-30),
        (conv_normalised, 1e-30, 1e-20, 1e30),
        (conv_normalised, 1e30, 1e20, 1e-30),
        (scaled_matmul, 1e30, 1e-30, 1e30),
        (gemm_alpha, 1e30, 1e-30, 1e30),
        (mean_of_many, 1.0, 1.0, 1e38),
    ],
)
def test_folding_out_of_range_is_no_proof(make, weight, scale, low):
    network = from_bytes(make(weight, scale), "folded")
    truth = low * weight * scale
    seen = replay(network, np.array([[low]]))[0, 0]
    assert not 0.5 * truth <= seen <= 2 * truth, "this runtime does not fold here"
    if make is not conv_normalised:  # the quotient of a normalisation is bounded too widely at this scale
        assert decided(network, low, 1.5 * low, "real", 0.5 * truth).verdict is Verdict.SAFE
    # A wrong proof would take no time at all.
    assert decided(network, low, 1.5 * low, "float32", 0.5 * truth, 1).verdict is not Verdict.SAFE


@pytest.mark.parametrize("make", [conv_mul, conv_normalised, scaled_matmul, gemm_alpha, mean_of_many])
def test_ordinary_constants_are_still_proved(make):
    network = from_bytes(make(0.75, 1.25), "folded")
    truth = 0.75 * 1.25
    assert decided(network, 1.0, 2.0, "float32", 0.999 * truth).verdict is Verdict.SAFE
    assert decided(network, 1.0, 2.0, "float32", 1.001 * truth).verdict is Verdict.UNSAFE


def test_many_flushed_products_are_counted():
    """A thousand products below the smallest normal number add up to one that is well above it."""
    count, weight, low = 4096, 2.0**-100, 2.0**-27
    constants = {"w": np.full((count, 1), weight, F)}
    network = from_bytes(model([node("MatMul", "x w")], [1, count], constants), "small")
    box = np.full(count, low), np.full(count, 1.5 * low)
    prop = output_union(*box, [(np.array([[1.0]]), np.array([0.5 * count * weight * low]))])
    for arithmetic, verdict, seconds in (("real", True, 60), ("float32", False, slowed(1))):
        options = {"arithmetic": arithmetic, "timeout": seconds, "jobs": 1}
        result = verify(network, prop, resolve("nn", options))
        assert (result.verdict is Verdict.SAFE) == verdict
