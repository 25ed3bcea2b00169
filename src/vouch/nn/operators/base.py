"""What an operator is: a shape rule, an exact evaluation, and a lowering to the few kinds that engines know.

Shapes are those of the ONNX model with every dynamic dimension set to 1 (a batch of one is part of the
shape). Arrays given to `evaluate` have one more axis in front, over which everything is batched; so axis a of
the model is axis a + 1 of the array, and nothing ever has to guess which axis was the batch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape

if TYPE_CHECKING:
    from vouch.nn.lowering import Builder


class Value(NamedTuple):
    """A lowered node together with the shape the model sees in it."""

    node: int
    shape: Shape


class Operator(ABC):
    """Immutable. Constants (weights) are float64 arrays held by the operator, not inputs."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """The name in the manual and in messages."""
        return type(self).__name__

    @abstractmethod
    def shape(self, *inputs: Shape) -> Shape:
        """The output's shape; raises VouchError where the inputs do not fit."""

    @abstractmethod
    def evaluate(self, *inputs: Array) -> Array:
        """The value, in the dtype of the inputs, for arrays [batch, *shape]."""

    @abstractmethod
    def lower(self, builder: Builder, *inputs: Value) -> int:
        """Add lowered nodes that compute the same reals; returns the index of the last one."""


def finite(*constants: Array | float) -> None:
    """Refuses NaN and infinity."""
    if not all(np.isfinite(c).all() for c in constants):
        raise VouchError("a constant is NaN or infinite")
