"""The record of an int8 network: integers, what they mean outside, and the runtime that computes the same."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.format import Ints
from vouch.nn.fixed.network import IntegerNetwork
from vouch.nn.int8.chain import Chain
from vouch.nn.int8.softmax import IntegerSoftmax


class Runtime(Protocol):
    """Runs the model itself."""

    name: str

    def run(self, rows: Array) -> Array:
        """Outputs [batch, outputs] for inputs [batch, inputs], as reals."""


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """How reals become input numbers low..high: `chain` computes on float32. Without a chain the inputs are
    integers by themselves, and no other real is one."""

    size: int
    low: int
    high: int
    chain: Chain | None = None

    def convert(self, reals: Array) -> Ints:
        """The numbers of rows of reals [batch, size]."""
        if self.chain is None:
            return np.clip(np.rint(reals), self.low, self.high).astype(np.int64)
        with np.errstate(over="ignore"):
            return np.asarray(self.chain(np.asarray(reals).astype(np.float32)))

    def box(self, lower: Array, upper: Array) -> tuple[Ints, Ints]:
        """The numbers first..last that reals of a box become; last below first where there are none."""
        if self.chain is None:
            first = np.clip(np.ceil(lower), self.low, self.high + 1)
            return first.astype(np.int64), np.clip(np.floor(upper), self.low - 1, self.high).astype(np.int64)
        return self.convert(lower[None, :])[0], self.convert(upper[None, :])[0]

    def some(self, numbers: Ints, lower: Array, upper: Array) -> Array:
        """Reals of a box that become the numbers, which lie in `box(lower, upper)`."""
        if self.chain is None:
            return np.asarray(numbers, dtype=np.float64)
        low, high = (_order(end.astype(np.float32)) for end in (lower, upper))
        first, last = low.copy(), high.copy()
        # The least float32 that becomes the number, and the largest.
        while bool((first < high).any()):
            middle = (first + high) >> 1
            reached = self.convert(_float(middle)[None, :])[0] >= numbers
            high, first = np.where(reached, middle, high), np.where(reached, first, middle + 1)
        low = first.copy()
        while bool((low < last).any()):
            middle = (low + last + 1) >> 1
            above = self.convert(_float(middle)[None, :])[0] > numbers
            last, low = np.where(above, middle - 1, last), np.where(above, low, middle)
        centre = _float(first).astype(np.float64) / 2 + _float(last).astype(np.float64) / 2
        found = np.clip(centre.astype(np.float32).astype(np.float64), lower, upper)
        return np.asarray(found)


def _order(values: Any) -> Ints:
    """float32 numbers as integers in the same order."""
    bits = np.ascontiguousarray(values).view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def _float(order: Ints) -> Any:
    bits = np.where(order < 0, (-order) | 0x80000000, order).astype(np.uint32)
    return bits.view(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """What output numbers low..high mean: exact values of `chain`, or the numbers themselves."""

    low: Ints
    high: Ints
    chain: Chain
    factors: Array | None = None
    """Where the meaning is exact in reals: (number + offsets) * factors, not rounded to float32."""
    offsets: Array | None = None
    softmax: IntegerSoftmax | None = None
    """The numbers are the arguments of a softmax in integers, whose results are meant."""

    def reals(self, numbers: Ints) -> Array:
        if self.softmax is not None:
            return self.softmax.reals(numbers)
        if self.factors is not None and self.offsets is not None:
            return np.asarray((numbers + self.offsets) * self.factors)
        return np.asarray(self.chain(numbers)).astype(np.float64)

    def lines(self) -> tuple[Array, Array, Array]:
        """(slope, shift, error): reals are within error of slope * number + shift."""
        if self.factors is not None and self.offsets is not None:
            shift = self.offsets * self.factors
            return self.factors, shift, 2.0**-48 * (np.abs(shift) + np.abs(self.factors) * 2.0**32)
        return self.chain.lines(self.low, self.high)


@dataclass(frozen=True, slots=True, eq=False)
class Quantised:
    """An int8 network. `evaluate` is the reference: what the runtime computes, bit for bit."""

    name: str
    input_shape: Shape
    integers: IntegerNetwork
    given: Inputs
    made: Outputs
    runtime: Runtime = field(repr=False)
    softmax: bool = False
    """The model ends in a softmax in float32, which is left out: the outputs are its arguments."""

    @property
    def inputs(self) -> int:
        return math.prod(self.input_shape)

    @property
    def outputs(self) -> int:
        return self.integers.outputs

    def evaluate(self, x: Array) -> Array:
        """Outputs [batch, outputs] for rows of reals [batch, inputs]."""
        rows = np.asarray(x, dtype=np.float64)
        if rows.ndim < 2 or math.prod(rows.shape[1:]) != self.inputs:
            raise VouchError(f"{self.name} takes rows of {self.inputs} numbers, not shape {rows.shape}")
        numbers = self.given.convert(rows.reshape(len(rows), self.inputs))
        return self.made.reals(evaluate(self.integers, numbers))
