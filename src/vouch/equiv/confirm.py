"""Decides whether a suspected input really is a counterexample, and replays it in onnxruntime.

In real arithmetic a violation counts when sound bounds at the point (or, next to the edge, at the float32
point the runtime is given) exclude the opposite; in float32 arithmetic, when the runtime shows it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from vouch.equiv.forms import Cells, Form
from vouch.equiv.graphs import Compared, Graph, GraphPair
from vouch.equiv.margins import combined, joint, pairwise
from vouch.equiv.outcome import Confirm, Witness
from vouch.equiv.pair import Array, Chain
from vouch.equiv.property import Avoid, Epsilon, Property, Top, exactly_violated
from vouch.equiv.region import Region, box
from vouch.errors import VouchError

if TYPE_CHECKING:
    from vouch.nn.network import Network


def confirmer(pair: Compared, region: Region, prop: Property, arithmetic: str = "real") -> Confirm:
    """A function that confirms one input, for the engines."""

    def confirm(x: Array) -> Witness | None:
        for point in region.nearby(x):
            witness = _judged(pair, region, prop, point, arithmetic)
            if witness is not None:
                return witness
        return None

    return confirm


def _judged(pair: Compared, region: Region, prop: Property, x: Array, arithmetic: str) -> Witness | None:
    if not region.contains(x):
        return None
    seen = runtime_outputs(pair, x)
    replayed = seen is not None and exactly_violated(prop, seen[0][0], seen[1][0])
    if arithmetic == "real":
        if not certainly_violated(pair, prop, x):
            return None
    elif not replayed:
        return None
    r, t = (
        seen
        if seen is not None and replayed
        else (pair.reference.evaluate(x[None, :]), pair.test.evaluate(x[None, :]))
    )
    return Witness(x, r[0], t[0], replayed)


def runtime_outputs(pair: Compared, x: Array) -> tuple[Array, Array] | None:
    """What onnxruntime computes for x with both networks; None if it would not be given x itself."""
    from vouch.nn.replay import as_run, replay

    outputs = []
    try:
        for dense in (pair.reference, pair.test):
            network = _network(dense)
            if not np.array_equal(as_run(network, x[None, :])[0], x):
                return None
            outputs.append(replay(network, x[None, :]))
    except VouchError:
        return None
    return outputs[0], outputs[1]


@lru_cache(maxsize=8)
def _network(dense: Chain | Graph) -> Network:
    if dense.source is not None:
        return dense.source
    from vouch.nn.network import Network

    return Network.from_layers([(layer.weights, layer.bias) for layer in dense.layers], name=dense.name)


def certainly_violated(pair: Compared, prop: Property, x: Array) -> bool:
    """Whether the real-number outputs at x violate the property, by sound bounds at the point."""
    if isinstance(pair, GraphPair):
        return _apart(prop, *pair.reference.bounds(x, x), *pair.test.bounds(x, x))
    cells = Cells.of(x[None, :], x[None, :], box(x, x))
    forms = joint(pair, cells, related=pair.same_structure)
    match prop:
        case Epsilon():
            low, high = forms.gaps[0].bounds(cells)
            for gap in forms.gaps[1:]:
                other = gap.bounds(cells)
                low, high = np.maximum(low, other[0]), np.minimum(high, other[1])
            size = np.maximum(np.maximum(low, -high), 0.0)[0]
            total = size.max() if prop.norm == "linf" else size.sum() * (1 - 2.0**-40)
            return bool(total > prop.epsilon)
        case Top():
            return _ranked_apart(forms.reference, forms.test, cells, prop.k)
        case Avoid():
            return any(
                bool((combined(polytope, forms).bounds(cells)[1][0] < polytope.rhs).all())
                for polytope in prop.polytopes
            )


def _ranked_apart(reference: Form, test: Form, cells: Cells, k: int) -> bool:
    outputs = reference.centre.shape[1]
    ahead_r = pairwise(reference, outputs).bounds(cells)[0].reshape(outputs, outputs)
    ahead_t = pairwise(test, outputs).bounds(cells)[0].reshape(outputs, outputs)
    # ahead[j, i] > 0: certainly output i is larger than output j.
    for j in range(outputs):
        others = [i for i in range(outputs) if i != j]
        if all(ahead_r[i, j] > 0 for i in others) and sum(ahead_t[j, i] > 0 for i in others) >= k:
            return True
    return False


def _apart(prop: Property, r_low: Array, r_high: Array, t_low: Array, t_high: Array) -> bool:
    """Whether all outputs within these bounds violate the property (one way, for a ranking). The bounds are
    a few units in the last place apart; what the sums below round away is subtracted."""
    match prop:
        case Epsilon():
            size = np.maximum(np.maximum(r_low - t_high, t_low - r_high), 0.0) * (1 - 2.0**-50)
            total = size.max() if prop.norm == "linf" else size.sum() * (1 - 2.0**-40)
            return bool(total > prop.epsilon)
        case Top():
            for j in range(len(r_low)):
                others = np.arange(len(r_low)) != j
                ahead = (r_low[j] > r_high[others]).all()
                if ahead and np.count_nonzero(t_low[others] > t_high[j]) >= prop.k:
                    return True
            return False
        case Avoid():
            for polytope in prop.polytopes:
                rows, low = np.hstack([polytope.reference, polytope.test]), np.append(r_low, t_low)
                high = np.append(r_high, t_high)
                most = np.maximum(rows * low, rows * high).sum(axis=1)
                slack = 2.0**-44 * (np.abs(rows) @ np.maximum(np.abs(low), np.abs(high)) + 1e-300)
                if (most + slack < polytope.rhs).all():
                    return True
            return False
