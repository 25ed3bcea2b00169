"""Measures of single inputs, as tools for testing networks report them, beside the methods on pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vouch.nn.arrays import Array
from vouch.nn.cover.methods import Bools
from vouch.nn.cover.potentials import LayeredNetwork


@dataclass(frozen=True, slots=True)
class Classic:
    """`threshold`: a neuron is active above it; `sections` of a neuron's range; the `top` neurons of a
    layer."""

    threshold: float = 0.0
    sections: int = 100
    top: int = 1


@dataclass(frozen=True, slots=True)
class CoverageMeasure:
    """`covered` of `total` targets: neurons, sections of their ranges, or ends of them."""

    name: str
    covered: int
    total: int

    @property
    def share(self) -> float:
        return self.covered / self.total


def classic(
    network: LayeredNetwork, rows: Array, profile: Array, choice: Classic | None = None
) -> list[CoverageMeasure]:
    """Neuron, k-multisection, boundary and top-k coverage of `rows`; ranges are those that `profile` (the
    training data, say) reaches."""
    choice = choice or Classic()
    values, known = network.of(rows), network.of(profile)
    active = sum(int((layer > choice.threshold).any(0).sum()) for layer in values)
    top = sum(int(_top(layer, choice.top).any(0).sum()) for layer in values)
    sections = ends = 0
    for layer, reached in zip(values, known, strict=True):
        low, high = reached.min(0), reached.max(0)
        sections += _sections(layer, low, high, choice.sections)
        ends += int((layer < low).any(0).sum() + (layer > high).any(0).sum())
    neurons = network.neurons
    return [
        CoverageMeasure("neuron", active, neurons),
        CoverageMeasure("sections", sections, choice.sections * neurons),
        CoverageMeasure("boundary", ends, 2 * neurons),
        CoverageMeasure("top", top, neurons),
    ]


def _top(layer: Array, count: int) -> Bools:
    """Which neurons are among the `count` largest of their layer."""
    if count >= layer.shape[1]:
        return np.ones(layer.shape, dtype=bool)
    least = np.partition(layer, -count, axis=1)[:, -count, None]
    return np.asarray(layer >= least)


def _sections(layer: Array, low: Array, high: Array, count: int) -> int:
    """How many of `count` equal sections of low..high some row falls into, over all neurons. A neuron whose
    range is one point has one section, counted once."""
    width = high - low
    inside = (layer >= low) & (layer <= high)
    scaled = (layer - low) / np.where(width > 0, width, 1.0) * count
    section = np.clip(scaled, 0, count - 1).astype(np.int64)
    numbers = section + count * np.arange(layer.shape[1])
    return len(np.unique(numbers[inside]))
