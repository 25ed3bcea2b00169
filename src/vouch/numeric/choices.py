"""Choices between affine pieces that meet: rectifiers, maxima, absolute values, clamps, in any spelling."""

from __future__ import annotations

from itertools import pairwise

from vouch.numeric.forms import Lifting, constant
from vouch.numeric.forms import comparison as comparison_of
from vouch.numeric.shifted import threshold
from vouch.numeric.sums import Form
from vouch.record import frozen_record
from vouch.smt.node import Term
from vouch.smt.operators import signed


def choice(lifting: Lifting, term: Term) -> Form | None:
    """Affine pieces that meet where a condition changes."""
    taken, comparison = lifting.taken(term), comparison_of(term.args[0])
    if taken is None and comparison is None:
        return None
    if comparison is not None and (taken is None or lifting.keep):
        found = _extreme(lifting, term, *comparison) or _bent(lifting, term, *comparison)
        found = found or _pieces(lifting, term)
        if found is not None:
            return found
    return None if taken is None else lifting.forms[taken]


def _extreme(lifting: Lifting, term: Term, p: Term, q: Term, truth: bool) -> Form | None:
    """The larger or the smaller one of the two numbers that are compared: p + max(0, q − p), and so on. What
    is compared is what is chosen, so errors do not add up."""
    first, second = term.args[1:] if truth else term.args[:0:-1]
    if {first, second} != {p, q}:
        return _beyond(lifting, term)
    return _larger(lifting, p, q, 1.0 if first is q else -1.0)


def _beyond(lifting: Lifting, term: Term) -> Form | None:
    """The same of a term and a constant, with the constant moved to one side of the comparison."""
    condition, first, second = term.args
    for one, other in ((first, second), (second, first)):
        known = None if other.value is None else threshold(condition, one)
        if known is not None and other.value is not None:
            exact = known.exact(*(lifting.value(t) for t in (known.inner, one)))
            limit = signed(int(other.value), other.width)
            if not exact[0] or not known.small <= limit <= known.large:
                return None
            smaller = known.holds_below is (one is first)  # the term is taken where it is small
            return _larger(lifting, one, other, -1.0 if smaller else 1.0)
    return None


def _larger(lifting: Lifting, p: Term, q: Term, sign: float) -> Form:
    """The larger of two terms (`sign` 1), or the smaller (−1)."""
    outer, other = (p, q) if len(lifting.forms[p].parts) <= len(lifting.forms[q].parts) else (q, p)
    gap = lifting.scaled(lifting.combined(lifting.forms[other], lifting.forms[outer], -1.0), sign)
    if not lifting.keep or not lifting.forms[outer].error:
        return lifting.combined(
            lifting.forms[outer], lifting.rectified(gap, lifting.loose_gap(other, outer, gap)), sign
        )
    # Of two numbers with errors the larger one has no more than the larger error. Rounding of coefficients
    # is in the gap's error, beyond that of the two.
    bent = lifting.rectified(Form(gap.parts, gap.constant))
    found = lifting.combined(lifting.forms[outer], bent, sign)
    inexact = gap.error - lifting.forms[p].error - lifting.forms[q].error
    error = max(lifting.forms[p].error, lifting.forms[q].error) + 2 * max(inexact, 0.0)
    slack = max(0.0, found.error - lifting.forms[outer].error)
    return Form(found.parts, found.constant, (error + slack) * (1 + 2.0**-40))


def _bent(lifting: Lifting, term: Term, p: Term, q: Term, truth: bool) -> Form | None:
    """Two pieces: second + factor * max(0, q - p)."""
    first, second = (lifting.forms[arg] for arg in (term.args[1:] if truth else term.args[:0:-1]))
    gap = lifting.combined(lifting.forms[q], lifting.forms[p], -1.0)
    rise = lifting.combined(first, second, -1.0)
    if not gap.parts:
        return None
    base = max(gap.parts, key=lambda b: abs(gap.parts[b]))
    factor = rise.parts.get(base, 0.0) / gap.parts[base]
    rest = lifting.combined(Form(rise.parts, rise.constant), Form(gap.parts, gap.constant), -factor)
    apart = sum(abs(c) * lifting.size(b) for b, c in rest.parts.items()) + abs(rest.constant)
    # Pieces of one function meet up to rounding; a jump is something else.
    if apart > 1e-6 * (1e-30 + lifting.reach(term)):
        return None
    # second + factor * max(0, d) is first + factor * max(0, -d): the simpler piece stays outside.
    outer, sign = (first, -1.0) if len(first.parts) < len(second.parts) else (second, 1.0)
    inner = lifting.scaled(Form(gap.parts, gap.constant), sign)
    bent = lifting.combined(outer, lifting.rectified(inner), factor)
    inexact = rise.error - first.error - second.error  # what taking the difference lost
    error = max(first.error, second.error) + abs(factor) * gap.error + apart * 1.01 + rest.error
    error += max(inexact, 0.0)
    slack = bent.error - outer.error
    return Form(bent.parts, bent.constant, (error + max(slack, 0.0)) * (1 + 2.0**-40))


@frozen_record
class _Piece:
    """slope * x + offset, the error of the term it was read from included."""

    slope: float
    offset: float
    error: float


def _pieces(lifting: Lifting, term: Term) -> Form | None:
    """A continuous function of one term x by choices that compare x with constants, as a clamp is."""
    tree = _Tree.of(lifting, term)
    if tree is None:
        return None
    ends = sorted(tree.thresholds)
    inside = [ends[0] - 1.0, *((a + b) / 2 for a, b in pairwise(ends)), ends[-1] + 1.0]
    pieces = [tree.at(x) for x in inside]
    if any(piece is None for piece in pieces):
        return None
    known = [piece for piece in pieces if piece is not None]
    x = lifting.forms[tree.subject]
    bare = Form(x.parts, x.constant)
    total = lifting.combined(Form({}, known[0].offset), bare, known[0].slope)
    error = max(piece.error for piece in known) + max(abs(piece.slope) for piece in known) * x.error
    for end, (before, after) in zip(ends, pairwise(known), strict=True):
        jump = (after.slope - before.slope) * end + after.offset - before.offset
        if abs(jump) > 1e-6 * (1e-30 + lifting.reach(term)):
            return None
        error += abs(jump) * 1.01
        shifted = lifting.combined(bare, Form({}, end), -1.0)
        total = lifting.combined(total, lifting.rectified(shifted), after.slope - before.slope)
    return Form(total.parts, total.constant, (total.error + 2 * error) * (1 + 2.0**-40))


@frozen_record
class _Tree:
    """Choices between constants and multiples of `subject`, all decided by comparing it with constants."""

    lifting: Lifting
    root: Term
    subject: Term
    thresholds: frozenset[float]

    @classmethod
    def of(cls, lifting: Lifting, root: Term) -> _Tree | None:
        subjects: set[Term] = set()
        thresholds: set[float] = set()
        stack, nodes = [root], 0
        while stack:
            term = stack.pop()
            if term.op != "ite" or (lifting.taken(term) is not None and not lifting.keep):
                continue
            comparison = comparison_of(term.args[0])
            nodes += 1
            if comparison is None or nodes > 8:
                return None
            for side, other in (comparison[:2], comparison[1::-1]):
                if side.value is not None:
                    subjects.add(other)
                    thresholds.add(constant(side).constant)
            stack.extend(term.args[1:])
        if len(subjects) != 1:
            return None
        return cls(lifting, root, subjects.pop(), frozenset(thresholds))

    def at(self, x: float) -> _Piece | None:
        """The piece that holds where the subject is x, which is no threshold."""
        term = self.root
        while term.op == "ite":
            comparison = comparison_of(term.args[0])
            taken = None if self.lifting.keep and comparison is not None else self.lifting.taken(term)
            if taken is None:
                assert comparison is not None
                p, q, truth = comparison
                small = x if p.value is None else constant(p).constant
                large = x if q.value is None else constant(q).constant
                taken = term.args[1 if (small < large) is truth else 2]
            term = taken
        return self._piece(term)

    def _piece(self, leaf: Term) -> _Piece | None:
        form, subject = self.lifting.forms[leaf], self.lifting.forms[self.subject]
        if not form.parts:
            return _Piece(0.0, form.constant, form.error)
        base = max(subject.parts, key=lambda b: abs(subject.parts[b]), default=None)
        if base is None:
            return None
        slope = form.parts.get(base, 0.0) / subject.parts[base]
        bare = Form(subject.parts, subject.constant)
        rest = self.lifting.combined(Form(form.parts, form.constant), bare, -slope)
        apart = sum(abs(c) * self.lifting.size(b) for b, c in rest.parts.items())
        if apart > 1e-9 * (1e-30 + self.lifting.reach(self.root)):
            return None
        return _Piece(slope, rest.constant, form.error + apart * 1.01 + rest.error)
