"""Reads TensorFlow Lite models: int8 networks, and float ones as ordinary networks.

TensorFlow keeps channels last, convolution and pooling operators keep them second: values are turned around
before and after.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.int8.network import Quantised
from vouch.nn.loaders.tflite_file import TfModel, TfOperator, read_tflite
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import (
    Add,
    AveragePool,
    Clip,
    Concat,
    Conv,
    Gemm,
    LeakyRelu,
    MaxPool,
    Operator,
    Reduce,
    Relu,
    Reshape,
    Scale,
    Shift,
    Sigmoid,
    Softmax,
    Tanh,
    Transpose,
)
from vouch.nn.operators.pooling import same_padding

# Activations that a file calls by number.
_FUSED: dict[int, Operator] = {1: Relu(), 2: Clip(-1.0, 1.0), 3: Clip(0.0, 6.0), 4: Tanh()}
_SIMPLE: dict[str, Operator] = {
    "RELU": Relu(),
    "RELU_N1_TO_1": Clip(-1.0, 1.0),
    "RELU6": Clip(0.0, 6.0),
    "LOGISTIC": Sigmoid(),
    "TANH": Tanh(),
}


def load_tflite(path: Path) -> Network | Quantised:
    model = read_tflite(path)
    try:
        if model.quantised:
            from vouch.nn.int8.tflite import read_int8

            return read_int8(model)
        return _Reader(model).network()
    except (IndexError, struct.error, TypeError, ValueError, OverflowError) as error:
        # Options of operators are read here, and those of a damaged file lead anywhere.
        raise VouchError(f"{model.name}: damaged: {type(error).__name__}: {error}") from None


class _Reader:
    def __init__(self, model: TfModel) -> None:
        self.model = model
        first = model.tensors[model.inputs[0]]
        if first.dtype != np.float32:
            raise VouchError(f"{model.name}: an input that is neither float32 nor int8")
        self.builder = GraphBuilder(model.name, "x", first.shape)
        self.names = {model.inputs[0]: "x"}
        self.count = 0

    def network(self) -> Network:
        for number, operator in enumerate(self.model.operators):
            label = f"{self.model.name}: operator {number} ({operator.kind})"
            try:
                if operator.kind not in _OPERATORS:
                    raise VouchError("is not supported")
                self.names[operator.outputs[0]] = _OPERATORS[operator.kind](self, operator)
            except VouchError as error:
                raise VouchError(f"{label}: {error}") from None
            except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
                raise VouchError(f"{label}: malformed: {type(error).__name__}: {error}") from None
        if self.model.outputs[0] not in self.names:
            raise VouchError(f"{self.model.name}: nothing computes the output")
        return self.builder.build(self.names[self.model.outputs[0]])

    def add(self, op: Operator, *inputs: str) -> str:
        self.count += 1
        return self.builder.add(f"{op.kind.lower()}{self.count}", op, *inputs)

    def shape(self, value: str) -> Shape:
        return self.builder.shapes[value]

    def known(self, operator: TfOperator, place: int) -> bool:
        return self.model.tensors[operator.inputs[place]].data is not None

    def value(self, operator: TfOperator, place: int = 0) -> str:
        index = operator.inputs[place]
        if index not in self.names:
            raise VouchError(f"input {place} is not computed before")
        return self.names[index]

    def constant(self, operator: TfOperator, place: int) -> Array:
        """A constant in float64; weights that are stored in 8 bits are not taken for what they are not."""
        tensor = self.model.tensors[operator.inputs[place]]
        if tensor.data is None or tensor.dtype not in (np.float32, np.int32, np.int64):
            raise VouchError(f"input {place} has to be a constant of float32 numbers")
        return np.asarray(tensor.data, dtype=np.float64)

    def bias(self, operator: TfOperator, count: int) -> Array:
        if len(operator.inputs) < 3 or operator.inputs[2] < 0:
            return np.zeros(count)
        return self.constant(operator, 2).ravel()

    def activated(self, operator: TfOperator, value: str) -> str:
        kind = 0 if operator.options is None else int(operator.options.FusedActivationFunction())
        if kind and kind not in _FUSED:
            raise VouchError("has a fused activation that is not supported")
        return self.add(_FUSED[kind], value) if kind else value

    def windowed(self, operator: TfOperator, make: Callable[[Shape], Operator]) -> str:
        """An operator that wants channels second, on an image with channels last."""
        value = self.value(operator)
        if len(self.shape(value)) != 4:
            raise VouchError(f"an image of shape {self.shape(value)}")
        value = self.add(Transpose((0, 3, 1, 2)), value)
        value = self.add(make(self.shape(value)), value)
        return self.activated(operator, self.add(Transpose((0, 2, 3, 1)), value))


def _pads(options: Any, shape: Shape, kernel: Shape, strides: Shape, dilations: Shape) -> Any:
    if options.Padding() != 0:
        return ((0, 0),) * 2
    sizes = zip(shape[2:], kernel, strides, dilations, strict=True)
    return tuple(same_padding(n, k, s, d) for n, k, s, d in sizes)


def _fully_connected(reader: _Reader, operator: TfOperator) -> str:
    weights, value = reader.constant(operator, 1), reader.value(operator)
    size = int(np.prod(reader.shape(value)))
    if size != weights.shape[1]:
        raise VouchError(f"{size} numbers for weights of shape {weights.shape}")
    if reader.shape(value) != (1, size):
        value = reader.add(Reshape((1, size)), value)
    found = reader.add(Gemm.of(weights, reader.bias(operator, len(weights))), value)
    shape = reader.model.tensors[operator.outputs[0]].shape
    if shape != (1, len(weights)):
        found = reader.add(Reshape(shape), found)
    return reader.activated(operator, found)


def _conv(reader: _Reader, operator: TfOperator) -> str:
    kernels, options = reader.constant(operator, 1), operator.options
    deep = operator.kind == "DEPTHWISE_CONV_2D"
    # [out, height, width, in], or [1, height, width, out] for each channel by itself.
    turned = np.moveaxis(kernels, 3, 0) if deep else np.moveaxis(kernels, 3, 1)
    strides = options.StrideH(), options.StrideW()
    dilations = options.DilationHFactor(), options.DilationWFactor()
    weights = np.ascontiguousarray(turned)

    def make(shape: Shape) -> Operator:
        pads = _pads(options, shape, kernels.shape[1:3], strides, dilations)
        bias = reader.bias(operator, len(weights))
        return Conv(weights, bias, strides, pads, dilations, shape[1] if deep else 1)

    return reader.windowed(operator, make)


def _pool(reader: _Reader, operator: TfOperator) -> str:
    options, ones = operator.options, (1, 1)
    kernel = options.FilterHeight(), options.FilterWidth()
    strides = options.StrideH(), options.StrideW()
    kind = MaxPool if operator.kind == "MAX_POOL_2D" else AveragePool
    return reader.windowed(
        operator, lambda shape: kind(kernel, strides, _pads(options, shape, kernel, strides, ones), ones)
    )


def _reshape(reader: _Reader, operator: TfOperator) -> str:
    return reader.add(Reshape(reader.model.tensors[operator.outputs[0]].shape), reader.value(operator))


def _simple(reader: _Reader, operator: TfOperator) -> str:
    return reader.add(_SIMPLE[operator.kind], reader.value(operator))


def _leaky(reader: _Reader, operator: TfOperator) -> str:
    return reader.add(LeakyRelu(float(operator.options.Alpha())), reader.value(operator))


def _softmax(reader: _Reader, operator: TfOperator) -> str:
    if float(operator.options.Beta()) != 1.0:
        raise VouchError("a softmax with a beta other than 1")
    return reader.add(Softmax(-1), reader.value(operator))


def _sum(reader: _Reader, operator: TfOperator) -> str:
    for place in (0, 1):
        if reader.known(operator, place):
            shifted = Shift(reader.constant(operator, place))
            return reader.activated(operator, reader.add(shifted, reader.value(operator, 1 - place)))
    found = reader.add(Add((1, 1)), reader.value(operator), reader.value(operator, 1))
    return reader.activated(operator, found)


def _product(reader: _Reader, operator: TfOperator) -> str:
    place = 0 if reader.known(operator, 0) else 1
    return reader.add(Scale(reader.constant(operator, place)), reader.value(operator, 1 - place))


def _concatenation(reader: _Reader, operator: TfOperator) -> str:
    parts = [reader.value(operator, place) for place in range(len(operator.inputs))]
    axis = int(operator.options.Axis()) % len(reader.shape(parts[0]))
    return reader.activated(operator, reader.add(Concat(axis, (None,) * len(parts)), *parts))


def _mean(reader: _Reader, operator: TfOperator) -> str:
    rank = len(reader.shape(reader.value(operator)))
    axes = tuple(int(axis) % rank for axis in reader.constant(operator, 1).ravel())
    return reader.add(Reduce(axes, bool(operator.options.KeepDims()), mean=True), reader.value(operator))


_OPERATORS: dict[str, Callable[[_Reader, TfOperator], str]] = {
    "FULLY_CONNECTED": _fully_connected,
    "CONV_2D": _conv,
    "DEPTHWISE_CONV_2D": _conv,
    "AVERAGE_POOL_2D": _pool,
    "MAX_POOL_2D": _pool,
    "RESHAPE": _reshape,
    "SQUEEZE": _reshape,
    "EXPAND_DIMS": _reshape,
    "LEAKY_RELU": _leaky,
    "SOFTMAX": _softmax,
    "ADD": _sum,
    "MUL": _product,
    "CONCATENATION": _concatenation,
    "MEAN": _mean,
    **dict.fromkeys(_SIMPLE, _simple),
}
