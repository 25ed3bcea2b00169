"""Is a two-network property possible at all? Some published ones say `and` where `or` is meant."""

from __future__ import annotations

import numpy as np

from vouch.equiv.forms import Cells, propagate
from vouch.equiv.pair import Pair
from vouch.equiv.property import Avoid
from vouch.equiv.region import Region
from vouch.nn.lp import LinearProgram


def contradicts_itself(pair: Pair, region: Region, prop: Avoid) -> bool:
    """Whether no pair of outputs, whatever the networks do within their bounds, lies in a polytope. By exact
    rational certificates."""
    cells = Cells.of(region.lower[None, :], region.upper[None, :], region)
    ends = [propagate(net, cells).form.bounds(cells) for net in (pair.reference, pair.test)]
    program = LinearProgram(
        np.concatenate([low[0] for low, _ in ends]), np.concatenate([high[0] for _, high in ends])
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
