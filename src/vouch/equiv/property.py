"""What "equivalent" means: the three notions of Kleine Büning 2022, 10.2, decided on concrete outputs.

- `Epsilon`: ‖r − t‖ ≤ ε for every input, in the Chebyshev or the Manhattan norm (ε = 0 is equality).
- `Top` with k = 1: both networks have the same first index of a maximum.
- `Top` with k > 1: where the reference has a unique maximum j, fewer than k outputs of the test network
  are larger than its output j.
- `Avoid`: the pair of outputs never lies in one of some polytopes (VNN-LIB properties of two networks).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from vouch.nn.property import Rows

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
        """The test network's k-th largest output, the reference's class left out, minus its output for that
        class (Kleine Büning 2022, 11.2.2). Positive means violated (up to ties), negative is the distance to
        it."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Polytope:
    """{(r, t) : reference·r + test·t ≤ rhs}; rows that are `strict` mean <."""

    reference: Array
    test: Array
    rhs: Array
    strict: Bools

    def slack(self, r: Array, t: Array) -> Array:
        """How far each row is from being broken, [batch, rows]."""
        return np.asarray(self.rhs - r @ self.reference.T - t @ self.test.T)


@dataclass(frozen=True, slots=True, eq=False)
class Avoid:
    """Violated where the outputs lie in one of the polytopes (at least one)."""

    polytopes: tuple[Polytope, ...]
    name: str = "property"

    def violated(self, r: Array, t: Array) -> Bools:
        found = np.zeros(len(r), dtype=bool)
        for polytope in self.polytopes:
            slack = polytope.slack(r, t)
            found |= np.where(polytope.strict, slack > 0, slack >= 0).all(axis=1)
        return found

    def excess(self, r: Array, t: Array) -> Array:
        """Depth inside the polytope that is nearest; negative outside all."""
        depths = [polytope.slack(r, t).min(axis=1) for polytope in self.polytopes]
        return np.asarray(np.max(depths, axis=0))

    def direction(self, r: Array, t: Array) -> tuple[Array, Array]:
        slacks = [polytope.slack(r, t) for polytope in self.polytopes]
        best = np.argmax([slack.min(axis=1) for slack in slacks], axis=0)
        to_r, to_t = np.zeros_like(r), np.zeros_like(t)
        for index, polytope in enumerate(self.polytopes):
            mine = best == index
            worst = slacks[index][mine].argmin(axis=1)
            to_r[mine], to_t[mine] = -polytope.reference[worst], -polytope.test[worst]
        return to_r, to_t


Property: TypeAlias = Epsilon | Top | Avoid


def exactly_violated(prop: Property, r: Array, t: Array) -> bool:
    """Whether this one pair of outputs [outputs] breaks the property, in exact arithmetic."""
    match prop:
        case Epsilon():
            gaps = [abs(Fraction(a) - Fraction(b)) for a, b in zip(r.tolist(), t.tolist(), strict=True)]
            return (max(gaps) if prop.norm == "linf" else sum(gaps)) > Fraction(prop.epsilon)
        case Top():
            return bool(prop.violated(r[None, :], t[None, :])[0])
        case Avoid():
            return any(_within(polytope, np.concatenate([r, t])) for polytope in prop.polytopes)


def _within(polytope: Polytope, outputs: Array) -> bool:
    rows = Rows.of(
        np.zeros((len(polytope.rhs), 0)),
        np.hstack([polytope.reference, polytope.test]),
        polytope.rhs,
        polytope.strict,
    )
    return rows.holds(np.zeros(0), outputs)
