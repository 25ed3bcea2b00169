"""What splitting a neuron would bring, at a glance: the bounds of both halves in float32, with the parameters
and the intervals of the other neurons as they are. It helps to choose, and proves nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vouch.nn.bounds.backward import substitute
from vouch.nn.bounds.ball import lowest
from vouch.nn.bounds.climb import Assumptions
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.region import Unsafe
from vouch.nn.bounds.relax import relu
from vouch.nn.bounds.relaxation import Relaxation


class Glance:
    """Nodes of a ReLU network with what their bounds are made of, in one array for all neurons each."""

    def __init__(self, model: BoundModel, lower: Any, upper: Any, nodes: Assumptions, region: Unsafe) -> None:
        self.model = model.roughly()
        self.arrays = arrays = self.model.arrays
        cast, xp = arrays.cast, arrays.xp
        self.lower, self.upper, self.region = cast(lower), cast(upper), region.moved(cast)
        self.low, self.high = cast(nodes.state.low), cast(nodes.state.high)
        self.slopes, self.weights = cast(nodes.slopes), cast(nodes.weights)
        lines = relu(arrays, self.low, self.high)
        self.lines = (
            xp.where(lines.unstable, self.slopes, lines.low_slope),
            lines.high_slope,
            lines.high_shift,
        )
        added = -cast(nodes.multipliers * xp.where(nodes.cuts > 0, nodes.signs * 0.0 + 1.0, nodes.signs))
        self.extra = {index: added[:, part] for index, part in self.model.slots.items()}
        self.sloped = bool(region.x_rows.any())
        self.rows = arrays.indices(np.arange(len(nodes)))

    def halves(self, neuron: Any, middle: Any) -> tuple[Any, Any]:
        """Bounds of the parts in which the `neuron` of each node is above and below `middle`."""
        low, high = self.low[self.rows, neuron], self.high[self.rows, neuron]
        xp, middle = self.arrays.xp, self.arrays.cast(middle)
        return self._with(neuron, xp.maximum(low, middle), high), self._with(
            neuron, low, xp.minimum(high, middle)
        )

    def _with(self, neuron: Any, low: Any, high: Any) -> Any:
        at = self.rows, neuron
        found = relu(self.arrays, low, high)
        below = self.arrays.xp.where(found.unstable, self.slopes[at], found.low_slope)
        kept = [line[at] for line in self.lines]
        self._write(at, (below, found.high_slope, found.high_shift))
        value = self._bounds()
        self._write(at, kept)
        return value

    def _write(self, at: Any, values: Any) -> None:
        for line, value in zip(self.lines, values, strict=True):
            line[at] = value

    def _bounds(self) -> Any:
        model, region = self.model, self.region
        below, slope, shift = self.lines
        relaxed = {
            index: Relaxation(below[:, part], None, slope[:, part], shift[:, part], None)
            for index, part in model.slots.items()
        }
        start = {model.output: self.weights @ region.y_rows}
        coefficients, constant = substitute(model, start, None, None, relaxed, extra=self.extra)
        if self.sloped:
            coefficients = coefficients + self.weights @ region.x_rows
        value, _ = lowest(self.arrays, region.ball, coefficients, self.lower, self.upper)
        return value + constant - self.weights @ region.rhs
