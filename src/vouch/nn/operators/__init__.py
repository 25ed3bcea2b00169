"""Operators, one file for each family. `OPERATORS` lists them in the order of the manual."""

from __future__ import annotations

from vouch.errors import VouchError
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
from vouch.nn.operators.base import Array, Operator, Shape, Value
from vouch.nn.operators.bilinear import Einsum, MatMulValues, Product
from vouch.nn.operators.choice import Positive, Select
from vouch.nn.operators.convolution import Conv, ConvTranspose
from vouch.nn.operators.join import Concat, Max
from vouch.nn.operators.matmul import Gemm, MatMul
from vouch.nn.operators.normalization import BatchNormalization, Standardise
from vouch.nn.operators.pooling import AveragePool, MaxPool, Reduce, ReduceMax
from vouch.nn.operators.rearrange import Expand, Gather, Pad, Rearrangement, Reshape, Slice, Tile, Transpose
from vouch.nn.operators.resize import Resize

# Linear ones first, then those that only move elements, then the non-linear ones.
OPERATORS: tuple[type[Operator], ...] = (
    *(Gemm, MatMul, Add, Shift, Scale, Conv, ConvTranspose, BatchNormalization, AveragePool, Reduce, Resize),
    *(Reshape, Transpose, Slice, Gather, Expand, Tile, Pad, Concat, Select),
    *(Relu, LeakyRelu, TwoSlopes, Clip, Sigmoid, Tanh, Curve, MaxPool, Max, ReduceMax, Positive),
    *(Product, MatMulValues, Einsum, Standardise, Softmax, LogSoftmax),
)

_ACTIVATIONS: dict[str, Operator] = {"relu": Relu(), "sigmoid": Sigmoid(), "tanh": Tanh()}


def activation_named(name: str) -> Operator:
    """An activation without parameters, by its usual name."""
    if name not in _ACTIVATIONS:
        raise VouchError(f"unknown activation {name!r}; one of {', '.join(_ACTIVATIONS)}")
    return _ACTIVATIONS[name]


__all__ = [
    "OPERATORS",
    "Add",
    "Array",
    "AveragePool",
    "BatchNormalization",
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
    "Select",
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
