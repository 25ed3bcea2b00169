"""How each ONNX operator becomes operators of the network; `CONVERTERS` is the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from vouch.errors import VouchError
from vouch.nn import functions
from vouch.nn.arrays import Array, Shape
from vouch.nn.loaders.onnx_curves import CURVES, matmul_values
from vouch.nn.loaders.onnx_node import ImportContext, OnnxNode
from vouch.nn.loaders.onnx_resize import depth_to_space, resize, space_to_depth, upsample
from vouch.nn.loaders.onnx_windows import (
    average_pool,
    conv,
    conv_transpose,
    global_average_pool,
    global_max_pool,
    max_pool,
)
from vouch.nn.operators import (
    Add,
    BatchNormalization,
    Clip,
    Concat,
    Curve,
    Expand,
    Gather,
    Gemm,
    LeakyRelu,
    MatMul,
    Max,
    Operator,
    Pad,
    Positive,
    Reduce,
    ReduceMax,
    Relu,
    Reshape,
    Scale,
    Shift,
    Sigmoid,
    Slice,
    Tanh,
    Tile,
    Transpose,
)
from vouch.nn.operators.base import finite

Converter = Callable[[OnnxNode, ImportContext], None]

# ONNX's numbers for these types.
FLOAT, DOUBLE, BOOL = 1, 11, 9


def _gemm(node: OnnxNode, context: ImportContext) -> None:
    x = node.value(0)
    if node.attribute("transA", 0):
        x = node.step("transposed", Transpose((1, 0)), x)
    if len(context.shape(x)) != 2:
        raise VouchError(f"input of shape {context.shape(x)}, a matrix expected")
    weights = node.weights(1) if node.attribute("transB", 0) else node.weights(1).T
    alpha, beta = float(node.attribute("alpha", 1.0)), float(node.attribute("beta", 1.0))
    bias = node.weights(2) * beta if node.known(2) else np.zeros(weights.shape[0])
    plain = (not node.has(2) or node.known(2)) and bias.shape in ((len(weights),), (1, len(weights)), ())
    if alpha == 1.0 and plain:
        return node.emit(Gemm.of(weights, bias), x)
    product = node.step("product", Gemm.of(weights, np.zeros(len(weights))), x)
    if alpha != 1.0:
        # A step of its own: sums are multiplied with it, and may overflow where the result does not.
        product = node.step("alpha", Scale(np.array(alpha)), product)
    if not node.has(2) or node.known(2):
        return node.emit(Shift(bias), product)
    return node.emit(Add(), product, node.step("scaled", Scale(np.array(beta)), node.value(2)))


def _matmul(node: OnnxNode, context: ImportContext) -> None:
    if node.known(1):
        node.emit(MatMul(node.weights(1)), node.value(0))
    elif node.known(0):
        node.emit(MatMul(node.weights(0), left=True), node.value(1))
    else:
        matmul_values(node, context)


def _aligned_right(convert: Converter) -> Converter:
    """Before opset 7 an attribute could say at which axis the second operand starts."""

    def checked(node: OnnxNode, context: ImportContext) -> None:
        if node.attribute("axis") is not None:
            raise VouchError("the attribute axis of old broadcasting is not supported")
        convert(node, context)

    return checked


def _add(node: OnnxNode, context: ImportContext) -> None:
    if node.known(0) or node.known(1):
        fixed = 0 if node.known(0) else 1
        node.emit(Shift(node.weights(fixed)), node.value(1 - fixed))
    else:
        node.emit(Add(), node.value(0), node.value(1))


def _sub(node: OnnxNode, context: ImportContext) -> None:
    if node.known(0):
        node.emit(Shift(node.weights(0), negated=True), node.value(1))
    elif node.known(1):
        node.emit(Shift(-node.weights(1)), node.value(0))
    else:
        node.emit(Add((1, -1)), node.value(0), node.value(1))


def _sum(node: OnnxNode, context: ImportContext) -> None:
    values = [node.value(i) for i in range(len(node.inputs)) if not node.known(i)]
    fixed = [node.weights(i) for i in range(len(node.inputs)) if node.known(i)]
    if not fixed:
        return node.emit(Add((1,) * len(values)), *values)
    total = node.step("values", Add((1,) * len(values)), *values)
    for number, constant in enumerate(fixed[:-1]):
        total = node.step(f"constant{number}", Shift(constant), total)
    return node.emit(Shift(fixed[-1]), total)


def _neg(node: OnnxNode, context: ImportContext) -> None:
    node.emit(Scale(np.array(-1.0)), node.value(0))


def _batch_normalization(node: OnnxNode, context: ImportContext) -> None:
    if node.attribute("training_mode", 0) or not node.attribute("spatial", 1) or context.opset < 7:
        raise VouchError("training mode, and statistics for each element, are not supported")
    scale, shift, mean, variance = (node.weights(i) for i in range(1, 5))
    epsilon = float(node.attribute("epsilon", np.float32(1e-5)))
    node.emit(BatchNormalization(scale, shift, mean, variance, epsilon), node.value(0))


def _simple(op: Operator) -> Converter:
    return lambda node, context: node.emit(op, node.value(0))


def _leaky_relu(node: OnnxNode, context: ImportContext) -> None:
    node.emit(LeakyRelu(float(node.attribute("alpha", np.float32(0.01)))), node.value(0))


def _clip(node: OnnxNode, context: ImportContext) -> None:
    ends = []
    for index, name, default in ((1, "min", -math.inf), (2, "max", math.inf)):
        end = node.constant(index) if node.has(index) else np.array(node.attribute(name, default))
        if end.size != 1 or np.isnan(end).any():
            raise VouchError(f"{name} has to be one number")
        ends.append(float(end.ravel()[0]))
    node.emit(Clip(*ends), node.value(0))


def _hard_sigmoid(node: OnnxNode, context: ImportContext) -> None:
    alpha = np.array(float(node.attribute("alpha", np.float32(0.2))))
    beta = np.array(float(node.attribute("beta", np.float32(0.5))))
    ramp = node.step("shifted", Shift(beta), node.step("scaled", Scale(alpha), node.value(0)))
    node.emit(Clip(0.0, 1.0), ramp)


def _reshape(node: OnnxNode, context: ImportContext) -> None:
    source = node.shape(0)
    wanted = node.integers(1) if node.has(1) else list(node.integer_list("shape", ()))
    if not node.attribute("allowzero", 0):
        wanted = [source[i] if n == 0 and i < len(source) else n for i, n in enumerate(wanted)]
    if wanted.count(-1) > 1 or min(wanted, default=1) < -1:
        raise VouchError(f"a target shape {wanted}")
    if -1 in wanted:
        rest = math.prod(n for n in wanted if n != -1)
        if rest == 0 or math.prod(source) % rest:
            raise VouchError(f"an input of shape {source} does not fit in {wanted}")
        wanted[wanted.index(-1)] = math.prod(source) // rest
    node.emit(Reshape(tuple(wanted)), node.value(0))


def _flatten(node: OnnxNode, context: ImportContext) -> None:
    source, axis = node.shape(0), int(node.attribute("axis", 1))
    if not -len(source) <= axis <= len(source):
        raise VouchError(f"no axis {axis} in an input of shape {source}")
    axis = axis + len(source) if axis < 0 else axis
    node.emit(Reshape((math.prod(source[:axis]), math.prod(source[axis:]))), node.value(0))


def axes_within(axes: list[int], rank: int) -> list[int]:
    """Axes counted from the front."""
    if any(not -rank <= a < rank for a in axes):
        raise VouchError(f"axes {axes} of a value with {rank}")
    return [a % rank for a in axes]


def _axes(node: OnnxNode) -> list[int] | None:
    """The axes that a node names, as an input (newer) or as an attribute (older)."""
    if node.has(1):
        return node.integers(1)
    axes = node.attribute("axes")
    return None if axes is None else [int(a) for a in axes]


def _squeeze(node: OnnxNode, context: ImportContext) -> None:
    source, named = node.shape(0), _axes(node)
    if named == []:
        raise VouchError("an empty list of axes, which runtimes read as none or as all, is not supported")
    axes = [a for a, n in enumerate(source) if n == 1] if named is None else axes_within(named, len(source))
    if any(source[a] != 1 for a in axes):
        raise VouchError(f"axes {axes} of shape {source} are not all 1")
    node.emit(Reshape(tuple(n for a, n in enumerate(source) if a not in axes)), node.value(0))


def _unsqueeze(node: OnnxNode, context: ImportContext) -> None:
    source, named = node.shape(0), _axes(node) or []
    rank = len(source) + len(named)
    axes, rest = set(axes_within(named, rank)), iter(source)
    if len(axes) != len(named):
        raise VouchError(f"axes {named} repeat")
    node.emit(Reshape(tuple(1 if a in axes else next(rest) for a in range(rank))), node.value(0))


def _transpose(node: OnnxNode, context: ImportContext) -> None:
    rank = len(node.shape(0))
    node.emit(Transpose(node.integer_list("perm", range(rank)[::-1])), node.value(0))


def _slice(node: OnnxNode, context: ImportContext) -> None:
    rank = len(node.shape(0))
    if node.has(1):
        starts, ends = node.integers(1), node.integers(2)
        named = node.integers(3) if node.has(3) else list(range(len(starts)))
        steps = node.integers(4) if node.has(4) else [1] * len(starts)
    else:
        starts, ends = list(node.integer_list("starts", ())), list(node.integer_list("ends", ()))
        named, steps = list(node.integer_list("axes", range(len(starts)))), [1] * len(starts)
    ranges: list[tuple[int | None, int | None, int | None]] = [(None, None, None)] * rank
    for axis, start, end, step in zip(axes_within(named, rank), starts, ends, steps, strict=True):
        ranges[axis] = (start, end, step)
    node.emit(Slice(tuple(ranges)), node.value(0))


def _split(node: OnnxNode, context: ImportContext) -> None:
    shape = node.shape(0)
    (axis,) = axes_within([int(node.attribute("axis", 0))], len(shape))
    parts, size = len(node.outputs), -(-shape[axis] // len(node.outputs))
    sizes = node.integers(1) if node.has(1) else list(node.integer_list("split", ()))
    sizes = sizes or [min(size, shape[axis] - i * size) for i in range(parts)]
    if len(sizes) != parts or sum(sizes) != shape[axis] or min(sizes) < 1:
        raise VouchError(f"parts {sizes} of axis {axis} of shape {shape}")
    start = 0
    for number, length in enumerate(sizes):
        ranges: list[tuple[int | None, int | None, int | None]] = [(None, None, None)] * len(shape)
        ranges[axis] = (start, start + length, None)
        node.emit(Slice(tuple(ranges)), node.value(0), output=number)
        start += length


def _gather(node: OnnxNode, context: ImportContext) -> None:
    (axis,) = axes_within([int(node.attribute("axis", 0))], len(node.shape(0)))
    indices = node.constant(1)
    if not np.issubdtype(indices.dtype, np.integer):
        raise VouchError(f"indices of type {indices.dtype}")
    node.emit(Gather(indices, axis), node.value(0))


def _expand(node: OnnxNode, context: ImportContext) -> None:
    wanted = tuple(node.integers(1))
    try:
        node.emit(Expand(tuple(np.broadcast_shapes(node.shape(0), wanted))), node.value(0))
    except ValueError:
        raise VouchError(f"an input of shape {node.shape(0)} does not spread to {wanted}") from None


def _pad(node: OnnxNode, context: ImportContext) -> None:
    rank, mode = len(node.shape(0)), str(node.attribute("mode", "constant"))
    if mode not in ("constant", "reflect", "edge"):
        raise VouchError(f"mode {mode!r} is not supported")
    pads = node.integers(1) if node.has(1) else list(node.integer_list("pads", ()))
    value = node.weights(2) if node.has(2) else np.array(node.attribute("value", 0.0))
    named = axes_within(node.integers(3), rank) if node.has(3) else list(range(rank))
    if len(pads) != 2 * len(named):
        raise VouchError(f"{len(pads)} pads for {len(named)} axes")
    by_axis = [(0, 0)] * rank
    for place, axis in enumerate(named):
        by_axis[axis] = (pads[place], pads[place + len(named)])
    finite(value)
    node.emit(Pad(tuple(by_axis), mode, float(value.ravel()[0])), node.value(0))


def _parts(node: OnnxNode) -> tuple[tuple[Array | None, ...], list[str]]:
    """For operators that join: constants in their places, and the names of the others."""
    count = range(len(node.inputs))
    parts = tuple(node.weights(i) if node.known(i) else None for i in count)
    return parts, [node.value(i) for i in count if not node.known(i)]


def _concat(node: OnnxNode, context: ImportContext) -> None:
    parts, values = _parts(node)
    (axis,) = axes_within([int(node.attribute("axis", 1))], len(context.shape(values[0])))
    node.emit(Concat(axis, parts), *values)


def _extreme(sign: int) -> Converter:
    def convert(node: OnnxNode, context: ImportContext) -> None:
        parts, values = _parts(node)
        node.emit(Max(parts, sign), *values)

    return convert


def _reduced(make: Callable[[tuple[int, ...], bool], Operator], before: Operator | None = None) -> Converter:
    """Over the axes named, all of them where none is; `before` is applied to every element first."""

    def convert(node: OnnxNode, context: ImportContext) -> None:
        rank, named = len(node.shape(0)), _axes(node)
        value = node.value(0)
        if not named and node.attribute("noop_with_empty_axes", 0):
            return node.pass_on() if before is None else node.emit(before, value)
        axes = tuple(sorted(axes_within(named or list(range(rank)), rank)))
        value = value if before is None else node.step("each", before, value)
        return node.emit(make(axes, bool(node.attribute("keepdims", 1))), value)

    return convert


def _reduce_l2(node: OnnxNode, context: ImportContext) -> None:
    rank, named = len(node.shape(0)), _axes(node)
    if not named and node.attribute("noop_with_empty_axes", 0):
        raise VouchError("no axes are not supported")
    axes = tuple(sorted(axes_within(named or list(range(rank)), rank)))
    squares = node.step("squares", Curve(functions.power(2)), node.value(0))
    total = node.step("sum", Reduce(axes, bool(node.attribute("keepdims", 1)), mean=False), squares)
    node.emit(Curve(functions.power(0.5)), total)


def _mean(node: OnnxNode, context: ImportContext) -> None:
    values = [node.value(i) for i in range(len(node.inputs)) if not node.known(i)]
    total = node.step("values", Add((1,) * len(values)), *values)
    for number in range(len(node.inputs)):
        if node.known(number):
            total = node.step(f"constant{number}", Shift(node.weights(number)), total)
    node.emit(Scale(np.array(float(len(node.inputs))), divide=True), total)


def _tile(node: OnnxNode, context: ImportContext) -> None:
    node.emit(Tile(tuple(node.integers(1))), node.value(0))


def _shape(node: OnnxNode, context: ImportContext) -> None:
    shape: Shape = node.shape(0)
    part = shape[slice(node.attribute("start", 0), node.attribute("end", None))]
    context.constants[node.outputs[0]] = np.array(part, dtype=np.int64)


def _size(node: OnnxNode, context: ImportContext) -> None:
    context.constants[node.outputs[0]] = np.array(math.prod(node.shape(0)), dtype=np.int64)


def _dropout(node: OnnxNode, context: ImportContext) -> None:
    if (node.has(2) and np.any(node.constant(2))) or (context.opset < 7 and not node.attribute("is_test", 0)):
        raise VouchError("training mode is not supported")
    node.pass_on()


def _identity(node: OnnxNode, context: ImportContext) -> None:
    node.pass_on()


def _cast(node: OnnxNode, context: ImportContext) -> None:
    """Between float32 and float64, where the model's own numbers are float32, nothing changes but that a sum
    is rounded less. A truth value becomes the number it is already."""
    target, source = int(node.attribute("to", 0)), node.value(0)
    boolean = any(n.name == source and isinstance(n.op, Positive) for n in context.builder.nodes)
    floats = context.kind == FLOAT and target in (FLOAT, DOUBLE)
    if target != context.kind and not floats and not (boolean and target == BOOL):
        raise VouchError("a cast of a computed value to another type")
    node.pass_on()


CONVERTERS: Mapping[str, Converter] = {
    "Gemm": _gemm,
    "MatMul": _matmul,
    "Add": _aligned_right(_add),
    "Sub": _aligned_right(_sub),
    **CURVES,
    "Mul": _aligned_right(CURVES["Mul"]),
    "Div": _aligned_right(CURVES["Div"]),
    "Sum": _sum,
    "Neg": _neg,
    "Conv": conv,
    "BatchNormalization": _batch_normalization,
    "AveragePool": average_pool,
    "GlobalAveragePool": global_average_pool,
    "ReduceSum": _reduced(lambda axes, keep: Reduce(axes, keep, mean=False)),
    "ReduceMean": _reduced(lambda axes, keep: Reduce(axes, keep, mean=True)),
    "ReduceMax": _reduced(lambda axes, keep: ReduceMax(axes, keep)),
    "ReduceMin": _reduced(lambda axes, keep: ReduceMax(axes, keep, -1)),
    "ReduceL1": _reduced(lambda axes, keep: Reduce(axes, keep, mean=False), LeakyRelu(-1.0)),
    "ReduceSumSquare": _reduced(lambda axes, keep: Reduce(axes, keep, False), Curve(functions.power(2))),
    "ReduceL2": _reduce_l2,
    "Mean": _mean,
    "ConvTranspose": conv_transpose,
    "Resize": resize,
    "Upsample": upsample,
    "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth,
    "Tile": _tile,
    "Relu": _simple(Relu()),
    "LeakyRelu": _leaky_relu,
    "Clip": _clip,
    "HardSigmoid": _hard_sigmoid,
    "Sigmoid": _simple(Sigmoid()),
    "Tanh": _simple(Tanh()),
    "MaxPool": max_pool,
    "GlobalMaxPool": global_max_pool,
    "Max": _extreme(1),
    "Min": _extreme(-1),
    "Flatten": _flatten,
    "Reshape": _reshape,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Transpose": _transpose,
    "Slice": _slice,
    "Split": _split,
    "Gather": _gather,
    "Expand": _expand,
    "Pad": _pad,
    "Concat": _concat,
    "Shape": _shape,
    "Size": _size,
    "Dropout": _dropout,
    "Identity": _identity,
    "Cast": _cast,
}
