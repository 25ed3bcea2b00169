"""Linear programs whose answers are certified.

What comes in: minimise c·x over {A x ≤ b, l ≤ x ≤ u} with a finite box. What goes out: the float
solver's optimum and point, and beside them a *certified* lower bound that holds for the real-number
problem whatever the solver did. The certificate is weak duality: for any multipliers y ≥ 0,

    min c·x  ≥  min over the box of (c + Aᵀy)·x  −  y·b,

so a wrong multiplier only costs tightness. Bounds are evaluated in float64 with an a-priori bound on
every rounding error; infeasibility is only ever confirmed by evaluating the same expression in exact
rational arithmetic (`exactly_positive`).

A program is kept between questions: rows are added and cut off like a stack, and the solver (`nn.highs`)
starts from its last basis. Coefficients may be anything: a row with one that is infinite or NaN says nothing
and is left out, so that overflow before it can only cost tightness.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from vouch.errors import Unsupported
from vouch.nn.highs import Array, Simplex, Status, largest

# Unit round-off of float64, and a factor that covers second-order terms of the error analysis.
UNIT = 2.0**-53
SLACK = 1.0 + 2.0**-10


@dataclass(frozen=True, slots=True)
class Optimum:
    """Answer to one question. `value` and `point` are the float solver's word, `bound` is certified:
    no point of the program has a smaller objective. `multipliers` (y ≥ 0, one per row) prove it.
    With status "infeasible", `value` is inf, `point` None and `multipliers` a candidate for `certify`."""

    status: Status
    value: float
    bound: float
    point: Array | None
    multipliers: Array


class LinearProgram:
    """{x : A x ≤ b, lower ≤ x ≤ upper}, asked again and again.

    `add` appends rows (dense 2-D array or scipy sparse matrix), `mark`/`cut` treat them as a stack.
    """

    def __init__(self, lower: Array, upper: Array) -> None:
        self._keep_box(lower, upper)
        self._blocks: list[Any] = []
        self._rhs: list[Array] = []
        self._whole: tuple[Any, Any, Array] | None = None
        self._solver = Simplex(self.lower, self.upper)

    @property
    def columns(self) -> int:
        return len(self.lower)

    def mark(self) -> int:
        """Number of rows now; hand it to `cut` to come back here."""
        return sum(len(part) for part in self._rhs)

    def add(self, rows: Any, rhs: Array) -> None:
        """Append the constraints rows @ x ≤ rhs."""
        rows = rows if hasattr(rows, "tocsr") else np.atleast_2d(np.asarray(rows, dtype=np.float64))
        rhs = np.atleast_1d(np.asarray(rhs, dtype=np.float64))
        rows, rhs = _meaningful(rows, rhs)
        self._whole = None
        self._blocks.append(rows)
        self._rhs.append(rhs)
        self._solver.add(rows, rhs)

    def cut(self, mark: int) -> None:
        """Drop every row after the first `mark`."""
        surplus = self.mark() - mark
        if surplus <= 0:
            return
        self._whole = None
        self._solver.cut(surplus)
        while surplus > 0:
            size = len(self._rhs[-1])
            if size <= surplus:
                self._blocks.pop()
                self._rhs.pop()
            else:
                self._blocks[-1] = self._blocks[-1][: size - surplus]
                self._rhs[-1] = self._rhs[-1][: size - surplus]
            surplus -= size

    def set_box(self, lower: Array, upper: Array) -> None:
        self._keep_box(lower, upper)
        self._solver.set_box(self.lower, self.upper)

    def _keep_box(self, lower: Array, upper: Array) -> None:
        self.lower, self.upper = np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
        self._reach = np.maximum(np.abs(self.lower), np.abs(self.upper))
        if not np.isfinite(self._reach).all():
            raise Unsupported("bounds beyond the range of float64")
        self._empty = bool((self.lower > self.upper).any())

    def minimise(self, cost: Array) -> Optimum:
        """Smallest cost·x, with a certified lower bound."""
        cost = np.asarray(cost, dtype=np.float64)
        status, point, duals = self._solved(cost)
        if status == "optimal" and point is not None and duals is not None:
            multipliers = np.maximum(duals, 0.0)
            return Optimum(
                "optimal", float(cost @ point), self.lower_bound(cost, multipliers), point, multipliers
            )
        nothing = np.zeros(self.mark())
        if status == "infeasible":
            return Optimum("infeasible", np.inf, self.lower_bound(cost, nothing), None, nothing)
        return Optimum("failed", np.nan, self.lower_bound(cost, nothing), None, nothing)

    def _solved(self, cost: Array) -> tuple[Status, Array | None, Array | None]:
        if self._empty:
            return "infeasible", None, None
        if not np.isfinite(cost).all():
            return "failed", None, None
        return self._solver.solve(cost)

    def maximise(self, cost: Array) -> Optimum:
        """Largest cost·x; `value` and `bound` (now an upper bound) are those of the maximum."""
        low = self.minimise(-np.asarray(cost, dtype=np.float64))
        return Optimum(low.status, -low.value, -low.bound, low.point, low.multipliers)

    def lower_bound(self, cost: Array, multipliers: Array) -> float:
        """A number no greater than the real-arithmetic weak-duality bound for these multipliers; −inf where
        float64 does not reach."""
        reduced = np.asarray(cost, dtype=np.float64)
        weight = np.abs(reduced)
        paid = paid_size = 0.0
        if len(multipliers) and multipliers.any():
            matrix, sizes, rhs = self._matrix()
            reduced = reduced + matrix.T @ multipliers
            weight = weight + sizes.T @ multipliers
            paid = float(multipliers @ rhs)
            paid_size = float(multipliers @ np.abs(rhs))
        with np.errstate(invalid="ignore", over="ignore"):
            ends = np.minimum(reduced * self.lower, reduced * self.upper)
        operations = len(multipliers) + 2 * len(reduced) + 8
        error = operations * UNIT * SLACK * (float(weight @ self._reach) + paid_size)
        bound = float(ends.sum() - paid) - 2.0 * error
        return bound if np.isfinite(bound) else -np.inf

    def _matrix(self) -> tuple[Any, Any, Array]:
        """All rows, their absolute values, and the right-hand sides, put together once."""
        if self._whole is None:
            if any(hasattr(rows, "tocsr") for rows in self._blocks):
                from scipy.sparse import csr_matrix, vstack

                rows = vstack([csr_matrix(part) for part in self._blocks], format="csr")
            else:
                rows = np.concatenate(self._blocks)
            self._whole = (rows, abs(rows), np.concatenate(self._rhs))
        return self._whole

    def infeasible(self) -> bool | None:
        """True: proved empty by an exact rational certificate. False: a point satisfies every
        constraint exactly. None: neither could be shown (the program is within round-off of the edge)."""
        status, point, _ = self._solved(np.zeros(self.columns))
        if status == "optimal" and point is not None and self.holds_exactly(point):
            return False
        return True if self._prove_empty() else None

    def certify_infeasible(self) -> bool:
        """Whether emptiness has an exact rational proof. Call after `minimise` said "infeasible"."""
        return self._prove_empty()

    def _prove_empty(self) -> bool:
        """The solver's own Farkas ray if it has one, else that of the elastic program: min s over
        A x − w s ≤ b (w > 0) is positive exactly when this program is empty; its multipliers are a ray."""
        if self._empty:
            return True
        if self.mark() == 0:
            return False
        ray = self._solver.ray()
        if ray is not None and self.exactly_positive(np.zeros(self.columns), ray):
            return True
        # Each row gives way in its own unit, or large and small ones would not be seen side by side.
        units = [np.where(size > 0, size, 1.0) for size in map(largest, self._blocks)]
        parts = list(zip(self._blocks, self._rhs, units, strict=True))
        sizes = [(abs(rows) @ self._reach + np.abs(rhs)) / unit for rows, rhs, unit in parts]
        stretch = max(float(size.max()) for size in sizes)
        if not np.isfinite(stretch):
            return False
        elastic = Simplex(np.append(self.lower, 0.0), np.append(self.upper, stretch + 1))
        for rows, rhs, unit in parts:
            elastic.add(_with_column(rows, -unit), rhs)
        status, _, duals = elastic.solve(np.append(np.zeros(self.columns), 1.0))
        if status != "optimal" or duals is None:
            return False
        return self.exactly_positive(np.zeros(self.columns), duals)

    def exactly_positive(self, cost: Array, multipliers: Array) -> bool:
        """Whether the weak-duality bound for `cost` and these multipliers is > 0 in exact arithmetic.

        Multipliers below 2⁻⁴⁰ of the largest are dropped and the rest kept as they are: any y ≥ 0 will do.
        """
        return bool(self.exact_bound(cost, multipliers) > 0)

    def exact_bound(self, cost: Array, multipliers: Array) -> Any:
        """The weak-duality bound as an exact rational (flint `fmpq`); below every float for a cost that is
        not finite."""
        if not np.isfinite(cost).all():
            return _scaled(-1, 4096)
        y = np.where(np.isfinite(multipliers), np.maximum(multipliers, 0.0), 0.0)
        y = np.where(y < y.max(initial=0.0) * 2.0**-40, 0.0, y)
        used = np.flatnonzero(y)
        # Floats are integers times powers of two: everything is summed up in integers of any size.
        weights, by = _integers(y[used])
        rows, of = _integers(self._dense(used))
        rhs, at = _integers(np.concatenate([np.zeros(0), *self._rhs])[used])
        costs, unit = _integers(cost)
        ends, step = _integers(np.stack([self.lower, self.upper]))
        least = min(unit, by + of)
        reduced = costs * 2 ** (unit - least)
        if len(used):
            reduced = reduced + (weights @ rows) * 2 ** (by + of - least)
        chosen = np.where(reduced > 0, ends[0], ends[1])
        return _scaled(int(reduced @ chosen), least + step) - _scaled(int((weights * rhs).sum()), by + at)

    def _dense(self, chosen: npt.NDArray[np.intp]) -> Array:
        """Some of the rows."""
        found = [np.zeros((0, self.columns))]
        start = 0
        for rows in self._blocks:
            own = chosen[(chosen >= start) & (chosen < start + rows.shape[0])] - start
            part = rows[own]
            found.append(part.toarray() if hasattr(part, "toarray") else part)
            start += rows.shape[0]
        return np.concatenate(found)

    def holds_exactly(self, point: Array) -> bool:
        """Whether the point satisfies the box and every row in exact arithmetic."""
        if (point < self.lower).any() or (point > self.upper).any():
            return False
        coordinates = [rational(x) for x in point]
        for rows, rhs in zip(self._blocks, self._rhs, strict=True):
            slack = rhs - rows @ point
            reach = abs(rows) @ np.abs(point) + np.abs(rhs)
            doubtful = slack <= 4 * (len(point) + 2) * UNIT * reach
            for i in np.flatnonzero(doubtful):
                row = rows[i].toarray().ravel() if hasattr(rows, "tocsr") else rows[i]
                terms = (rational(row[j]) * coordinates[j] for j in np.flatnonzero(row))
                if sum(terms, _fmpq()(0)) > rational(rhs[i]):
                    return False
        return True


def _meaningful(rows: Any, rhs: Array) -> tuple[Any, Array]:
    """The rows, those with something infinite or NaN replaced by 0 <= 0."""
    sparse = hasattr(rows, "tocsr")
    good = np.isfinite(rhs)
    entries = np.isfinite(rows.data if sparse else rows)
    if good.all() and entries.all():
        return rows, rhs
    if sparse:
        rows = rows.tocsr()
        bad = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))[~entries]
        good[bad] = False
        rows = rows.copy()
        rows.data = np.where(np.repeat(good, np.diff(rows.indptr)), rows.data, 0.0)
        return rows, np.where(good, rhs, 0.0)
    good &= entries.all(axis=1)
    return np.where(good[:, None], rows, 0.0), np.where(good, rhs, 0.0)


def _with_column(rows: Any, column: Array) -> Any:
    """The rows with one more column."""
    if not hasattr(rows, "tocsr"):
        return np.column_stack([rows, column])
    from scipy.sparse import csr_matrix, hstack

    return hstack([rows.tocsr(), csr_matrix(column[:, None])], format="csr")


def _integers(values: Array) -> tuple[Any, int]:
    """Python integers n and a power p such that the floats are exactly n * 2**p."""
    mantissa, exponent = np.frexp(values)
    used = values != 0
    least = int(exponent[used].min()) if used.any() else 0
    whole = (mantissa * 2.0**53).astype(np.int64).astype(object)
    return whole << np.where(used, exponent - least, 0).astype(object), least - 53


def _scaled(number: int, power: int) -> Any:
    """number * 2**power as a rational."""
    return _fmpq()(number << power) if power >= 0 else _fmpq()(number, 1 << -power)


def rational(number: float) -> Any:
    """The float as an exact rational (flint `fmpq`)."""
    return _fmpq()(*float(number).as_integer_ratio())


@lru_cache(maxsize=1)
def _fmpq() -> Any:
    from flint import fmpq

    return fmpq
