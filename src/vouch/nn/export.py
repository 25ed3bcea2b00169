"""Writes a network as an ONNX model, for replay in onnxruntime and for users who came with another format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from vouch.nn.arrays import Array, Shape
from vouch.nn.network import Network, Node
from vouch.nn.operators import (
    Add,
    AveragePool,
    BatchNormalization,
    Choose,
    Clip,
    Concat,
    Conv,
    ConvTranspose,
    Curve,
    Einsum,
    Expand,
    Gather,
    Gemm,
    LeakyRelu,
    LogSoftmax,
    MatMul,
    MatMulValues,
    Max,
    MaxPool,
    Operator,
    Pad,
    Positive,
    Product,
    Reduce,
    ReduceMax,
    Relu,
    Reshape,
    Resize,
    Scale,
    Shift,
    Sigmoid,
    Slice,
    Softmax,
    Standardise,
    Tanh,
    Tile,
    Transpose,
    TwoSlopes,
)

OPSET = 20  # the oldest that has Gelu


def to_onnx(network: Network, *, double: bool | None = None) -> bytes:
    """The network as a serialised ONNX model with the same input and output names.

    Numbers are float32, or float64 when `double`; by default float64 where float32 would change a weight.
    """
    if double is None:
        double = not _fits_float32(network)
    writer = _Writer(network, double)
    for node in network.nodes:
        writer.node(node)
    return writer.model()


def _fits_float32(network: Network) -> bool:
    for node in network.nodes:
        for name in getattr(node.op, "__dataclass_fields__", {}):
            field = getattr(node.op, name)
            for array in field if isinstance(field, tuple) else (field,):
                if isinstance(array, (np.ndarray, float)):
                    with np.errstate(over="ignore"):
                        if not np.array_equal(np.asarray(array, np.float64), np.float32(array)):
                            return False
    return True


class _Writer:
    def __init__(self, network: Network, double: bool) -> None:
        self.network, self.dtype = network, np.float64 if double else np.float32
        self.shapes = network.shapes
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.count = 0

    def model(self) -> bytes:
        kind = self.kind
        network, output = self.network, self.network.output
        if output == network.input:
            output = self.emit("Identity", [network.input])
        graph = helper.make_graph(
            self.nodes,
            network.name,
            [helper.make_tensor_value_info(network.input, kind, network.input_shape)],
            [helper.make_tensor_value_info(output, kind, network.output_shape)],
            self.constants,
        )
        opset = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=9, producer_name="vouch")
        data: bytes = model.SerializeToString()
        return data

    def node(self, node: Node) -> None:
        _EXPORTS[type(node.op)](self, node.op, list(node.inputs), node)

    def emit(self, kind: str, inputs: Sequence[str], name: str | None = None, **attributes: Any) -> str:
        if name is None:
            self.count += 1
            name = f"vouch/{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def numbers(self, values: Array | float) -> str:
        return self._constant(np.asarray(values, self.dtype))

    def integers(self, values: Sequence[int] | Array) -> str:
        return self._constant(np.asarray(values, np.int64))

    def truths(self, values: Array) -> str:
        return self._constant(np.asarray(values, bool))

    @property
    def kind(self) -> int:
        """ONNX's number for the type of the network's numbers."""
        return int(onnx.TensorProto.DOUBLE if self.dtype is np.float64 else onnx.TensorProto.FLOAT)

    def _constant(self, array: Array) -> str:
        self.count += 1
        name = f"vouch/{self.count}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
        return name

    def joined(self, parts: Sequence[Array | None], inputs: Sequence[str]) -> list[str]:
        given = iter(inputs)
        return [next(given) if part is None else self.numbers(part) for part in parts]


def _gemm(w: _Writer, op: Gemm, inputs: list[str], node: Node) -> None:
    if len(w.shapes[inputs[0]]) == 2:
        w.emit("Gemm", [*inputs, w.numbers(op.weights), w.numbers(op.bias)], node.name, transB=1)
    else:
        product = w.emit("MatMul", [*inputs, w.numbers(op.weights.T)])
        w.emit("Add", [product, w.numbers(op.bias)], node.name)


def _matmul(w: _Writer, op: MatMul, inputs: list[str], node: Node) -> None:
    constant = w.numbers(op.constant)
    w.emit("MatMul", [constant, *inputs] if op.left else [*inputs, constant], node.name)


def _add(w: _Writer, op: Add, inputs: list[str], node: Node) -> None:
    total = w.emit("Identity" if op.signs[0] > 0 else "Neg", inputs[:1])
    for sign, value in zip(op.signs[1:], inputs[1:], strict=True):
        total = w.emit("Add" if sign > 0 else "Sub", [total, value])
    w.emit("Identity", [total], node.name)


def _shift(w: _Writer, op: Shift, inputs: list[str], node: Node) -> None:
    constant = w.numbers(op.constant)
    w.emit("Sub" if op.negated else "Add", [constant, *inputs], node.name)


def _scale(w: _Writer, op: Scale, inputs: list[str], node: Node) -> None:
    w.emit("Div" if op.divide else "Mul", [*inputs, w.numbers(op.constant)], node.name)


def _flat_pads(pads: Sequence[tuple[int, int]]) -> list[int]:
    return [a for a, _ in pads] + [b for _, b in pads]


def _conv(w: _Writer, op: Conv, inputs: list[str], node: Node) -> None:
    constants = [w.numbers(op.weights), w.numbers(op.bias)]
    attributes = {"strides": op.strides, "pads": _flat_pads(op.pads), "dilations": op.dilations}
    w.emit("Conv", [*inputs, *constants], node.name, group=op.groups, **attributes)


def _batch_normalization(w: _Writer, op: BatchNormalization, inputs: list[str], node: Node) -> None:
    constants = [w.numbers(c) for c in (op.scale, op.shift, op.mean, op.variance)]
    w.emit("BatchNormalization", [*inputs, *constants], node.name, epsilon=op.epsilon)


def _windowed(op: MaxPool | AveragePool) -> dict[str, Any]:
    return {
        "kernel_shape": op.kernel,
        "strides": op.strides,
        "pads": _flat_pads(op.pads),
        "dilations": op.dilations,
    }


def _max_pool(w: _Writer, op: MaxPool, inputs: list[str], node: Node) -> None:
    w.emit("MaxPool", inputs, node.name, ceil_mode=int(op.ceil), **_windowed(op))


def _average_pool(w: _Writer, op: AveragePool, inputs: list[str], node: Node) -> None:
    w.emit("AveragePool", inputs, node.name, count_include_pad=int(op.count_pads), **_windowed(op))


def _reduce(w: _Writer, op: Reduce, inputs: list[str], node: Node) -> None:
    kind = "ReduceMean" if op.mean else "ReduceSum"
    w.emit(kind, [*inputs, w.integers(op.axes)], node.name, keepdims=int(op.keep))


def _reshape(w: _Writer, op: Reshape, inputs: list[str], node: Node) -> None:
    w.emit("Reshape", [*inputs, w.integers(op.target)], node.name)


def _transpose(w: _Writer, op: Transpose, inputs: list[str], node: Node) -> None:
    w.emit("Transpose", inputs, node.name, perm=op.permutation)


def _slice(w: _Writer, op: Slice, inputs: list[str], node: Node) -> None:
    far = np.iinfo(np.int64)
    starts, stops, steps = [], [], []
    for start, stop, step in op.ranges:
        forward = step is None or step > 0
        steps.append(1 if step is None else step)
        starts.append((0 if forward else far.max) if start is None else start)
        stops.append((far.max if forward else far.min) if stop is None else stop)
    every = list(range(len(op.ranges)))
    w.emit("Slice", [*inputs, *(w.integers(v) for v in (starts, stops, every, steps))], node.name)


def _gather(w: _Writer, op: Gather, inputs: list[str], node: Node) -> None:
    w.emit("Gather", [*inputs, w.integers(op.indices)], node.name, axis=op.axis)


def _expand(w: _Writer, op: Expand, inputs: list[str], node: Node) -> None:
    w.emit("Expand", [*inputs, w.integers(op.target)], node.name)


def _pad(w: _Writer, op: Pad, inputs: list[str], node: Node) -> None:
    w.emit("Pad", [*inputs, w.integers(_flat_pads(op.pads)), w.numbers(op.value)], node.name, mode=op.mode)


def _concat(w: _Writer, op: Concat, inputs: list[str], node: Node) -> None:
    w.emit("Concat", w.joined(op.parts, inputs), node.name, axis=op.axis)


def _max(w: _Writer, op: Max, inputs: list[str], node: Node) -> None:
    w.emit("Max" if op.sign > 0 else "Min", w.joined(op.parts, inputs), node.name)


def _leaky_relu(w: _Writer, op: LeakyRelu, inputs: list[str], node: Node) -> None:
    w.emit("LeakyRelu", inputs, node.name, alpha=op.slope)


def _clip(w: _Writer, op: Clip, inputs: list[str], node: Node) -> None:
    w.emit("Clip", [*inputs, w.numbers(op.low), w.numbers(op.high)], node.name)


def _softmax(w: _Writer, op: Softmax, inputs: list[str], node: Node) -> None:
    kind = "LogSoftmax" if isinstance(op, LogSoftmax) else "Softmax"
    if not op.flat:
        w.emit(kind, inputs, node.name, axis=op.axis)
        return
    flat = w.emit("Flatten", inputs, axis=op.axis)
    shape: Shape = node.shape
    w.emit("Reshape", [w.emit(kind, [flat], axis=1), w.integers(shape)], node.name)


def _conv_transpose(w: _Writer, op: ConvTranspose, inputs: list[str], node: Node) -> None:
    constants = [w.numbers(op.weights), w.numbers(op.bias)]
    attributes = {"strides": op.strides, "pads": _flat_pads(op.pads), "dilations": op.dilations}
    more = {"group": op.groups, "output_padding": op.extra}
    w.emit("ConvTranspose", [*inputs, *constants], node.name, **attributes, **more)


def _resize(w: _Writer, op: Resize, inputs: list[str], node: Node) -> None:
    """Matrix products along the axes: what the interpolation comes to."""
    value, rank = inputs[0], len(op.maps)
    for axis, matrix in enumerate(op.maps):
        if matrix is None:
            continue
        order = [a for a in range(rank) if a != axis] + [axis]
        last = w.emit("MatMul", [w.emit("Transpose", [value], perm=order), w.numbers(matrix.T)])
        value = w.emit("Transpose", [last], perm=[order.index(a) for a in range(rank)])
    w.emit("Identity", [value], node.name)


def _tile(w: _Writer, op: Tile, inputs: list[str], node: Node) -> None:
    w.emit("Tile", [*inputs, w.integers(op.repeats)], node.name)


def _select(w: _Writer, op: Choose, inputs: list[str], node: Node) -> None:
    w.emit("Where", [w.truths(op.mask), *inputs], node.name)


def _positive(w: _Writer, op: Positive, inputs: list[str], node: Node) -> None:
    above = w.emit("GreaterOrEqual" if op.zero else "Greater", [*inputs, w.numbers(0.0)])
    w.emit("Cast", [above], node.name, to=w.kind)


def _two_slopes(w: _Writer, op: TwoSlopes, inputs: list[str], node: Node) -> None:
    w.emit("PRelu", [*inputs, w.numbers(op.slopes)], node.name)


def _reduce_max(w: _Writer, op: ReduceMax, inputs: list[str], node: Node) -> None:
    kind = "ReduceMax" if op.sign > 0 else "ReduceMin"
    w.emit(kind, [*inputs, w.integers(op.axes)], node.name, keepdims=int(op.keep))


def _einsum(w: _Writer, op: Einsum, inputs: list[str], node: Node) -> None:
    w.emit("Einsum", w.joined(op.constants, inputs), node.name, equation=op.equation)


def _standardise(w: _Writer, op: Standardise, inputs: list[str], node: Node) -> None:
    axes = w.integers(op.axes)
    centred = w.emit("Sub", [*inputs, w.emit("ReduceMean", [*inputs, axes], keepdims=1)])
    variance = w.emit("ReduceMean", [w.emit("Mul", [centred, centred]), axes], keepdims=1)
    root = w.emit("Sqrt", [w.emit("Add", [variance, w.numbers(op.epsilon)])])
    w.emit("Div", [centred, root], node.name)


def _curve(w: _Writer, op: Curve, inputs: list[str], node: Node) -> None:
    function = op.function
    match function.name:
        case "Pow":
            w.emit("Pow", [*inputs, w.numbers(function.option("exponent"))], node.name)
        case "Elu":
            _elu(w, op, inputs, node)
        case "Gelu":
            kind = "tanh" if function.option("tanh") else "none"
            w.emit("Gelu", inputs, node.name, approximate=kind)
        case "Silu":
            w.emit("Mul", [*inputs, w.emit("Sigmoid", inputs)], node.name)
        case name:
            w.emit(name, inputs, node.name)


def _elu(w: _Writer, op: Curve, inputs: list[str], node: Node) -> None:
    alpha, gamma, rate = (op.function.option(name) for name in ("alpha", "gamma", "rate"))
    if gamma != 1.0:
        w.emit("Selu", inputs, node.name, alpha=alpha, gamma=gamma)
    elif rate != 1.0:
        w.emit("Celu", inputs, node.name, alpha=alpha)
    else:
        w.emit("Elu", inputs, node.name, alpha=alpha)


def _plain(kind: str) -> Callable[[_Writer, Any, list[str], Node], None]:
    def export(w: _Writer, op: Operator, inputs: list[str], node: Node) -> None:
        w.emit(kind, inputs, node.name)

    return export


_EXPORTS: Mapping[type[Operator], Callable[[_Writer, Any, list[str], Node], None]] = {
    Gemm: _gemm,
    MatMul: _matmul,
    Add: _add,
    Shift: _shift,
    Scale: _scale,
    Conv: _conv,
    BatchNormalization: _batch_normalization,
    AveragePool: _average_pool,
    Reduce: _reduce,
    Reshape: _reshape,
    Transpose: _transpose,
    Slice: _slice,
    Gather: _gather,
    Expand: _expand,
    Pad: _pad,
    Concat: _concat,
    Relu: _plain("Relu"),
    LeakyRelu: _leaky_relu,
    Clip: _clip,
    Sigmoid: _plain("Sigmoid"),
    Tanh: _plain("Tanh"),
    MaxPool: _max_pool,
    Max: _max,
    Softmax: _softmax,
    LogSoftmax: _softmax,
    ConvTranspose: _conv_transpose,
    Resize: _resize,
    Tile: _tile,
    Choose: _select,
    Positive: _positive,
    TwoSlopes: _two_slopes,
    ReduceMax: _reduce_max,
    Product: _plain("Mul"),
    MatMulValues: _plain("MatMul"),
    Einsum: _einsum,
    Standardise: _standardise,
    Curve: _curve,
}
