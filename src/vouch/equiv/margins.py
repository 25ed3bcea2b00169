"""Is the property proved on these cells? Checks the output forms of a batch, and says where to look next.

`assess` answers for every cell of a batch at once: proved or not, the proved bound, which inputs and which
neurons make it loose, and the input that the forms think worst (a candidate for a counterexample).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

import numpy as np
import numpy.typing as npt

from vouch.equiv.difference import propagate_related, subtract
from vouch.equiv.forms import NOTHING, Array, Cells, Form, Known, Relaxed, propagate
from vouch.equiv.pair import Pair
from vouch.equiv.property import Avoid, Epsilon, Polytope, Property, Top


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """Output forms of both networks over one batch; `gaps` are forms of r − t, each sound by itself."""

    cells: Cells
    reference: Form
    test: Form
    gaps: tuple[Form, ...]
    relaxed: tuple[list[Relaxed], list[Relaxed]]


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """Per cell: `proved`, `bound` (proved value of the quantity that must not be positive or exceed ε),
    `blame` [B, n] of the inputs (None unless kept), `worst` [B, n], the most suspicious input, and how many
    neurons had to be `relaxed`."""

    proved: npt.NDArray[np.bool_]
    bound: Array
    blame: Array | None
    worst: Array
    relaxed: npt.NDArray[np.intp]


def joint(
    pair: Pair,
    cells: Cells,
    *,
    unit: float = 0.0,
    known: tuple[Known, Known] = (NOTHING, NOTHING),
    keep_blame: bool = False,
    related: bool = False,
) -> Joint:
    """Propagate both networks, and their difference too if they are `related`."""
    if related:
        r, t, delta, relaxed = propagate_related(pair, cells, unit=unit, known=known, keep_blame=keep_blame)
        return Joint(cells, r, t, (delta.as_form(r, t), subtract(r, t)), relaxed)
    one = propagate(pair.reference, cells, unit=unit, known=known[0], keep_blame=keep_blame)
    two = propagate(pair.test, cells, unit=unit, known=known[1], keep_blame=keep_blame)
    return Joint(cells, one.form, two.form, (subtract(one.form, two.form),), (one.relaxed, two.relaxed))


def assess(prop: Property, forms: Joint) -> Assessment:
    match prop:
        case Epsilon(norm="linf"):
            found = _chebyshev(prop, forms)
        case Epsilon():
            found = _manhattan(prop, forms)
        case Top():
            found = _ranking(prop, forms)
        case Avoid():
            found = _avoidance(prop, forms)
        case _ as never:
            assert_never(never)
    count = np.zeros(len(found[1]), dtype=np.intp)
    for part in (*forms.relaxed[0], *forms.relaxed[1]):
        count += (part.offset > 0).sum(axis=1)
    return Assessment(*found, count)


# The checks below return (proved, bound, blame, worst) of an assessment.
_Found = tuple[npt.NDArray[np.bool_], Array, Array | None, Array]


def _chebyshev(prop: Epsilon, forms: Joint) -> _Found:
    ends = np.stack([np.stack(gap.bounds(forms.cells)) for gap in forms.gaps])
    low, high = ends[:, 0].max(axis=0), ends[:, 1].min(axis=0)
    size = np.maximum(np.abs(low), np.abs(high))
    row = np.arange(len(size))
    worst = size.argmax(axis=1)
    bound = size[row, worst]
    sign = np.where(np.abs(high[row, worst]) >= np.abs(low[row, worst]), 1.0, -1.0)
    # Look at the form that gave the better bound for most cells.
    widths = (ends[:, 1] - ends[:, 0])[:, row, worst]
    gap = forms.gaps[int(np.argmin(widths.sum(axis=1)))]
    direction = gap.inputs[row, :, worst] * sign[:, None]
    return bound <= prop.epsilon, bound, _blame(gap, worst, forms.cells), forms.cells.extreme(direction)


def _manhattan(prop: Epsilon, forms: Joint) -> _Found:
    """Σ|r − t|: where a sign is settled the form itself is added, elsewhere the chord above |·|."""
    best: _Found | None = None
    for gap in forms.gaps:
        low, high = gap.bounds(forms.cells)
        crossing = (low < 0) & (high > 0)
        width = np.where(crossing, high - low, 1.0)
        slope = np.where(crossing, (high + low) / width, np.where(low >= 0, 1.0, -1.0))
        # |g| ≤ slope·g + lift on [low, high]: the lift is the larger of what the two ends need.
        lift = np.maximum(np.abs(low) - slope * low, np.abs(high) - slope * high)
        total = _weighted(gap, slope)
        bound = (total.bounds(forms.cells)[1][:, 0] + lift.sum(axis=1)) * (1 + 2.0**-40)
        blame = _blame(gap, np.argmax(high - low, axis=1), forms.cells)
        worst = forms.cells.extreme(total.inputs[:, :, 0])
        if best is not None:
            bound = np.minimum(bound, best[1])
        best = (bound <= prop.epsilon, bound, blame, worst)
    assert best is not None
    return best


def _weighted(form: Form, weights: Array) -> Form:
    """Σ_k weights[:, k]·form_k as a form of one neuron; weights differ from cell to cell."""
    column = weights[:, :, None]
    size = np.abs(form.centre) + np.abs(form.inputs).sum(axis=1) + np.abs(form.noise).sum(axis=1)
    error = (form.error + 2.0**-48 * size) * np.abs(weights)
    return Form(
        (form.centre * weights).sum(axis=1, keepdims=True),
        np.matmul(form.inputs, column),
        np.matmul(form.noise, column),
        error.sum(axis=1, keepdims=True),
        form.origin,
        form.blame,
    )


def pairwise(form: Form, outputs: int) -> Form:
    """All differences y_i − y_j; entry j·outputs + i."""
    eye = np.eye(outputs)
    matrix = (eye[None, :, :] - eye[:, None, :]).reshape(outputs * outputs, outputs)
    rounding = 8 * 2.0**-53 * (np.abs(form.centre) + np.abs(form.inputs).sum(axis=1)) @ np.abs(matrix).T
    return form.mapped(matrix, 0.0, rounding)


def _ranking(prop: Top, forms: Joint) -> _Found:
    """Proved where every class that may be the reference's maximum is beaten by fewer than k others."""
    cells, outputs = forms.cells, forms.reference.centre.shape[1]
    count = len(cells.anchor)
    by_ref, by_test = pairwise(forms.reference, outputs), pairwise(forms.test, outputs)
    above_ref = by_ref.bounds(cells)[1].reshape(count, outputs, outputs)
    above_test = by_test.bounds(cells)[1].reshape(count, outputs, outputs)
    diagonal = np.arange(outputs)
    above_ref[:, diagonal, diagonal] = np.inf
    above_test[:, diagonal, diagonal] = -np.inf
    # above_ref[j, i] = max (r_i − r_j); class i can be the maximum only if no j keeps r_i − r_j below 0.
    possible = (above_ref >= 0).all(axis=1)
    kth = (
        -np.sort(-above_test, axis=2)[:, :, prop.k - 1] if prop.k < outputs else np.full(possible.shape, -1.0)
    )
    risk = np.where(possible, kth, -np.inf)
    worst = risk.argmax(axis=1)
    row = np.arange(count)
    bound = risk[row, worst]
    rival = np.argsort(-above_test[row, worst], axis=1)[:, min(prop.k, outputs) - 1]
    entry = worst * outputs + rival
    direction = by_test.inputs[row, :, entry]
    blame = _blame(by_test, entry, cells)
    if blame is not None and (possible.sum(axis=1) > 1).any():
        # Which class the reference chooses is open too: its own looseness counts as well.
        favourite = forms.reference.centre.argmax(axis=1)
        other = np.where(worst != favourite, worst, rival)
        blame = blame + np.asarray(_blame(by_ref, favourite * outputs + other, cells))
    return bound < 0, bound, blame, cells.extreme(direction)


def combined(polytope: Polytope, forms: Joint) -> Form:
    """The rows reference·r + test·t of a polytope as a form; through the difference where that is all they
    look at."""
    if len(forms.gaps) > 1 and np.array_equal(polytope.reference, -polytope.test):
        return forms.gaps[0].mapped(polytope.reference, 0.0, _rounding(forms.gaps[0], polytope.reference))
    one = forms.reference.mapped(polytope.reference, 0.0, _rounding(forms.reference, polytope.reference))
    two = forms.test.mapped(-polytope.test, 0.0, _rounding(forms.test, polytope.test))
    return subtract(one, two)


def _rounding(form: Form, rows: Array) -> Array:
    size = np.abs(form.centre) + np.abs(form.inputs).sum(axis=1) + np.abs(form.noise).sum(axis=1)
    return np.asarray(2.0**-46 * size @ np.abs(rows).T)


def _avoidance(prop: Avoid, forms: Joint) -> _Found:
    """A polytope is avoided when one of its rows is broken everywhere."""
    cells = forms.cells
    count = len(cells.anchor)
    bound = np.full(count, -np.inf)
    blame: Array | None = None
    worst = cells.anchor.copy()
    row = np.arange(count)
    for polytope in prop.polytopes:
        rows = combined(polytope, forms)
        # Largest slack of each row, widened by the rounding of this very subtraction.
        slack = polytope.rhs - rows.bounds(cells)[0]
        slack = slack + 2.0**-50 * (np.abs(polytope.rhs) + np.abs(slack))
        nearest = slack.argmin(axis=1)
        depth = slack[row, nearest]
        more = depth > bound
        bound = np.maximum(bound, depth)
        own = _blame(rows, nearest, cells)
        if own is not None:
            blame = own if blame is None else np.where(more[:, None], own, blame)
        extreme = cells.extreme(-rows.inputs[row, :, nearest])
        worst = np.where(more[:, None], extreme, worst)
    return bound < 0, bound, blame, worst


def _blame(form: Form, entry: npt.NDArray[np.intp], cells: Cells) -> Array | None:
    """Spread of one neuron per cell, distributed over the inputs."""
    if form.blame is None:
        return None
    row = np.arange(len(entry))
    direct = np.abs(form.inputs[row, :, entry]) * cells.reach()
    through = np.matmul(np.abs(form.noise[row, :, entry])[:, None, :], form.blame)[:, 0, :]
    return np.asarray(direct + through)
