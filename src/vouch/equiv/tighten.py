"""Tight bounds on the hidden neurons of both networks over a whole region, once for many later questions.

Intervals and affine forms give the start; then every neuron that is still unstable is minimised and
maximised by certified linear programs over the triangle relaxation of the layers before it.
"""

from __future__ import annotations

import numpy as np

from vouch.equiv.forms import Cells, Known, Limits, propagate
from vouch.equiv.pair import Chain, Pair
from vouch.equiv.region import Region
from vouch.equiv.relaxation import CellProgram
from vouch.nn.search.task import Clock


def form_limits(network: Chain, region: Region, unit: float = 0.0) -> Limits:
    """Bounds of every hidden layer from affine forms alone."""
    cells = Cells.of(region.lower[None, :], region.upper[None, :], region)
    trace = propagate(network, cells, unit=unit)
    return tuple((relaxed.lower[0], relaxed.upper[0]) for relaxed in trace.relaxed)


def tightened(pair: Pair, region: Region, clock: Clock, *, unit: float = 0.0) -> tuple[Limits, Limits]:
    """Bounds of all hidden neurons; those that the clock does not allow to tighten stay as they are."""
    limits = [form_limits(net, region, unit) for net in (pair.reference, pair.test)]
    deepest = max(len(limits[0]), len(limits[1]))
    for layer in range(deepest):
        if layer == 0 and region.rows is None:
            continue  # the first layer is affine in the inputs: its bounds are exact already
        known = (Known(limits=limits[0]), Known(limits=limits[1]))
        cell = CellProgram(pair, region, region.lower, region.upper, known, unit)
        for symbol in cell.symbols:
            if symbol.layer != layer:
                continue
            if clock.over:
                return limits[0], limits[1]
            expression = cell.before[symbol.network, layer, symbol.neuron]
            lower, upper = limits[symbol.network][layer]
            high = cell.decide(expression, -np.inf)[0]
            low = -cell.decide(expression.scaled(-1.0), -np.inf)[0]
            upper[symbol.neuron] = min(upper[symbol.neuron], high)
            lower[symbol.neuron] = max(lower[symbol.neuron], low)
    return limits[0], limits[1]
