"""Reads int8 networks of TensorFlow Lite: int8 activations and weights, 32-bit sums, fixed-point multipliers.

The numbers are those of the reference kernels, which TensorFlow Lite for Microcontrollers runs: products are
summed exactly, multiplied by a 31-bit fixed-point number with two roundings, moved and limited. Kernels made
for speed (XNNPACK, ruy) round once and may differ by one in the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.nn.fixed.format import Ints
from vouch.nn.int8.builder import IntBuilder, Tensor, windows
from vouch.nn.int8.chain import Chain, LinkKind
from vouch.nn.int8.network import Inputs, Outputs, Quantised
from vouch.nn.int8.softmax import IntegerSoftmax
from vouch.nn.int8.tflite_arithmetic import ARITHMETIC
from vouch.nn.int8.tflite_numbers import HIGH, LOW, WORD, activation_limits, fused, multiplier
from vouch.nn.int8.tflm import MicroRuntime
from vouch.nn.loaders.tflite_file import TfModel, TfOperator, TfTensor


def read_int8(model: TfModel) -> Quantised:
    return Int8Reader(model).network()


class Int8Reader:
    def __init__(self, model: TfModel) -> None:
        self.model, self.builder = model, IntBuilder(model.name)
        self.values: dict[int, Tensor] = {}
        self.floats: dict[int, tuple[Tensor, Chain]] = {}
        self.given: Inputs | None = None
        self.softmax: IntegerSoftmax | None = None

    def network(self) -> Quantised:
        model = self.model
        first, last = model.tensors[model.inputs[0]], model.tensors[model.outputs[0]]
        shape = first.shape
        whole_in = first.dtype == np.int8
        if whole_in:
            self._quantised_input(model.inputs[0], first)
        elif first.dtype != np.float32:
            raise VouchError(f"{model.name}: an input that is neither float32 nor int8")
        for number, operator in enumerate(model.operators):
            self._operator(number, operator)
        whole_out = model.outputs[0] in self.values
        if not whole_out and model.outputs[0] not in self.floats:
            raise VouchError(f"{model.name}: nothing computes the output")
        made = meant = self._outputs(model.outputs[0], last)
        tensor = self.values[model.outputs[0]] if whole_out else self.floats[model.outputs[0]][0]
        if self.softmax is not None:
            meant = replace(made, softmax=self.softmax)
        if self.given is None:
            raise VouchError(f"{model.name}: the input is not quantised")
        runtime = MicroRuntime(
            model.data, shape, self.given if whole_in else None, made if whole_out else None
        )
        integers = self.builder.build(tensor)
        return Quantised(model.name, shape, integers, self.given, meant, runtime)

    def _quantised_input(self, index: int, tensor: TfTensor) -> None:
        """8-bit inputs stand for the reals that TensorFlow Lite's own quantisation makes them of."""
        size = math.prod(tensor.shape)
        chain = self._quantisation(Chain(size), tensor)
        self.given = Inputs(size, LOW, HIGH, chain)
        self.values[index] = self.builder.source(tensor.shape, LOW, HIGH)

    def _quantisation(self, chain: Chain, tensor: TfTensor) -> Chain:
        scale, zero = self.one(tensor)
        return chain.then(LinkKind.OVER, scale).then(LinkKind.QUANTISE_AWAY, zero, LOW, HIGH)

    def one(self, tensor: TfTensor) -> tuple[Any, int]:
        if tensor.dtype != np.int8 or len(tensor.scale) != 1 or len(tensor.zero) != 1:
            raise Unsupported("numbers that are not int8 with one scale")
        return np.float32(tensor.scale[0]), int(tensor.zero[0])

    def _outputs(self, index: int, tensor: TfTensor) -> Outputs:
        if index in self.floats:
            value, chain = self.floats[index]
            return Outputs(value.low, value.high, chain)
        value = self.values[index]
        scale, zero = self.one(tensor)
        factors = np.full(value.size, float(scale))
        return Outputs(value.low, value.high, Chain(value.size), factors, np.full(value.size, -float(zero)))

    def _operator(self, number: int, operator: TfOperator) -> None:
        label = f"{self.model.name}: operator {number} ({operator.kind})"
        convert = _OPERATORS.get(operator.kind)
        try:
            if convert is None:
                raise VouchError("is not supported in int8 networks")
            if self.softmax is not None and operator.kind != "DEQUANTIZE":
                raise VouchError("stands behind a softmax")
            convert(self, operator)
        except (VouchError, Unsupported) as error:
            raise VouchError(f"{label}: {error}") from None
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise VouchError(f"{label}: malformed: {type(error).__name__}: {error}") from None

    def tensor(self, operator: TfOperator, place: int) -> TfTensor:
        return self.model.tensors[operator.inputs[place]]

    def result(self, operator: TfOperator) -> TfTensor:
        return self.model.tensors[operator.outputs[0]]

    def value(self, operator: TfOperator, place: int = 0) -> Tensor:
        index = operator.inputs[place]
        if index not in self.values:
            raise Unsupported("an operand that is constant or float32")
        return self.values[index]

    def constant(self, operator: TfOperator, place: int) -> Any:
        data = self.tensor(operator, place).data
        if data is None:
            raise Unsupported("weights that are computed")
        return data

    def emit(self, operator: TfOperator, tensor: Tensor) -> None:
        shape = self.result(operator).shape
        if math.prod(shape) != tensor.size:
            raise VouchError(f"a result of shape {tensor.shape} where the file says {shape}")
        self.values[operator.outputs[0]] = Tensor(tensor.index, shape, tensor.low, tensor.high)

    def bias(self, operator: TfOperator, count: int) -> Ints:
        if len(operator.inputs) < 3 or operator.inputs[2] < 0:
            return np.zeros(count, dtype=np.int64)
        bias = self.constant(operator, 2)
        if bias.dtype != np.int32 or bias.size != count:
            raise Unsupported("a bias that is not int32")
        return np.asarray(bias).ravel().astype(np.int64)

    def factors(self, operator: TfOperator, channels: int) -> list[float]:
        """Input scale times weight scale over output scale, for each channel, in double precision."""
        given, weights, made = self.tensor(operator, 0), self.tensor(operator, 1), self.result(operator)
        if weights.dtype != np.int8 or (weights.zero != 0).any() or len(weights.scale) not in (1, channels):
            raise Unsupported("weights that are not int8 around zero")
        inner, outer = float(self.one(given)[0]), float(self.one(made)[0])
        scales = [float(s) for s in weights.scale] * (channels if len(weights.scale) == 1 else 1)
        return [inner * scale / outer for scale in scales]

    def requantised(
        self, operator: TfOperator, acc: Tensor, factors: list[float], channel: Ints, limits: tuple[int, int]
    ) -> None:
        """Sums as int8 numbers: the multiplier of each element's channel, the zero point, the limits."""
        pairs = [multiplier(factor) for factor in factors]
        fixed = np.array([m for m, _ in pairs], dtype=np.int64)[channel]
        shift = np.array([e for _, e in pairs], dtype=np.int64)[channel]
        reach = np.maximum(np.abs(acc.low), np.abs(acc.high)) << np.clip(shift, 0, 30)
        if (reach >= WORD).any():
            raise Unsupported("sums that may leave 32 bits when they are scaled")
        zero = self.one(self.result(operator))[1]
        chain = Chain(acc.size).then(LinkKind.FIXED, fixed, shift).then(LinkKind.LIMIT, zero, *limits)
        self.emit(operator, self.builder.requantised(acc, chain, *limits))


def _fully_connected(reader: Int8Reader, operator: TfOperator) -> None:
    value, weights = reader.value(operator), reader.constant(operator, 1).astype(np.int64)
    outer, inner = weights.shape
    if value.size % inner:
        raise VouchError(f"{value.size} numbers for weights of shape {weights.shape}")
    rows = value.size // inner
    zero = int(reader.tensor(operator, 0).zero[0])
    start = reader.bias(operator, outer) - zero * weights.sum(axis=1)
    columns = np.repeat(np.arange(value.size).reshape(rows, 1, inner), outer, axis=1).reshape(-1, inner)
    terms = np.tile(weights, (rows, 1))
    acc = reader.builder.sums(value, columns, terms, np.tile(start, rows), (rows, outer))
    if operator.options is not None and operator.options.WeightsFormat():
        raise Unsupported("shuffled weights")
    limits = activation_limits(fused(operator), reader.result(operator))
    reader.requantised(
        operator, acc, reader.factors(operator, outer), np.tile(np.arange(outer), rows), limits
    )


def padding(same: bool, size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """What TensorFlow adds before and after an axis."""
    if not same:
        return 0, 0
    total = max(0, (-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size)
    return total // 2, total - total // 2


def spatial_windows(value: Tensor, kernel: tuple[int, int], options: Any, dilated: bool = True) -> Ints:
    """Windows [out…, channels, kernel…] of an image [1, height, width, channels]."""
    if len(value.shape) != 4 or value.shape[0] != 1:
        raise Unsupported(f"an image of shape {value.shape}")
    strides = options.StrideH(), options.StrideW()
    dilations = (options.DilationHFactor(), options.DilationWFactor()) if dilated else (1, 1)
    sizes, same = value.shape[1:3], options.Padding() == 0
    axes = zip(sizes, kernel, strides, dilations, strict=True)
    pads = [padding(same, *axis) for axis in axes]
    return windows(np.moveaxis(value.places[0], 2, 0), kernel, strides, dilations, pads)


def _conv(reader: Int8Reader, operator: TfOperator) -> None:
    value, weights = reader.value(operator), reader.constant(operator, 1).astype(np.int64)
    outer, height, width, inner = weights.shape
    found = spatial_windows(value, (height, width), operator.options)
    if value.shape[3] != inner:
        raise Unsupported("a convolution in groups")
    out = found.shape[:2]
    columns = np.repeat(found.reshape(-1, 1, inner * height * width), outer, axis=1).reshape(
        -1, inner * height * width
    )
    kernels = np.moveaxis(weights, 3, 1).reshape(outer, -1)
    _convolved(reader, operator, value, columns, np.tile(kernels, (out[0] * out[1], 1)), (1, *out, outer))


def _depthwise(reader: Int8Reader, operator: TfOperator) -> None:
    value, weights = reader.value(operator), reader.constant(operator, 1).astype(np.int64)
    one, height, width, outer = weights.shape
    found = spatial_windows(value, (height, width), operator.options)  # [y, x, channels, kernel…]
    inner = value.shape[3]
    if one != 1 or outer % inner:
        raise VouchError(f"weights of shape {weights.shape} for an image of shape {value.shape}")
    out = found.shape[:2]
    flat = np.repeat(found.reshape(*out, inner, height * width), outer // inner, axis=2)
    kernels = weights.reshape(height * width, outer).T
    columns = flat.reshape(-1, height * width)
    _convolved(reader, operator, value, columns, np.tile(kernels, (out[0] * out[1], 1)), (1, *out, outer))


def _convolved(
    reader: Int8Reader, operator: TfOperator, value: Tensor, columns: Ints, terms: Ints, shape: Any
) -> None:
    outer = shape[-1]
    zero = int(reader.tensor(operator, 0).zero[0])
    count = len(columns) // outer
    start = np.tile(reader.bias(operator, outer), count) - zero * np.where(columns < 0, 0, terms).sum(axis=1)
    acc = reader.builder.sums(value, columns, terms, start, shape)
    limits = activation_limits(fused(operator), reader.result(operator))
    reader.requantised(
        operator, acc, reader.factors(operator, outer), np.tile(np.arange(outer), count), limits
    )


def _same_numbers(reader: Int8Reader, operator: TfOperator) -> None:
    given, made = (reader.one(t) for t in (reader.tensor(operator, 0), reader.result(operator)))
    if given != made:
        raise Unsupported("a result with another scale than the operand")


def _pool(reader: Int8Reader, operator: TfOperator) -> None:
    _same_numbers(reader, operator)
    value, options = reader.value(operator), operator.options
    kernel = options.FilterHeight(), options.FilterWidth()
    found = spatial_windows(value, kernel, options, dilated=False)
    shape = (1, *found.shape[:3])
    flat = found.reshape(-1, kernel[0] * kernel[1])
    limits = activation_limits(fused(operator), reader.result(operator))
    if operator.kind == "MAX_POOL_2D":
        tensor = reader.builder.clamped(reader.builder.largest(value, flat, shape), *limits)
    else:
        tensor = reader.builder.mean(value, flat, shape, limits=limits)
    reader.emit(operator, tensor)


def _reshape(reader: Int8Reader, operator: TfOperator) -> None:
    _same_numbers(reader, operator)
    reader.emit(operator, reader.value(operator))


def _quantize(reader: Int8Reader, operator: TfOperator) -> None:
    index, made = operator.inputs[0], reader.result(operator)
    if index == reader.model.inputs[0] and reader.tensor(operator, 0).dtype == np.float32:
        reader._quantised_input(operator.outputs[0], made)
        return
    given, value = reader.tensor(operator, 0), reader.value(operator)
    scale, zero = reader.one(given)
    moved = reader.builder.centred(value, zero)
    factor = float(scale) / float(reader.one(made)[0])
    reader.requantised(operator, moved, [factor], np.zeros(value.size, dtype=np.int64), (LOW, HIGH))


def _dequantize(reader: Int8Reader, operator: TfOperator) -> None:
    if operator.outputs[0] != reader.model.outputs[0]:
        raise Unsupported("float32 numbers before the end")
    scale, zero = reader.one(reader.tensor(operator, 0))
    value = reader.value(operator)
    chain = Chain(value.size).then(LinkKind.MINUS, zero).then(LinkKind.FLOAT).then(LinkKind.TIMES, scale)
    reader.floats[operator.outputs[0]] = value, chain


def _relu(reader: Int8Reader, operator: TfOperator) -> None:
    kind = {"RELU": 1, "RELU6": 3}[operator.kind]
    value, made = reader.value(operator), reader.result(operator)
    limits = activation_limits(kind, made)
    if kind == 3:
        _same_numbers(reader, operator)
        reader.emit(operator, reader.builder.clamped(value, *limits))
        return
    scale, zero = reader.one(reader.tensor(operator, 0))
    moved = reader.builder.centred(value, zero)
    factor = float(scale) / float(reader.one(made)[0])
    reader.requantised(operator, moved, [factor], np.zeros(value.size, dtype=np.int64), limits)


def _softmax(reader: Int8Reader, operator: TfOperator) -> None:
    """At the end only: the network's numbers stay its arguments."""
    value, made = reader.value(operator), reader.one(reader.result(operator))
    if made != (np.float32(1 / 256), LOW) or value.shape[-1] != value.size:
        raise Unsupported("a softmax with another scale than 1/256, or of several rows")
    scale = float(reader.one(reader.tensor(operator, 0))[0])
    reader.softmax = IntegerSoftmax.of(scale, float(operator.options.Beta()))
    reader.emit(operator, value)


_OPERATORS: dict[str, Callable[[Int8Reader, TfOperator], None]] = {
    "FULLY_CONNECTED": _fully_connected,
    "CONV_2D": _conv,
    "DEPTHWISE_CONV_2D": _depthwise,
    "AVERAGE_POOL_2D": _pool,
    "MAX_POOL_2D": _pool,
    "RESHAPE": _reshape,
    "SQUEEZE": _reshape,
    "EXPAND_DIMS": _reshape,
    "QUANTIZE": _quantize,
    "DEQUANTIZE": _dequantize,
    "SOFTMAX": _softmax,
    "RELU": _relu,
    "RELU6": _relu,
    **ARITHMETIC,
}
