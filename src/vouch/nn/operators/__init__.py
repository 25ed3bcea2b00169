"""Operators, one file for each family. `OPERATORS` lists them in the order of the manual."""

from __future__ import annotations

from vouch.errors import VouchError
from vouch.nn.operators.activation import Clip, LeakyRelu, Relu, Sigmoid, Softmax, Tanh
from vouch.nn.operators.arithmetic import Add, Scale, Shift
from vouch.nn.operators.base import Array, Operator, Shape, Value
from vouch.nn.operators.convolution import Conv
from vouch.nn.operators.join import Concat, Max
from vouch.nn.operators.matmul import Gemm, MatMul
from vouch.nn.operators.normalization import BatchNormalization
from vouch.nn.operators.pooling import AveragePool, MaxPool, Reduce
from vouch.nn.operators.rearrange import Expand, Gather, Pad, Rearrangement, Reshape, Slice, Transpose

# Linear ones first, then those that only move elements, then the non-linear ones.
OPERATORS: tuple[type[Operator], ...] = (
    *(Gemm, MatMul, Add, Shift, Scale, Conv, BatchNormalization, AveragePool, Reduce),
    *(Reshape, Transpose, Slice, Gather, Expand, Pad, Concat),
    *(Relu, LeakyRelu, Clip, Sigmoid, Tanh, MaxPool, Max, Softmax),
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
    "Expand",
    "Gather",
    "Gemm",
    "LeakyRelu",
    "MatMul",
    "Max",
    "MaxPool",
    "Operator",
    "Pad",
    "Rearrangement",
    "Reduce",
    "Relu",
    "Reshape",
    "Scale",
    "Shape",
    "Shift",
    "Sigmoid",
    "Slice",
    "Softmax",
    "Tanh",
    "Transpose",
    "Value",
    "activation_named",
]
