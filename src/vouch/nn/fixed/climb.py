"""Looks for violations among integers: one input at a time goes where the outputs come nearer to a region.

Slopes of the real functions say little where tables are coarse and words overflow; this follows the numbers
themselves. For networks so small that trying all inputs in turn costs little.
"""

from __future__ import annotations

import numpy as np

from vouch.nn.fixed.cases import IntCase
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.format import Ints
from vouch.nn.fixed.network import IntegerNetwork
from vouch.nn.property import Array
from vouch.nn.search.task import Clock

_STARTS, _SWEEPS = 24, 4
# Products that all tries together may take.
_WORK = 1 << 28


def climbed(network: IntegerNetwork, case: IntCase, clock: Clock, seed: int) -> Ints:
    """Inputs [some, inputs] of the box from which no single input leads nearer to a region."""
    rng, counts = np.random.default_rng(seed), case.counts
    places = rng.integers(0, counts, size=(_STARTS, len(counts)))
    places[::2] = np.where(rng.random(places[::2].shape) < 0.5, 0, counts - 1)
    tries = 4 * _STARTS * len(case.free) * _SWEEPS
    if tries * max(1, network.work) > _WORK:
        return case.numbers(places)
    far = _far(network, case, places)
    for _ in range(_SWEEPS):
        before = far.sum()
        for axis in rng.permutation(case.free):
            ends = [np.zeros(_STARTS, dtype=np.int64), np.full(_STARTS, counts[axis] - 1)]
            inner = [rng.integers(0, counts[axis], _STARTS) for _ in range(2)]
            places, far = _best(network, case, places, far, int(axis), [*ends, *inner])
        if clock.over or (far <= 0).any() or far.sum() >= before:
            break
    return case.numbers(places)


def _best(
    network: IntegerNetwork, case: IntCase, places: Ints, far: Array, axis: int, tried: list[Ints]
) -> tuple[Ints, Array]:
    """Each point with the value of one input, the present one or one that is tried, that is best."""
    points = np.tile(places, (len(tried), 1))
    points[:, axis] = np.concatenate(tried)
    found = np.concatenate([far, _far(network, case, points)]).reshape(len(tried) + 1, -1)
    best = found.argmin(axis=0)
    every = np.concatenate([places, points]).reshape(len(tried) + 1, *places.shape)
    rows = np.arange(len(places))
    return every[best, rows], found[best, rows]


def _far(network: IntegerNetwork, case: IntCase, places: Ints) -> Array:
    numbers = case.numbers(places)
    return np.asarray(case.excess(numbers, evaluate(network, numbers)))
