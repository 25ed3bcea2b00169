"""What "equivalent" means: the three notions of Thesis 10.2, decided exactly on concrete outputs.

- `Epsilon`: ‖r − t‖ ≤ ε for every input, in the Chebyshev or the Manhattan norm (ε = 0 is equality).
- `Top` with k = 1: both networks have the same first index of a maximum.
- `Top` with k > 1: where the reference has a unique maximum j, fewer than k outputs of the test network
  are larger than its output j.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Epsilon:
    epsilon: float
    norm: Literal["linf", "l1"] = "linf"

    def violated(self, r: Array, t: Array) -> Bools:
        """Row by row: does this pair of outputs break the property?"""
        return self.excess(r, t) > 0

    def distance(self, r: Array, t: Array) -> Array:
        gap = np.abs(r - t)
        return np.asarray(gap.max(axis=1) if self.norm == "linf" else gap.sum(axis=1))

    def excess(self, r: Array, t: Array) -> Array:
        """Violation score: positive where violated, and the larger the worse."""
        return self.distance(r, t) - self.epsilon

    def direction(self, r: Array, t: Array) -> tuple[Array, Array]:
        """A subgradient of the excess with respect to both outputs."""
        gap = r - t
        if self.norm == "l1":
            sign = np.sign(gap)
            return sign, -sign
        row = np.arange(len(gap))
        worst = np.abs(gap).argmax(axis=1)
        sign = np.zeros_like(gap)
        sign[row, worst] = np.sign(gap[row, worst])
        return sign, -sign


@dataclass(frozen=True, slots=True)
class Top:
    k: int = 1

    def violated(self, r: Array, t: Array) -> Bools:
        if self.k == 1:
            return np.asarray(r.argmax(axis=1) != t.argmax(axis=1))
        row = np.arange(len(r))
        best = r.argmax(axis=1)
        unique = (r == r[row, best][:, None]).sum(axis=1) == 1
        above = (t > t[row, best][:, None]).sum(axis=1)
        return np.asarray(unique & (above >= self.k))

    def excess(self, r: Array, t: Array) -> Array:
        """Thesis 11.2.2: the test network's k-th largest output, the reference's class left out, minus its
        output for that class. Positive means violated (up to ties), negative is the distance to it."""
        row = np.arange(len(r))
        best = r.argmax(axis=1)
        others = t.copy()
        others[row, best] = -np.inf
        kth = -np.sort(-others, axis=1)[:, self.k - 1]
        return np.asarray(kth - t[row, best])

    def direction(self, r: Array, t: Array) -> tuple[Array, Array]:
        """Push the k strongest competitors of the reference's class up in the test network."""
        row = np.arange(len(r))
        best = r.argmax(axis=1)
        others = t.copy()
        others[row, best] = -np.inf
        rivals = np.argsort(-others, axis=1)[:, : self.k]
        to_test = np.zeros_like(t)
        np.put_along_axis(to_test, rivals, 1.0 / self.k, axis=1)
        to_test[row, best] -= 1.0
        return np.zeros_like(r), to_test


Property: TypeAlias = Epsilon | Top
