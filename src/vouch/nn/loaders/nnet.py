"""Reads the NNet text format: ReLU networks with a header that normalises inputs and outputs.

The header's numbers are part of the network here: inputs are those of the real world, clipped to the header's
ranges, shifted and scaled as the format's own evaluation does, and the output is scaled back.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array
from vouch.nn.loaders.files import read, stem
from vouch.nn.network import GraphBuilder, Network
from vouch.nn.operators import Gemm, Max, Relu, Scale, Shift


def load_nnet(path: Path) -> Network:
    """The network in an .nnet file, with its normalisation in front and behind."""
    return _Reader(path).network()


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            text = read(path).decode("ascii")
        except UnicodeDecodeError:
            raise VouchError(f"{path}: not a text file") from None
        self.lines = self._lines(text)

    def _lines(self, text: str) -> Iterator[tuple[int, str]]:
        numbered = enumerate(text.splitlines(), 1)
        return ((n, line) for n, line in numbered if line.strip() and not line.lstrip().startswith("//"))

    def _numbers(self, count: int, what: str, *, more: bool = False) -> Array:
        """The next line's numbers: exactly `count` (or `more`), all finite."""
        number, line = next(self.lines, (0, ""))
        if not number:
            raise VouchError(f"{self.path}: ends where {what} should come")
        fields = [field for field in line.split(",") if field.strip()]
        try:
            values = np.array([float(field) for field in fields])
        except ValueError:
            raise VouchError(f"{self.path}:{number}: {what}: numbers expected") from None
        fits = len(values) == count or (more and len(values) > count)
        if not fits or not np.isfinite(values).all():
            raise VouchError(f"{self.path}:{number}: {what}: {count} finite numbers expected")
        return values

    def _sizes(self) -> list[int]:
        layers, inputs, outputs, widest = (self._count(v) for v in self._numbers(4, "the header"))
        sizes = [self._count(v) for v in self._numbers(layers + 1, "layer sizes")]
        if sizes[0] != inputs or sizes[-1] != outputs or max(sizes) > max(widest, inputs, outputs):
            raise VouchError(f"{self.path}: layer sizes {sizes} do not fit the header")
        return sizes

    def _count(self, value: float) -> int:
        if value != int(value) or not 0 < value < 1 << 24:
            raise VouchError(f"{self.path}: {value:g} is no number of layers or neurons")
        return int(value)

    def network(self) -> Network:
        sizes = self._sizes()
        inputs = sizes[0]
        next(self.lines, None)  # an unused flag
        # Published files carry numbers for inputs that were split off; the output's come last.
        low = self._numbers(inputs, "input minima", more=True)[:inputs]
        high = self._numbers(inputs, "input maxima", more=True)[:inputs]
        means = self._numbers(inputs + 1, "means", more=True)
        ranges = self._numbers(inputs + 1, "ranges", more=True)
        if not np.all(ranges) or np.any(low > high):
            raise VouchError(f"{self.path}: a range of zero, or a minimum above its maximum")
        builder = GraphBuilder(stem(self.path), "x", (1, inputs))
        value = builder.add("at_least", Max((None, low)), "x")
        value = builder.add("clipped", Max((None, high), sign=-1), value)
        value = builder.add("centred", Shift(-means[:inputs]), value)
        value = builder.add("normalised", Scale(ranges[:inputs], divide=True), value)
        for number, (into, out) in enumerate(pairwise(sizes)):
            weights = np.array([self._numbers(into, f"weights of layer {number}") for _ in range(out)])
            bias = np.array([self._numbers(1, f"biases of layer {number}")[0] for _ in range(out)])
            value = builder.add(f"layer{number}", Gemm.of(weights, bias), value)
            if number < len(sizes) - 2:
                value = builder.add(f"relu{number}", Relu(), value)
        value = builder.add("scaled", Scale(np.array(ranges[-1])), value)
        return builder.build(builder.add("output", Shift(np.array(means[-1])), value))
