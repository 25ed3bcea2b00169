"""The halves of nodes of a search over neurons: which neurons are worth cutting in the middle, and what both
sides assume."""

from __future__ import annotations

from typing import Any

import numpy as np

from vouch.nn.bounds.arrays import Arrays
from vouch.nn.bounds.ascent import is_relu
from vouch.nn.bounds.climb import Assumptions
from vouch.nn.bounds.model import BoundModel
from vouch.nn.lowered import Affine

# So many neurons may be alive in a layer for that.
_FEW_ALIVE = 16


def reach(model: BoundModel, arrays: Arrays) -> Any:
    """How strongly each neuron acts on the nodes that read it."""
    found = np.zeros(model.neurons)
    for node in model.lowered.nodes:
        if isinstance(node, Affine):
            for linear, source in zip(node.maps, node.inputs, strict=True):
                if source in model.slots:
                    found[model.slots[source]] += linear.absolute().transpose(np.ones((1, linear.rows)))[0]
    return arrays.array(found)


def worth_cutting(
    model: BoundModel, arrays: Arrays, nodes: Assumptions, reach: Any, narrowest: Any
) -> Any:
    """Scores of neurons that are worth cutting in the middle: those of layers in which few are alive and
    after which much is open. Everything behind such a layer is a function of few variables."""
    state, scores = nodes.state, arrays.zeros(nodes.signs.shape)
    for index, part in list(model.slots.items())[:-1]:
        if not is_relu(model, index):
            continue
        low, high = state.low[:, part].clip(min=0), state.high[:, part].clip(min=0)
        few = ((high > 0) * 1.0).sum(1) <= _FEW_ALIVE
        behind = slice(part.stop, None)
        open_ = ((state.low[:, behind] < 0) & (state.high[:, behind] > 0)).any(1)
        worth = (few & open_)[:, None] & (high - low > narrowest[:, part])
        scores[:, part] = arrays.xp.where(worth, (high - low) * reach[part], 0.0)
    return scores


def children_of(arrays: Arrays, nodes: Assumptions, neuron: Any, cut: Any) -> Assumptions:
    """Both signs for one neuron of each node; both halves of its interval where it is `cut`."""
    count, xp = len(nodes), arrays.xp
    rows = arrays.indices(np.arange(count))
    both = nodes.take(arrays.indices(np.tile(np.arange(count), 2)))
    low, high = both.state.low, both.state.high
    middle = xp.where(cut, (low[rows, neuron] + high[rows, neuron]) * 0.5, 0.0)
    low[rows, neuron] = xp.maximum(low[rows, neuron], middle)
    high[rows + count, neuron] = xp.minimum(high[rows + count, neuron], middle)
    for part, sign in ((rows, 1.0), (rows + count, -1.0)):
        both.signs[part, neuron] = xp.where(cut, both.signs[part, neuron], sign)
        both.cuts[part, neuron] = xp.where(cut, 1.0, both.cuts[part, neuron])
        # A multiplier of a sign is one of a cut as it is, up to its direction.
        turned = both.multipliers[part, neuron] * nodes.signs[rows, neuron]
        fresh_cut = cut & (nodes.cuts[rows, neuron] == 0)
        both.multipliers[part, neuron] = xp.where(fresh_cut, turned, both.multipliers[part, neuron])
    return both
