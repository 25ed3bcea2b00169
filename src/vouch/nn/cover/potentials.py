"""The layers of a network as coverage sees them: what every neuron adds up to before its activation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.arrays import Array
from vouch.nn.fixed import network as integers
from vouch.nn.fixed.evaluate import values as integer_values
from vouch.nn.fixed.network import IntegerNetwork
from vouch.nn.lowered import Activation, Lowered
from vouch.nn.lowering import lower, sources
from vouch.nn.network import Network


@dataclass(frozen=True, slots=True)
class CoveredLayer:
    """`node` computes the layer's activation potentials; `after` lists the layers whose outputs it reads, by
    their place in the list of layers."""

    node: int
    size: int
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LayeredNetwork(ABC):
    """A network cut into layers: every input of an activation is one, and so is the output. The inputs of
    the network are no neurons."""

    layers: tuple[CoveredLayer, ...]

    @property
    def neurons(self) -> int:
        return sum(layer.size for layer in self.layers)

    @property
    def adjacent(self) -> list[tuple[int, int]]:
        """Pairs of layers (condition, decision)."""
        return [(before, place) for place, layer in enumerate(self.layers) for before in layer.after]

    @abstractmethod
    def of(self, rows: Array) -> list[Array]:
        """The potentials of every layer for rows [batch, inputs]."""


@dataclass(frozen=True, slots=True, eq=False)
class Potentials(LayeredNetwork):
    """Values are those of float64."""

    lowered: Lowered

    def of(self, rows: Array) -> list[Array]:
        values = self.lowered.values(rows)
        return [values[layer.node] for layer in self.layers]


@dataclass(frozen=True, slots=True, eq=False)
class FixedPotentials(LayeredNetwork):
    """Values are what the integers of a fixed-point network mean. Inputs are converted first."""

    network: IntegerNetwork

    def of(self, rows: Array) -> list[Array]:
        formats = self.network.formats
        numbers = formats[0].convert(np.asarray(rows, dtype=np.float64))
        values = integer_values(self.network, numbers)
        return [formats[layer.node].reals(values[layer.node]) for layer in self.layers]


def potentials(network: Network) -> Potentials:
    """Raises Unsupported where the network has no lowered form."""
    lowered = lower(network)
    return Potentials(_layers(lowered.nodes, (Activation,), [sources(n) for n in lowered.nodes]), lowered)


def fixed_potentials(network: IntegerNetwork) -> FixedPotentials:
    read = [integers.sources(node) for node in network.nodes]
    return FixedPotentials(_layers(network.nodes, _FIXED_ACTIVATIONS, read), network)


_FIXED_ACTIVATIONS = (integers.Clamp, integers.Leaky, integers.Lookup)


def _layers(
    nodes: Sequence[Any], activations: tuple[type, ...], read: Sequence[Sequence[int]]
) -> tuple[CoveredLayer, ...]:
    """`read`: the nodes that each node reads; one that reads none is the input."""
    last = len(nodes) - 1
    # An output that is the result of an activation has its potentials before that.
    ends = isinstance(nodes[last], activations)
    starts = {
        source
        for node, own in zip(nodes, read, strict=True)
        if isinstance(node, activations)
        for source in own
    }
    starts |= set() if ends else {last}
    places: dict[int, int] = {}
    reached: list[frozenset[int]] = []
    layers: list[CoveredLayer] = []
    for index, node in enumerate(nodes):
        before = frozenset().union(*(reached[source] for source in read[index]))
        if index in starts and read[index]:
            places[index] = len(layers)
            layers.append(CoveredLayer(index, node.size, tuple(sorted(before))))
            before = frozenset({places[index]})
        reached.append(before)
    return tuple(layers)
