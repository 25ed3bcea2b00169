"""Decides whether a suspected input really is a counterexample, and replays it in onnxruntime.

In real arithmetic a violation counts when sound bounds at the point (or, next to the edge, at the float32
point the runtime is given) exclude the opposite; in float32 arithmetic, when the runtime shows it.
"""

from __future__ import annotations

import numpy as np

from vouch.equiv.outcome import Confirm, Witness
from vouch.equiv.pair import Array, NetworkPair
from vouch.equiv.property import Avoid, Epsilon, Property, Top, exactly_violated
from vouch.equiv.region import Region
from vouch.errors import VouchError


def confirmer(pair: NetworkPair, region: Region, prop: Property, arithmetic: str = "real") -> Confirm:
    """A function that confirms one input, for the engines."""

    def confirm(x: Array) -> Witness | None:
        for point in region.nearby(x):
            witness = _judged(pair, region, prop, point, arithmetic)
            if witness is not None:
                return witness
        return None

    return confirm


def _judged(pair: NetworkPair, region: Region, prop: Property, x: Array, arithmetic: str) -> Witness | None:
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


def runtime_outputs(pair: NetworkPair, x: Array) -> tuple[Array, Array] | None:
    """What onnxruntime computes for x with both networks; None if it would not be given x itself."""
    from vouch.nn.replay import as_run, replay

    outputs = []
    try:
        for network in (pair.reference.source, pair.test.source):
            if not np.array_equal(as_run(network, x[None, :])[0], x):
                return None
            outputs.append(replay(network, x[None, :]))
    except VouchError:
        return None
    return outputs[0], outputs[1]


def certainly_violated(pair: NetworkPair, prop: Property, x: Array) -> bool:
    """Whether the real-number outputs at x violate the property, by sound bounds at the point."""
    return certainly_apart(prop, *pair.reference.bounds(x, x), *pair.test.bounds(x, x))


def certainly_apart(prop: Property, r_low: Array, r_high: Array, t_low: Array, t_high: Array) -> bool:
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
