"""A question as a network with an output set, for the searches of `nn`.

Affine forms become the rows of matrices, rectifiers and curves become neurons, layer by layer; what the
conjuncts still leave open become sets of outputs. Conjuncts that have no such shape are left out, which asks
for more than was asked: a proof stays a proof.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import field
from itertools import product
from typing import Any

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.bounds.model import model_from
from vouch.nn.linear import Dense
from vouch.nn.lowered import Activation, Affine, Input, Lowered, LoweredNode, NodeKind
from vouch.nn.property import Array, Case, Property, Rows
from vouch.nn.result import ViolatingInput
from vouch.nn.search.driver import search
from vouch.nn.search.falsify import Effort, falsify
from vouch.nn.search.task import Clock
from vouch.numeric.branch import Assignment
from vouch.numeric.forms import Lifting, Neuron, NotAffine
from vouch.numeric.grouped import TapeValues
from vouch.numeric.rules import lifting_of
from vouch.numeric.tape import Box, Tape, bits_of
from vouch.numeric.values import FORMATS, Truth
from vouch.record import record
from vouch.settings import Settings
from vouch.smt.node import Term
from vouch.verdict import Verdict

_CASES = 64  # alternatives of a question
_NEURONS = 20_000
_DEEP = 2  # choices in a row up to which errors on the whole input set are the smallest ones

Literal = tuple[Term, bool]
Cases = list[frozenset[Literal]]


@record
class Lifted:
    """The network, and the sets of its outputs in which all conjuncts may hold."""

    model: Any
    prop: Property
    lifting: Lifting


def lifted(tape: Tape, values: TapeValues, deadline: float = math.inf) -> Lifted | None:
    """None where nothing is left of the question that a network could decide, or no time to find out."""
    try:
        return _lifted(tape, values, _Alternatives(tape, values, deadline))
    except _TooLong:
        return None


def _lifted(tape: Tape, values: TapeValues, found: _Alternatives) -> Lifted | None:
    lifting = lifting_of(tape, values, local=_is_deep(tape))
    alternatives: list[Cases] = []
    for root in tape.roots:
        cases = found.of(root, True)
        if cases is None or frozenset() in cases:
            continue
        usable = _usable(lifting, cases)
        if usable is not None:
            alternatives.append(usable)
    alternatives.sort(key=len)
    chosen: Cases = [frozenset()]
    for cases in alternatives:
        if len(chosen) * len(cases) <= _CASES:
            chosen = _possible([a | b for a, b in product(chosen, cases)])
    if not chosen:
        return None  # they exclude each other, which the other methods see at once
    if chosen == [frozenset()] or len(lifting.neurons) > _NEURONS:
        return None
    return _network(lifting, chosen)


class _TooLong(Exception):
    """There is no time to find the alternatives of a question."""


class _Alternatives:
    """The ways in which booleans get their truth, each worked out once: they share most of their parts."""

    def __init__(self, tape: Tape, values: TapeValues, deadline: float) -> None:
        self._tape = tape
        self._values = values
        self._deadline = deadline
        self._known: dict[Literal, Cases | None] = {}

    def of(self, term: Term, truth: bool) -> Cases | None:
        """As sets of comparisons; None for too many."""
        if (term, truth) not in self._known:
            if time.monotonic() > self._deadline:
                raise _TooLong
            self._known[term, truth] = self._of(term, truth)
        return self._known[term, truth]

    def _of(self, term: Term, truth: bool) -> Cases | None:
        known: Truth = self._tape.truth(self._values, term)
        if not (known.true[0] if truth else known.false[0]):
            return []
        if not (known.false[0] if truth else known.true[0]):
            return [frozenset()]
        if term.op == "not":
            return self.of(term.args[0], not truth)
        if term.op in ("and", "or"):
            parts = [self.of(arg, truth) for arg in term.args]
            if any(part is None for part in parts):
                # A conjunct that is not followed is left out; an alternative that is not could be anything.
                if (term.op == "and") is not truth:
                    return None
                parts = [part for part in parts if part is not None]
            return _all_of(parts) if (term.op == "and") is truth else _any_of(parts)
        if term.op in ("fp_lt", "fp_le", "slt"):
            return [frozenset({(term, truth)})]
        return None


def _any_of(parts: list[Any]) -> Cases | None:
    found = [case for part in parts for case in part]
    return found if len(found) <= _CASES else None


def _all_of(parts: list[Any]) -> Cases | None:
    found: Cases = [frozenset()]
    for part in parts:
        found = _possible([a | b for a in found for b in part])
        if len(found) > _CASES:
            return None
    return found


def _possible(cases: Cases) -> Cases:
    """Without those that contradict themselves, or ask for more than another one does."""
    able = [case for case in cases if not any((term, not truth) in case for term, truth in case)]
    able.sort(key=len)
    kept: Cases = []
    for case in able:
        if not any(other <= case for other in kept):
            kept.append(case)
    return kept


def _usable(lifting: Lifting, cases: Cases) -> Cases | None:
    """Without comparisons of numbers that have no form."""
    result = []
    for case in cases:
        kept = frozenset(literal for literal in case if _has_form(lifting, literal[0]))
        if not kept:
            return None
        result.append(kept)
    return result


def _has_form(lifting: Lifting, comparison: Term) -> bool:
    try:
        for arg in comparison.args:
            if not np.isfinite(lifting.reach(arg)):
                return False
            lifting.form(arg)
    except NotAffine:
        return False
    return True


def _network(lifting: Lifting, cases: Cases) -> Lifted | None:
    comparisons = list(dict.fromkeys(term for case in cases for term, _ in case))
    gaps = [_gap(lifting, term) for term in comparisons]  # as neurons, but that they are not bent
    needed = _needed(lifting, gaps)
    inputs = [base for base in lifting.inputs if base in needed]
    if not inputs:
        return None
    groups: dict[tuple[int, NodeKind], list[int]] = {}
    for base in sorted(needed & lifting.neurons.keys()):
        groups.setdefault((lifting.neurons[base].level, lifting.neurons[base].kind), []).append(base)
    nodes: list[LoweredNode] = [Input(len(inputs))]
    at: dict[int, tuple[int, int]] = {base: (0, n) for n, base in enumerate(inputs)}
    for level, kind in sorted(groups):
        own = groups[level, kind]
        nodes.append(_affine(nodes, at, [lifting.neurons[base] for base in own]))
        nodes.append(Activation(len(nodes) - 1, len(own), kind))
        at |= {base: (len(nodes) - 1, n) for n, base in enumerate(own)}
    nodes.append(_affine(nodes, at, gaps))
    ranges = [lifting.ranges[base] for base in inputs]
    lower, upper = (np.array(ends, dtype=np.float64) for ends in zip(*ranges, strict=True))
    regions = tuple(_region(case, comparisons, len(inputs)) for case in cases)
    prop = Property((Case(lower, upper, regions),), len(inputs), len(gaps), "question")
    lifting.inputs = {base: lifting.inputs[base] for base in inputs}
    return Lifted(model_from(Lowered(tuple(nodes)), "real"), prop, lifting)


def _gap(lifting: Lifting, comparison: Term) -> Neuron:
    small, large = comparison.args
    form = lifting.combined(lifting.form(small), lifting.form(large), -1.0)
    return Neuron(form, 0, loose=lifting.loose_gap(small, large, form))


def _bases(row: Neuron) -> set[int]:
    return {*row.form.parts, *(row.loose.losses if row.loose is not None else ())}


def _needed(lifting: Lifting, rows: list[Neuron]) -> set[int]:
    found: set[int] = set()
    stack = [base for row in rows for base in _bases(row)]
    while stack:
        base = stack.pop()
        if base not in found:
            found.add(base)
            if base in lifting.neurons:
                stack.extend(_bases(lifting.neurons[base]))
    return found


def _affine(nodes: list[LoweredNode], at: dict[int, tuple[int, int]], rows: list[Neuron]) -> Affine:
    """One node for several forms, with the errors of the forms or those that shrink with the input set."""
    used = sorted({at[base][0] for row in rows for base in _bases(row)}) or [0]
    maps = _matrices(nodes, at, used, [row.form.parts for row in rows])
    bias = np.array([row.form.constant for row in rows])
    noise = np.array([row.form.error if row.loose is None else row.loose.error for row in rows])
    if all(row.loose is None for row in rows):
        return Affine(tuple(used), maps, bias, noise=noise)
    losses = _matrices(nodes, at, used, [{} if row.loose is None else row.loose.losses for row in rows])
    return Affine(tuple(used), maps, bias, losses=losses, noise=noise)


def _matrices(
    nodes: list[LoweredNode], at: dict[int, tuple[int, int]], used: list[int], rows: list[dict[int, float]]
) -> tuple[Dense, ...]:
    """One for each of the nodes that are used."""
    found = {node: np.zeros((len(rows), nodes[node].size)) for node in used}
    for number, row in enumerate(rows):
        for base, coefficient in row.items():
            node, place = at[base]
            found[node][number, place] = coefficient
    return tuple(Dense(found[node]) for node in used)


def _region(case: frozenset[Literal], comparisons: list[Term], inputs: int) -> Rows:
    """A comparison p < q that holds has p - q <= 0, one that does not has q - p <= 0."""
    rows = np.zeros((len(case), len(comparisons)))
    for number, (term, truth) in enumerate(sorted(case, key=lambda literal: literal[0].id)):
        rows[number, comparisons.index(term)] = 1.0 if truth else -1.0
    return Rows.of(np.zeros((len(case), inputs)), rows, np.zeros(len(case)))


@record
class _Judge:
    """Confirms points by exact evaluation of the terms."""

    lifted: Lifted
    check: Callable[[Assignment], bool]
    rejected: int = 0
    tried: set[bytes] = field(default_factory=set)

    def confirm(self, case: Case, points: Array, limit: int = 16) -> ViolatingInput | None:
        for point in points[:limit]:
            key = point.tobytes()
            if key in self.tried:
                continue
            self.tried.add(key)
            if self.check(self._assignment(point)):
                return ViolatingInput(point, np.zeros(0))
            self.rejected += 1
        return None

    def _assignment(self, point: Array) -> Assignment:
        found: Assignment = {}
        for number, (base, term) in zip(point, self.lifted.lifting.inputs.items(), strict=True):
            if term not in self.lifted.lifting.tape.variables:
                continue
            low, high = self.lifted.lifting.ranges[base]
            if term.sort.kind == "bv":
                found[term] = int(np.clip(np.rint(number), low, high)) & ((1 << term.width) - 1)
            else:
                dtype = FORMATS[term.sort]
                found[term] = bits_of(term.sort, np.clip(dtype(number), dtype(low), dtype(high)))
        return found


def _is_deep(tape: Tape) -> bool:
    """Are there more than a few choices between floats in a row, each about what others made?"""
    depth: dict[Term, int] = {}
    for term in tape.terms:
        below = 0
        for arg in term.args:
            known = depth.get(arg, 0)
            if known > below:
                below = known
        if term.op == "ite" and term.sort in FORMATS:
            below += 1
            if below > _DEEP:
                return True
        if below:
            depth[term] = below
    return False


def by_network(
    tape: Tape, values: TapeValues, box: Box, check: Callable[[Assignment], bool], deadline: float
) -> bool:
    """Whether the conjuncts are proved to exclude each other for the variables in the box, where the tape has
    these values. `check` hears of points that may satisfy them; one that does ends the search."""
    tape.resume(box, 1)
    question = lifted(tape, values, deadline)
    if question is None:
        return False
    judge = _Judge(question, check)
    clock = Clock(max(0.0, deadline - time.monotonic()))
    case = question.prop.cases[0]
    many = len(case.lower) > 12 or question.model.neurons > 2000
    effort = Effort(128, 16, 30) if many else Effort(2048, 64, 30)
    if not question.model.activations:
        effort = Effort(256, 16, 10)
    try:
        if falsify(question.model, case, judge, clock, 0, effort) is not None:  # type: ignore[arg-type]
            return False
        settings = Settings({"engine": "auto", "timeout": clock.left, "jobs": 1, "seed": 0})
        return search(question.model, question.prop, settings, judge).verdict is Verdict.SAFE  # type: ignore[arg-type]
    except Unsupported:
        return False
