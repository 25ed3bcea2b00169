"""From a network over the reals to the integers that a device computes with.

Layer by layer: weights and biases are converted to the layer's format, and each operator becomes the nodes
that say what is computed. With one format for each layer, a layer is an operator with weights (Gemm, MatMul,
Conv) and what follows it up to the next one; where formats differ, values are converted in between. An
operator without integer form is refused by its name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.fixed.format import Format, Ints
from vouch.nn.fixed.network import (
    Clamp,
    Extreme,
    FixedSelect,
    IntegerNetwork,
    IntegerNode,
    Leaky,
    Lookup,
    Quotient,
    Rescale,
    Source,
    Sums,
)
from vouch.nn.fixed.table import Activation, GivenTable, Table, curve
from vouch.nn.network import Network, Node
from vouch.nn.operators import (
    Add,
    AveragePool,
    BatchNormalization,
    Clip,
    Concat,
    Conv,
    Gemm,
    LeakyRelu,
    MatMul,
    Max,
    MaxPool,
    Rearrangement,
    Reduce,
    ReduceMax,
    Relu,
    Reshape,
    Scale,
    Shift,
    Sigmoid,
    Softmax,
    Tanh,
)
from vouch.nn.operators.arithmetic import spread
from vouch.nn.operators.pooling import windows

# Products of one matrix that is written out.
_LARGEST = 1 << 24
WEIGHTED = (Gemm, MatMul, Conv)


def layers_of(network: Network) -> int:
    """How many formats may be given: one for each operator with weights."""
    return max(1, sum(isinstance(node.op, WEIGHTED) for node in network.nodes))


def quantise(
    network: Network, formats: Format | Sequence[Format], activation: Activation | GivenTable | None = None
) -> IntegerNetwork:
    """The integer network. `formats` is one for all layers, or one for each; `activation` says how sigmoid
    and tanh become tables."""
    given = (formats,) if isinstance(formats, Format) else tuple(formats)
    count = layers_of(network)
    if len(given) not in (1, count):
        raise VouchError(f"{len(given)} formats, {network.name} has {count} layers with weights")
    return _Builder(network, given if len(given) == count else given * count, activation).build()


class _Builder:
    """Adds integer nodes; `value` maps names of the network to node and shape."""

    def __init__(
        self, network: Network, formats: tuple[Format, ...], activation: Activation | GivenTable | None
    ) -> None:
        self.network, self.pending, self.activation = network, list(formats), activation
        self.nodes: list[IntegerNode] = [Source(network.inputs)]
        self.formats: list[Format] = [formats[0]]
        self.value: dict[str, int] = {network.input: 0}
        self.shapes = network.shapes
        self.uses = Counter(name for node in network.nodes for name in node.inputs)
        self.uses[network.output] += 1
        self.softmax = False

    def build(self) -> IntegerNetwork:
        for node in self.network.nodes:
            if self.softmax and not isinstance(node.op, Reshape):
                raise Unsupported(
                    f"node {node.name!r} ({node.op.kind}): computed from the result of a softmax"
                )
            try:
                self.value[node.name] = self._node(node)
            except Unsupported as error:
                raise Unsupported(f"node {node.name!r} ({node.op.kind}): {error}") from None
        return self._cut(self.value[self.network.output])

    def _cut(self, output: int) -> IntegerNetwork:
        """Nodes up to the output; later ones are not needed."""
        nodes, formats = self.nodes[: output + 1], self.formats[: output + 1]
        if output == 0:
            size = self.network.inputs
            nodes.append(FixedSelect((0,), np.arange(size), np.zeros(size, dtype=np.int64)))
            formats.append(formats[0])
        return IntegerNetwork(self.network.name, tuple(nodes), tuple(formats), self.softmax)

    def _add(self, node: IntegerNode, form: Format) -> int:
        self.nodes.append(node)
        self.formats.append(form)
        return len(self.nodes) - 1

    def _in(self, index: int, form: Format) -> int:
        """The value of a node in a format."""
        have = self.formats[index]
        if have == form:
            return index
        shift = have.fraction - form.fraction
        return self._add(Rescale(index, self.nodes[index].size, shift, form.rounding, form.word), form)

    def _node(self, node: Node) -> int:
        op = node.op
        inputs = [self.value[name] for name in node.inputs]
        shapes = [self.shapes[name] for name in node.inputs]
        first, shape = inputs[0], shapes[0]
        if isinstance(op, WEIGHTED):
            form = self.pending.pop(0)
            return self._weighted(op, self._in(first, form), shape, node.shape, form)
        form = self.formats[first]
        inputs = [self._in(index, form) for index in inputs]
        size = math.prod(node.shape)
        match op:
            case Shift():
                alone = self.uses[node.inputs[0]] == 1
                return self._shift(op, first, shape, node.shape, form, alone)
            case Scale():
                return self._scale(op, first, shape, node.shape, form)
            case BatchNormalization():
                return self._normalised(op, first, shape, form)
            case Add():
                return self._sum(op, inputs, shapes, node.shape, form)
            case AveragePool():
                return self._average(op, first, shape, form)
            case Reduce():
                return self._reduced(op, first, shape, form)
            case Relu():
                return self._add(Clamp(first, size, 0, None), form)
            case Clip():
                ends = (None if math.isinf(end) else int(form.convert(end)) for end in (op.low, op.high))
                return self._add(Clamp(first, size, *ends), form)
            case LeakyRelu():
                slope = int(form.convert(op.slope))
                return self._add(Leaky(first, size, slope, form.fraction, form.rounding, form.word), form)
            case Sigmoid() | Tanh():
                kind = "sigmoid" if isinstance(op, Sigmoid) else "tanh"
                return self._add(Lookup(first, size, self._table(kind, form)), form)
            case MaxPool():
                return self._add(Extreme((first,), _pool_columns(op, shape)), form)
            case Max():
                return self._extreme(op, inputs, shapes, node.shape, form)
            case Rearrangement():
                moved = op.move(np.arange(math.prod(shape)).reshape(1, *shape), -1).ravel()
                constants = np.where(moved < 0, form.convert(op.fill), 0)
                return self._select((first,), moved, constants, form)
            case Concat():
                return self._joined(op, inputs, shapes, form)
            case ReduceMax():
                kept = [axis for axis in range(len(shape)) if axis not in op.axes]
                order = np.arange(math.prod(shape)).reshape(shape).transpose(*kept, *op.axes)
                return self._add(Extreme((first,), order.reshape(size, -1), op.sign), form)
            case Softmax():
                if op.over(shape) != math.prod(shape):
                    raise Unsupported("a softmax over part of its input")
                self.softmax = True
                return first
            case _:
                raise Unsupported("not available in fixed point")

    def _table(self, kind: str, form: Format) -> Table:
        if not isinstance(self.activation, GivenTable):
            return curve(kind, form, self.activation)
        if kind not in self.activation.tables:
            raise Unsupported(f"no table is given for {kind}")
        return self.activation.tables[kind](form)

    def _weighted(
        self, op: Gemm | MatMul | Conv, first: int, shape: Shape, result: Shape, form: Format
    ) -> int:
        match op:
            case Conv():
                columns, weights = _conv_terms(op, shape)
                spread_bias = op.bias.reshape(-1, *(1,) * (len(result) - 2))
                bias = np.broadcast_to(spread_bias, result).ravel()
            case _:
                columns, weights = _matrix_terms(op, shape, result)
                shift = op.bias if isinstance(op, Gemm) else np.zeros(())
                bias = np.broadcast_to(shift, result).ravel()
        return self._products((first,), columns, form.convert(weights), form.convert(bias), form)

    def _products(
        self, inputs: tuple[int, ...], columns: Ints, weights: Ints, bias: Ints, form: Format
    ) -> int:
        node = Sums(inputs, columns, weights, bias, form.fraction, form.rounding, form.word)
        return self._add(node, form)

    def _plain(
        self, inputs: Sequence[int], columns: Ints, signs: Ints, bias: Ints | None, form: Format
    ) -> int:
        shift = np.zeros(len(columns), dtype=np.int64) if bias is None else bias
        return self._add(Sums(tuple(inputs), columns, signs, shift, 0, form.rounding, form.word), form)

    def _shift(self, op: Shift, first: int, shape: Shape, result: Shape, form: Format, alone: bool) -> int:
        constant = form.convert(np.broadcast_to(op.constant, result).ravel())
        columns = spread(shape, result)[:, None]
        before = self.nodes[first]
        same = math.prod(shape) == math.prod(result) and not op.negated
        if same and not constant.any():
            return first
        if (
            same
            and alone
            and first == len(self.nodes) - 1
            and isinstance(before, Sums)
            and not before.bias.any()
        ):
            # The bias of a product sum that has none yet: adding 0 at its end changes nothing.
            self.nodes[first] = replace(before, bias=constant)
            return first
        return self._plain((first,), columns, np.full_like(columns, -1 if op.negated else 1), constant, form)

    def _scale(self, op: Scale, first: int, shape: Shape, result: Shape, form: Format) -> int:
        constant = form.convert(np.broadcast_to(op.constant, result).ravel())
        columns = spread(shape, result)[:, None]
        if not op.divide:
            return self._products((first,), columns, constant[:, None], np.zeros_like(constant), form)
        if not constant.all():
            raise Unsupported(f"a divisor becomes 0 in format {form}")
        moved = self._select((first,), columns[:, 0], np.zeros_like(constant), form)
        return self._add(Quotient(moved, constant, form.fraction, form.rounding, form.word), form)

    def _normalised(self, op: BatchNormalization, first: int, shape: Shape, form: Format) -> int:
        """(x - mean) times scale / sqrt(variance + epsilon), plus shift."""
        channel = (-1, *(1,) * (len(shape) - 2))
        mean, factor, shift = (
            form.convert(np.broadcast_to(values.reshape(channel), shape).ravel())
            for values in (-op.mean, op.scale / np.sqrt(op.variance + op.epsilon), op.shift)
        )
        columns = np.arange(math.prod(shape))[:, None]
        centred = self._plain((first,), columns, np.ones_like(columns), mean, form)
        return self._products((centred,), columns, factor[:, None], shift, form)

    def _sum(self, op: Add, inputs: list[int], shapes: list[Shape], result: Shape, form: Format) -> int:
        starts = self._starts(inputs)
        columns = np.stack(
            [start + spread(shape, result) for start, shape in zip(starts, shapes, strict=True)], axis=1
        )
        signs = np.broadcast_to(np.array(op.signs, dtype=np.int64), columns.shape)
        return self._plain(inputs, columns, signs, None, form)

    def _average(self, op: AveragePool, first: int, shape: Shape, form: Format) -> int:
        columns = _pool_columns(op, shape)
        signs = (columns >= 0).astype(np.int64)
        total = self._plain((first,), np.maximum(columns, 0), signs, None, form)
        counts = np.full(len(columns), math.prod(op.kernel)) if op.count_pads else signs.sum(1)
        return self._add(Quotient(total, counts, 0, form.rounding, form.word), form)

    def _reduced(self, op: Reduce, first: int, shape: Shape, form: Format) -> int:
        kept = [axis for axis in range(len(shape)) if axis not in op.axes]
        order = np.arange(math.prod(shape)).reshape(shape).transpose(*kept, *op.axes)
        columns = order.reshape(math.prod(shape[a] for a in kept), -1)
        total = self._plain((first,), columns, np.ones_like(columns), None, form)
        if not op.mean:
            return total
        counts = np.full(len(columns), columns.shape[1])
        return self._add(Quotient(total, counts, 0, form.rounding, form.word), form)

    def _extreme(self, op: Max, inputs: list[int], shapes: list[Shape], result: Shape, form: Format) -> int:
        size, places = math.prod(result), iter(zip(inputs, shapes, strict=True))
        chosen = []
        for part in op.parts:
            if part is None:
                index, shape = next(places)
                columns, constants = spread(shape, result), np.zeros(size, dtype=np.int64)
            else:
                index, columns = inputs[0], np.full(size, -1)
                constants = form.convert(np.broadcast_to(part, result).ravel())
            chosen.append(self._select((index,), columns, constants, form))
        starts = self._starts(chosen)
        columns = np.stack([start + np.arange(size) for start in starts], axis=1)
        return self._add(Extreme(tuple(chosen), columns, op.sign), form)

    def _joined(self, op: Concat, inputs: list[int], shapes: list[Shape], form: Format) -> int:
        starts, given = iter(self._starts(inputs)), iter(shapes)
        columns, constants = [], []
        for part in op.parts:
            if part is None:
                shape, start = next(given), next(starts)
                columns.append(start + np.arange(math.prod(shape)).reshape(shape))
                constants.append(np.zeros(shape, dtype=np.int64))
            else:
                columns.append(np.full(part.shape, -1))
                constants.append(form.convert(part))
        places, fixed = (np.concatenate(parts, axis=op.axis).ravel() for parts in (columns, constants))
        return self._select(tuple(inputs), places, fixed, form)

    def _select(self, inputs: tuple[int, ...], columns: Ints, constants: Ints, form: Format) -> int:
        if len(inputs) == 1 and np.array_equal(columns, np.arange(self.nodes[inputs[0]].size)):
            return inputs[0]
        return self._add(FixedSelect(inputs, columns, constants), form)

    def _starts(self, inputs: Sequence[int]) -> list[int]:
        """Where each of several values begins when they stand one after the other."""
        ends = np.cumsum([0, *(self.nodes[index].size for index in inputs)])
        return [int(end) for end in ends[:-1]]


def _matrix_terms(op: Gemm | MatMul, shape: Shape, result: Shape) -> tuple[Ints, Array]:
    rows, columns = math.prod(result), math.prod(shape)
    if isinstance(op, Gemm) or (not op.left and op.constant.ndim == 2):
        matrix = op.weights if isinstance(op, Gemm) else op.constant.T
        times = rows // len(matrix)
        width = matrix.shape[1]
        starts = np.repeat(np.arange(times) * width, len(matrix))
        return starts[:, None] + np.arange(width)[None, :], np.tile(matrix, (times, 1))
    if rows * columns > _LARGEST:
        raise Unsupported("a product with too many terms")
    # Each result is a sum over some of the inputs: what unit vectors give are the weights.
    units = op.evaluate(np.eye(columns).reshape(columns, *shape)).reshape(columns, rows)
    return np.broadcast_to(np.arange(columns), (rows, columns)), units.T


def _conv_terms(op: Conv, shape: Shape) -> tuple[Ints, Array]:
    """Terms in the order channel, kernel; padding has weight 0."""
    numbers = np.pad(
        np.arange(math.prod(shape)).reshape(1, *shape), ((0, 0),) * 3 + op.pads, constant_values=-1
    )
    views = windows(numbers, op.weights.shape[2:], op.strides, op.dilations)[
        0, 0
    ]  # [channel, *places, kernel]
    channels, kernel = views.shape[0], views.shape[-1]
    flat = views.reshape(channels, -1, kernel)
    each_in, each_out = channels // op.groups, len(op.weights) // op.groups
    columns = []
    for group in range(op.groups):
        part = flat[group * each_in : (group + 1) * each_in].transpose(1, 0, 2).reshape(flat.shape[1], -1)
        columns += [part] * each_out
    chosen = np.concatenate(columns)
    weights = np.repeat(op.weights.reshape(len(op.weights), -1), flat.shape[1], axis=0)
    return np.maximum(chosen, 0), np.where(chosen < 0, 0.0, weights)


def _pool_columns(op: MaxPool | AveragePool, shape: Shape) -> Ints:
    pads = op._pads(shape[2:]) if isinstance(op, MaxPool) else op.pads
    numbers = np.pad(np.arange(math.prod(shape)).reshape(1, *shape), ((0, 0),) * 3 + pads, constant_values=-1)
    columns = windows(numbers, op.kernel, op.strides, op.dilations).reshape(-1, math.prod(op.kernel))
    if isinstance(op, AveragePool):
        return columns
    # Padding never wins: it repeats the window's largest index, which is none.
    return np.where(columns < 0, columns.max(axis=1, keepdims=True), columns)
