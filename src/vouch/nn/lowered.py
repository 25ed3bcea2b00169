"""The lowered network: the few kinds of node that bounds, search and encodings have to know.

Every value is a flat vector (arrays are [batch, size]). A node is one of

- `Input`: node 0;
- `Affine`: y = sum of map(x) over its inputs + bias, each map a `LinearMap`;
- `Activation`: one function per element (ReLU, leaky ReLU, clip, sigmoid, tanh, or one of `nn.functions`);
- `Maximum`: y_j = max of x over a window of indices (max-pooling, Max);
- `Multiply`: the product of two values, element by element;
- `AffineGap`, `ActivationGap`: the difference of two such nodes, where two networks are compared.

`lowering.lower(network)` makes it; nodes are in topological order and refer to each other by index, the last
one is the output. `Lowered.as_chain()` is the plain dense form of a feed-forward ReLU network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias, assert_never

import numpy as np

from vouch.nn.arrays import Array, sigmoid
from vouch.nn.functions import ScalarFunction
from vouch.nn.linear import DENSE_LIMIT, Dense, LinearMap, is_torch


class NodeKind(StrEnum):
    """Element-wise activations; exhaustive, so match on it with `assert_never`."""

    RELU = "relu"
    LEAKY_RELU = "leaky-relu"
    CLIP = "clip"
    SIGMOID = "sigmoid"
    TANH = "tanh"
    CURVE = "curve"
    GAP = "difference"


@dataclass(frozen=True, slots=True, eq=False)
class Input:
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """y = maps[0] x[inputs[0]] + maps[1] x[inputs[1]] + ... + bias, in float64. Inputs are distinct.

    The exact reals differ by at most weight_error * sum |x| + bias_error in each component (sum over all
    inputs); both are 0 where nothing was rounded when maps were multiplied out. `losses`, where there are
    any, are maps with entries >= 0, one for each input: what a float32 runtime may lose in addition, because
    it computes the node in another way, is at most their sum over |x|. `noise`, where there is any, is not an
    error of the description: each component may be anything within noise[j] of the sum. Code that was lifted
    has it (`vouch.numeric`), bounds follow it, evaluation leaves it out.
    """

    inputs: tuple[int, ...]
    maps: tuple[LinearMap, ...]
    bias: Array
    weight_error: float = 0.0
    bias_error: float = 0.0
    losses: tuple[LinearMap, ...] = ()
    noise: Array | None = None

    @property
    def size(self) -> int:
        return len(self.bias)


@dataclass(frozen=True, slots=True, eq=False)
class Activation:
    """y = kind(x), element by element. `slope` is the leaky ReLU's for x < 0 (0 <= slope); clip is to
    [low, high], either of which may be infinite. Kind CURVE has a `function`."""

    input: int
    size: int
    kind: NodeKind
    slope: float = 0.0
    low: float = 0.0
    high: float = 0.0
    function: ScalarFunction | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AffineGap(Affine):
    """The difference of the affine nodes `first` and `second`, written with the difference of what they read:
    it equals the sum of maps and bias up to the errors, and up to the rounding of those two nodes."""

    first: int = 0
    second: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ActivationGap(Activation):
    """The difference of the activations `first` and `second`, which are of one kind; `input` is the
    difference of their inputs. Its own kind is GAP."""

    first: int = 0
    second: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """y[j] = max over k of x[windows[j, k]]; an index may be repeated in a row (ragged windows)."""

    input: int
    windows: Array

    @property
    def size(self) -> int:
        return len(self.windows)


@dataclass(frozen=True, slots=True, eq=False)
class Multiply:
    """y[j] = left[j] right[j]; both have the node's size."""

    left: int
    right: int
    size: int


LoweredNode: TypeAlias = Input | Affine | Activation | Maximum | Multiply


@dataclass(frozen=True, slots=True, eq=False)
class Lowered:
    """A lowered network. `nodes[0]` is the input, `nodes[-1]` the output.

    `softmax` says that the network ends in a softmax over all outputs, which is NOT part of `nodes`: they
    compute its arguments (the logits). Softmax keeps the order of the outputs, so whoever asks only which
    output is larger may ignore it; others lower without `logits`.
    """

    nodes: tuple[LoweredNode, ...]
    softmax: bool = False

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(node.size for node in self.nodes)

    def evaluate(self, x: Any) -> Any:
        """The last node's value for rows x [batch, inputs], numpy or torch (differentiable)."""
        return self.values(x)[-1]

    def values(self, x: Any) -> list[Any]:
        """Every node's value, in the order of `nodes`."""
        values: list[Any] = []
        for node in self.nodes:
            values.append(value(node, values, x))
        return values

    def as_chain(self) -> list[Affine] | None:
        """The affine nodes of a plain dense ReLU network, ReLU between them and none at the end; else None.

        Identities are put in where two ReLUs meet, at the start or at the end.
        """
        chain: list[Affine] = []
        ready = True  # an affine layer may come next; otherwise only a ReLU
        for index, node in enumerate(self.nodes[1:], 1):
            match node:
                case Affine(inputs=(source,), maps=(linear,)) if source == index - 1 and ready:
                    if linear.rows * linear.columns > DENSE_LIMIT:
                        return None
                    chain.append(node)
                    ready = False
                case Activation(kind=NodeKind.RELU) if node.input == index - 1:
                    if ready:
                        chain.append(_identity(node.size))
                    ready = True
                case _:
                    return None
        return [*chain, _identity(self.nodes[-1].size)] if ready else chain


def _identity(size: int) -> Affine:
    return Affine((0,), (Dense(np.eye(size)),), np.zeros(size))


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
        case NodeKind.RELU:
            return x.clip(min=0)
        case NodeKind.LEAKY_RELU:
            return x.clip(min=0) + node.slope * x.clip(max=0)
        case NodeKind.CLIP:
            return x.clip(min=node.low, max=node.high)
        case NodeKind.SIGMOID:
            return x.sigmoid() if is_torch(x) else sigmoid(x)
        case NodeKind.TANH:
            return x.tanh() if is_torch(x) else np.tanh(x)
        case NodeKind.CURVE:
            assert node.function is not None
            with np.errstate(all="ignore"):
                return node.function.value(_library(x), x)
        case NodeKind.GAP:
            raise AssertionError("not a function of one value")
        case _:
            assert_never(node.kind)
