"""A function that was executed symbolically, as the layers of a ReLU network in exact reals.

Outputs differ from those of the network by at most `errors`, which holds all rounding of the code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from vouch.errors import Unsupported
from vouch.numeric.forms import Form, Lifting, NotAffine
from vouch.numeric.narrow import Narrowing, conjuncts
from vouch.numeric.tape import Tape
from vouch.smt.node import Term

Matrix = npt.NDArray[np.float64]
Layer = tuple[Matrix, Matrix]


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """(W, b) with ReLU between them, and for each output how far the code may be from it."""

    layers: list[Layer]
    errors: Matrix


def layers_of(asked: Sequence[Term], inputs: Sequence[Term], outputs: Sequence[Term]) -> Layers:
    """`asked` are the conditions under which the outputs are computed, the ranges of inputs among them.
    Raises Unsupported for what is not piecewise linear, Contradiction where nothing satisfies `asked`."""
    tape = Tape([*conjuncts(asked)])
    box = Narrowing(tape).run()
    missing = [term for term in outputs if term.value is None and term not in tape.place]
    if missing:
        raise Unsupported("an output does not occur in the conditions")
    lifting = Lifting(tape, tape.run(box, 1), keep=True)
    try:
        forms = [lifting.form(term) for term in outputs]
    except NotAffine:
        raise Unsupported("a number in the code may be infinite or no number at all") from None
    known = set(inputs)
    for term in lifting.inputs.values():
        if term not in known:
            raise Unsupported(f"the code computes what is not piecewise linear: {_operation(term)}")
    return Layers(_Stack(lifting, list(inputs), forms).layers(), np.array([form.error for form in forms]))


def _operation(term: Term) -> str:
    return _OPERATIONS.get(term.op, term.op)


_OPERATIONS = {
    "fp_mul": "a product of computed numbers",
    "fp_div": "a quotient of computed numbers",
    "ite": "a jump",
    "symbol": "a number from elsewhere",
}


class _Stack:
    """Bases by level. A base that a later level needs is handed on by a neuron of its own, which changes
    nothing: rectifiers are not negative."""

    def __init__(self, lifting: Lifting, inputs: list[Term], outputs: list[Form]) -> None:
        self.lifting, self.inputs, self.outputs = lifting, inputs, outputs
        bases = {term: base for base, term in lifting.inputs.items()}
        self.columns = {bases[term]: n for n, term in enumerate(inputs) if term in bases}
        self.level = {base: r.level for base, r in lifting.rectifiers.items()}
        self.depth = max((self._level_of(form) for form in outputs), default=0)

    def _level_of(self, form: Form) -> int:
        return max((self.level.get(base, 0) for base in form.parts), default=0)

    def layers(self) -> list[Layer]:
        needed = self._needed()
        before = dict(self.columns)
        width, found = len(self.inputs), []
        for level in range(1, self.depth + 1):
            own = [base for base in sorted(needed[level]) if self.level.get(base) == level]
            passed = [base for base in sorted(needed[level]) if self.level.get(base, 0) < level]
            if any(self.lifting.ranges[base][0] < 0 for base in passed):
                raise Unsupported("an input that may be negative is used by a later layer")
            rows = [self.lifting.rectifiers[base].form for base in own]
            rows += [Form({base: 1.0}) for base in passed]
            found.append(_matrix(rows, before, width))
            before = {base: n for n, base in enumerate([*own, *passed])}
            width = len(rows)
        found.append(_matrix(self.outputs, before, width))
        return found

    def _needed(self) -> dict[int, set[int]]:
        """The bases that neurons of each level stand for."""
        needed: dict[int, set[int]] = {level: set() for level in range(self.depth + 1)}
        wanted = {base for form in self.outputs for base in form.parts}
        for level in range(self.depth, 0, -1):
            needed[level] = wanted
            own = [self.lifting.rectifiers[base].form for base in wanted if self.level.get(base) == level]
            wanted = {base for form in own for base in form.parts}
            wanted |= {base for base in needed[level] if self.level.get(base, 0) < level}
        return needed


def _matrix(rows: list[Form], before: dict[int, int], width: int) -> Layer:
    weights, bias = np.zeros((len(rows), width)), np.zeros(len(rows))
    for number, form in enumerate(rows):
        bias[number] = form.constant
        for base, coefficient in form.parts.items():
            weights[number, before[base]] = coefficient
    return weights, bias


def aligned(layers: list[Layer], like: Sequence[tuple[Any, Any]]) -> list[Layer]:
    """The same function with its neurons in the order of those they resemble."""
    from scipy.optimize import linear_sum_assignment

    if [w.shape for w, _ in layers] != [np.shape(w) for w, _ in like]:
        return layers
    found, order = [], np.arange(layers[0][0].shape[1])
    for number, ((weights, bias), (other, shift)) in enumerate(zip(layers, like, strict=True)):
        weights = weights[:, order]
        if number < len(layers) - 1:
            gaps = np.abs(weights[:, None, :] - np.asarray(other)[None]).sum(2)
            gaps += np.abs(bias[:, None] - shift)
            rows, columns = linear_sum_assignment(gaps)
            order = np.empty(len(rows), dtype=int)
            order[columns] = rows
            weights, bias = weights[order], bias[order]
        found.append((weights, bias))
    return found
