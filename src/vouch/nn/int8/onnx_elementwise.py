"""Quantised ONNX operators that work element by element: sums, products, functions of one 8-bit number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import helper, numpy_helper

from vouch.errors import Unsupported
from vouch.nn.int8.builder import Tensor
from vouch.nn.int8.chain import Chain, LinkKind, fused
from vouch.nn.int8.onnx_node import QuantisedNode, QuantisedValue, limits, scale_of
from vouch.nn.int8.ort import opened


def _range(zero: Any) -> tuple[int, int]:
    low, high = limits(zero.dtype)
    return low, high + 1


def _qlinear_add(node: QuantisedNode) -> None:
    """round(a A + (b B + c)) with fused steps: a and b are ratios of scales, c has the zero points."""
    scale = [scale_of(node.constant(i)).reshape(()) for i in (1, 4, 6)]
    zero = [np.asarray(node.constant(i)).reshape(()) for i in (2, 5, 7)]
    (low, high), ratios = limits(zero[2].dtype), (scale[0] / scale[2], scale[1] / scale[2])
    f = [np.float32(z) for z in zero]
    start = f[2] - fused(f[0], ratios[0], ratios[1] * f[1])
    reader = node.reader
    if node.known(0) or node.known(3):
        value, constant, at = (node.value(3), node.constant(0), 1) if node.known(0) else (
            node.value(0), node.constant(3), 0)  # fmt: skip
        if np.broadcast_shapes(constant.shape, value.shape) != value.shape:
            raise Unsupported("a constant that is larger than what it is added to")
        given = np.broadcast_to(constant, value.shape).ravel().astype(np.float32)
        chain = Chain(value.size).then(LinkKind.FLOAT)
        if at == 0:
            chain = chain.then(LinkKind.FUSED, ratios[0], fused(given, ratios[1], start))
        else:
            chain = chain.then(LinkKind.FUSED, ratios[1], start).then(LinkKind.PRODUCT, given, ratios[0])
        chain = chain.then(LinkKind.QUANTISE, 0, low, high)
        node.emit(
            QuantisedValue(value.shape, reader.builder.requantised(value.whole, chain, low, high), None)
        )
        return
    left, right = _alike(node)
    a, b = (np.arange(*_range(z)).astype(np.float32) for z in zero[:2])
    table = np.rint(fused(a[:, None], ratios[0], fused(b[None, :], ratios[1], start)))
    first = int(a[0]), int(b[0])
    whole = np.clip(table, low, high).astype(np.int64)
    node.emit(QuantisedValue(left.shape, reader.builder.paired(left, right, whole, first), None))


def _alike(node: QuantisedNode) -> tuple[Tensor, Tensor]:
    """Both computed operands, in their common shape."""
    left, right = node.value(0).whole, node.value(3).whole
    shape = np.broadcast_shapes(left.shape, right.shape)
    builder = node.reader.builder
    return builder.spread(left, shape), builder.spread(right, shape)


def _qlinear_mul(node: QuantisedNode) -> None:
    """The product of both numbers less their zero points, times a ratio of scales in float32; the result's
    zero point is added before that is rounded, not fused."""
    scale = [scale_of(node.constant(i)).reshape(()) for i in (1, 4, 6)]
    zero = [np.asarray(node.constant(i)).reshape(()) for i in (2, 5, 7)]
    (low, high), ratio, builder = limits(zero[2].dtype), scale[0] * scale[1] / scale[2], node.reader.builder
    after = np.float32(zero[2])
    if not (node.known(0) or node.known(3)):
        left, right = _alike(node)
        whole = builder.product(builder.centred(left, int(zero[0])), builder.centred(right, int(zero[1])))
        chain = Chain(whole.size).then(LinkKind.FLOAT).then(LinkKind.TIMES, ratio)
        chain = chain.then(LinkKind.PLUS, after).then(LinkKind.QUANTISE, 0, low, high)
        node.emit(QuantisedValue(whole.shape, builder.requantised(whole, chain, low, high), None))
        return
    at = 1 if node.known(0) else 0
    value, constant = node.value(3 * at), np.asarray(node.constant(3 * (1 - at)))
    if np.broadcast_shapes(constant.shape, value.shape) != value.shape:
        raise Unsupported("a constant that is larger than what it is multiplied with")
    factors = np.broadcast_to(constant, value.shape).ravel().astype(np.int64) - int(zero[1 - at])
    numbers = np.arange(*_range(zero[at]))
    different, group = np.unique(factors, return_inverse=True)
    products = ((numbers - int(zero[at]))[None, :] * different[:, None]).astype(np.float32)
    tables = np.clip(np.rint(products * ratio + after), low, high).astype(np.int64)
    made = builder.both_ways(value.whole, tables, int(numbers[0]), np.asarray(group).reshape(-1))
    node.emit(QuantisedValue(value.shape, made, None))


def _tabulated(node: QuantisedNode) -> None:
    """A function of one 8-bit number that the runtime computes by a table: all numbers are run in it."""
    value = node.value(0).whole
    kind = np.asarray(node.constant(2)).dtype
    numbers = np.arange(*_range(np.zeros((), kind)))
    infos = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(kind), [len(numbers)])
             for name in (node.inputs[0], node.outputs[0])]  # fmt: skip
    used = [name for name in dict.fromkeys(node.inputs[1:]) if name]
    constants = [numpy_helper.from_array(node.reader.constants[name], name) for name in used]
    graph = helper.make_graph([node.proto], "table", infos[:1], infos[1:], constants)
    model = helper.make_model(graph, opset_imports=node.reader.opsets, ir_version=9)
    session, _ = opened(model.SerializeToString())
    found = session.run(None, {node.inputs[0]: numbers.astype(kind)})[0]
    group = np.zeros(value.size, dtype=np.int64)
    made = node.reader.builder.tabled(value, found.astype(np.int64)[None, :], int(numbers[0]), group)
    node.emit(QuantisedValue(value.shape, made, None))


ELEMENTWISE: dict[str, Callable[[QuantisedNode], None]] = {
    "QLinearAdd": _qlinear_add,
    "QLinearMul": _qlinear_mul,
    "QLinearSigmoid": _tabulated,
    "QLinearLeakyRelu": _tabulated,
}
