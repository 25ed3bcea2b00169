"""Linear programs whose answers are certified.

What comes in: minimise c·x over {A x ≤ b, l ≤ x ≤ u} with a finite box. What goes out: the float
solver's optimum and point, and beside them a *certified* lower bound that holds for the real-number
problem whatever the solver did. The certificate is weak duality: for any multipliers y ≥ 0,

    min c·x  ≥  min over the box of (c + Aᵀy)·x  −  y·b,

so a wrong multiplier only costs tightness. Bounds are evaluated in float64 with an a-priori bound on
every rounding error; infeasibility is only ever confirmed by evaluating the same expression in exact
rational arithmetic (`exactly_positive`).

A program is kept between questions: rows are added and cut off like a stack, and the solver starts from
its last basis. GLPK answers small dense programs (about 20 µs each), HiGHS large or sparse ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Status = Literal["optimal", "infeasible", "failed"]

# Above this many columns HiGHS is faster than GLPK.
GLPK_COLUMNS = 96
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


class _Backend(Protocol):
    def add(self, rows: Any, rhs: Array) -> None: ...
    def cut(self, count: int) -> None: ...
    def set_box(self, lower: Array, upper: Array) -> None: ...
    def solve(self, cost: Array) -> tuple[Status, Array | None, Array | None]: ...
    def ray(self) -> Array | None: ...


class LinearProgram:
    """{x : A x ≤ b, lower ≤ x ≤ upper}, asked again and again.

    `add` appends rows (dense 2-D array or scipy sparse matrix), `mark`/`cut` treat them as a stack.
    """

    def __init__(
        self, lower: Array, upper: Array, *, solver: Literal["auto", "glpk", "highs"] = "auto"
    ) -> None:
        self.lower = np.array(lower, dtype=np.float64)
        self.upper = np.array(upper, dtype=np.float64)
        if not (np.isfinite(self.lower).all() and np.isfinite(self.upper).all()):
            raise ValueError("the box of a certified linear program must be finite")
        self._blocks: list[Any] = []
        self._rhs: list[Array] = []
        self._whole: tuple[Any, Any, Array] | None = None
        self._name = solver if solver != "auto" else "glpk" if self.columns <= GLPK_COLUMNS else "highs"
        self._backend = _BACKENDS[self._name](self.lower, self.upper)

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
        self._whole = None
        self._blocks.append(rows)
        self._rhs.append(rhs)
        self._backend.add(rows, rhs)

    def cut(self, mark: int) -> None:
        """Drop every row after the first `mark`."""
        surplus = self.mark() - mark
        if surplus <= 0:
            return
        self._whole = None
        self._backend.cut(surplus)
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
        self.lower = np.array(lower, dtype=np.float64)
        self.upper = np.array(upper, dtype=np.float64)
        self._backend.set_box(self.lower, self.upper)

    def copy(self) -> LinearProgram:
        """An independent program with the same rows."""
        twin = LinearProgram(self.lower, self.upper, solver=self._name)
        for rows, rhs in zip(self._blocks, self._rhs, strict=True):
            twin.add(rows, rhs)
        return twin

    def minimise(self, cost: Array) -> Optimum:
        """Smallest cost·x, with a certified lower bound."""
        cost = np.asarray(cost, dtype=np.float64)
        status, point, duals = self._backend.solve(cost)
        if status == "optimal" and point is not None and duals is not None:
            multipliers = np.maximum(duals, 0.0)
            return Optimum(
                "optimal", float(cost @ point), self.lower_bound(cost, multipliers), point, multipliers
            )
        nothing = np.zeros(self.mark())
        if status == "infeasible":
            return Optimum("infeasible", np.inf, self.lower_bound(cost, nothing), None, nothing)
        return Optimum("failed", np.nan, self.lower_bound(cost, nothing), None, nothing)

    def maximise(self, cost: Array) -> Optimum:
        """Largest cost·x; `value` and `bound` (now an upper bound) are those of the maximum."""
        low = self.minimise(-np.asarray(cost, dtype=np.float64))
        return Optimum(low.status, -low.value, -low.bound, low.point, low.multipliers)

    def lower_bound(self, cost: Array, multipliers: Array) -> float:
        """A number no greater than the real-arithmetic weak-duality bound for these multipliers."""
        reduced = np.asarray(cost, dtype=np.float64)
        weight = np.abs(reduced)
        paid = paid_size = 0.0
        if len(multipliers) and multipliers.any():
            matrix, sizes, rhs = self._matrix()
            reduced = reduced + matrix.T @ multipliers
            weight = weight + sizes.T @ multipliers
            paid = float(multipliers @ rhs)
            paid_size = float(multipliers @ np.abs(rhs))
        ends = np.minimum(reduced * self.lower, reduced * self.upper)
        reach = np.maximum(np.abs(self.lower), np.abs(self.upper))
        operations = len(multipliers) + 2 * len(reduced) + 8
        error = operations * UNIT * SLACK * (float(weight @ reach) + paid_size)
        return float(ends.sum() - paid) - 2.0 * error

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
        status, point, _ = self._backend.solve(np.zeros(self.columns))
        if status == "optimal" and point is not None and self.holds_exactly(point):
            return False
        return True if self._prove_empty() else None

    def certify_infeasible(self) -> bool:
        """Whether emptiness has an exact rational proof. Call after `minimise` said "infeasible"."""
        return self._prove_empty()

    def _prove_empty(self) -> bool:
        """The solver's own Farkas ray if it has one, else that of the elastic program: min s over
        A x − s ≤ b is positive exactly when this program is empty, and its multipliers are a ray."""
        if (self.lower > self.upper).any():
            return True
        if self.mark() == 0:
            return False
        ray = self._backend.ray()
        if ray is not None and self.exactly_positive(np.zeros(self.columns), ray):
            return True
        rhs = np.concatenate(self._rhs)
        reach = np.maximum(np.abs(self.lower), np.abs(self.upper))
        stretch = (
            float(max((abs(rows) @ reach).max() for rows in self._blocks)) + float(np.abs(rhs).max()) + 1
        )
        elastic = _BACKENDS[self._name](np.append(self.lower, 0.0), np.append(self.upper, stretch))
        for rows, part in zip(self._blocks, self._rhs, strict=True):
            elastic.add(_with_column(rows, -1.0), part)
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
        """The weak-duality bound as an exact rational (flint `fmpq`)."""
        y = np.maximum(multipliers, 0.0)
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


def _with_column(rows: Any, value: float) -> Any:
    """The rows with one more column, filled with `value`."""
    if not hasattr(rows, "tocsr"):
        return np.hstack([rows, np.full((len(rows), 1), value)])
    from scipy.sparse import csr_matrix, hstack

    return hstack([rows.tocsr(), csr_matrix(np.full((rows.shape[0], 1), value))], format="csr")


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


class _Glpk:
    """GLPK through its C interface; the arrays handed over are reused."""

    def __init__(self, lower: Array, upper: Array) -> None:
        import swiglpk

        self._g = swiglpk
        self._problem = swiglpk.glp_create_prob()
        self._n = len(lower)
        swiglpk.glp_set_obj_dir(self._problem, swiglpk.GLP_MIN)
        swiglpk.glp_add_cols(self._problem, self._n)
        self._indices = swiglpk.intArray(self._n + 1)
        self._values = swiglpk.doubleArray(self._n + 1)
        for j in range(self._n):
            self._indices[j + 1] = j + 1
        self._parameters = swiglpk.glp_smcp()
        swiglpk.glp_init_smcp(self._parameters)
        self._parameters.msg_lev = swiglpk.GLP_MSG_OFF
        self._parameters.meth = swiglpk.GLP_DUALP
        self._parameters.it_lim = 20_000
        self._rows = 0
        self.set_box(lower, upper)

    def __del__(self) -> None:
        problem = getattr(self, "_problem", None)
        if problem is not None:
            self._g.glp_delete_prob(problem)

    def set_box(self, lower: Array, upper: Array) -> None:
        g, problem = self._g, self._problem
        for j, (low, high) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True)):
            g.glp_set_col_bnds(problem, j + 1, g.GLP_DB if low < high else g.GLP_FX, low, high)

    def add(self, rows: Any, rhs: Array) -> None:
        g, problem, values = self._g, self._problem, self._values
        dense = rows.toarray() if hasattr(rows, "tocsr") else rows
        first = g.glp_add_rows(problem, len(rhs))
        for i, (row, right) in enumerate(zip(dense.tolist(), rhs.tolist(), strict=True)):
            for j, value in enumerate(row):
                values[j + 1] = value
            g.glp_set_mat_row(problem, first + i, self._n, self._indices, values)
            g.glp_set_row_bnds(problem, first + i, g.GLP_UP, 0.0, right)
        self._rows += len(rhs)

    def cut(self, count: int) -> None:
        numbers = self._g.intArray(count + 1)
        for i in range(count):
            numbers[i + 1] = self._rows - count + i + 1
        self._g.glp_del_rows(self._problem, count, numbers)
        self._rows -= count
        self._g.glp_std_basis(self._problem)

    def solve(self, cost: Array) -> tuple[Status, Array | None, Array | None]:
        g, problem = self._g, self._problem
        for j, value in enumerate(cost.tolist()):
            g.glp_set_obj_coef(problem, j + 1, value)
        if g.glp_simplex(problem, self._parameters) != 0:
            # A singular start basis, or the iteration limit: once more from the standard basis.
            g.glp_std_basis(problem)
            if g.glp_simplex(problem, self._parameters) != 0:
                return "failed", None, None
        status = g.glp_get_status(problem)
        if status == g.GLP_OPT:
            point = np.array([g.glp_get_col_prim(problem, j + 1) for j in range(self._n)])
            duals = np.array([-g.glp_get_row_dual(problem, i + 1) for i in range(self._rows)])
            return "optimal", point, duals
        if status == g.GLP_NOFEAS or g.glp_get_prim_stat(problem) == g.GLP_NOFEAS:
            return "infeasible", None, None
        return "failed", None, None

    def ray(self) -> Array | None:
        return None  # GLPK does not tell


class _Highs:
    """HiGHS, one thread, simplex from the last basis."""

    def __init__(self, lower: Array, upper: Array) -> None:
        import highspy

        self._h = highspy
        self._model = highspy.Highs()
        self._model.silent()
        self._model.setOptionValue("threads", 1)
        self._model.setOptionValue("solver", "simplex")
        self._n = len(lower)
        self._columns = np.arange(self._n, dtype=np.int32)
        self._rows = 0
        self._model.addVars(self._n, lower, upper)

    def set_box(self, lower: Array, upper: Array) -> None:
        self._model.changeColsBounds(self._n, self._columns, lower, upper)

    def add(self, rows: Any, rhs: Array) -> None:
        from scipy.sparse import csr_matrix

        sparse = csr_matrix(rows)
        self._model.addRows(
            len(rhs),
            np.full(len(rhs), -self._h.kHighsInf),
            rhs,
            sparse.nnz,
            sparse.indptr[:-1].astype(np.int32),
            sparse.indices.astype(np.int32),
            sparse.data.astype(np.float64),
        )
        self._rows += len(rhs)

    def cut(self, count: int) -> None:
        numbers = np.arange(self._rows - count, self._rows, dtype=np.int32)
        self._model.deleteRows(count, numbers)
        self._rows -= count

    def solve(self, cost: Array) -> tuple[Status, Array | None, Array | None]:
        self._model.changeColsCost(self._n, self._columns, cost)
        self._model.run()
        status = self._model.getModelStatus()
        if status == self._h.HighsModelStatus.kOptimal:
            solution = self._model.getSolution()
            return "optimal", np.array(solution.col_value), -np.array(solution.row_dual)
        if status in (
            self._h.HighsModelStatus.kInfeasible,
            self._h.HighsModelStatus.kUnboundedOrInfeasible,
        ):
            return "infeasible", None, None
        return "failed", None, None

    def ray(self) -> Array | None:
        """A certificate of the last solve's infeasibility, if the solver kept one (sign not guaranteed)."""
        if self._model.getModelStatus() != self._h.HighsModelStatus.kInfeasible:
            return None
        answer = self._model.getDualRay()
        values = np.asarray(answer[-1], dtype=np.float64)
        if not answer[1] or len(values) != self._rows:
            return None
        return np.maximum(values if values.sum() > 0 else -values, 0.0)


_BACKENDS: dict[str, Any] = {"glpk": _Glpk, "highs": _Highs}
