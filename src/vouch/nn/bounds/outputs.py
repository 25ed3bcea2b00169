"""Bounds of all outputs over one box, for reports and for whoever needs no more than that."""

from __future__ import annotations

import numpy as np

from vouch.nn.bounds.backward import substitute
from vouch.nn.bounds.forward import Domain, analyse, fresh
from vouch.nn.bounds.model import Model
from vouch.nn.property import Array


def output_bounds(model: Model, lower: Array, upper: Array, domain: Domain = "crown") -> tuple[Array, Array]:
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
    _, _, values = substitute(
        model, {model.output: arrays.array(units)}, boxes, known.noise, known.relaxed, *box
    )
    found = arrays.numpy(values)
    return np.maximum(low, found[:count]), np.minimum(high, -found[count:])
