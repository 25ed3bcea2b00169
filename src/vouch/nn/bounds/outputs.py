"""Bounds of all outputs over one box, for reports and for whoever needs no more than that."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vouch.nn.bounds.backward import least_value, substitute
from vouch.nn.bounds.ball import SLACK, least_over
from vouch.nn.bounds.forward import Domain, analyse, fresh
from vouch.nn.bounds.model import LARGEST32, BoundModel
from vouch.nn.bounds.region import Unsafe, exclude
from vouch.nn.property import Array, Case, Rows


def output_bounds(
    model: BoundModel, lower: Array, upper: Array, domain: Domain = "crown"
) -> tuple[Array, Array]:
    """Lower and upper bounds of every output for inputs lower..upper."""
    arrays = model.arrays
    box = arrays.array(lower[None, :]), arrays.array(upper[None, :])
    known = analyse(model, *box, fresh(model, 1), domain)
    low, high = arrays.numpy(known.output_low)[0], arrays.numpy(known.output_high)[0]
    if domain == "interval":
        return low, high
    count = model.outputs
    units = np.vstack([np.eye(count), -np.eye(count)])
    boxes = arrays.indices(np.zeros(2 * count))
    rows = substitute(model, {model.output: arrays.array(units)}, boxes, known.noise, known.relaxed)
    found = arrays.numpy(least_value(arrays, *rows, boxes, *box))
    return np.maximum(low, found[:count]), np.minimum(high, -found[count:])


def refuted_at_once(model: BoundModel, case: Case, stop: Callable[[], bool]) -> bool:
    """Whether bounds of the whole box are enough for every region: a hint, for overflow is not looked at."""
    lower, upper = (model.arrays.array(end[None, :]) for end in fed_box(model, case))
    regions = [Unsafe.of(model, case, rows) for rows in case.regions]
    ball = regions[0].ball if regions else None
    known = analyse(model, lower, upper, fresh(model, 1), ball=ball, partial=True, stop=stop)
    return not any(len(exclude(known, region, 0).index) for region in regions)


def may_overflow(model: BoundModel, case: Case) -> bool:
    """Whether some number of the network's own float32 arithmetic might leave its range, in any order of
    summation and with constants folded: bounds that hold for real numbers plus rounding say nothing about
    infinities. Where a function may leave its domain, the answer is False and each part has to be looked at
    by itself (`Analysis.undefined`)."""
    if model.arithmetic == "real":
        return False
    arrays = model.arrays
    lower, upper = (arrays.array(end[None, :]) for end in fed_box(model, case))
    domains: tuple[Domain, ...] = ("interval", "crown")
    for domain in domains:
        known = analyse(model, lower, upper, fresh(model, 1), domain, partial=True)
        unsure = known.undefined is not None and bool(known.undefined.any())
        if unsure or float(known.height.max()) < LARGEST32:
            return False
    return True


def least_of_rows(model: BoundModel, case: Case, rows: Array) -> Array:
    """Lower bounds of rows * output, row by row, over the case's box and ball (its linear constraints are
    left aside)."""
    arrays = model.arrays
    low, high = fed_box(model, case)
    box = arrays.array(low[None, :]), arrays.array(high[None, :])
    ball = Unsafe.of(model, case, Rows.none(model.inputs, model.outputs)).ball
    known = analyse(model, *box, fresh(model, 1), ball=ball)
    boxes = arrays.indices(np.zeros(len(rows)))
    start = {model.output: arrays.array(rows)}
    slope, constant = substitute(model, start, boxes, known.noise, known.relaxed)
    value = least_value(arrays, slope, constant, boxes, *box)
    if ball is not None:
        value = arrays.xp.maximum(value, least_over(arrays, ball, slope, *box) + constant)
    found, tilt, shift = (arrays.numpy(part) for part in (value, slope, constant))
    reach = np.maximum(np.abs(low), np.abs(high))
    size = np.abs(rows) @ (arrays.numpy(known.size)[0] + 1.0) + np.abs(tilt) @ reach + np.abs(shift)
    bound: Array = found - SLACK * size
    return bound


def fed_box(model: BoundModel, case: Case) -> tuple[Array, Array]:
    """The box of what the network is fed: in float32, every real input is rounded first."""
    if model.arithmetic == "real":
        return case.lower, case.upper
    return (
        np.minimum(case.lower, case.lower.astype(np.float32).astype(np.float64)),
        np.maximum(case.upper, case.upper.astype(np.float32).astype(np.float64)),
    )
