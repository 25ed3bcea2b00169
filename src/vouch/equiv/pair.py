"""The two networks under comparison, as the engines see them: dense ReLU layers over the reals.

A `Chain` network holds float64 weights and, per layer, how far the exact reals may be from them. `Pair`
checks that the two fit together. What computes the outputs that a counterexample is replayed on is kept
beside the layers, so that a test "network" of another kind can be added without touching the engines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from vouch.errors import Unsupported, VouchError

if TYPE_CHECKING:
    from vouch.nn.network import Network

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """y = weights x + bias. The exact reals differ by at most weight_error * sum|x| + bias_error each."""

    weights: Array
    bias: Array
    weight_error: float = 0.0
    bias_error: float = 0.0

    @property
    def size(self) -> int:
        return len(self.bias)


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """A feed-forward network: ReLU after every layer but the last."""

    name: str
    layers: tuple[Layer, ...]
    source: Network | None = field(default=None, repr=False)
    softmax: bool = False

    @property
    def inputs(self) -> int:
        return int(self.layers[0].weights.shape[1])

    @property
    def outputs(self) -> int:
        return self.layers[-1].size

    @property
    def widths(self) -> tuple[int, ...]:
        return tuple(layer.size for layer in self.layers)

    def evaluate(self, x: Array) -> Array:
        """Float64 outputs for rows x [batch, inputs]."""
        for layer in self.layers[:-1]:
            x = np.maximum(x @ layer.weights.T + layer.bias, 0.0)
        return np.asarray(x @ self.layers[-1].weights.T + self.layers[-1].bias)

    def gradient(self, x: Array, direction: Array) -> Array:
        """Gradient of direction·output at each row of x; `direction` is [batch, outputs]."""
        masks = []
        for layer in self.layers[:-1]:
            x = x @ layer.weights.T + layer.bias
            masks.append(x > 0)
            x = np.maximum(x, 0.0)
        back = direction @ self.layers[-1].weights
        for layer, mask in zip(reversed(self.layers[:-1]), reversed(masks), strict=True):
            back = (back * mask) @ layer.weights
        return np.asarray(back)


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Reference and test network over the same inputs, with outputs that correspond by index."""

    reference: Chain
    test: Chain

    def __post_init__(self) -> None:
        same_sizes(self.reference, self.test)

    @property
    def same_structure(self) -> bool:
        return self.reference.widths == self.test.widths

    @property
    def identical(self) -> bool:
        """Whether both are the very same function, weight by weight."""
        return self.same_structure and all(
            np.array_equal(a.weights, b.weights)
            and np.array_equal(a.bias, b.bias)
            and a.weight_error == a.bias_error == b.weight_error == b.bias_error == 0.0
            for a, b in zip(self.reference.layers, self.test.layers, strict=True)
        )

    @property
    def related(self) -> bool:
        """Same structure and weights close to each other: neuron-by-neuron differences are worth it."""
        if not self.same_structure:
            return False
        pairs = list(zip(self.reference.layers, self.test.layers, strict=True))
        change = sum(float(np.abs(a.weights - b.weights).sum()) for a, b in pairs)
        return change <= 0.1 * sum(float(np.abs(a.weights).sum()) for a, _ in pairs)


def same_sizes(r: Any, t: Any) -> None:
    """Refuses two networks that cannot be compared."""
    if r.inputs != t.inputs:
        raise VouchError(f"{r.name} takes {r.inputs} inputs, {t.name} takes {t.inputs}")
    if r.outputs != t.outputs:
        raise VouchError(f"{r.name} has {r.outputs} outputs, {t.name} has {t.outputs}")


def dense(network: Any, name: str | None = None, *, as_computed: bool = False) -> Chain:
    """The dense form of a file name, a `Network` or a list of (weights, bias); `Chain` is passed through.

    `as_computed` insists that every layer is one product sum of the model, which an error analysis of its
    own arithmetic needs. Raises Unsupported for a network that is no plain dense ReLU network.
    """
    if isinstance(network, Chain):
        return network
    if isinstance(network, (list, tuple)):
        layers = tuple(
            Layer(np.array(w, dtype=np.float64), np.array(b, dtype=np.float64)) for w, b in network
        )
        return Chain(name or "network", layers)
    from vouch.nn.loaders import load
    from vouch.nn.lowered import Activation, Kind, lower
    from vouch.nn.network import Network

    source = network if isinstance(network, Network) else load(network)
    lowered = lower(source, relu_only=True, fold=not as_computed)
    chain = lowered.as_chain()
    if chain is None and as_computed and lower(source, relu_only=True).as_chain() is not None:
        raise Unsupported(
            f"{source.name}: float32 rounding between linear operations in a row is not covered"
        )
    if chain is None:
        odd = next(
            (
                str(node.kind)
                for node in lowered.nodes
                if isinstance(node, Activation) and node.kind is not Kind.RELU
            ),
            "branches",
        )
        raise Unsupported(f"{source.name}: the engine takes only feed-forward ReLU networks ({odd})")
    layers = tuple(
        Layer(node.maps[0].dense(), node.bias, node.weight_error, node.bias_error) for node in chain
    )
    return Chain(name or source.name, layers, source, lowered.softmax)
