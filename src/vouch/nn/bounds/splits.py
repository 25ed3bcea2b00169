"""Bounds under assumptions about neurons: the heart of branch and bound over ReLUs (as in beta-CROWN).

A node of the search fixes the sign of some ReLU inputs. Under s h >= 0, any lower bound of g - b s h with
b >= 0 is one of g. So each assumption brings a free multiplier b, improved by ascent together with the lower
slopes and the weights of the region's rows. Where a neuron is cut to l <= h <= u instead, any b is allowed:
the bound is one of g - b (h - l) for b > 0, and of g - b (h - u) for b < 0. Every choice of the parameters is
sound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vouch.nn.bounds.climb import (
    Ascent,
    Assumptions,
    SplitBounds,
    Units,
    climb,
    climb_roughly,
    fits_float32,
)
from vouch.nn.bounds.forward import Analysis, Domain, ForwardState, analyse
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.region import Unsafe


def root(model: BoundModel, state: ForwardState, region: Unsafe | Units, batch: int = 1) -> Assumptions:
    """No assumptions yet; the slopes are those of least area."""
    arrays = model.arrays
    shape = (batch, model.neurons)
    slopes = ((state.high > -state.low) * 1.0) + arrays.zeros(shape)
    even = arrays.full((batch, region.count), 1.0 / max(region.count, 1))
    return Assumptions(state, arrays.zeros(shape), arrays.zeros(shape), slopes, arrays.zeros(shape), even)


def bound(
    model: BoundModel,
    lower: Any,
    upper: Any,
    nodes: Assumptions,
    region: Unsafe | Units,
    steps: int,
    stop: Callable[[], bool] = lambda: False,
    domain: Domain = "interval",
) -> tuple[SplitBounds, Analysis]:
    """Improves the parameters of the nodes in place, for at most `steps` steps or until `stop` says so, and
    bounds the region's excess (or the outputs asked for) from below: positive means that the node contains
    no violation."""
    # One box for all nodes: what comes before the first activation is computed once.
    if domain == "crown":
        spread = model.arrays.zeros((len(nodes), model.inputs))
        lower, upper = lower + spread, upper + spread
    analysis = analyse(model, lower, upper, nodes.state, domain, region.ball)
    seeming = None
    if steps and model.integers is None and fits_float32(analysis):
        seeming = climb_roughly(model, analysis, nodes, region, steps, stop)
    work = Ascent(model, analysis, nodes, region)
    if seeming is None:
        climb(work, steps, stop)
    else:
        work.evaluate()
        # What float32 is too coarse for is done again.
        if bool((~(work.best > 0) & (seeming > 0)).any()):
            climb(work, steps, stop)
    work.store()
    return work.bounded(), analysis
