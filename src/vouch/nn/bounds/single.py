"""Bounds in float32 for many boxes at once, in one pass forwards: made for a GPU, sound on every device.

Each neuron is an affine form of its box, c + sum of a_j t_j with t in [-1, 1], and a radius e around it that
stands for all that was cut off on the way. A ReLU that may go either way becomes the line through its
corners, moved up by half of its error. That is looser than back-substitution in float64, and much faster.

Rounding. Let u = 2^-24. Every number of a form takes part in at most one product sum of n terms, one
addition of the bias, one product with a slope and one addition per node, so what it loses is below
(n + inputs + 32) u times the size of the neurons read, |c| + sum |a_j| + e, weighted like them; the
conversion of the weights is among the 32. This enters e through the same product sum that carries e on,
together with the rounding of the network's own arithmetic (`Model.factors`). Sums of numbers >= 0 are off
by less than that share of themselves, and e is enlarged by it. Underflow loses at most 2^-126 in each
operation, which is covered by a constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.arrays import UNIT32, Array
from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.outputs import fed_box
from vouch.nn.bounds.region import Unsafe
from vouch.nn.linear import DENSE_LIMIT
from vouch.nn.lowered import Activation, Affine, AffineGap, LoweredNode, NodeKind
from vouch.nn.property import Case

_STEPS = 32
_TINY = 2.0**-100


@dataclass(frozen=True, slots=True)
class SingleLayer:
    """With `relu`, ReLUs stand before it. `weights` [into, neurons]; `sizes` bound their absolute values;
    `lost` is the share of the sizes read that rounding may cost, `extra` what it may cost besides."""

    relu: bool
    weights: Any
    sizes: Any
    bias: Any
    lost: float
    extra: Any


@dataclass(frozen=True, slots=True)
class Forms:
    """Rows of all regions over boxes: centre and radius of each row, [boxes, rows], and the blame of every
    input for the radius, [boxes, inputs]."""

    centre: Any
    radius: Any
    blame: Any


class SingleBounds:
    """Bounds of the rows of `regions` over boxes inside of the case's, on a device of torch."""

    def __init__(self, model: BoundModel, case: Case, regions: list[Unsafe], device: str) -> None:
        import torch

        self.torch, self.device = torch, device
        self.inputs = model.inputs
        self.spans: list[tuple[int, int, int]] = []
        parts = [self._region(model, region) for region in regions]
        x_rows, y_rows, rhs, y_sizes = (np.concatenate(each) for each in zip(*parts, strict=True))
        self.x_rows = self._tensor(x_rows)
        self.layers = self._layers(model, case, y_rows, rhs, y_sizes)
        lower, upper = fed_box(model, case)
        reach = np.maximum(np.abs(lower), np.abs(upper))
        self.reach = self._above(np.abs(x_rows) @ reach * (64 * UNIT32))

    def _region(self, model: BoundModel, region: Unsafe) -> tuple[Array, Array, Array, Array]:
        """The rows of a region, and their mean where there are several: it may be clear where no row is."""
        numpy = model.arrays.numpy
        x_rows, y_rows, rhs = numpy(region.x_rows), numpy(region.y_rows), numpy(region.rhs)
        y_sizes = np.abs(y_rows)
        start = self.spans[-1][2] if self.spans else 0
        self.spans.append((start, start + len(rhs), start + len(rhs) + (len(rhs) > 1)))
        if len(rhs) == 1:
            return x_rows, y_rows, rhs, y_sizes
        means = [part.mean(0, keepdims=True) for part in (x_rows, y_rows, rhs, y_sizes)]
        means[2] += 2.0**-45 * np.abs(rhs).sum()
        found = zip((x_rows, y_rows, rhs, y_sizes), means, strict=True)
        return tuple(np.concatenate(pair) for pair in found)  # type: ignore[return-value]

    def _tensor(self, values: Array) -> Any:
        return self.torch.as_tensor(values, dtype=self.torch.float32, device=self.device)

    def _above(self, values: Array) -> Any:
        """Float32 numbers that are at least the given ones."""
        return self._tensor(np.nextafter(np.asarray(values, dtype=np.float32), np.float32(np.inf)))

    def _layers(
        self, model: BoundModel, case: Case, rows: Array, rhs: Array, row_sizes: Array
    ) -> list[SingleLayer]:
        arrays, layers, relu = model.arrays, [], False
        lower, upper = fed_box(model, case)
        box = arrays.array(lower[None, :]), arrays.array(upper[None, :])
        known = analyse(model, *box, fresh(model, 1), "interval")
        read = np.maximum(np.abs(lower), np.abs(upper))
        for index, node in enumerate(model.lowered.nodes[1:], 1):
            if not isinstance(node, Affine):
                relu = True
                continue
            matrix, bias = node.maps[0].dense(), np.asarray(node.bias, dtype=np.float64)
            sizes, spread = np.abs(matrix), np.abs(bias)
            share = model.factors[index] * (1 + 2.0**-20)
            # What does not grow with the numbers read is taken over the whole box, once.
            noise = arrays.numpy(known.noise[index])[0]
            mass = sizes @ read + spread
            rest = np.maximum(noise - model.factors[index] * mass, 0.0) + 2.0**-40 * noise
            steps = (matrix.shape[1] + self.inputs + _STEPS) * UNIT32
            own = steps / (1 - steps)
            extra = rest * (1 + 2.0**-20) + (share + 2 * own) * spread
            if index == model.output:
                extra = row_sizes @ extra + 2 * own * np.abs(rhs)
                sizes, matrix, bias = row_sizes @ sizes, rows @ matrix, rows @ bias - rhs
            extra = extra + _TINY * (1 + sizes.sum(1))
            layers.append(
                SingleLayer(
                    relu,
                    self._tensor(matrix).T.contiguous(),
                    self._above(sizes * (1 + 2.0**-40)).T.contiguous(),
                    self._tensor(bias),
                    float(np.float32((own + share) * (1 + 2.0**-10))),
                    self._above(extra * (1 + 2.0**-10)),
                )
            )
            relu, read = False, mass + noise
        return layers

    def rows(self, lower: Any, upper: Any) -> Forms:
        """The forms of all rows over boxes lower..upper [boxes, inputs], float32 tensors."""
        torch, wide = self.torch, self.inputs
        middle = (lower + upper) * 0.5
        half = torch.maximum(upper - middle, middle - lower) * (1 + 2.0**-22) + 2.0**-120
        # One after the other: the a_j, c, then e and the blame of each input for it.
        lines = torch.zeros((wide + 1, *middle.shape), dtype=torch.float32, device=self.device)
        lines[torch.arange(wide), :, torch.arange(wide)] = half.T
        lines[wide] = middle
        cut = torch.zeros_like(lines)
        for layer in self.layers:
            if layer.relu:
                lines, cut = self._through(lines, cut)
            size = lines.abs().sum(0) + cut[0]
            cut[0] += size * layer.lost
            lines = lines @ layer.weights
            lines[wide] += layer.bias
            cut = cut @ layer.sizes
            cut[0] = cut[0] * (1 + 4 * layer.lost) + layer.extra
        lines[:wide] += half.T[:, :, None] * self.x_rows.T[:, None, :]
        lines[wide] += middle @ self.x_rows.T
        steep = lines[:wide].abs()
        radius = (steep.sum(0) + cut[0] + self.reach) * (1 + 2 * (wide + 8) * UNIT32)
        blame = (steep.sum(2) + cut[1:].sum(2)).T
        return Forms(lines[wide], radius, blame)

    def _through(self, lines: Any, cut: Any) -> tuple[Any, Any]:
        """The forms behind the ReLUs."""
        torch, wide = self.torch, self.inputs
        steep, centre = lines[:wide].abs(), lines[wide]
        total = steep.sum(0)
        radius = total + cut[0]
        radius = radius + (radius + centre.abs()) * (2 * (wide + 8) * UNIT32)
        low, high = centre - radius, centre + radius
        open_ = (low < 0) & (high > 0)
        slope = torch.where(open_, high / torch.where(open_, high - low, 1.0), (low >= 0).to(torch.float32))
        slope = slope.clamp(0.0, 1.0)
        # relu(h) - slope h lies in [0, most] for the slope as it was rounded.
        most = torch.maximum(high - slope * high, -slope * low) * (1 + 2.0**-20) + high * 2.0**-21
        most = torch.where(open_, most, 0.0)
        move = most * 0.5
        lines = lines * slope
        lines[wide] += move
        cut = cut * slope
        cut[0] += move
        cut[1:] += steep * (move / (total + 1e-30))
        return lines, cut

    def margins(self, forms: Forms) -> Any:
        """How far each box is clear of all regions, [boxes]: no region is met where this is positive."""
        torch = self.torch
        low = forms.centre - forms.radius - (forms.centre.abs() + forms.radius) * (4 * UNIT32)
        parts = [low[:, start:end].amax(1) for start, _, end in self.spans]
        return torch.stack(parts).amin(0)

    def met(self, points: Any) -> Any:
        """Which points [count, inputs] look as if they met a region, by evaluation in float32."""
        values = points
        for layer in self.layers:
            values = (values.clamp(min=0) if layer.relu else values) @ layer.weights + layer.bias
        values = values + points @ self.x_rows.T
        parts = [(values[:, start:end] <= 0).all(1) for start, end, _ in self.spans]
        return self.torch.stack(parts).any(0)


def fits(model: BoundModel, case: Case) -> bool:
    """Whether the network is a chain of dense maps and ReLUs, and the inputs are a box."""
    if case.ball is not None or case.inputs is not None or model.integers is not None or not case.regions:
        return False
    if any(rows.count == 0 for rows in case.regions) or not isinstance(model.node(model.output), Affine):
        return False
    return all(_chained(node, index) for index, node in enumerate(model.lowered.nodes[1:], 1))


def _chained(node: LoweredNode, index: int) -> bool:
    if isinstance(node, Activation):
        return node.kind is NodeKind.RELU and node.input == index - 1
    if not isinstance(node, Affine) or isinstance(node, AffineGap) or node.losses:
        return False
    if node.inputs != (index - 1,):
        return False
    return node.maps[0].rows * node.maps[0].columns <= DENSE_LIMIT
