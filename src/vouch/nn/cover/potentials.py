"""The layers of a network as coverage sees them: what every neuron adds up to before its activation."""

from __future__ import annotations

from dataclasses import dataclass

from vouch.nn.lowered import Activation, Input, Lowered
from vouch.nn.lowering import lower, sources
from vouch.nn.network import Network
from vouch.nn.operators.base import Array


@dataclass(frozen=True, slots=True)
class CoveredLayer:
    """`node` computes the layer's activation potentials; `after` lists the layers whose outputs it reads, by
    their place in the list of layers."""

    node: int
    size: int
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Potentials:
    """A network cut into layers: every input of an activation is one, and so is the output. The inputs of
    the network are no neurons. Values are those of float64."""

    lowered: Lowered
    layers: tuple[CoveredLayer, ...]

    @property
    def neurons(self) -> int:
        return sum(layer.size for layer in self.layers)

    @property
    def adjacent(self) -> list[tuple[int, int]]:
        """Pairs of layers (condition, decision)."""
        return [(before, place) for place, layer in enumerate(self.layers) for before in layer.after]

    def of(self, rows: Array) -> list[Array]:
        """The potentials of every layer for rows [batch, inputs]."""
        values = self.lowered.values(rows)
        return [values[layer.node] for layer in self.layers]


def potentials(network: Network) -> Potentials:
    """Raises Unsupported where the network has no lowered form."""
    lowered = lower(network)
    return Potentials(lowered, _layers(lowered))


def _layers(lowered: Lowered) -> tuple[CoveredLayer, ...]:
    last = len(lowered.nodes) - 1
    # An output that is the result of an activation has its potentials before that.
    ends = isinstance(lowered.nodes[last], Activation)
    starts = {node.input for node in lowered.nodes if isinstance(node, Activation)}
    starts |= set() if ends else {last}
    places: dict[int, int] = {}
    reached: list[frozenset[int]] = []
    layers: list[CoveredLayer] = []
    for index, node in enumerate(lowered.nodes):
        before = frozenset().union(*(reached[source] for source in sources(node)))
        if index in starts and not isinstance(node, Input):
            places[index] = len(layers)
            layers.append(CoveredLayer(index, node.size, tuple(sorted(before))))
            before = frozenset({places[index]})
        reached.append(before)
    return tuple(layers)
