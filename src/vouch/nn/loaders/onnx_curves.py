"""ONNX nodes that apply one function to every element, and products of computed values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from vouch.errors import VouchError
from vouch.nn import functions
from vouch.nn.arrays import Array
from vouch.nn.functions import ScalarFunction
from vouch.nn.loaders.onnx_node import ImportContext, OnnxNode
from vouch.nn.network import Node
from vouch.nn.operators import (
    Add,
    Choose,
    Curve,
    Einsum,
    LeakyRelu,
    LogSoftmax,
    MatMulValues,
    Positive,
    Product,
    Reshape,
    Scale,
    Shift,
    Sigmoid,
    Softmax,
    Standardise,
    TwoSlopes,
)

Converter = Callable[[OnnxNode, ImportContext], None]


def _applied(function: Callable[[], ScalarFunction]) -> Converter:
    return lambda node, context: node.emit(Curve(function()), node.value(0))


def _number(node: OnnxNode, name: str, default: float) -> float:
    return float(node.attribute(name, np.float32(default)))


def _elu(node: OnnxNode, context: ImportContext) -> None:
    node.emit(Curve(functions.elu(_number(node, "alpha", 1.0))), node.value(0))


def _celu(node: OnnxNode, context: ImportContext) -> None:
    alpha = _number(node, "alpha", 1.0)
    if not alpha > 0:
        raise VouchError(f"an alpha of {alpha}")
    node.emit(Curve(functions.elu(alpha, 1.0, 1.0 / alpha)), node.value(0))


def _selu(node: OnnxNode, context: ImportContext) -> None:
    alpha = _number(node, "alpha", 1.67326319217681884765625)
    gamma = _number(node, "gamma", 1.05070102214813232421875)
    node.emit(Curve(functions.elu(alpha, gamma)), node.value(0))


def _gelu(node: OnnxNode, context: ImportContext) -> None:
    kind = str(node.attribute("approximate", "none"))
    if kind not in ("none", "tanh"):
        raise VouchError(f"the approximation {kind!r} is not supported")
    node.emit(Curve(functions.gelu(tanh=kind == "tanh")), node.value(0))


def _abs(node: OnnxNode, context: ImportContext) -> None:
    node.emit(LeakyRelu(-1.0), node.value(0))


def prelu(node: OnnxNode, context: ImportContext) -> None:
    slopes = node.weights(1)
    if np.broadcast_shapes(node.shape(0), slopes.shape) != node.shape(0):
        raise VouchError(f"slopes of shape {slopes.shape} on an input of shape {node.shape(0)}")
    if np.all(slopes == slopes.flat[0]):
        return node.emit(LeakyRelu(float(slopes.flat[0])), node.value(0))
    return node.emit(TwoSlopes(slopes), node.value(0))


def _softmax_of(kind: type[Softmax]) -> Converter:
    def convert(node: OnnxNode, context: ImportContext) -> None:
        newer = context.opset >= 13
        node.emit(kind(int(node.attribute("axis", -1 if newer else 1)), flat=not newer), node.value(0))

    return convert


def mul(node: OnnxNode, context: ImportContext) -> None:
    if node.known(0) or node.known(1):
        fixed = 0 if node.known(0) else 1
        return node.emit(Scale(node.weights(fixed)), node.value(1 - fixed))
    first, second = node.value(0), node.value(1)
    for gate, value in ((first, second), (second, first)):
        if _gated(node, context, gate, value):
            return None
    return node.emit(Product(), first, second)


def _gated(node: OnnxNode, context: ImportContext, gate: str, value: str) -> bool:
    """x sigmoid(x) and x (1 + erf(c x)) are one function of x each: exporters write SiLU and GELU so."""
    last = _made(context, gate)
    if last is None or last.shape != context.shape(value):
        return False
    if isinstance(last.op, Sigmoid):
        factor, source = _scaled(context, last.inputs[0])
        if source != value or factor <= 0:
            return False
        inner = node.step("scaled", Scale(np.array(factor)), value) if factor != 1 else value
        curve = Curve(functions.silu())
    else:
        inside = _made(context, last.inputs[0]) if isinstance(last.op, Shift) else None
        if not (isinstance(last.op, Shift) and np.all(last.op.constant == 1.0) and not last.op.negated):
            return False
        if inside is None or not (isinstance(inside.op, Curve) and inside.op.function.name == "Erf"):
            return False
        rate, source = _scaled(context, inside.inputs[0])
        if source != value or rate <= 0:
            return False
        factor = rate * math.sqrt(2.0)
        inner = node.step("scaled", Scale(np.array(factor)), value)
        curve = Curve(functions.gelu())
        factor = factor / 2
    applied = node.step("curve", curve, inner)
    node.emit(Scale(np.array(1.0 / factor)), applied)
    return True


def _made(context: ImportContext, name: str) -> Node | None:
    return next((n for n in reversed(context.builder.nodes) if n.name == name), None)


def _scaled(context: ImportContext, name: str) -> tuple[float, str]:
    """(c, x) with the value called `name` being c x for one number c."""
    node = _made(context, name)
    if node is None or not isinstance(node.op, Scale) or node.op.constant.size != 1:
        return 1.0, name
    factor = float(node.op.constant.ravel()[0])
    return (1.0 / factor if node.op.divide else factor), node.inputs[0]


def div(node: OnnxNode, context: ImportContext) -> None:
    if node.known(1):
        return node.emit(Scale(node.weights(1), divide=True), node.value(0))
    reciprocal = node.step("reciprocal", Curve(functions.power(-1.0)), node.value(1))
    if node.known(0):
        return node.emit(Scale(node.weights(0)), reciprocal)
    return node.emit(Product(), node.value(0), reciprocal)


def _pow(node: OnnxNode, context: ImportContext) -> None:
    exponents = node.weights(1)
    if exponents.size != 1:
        raise VouchError("exponents that differ between elements are not supported")
    exponent = float(exponents.ravel()[0])
    if exponent == 0.0 or abs(exponent) > 16:
        raise VouchError(f"an exponent of {exponent:g} is not supported")
    shape = np.broadcast_shapes(node.shape(0), exponents.shape)
    curve = Curve(functions.power(exponent))
    if shape == node.shape(0):
        return node.pass_on() if exponent == 1.0 else node.emit(curve, node.value(0))
    # One number of more axes than the base gives the result its axes: later nodes count them.
    value = node.value(0) if exponent == 1.0 else node.step("power", curve, node.value(0))
    return node.emit(Reshape(shape), value)


def matmul_values(node: OnnxNode, context: ImportContext) -> None:
    node.emit(MatMulValues(), node.value(0), node.value(1))


def _einsum(node: OnnxNode, context: ImportContext) -> None:
    equation = str(node.attribute("equation", "")).replace(" ", "")
    if not equation or "." in equation or len(node.inputs) not in (1, 2):
        raise VouchError(f"the equation {equation!r} of {len(node.inputs)} operands is not supported")
    left, arrow, result = equation.partition("->")
    operands = tuple(left.split(","))
    if not arrow:
        result = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    if len(operands) != len(node.inputs):
        raise VouchError(f"the equation {equation!r} with {len(node.inputs)} operands")
    constants = tuple(node.weights(i) if node.known(i) else None for i in range(len(operands)))
    values = [node.value(i) for i in range(len(operands)) if not node.known(i)]
    node.emit(Einsum(operands, result, constants), *values)


def _layer_normalization(node: OnnxNode, context: ImportContext) -> None:
    shape = node.shape(0)
    axis = int(node.attribute("axis", -1))
    if not -len(shape) <= axis < len(shape):
        raise VouchError(f"no axis {axis} in an input of shape {shape}")
    if len([name for name in node.outputs if name]) > 1:
        raise VouchError("its mean and deviation as results are not supported")
    axes = tuple(range(axis % len(shape), len(shape)))
    whole = Standardise(axes, _number(node, "epsilon", 1e-5))
    _rescaled(node, node.step("standard", whole, node.value(0)), lambda a: a)


def _instance_normalization(node: OnnxNode, context: ImportContext) -> None:
    shape = node.shape(0)
    if len(shape) < 3:
        raise VouchError(f"an input of shape {shape}")
    whole = Standardise(tuple(range(2, len(shape))), _number(node, "epsilon", 1e-5))
    lead = (1,) * (len(shape) - 2)
    _rescaled(node, node.step("standard", whole, node.value(0)), lambda a: a.reshape(-1, *lead))


def _rescaled(node: OnnxNode, value: str, spread: Callable[[Array], Array]) -> None:
    scale = Scale(spread(node.weights(1)))
    if not node.has(2):
        return node.emit(scale, value)
    return node.emit(Shift(spread(node.weights(2))), node.step("scaled", scale, value))


def _compare(sign: int, *, zero: bool) -> Converter:
    """a > b is a - b > 0."""

    def convert(node: OnnxNode, context: ImportContext) -> None:
        if node.known(0) or node.known(1):
            fixed = 0 if node.known(0) else 1
            constant, value = node.weights(fixed), node.value(1 - fixed)
            flipped = (fixed == 0) == (sign > 0)
            shift = Shift(constant, negated=True) if flipped else Shift(-constant)
            difference = node.step("difference", shift, value)
        else:
            first, second = (0, 1) if sign > 0 else (1, 0)
            difference = node.step("difference", Add((1, -1)), node.value(first), node.value(second))
        node.emit(Positive(zero), difference)

    return convert


def _not(node: OnnxNode, context: ImportContext) -> None:
    node.emit(Shift(np.array(1.0), negated=True), node.value(0))


def _where(node: OnnxNode, context: ImportContext) -> None:
    if node.known(0):
        return _chosen(node, context)
    # c a + (1 - c) b, for a condition c that is 0 or 1.
    condition = node.value(0)
    otherwise = node.step("otherwise", Shift(np.array(1.0), negated=True), condition)
    parts = []
    for index, gate in ((1, condition), (2, otherwise)):
        if node.known(index):
            parts.append(node.step(f"part{index}", Scale(node.weights(index)), gate))
        else:
            parts.append(node.step(f"part{index}", Product(), gate, node.value(index)))
    return node.emit(Add(), *parts)


def _chosen(node: OnnxNode, context: ImportContext) -> None:
    """A constant condition: a choice that is made when the model is read."""
    mask = node.constant(0).astype(bool)
    if not (node.known(1) or node.known(2)):
        return node.emit(Choose(mask), node.value(1), node.value(2))
    # x where the mask is set, c elsewhere: x times 0 or 1, plus c times the opposite.
    fixed = 1 if node.known(1) else 2
    other, keep = node.value(3 - fixed), (~mask if fixed == 1 else mask)
    raw = node.constant(fixed).astype(np.float64)
    constant = np.where(keep, 0.0, np.broadcast_to(raw, np.broadcast_shapes(raw.shape, keep.shape)))
    if not np.isfinite(constant).all():
        if np.all(constant[~np.isfinite(constant)] == -np.inf):
            raise VouchError("minus infinity as a value (a mask for softmax) is not supported")
        raise VouchError("a value that is NaN or infinite is not supported")
    return node.emit(Shift(constant), node.step("kept", Scale(keep * 1.0), other))


CURVES: Mapping[str, Converter] = {
    "Abs": _abs,
    "Celu": _celu,
    "Div": div,
    "Einsum": _einsum,
    "Elu": _elu,
    "Erf": _applied(functions.error_function),
    "Exp": _applied(functions.exponential),
    "Gelu": _gelu,
    "Greater": _compare(1, zero=False),
    "GreaterOrEqual": _compare(1, zero=True),
    "HardSwish": _applied(functions.hard_swish),
    "InstanceNormalization": _instance_normalization,
    "LayerNormalization": _layer_normalization,
    "Less": _compare(-1, zero=False),
    "LessOrEqual": _compare(-1, zero=True),
    "Log": _applied(functions.logarithm),
    "LogSoftmax": _softmax_of(LogSoftmax),
    "Mul": mul,
    "Not": _not,
    "PRelu": prelu,
    "Pow": _pow,
    "Reciprocal": _applied(lambda: functions.power(-1.0)),
    "Selu": _selu,
    "Sign": _applied(functions.sign),
    "Softmax": _softmax_of(Softmax),
    "Softplus": _applied(functions.softplus),
    "Softsign": _applied(functions.softsign),
    "Sqrt": _applied(lambda: functions.power(0.5)),
    "Where": _where,
}
