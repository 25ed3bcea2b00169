"""A lowered network with its round-off: what every bound is computed from.

Each affine node is taken to compute M z + b + noise with |noise| <= `noise(node, |z|)`. The noise covers

- the float64 round-off of the bound computation itself, however it sums (a-priori bounds, see below);
- what folding maps lost (`weight_error`, `bias_error`), and the `noise` that a node is said to have;
- with arithmetic "float32", the round-off of the network's own float32 arithmetic in any order of
  summation, with or without fused multiply-add, and flushing of denormals; also where a runtime folds
  products and sums with constants (a batch normalisation) into the sum of products before them, or moves
  a scale from before a product sum to behind it. What is folded may underflow where the parts do not: see
  `height`.

So a bound that accounts for the noise of every node holds for the network as it is run, and no other code
has to think of rounding. Why one noise term per node is enough for the float64 part: substituting a row A
backwards through a node changes, by rounding, the bound by at most a small multiple of UNIT times
|A| (|M| |z| + |b|); slopes, intercepts and partial sums are bounded by the same quantity. `_SAFETY` counts
these operations generously over the whole network.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.arrays import UNIT32
from vouch.nn.bounds.arrays import NUMPY, Arrays
from vouch.nn.linear import Dense, LinearMap, Sparse
from vouch.nn.lowered import (
    Activation,
    Affine,
    AffineGap,
    Input,
    Lowered,
    LoweredNode,
    Maximum,
    Multiply,
    NodeKind,
)

if TYPE_CHECKING:
    from vouch.nn.bounds.relaxation import Relaxation
    from vouch.nn.network import Network

Arithmetic = Literal["real", "float32"]

UNIT64 = 2.0**-53
_SAFETY = 16
# Largest absolute error that a runtime's float32 sigmoid or tanh may have; onnxruntime's rational
# approximations stay below 1e-6.
CURVE_ERROR32 = 2.0**-18
# What one float32 operation loses at most to underflow, denormals flushed to zero or not.
_FLUSHED32 = 2.0**-126
_TINY64 = 2.0**-1000
# A little below the largest float32.
LARGEST32 = 3.4e38


class IntegerRules(Protocol):
    """Values are numbers of a format: they lie on a grid, and sums that leave the word come back into it."""

    def curve_error(self, index: int) -> float:
        """Bound of the difference between the table at an activation node and the function."""

    def leaves(self, index: int, low: Any, high: Any, sources: list[tuple[Any, Any]]) -> Any | None:
        """Which values of an affine node may be changed by their word, given bounds of the sum itself and
        of what the node reads; None: none of them."""

    def confined(self, index: int, low: Any, high: Any, leaves: Any | None) -> tuple[Any, Any, Any | None]:
        """Bounds of an affine node's values in their word and on their grid, and what is to be added to the
        noise of those that may be changed."""

    def looked_up(
        self, index: int, relaxation: Relaxation, low: Any, high: Any
    ) -> tuple[Relaxation, Any, Any] | None:
        """A relaxation of a table and an interval of its values, given that of the function; None where the
        node is no table."""


@dataclass(frozen=True, slots=True, eq=False)
class BoundModel:
    """The nodes, and which of them are non-linear.

    `activations` lists the indices of activation nodes; `slots[index]` is the slice of a state vector
    [batch, neurons] that belongs to the inputs of that activation. Kinds are ReLU, sigmoid, tanh, the
    functions of `nn.functions`, and the difference of two of the former. `products` lists the nodes that
    multiply; their slots hold the left operands, then the right ones.
    """

    lowered: Lowered
    arithmetic: Arithmetic
    arrays: Arrays
    activations: tuple[int, ...]
    products: tuple[int, ...]
    slots: dict[int, slice]
    neurons: int
    biases: dict[int, Any]
    size_of_biases: dict[int, Any]
    factors: dict[int, float]
    bias_noise: dict[int, Any]
    reaches: dict[int, tuple[float, ...]]
    integers: IntegerRules | None = None
    """What holds beyond real arithmetic where every value is a number of a fixed-point format."""

    @property
    def inputs(self) -> int:
        return self.lowered.nodes[0].size

    @property
    def outputs(self) -> int:
        return self.lowered.nodes[-1].size

    @property
    def output(self) -> int:
        return len(self.lowered.nodes) - 1

    def node(self, index: int) -> Any:
        return self.lowered.nodes[index]

    @property
    def coefficients(self) -> int:
        """What one pass through the affine nodes multiplies."""
        nodes = (node for node in self.lowered.nodes if isinstance(node, Affine))
        return sum(map_.rows * min(map_.columns, map_.terms) for node in nodes for map_ in node.maps)

    def on_cpu(self) -> BoundModel:
        """The same model in numpy."""
        if self.arrays.device is None or self.integers is not None:
            return self

        def numpy(parts: dict[int, Any]) -> dict[int, Any]:
            return {index: self.arrays.numpy(part) for index, part in parts.items()}

        return replace(
            self,
            arrays=NUMPY,
            biases=numpy(self.biases),
            size_of_biases=numpy(self.size_of_biases),
            bias_noise=numpy(self.bias_noise),
        )

    def roughly(self) -> BoundModel:
        """The same model in float32, for guesses: none of its bounds is sound."""
        arrays = replace(self.arrays, rough=True)
        return replace(self, arrays=arrays, biases={i: arrays.cast(b) for i, b in self.biases.items()})

    def until(self, index: int) -> BoundModel:
        """The model that ends with node `index`: what every node before it computes, rounding included. Its
        neurons are the first ones of this model."""
        within = {i: part for i, part in self.slots.items() if i < index}
        return replace(
            self,
            lowered=Lowered(self.lowered.nodes[: index + 1]),
            activations=tuple(i for i in self.activations if i < index),
            products=tuple(i for i in self.products if i < index),
            slots=within,
            neurons=max((part.stop for part in within.values()), default=0),
        )

    def after(self, index: int) -> BoundModel:
        """The model of what follows node `index`, whose values are its inputs: no node behind reads an
        earlier one. Its neurons are the last ones of this model."""
        first = self.slots[index].stop
        later = [i for i in self.slots if i > index]

        def moved(parts: dict[int, Any]) -> dict[int, Any]:
            return {i - index: part for i, part in parts.items() if i > index}

        nodes = tuple(_read_from(node, index) for node in self.lowered.nodes[index + 1 :])
        return replace(
            self,
            lowered=Lowered((Input(self.node(index).size), *nodes), self.lowered.softmax),
            activations=tuple(i - index for i in self.activations if i > index),
            products=tuple(i - index for i in self.products if i > index),
            slots={i - index: slice(self.slots[i].start - first, self.slots[i].stop - first) for i in later},
            neurons=self.neurons - first,
            biases=moved(self.biases),
            size_of_biases=moved(self.size_of_biases),
            factors=moved(self.factors),
            bias_noise=moved(self.bias_noise),
            reaches=moved(self.reaches),
        )

    def height(self, index: int, sizes: list[Any], heights: dict[int, Any]) -> Any:
        """In float32: a bound of every number that a runtime may meet on the way to an affine node,
        [batch], however it associates the constants of the affine nodes in a row up to here: weights
        multiplied with each other before any input is seen, products before a scale that makes them
        smaller. Kept in `heights`; the nodes in front of the row start it with their values, at least 1.

        As long as it is finite in float32 nothing overflows, and an underflow on the way costs at most
        its own size times the height.
        """
        node = self.lowered.nodes[index]
        assert isinstance(node, Affine)
        xp = self.arrays.xp
        total = self.size_of_biases[index].max()
        for reach, source, size in zip(self.reaches[index], node.inputs, sizes, strict=True):
            start = heights.get(source)
            total = total + reach * (xp.amax(size, 1).clip(min=1.0) if start is None else start)
        if not isinstance(node, AffineGap):
            heights[index] = total
        return total

    def noise(self, index: int, sizes: list[Any], heights: dict[int, Any]) -> tuple[Any, Any]:
        """Bounds of |noise| and of |M| |z| + |b| for an affine node, given bounds of |z| for each input and
        the heights of the nodes before it; its own is added."""
        node = self.lowered.nodes[index]
        assert isinstance(node, Affine)
        mass = self.size_of_biases[index]
        for linear, size in zip(node.maps, sizes, strict=True):
            mass = mass + linear.absolute().apply(size)
        noise = mass * self.factors[index]
        if index in self.bias_noise:
            noise = noise + self.bias_noise[index]
        if node.weight_error or node.bias_error:
            total = sum(size.sum(1) for size in sizes)
            noise = noise + (total * (2 * node.weight_error) + 2 * node.bias_error)[:, None]
        for linear, size in zip(node.losses, sizes, strict=False):
            noise = noise + linear.apply(size)
        if self.arithmetic == "float32":
            lost = (2 * _terms(node) + 8) * _FLUSHED32
            return noise + (lost * self.height(index, sizes, heights))[:, None], mass
        return noise + _TINY64, mass

    def curve_error(self, index: int) -> float:
        """Bound of the error of one sigmoid or tanh, in the network and in our own evaluation."""
        if self.integers is not None:
            return self.integers.curve_error(index)
        return CURVE_ERROR32 if self.arithmetic == "float32" else 2.0**-49

    def run(self, x: Any) -> Any:
        """Float64 values of the outputs."""
        return self.lowered.evaluate(x)


def model_of(
    network: Network, arithmetic: Arithmetic = "float32", arrays: Arrays = NUMPY, *, logits: bool = True
) -> BoundModel:
    """Raises Unsupported for networks that cannot be lowered. Without `logits`, a softmax at the end is part
    of the model."""
    from vouch.nn.lowering import lower  # all operators, which code that was lifted does without

    lowered = lower(network, fold=arithmetic == "real", relu_only=True, logits=logits)
    return model_from(lowered, arithmetic, arrays)


def model_from(lowered: Lowered, arithmetic: Arithmetic, arrays: Arrays = NUMPY) -> BoundModel:
    activations = tuple(i for i, node in enumerate(lowered.nodes) if isinstance(node, Activation))
    products = tuple(i for i, node in enumerate(lowered.nodes) if isinstance(node, Multiply))
    slots, start = {}, 0
    for index in sorted((*activations, *products)):
        node = lowered.nodes[index]
        if isinstance(node, Activation) and node.kind in (NodeKind.LEAKY_RELU, NodeKind.CLIP):
            raise Unsupported(f"bounds of {node.kind}")
        width = 2 * node.size if isinstance(node, Multiply) else node.size
        slots[index] = slice(start, start + width)
        start += width
    affine = {i: node for i, node in enumerate(lowered.nodes) if isinstance(node, Affine)}
    if any(isinstance(node, Maximum) for node in lowered.nodes):
        raise Unsupported("bounds of a maximum that was not written out")
    every = sum(_terms(node) for node in affine.values()) + 4 * len(lowered.nodes) + 8
    factors = {}
    for index, node in affine.items():
        factor = _SAFETY * every * UNIT64
        # The rounding of a difference is that of its two nodes; whoever asks for its noise adds theirs.
        if arithmetic == "float32" and not _moves_only(node) and not isinstance(node, AffineGap):
            # One product per term, and as many additions; the bias, and a division or a scale on the way.
            steps = (_terms(node) + 6) * UNIT32
            factor += steps / (1 - steps)
        factors[index] = factor
    return BoundModel(
        lowered,
        arithmetic,
        arrays,
        activations,
        products,
        slots,
        start,
        {i: arrays.array(node.bias) for i, node in affine.items()},
        {i: arrays.array(np.abs(node.bias)) for i, node in affine.items()},
        factors,
        {i: arrays.array(b) for i, b in _bias_noise(affine, arithmetic).items()},
        {i: tuple(map(_reach, node.maps)) for i, node in affine.items()} if arithmetic == "float32" else {},
    )


def _read_from(node: LoweredNode, first: int) -> LoweredNode:
    """A node of the part that begins with node `first`."""
    if isinstance(node, Affine):
        return replace(node, inputs=tuple(i - first for i in node.inputs))
    if isinstance(node, Activation):
        return replace(node, input=node.input - first)
    raise Unsupported("a part of a network with products or differences")


def _reach(linear: LinearMap) -> float:
    """The largest sum of absolute values in a row, and the largest entry of a product with others."""
    rows = linear.absolute().apply(np.ones((1, linear.columns)))
    return max(1.0, float(rows.max(initial=0.0)))


def _bias_noise(affine: dict[int, Affine], arithmetic: Arithmetic) -> dict[int, Any]:
    """The noise of the nodes themselves and, in float32, that of constants."""
    found = _folding_noise(affine) if arithmetic == "float32" else {}
    for index, node in affine.items():
        if node.noise is not None:
            found[index] = found.get(index, 0.0) + node.noise
    return found


def _folding_noise(affine: dict[int, Affine]) -> dict[int, Any]:
    """What folding a constant into the sums before it adds to its rounding: one for every term there.

    The rest of a folded node's rounding is that of its parts: a weight is a product of theirs, whose relative
    errors are counted where each of them is used.
    """
    before: dict[int, int] = {}
    found = {}
    for index, node in affine.items():
        sums = [before[i] + _terms(affine[i]) for i in node.inputs if i in affine]
        before[index] = max(sums, default=0)
        if before[index] and node.bias.any() and not isinstance(node, AffineGap):
            steps = before[index] * UNIT32
            found[index] = np.abs(node.bias) * (steps / (1 - steps))
    return found


def _terms(node: Affine) -> int:
    return sum(linear.terms for linear in node.maps)


def _moves_only(node: Affine) -> bool:
    """The node copies single elements, which rounds nothing."""
    parts = (node.bias != 0) * 1
    for linear in node.maps:
        if not (isinstance(linear, Sparse) and linear.selects):
            return False
        parts = parts + np.diff(linear.matrix.indptr)
    return bool((parts <= 1).all())


def rows_of(linear: LinearMap, chosen: Any, like: Any) -> Any:
    """The chosen rows of the map's matrix, in the library of `like`."""
    if isinstance(linear, Dense) and isinstance(like, np.ndarray):
        return linear.matrix[chosen]
    if isinstance(like, np.ndarray):
        units = np.zeros((len(chosen), linear.rows))
        units[np.arange(len(chosen)), chosen] = 1.0
        return linear.transpose(units)
    import torch

    units = torch.zeros((len(chosen), linear.rows), dtype=torch.float64, device=like.device)
    units[torch.arange(len(chosen), device=like.device), chosen] = 1.0
    return linear.transpose(units)
