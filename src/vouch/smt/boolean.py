"""Constructors of the core theory, with their local rewriting.

Normal forms: ite conditions are never negations; xor is a negated equality; conjunctions and
disjunctions are flat up to `FAN` arguments, in order of id, without repetition or complement.
"""

from __future__ import annotations

from functools import reduce

from vouch.smt.node import FALSE, TRUE, Term, boolean, existing, make, switches
from vouch.smt.sort import BOOL

FAN = 8  # Flattening stops here: longer chains nest, so that growing one costs O(1).


def _expect_bool(*terms: Term) -> None:
    for term in terms:
        if term.sort is not BOOL:
            raise TypeError(f"expected a boolean, got {term.sort!r}")


def not_(a: Term) -> Term:
    if a.op == "not":
        return a.args[0]
    if a.value is not None:
        return FALSE if a.value else TRUE
    if a.sort is not BOOL:
        _expect_bool(a)
    return make("not", (a,), BOOL)


def and_(*xs: Term) -> Term:
    if len(xs) == 2:
        return _join("and", "or", xs[0], xs[1], TRUE, FALSE)
    return _join_many("and", "or", xs, TRUE, FALSE)


def or_(*xs: Term) -> Term:
    if len(xs) == 2:
        return _join("or", "and", xs[0], xs[1], FALSE, TRUE)
    return _join_many("or", "and", xs, FALSE, TRUE)


def _join_many(op: str, dual: str, xs: tuple[Term, ...], neutral: Term, zero: Term) -> Term:
    """Joins many arguments as a balanced tree, or as a chain when balancing is off."""
    layer = list(dict.fromkeys(xs))
    if not switches.balance:
        return reduce(lambda a, b: _join(op, dual, a, b, neutral, zero), layer, neutral)
    while len(layer) > 1:
        pairs = zip(layer[::2], layer[1::2], strict=False)
        joined = [_join(op, dual, a, b, neutral, zero) for a, b in pairs]
        layer = joined + layer[len(joined) * 2 :]
    return layer[0] if layer else neutral


def _join(op: str, dual: str, a: Term, b: Term, neutral: Term, zero: Term) -> Term:
    """a op b, where `neutral` and `zero` are the constants of op."""
    if a.sort is not BOOL or b.sort is not BOOL:
        _expect_bool(a, b)
    if a is zero or b is zero:
        return zero
    if a is neutral or a is b:
        return b
    if b is neutral:
        return a
    if not switches.simplify:
        return make(op, (a, b) if a.id < b.id else (b, a), BOOL)
    left = a.args if a.op == op else (a,)
    right = b.args if b.op == op else (b,)
    if len(left) + len(right) > FAN:
        return _join_wide(op, a, b, left, right, zero)
    members = set(left)
    members.update(right)
    opposites = [not_of(x) for x in right]
    for opposite in opposites:
        if opposite in members:
            return zero
    # Each side is reduced already: only parts of the one that the other has can go.
    for x in left:
        if x.op == dual and not (set(x.args).isdisjoint(right) and set(x.args).isdisjoint(opposites)):
            return _rejoin(op, dual, members, x, neutral, zero)
    for x in right:
        if x.op == dual and _absorb(dual, x, members) is not x:
            return _rejoin(op, dual, members, x, neutral, zero)
    if len(left) == len(right) == 1 and a.op == b.op == dual:
        factored = _factor(op, dual, a, b, neutral, zero)
        if factored is not None:
            return factored
    return make(op, tuple(sorted(members, key=_by_id)), BOOL)


def _by_id(term: Term) -> int:
    return term.id


def not_of(a: Term) -> Term | None:
    """The complement of a boolean if it has been made: one that was not cannot be an argument."""
    return a.args[0] if a.op == "not" else existing("not", (a,), BOOL)


def _join_wide(
    op: str, a: Term, b: Term, left: tuple[Term, ...], right: tuple[Term, ...], zero: Term
) -> Term:
    """A pair of wide operands, kept nested; one inside the other is still noticed."""
    if a in right:
        return b
    if b in left:
        return a
    if not_of(a) in right or not_of(b) in left:
        return zero
    return make(op, (a, b) if a.id < b.id else (b, a), BOOL)


def _absorb(dual: str, x: Term, members: set[Term]) -> Term:
    """What x = (p dual q …) adds to `members`: that member if one is among p, q, …; otherwise x
    without the parts whose complement is a member."""
    kept = []
    for part in x.args:
        if part in members:
            return part
        if not_of(part) not in members:
            kept.append(part)
    if len(kept) == len(x.args):
        return x
    return or_(*kept) if dual == "or" else and_(*kept)


def _rejoin(op: str, dual: str, members: set[Term], old: Term, neutral: Term, zero: Term) -> Term:
    """The members joined, with what `old` adds to the others instead of `old`."""
    new = _absorb(dual, old, members)
    members.discard(old)
    rest = sorted(members, key=_by_id)
    joined = make(op, tuple(rest), BOOL) if len(rest) > 1 else rest[0] if rest else neutral
    return _join(op, dual, joined, new, neutral, zero)


def _factor(op: str, dual: str, a: Term, b: Term, neutral: Term, zero: Term) -> Term | None:
    """(p dual x) op (p dual y) = p dual (x op y): guards meet again after a branch this way."""
    common = [part for part in a.args if part in b.args]
    if not common:
        return None
    # For the dual operator the roles of the constants are exchanged.
    rest_a = _join_many(dual, op, tuple(x for x in a.args if x not in common), zero, neutral)
    rest_b = _join_many(dual, op, tuple(x for x in b.args if x not in common), zero, neutral)
    inner = _join(op, dual, rest_a, rest_b, neutral, zero)
    return _join_many(dual, op, (*common, inner), zero, neutral)


def implies(a: Term, b: Term) -> Term:
    return or_(not_(a), b)


def xor(a: Term, b: Term) -> Term:
    return not_(iff(a, b))


def iff(a: Term, b: Term) -> Term:
    """Equality of booleans."""
    if a.sort is not BOOL or b.sort is not BOOL:
        _expect_bool(a, b)
    if a is b:
        return TRUE
    if a.value is not None:
        return b if a.value else not_(b)
    if b.value is not None:
        return a if b.value else not_(a)
    if switches.simplify and (a.op == "not" or b.op == "not"):
        if not_of(a) is b:
            return FALSE
        if a.op == "not":
            return iff(a.args[0], b.args[0]) if b.op == "not" else not_(iff(a.args[0], b))
        return not_(iff(a, b.args[0]))
    return make("eq", (a, b) if a.id < b.id else (b, a), BOOL)


def ite(c: Term, a: Term, b: Term) -> Term:
    """`a` where `c` holds, else `b`; any sort."""
    if c is TRUE or a is b:
        return a
    if c is FALSE:
        return b
    if c.sort is not BOOL:
        _expect_bool(c)
    if a.sort is not b.sort:
        raise TypeError(f"branches of sorts {a.sort!r} and {b.sort!r}")
    if not switches.simplify:
        return make("ite", (c, a, b), a.sort)
    if c.op == "not":
        c, a, b = c.args[0], b, a
    if a.sort is BOOL:
        return _ite_bool(c, a, b)
    return _ite_nested(c, a, b)


def _ite_bool(c: Term, a: Term, b: Term) -> Term:
    if a.value is not None:
        return or_(c, b) if a.value else and_(not_(c), b)
    if b.value is not None:
        return or_(not_(c), a) if b.value else and_(c, a)
    if a is c:
        return or_(c, b)
    if b is c:
        return and_(c, a)
    if not_of(a) is b:
        return iff(c, a)
    return _ite_nested(c, a, b)


def _ite_nested(c: Term, a: Term, b: Term) -> Term:
    """Branches that are conditionals themselves: same condition, or a shared outcome."""
    if a.op == "ite":
        d, x, y = a.args
        if d is c:
            return ite(c, x, b)
        if y is b:
            return ite(and_(c, d), x, b)
        if x is b:
            return ite(and_(c, not_(d)), y, b)
    if b.op == "ite":
        d, x, y = b.args
        if d is c:
            return ite(c, a, y)
        if x is a:
            return ite(or_(c, d), a, y)
        if y is a:
            return ite(or_(c, not_(d)), a, x)
    return make("ite", (c, a, b), a.sort)


__all__ = ["FALSE", "TRUE", "and_", "boolean", "iff", "implies", "ite", "not_", "or_", "xor"]
