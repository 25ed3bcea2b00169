"""A property as a list of questions to one cell: "can output 3 differ by more than ε upwards?"

The cell is a set of inputs on which both networks' outputs are known as linear expressions, backed by a
certified linear program. What one cell has answered holds in all its parts, so answers are handed down;
the question that stayed open is asked first there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Protocol

import numpy as np

from vouch.equiv.pair import Array
from vouch.equiv.property import Avoid, Epsilon, Polytope, Property, Top
from vouch.equiv.relaxation import Expression

# Sign by output for a distance, (class, rival, ...) for a ranking, (class,) for a class as a whole.
Question = tuple[int, ...]


class Asked(Protocol):
    """`quick` is a sound upper bound of an expression without solving; `decide` a certified one (it may
    stop at `quick` when that is below `enough`; −inf: the cell is empty) with the point where the solver
    saw it; `at_most_zero` adds constraints, `mark` and `cut` take them back."""

    reference: list[Expression]
    test: list[Expression]

    def quick(self, objective: Expression) -> float: ...
    def decide(self, objective: Expression, enough: float) -> tuple[float, Array | None]: ...
    def at_most_zero(self, *expressions: Expression) -> None: ...
    def mark(self) -> int: ...
    def cut(self, mark: int) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class OpenQuestion:
    """A question that stays open, the objective behind it and where it is attained, if known."""

    question: Question
    objective: Expression
    point: Array | None


class Asker:
    """Asks a property of cells. `closed` is the largest value of a distance that was proved so far."""

    def __init__(self, prop: Property) -> None:
        self.prop = prop
        self.closed = -np.inf

    def ask(self, cell: Asked, answered: set[Question], hot: Question | None = None) -> OpenQuestion | None:
        """The first question that stays open; those that do not are added to `answered`."""
        match self.prop:
            case Epsilon():
                return self._distance(cell, self.prop, answered, hot)
            case Top():
                return self._ranking(cell, self.prop.k, answered, hot)
            case Avoid():
                return self._avoidance(cell, self.prop, answered, hot)

    def inner_point(self, cell: Asked, left: OpenQuestion) -> Array | None:
        """A point of the cell where the open question is violated with room to spare in every constraint:
        the middle between the extremes of all of them. For cells on which nothing is relaxed."""
        wanted = self._wanted(cell, left.question)
        if not wanted:
            return left.point
        mark = cell.mark()
        cell.at_most_zero(*(lead.scaled(-1.0) for lead in wanted))
        points = [cell.decide(lead, -np.inf)[1] for lead in wanted]
        cell.cut(mark)
        found = [point for point in points if point is not None]
        return np.asarray(np.mean(found, axis=0)) if found else left.point

    def conditions(self, cell: Asked, question: Question) -> list[Expression]:
        """What has to be at most 0 for the question to matter."""
        return [lead.scaled(-1.0) for lead in self._wanted(cell, question)]

    def _wanted(self, cell: Asked, question: Question) -> list[Expression]:
        """What is at least 0 wherever the answer is yes; nothing for a distance, which is maximised."""
        match self.prop:
            case Epsilon():
                return []
            case Avoid():
                return _slacks(cell, self.prop.polytopes[question[0]])
            case Top():
                j, *members = question
                ahead = [cell.reference[j].minus(r) for i, r in enumerate(cell.reference) if i != j]
                return ahead + [cell.test[i].minus(cell.test[j]) for i in members]

    def _avoidance(
        self, cell: Asked, prop: Avoid, answered: set[Question], hot: Question | None
    ) -> OpenQuestion | None:
        """Can the outputs lie in this polytope?"""
        for question in _first(hot, ((index,) for index in range(len(prop.polytopes)))):
            if question in answered:
                continue
            slacks = _slacks(cell, prop.polytopes[question[0]])
            objective = min(slacks, key=cell.quick)
            mark = cell.mark()
            cell.at_most_zero(*(slack.scaled(-1.0) for slack in slacks))
            bound, point = cell.decide(objective, 0.0)
            cell.cut(mark)
            if bound >= 0:
                return OpenQuestion(question, objective, point)
            answered.add(question)
        return None

    def _distance(
        self, cell: Asked, prop: Epsilon, answered: set[Question], hot: Question | None
    ) -> OpenQuestion | None:
        gaps = [r.minus(t) for r, t in zip(cell.reference, cell.test, strict=True)]
        for question in _first(hot, self._signs(cell, gaps, prop.norm)):
            if question in answered:
                continue
            objective = gaps[0].scaled(0.0)
            for sign, gap in zip(question, gaps, strict=True):
                if sign:
                    objective = objective.minus(gap.scaled(-float(sign)))
            bound, point = cell.decide(objective, prop.epsilon)
            if bound > prop.epsilon:
                return OpenQuestion(question, objective, point)
            self.closed = max(self.closed, bound)
            answered.add(question)
        return None

    def _signs(self, cell: Asked, gaps: list[Expression], norm: str) -> Iterator[Question]:
        """One output, up or down, for the Chebyshev norm; every open sign pattern for the Manhattan norm."""
        if norm == "linf":
            for k in range(len(gaps)):
                for sign in (1, -1):
                    yield tuple(sign if i == k else 0 for i in range(len(gaps)))
            return
        # A sign that is impossible drops out: its absolute value is the other sign's.
        open_signs = [[s for s in (1, -1) if cell.quick(gap.scaled(float(s))) > 0] or [1] for gap in gaps]
        yield from product(*open_signs)

    def _ranking(
        self, cell: Asked, k: int, answered: set[Question], hot: Question | None
    ) -> OpenQuestion | None:
        """For every class j the reference may choose: can k others be above it in the test network?"""
        outputs = len(cell.reference)
        order = _first((hot[0],) if hot else None, ((j,) for j in range(outputs)))
        for (j,) in order:
            if (j,) in answered:
                continue
            ahead = [cell.reference[j].minus(cell.reference[i]) for i in range(outputs) if i != j]
            if min(cell.quick(lead) for lead in ahead) >= 0:
                mark = cell.mark()
                cell.at_most_zero(*(lead.scaled(-1.0) for lead in ahead))
                found = self._beaten(cell, j, k, answered, hot)
                cell.cut(mark)
                if found is not None:
                    return found
            answered.add((j,))
        return None

    def _beaten(
        self, cell: Asked, j: int, k: int, answered: set[Question], hot: Question | None
    ) -> OpenQuestion | None:
        """A group of k rivals that may all be above j; None if there is no such group."""
        leads = {i: cell.test[i].minus(cell.test[j]) for i in range(len(cell.test)) if i != j}
        ranked = sorted((i for i in leads if cell.quick(leads[i]) >= 0), key=lambda i: -cell.quick(leads[i]))
        if hot is not None and hot[0] == j and hot not in answered and set(hot[1:]) <= set(ranked):
            found, _ = self._all_above(cell, leads, hot)
            if found is not None:
                return found
            answered.add(hot)
        # One rival that is out by itself answers every group it is in.
        rivals: list[int] = []
        for left, i in enumerate(ranked):
            if (j, i) in answered:
                continue
            if len(rivals) + len(ranked) - left < k:
                return None
            found, bound = self._all_above(cell, leads, (j, i))
            if bound == -np.inf:
                return None  # the reference never chooses j here
            if found is None:
                answered.add((j, i))
            elif k == 1:
                return found
            else:
                rivals.append(i)
        for group in combinations(rivals, k) if k > 1 else ():
            if (j, *group) not in answered:
                found, _ = self._all_above(cell, leads, (j, *group))
                if found is not None:
                    return found
                answered.add((j, *group))
        return None

    def _all_above(
        self, cell: Asked, leads: dict[int, Expression], question: Question
    ) -> tuple[OpenQuestion | None, float]:
        members = question[1:]
        mark = cell.mark()
        total = leads[members[0]]
        for i in members[1:]:
            total = total.minus(leads[i].scaled(-1.0))
        if len(members) > 1:
            cell.at_most_zero(*(leads[i].scaled(-1.0) for i in members))
        bound, point = cell.decide(total, 0.0)
        cell.cut(mark)
        return (None if bound < 0 else OpenQuestion(question, total, point)), bound


def _slacks(cell: Asked, polytope: Polytope) -> list[Expression]:
    """rhs − reference·r − test·t, row by row."""
    found = []
    for a, c, right in zip(polytope.reference, polytope.test, polytope.rhs, strict=True):
        total = cell.reference[0].scaled(0.0)
        for weights, outputs in ((a, cell.reference), (c, cell.test)):
            for weight, output in zip(weights.tolist(), outputs, strict=True):
                if weight:
                    total = total.minus(output.scaled(weight))
        rounding = 2.0**-48 * (abs(total.constant) + abs(float(right)))
        found.append(Expression(total.row, total.constant + float(right), total.error + rounding))
    return found


def _first(question: Question | None, others: Iterator[Question]) -> Iterator[Question]:
    """The question, if there is one, then all others."""
    if question is not None:
        yield question
    for other in others:
        if other != question:
            yield other
