"""Random graphs: evaluation, lowering and replay agree."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from random_networks import random_model

from vouch.nn.linear import is_torch
from vouch.nn.loaders.onnx import from_bytes
from vouch.nn.lowering import lower
from vouch.nn.replay import replay


def check(seed):
    rng = np.random.default_rng(seed)
    network = from_bytes(
        random_model(seed, inputs=int(rng.integers(2, 5)), steps=int(rng.integers(1, 12))), "n"
    )
    x = rng.uniform(-2, 2, size=(4, network.inputs)).astype(np.float32).astype(np.float64)
    reference = network.evaluate(x)
    size = 1 + np.abs(reference).max()
    for fold in (True, False):
        for relu_only in (True, False):
            values = lower(network, fold=fold, relu_only=relu_only).evaluate(x)
            assert not is_torch(values)
            np.testing.assert_allclose(values, reference, atol=1e-11 * size)
    np.testing.assert_allclose(replay(network, x), reference, atol=1e-4 * size)
    exported = dataclasses.replace(network, model=None)
    np.testing.assert_allclose(replay(exported, x), reference, atol=1e-4 * size)


@pytest.mark.parametrize("block", range(4))
def test_random_networks(block):
    for seed in range(50 * block, 50 * block + 50):
        check(seed)


@pytest.mark.slow
def test_many_random_networks():
    for seed in range(1000, 4000):
        check(seed)
