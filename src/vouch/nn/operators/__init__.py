"""Operators of networks, one file for each family."""

from __future__ import annotations

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.operators.activation import (
    Clip,
    Curve,
    LeakyRelu,
    LogSoftmax,
    Relu,
    Sigmoid,
    Softmax,
    Tanh,
    TwoSlopes,
)
from vouch.nn.operators.arithmetic import Add, Scale, Shift
from vouch.nn.operators.base import Operator, Value
from vouch.nn.operators.bilinear import Einsum, MatMulValues, Product
from vouch.nn.operators.choice import Choose, Positive
from vouch.nn.operators.convolution import Conv, ConvTranspose
from vouch.nn.operators.join import Concat, Max
from vouch.nn.operators.matmul import Gemm, MatMul
from vouch.nn.operators.normalization import BatchNormalization, Standardise
from vouch.nn.operators.pooling import AveragePool, MaxPool, Reduce, ReduceMax
from vouch.nn.operators.rearrange import Expand, Gather, Pad, Rearrangement, Reshape, Slice, Tile, Transpose
from vouch.nn.operators.resize import Resize

_ACTIVATIONS: dict[str, Operator] = {"relu": Relu(), "sigmoid": Sigmoid(), "tanh": Tanh()}


def activation_named(name: str) -> Operator:
    """An activation without parameters, by its usual name."""
    if name not in _ACTIVATIONS:
        raise VouchError(f"unknown activation {name!r}; one of {', '.join(_ACTIVATIONS)}")
    return _ACTIVATIONS[name]


__all__ = [
    "Add",
    "Array",
    "AveragePool",
    "BatchNormalization",
    "Choose",
    "Clip",
    "Concat",
    "Conv",
    "ConvTranspose",
    "Curve",
    "Einsum",
    "Expand",
    "Gather",
    "Gemm",
    "LeakyRelu",
    "LogSoftmax",
    "MatMul",
    "MatMulValues",
    "Max",
    "MaxPool",
    "Operator",
    "Pad",
    "Positive",
    "Product",
    "Rearrangement",
    "Reduce",
    "ReduceMax",
    "Relu",
    "Reshape",
    "Resize",
    "Scale",
    "Shape",
    "Shift",
    "Sigmoid",
    "Slice",
    "Softmax",
    "Standardise",
    "Tanh",
    "Tile",
    "Transpose",
    "TwoSlopes",
    "Value",
    "activation_named",
]
