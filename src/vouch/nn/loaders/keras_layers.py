"""How each Keras layer becomes operators; `CONVERTERS` is the table.

Keras keeps channels last, convolution and pooling operators keep them second: values are turned around before
and after.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.network import GraphBuilder
from vouch.nn.operators import (
    Add,
    AveragePool,
    BatchNormalization,
    Clip,
    Concat,
    Conv,
    Gemm,
    LeakyRelu,
    Max,
    MaxPool,
    Operator,
    Pad,
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
from vouch.nn.operators.base import finite
from vouch.nn.operators.pooling import same_padding


@dataclass(frozen=True, slots=True)
class KerasLayer:
    """A layer with its weights and the names of the values it reads."""

    name: str
    config: Mapping[str, Any]
    weights: Sequence[Array]
    inputs: Sequence[str]
    builder: GraphBuilder

    @property
    def shape(self) -> Shape:
        return self.builder.shapes[self.inputs[0]]

    def add(self, suffix: str, op: Operator, *inputs: str) -> str:
        return self.builder.add(f"{self.name}/{suffix}", op, *inputs)

    def expect(self, count: int) -> Sequence[Array]:
        if len(self.weights) != count:
            raise VouchError(f"{len(self.weights)} weight arrays where {count} are expected")
        finite(*self.weights)
        return self.weights

    def activated(self, value: str) -> str:
        """The layer's own activation applied to a value."""
        name = self.config.get("activation")
        if isinstance(name, dict):  # Keras 3 may write a whole object
            name = name.get("config", name).get("name", name.get("class_name"))
        if name in (None, "linear"):
            return value
        if name not in _ACTIVATIONS:
            raise VouchError(f"activation {name!r} is not supported")
        return self.add(str(name), _ACTIVATIONS[name], value)


Converter = Callable[[KerasLayer], str]

_ACTIVATIONS: Mapping[str, Operator] = {
    "relu": Relu(),
    "relu6": Clip(0.0, 6.0),
    "sigmoid": Sigmoid(),
    "tanh": Tanh(),
    "softmax": Softmax(-1),
    "leaky_relu": LeakyRelu(float(np.float32(0.2))),
}


def _dense(layer: KerasLayer) -> str:
    weights = layer.expect(2 if layer.config.get("use_bias", True) else 1)
    bias = weights[1] if len(weights) == 2 else np.zeros(weights[0].shape[-1])
    return layer.activated(layer.add("dense", Gemm.of(weights[0].T, bias), layer.inputs[0]))


def _activation(layer: KerasLayer) -> str:
    return layer.activated(layer.inputs[0])


def _relu(layer: KerasLayer) -> str:
    high, slope = layer.config.get("max_value"), float(layer.config.get("negative_slope") or 0.0)
    if float(layer.config.get("threshold") or 0.0) or (slope and high is not None):
        raise VouchError("threshold, or slope together with a maximum, is not supported")
    if slope:
        return layer.add("leaky_relu", LeakyRelu(float(np.float32(slope))), layer.inputs[0])
    op: Operator = Relu() if high is None else Clip(0.0, float(high))
    return layer.add("relu", op, layer.inputs[0])


def _leaky_relu(layer: KerasLayer) -> str:
    slope = layer.config.get("negative_slope", layer.config.get("alpha", 0.3))
    return layer.add("leaky_relu", LeakyRelu(float(np.float32(slope))), layer.inputs[0])


def _softmax(layer: KerasLayer) -> str:
    return layer.add("softmax", Softmax(int(layer.config.get("axis", -1))), layer.inputs[0])


def _same(layer: KerasLayer) -> str:
    return layer.inputs[0]


def _flatten(layer: KerasLayer) -> str:
    return layer.add("flat", Reshape((1, math.prod(layer.shape))), layer.inputs[0])


def _reshape(layer: KerasLayer) -> str:
    target = [int(n) for n in layer.config["target_shape"]]
    if -1 in target:
        target[target.index(-1)] = math.prod(layer.shape) // -math.prod(target)
    return layer.add("reshaped", Reshape((1, *target)), layer.inputs[0])


def _permute(layer: KerasLayer) -> str:
    return layer.add("permuted", Transpose((0, *(int(d) for d in layer.config["dims"]))), layer.inputs[0])


def _batch_normalization(layer: KerasLayer) -> str:
    config, rank = layer.config, len(layer.shape)
    axis = config.get("axis", -1)
    axis = int(axis[0] if isinstance(axis, list) else axis) % rank
    scaled, centred = bool(config.get("scale", True)), bool(config.get("center", True))
    rest = list(layer.expect(2 + scaled + centred))
    count = layer.shape[axis]
    scale = rest.pop(0) if scaled else np.ones(count)
    shift = rest.pop(0) if centred else np.zeros(count)
    epsilon = float(np.float32(config.get("epsilon", 1e-3)))
    op = BatchNormalization(scale, shift, rest[0], rest[1], epsilon)
    order = (0, axis, *(a for a in range(1, rank) if a != axis))
    if order == tuple(range(rank)):
        return layer.add("normalised", op, layer.inputs[0])
    turned = layer.add("turned", Transpose(order), layer.inputs[0])
    back = tuple(order.index(a) for a in range(rank))
    return layer.add("normalised", Transpose(back), layer.add("scaled", op, turned))


def _channels_second(layer: KerasLayer, make: Callable[[Shape], Operator]) -> str:
    """Apply an operator that wants channels second, made for that shape, to the layer's input."""
    value, rank = layer.inputs[0], len(layer.shape)
    last = layer.config.get("data_format", "channels_last") in (None, "channels_last")
    if not last:
        return layer.add("windows", make(layer.shape), value)
    value = layer.add("channels_second", Transpose((0, rank - 1, *range(1, rank - 1))), value)
    value = layer.add("windows", make(layer.builder.shapes[value]), value)
    return layer.add("channels_last", Transpose((0, *range(2, rank), 1)), value)


def _tuple(value: Any, rank: int) -> Shape:
    return (int(value),) * rank if isinstance(value, (int, float)) else tuple(int(v) for v in value)


def _pads(layer: KerasLayer, shape: Shape, kernel: Shape, strides: Shape, dilations: Shape) -> Any:
    padding = str(layer.config.get("padding", "valid"))
    if padding == "valid":
        return ((0, 0),) * len(kernel)
    if padding != "same":
        raise VouchError(f"padding {padding!r} is not supported")
    return tuple(
        same_padding(n, k, s, d) for n, k, s, d in zip(shape[2:], kernel, strides, dilations, strict=True)
    )


def _conv(layer: KerasLayer) -> str:
    weights = layer.expect(2 if layer.config.get("use_bias", True) else 1)
    kernel = weights[0]  # [*kernel, in / groups, out]
    rank = kernel.ndim - 2
    turned = np.ascontiguousarray(np.moveaxis(kernel, (-1, -2), (0, 1)))
    bias = weights[1] if len(weights) == 2 else np.zeros(kernel.shape[-1])
    strides = _tuple(layer.config.get("strides", 1), rank)
    dilations = _tuple(layer.config.get("dilation_rate", 1), rank)
    groups = int(layer.config.get("groups", 1))

    def make(shape: Shape) -> Operator:
        pads = _pads(layer, shape, kernel.shape[:-2], strides, dilations)
        return Conv(turned, bias, strides, pads, dilations, groups)

    return layer.activated(_channels_second(layer, make))


def _pool(maximum: bool) -> Converter:
    def convert(layer: KerasLayer) -> str:
        rank = len(layer.shape) - 2
        kernel = _tuple(layer.config.get("pool_size", 2), rank)
        strides = _tuple(layer.config.get("strides") or kernel, rank)
        ones = (1,) * rank

        def make(shape: Shape) -> Operator:
            pads = _pads(layer, shape, kernel, strides, ones)
            if maximum:
                return MaxPool(kernel, strides, pads, ones)
            return AveragePool(kernel, strides, pads, ones)

        return _channels_second(layer, make)

    return convert


def _global_axes(layer: KerasLayer) -> Shape:
    last = layer.config.get("data_format", "channels_last") in (None, "channels_last")
    rank = len(layer.shape)
    return tuple(range(1, rank - 1)) if last else tuple(range(2, rank))


def _global_average(layer: KerasLayer) -> str:
    keep = bool(layer.config.get("keepdims", False))
    return layer.add("mean", Reduce(_global_axes(layer), keep, mean=True), layer.inputs[0])


def _zero_padding(layer: KerasLayer) -> str:
    rank = len(layer.shape) - 2
    padding = layer.config.get("padding", 1)
    wide = (padding,) * rank if isinstance(padding, int) else padding
    if rank == 1 and not isinstance(padding, int):
        wide = [padding]
    pads = [(int(p), int(p)) if isinstance(p, int) else (int(p[0]), int(p[1])) for p in wide]
    by_axis = [(0, 0)] * (rank + 2)
    for axis, pad in zip((a for a in _global_axes(layer)), pads, strict=True):
        by_axis[axis] = pad
    return layer.add("padded", Pad(tuple(by_axis)), layer.inputs[0])


def _rescaling(layer: KerasLayer) -> str:
    factor, offset = np.array(layer.config["scale"], float), np.array(layer.config.get("offset", 0.0), float)
    return layer.add("shifted", Shift(offset), layer.add("scaled", Scale(factor), layer.inputs[0]))


def _sum(layer: KerasLayer) -> str:
    return layer.add("sum", Add((1,) * len(layer.inputs)), *layer.inputs)


def _difference(layer: KerasLayer) -> str:
    return layer.add("difference", Add((1, -1)), *layer.inputs)


def _extreme(sign: int) -> Converter:
    return lambda layer: layer.add("extreme", Max((None,) * len(layer.inputs), sign), *layer.inputs)


def _concatenate(layer: KerasLayer) -> str:
    axis = int(layer.config.get("axis", -1)) % len(layer.shape)
    return layer.add("joined", Concat(axis, (None,) * len(layer.inputs)), *layer.inputs)


CONVERTERS: Mapping[str, Converter] = {
    "Dense": _dense,
    "Conv1D": _conv,
    "Conv2D": _conv,
    "BatchNormalization": _batch_normalization,
    "AveragePooling1D": _pool(maximum=False),
    "AveragePooling2D": _pool(maximum=False),
    "MaxPooling1D": _pool(maximum=True),
    "MaxPooling2D": _pool(maximum=True),
    "GlobalAveragePooling1D": _global_average,
    "GlobalAveragePooling2D": _global_average,
    "Activation": _activation,
    "ReLU": _relu,
    "LeakyReLU": _leaky_relu,
    "Softmax": _softmax,
    "Add": _sum,
    "Subtract": _difference,
    "Maximum": _extreme(1),
    "Minimum": _extreme(-1),
    "Concatenate": _concatenate,
    "Flatten": _flatten,
    "Reshape": _reshape,
    "Permute": _permute,
    "ZeroPadding1D": _zero_padding,
    "ZeroPadding2D": _zero_padding,
    "Rescaling": _rescaling,
    "Dropout": _same,
    "SpatialDropout1D": _same,
    "SpatialDropout2D": _same,
    "GaussianNoise": _same,
    "GaussianDropout": _same,
    "ActivityRegularization": _same,
}
