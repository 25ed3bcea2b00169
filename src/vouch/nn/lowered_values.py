"""Evaluates one lowered node on numpy arrays or torch tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_never

import numpy as np

from vouch.nn.linear import is_torch
from vouch.nn.lowered import (
    Activation,
    ActivationGap,
    Affine,
    AffineGap,
    Input,
    Kind,
    LoweredNode,
    Maximum,
    Multiply,
)
from vouch.nn.operators.activation import sigmoid


def value(node: LoweredNode, values: Sequence[Any], x: Any) -> Any:
    """The node's value [batch, size]; `values` holds those of earlier nodes, `x` the network's input."""
    match node:
        case Input():
            return x.reshape(x.shape[0], node.size)
        case AffineGap() | ActivationGap():
            return values[node.first] - values[node.second]
        case Affine():
            parts = (m.apply(values[i]) for m, i in zip(node.maps, node.inputs, strict=True))
            return sum(parts, start=_like(node.bias, x))
        case Activation():
            return _activated(node, values[node.input])
        case Maximum():
            windows = values[node.input][:, node.windows]
            return windows.amax(2) if is_torch(x) else windows.max(2)
        case Multiply():
            return values[node.left] * values[node.right]
        case _:
            assert_never(node)


def _library(x: Any) -> Any:
    if is_torch(x):
        import torch

        return torch
    return np


def _like(constant: Any, x: Any) -> Any:
    if is_torch(x):
        import torch

        return torch.as_tensor(constant, dtype=x.dtype, device=x.device)
    return constant.astype(x.dtype, copy=False)


def _activated(node: Activation, x: Any) -> Any:
    match node.kind:
        case Kind.RELU:
            return x.clip(min=0)
        case Kind.LEAKY_RELU:
            return x.clip(min=0) + node.slope * x.clip(max=0)
        case Kind.CLIP:
            return x.clip(min=node.low, max=node.high)
        case Kind.SIGMOID:
            return x.sigmoid() if is_torch(x) else sigmoid(x)
        case Kind.TANH:
            return x.tanh() if is_torch(x) else np.tanh(x)
        case Kind.CURVE:
            assert node.function is not None
            with np.errstate(all="ignore"):
                return node.function.value(_library(x), x)
        case Kind.GAP:
            raise AssertionError("not a function of one value")
        case _:
            assert_never(node.kind)
