"""Which boxes are clear of all unsafe regions, by zonotopes: one pass forwards for a batch of boxes.

A region is left where one of its rows exceeds its limit throughout. Unlike `bounds.region`, rows are not
combined and slopes are not improved: a box takes a fraction of the time, and halving it does the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.bounds.ball import SLACK
from vouch.nn.bounds.region import Unsafe
from vouch.nn.bounds.zonotope import Propagated, Zonotope
from vouch.nn.property import Array


@dataclass(frozen=True, slots=True, eq=False)
class RowTable:
    """The different rows of all regions; those of region g are `members[starts[g] : starts[g + 1]]`."""

    x_rows: Array
    y_rows: Array
    rhs: Array
    members: Any
    starts: Any

    @classmethod
    def of(cls, regions: Sequence[Unsafe]) -> RowTable:
        every = [np.column_stack([part.x_rows, part.y_rows, part.rhs]) for part in regions]
        rows, members = np.unique(np.vstack(every), axis=0, return_inverse=True)
        inputs = regions[0].x_rows.shape[1]
        starts = np.cumsum([0, *(part.count for part in regions[:-1])])
        return cls(rows[:, :inputs], rows[:, inputs:-1], rows[:, -1], members.ravel(), starts)


@dataclass(frozen=True, slots=True, eq=False)
class Cleared:
    """For each box: the least `margin` of any region (positive: clear of all), a `corner` where the region
    that is nearest may be met, and how much each input adds to the looseness there (`blame`)."""

    margin: Array
    corner: Array
    blame: Array


def cleared(table: RowTable, found: Propagated, lower: Array, upper: Array) -> Cleared:
    """Boxes in which some neuron has no value left are clear, whatever the rows say."""
    rows = _excesses(table, found.output, lower, upper)
    low = rows.interval()[0]
    margins = _by_region(table, low)
    every = np.arange(len(low))
    nearest = margins.argmin(1)
    margin = np.where((found.state.low > found.state.high).any(1), np.inf, margins[every, nearest])
    best = _best_rows(table, low, nearest)
    generators = rows.generators[every, :, best]
    towards = generators[:, : lower.shape[1]]
    corner = np.where(towards > 0, lower, upper)
    return Cleared(margin, corner, found.blamed(generators, rows))


def region_margins(table: RowTable, found: Propagated, lower: Array, upper: Array) -> Array:
    """By how much each box is clear of each region, [batch, regions]."""
    return _by_region(table, _excesses(table, found.output, lower, upper).interval()[0])


def _by_region(table: RowTable, low: Array) -> Array:
    return np.asarray(np.maximum.reduceat(low[:, table.members], table.starts, axis=1))


def _best_rows(table: RowTable, low: Array, nearest: Any) -> Any:
    """For each box the row of its nearest region that is nearest to leaving it."""
    ends = np.append(table.starts[1:], len(table.members))
    best = np.empty(len(low), dtype=np.intp)
    for region in np.unique(nearest):
        own = table.members[table.starts[region] : ends[region]]
        chosen = np.flatnonzero(nearest == region)
        best[chosen] = own[low[np.ix_(chosen, own)].argmax(1)]
    return best


def _excesses(table: RowTable, outputs: Zonotope, lower: Array, upper: Array) -> Zonotope:
    """All rows' excesses as values over the symbols of the outputs."""
    y_rows, x_rows, inputs = table.y_rows, table.x_rows, lower.shape[1]
    middle, half = (lower + upper) * 0.5, (upper - lower) * 0.5
    generators = np.matmul(outputs.generators, y_rows.T)
    generators[:, :inputs] += half[:, :, None] * x_rows.T[None, :, :]
    size = (abs(outputs.centre) + outputs.spread) @ abs(y_rows).T
    size = size + (abs(middle) + half) @ abs(x_rows).T + abs(table.rhs)
    centre = outputs.centre @ y_rows.T + middle @ x_rows.T - table.rhs
    return Zonotope(centre, generators, outputs.rest @ abs(y_rows).T + SLACK * size, outputs.symbols)
