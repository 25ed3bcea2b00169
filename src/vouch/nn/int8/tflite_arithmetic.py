"""Int8 operators of TensorFlow Lite beside layers: sums, products, means, curves, joined and padded tensors.

The arithmetic is that of the reference kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.nn.arrays import Shape
from vouch.nn.fixed.format import Ints
from vouch.nn.int8.builder import Tensor
from vouch.nn.int8.chain import Chain, LinkKind, multiplied
from vouch.nn.int8.fixed_curves import logistic, right, tangent
from vouch.nn.int8.tflite_numbers import HIGH, LOW, activation_limits, fused, multiplier
from vouch.nn.loaders.tflite_file import TfOperator, TfTensor

if TYPE_CHECKING:
    from vouch.nn.int8.tflite import Int8Reader

_NUMBERS = np.arange(LOW, HIGH + 1)
# Operands of a sum are shifted to the left by so many bits first.
_ROOM = 20


def _operands(reader: Int8Reader, operator: TfOperator) -> tuple[Any, Any, Shape]:
    """Both operands, each a tensor or the numbers of a constant, in the shape of the result."""
    shape = tuple(reader.result(operator).shape)
    found: list[Any] = []
    for place in range(2):
        data = reader.tensor(operator, place).data
        reader.one(reader.tensor(operator, place))
        if data is not None:
            found.append(np.broadcast_to(data, shape).ravel().astype(np.int64))
        else:
            found.append(reader.builder.spread(reader.value(operator, place), shape))
    if all(isinstance(part, np.ndarray) for part in found):
        raise Unsupported("two constant operands")
    return found[0], found[1], shape


def _tabled(reader: Int8Reader, operator: TfOperator, table: Ints) -> None:
    """A function of one 8-bit number, given for all of them."""
    value = reader.value(operator)
    group = np.zeros(value.size, dtype=np.int64)
    reader.emit(operator, reader.builder.tabled(value, table[None, :], LOW, group))


def _with_constant(
    reader: Int8Reader, operator: TfOperator, value: Tensor, constants: Ints, function: Any
) -> None:
    """`function(numbers, constant)` of a tensor and a constant for each element."""
    different, group = np.unique(constants, return_inverse=True)
    tables = np.array([function(_NUMBERS, int(constant)) for constant in different])
    made = reader.builder.both_ways(value, tables, LOW, np.asarray(group).reshape(-1))
    reader.emit(operator, made)


def _sum(reader: Int8Reader, operator: TfOperator) -> None:
    """Both operands are brought to a common scale with 20 more bits, added, and brought back."""
    one, other, _ = _operands(reader, operator)
    made = reader.result(operator)
    scales, zeros = zip(*(reader.one(reader.tensor(operator, place)) for place in (0, 1)), strict=True)
    most = 2.0 * float(max(scales))
    pairs = [multiplier(float(scale) / most) for scale in scales]
    after, zero = reader.one(made)
    back = multiplier(most / ((1 << _ROOM) * float(after)))
    low, high = activation_limits(fused(operator), made)
    sign = -1 if operator.kind == "SUB" else 1

    def scaled(numbers: Any, place: int) -> Any:
        moved = np.asarray(numbers, dtype=np.int64) - zeros[place]
        return multiplied(moved << _ROOM, *pairs[place])

    def finished(total: Any) -> Ints:
        return np.clip(multiplied(total, *back) + zero, low, high)

    if isinstance(one, np.ndarray):
        _with_constant(
            reader, operator, other, one, lambda n, c: finished(scaled(c, 0) + sign * scaled(n, 1))
        )
        return
    if isinstance(other, np.ndarray):
        _with_constant(
            reader, operator, one, other, lambda n, c: finished(scaled(n, 0) + sign * scaled(c, 1))
        )
        return
    first = LOW
    if sign < 0:  # tables of two numbers increase in both
        other, first = reader.builder.centred(other, 0, -1), -HIGH
    table = finished(scaled(_NUMBERS, 0)[:, None] + sign * scaled(_NUMBERS[::sign], 1)[None, :])
    reader.emit(operator, reader.builder.paired(one, other, table, (LOW, first)))


def _product(reader: Int8Reader, operator: TfOperator) -> None:
    one, other, shape = _operands(reader, operator)
    made = reader.result(operator)
    (scale, zero), (second, second_zero) = (reader.one(reader.tensor(operator, n)) for n in (0, 1))
    after, after_zero = reader.one(made)
    fixed, shift = multiplier(float(scale) * float(second) / float(after))
    low, high = activation_limits(fused(operator), made)

    def finished(total: Any) -> Ints:
        return np.clip(multiplied(total, fixed, shift) + after_zero, low, high)

    if shift > 14:
        raise Unsupported("products that may leave 32 bits when they are scaled")
    if isinstance(one, np.ndarray):
        one, other, zero, second_zero = other, one, second_zero, zero
    if isinstance(other, np.ndarray):
        _with_constant(
            reader, operator, one, other, lambda n, c: finished((n - zero) * np.int64(c - second_zero))
        )
        return
    builder = reader.builder
    whole = builder.product(builder.centred(one, zero), builder.centred(other, second_zero))
    chain = Chain(math.prod(shape)).then(LinkKind.FIXED, fixed, shift)
    chain = chain.then(LinkKind.LIMIT, after_zero, low, high)
    reader.emit(operator, builder.requantised(whole, chain, low, high))


def _curve(reader: Int8Reader, operator: TfOperator) -> None:
    """Sigmoid and tanh: the argument with 4 integer bits, the function in fixed point, the high bits."""
    scale, zero = reader.one(reader.tensor(operator, 0))
    given = reader.one(reader.result(operator))
    bent = operator.kind == "TANH"
    if given != ((np.float32(1 / 128), 0) if bent else (np.float32(1 / 256), LOW)):
        raise Unsupported("a curve with another scale of its results than the usual one")
    share, shift = math.frexp(float(scale) * (1 << 27))
    fixed = math.floor(share * (1 << 31) + 0.5)
    if shift < 0 or shift > 30:
        raise Unsupported("a curve of numbers with so small or large a scale")
    radius = math.floor(15.0 * (1 << 27) / (1 << shift))
    moved = _NUMBERS - zero
    inner = np.clip(moved, -radius + 1, radius - 1)
    argument = multiplied(inner, fixed, shift)
    found = right(tangent(argument), 24) if bent else right(logistic(argument), 23) + LOW
    found = np.clip(found, LOW, HIGH)
    _tabled(reader, operator, np.where(moved <= -radius, LOW, np.where(moved >= radius, HIGH, found)))


def _leaky(reader: Int8Reader, operator: TfOperator) -> None:
    (scale, zero), (after, after_zero) = (
        reader.one(part) for part in (reader.tensor(operator, 0), reader.result(operator))
    )
    slope = float(np.float32(operator.options.Alpha()))
    if slope < 0:
        raise Unsupported("a leaky ReLU with a slope below zero")
    moved = _NUMBERS - zero
    above = multiplied(moved, *multiplier(float(scale) / float(after)))
    below = multiplied(moved, *multiplier(float(scale) * slope / float(after)))
    _tabled(reader, operator, np.clip(np.where(moved >= 0, above, below) + after_zero, LOW, HIGH))


def _same_scale(reader: Int8Reader, tensors: list[TfTensor], operator: TfOperator) -> None:
    made = reader.one(reader.result(operator))
    if any(reader.one(tensor) != made for tensor in tensors):
        raise Unsupported("a result with another scale than the operands")


def _concatenation(reader: Int8Reader, operator: TfOperator) -> None:
    places = range(len(operator.inputs))
    _same_scale(reader, [reader.tensor(operator, place) for place in places], operator)
    if fused(operator):
        raise Unsupported("a fused activation")
    parts = [reader.value(operator, place) for place in places]
    axis = int(operator.options.Axis())
    reader.emit(operator, reader.builder.joined(parts, axis % len(parts[0].shape)))


def _pad(reader: Int8Reader, operator: TfOperator) -> None:
    """With the zero point, or with a number of the same scale."""
    _same_scale(reader, [reader.tensor(operator, 0)], operator)
    value, widths = reader.value(operator), np.asarray(reader.constant(operator, 1))
    fill = int(reader.one(reader.result(operator))[1])
    if operator.kind == "PADV2":
        _same_scale(reader, [reader.tensor(operator, 2)], operator)
        fill = int(np.asarray(reader.constant(operator, 2)).reshape(()))
    if widths.shape != (len(value.shape), 2) or (widths < 0).any():
        raise VouchError(f"padding of shape {widths.shape} for a tensor of shape {value.shape}")
    places = np.pad(value.places, [(int(a), int(b)) for a, b in widths], constant_values=-1)
    reader.emit(operator, reader.builder.selected(value, places, fill))


def _mean(reader: Int8Reader, operator: TfOperator) -> None:
    """Over height and width of an image: the number of elements is part of the multiplier."""
    value, axes = reader.value(operator), np.asarray(reader.constant(operator, 1)).ravel()
    rank = len(value.shape)
    if rank != 4 or value.shape[0] != 1 or sorted(int(a) % rank for a in axes) != [1, 2]:
        raise Unsupported("a mean over other axes than height and width of an image")
    (scale, zero), (after, after_zero) = (
        reader.one(part) for part in (reader.tensor(operator, 0), reader.result(operator))
    )
    columns = np.moveaxis(value.places[0], 2, 0).reshape(value.shape[3], -1)
    count = columns.shape[1]
    start = np.full(len(columns), -zero * count, dtype=np.int64)
    acc = reader.builder.sums(value, columns, np.ones_like(columns), start, (1, 1, 1, len(columns)))
    fixed, shift = multiplier(float(scale) / float(after))
    more = min(count.bit_length() - 1, 32, 31 + shift)
    chain = Chain(acc.size).then(LinkKind.FIXED, (fixed << more) // count, shift - more)
    chain = chain.then(LinkKind.LIMIT, after_zero, LOW, HIGH)
    reader.emit(operator, reader.builder.requantised(acc, chain, LOW, HIGH))


ARITHMETIC: dict[str, Callable[[Int8Reader, TfOperator], None]] = {
    "ADD": _sum,
    "SUB": _sum,
    "MUL": _product,
    "LOGISTIC": _curve,
    "TANH": _curve,
    "LEAKY_RELU": _leaky,
    "CONCATENATION": _concatenation,
    "PAD": _pad,
    "PADV2": _pad,
    "MEAN": _mean,
}
