"""Converters of the operators of quantised ONNX graphs, as onnxruntime's kernels compute them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
from onnx import helper

from vouch.errors import Unsupported, VouchError
from vouch.nn.arrays import Array
from vouch.nn.fixed.format import Ints
from vouch.nn.int8.builder import Tensor, windows
from vouch.nn.int8.chain import Chain, LinkKind
from vouch.nn.int8.onnx_elementwise import ELEMENTWISE
from vouch.nn.int8.onnx_node import (
    QuantisedNode,
    QuantisedValue,
    each,
    limits,
    rearranged,
    requantise,
    scale_of,
)


def _quantize(node: QuantisedNode) -> None:
    value = node.value(0)
    zero = node.constant(2) if node.has(2) else np.zeros((), dtype=np.uint8)
    if not node.has(2) and node.attribute("output_dtype", onnx.TensorProto.UINT8) != onnx.TensorProto.UINT8:
        zero = np.zeros((), dtype=helper.tensor_dtype_to_np_dtype(node.attribute("output_dtype")))
    low, high = limits(zero.dtype)
    axis = node.attribute("axis", 1)
    chain = value.floats.then(LinkKind.OVER, each(scale_of(node.constant(1)), value.shape, axis))
    chain = chain.then(LinkKind.QUANTISE, each(zero, value.shape, axis).astype(np.int64), low, high)
    node.emit(QuantisedValue(value.shape, node.reader.quantised(value, chain, low, high), None))


def _dequantize(node: QuantisedNode) -> None:
    value, axis = node.value(0), node.attribute("axis", 1)
    tensor, chain = value.whole, Chain(value.size)
    if node.has(2):
        chain = chain.then(LinkKind.MINUS, each(node.constant(2), value.shape, axis).astype(np.int64))
    chain = chain.then(LinkKind.FLOAT).then(
        LinkKind.TIMES, each(scale_of(node.constant(1)), value.shape, axis)
    )
    node.emit(QuantisedValue(value.shape, tensor, chain))


def _product(
    node: QuantisedNode, given: int, zero: int, weights: int, offset: int, bias: Any = None
) -> Tensor:
    """Sums of products with a constant matrix; both sides are moved by their zero points."""
    a, matrix = node.value(given).whole, np.asarray(node.constant(weights)).astype(np.int64)
    if node.attribute("transA", 0):
        raise Unsupported("a transposed left operand")
    if node.attribute("transB", 0):
        matrix = matrix.T
    if matrix.ndim != 2 or a.shape[-1] != matrix.shape[0]:
        raise Unsupported(f"a product of shapes {a.shape} and {matrix.shape}")
    matrix = matrix - (np.asarray(node.constant(offset)).astype(np.int64) if node.has(offset) else 0)
    moved = int(np.asarray(node.constant(zero)).reshape(())) if node.has(zero) else 0
    rows, (inner, outer) = a.size // a.shape[-1], matrix.shape
    columns = np.repeat(np.arange(a.size).reshape(rows, 1, inner), outer, axis=1).reshape(-1, inner)
    terms = np.tile(matrix.T, (rows, 1))
    start = -moved * matrix.sum(axis=0) + (0 if bias is None else np.asarray(bias).astype(np.int64).ravel())
    return node.reader.builder.sums(a, columns, terms, np.tile(start, rows), (*a.shape[:-1], outer))


def _factor(node: QuantisedNode, left: int, right: int, result: int | None, acc: Tensor, axis: int) -> Any:
    """left scale * right scale / result scale in float32, for each element."""
    product = scale_of(node.constant(left)) * scale_of(node.constant(right))
    if result is not None:
        product = product / scale_of(node.constant(result))
    return each(product.astype(np.float32), acc.shape, axis)


def _finish(node: QuantisedNode, acc: Tensor, factor: Any, zero: Any) -> None:
    chain, (low, high) = requantise(acc, factor, zero), limits(zero.dtype)
    node.emit(QuantisedValue(acc.shape, node.reader.builder.requantised(acc, chain, low, high), None))


def _qlinear_matmul(node: QuantisedNode) -> None:
    acc = _product(node, 0, 2, 3, 5)
    _finish(node, acc, _factor(node, 1, 4, 6, acc, -1), np.asarray(node.constant(7)).reshape(()))


def _qgemm(node: QuantisedNode) -> None:
    if node.attribute("alpha", 1.0) != 1.0:
        raise Unsupported("QGemm with alpha")
    acc = _product(node, 0, 2, 3, 5, node.constant(6) if node.has(6) else None)
    if node.has(7):
        _finish(node, acc, _factor(node, 1, 4, 7, acc, -1), np.asarray(node.constant(8)).reshape(()))
        return
    chain = Chain(acc.size).then(LinkKind.FLOAT).then(LinkKind.TIMES, _factor(node, 1, 4, None, acc, -1))
    node.emit(QuantisedValue(acc.shape, acc, chain))


def _matmul_integer(node: QuantisedNode) -> None:
    acc = _product(node, 0, 2, 1, 3)
    node.emit(QuantisedValue(acc.shape, acc, None))


def _padding(
    node: QuantisedNode, spatial: Any, kernel: Any, strides: Any, dilations: Any
) -> list[tuple[int, int]]:
    rank, auto = len(spatial), node.attribute("auto_pad", "NOTSET")
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        found = []
        for n, k, s, d in zip(spatial, kernel, strides, dilations, strict=True):
            total = max(0, (-(-n // s) - 1) * s + d * (k - 1) + 1 - n)
            small = total // 2
            found.append((small, total - small) if auto == "SAME_UPPER" else (total - small, small))
        return found
    pads = list(node.attribute("pads", [0] * 2 * rank)) if auto == "NOTSET" else [0] * 2 * rank
    return [(int(pads[i]), int(pads[rank + i])) for i in range(rank)]


def _windows(node: QuantisedNode, a: Tensor, kernel: Any, channels: Array) -> Ints:
    rank = len(kernel)
    strides = list(node.attribute("strides", [1] * rank))
    dilations = list(node.attribute("dilations", [1] * rank))
    if node.attribute("ceil_mode", 0) or a.shape[0] != 1:
        raise Unsupported("windows with ceil_mode, or a batch of several inputs")
    pads = _padding(node, a.shape[2:], kernel, strides, dilations)
    return windows(channels, kernel, strides, dilations, pads)


def _convolution(node: QuantisedNode, zero: int, weights: int, offset: int, bias: Any = None) -> Tensor:
    a, w = node.value(0).whole, np.asarray(node.constant(weights)).astype(np.int64)
    if node.has(offset):
        moved = np.asarray(node.constant(offset)).astype(np.int64)
        w = w - moved.reshape(-1, *[1] * (w.ndim - 1))
    start = int(np.asarray(node.constant(zero)).reshape(())) if node.has(zero) else 0
    groups, outer = node.attribute("group", 1), w.shape[0]
    if a.shape[1] != w.shape[1] * groups or outer % groups or len(a.shape) != w.ndim:
        raise VouchError(f"a convolution of shapes {a.shape} and {w.shape}")
    columns, terms, each_group = [], [], outer // groups
    for group in range(groups):
        channels = a.places[0, group * w.shape[1] : (group + 1) * w.shape[1]]
        found = _windows(node, a, w.shape[2:], channels)
        rank = w.ndim - 2
        out = found.shape[:rank]
        flat = found.reshape(-1, int(np.prod(w.shape[1:])))
        kernels = w[group * each_group : (group + 1) * each_group].reshape(each_group, -1)
        columns.append(np.broadcast_to(flat, (each_group, *flat.shape)).reshape(-1, flat.shape[1]))
        terms.append(np.repeat(kernels, len(flat), axis=0))
    shape = (1, outer, *out)
    places, factors = np.concatenate(columns), np.concatenate(terms)
    first = -start * np.where(places < 0, 0, factors).sum(axis=1)
    if bias is not None:
        first = first + np.repeat(np.asarray(bias).astype(np.int64).ravel(), int(np.prod(out)))
    return node.reader.builder.sums(a, places, factors, first, shape)


def _qlinear_conv(node: QuantisedNode) -> None:
    acc = _convolution(node, 2, 3, 5, node.constant(8) if node.has(8) else None)
    _finish(node, acc, _factor(node, 1, 4, 6, acc, 1), np.asarray(node.constant(7)).reshape(()))


def _conv_integer(node: QuantisedNode) -> None:
    acc = _convolution(node, 2, 1, 3)
    node.emit(QuantisedValue(acc.shape, acc, None))


def _max_pool(node: QuantisedNode) -> None:
    value = node.value(0)
    if value.tensor is None or len(node.outputs) > 1 or (value.chain and not value.chain.uniform()):
        raise Unsupported("a maximum of numbers that mean different things")
    kernel = node.attribute("kernel_shape")
    a = Tensor(value.tensor.index, value.shape, value.tensor.low, value.tensor.high)
    found = _windows(node, a, kernel, a.places[0])  # [out…, channels, kernel…]
    rank = len(kernel)
    order = np.moveaxis(found, rank, 0)
    shape = (1, *order.shape[: rank + 1])
    tensor = node.reader.builder.largest(a, order.reshape(-1, int(np.prod(kernel))), shape)
    chain = None if value.chain is None else value.chain.rearranged(np.zeros(tensor.size, dtype=np.int64))
    node.emit(QuantisedValue(shape, tensor, chain))


def _moved(node: QuantisedNode) -> None:
    """Rearrangements, computed on the places of elements by ONNX's reference evaluation."""
    from onnx.reference import ReferenceEvaluator

    value = node.value(0)
    names = [name for name in dict.fromkeys(node.inputs[1:]) if name]
    infos = [helper.make_value_info(name, onnx.TypeProto()) for name in [node.inputs[0], *names]]
    results = [helper.make_value_info(name, onnx.TypeProto()) for name in node.outputs if name]
    graph = helper.make_graph([node.proto], "places", infos, results)
    model = helper.make_model(graph, opset_imports=node.reader.opsets)
    feeds = {name: node.reader.constants[name] for name in names}
    places = np.arange(value.size).reshape(value.shape)
    found = ReferenceEvaluator(model).run(None, {node.inputs[0]: places, **feeds})
    for name, part in zip(results, found, strict=True):
        rearranged(node, value, np.asarray(part), node.outputs.index(name.name))


def _same(node: QuantisedNode) -> None:
    node.emit(node.value(0))


def _relu(node: QuantisedNode) -> None:
    value = node.value(0)
    chain = value.floats.then(LinkKind.CLIP, np.float32(0), np.float32(np.inf))
    node.emit(QuantisedValue(value.shape, value.tensor, chain, value.places))


def _clip(node: QuantisedNode) -> None:
    value = node.value(0)
    low = node.constant(1).reshape(()) if node.has(1) else np.float32(-np.inf)
    high = node.constant(2).reshape(()) if node.has(2) else np.float32(np.inf)
    node.emit(
        QuantisedValue(value.shape, value.tensor, value.floats.then(LinkKind.CLIP, low, high), value.places)
    )


def _cast(node: QuantisedNode) -> None:
    value = node.value(0)
    if node.attribute("to") != onnx.TensorProto.FLOAT:
        raise Unsupported("a cast to another type than float32")
    chain = value.chain or Chain(value.size).then(LinkKind.FLOAT)
    node.emit(QuantisedValue(value.shape, value.tensor, chain, value.places))


def _with_constant(kind: LinkKind) -> Callable[[QuantisedNode], None]:
    def convert(node: QuantisedNode) -> None:
        first = 1 if node.known(0) else 0
        if (first and kind is LinkKind.OVER) or not node.known(1 - first):
            raise Unsupported(f"{node.type} of two computed values")
        value, array = node.value(first), np.asarray(node.constant(1 - first))
        if array.dtype != np.float32 or np.broadcast_shapes(array.shape, value.shape) != value.shape:
            raise Unsupported(f"{node.type} with a constant of type {array.dtype}, shape {array.shape}")
        if node.type == "Sub":
            if first:
                raise Unsupported("a constant minus a computed value")
            array = -array
        flat = np.broadcast_to(array, value.shape).ravel()
        node.emit(QuantisedValue(value.shape, value.tensor, value.floats.then(kind, flat), value.places))

    return convert


def _qlinear_concat(node: QuantisedNode) -> None:
    """Every part is requantised by itself and put beside the others."""
    scale, zero = scale_of(node.constant(0)).reshape(()), np.asarray(node.constant(1)).reshape(())
    (low, high), parts, builder = limits(zero.dtype), [], node.reader.builder
    for place in range(2, len(node.inputs), 3):
        value = node.value(place)
        old, start = scale_of(node.constant(place + 1)).reshape(()), node.constant(place + 2).reshape(())
        chain = Chain(value.size).then(LinkKind.MINUS, start.astype(np.int64)).then(LinkKind.FLOAT)
        chain = chain.then(LinkKind.TIMES, old).then(LinkKind.OVER, scale)
        chain = chain.then(LinkKind.QUANTISE, zero.astype(np.int64), low, high)
        parts.append(builder.requantised(value.whole, chain, low, high))
    joined = builder.joined(parts, node.attribute("axis"))
    node.emit(QuantisedValue(joined.shape, joined, None))


def _global_average(node: QuantisedNode) -> None:
    """The sum of a channel, times the old scale over the new one times the number of elements."""
    a = node.value(0).whole
    scale, after = (scale_of(node.constant(i)).reshape(()) for i in (1, 3))
    zero = int(np.asarray(node.constant(2)).reshape(()))
    if node.attribute("channels_last", 0) or a.shape[0] != 1:
        raise Unsupported("a mean with channels last, or of several inputs")
    columns = a.places.reshape(a.shape[1], -1)
    count = columns.shape[1]
    start = np.full(a.shape[1], -zero * count, dtype=np.int64)
    shape = (1, a.shape[1], *[1] * (len(a.shape) - 2))
    acc = node.reader.builder.sums(a, columns, np.ones_like(columns), start, shape)
    _finish(node, acc, scale / (after * np.float32(count)), np.asarray(node.constant(4)).reshape(()))


def _softmax(node: QuantisedNode) -> None:
    """At the end only: its arguments have the same order."""
    value = node.value(0)
    axis = node.attribute("axis", -1) % len(value.shape)
    if value.shape[axis] != value.size or node.outputs[0] != node.reader.graph.output[0].name:
        raise Unsupported("a softmax that is not over all outputs")
    node.reader.softmax = True
    node.emit(value)


CONVERTERS: dict[str, Callable[[QuantisedNode], None]] = {
    "QuantizeLinear": _quantize,
    "DequantizeLinear": _dequantize,
    "QLinearMatMul": _qlinear_matmul,
    "QGemm": _qgemm,
    "QLinearConv": _qlinear_conv,
    "MatMulInteger": _matmul_integer,
    "ConvInteger": _conv_integer,
    **ELEMENTWISE,
    "QLinearConcat": _qlinear_concat,
    "QLinearGlobalAveragePool": _global_average,
    "MaxPool": _max_pool,
    "Relu": _relu,
    "Clip": _clip,
    "Cast": _cast,
    "Mul": _with_constant(LinkKind.TIMES),
    "Div": _with_constant(LinkKind.OVER),
    "Add": _with_constant(LinkKind.PLUS),
    "Sub": _with_constant(LinkKind.PLUS),
    "Softmax": _softmax,
    "Flatten": _moved,
    "Reshape": _moved,
    "Transpose": _moved,
    "Squeeze": _moved,
    "Unsqueeze": _moved,
    "Slice": _moved,
    "Split": _moved,
    "Gather": _moved,
    "Identity": _same,
    "Dropout": _same,
}
