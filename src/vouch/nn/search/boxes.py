"""Batches of boxes, and what a search over inputs does with them, be its numbers reals or integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from vouch.nn.bounds.forward import Analysis, ForwardState
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.region import Unsafe, exclude

# Every so many rounds the boxes that have waited longest come first: depth saves memory, but may stay for
# long where the property is barely kept while a violation lies elsewhere.
BREADTH = 4
_LEAST = 0.01


@dataclass(slots=True)
class Boxes:
    """Boxes low..high [batch, inputs], and what is known about the activations."""

    low: Any
    high: Any
    state: ForwardState

    def __len__(self) -> int:
        return len(self.low)

    def take(self, chosen: Any) -> Boxes:
        return Boxes(self.low[chosen], self.high[chosen], self.state.take(chosen))

    def pieces(self, number: int) -> list[Boxes]:
        """The same in so many parts of about one size."""
        edges = [len(self) * i // number for i in range(number + 1)]
        return [self.take(slice(a, b)) for a, b in pairwise(edges)]


@dataclass(slots=True)
class Left:
    """Boxes after a look at them: which may `still` meet a region, what is left of those, how much each input
    matters, the least bound of any region, and points to try."""

    still: Any
    low: Any
    high: Any
    score: Any
    bound: Any
    points: Any


def popped(xp: Any, stack: list[Boxes], wanted: int, *, oldest: bool) -> Boxes:
    """The next boxes of a stack, at most so many: the newest ones, or those that have waited longest."""
    parts: list[Boxes] = []
    count = 0
    while stack and count < wanted:
        top = stack.pop(0 if oldest else -1)
        if count + len(top) > wanted:
            fits = wanted - count
            stack.insert(0 if oldest else len(stack), top.take(slice(0, len(top) - fits)))
            top = top.take(slice(len(top) - fits, len(top)))
        parts.append(top)
        count += len(top)
    return parts[0] if len(parts) == 1 else _joined(xp, parts)


def _joined(xp: Any, parts: Sequence[Boxes]) -> Boxes:
    return Boxes(
        xp.concatenate([part.low for part in parts]),
        xp.concatenate([part.high for part in parts]),
        ForwardState(
            xp.concatenate([part.state.low for part in parts]),
            xp.concatenate([part.state.high for part in parts]),
        ),
    )


def left_of(analysis: Analysis, regions: Sequence[Unsafe]) -> Left:
    """What bounds leave of boxes: around all that may lie in one of the regions."""
    arrays = analysis.model.arrays
    xp, shape = arrays.xp, analysis.lower.shape
    low, high = arrays.full(shape, np.inf), arrays.full(shape, -np.inf)
    score, still = arrays.zeros(shape), arrays.zeros((shape[0],)) > 0
    # How far a region that was left is left behind is not worth finding out.
    bound = arrays.zeros((shape[0],))
    points = [(analysis.lower + analysis.upper) * 0.5]
    for region in regions:
        left = exclude(analysis, region)
        if len(left.index) == 0:
            continue
        at = left.index
        still[at] = True
        low[at] = xp.minimum(low[at], left.lower)
        high[at] = xp.maximum(high[at], left.upper)
        score[at] = score[at] + left.score
        bound[at] = xp.minimum(bound[at], left.bound)
        points.append(left.corner)
    return Left(still, low, high, score, bound, xp.concatenate(points))


def suspects(model: BoundModel, regions: Sequence[Unsafe], points: Any) -> Any:
    """Those of the points that violate in float64."""
    values = model.run(points)
    bad = points[:, 0] != points[:, 0]
    for region in regions:
        excess = points @ region.x_rows.T + values @ region.y_rows.T - region.rhs
        bad |= (excess <= 0).all(1)
    return points[bad]


def weights(xp: Any, score: Any, widths: Any, whole: Any) -> Any:
    """How much is won by cutting boxes along each input. The bound may hardly depend on an input whose width
    is what keeps the ReLUs open, so none counts for less than a share of the strongest."""
    least = (xp.amax(score * whole, 1) * _LEAST + 1e-300)[:, None]
    return xp.maximum(score * whole, least) * widths / whole
