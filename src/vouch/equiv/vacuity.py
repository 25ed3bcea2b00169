"""Is a two-network property possible at all? Some published ones say `and` where `or` is meant."""

from __future__ import annotations

import numpy as np

from vouch.equiv.forms import Cells, propagate
from vouch.equiv.graphs import Compared, GraphPair
from vouch.equiv.pair import Array
from vouch.equiv.property import Avoid
from vouch.equiv.region import Region
from vouch.nn.lp import LinearProgram


def contradicts_itself(pair: Compared, region: Region, prop: Avoid) -> bool:
    """Whether no pair of outputs, whatever the networks do within their bounds, lies in a polytope. By exact
    rational certificates."""
    ends = _bounds(pair, region)
    program = LinearProgram(
        np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])
    )
    for polytope in prop.polytopes:
        rows = np.hstack([polytope.reference, polytope.test])
        least = np.minimum(rows * program.lower, rows * program.upper).sum(axis=1)
        if (least > polytope.rhs).any():
            return False  # one row alone is out of reach: that is a proof, not a contradiction
        program.cut(0)
        program.add(rows, polytope.rhs)
        if program.infeasible() is not True:
            return False
    return True


def _bounds(pair: Compared, region: Region) -> list[tuple[Array, Array]]:
    """Bounds of both networks' outputs over the region."""
    if isinstance(pair, GraphPair):
        return [net.bounds(region.lower, region.upper) for net in (pair.reference, pair.test)]
    cells = Cells.of(region.lower[None, :], region.upper[None, :], region)
    ends = (propagate(net, cells).form.bounds(cells) for net in (pair.reference, pair.test))
    return [(low[0], high[0]) for low, high in ends]
