"""Affine forms over many input cells at once: sound float64 bounds for both networks with shared symbols.

A form writes a vector of neurons as  centre + input·d + noise·ξ ± error,  where d is the displacement of
the input from the cell's anchor (the same d for both networks: that is what makes differences small), ξ are
noise symbols in [-1, 1], one for every relaxed ReLU, and `error` holds every rounding error made on the way
(and, for float32 arithmetic, the rounding errors of the network itself).

All arrays carry the batch first: centre [B, m], inputs [B, n, m], noise [B, g, m], error [B, m].
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from vouch.equiv.pair import Chain, Layer
from vouch.equiv.region import Region

Array = npt.NDArray[np.float64]
Phases = tuple[npt.NDArray[np.int8], ...]
Limits = tuple[tuple[Array, Array], ...]

UNIT64 = 2.0**-53
UNIT32 = 2.0**-24
TINY = 2.0**-110  # above what float32 and float64 lose to subnormal numbers, flushed to zero or not
LARGEST32 = 3.4e38  # a little below the largest float32


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A batch of input sets {anchor + d : low ≤ d ≤ high, ‖d‖₁ ≤ budget}. Linear constraints of the region
    are left out here (a cell covers at least what it stands for)."""

    anchor: Array
    low: Array
    high: Array
    budget: float | None = None
    even: bool = False  # low = −high

    @classmethod
    def of(cls, lower: Array, upper: Array, region: Region) -> Cells:
        """Cells for boxes [B, n] inside the region."""
        if region.centre is None or region.radius is None:
            anchor = lower + (upper - lower) / 2
            half = np.nextafter(np.maximum(upper - anchor, anchor - lower), np.inf)
            half = np.where(lower == upper, 0.0, half)
            return cls(anchor, -half, half, even=True)
        anchor = np.broadcast_to(region.centre, lower.shape)
        low, high = np.nextafter(lower - anchor, -np.inf), np.nextafter(upper - anchor, np.inf)
        return cls(anchor, low, high, float(np.nextafter(region.radius, np.inf)))

    def reach(self) -> Array:
        """Largest |d| in each coordinate."""
        return np.maximum(np.abs(self.low), np.abs(self.high))

    def support(self, weights: Array) -> tuple[Array, Array]:
        """Smallest and largest value of weights·d over each cell, for weights [B, n, m]. Up to rounding."""
        if self.budget is None and self.even:
            spread = np.matmul(self.high[:, None, :], np.abs(weights))[:, 0, :]
            return -spread, spread
        if self.budget is None:
            middle, half = (self.high + self.low) / 2, (self.high - self.low) / 2
            moved = np.matmul(middle[:, None, :], weights)[:, 0, :]
            spread = np.matmul(half[:, None, :], np.abs(weights))[:, 0, :]
            return moved - spread, moved + spread
        return -self._support_ball(-weights), self._support_ball(weights)

    def _support_ball(self, weights: Array) -> Array:
        """max weights·d: fill the budget greedily, the steepest coordinate first."""
        assert self.budget is not None
        rest = np.clip(0.0, self.low, self.high)
        base = np.matmul(rest[:, None, :], weights)[:, 0, :]
        left = np.maximum(self.budget - np.abs(rest).sum(axis=1), 0.0)
        room = np.where(weights > 0, (self.high - rest)[:, :, None], (rest - self.low)[:, :, None])
        size = np.abs(weights)
        order = np.argsort(-size, axis=1)
        size = np.take_along_axis(size, order, axis=1)
        room = np.take_along_axis(room, order, axis=1)
        before = np.cumsum(room, axis=1) - room
        taken = np.clip(left[:, None, None] - before, 0.0, room)
        return np.asarray(base + (size * taken).sum(axis=1))

    def extreme(self, weights: Array) -> Array:
        """The input of each cell that maximises weights·d, for weights [B, n] (up to rounding)."""
        if self.budget is None:
            return self.anchor + np.where(weights > 0, self.high, self.low)
        rest = np.clip(0.0, self.low, self.high)
        left = np.maximum(self.budget - np.abs(rest).sum(axis=1), 0.0)
        room = np.where(weights > 0, self.high - rest, rest - self.low)
        order = np.argsort(-np.abs(weights), axis=1)
        sorted_room = np.take_along_axis(room, order, axis=1)
        taken = np.clip(left[:, None] - (np.cumsum(sorted_room, axis=1) - sorted_room), 0.0, sorted_room)
        move = np.zeros_like(weights)
        np.put_along_axis(move, order, taken, axis=1)
        return np.asarray(self.anchor + rest + np.sign(weights) * move)


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """See the module. `origin` [g, 2] names layer and neuron of every noise symbol; `blame` [B, g, n], if
    kept, says which share of a symbol's relaxation each input is responsible for (rows sum to about 1)."""

    centre: Array
    inputs: Array
    noise: Array
    error: Array
    origin: npt.NDArray[np.int32]
    blame: Array | None = None

    def bounds(self, cells: Cells) -> tuple[Array, Array]:
        """Sound lower and upper bounds [B, m]."""
        down, up = cells.support(self.inputs)
        spread = np.abs(self.noise).sum(axis=1) + self.error
        terms = self.inputs.shape[1] + self.noise.shape[1] + 16
        slack = terms * UNIT64 * (self.magnitude(cells) + spread) + TINY
        return self.centre + down - spread - slack, self.centre + up + spread + slack

    def magnitude(self, cells: Cells) -> Array:
        """An upper bound of the absolute values added up anywhere in the form."""
        moved = np.matmul(cells.reach()[:, None, :], np.abs(self.inputs))[:, 0, :]
        return np.asarray(np.abs(self.centre) + moved + np.abs(self.noise).sum(axis=1) + self.error)

    def mapped(self, weights: Array, bias: Array | float, extra: Array) -> Form:
        """weights · form + bias, with `extra` added to the error."""
        return replace(
            self,
            centre=self.centre @ weights.T + bias,
            inputs=_times(self.inputs, weights),
            noise=_times(self.noise, weights),
            error=self.error @ np.abs(weights).T * (1 + 2.0**-40) + extra,
        )


def input_form(cells: Cells, keep_blame: bool) -> Form:
    count, size = cells.anchor.shape
    eye = np.broadcast_to(np.eye(size), (count, size, size))
    blame = np.zeros((count, 0, size)) if keep_blame else None
    return Form(
        cells.anchor,
        eye,
        np.zeros((count, 0, size)),
        np.abs(cells.anchor) * UNIT64,
        np.zeros((0, 2), dtype=np.int32),
        blame,
    )


def affine(form: Form, layer: Layer, cells: Cells, unit: float) -> Form:
    """The layer applied to the form; rounding of this computation and of a network that computes with unit
    round-off `unit` (in any order of summation) goes into the error."""
    size = form.magnitude(cells)
    total = size @ np.abs(layer.weights).T + np.abs(layer.bias)
    terms = layer.weights.shape[1] + 8
    extra = terms * (unit + 2 * UNIT64) * 1.01 * total + TINY + layer.bias_error
    if layer.weight_error:
        extra = extra + layer.weight_error * size.sum(axis=1, keepdims=True)
    return form.mapped(layer.weights, layer.bias, extra)


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """How the ReLUs of one layer were relaxed: relu(z) ∈ slope·z + offset ± offset. `columns` are the
    neurons that got a noise symbol in this batch."""

    lower: Array
    upper: Array
    slope: Array
    offset: Array
    columns: npt.NDArray[np.intp]


def relax(lower: Array, upper: Array, phase: npt.NDArray[np.int8] | None) -> Relaxed:
    """A parallelogram for every unstable ReLU; a neuron whose phase is fixed is linear."""
    if phase is not None:
        lower = np.where(phase > 0, np.maximum(lower, 0.0), lower)
        upper = np.where(phase < 0, np.minimum(upper, 0.0), upper)
    unstable = (lower < 0) & (upper > 0)
    width = np.where(unstable, upper - lower, 1.0)
    slope = np.where(unstable, np.clip(upper / width, 0.0, 1.0), np.where(upper > 0, 1.0, 0.0))
    if phase is not None:
        slope = np.where(phase > 0, 1.0, np.where(phase < 0, 0.0, slope))
    # For every slope in [0, 1], relu(z) − slope·z lies between 0 and the larger of its end points.
    gap = np.where(unstable, np.maximum(-slope * lower, (1.0 - slope) * upper), 0.0)
    offset = np.where(unstable, gap * (0.5 + 2.0**-50) + TINY, 0.0)
    return Relaxed(lower, upper, slope, offset, np.flatnonzero(unstable.any(axis=0)))


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What is known about one network's hidden neurons beforehand, layer by layer: `phases` [B, m] that a
    split has fixed (+1 active, −1 inactive; forms then only hold where the inputs really are in these
    phases) and `limits`, bounds [m] that hold on the whole region."""

    phases: Phases | None = None
    limits: Limits | None = None

    def relax(self, layer: int, lower: Array, upper: Array) -> Relaxed:
        if self.limits is not None:
            lower = np.maximum(lower, self.limits[layer][0])
            upper = np.maximum(np.minimum(upper, self.limits[layer][1]), lower)
        return relax(lower, upper, self.phases[layer] if self.phases is not None else None)


NOTHING = Known()


def apply(form: Form, relaxation: Relaxed, layer: int, cells: Cells) -> Form:
    """The form after the ReLUs, with one new noise symbol per relaxed column."""
    slope, offset, columns = relaxation.slope, relaxation.offset, relaxation.columns
    noise = form.noise * slope[:, None, :]
    fresh = np.zeros((len(slope), len(columns), slope.shape[1]))
    fresh[:, np.arange(len(columns)), columns] = offset[:, columns]
    rounding = 4 * UNIT64 * (form.magnitude(cells) * slope + offset)
    blame = None
    if form.blame is not None:
        blame = np.concatenate([form.blame, _shares(form, columns, cells)], axis=1)
    return Form(
        form.centre * slope + offset,
        form.inputs * slope[:, None, :],
        np.concatenate([noise, fresh], axis=1),
        form.error * slope + rounding,
        np.concatenate([form.origin, np.stack([np.full(len(columns), layer), columns], axis=1)]).astype(
            np.int32
        ),
        blame,
    )


def _shares(form: Form, columns: npt.NDArray[np.intp], cells: Cells) -> Array:
    """Which share of the spread of these neurons comes, directly or through noise, from each input."""
    assert form.blame is not None
    parts = np.abs(form.inputs[:, :, columns]).transpose(0, 2, 1) * cells.reach()[:, None, :]
    if form.noise.shape[1]:
        parts = parts + np.matmul(np.abs(form.noise[:, :, columns]).transpose(0, 2, 1), form.blame)
    return np.asarray(parts / np.maximum(parts.sum(axis=2, keepdims=True), TINY))


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One network propagated: the output form, how each hidden layer was relaxed and, if kept, the forms of
    its neurons before the ReLU."""

    form: Form
    relaxed: list[Relaxed]
    before: list[Form]


def propagate(
    network: Chain,
    cells: Cells,
    *,
    unit: float = 0.0,
    known: Known = NOTHING,
    keep_blame: bool = False,
    keep_before: bool = False,
) -> Trace:
    """Propagate all cells through one network."""
    form = input_form(cells, keep_blame)
    trace = Trace(form, [], [])
    for index, layer in enumerate(network.layers):
        form = affine(form, layer, cells, unit)
        if index < len(network.layers) - 1:
            if keep_before:
                trace.before.append(form)
            trace.relaxed.append(known.relax(index, *form.bounds(cells)))
            form = apply(form, trace.relaxed[-1], index, cells)
    return replace(trace, form=form)


def _times(generators: Array, weights: Array) -> Array:
    """generators [B, g, m] times the transpose of weights, as one large product."""
    count, rows, size = generators.shape
    flat = np.ascontiguousarray(generators).reshape(count * rows, size)
    return np.asarray((flat @ weights.T).reshape(count, rows, weights.shape[0]))


def may_overflow(network: Chain, region: Region) -> bool:
    """Whether some sum of the network's own float32 arithmetic might leave its range over the region."""
    cells = Cells.of(region.lower[None, :], region.upper[None, :], region)
    before = [input_form(cells, False)]
    trace = propagate(network, cells, unit=UNIT32, keep_before=True)
    for index, (form, relaxed) in enumerate(zip(trace.before, trace.relaxed, strict=True)):
        before.append(apply(form, relaxed, index, cells))
    sums = (
        form.magnitude(cells) @ np.abs(layer.weights).T + np.abs(layer.bias)
        for form, layer in zip(before, network.layers, strict=True)
    )
    return any(not float(total.max()) < LARGEST32 for total in sums)
