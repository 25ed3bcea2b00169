"""Networks that are no plain chain of dense layers and ReLUs, as the falsifier and the joint engine see them.

`pair_of` gives the dense `Pair` wherever there is one, because the engines for it are stronger; anything else
that `vouch nn` reads (leaky ReLU, sigmoid, tanh, pooling, skip connections, ...) becomes a `GraphPair`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeAlias

import numpy as np

from vouch.equiv.pair import Array, Chain, Pair, dense, same_sizes
from vouch.errors import Unsupported
from vouch.nn.bounds.model import Model, model_of
from vouch.nn.network import Network


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """One network with its lowered form over the reals. A softmax at the end is left out of `model`."""

    name: str
    source: Network
    model: Model

    @property
    def inputs(self) -> int:
        return self.source.inputs

    @property
    def outputs(self) -> int:
        return self.source.outputs

    @property
    def softmax(self) -> bool:
        return self.model.lowered.softmax

    def evaluate(self, x: Array) -> Array:
        """Float64 outputs for rows x [batch, inputs]."""
        return np.asarray(self.model.run(x))

    def gradient(self, x: Array, direction: Array) -> Array:
        """Gradient of direction·output at each row of x; `direction` is [batch, outputs]."""
        from vouch.nn.search.falsify import gradient

        return gradient(self.model, self.model.lowered.values(x), direction)

    def bounds(self, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Sound bounds of the outputs over the reals for inputs lower..upper."""
        from vouch.nn.bounds.outputs import output_bounds

        return output_bounds(self.model, lower, upper)


@dataclass(frozen=True, slots=True, eq=False)
class GraphPair:
    """Reference and test network over the same inputs, with outputs that correspond by index."""

    reference: Graph
    test: Graph

    def __post_init__(self) -> None:
        same_sizes(self.reference, self.test)

    @property
    def identical(self) -> bool:
        """Whether both are the very same function, operator by operator."""
        return same_operators(self.reference.source, self.test.source)


Compared: TypeAlias = Pair | GraphPair


def pair_of(reference: Any, test: Any, *, as_computed: bool = False, graphs: bool = True) -> Compared:
    """The pair in its simplest form. Without `graphs`, raises Unsupported for what is no dense `Pair`."""
    try:
        return Pair(
            dense(reference, "reference", as_computed=as_computed),
            dense(test, "test", as_computed=as_computed),
        )
    except Unsupported:
        if not graphs:
            raise
    return GraphPair(graph(reference, "reference"), graph(test, "test"))


def graphs_of(pair: Compared) -> GraphPair:
    """The same pair for engines that know graphs only."""
    if isinstance(pair, GraphPair):
        return pair
    return GraphPair(graph(pair.reference, "reference"), graph(pair.test, "test"))


def graph(network: Any, name: str) -> Graph:
    """Raises Unsupported for what cannot be lowered."""
    from vouch.nn.api import as_network

    if isinstance(network, Chain):
        network = network.source or [(layer.weights, layer.bias) for layer in network.layers]
    source = as_network(network)
    return Graph(name, source, model_of(source, "real"))


def same_operators(first: Network, second: Network) -> bool:
    """Whether the two differ in the names of their nodes at most."""
    if first.inputs != second.inputs or len(first.nodes) != len(second.nodes):
        return False
    names = {first.input: second.input}
    for one, two in zip(first.nodes, second.nodes, strict=True):
        if tuple(names[name] for name in one.inputs) != two.inputs or not _equal(one.op, two.op):
            return False
        names[one.name] = two.name
    return first.input_shape == second.input_shape and names[first.output] == second.output


def _equal(one: Any, two: Any) -> bool:
    """Equality of operators, field by field, down to the numbers of their arrays."""
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, two)
    if isinstance(one, (tuple, list)):
        return len(one) == len(two) and all(map(_equal, one, two))
    if is_dataclass(one):
        return all(_equal(getattr(one, f.name), getattr(two, f.name)) for f in fields(one))
    return bool(one == two)
