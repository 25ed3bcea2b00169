"""A property of two networks, one of which stands for something that may differ from it by known errors."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from vouch.equiv.pair import NetworkPair
from vouch.equiv.property import Array, Avoid, Epsilon, Polytope, Property, Top
from vouch.equiv.region import Region
from vouch.errors import Unsupported

_MOST = 5000  # ways in which classes may change places


def rounding_of(prop: Epsilon | Top, errors: Array) -> float:
    """The errors of all outputs as one number."""
    return float(errors.sum() if isinstance(prop, Epsilon) and prop.norm == "l1" else errors.max())


def noise_bound(pair: NetworkPair, region: Region, prop: Epsilon | Top) -> float:
    """How far noise can move the outputs of the second of two networks that differ in nothing else."""
    from vouch.equiv.joint import violations

    norm = prop.norm if isinstance(prop, Epsilon) else "linf"
    if not pair.test.noisy:
        return 0.0
    bound = violations(pair, region, Epsilon(np.inf, norm))[1].bound
    assert bound is not None
    return bound


def with_errors(prop: Epsilon | Top, errors: Array) -> Property:
    """A property whose proof is one of `prop` for every test network with outputs within `errors` of those
    that are looked at. Raises Unsupported where there is none."""
    if isinstance(prop, Epsilon):
        rounding = rounding_of(prop, errors)
        left = prop.epsilon - rounding * (1 + 2.0**-30)
        if left <= 0:
            raise Unsupported(f"rounding alone may come to {rounding:.3g}")
        return Epsilon(left, prop.norm)
    return _no_change(prop.k, errors)


def _no_change(k: int, errors: Array) -> Avoid:
    """Wherever c may be the reference's class, no k others come near to it or above."""
    count = len(errors)
    if count * comb(count - 1, k) > _MOST:
        raise Unsupported("too many outputs for --top")
    parts = []
    for best in range(count):
        others = [n for n in range(count) if n != best]
        for rivals in combinations(others, k):
            rows = len(others) + len(rivals)
            reference, test, rhs = np.zeros((rows, count)), np.zeros((rows, count)), np.zeros(rows)
            for row, other in enumerate(others):
                reference[row, other], reference[row, best] = 1.0, -1.0
            for row, rival in enumerate(rivals, len(others)):
                test[row, best], test[row, rival] = 1.0, -1.0
                rhs[row] = (errors[best] + errors[rival]) * (1 + 2.0**-30)
            parts.append(Polytope(reference, test, rhs, np.zeros(rows, dtype=bool)))
    return Avoid(tuple(parts), f"the class is among the first {k}")
