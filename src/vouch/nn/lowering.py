"""Lowers a network: every operator adds its nodes to a `Builder`, then affine neighbours are folded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.arrays import LARGEST, UNIT, Array
from vouch.nn.compose import is_exact, is_identity, product, rounding, total
from vouch.nn.functions import ScalarFunction, power
from vouch.nn.linear import LinearMap, Sparse
from vouch.nn.lowered import Activation, Affine, Input, Lowered, LoweredNode, Maximum, Multiply, NodeKind
from vouch.nn.network import Network, Node
from vouch.nn.operators.base import Value


def lower(network: Network, *, fold: bool = True, relu_only: bool = False, logits: bool = True) -> Lowered:
    """The lowered form of a network; raises Unsupported for what has none.

    Rearrangements (reshape, transpose, slice, ...) and bias additions are always folded into their
    neighbours: that is exact. With `fold`, neighbouring linear maps are multiplied out too where that does
    not cost memory; `Affine.weight_error` bounds what float64 lost on the way. Without `fold`, every Affine
    is one arithmetic operation of the model (a product sum plus a bias), which is what an error analysis
    of float32 needs. With `relu_only`, leaky ReLU, clip and maximum are written out exactly with ReLU and
    affine nodes, for encodings that know nothing else. With `logits`, a softmax over all outputs at the end
    is left out; see `Lowered.softmax`.
    """
    builder = Builder(network.inputs, relu_only, as_run=not fold)
    values = {network.input: Value(0, network.input_shape)}
    last = _last_softmax(network) if logits else None
    for node in network.nodes:
        if node is last:
            builder.ended = True
            values[node.name] = values[node.inputs[0]]
            continue
        try:
            index = node.op.lower(builder, *(values[name] for name in node.inputs))
        except Unsupported as error:
            raise Unsupported(f"node {node.name!r} ({node.op.kind}): {error}") from None
        values[node.name] = Value(index, node.shape)
    output = values[network.output].node
    return Lowered(_reachable(_folded(builder.nodes, output, fold), output), builder.ended)


def _last_softmax(network: Network) -> Node | None:
    """The softmax over all outputs that the network ends in; only new shapes may follow it."""
    from vouch.nn.operators import Reshape, Softmax

    made = {node.name: node for node in network.nodes}
    node = made.get(network.output)
    while node is not None and isinstance(node.op, Reshape):
        node = made.get(node.inputs[0])
    if node is None or not isinstance(node.op, Softmax):
        return None
    read_once = sum(node.name in other.inputs for other in network.nodes) <= 1
    return node if read_once and node.op.over(node.shape) == math.prod(node.shape) else None


class Builder:
    """Collects lowered nodes. Operators call these methods; each returns the index of the node it added.
    `as_run` asks for what an analysis of float32 needs."""

    def __init__(self, inputs: int, relu_only: bool, as_run: bool) -> None:
        self.nodes: list[LoweredNode] = [Input(inputs)]
        self.relu_only, self.as_run = relu_only, as_run
        self.ended = False

    def _add(self, node: LoweredNode) -> int:
        if self.ended:
            raise Unsupported("something is computed from the result of a softmax")
        if node.size > LARGEST >> 4:
            raise Unsupported(f"{node.size} intermediate values")
        self.nodes.append(node)
        return len(self.nodes) - 1

    def affine(
        self,
        inputs: Sequence[int],
        maps: Sequence[LinearMap],
        bias: Array,
        *,
        weight_error: float = 0.0,
        bias_error: float = 0.0,
        losses: Sequence[LinearMap] = (),
    ) -> int:
        """A sum of maps and a bias. A repeated input, as in x + x, gets one map; not where there are
        `losses`."""
        merged: dict[int, LinearMap] = {}
        for index, linear in zip(inputs, maps, strict=True):
            if index in merged:
                both = total(merged[index], linear)
                if both is None:
                    raise Unsupported("two large maps of one value are added")
                linear = both
            merged[index] = linear
        shift = np.array(bias, dtype=np.float64)
        lost = tuple(losses) if self.as_run else ()
        return self._add(Affine(tuple(merged), tuple(merged.values()), shift, weight_error, bias_error, lost))

    def select(self, node: int, indices: Array, fill: Array) -> int:
        """y[j] = x[indices[j]], or fill[j] where the index is negative."""
        size = self.nodes[node].size
        if np.array_equal(indices, np.arange(size)):
            return node
        return self.affine((node,), (Sparse.select(indices, size),), fill)

    def relu(self, node: int) -> int:
        return self._add(Activation(node, self.nodes[node].size, NodeKind.RELU))

    def sigmoid(self, node: int) -> int:
        return self._add(Activation(node, self.nodes[node].size, NodeKind.SIGMOID))

    def tanh(self, node: int) -> int:
        return self._add(Activation(node, self.nodes[node].size, NodeKind.TANH))

    def curve(self, node: int, function: ScalarFunction) -> int:
        return self._add(Activation(node, self.nodes[node].size, NodeKind.CURVE, function=function))

    def multiply(self, left: int, right: int) -> int:
        """The product element by element; a value times itself is a square."""
        if left == right:
            return self.curve(left, power(2))
        return self._add(Multiply(left, right, self.nodes[left].size))

    def leaky_relu(self, node: int, slope: float) -> int:
        size = self.nodes[node].size
        if not self.relu_only and 0 <= slope <= 1:
            return self._add(Activation(node, size, NodeKind.LEAKY_RELU, slope=slope))
        return self.two_slopes(node, np.full(size, slope))

    def two_slopes(self, node: int, slopes: Array) -> int:
        """x above zero and slopes[j] x below: slope x + (1 - slope) relu(x), for any slopes."""
        scales = Sparse.scale(slopes), Sparse.scale(1 - slopes)
        error = UNIT * (1 + float(np.abs(slopes).max()))
        return self.affine((node, self.relu(node)), scales, np.zeros(len(slopes)), weight_error=error)

    def clip(self, node: int, low: float, high: float) -> int:
        size = self.nodes[node].size
        if low == 0 and math.isinf(high):
            return self.relu(node)
        if not self.relu_only:
            return self._add(Activation(node, size, NodeKind.CLIP, low=low, high=high))
        if math.isinf(low) and math.isinf(high):
            return node
        if math.isinf(low):  # high - relu(high - x)
            return self._ramp(node, -1.0, high, -1.0, high)
        raised = self._ramp(node, 1.0, -low, 1.0, low)  # low + relu(x - low)
        return raised if math.isinf(high) else self._ramp(raised, -1.0, high, -1.0, high)

    def _ramp(self, node: int, scale: float, shift: float, factor: float, offset: float) -> int:
        """offset + factor * relu(scale * x + shift)."""
        size = self.nodes[node].size
        inner = self.affine((node,), (Sparse.scale(np.full(size, scale)),), np.full(size, shift))
        return self.affine((self.relu(inner),), (Sparse.scale(np.full(size, factor)),), np.full(size, offset))

    def maximum(self, node: int, windows: Array) -> int:
        """y[j] = max over k of x[windows[j, k]]."""
        if windows.shape[1] == 1:
            return self.select(node, windows[:, 0], np.zeros(len(windows)))
        if not self.relu_only:
            return self._add(Maximum(node, windows))
        size, zeros = self.nodes[node].size, np.zeros(len(windows))
        columns = [Sparse.select(column, size) for column in windows.T]
        largest = self.affine((node,), (columns[0],), zeros)
        for column in columns[1:]:  # max(m, x) = m + relu(x - m)
            minus = Sparse.scale(np.full(len(windows), -1.0))
            rise = self.relu(self.affine((node, largest), (column, minus), zeros))
            ones = Sparse.scale(np.ones(len(windows)))
            largest = self.affine((largest, rise), (ones, ones), zeros)
        return largest


def _folded(nodes: Sequence[LoweredNode], output: int, fold: bool) -> list[LoweredNode]:
    """The same nodes, each Affine multiplied out with the Affines it reads where that is allowed."""
    uses = _uses(nodes, output)
    result: list[LoweredNode] = []
    for node in nodes:
        while isinstance(node, Affine):
            better = _step(node, result, uses, fold)
            if better is None:
                break
            node = better
        result.append(node)
    return result


def _uses(nodes: Sequence[LoweredNode], output: int) -> list[int]:
    uses = [0] * len(nodes)
    uses[output] = 1
    for index in range(len(nodes) - 1, -1, -1):
        if uses[index]:
            for source in sources(nodes[index]):
                uses[source] += 1
    return uses


def sources(node: LoweredNode) -> tuple[int, ...]:
    """The nodes that a node reads."""
    match node:
        case Input():
            return ()
        case Affine():
            return node.inputs
        case Activation() | Maximum():
            return (node.input,)
        case Multiply():
            return node.left, node.right


def _step(outer: Affine, nodes: Sequence[LoweredNode], uses: Sequence[int], fold: bool) -> Affine | None:
    """`outer` with one of the Affines it reads multiplied out, or None where none can be."""
    for place, source in enumerate(outer.inputs):
        inner = nodes[source]
        if not isinstance(inner, Affine) or outer.losses or inner.losses or inner.noise is not None:
            continue
        linear = outer.maps[place]
        cheap = uses[source] == 1 or all(m.stored <= inner.size for m in inner.maps)
        exact = _folds_exactly(outer, linear, inner)
        if (exact or fold) and (cheap or inner.size <= 64):
            found = _multiplied(outer, place, inner)
            if found is not None:
                return found
    return None


def _folds_exactly(outer: Affine, linear: LinearMap, inner: Affine) -> bool:
    """No rounding in float64, and no operation of the model disappears whose rounding matters in float32."""
    if len(outer.inputs) != 1:
        return all(is_identity(m) for m in inner.maps) and not inner.bias.any() and len(inner.inputs) == 1
    if is_identity(linear):
        return not outer.bias.any() or not inner.bias.any()
    moves = isinstance(linear, Sparse) and linear.selects
    if moves:
        return not (outer.bias.any() and inner.bias.any())
    return not inner.bias.any() and len(inner.inputs) == 1 and is_exact(linear, inner.maps[0])


@dataclass(slots=True)
class _Errors:
    weight: float
    bias: float


def _multiplied(outer: Affine, place: int, inner: Affine) -> Affine | None:
    linear = outer.maps[place]
    parts = {i: m for n, (i, m) in enumerate(zip(outer.inputs, outer.maps, strict=True)) if n != place}
    errors = _inherited(outer, linear, inner)
    for source, inside in zip(inner.inputs, inner.maps, strict=True):
        through = product(linear, inside)
        if through is None:
            return None
        errors.weight += rounding(linear, inside)
        if source in parts:
            both = total(parts[source], through)
            if both is None:
                return None
            errors.weight += UNIT * (parts[source].largest + through.largest)
            through = both
        parts[source] = through
    bias = outer.bias
    if inner.bias.any():
        moved = linear.apply(inner.bias[None, :])[0]
        if outer.bias.any() or not (isinstance(linear, Sparse) and linear.selects):
            reach = linear.terms * linear.largest * float(np.abs(inner.bias).max())
            errors.bias += UNIT * (linear.terms + 3) * (reach + float(np.abs(bias).max()))
        bias = bias + moved
    return replace(
        outer,
        inputs=tuple(parts),
        maps=tuple(parts.values()),
        bias=bias,
        weight_error=errors.weight,
        bias_error=errors.bias,
    )


def _inherited(outer: Affine, linear: LinearMap, inner: Affine) -> _Errors:
    """What the errors of both amount to in terms of the inner node's inputs."""
    reach = linear.terms * linear.largest
    widest = max(m.largest for m in inner.maps) + inner.weight_error
    height = float(np.abs(inner.bias).sum()) + inner.size * inner.bias_error
    return _Errors(
        outer.weight_error * max(1.0, inner.size * widest) + reach * inner.weight_error,
        outer.bias_error + outer.weight_error * height + reach * inner.bias_error,
    )


def _reachable(nodes: Sequence[LoweredNode], output: int) -> tuple[LoweredNode, ...]:
    """Only what the output depends on, renumbered; the input always stays node 0, the output comes last."""
    uses = _uses(nodes, output)
    kept = [0] + [index for index in range(1, output + 1) if uses[index]]
    number = {old: new for new, old in enumerate(kept)}
    renumbered: list[LoweredNode] = []
    for old in kept:
        node = nodes[old]
        match node:
            case Input():
                renumbered.append(node)
            case Affine():
                renumbered.append(replace(node, inputs=tuple(number[i] for i in node.inputs)))
            case Activation() | Maximum():
                renumbered.append(replace(node, input=number[node.input]))
            case Multiply():
                renumbered.append(replace(node, left=number[node.left], right=number[node.right]))
    return tuple(renumbered)
