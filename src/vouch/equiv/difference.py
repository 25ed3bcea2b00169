"""The difference of two networks of the same structure, propagated neuron by neuron beside both.

For networks whose weights are close, δ = r − t is far smaller than either; subtracting two output forms
would add up the relaxation errors of both. The difference form keeps

    Δ = centre + inputs·d + of_reference·ξ_R + of_test·ξ_T + own·ξ_Δ ± error

in the symbols of both networks' forms and symbols of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vouch.equiv.forms import (
    NOTHING,
    TINY,
    UNIT64,
    Array,
    Cells,
    Form,
    Known,
    Relaxed,
    affine,
    apply,
    input_form,
)
from vouch.equiv.pair import Layer, Pair


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """A form over the symbols of two others. `origin` names layer and neuron of its own symbols."""

    centre: Array
    inputs: Array
    of_reference: Array
    of_test: Array
    own: Array
    error: Array
    origin: npt.NDArray[np.int32]

    def noise(self) -> Array:
        return np.concatenate([self.of_reference, self.of_test, self.own], axis=1)

    def as_form(self, reference: Form, test: Form) -> Form:
        """One plain form; where blame is kept, own symbols get the average of what their neuron's input
        shares would be (the reference's symbol of the same neuron, if any)."""
        origin = np.concatenate([reference.origin, test.origin, self.origin])
        blame = None
        if reference.blame is not None and test.blame is not None:
            own = np.full(
                (len(self.centre), len(self.origin), self.inputs.shape[1]), 1.0 / self.inputs.shape[1]
            )
            where = {(int(a), int(b)): i for i, (a, b) in enumerate(reference.origin)}
            for i, (a, b) in enumerate(self.origin):
                if (int(a), int(b)) in where:
                    own[:, i] = reference.blame[:, where[int(a), int(b)]]
            blame = np.concatenate([reference.blame, test.blame, own], axis=1)
        return Form(self.centre, self.inputs, self.noise(), self.error, origin, blame)

    def bounds(self, cells: Cells) -> tuple[Array, Array]:
        return Form(self.centre, self.inputs, self.noise(), self.error, self.origin).bounds(cells)


def subtract(reference: Form, test: Form) -> Form:
    """reference − test in shared input symbols; the noise symbols of the two stand side by side."""
    blame = None
    if reference.blame is not None and test.blame is not None:
        blame = np.concatenate([reference.blame, test.blame], axis=1)
    size = np.abs(reference.centre) + np.abs(test.centre)
    size = size + np.abs(reference.inputs).sum(axis=1) + np.abs(test.inputs).sum(axis=1)
    return Form(
        reference.centre - test.centre,
        reference.inputs - test.inputs,
        np.concatenate([reference.noise, -test.noise], axis=1),
        reference.error + test.error + 2 * UNIT64 * size,
        np.concatenate([reference.origin, test.origin]),
        blame,
    )


def propagate_related(
    pair: Pair,
    cells: Cells,
    *,
    unit: float = 0.0,
    known: tuple[Known, Known] = (NOTHING, NOTHING),
    keep_blame: bool = False,
) -> tuple[Form, Form, Difference, tuple[list[Relaxed], list[Relaxed]]]:
    """Output forms of both networks and of their difference, layer by layer side by side."""
    r = t = input_form(cells, keep_blame)
    count, size = cells.anchor.shape
    none = np.zeros((count, 0, size))
    delta = Difference(
        np.zeros((count, size)),
        np.zeros((count, size, size)),
        none,
        none,
        none,
        np.zeros((count, size)),
        np.zeros((0, 2), dtype=np.int32),
    )
    relaxed: tuple[list[Relaxed], list[Relaxed]] = ([], [])
    last = len(pair.reference.layers) - 1
    for index, (a, b) in enumerate(zip(pair.reference.layers, pair.test.layers, strict=True)):
        delta = _affine(delta, t, a, b, cells, unit, r)
        r, t = affine(r, a, cells, unit), affine(t, b, cells, unit)
        if index == last:
            break
        before = (r, t)
        for which, form in enumerate(before):
            relaxed[which].append(known[which].relax(index, *form.bounds(cells)))
        r = apply(before[0], relaxed[0][-1], index, cells)
        t = apply(before[1], relaxed[1][-1], index, cells)
        delta = _relu(delta, before, (r, t), (relaxed[0][-1], relaxed[1][-1]), index, cells)
    return r, t, delta, relaxed


def _affine(
    delta: Difference, test: Form, a: Layer, b: Layer, cells: Cells, unit: float, ref: Form
) -> Difference:
    """W_R·r − W_T·t + b_R − b_T  =  W_R·Δ + (W_R − W_T)·t + (b_R − b_T)."""
    change, shift = a.weights - b.weights, a.bias - b.bias
    wide, bent = np.abs(a.weights), np.abs(change)
    plain = Form(delta.centre, delta.inputs, delta.noise(), delta.error, delta.origin)
    size_delta, size_test = plain.magnitude(cells), test.magnitude(cells)
    total = size_delta @ wide.T + size_test @ bent.T + np.abs(shift)
    terms = 2 * a.weights.shape[1] + 8
    extra = 3 * terms * UNIT64 * total + TINY + a.bias_error + b.bias_error
    if unit or a.weight_error or b.weight_error:
        # What the networks themselves round does not cancel.
        size_ref = ref.magnitude(cells)
        own = size_ref @ wide.T + np.abs(a.bias) + size_test @ np.abs(b.weights).T + np.abs(b.bias)
        extra = extra + terms * unit * 1.01 * own
        extra = extra + a.weight_error * size_ref.sum(axis=1, keepdims=True)
        extra = extra + b.weight_error * size_test.sum(axis=1, keepdims=True)
    extra = extra + test.error @ bent.T
    moved = plain.mapped(a.weights, shift, extra)
    by_test = test.mapped(change, 0.0, extra)
    first, second = delta.of_reference.shape[1], delta.of_reference.shape[1] + delta.of_test.shape[1]
    return Difference(
        moved.centre + by_test.centre,
        moved.inputs + by_test.inputs,
        moved.noise[:, :first],
        moved.noise[:, first:second] + by_test.noise,
        moved.noise[:, second:],
        moved.error,
        delta.origin,
    )


def _relu(
    delta: Difference,
    before: tuple[Form, Form],
    after: tuple[Form, Form],
    relaxed: tuple[Relaxed, Relaxed],
    layer: int,
    cells: Cells,
) -> Difference:
    """relu(r) − relu(t). Both active: Δ. Both inactive: 0. Otherwise the narrowest of

    - half of Δ plus a new symbol (the difference lies between 0 and Δ),
    - the two relaxed forms subtracted,
    - Δ corrected by the relaxation of the one neuron that is not active.
    """
    on = [r.lower >= 0 for r in relaxed]
    off = [r.upper <= 0 for r in relaxed]
    low, high = delta.bounds(cells)
    apart_low = relaxed[0].lower - relaxed[1].upper
    apart_high = relaxed[0].upper - relaxed[1].lower
    low, high = np.maximum(low, apart_low - TINY), np.minimum(high, apart_high + TINY)
    width = np.maximum(np.maximum(high, -low), 0.0) * (0.5 + 2.0**-50) + TINY

    both_on, both_off = on[0] & on[1], off[0] & off[1]
    halved = _Candidate.halved(delta, after, both_on, both_off, np.where(both_on | both_off, 0.0, width))
    apart = _Candidate.apart(after, delta)
    fixed = _Candidate.corrected(delta, before, after, on)
    settled = both_on | both_off
    spread = [np.where(settled, -1.0, halved.spread(cells)), apart.spread(cells), fixed.spread(cells)]
    spread[2] = np.where((on[0] | on[1]), spread[2], np.inf)
    choice = np.argmin(np.stack(spread), axis=0)
    chosen = halved.where(choice == 0, apart).where(choice != 2, fixed)

    columns = np.flatnonzero(((choice == 0) & ~settled).any(axis=0))
    fresh = np.zeros((len(low), len(columns), low.shape[1]))
    fresh[:, np.arange(len(columns)), columns] = np.where((choice == 0) & ~settled, width, 0.0)[:, columns]
    origin = np.stack([np.full(len(columns), layer), columns], axis=1)
    return Difference(
        chosen.centre,
        chosen.inputs,
        chosen.of_reference,
        chosen.of_test,
        np.concatenate([chosen.own, fresh], axis=1),
        chosen.error
        + np.where(settled, 0.0, 8 * UNIT64 * (before[0].magnitude(cells) + before[1].magnitude(cells))),
        np.concatenate([delta.origin, origin]).astype(np.int32),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """One way to write relu(r) − relu(t), before new symbols of its own; `extra` is their width."""

    centre: Array
    inputs: Array
    of_reference: Array
    of_test: Array
    own: Array
    error: Array
    extra: Array | float

    @classmethod
    def halved(
        cls,
        delta: Difference,
        after: tuple[Form, Form],
        both_on: npt.NDArray[np.bool_],
        both_off: npt.NDArray[np.bool_],
        width: Array,
    ) -> _Candidate:
        slope = np.where(both_on, 1.0, np.where(both_off, 0.0, 0.5))
        wide = slope[:, None, :]
        return cls(
            delta.centre * slope,
            delta.inputs * wide,
            _padded(delta.of_reference * wide, after[0]),
            _padded(delta.of_test * wide, after[1]),
            delta.own * wide,
            delta.error * slope,
            width,
        )

    @classmethod
    def apart(cls, after: tuple[Form, Form], delta: Difference) -> _Candidate:
        gap = subtract(*after)
        return cls(
            gap.centre,
            gap.inputs,
            after[0].noise,
            -after[1].noise,
            np.zeros_like(delta.own),
            gap.error,
            0.0,
        )

    @classmethod
    def corrected(
        cls,
        delta: Difference,
        before: tuple[Form, Form],
        after: tuple[Form, Form],
        on: list[npt.NDArray[np.bool_]],
    ) -> _Candidate:
        """Reference active: Δ + (t − relu(t)). Test active: Δ + (relu(r) − r). Elsewhere meaningless."""
        by_test, by_ref = on[0], ~on[0] & on[1]
        parts = []
        for use, form, done, sign in (
            (by_ref, before[0], after[0], 1.0),
            (by_test, before[1], after[1], -1.0),
        ):
            pick = np.where(use, sign, 0.0)
            wide = pick[:, None, :]
            noise = (done.noise - _padded(form.noise, done)) * wide
            parts.append(
                (
                    (done.centre - form.centre) * pick,
                    (done.inputs - form.inputs) * wide,
                    noise,
                    # Relaxed and plain form share the same real neuron: their errors both count.
                    (done.error + form.error + 4 * UNIT64 * np.abs(form.centre)) * np.abs(pick),
                )
            )
        (c0, i0, n0, e0), (c1, i1, n1, e1) = parts
        return cls(
            delta.centre + c0 + c1,
            delta.inputs + i0 + i1,
            _padded(delta.of_reference, after[0]) + n0,
            _padded(delta.of_test, after[1]) + n1,
            delta.own,
            delta.error + e0 + e1,
            0.0,
        )

    def spread(self, cells: Cells) -> Array:
        """How far from its centre the candidate may be: the measure by which one is chosen."""
        down, up = cells.support(self.inputs)
        noise = sum(np.abs(part).sum(axis=1) for part in (self.of_reference, self.of_test, self.own))
        return np.asarray((up - down) / 2 + noise + self.error + self.extra)

    def where(self, mine: npt.NDArray[np.bool_], other: _Candidate) -> _Candidate:
        wide = mine[:, None, :]
        return _Candidate(
            np.where(mine, self.centre, other.centre),
            np.where(wide, self.inputs, other.inputs),
            np.where(wide, self.of_reference, other.of_reference),
            np.where(wide, self.of_test, other.of_test),
            np.where(wide, self.own, other.own),
            np.where(mine, self.error, other.error),
            0.0,
        )


def _padded(noise: Array, form: Form) -> Array:
    """The noise columns with zeros for the symbols that the form has gained since."""
    missing = form.noise.shape[1] - noise.shape[1]
    if not missing:
        return noise
    return np.concatenate([noise, np.zeros((len(noise), missing, noise.shape[2]))], axis=1)
