"""HiGHS as the solver behind certified programs and integer searches. Nothing here is a proof.

HiGHS refuses coefficients beyond 1e15, reads bounds beyond 1e20 as infinite and coefficients below 1e-9 as
zero. So rows and costs that stray far from 1 are handed over scaled by powers of two, which is exact, and
multipliers are scaled back. What it refuses even so makes `solve` answer "failed".
"""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Status = Literal["optimal", "infeasible", "failed"]

# Rows and costs whose largest coefficient lies in this range go to the solver as they are.
_LEAST, _MOST = 2.0**-10, 2.0**10


@lru_cache(maxsize=1)
def library() -> Any:
    """The module, loaded on first use."""
    import highspy

    return highspy


def silent_model(threads: int = 1) -> Any:
    """An empty model that prints nothing and runs in so many threads."""
    from highspy._core import _Highs  # the class without a thread around every run

    model = _Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", threads)
    return model


def add_rows(model: Any, rows: Any, rhs: Array) -> bool:
    """Append rows @ x <= rhs (dense or scipy sparse); False where HiGHS refuses them."""
    if hasattr(rows, "tocsr"):
        rows = rows.tocsr()
        count, starts, columns, values = rows.nnz, rows.indptr[:-1], rows.indices, rows.data
    else:
        height, width = rows.shape
        count, values = rows.size, np.ascontiguousarray(rows).ravel()
        starts, columns = np.arange(height) * width, np.tile(np.arange(width), height)
    below = np.full(len(rhs), -library().kHighsInf)
    whole = (starts.astype(np.int32), columns.astype(np.int32), np.asarray(values, dtype=np.float64))
    return bool(model.addRows(len(rhs), below, rhs, count, *whole) != library().HighsStatus.kError)


class _Spare(threading.local):
    """Models that programs of this thread have left behind: making one takes as long as a small solve."""

    def __init__(self) -> None:
        self.models: list[Any] = []


_spare = _Spare()
_MOST_SPARE = 8


def _simplex_model() -> Any:
    model = silent_model()
    model.setOptionValue("solver", "simplex")
    model.setOptionValue("presolve", "off")
    model.setOptionValue("simplex_strategy", 4)
    return model


class Simplex:
    """minimise cost·x over {A x <= b, lower <= x <= upper}, from the last basis each time.

    Programs here are small and differ from the last one in a cost, a few rows or a box: presolving would
    throw the basis away. After a new cost the old point is still feasible, which the primal method uses.
    """

    def __init__(self, lower: Array, upper: Array) -> None:
        self._model = _spare.models.pop() if _spare.models else _simplex_model()
        self._n = len(lower)
        self._columns = np.arange(self._n, dtype=np.int32)
        self._scale: Array | None = None  # of each row; None: all are 1
        self._rows = 0
        self._refused = False
        self._check(self._model.addVars(self._n, lower, upper))

    def __del__(self) -> None:
        if not getattr(self, "_refused", True) and len(_spare.models) < _MOST_SPARE:
            self._model.clearModel()
            _spare.models.append(self._model)

    def _check(self, status: Any) -> None:
        self._refused |= status == library().HighsStatus.kError

    def set_box(self, lower: Array, upper: Array) -> None:
        self._check(self._model.changeColsBounds(self._n, self._columns, lower, upper))

    def add(self, rows: Any, rhs: Array) -> None:
        sizes = largest(rows)
        if sizes.max(initial=1.0) > _MOST or sizes.min(initial=1.0) < _LEAST:
            scale = _powers(sizes)
            rows, rhs = _scaled(rows, rhs, scale)
            self._scale = np.concatenate([self._known_scale(), scale])
        self._refused |= not add_rows(self._model, rows, rhs)
        self._rows += len(rhs)

    def cut(self, count: int) -> None:
        numbers = np.arange(self._rows - count, self._rows, dtype=np.int32)
        self._check(self._model.deleteRows(count, numbers))
        self._rows -= count
        self._scale = None if self._scale is None else self._scale[: self._rows]

    def solve(self, cost: Array) -> tuple[Status, Array | None, Array | None]:
        """(status, point, multipliers >= 0 up to round-off, one for each row)."""
        if self._refused:
            return "failed", None, None
        top = float(np.abs(cost).max(initial=0.0))
        scale = 1.0 if _LEAST <= top <= _MOST else float(_powers(np.array([top]))[0])
        cost = cost if scale == 1.0 else cost * scale
        status = self._run(cost)
        if status == "failed":  # once more, from nothing
            self._model.clearSolver()
            status = self._run(cost)
        if status != "optimal":
            return status, None, None
        solution = self._model.getSolution()
        duals = self._unscaled(-np.array(solution.row_dual))
        return "optimal", np.array(solution.col_value), duals if scale == 1.0 else duals / scale

    def _run(self, cost: Array) -> Status:
        known = library().HighsModelStatus
        self._check(self._model.changeColsCost(self._n, self._columns, cost))
        self._model.run()
        status = self._model.getModelStatus()
        if status == known.kOptimal and not self._refused:
            return "optimal"
        return "infeasible" if status in (known.kInfeasible, known.kUnboundedOrInfeasible) else "failed"

    def ray(self) -> Array | None:
        """A certificate of the last solve's infeasibility, if the solver kept one (sign not guaranteed)."""
        if self._refused or self._model.getModelStatus() != library().HighsModelStatus.kInfeasible:
            return None
        answer = self._model.getDualRay()
        values = np.asarray(answer[-1], dtype=np.float64)
        if not answer[1] or len(values) != self._rows:
            return None
        return self._unscaled(np.maximum(values if values.sum() > 0 else -values, 0.0))

    def _known_scale(self) -> Array:
        """The scale of every row, as far as one was needed."""
        return np.ones(self._rows) if self._scale is None else self._padded(self._scale)

    def _padded(self, scale: Array) -> Array:
        return np.pad(scale, (0, self._rows - len(scale)), constant_values=1.0)

    def _unscaled(self, duals: Array) -> Array:
        return duals if self._scale is None else duals * self._padded(self._scale)


def largest(rows: Any) -> Array:
    """The largest absolute coefficient of each row."""
    if hasattr(rows, "tocsr"):
        return np.asarray(abs(rows).max(axis=1).todense()).ravel()
    return np.asarray(np.abs(rows).max(axis=1, initial=0.0))


def _powers(sizes: Array) -> Array:
    """For each size the power of two that brings it near 1; 1 where it is near enough, or 0."""
    exponent = np.clip(-np.frexp(sizes)[1], -1000, 1000)
    far = (sizes > 0) & ((sizes < _LEAST) | (sizes > _MOST))
    return np.where(far, np.ldexp(1.0, exponent), 1.0)


def _scaled(rows: Any, rhs: Array, scale: Array) -> tuple[Any, Array]:
    with np.errstate(over="ignore"):
        right = rhs * scale
    return (rows.multiply(scale[:, None]) if hasattr(rows, "tocsr") else rows * scale[:, None]), right
