"""Certified linear programs against scipy's solver, exact arithmetic and each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from vouch.errors import Unsupported
from vouch.nn.lp import LinearProgram


def _random(
    rng: np.random.Generator, feasible: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    n, m = rng.integers(1, 8), rng.integers(1, 12)
    lower, upper = -rng.uniform(0, 2, n), rng.uniform(0, 2, n)
    rows = rng.normal(size=(m, n)) * rng.choice([1e-3, 1.0, 1e3], size=(m, 1))
    inside = rng.uniform(lower, upper)
    rhs = rows @ inside + np.abs(rows).sum(axis=1) * (rng.uniform(0, 0.5, m) if feasible else -0.6)
    return rows, rhs, lower, upper


def test_optimum_agrees_with_scipy_and_bound_is_safe_and_tight() -> None:
    rng = np.random.default_rng(7)
    for _ in range(60):
        rows, rhs, lower, upper = _random(rng, feasible=True)
        cost = rng.normal(size=len(lower))
        program = LinearProgram(lower, upper)
        program.add(rows, rhs)
        answer = program.minimise(cost)
        truth = linprog(cost, rows, rhs, bounds=np.stack([lower, upper], axis=1))
        assert answer.status == "optimal"
        assert answer.value == pytest.approx(truth.fun, abs=1e-6)
        assert answer.bound <= truth.fun + 1e-9
        assert answer.bound >= truth.fun - 1e-6


def test_any_multipliers_give_a_valid_bound() -> None:
    rng = np.random.default_rng(11)
    for _ in range(60):
        rows, rhs, lower, upper = _random(rng, feasible=True)
        cost = rng.normal(size=len(lower))
        program = LinearProgram(lower, upper)
        program.add(rows, rhs)
        wrong = rng.uniform(0, 1, len(rhs))
        exact = program.exact_bound(cost, wrong)
        assert Fraction(int(exact.p), int(exact.q)) >= Fraction(program.lower_bound(cost, wrong))
        assert program.lower_bound(cost, wrong) <= program.minimise(cost).value + 1e-9


def test_infeasible_is_proved_and_feasible_never() -> None:
    rng = np.random.default_rng(3)
    seen = {True: 0, False: 0}
    for k in range(120):
        rows, rhs, lower, upper = _random(rng, feasible=k % 2 == 0)
        program = LinearProgram(lower, upper)
        program.add(rows, rhs)
        truth = linprog(np.zeros(len(lower)), rows, rhs, bounds=np.stack([lower, upper], axis=1))
        said = program.infeasible()
        if said is not None:
            assert said == (truth.status == 2)
            seen[said] += 1
    assert min(seen.values()) >= 20


def test_a_gap_below_float_tolerance_is_still_decided_exactly() -> None:
    """x ≥ 1 + 2⁻⁴⁰ and x ≤ 1: float solvers with a tolerance of 1e-7 call it feasible."""
    tight = LinearProgram(np.array([0.0]), np.array([2.0]))
    tight.add(np.array([[-1.0], [1.0]]), np.array([-(1 + 2.0**-40), 1.0]))
    assert tight.infeasible() is not False
    touching = LinearProgram(np.array([0.0]), np.array([2.0]))
    touching.add(np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0]))
    assert touching.infeasible() is False


def test_rows_are_a_stack() -> None:
    program = LinearProgram(np.zeros(2), np.ones(2))
    cost = np.array([-1.0, -1.0])
    assert program.minimise(cost).value == pytest.approx(-2)
    program.add(np.array([[1.0, 1.0]]), np.array([1.0]))
    mark = program.mark()
    program.add(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.25, 0.25]))
    assert program.minimise(cost).value == pytest.approx(-0.5)
    program.cut(mark + 1)
    assert program.minimise(np.array([-1.0, 0.0])).value == pytest.approx(-0.25)
    assert program.minimise(np.array([0.0, -1.0])).value == pytest.approx(-1.0)
    program.cut(mark)
    assert program.minimise(cost).bound == pytest.approx(-1)
    program.add(np.array([[-1.0, -1.0]]), np.array([-1.5]))
    assert program.minimise(cost).status == "infeasible"
    assert program.certify_infeasible()


def test_sparse_rows_and_maximum() -> None:
    program = LinearProgram(-np.ones(3), np.ones(3))
    program.add(csr_matrix(np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 0.0]])), np.array([0.5, 1.0]))
    answer = program.maximise(np.array([1.0, 1.0, 1.0]))
    assert answer.value == pytest.approx(1.0)
    assert 1.0 <= answer.bound <= 1.0 + 1e-9


def test_an_unbounded_box_is_refused() -> None:
    with pytest.raises(Unsupported, match="float64"):
        LinearProgram(np.array([-np.inf]), np.array([1.0]))


@pytest.mark.parametrize("size", [1e-300, 1e-30, 1e-12, 1e12, 1e30, 1e200])
def test_coefficients_of_any_size_are_decided(size: float) -> None:
    """x + y <= 1 and x >= 3/4 leave y <= 1/4, in whatever unit the rows are written."""
    program = LinearProgram(np.zeros(2), np.ones(2))
    program.add(np.array([[size, size], [-size, 0.0]]), np.array([size, -0.75 * size]))
    answer = program.maximise(np.array([0.0, 1.0]))
    assert answer.value == pytest.approx(0.25)
    assert 0.25 <= answer.bound <= 0.25 + 1e-9
    assert program.maximise(np.array([0.0, size])).bound == pytest.approx(0.25 * size)
    program.add(np.array([[0.0, -size]]), np.array([-0.5 * size]))
    assert program.minimise(np.zeros(2)).status == "infeasible"
    assert program.certify_infeasible()


def test_what_is_not_finite_proves_nothing() -> None:
    program = LinearProgram(np.zeros(2), np.ones(2))
    program.add(np.array([[1.0, np.inf], [np.nan, 1.0], [1.0, 1.0]]), np.array([1.0, 1.0, -np.inf]))
    program.add(csr_matrix(np.array([[1.0, np.inf], [1.0, 0.0]])), np.array([-1.0, 0.5]))
    assert program.infeasible() is False
    assert program.maximise(np.array([1.0, 0.0])).bound == pytest.approx(0.5)
    assert program.minimise(np.array([np.inf, 0.0])).bound == -np.inf
    assert not program.exactly_positive(np.array([np.inf, 0.0]), np.zeros(5))
    assert not program.exactly_positive(np.zeros(2), np.array([0.0, np.nan, np.inf, 0.0, 0.0]))


def test_an_empty_box_is_infeasible() -> None:
    program = LinearProgram(np.array([1.0, 0.0]), np.array([1.0 - 2.0**-53, 1.0]))
    assert program.minimise(np.ones(2)).status == "infeasible"
    assert program.infeasible() is True
