"""Arithmetic in as many bits as its values need.

C promotes to `int` what fits in a byte; a solver then multiplies 32 bits. Where the ranges of the operands
and of the result fit in fewer bits, the operation is done in those and its result extended. Applied on the
way to the solver only: the terms that callers hold keep the widths of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vouch.smt import term as T
from vouch.smt.intervals import Interval, signed_range, unsigned
from vouch.smt.node import Term
from vouch.smt.walk import order, rebuild, sole_users

_Operator = Callable[..., Term]


def narrow(roots: Sequence[Term], done: dict[Term, Term]) -> list[Term]:
    """Equivalents of `roots` in narrower arithmetic. `done` keeps what was narrowed before."""
    cone = order(roots, done)
    users = sole_users(cone, roots)
    # A sum is narrowed as a whole, so that sums of the same terms in another order stay alike.
    inner = {term for term in cone if term.op in _LINEAR and users[term] in _LINEAR}
    for term in cone:
        if term in inner:
            continue
        smaller = None
        if term.op in _LINEAR:
            smaller = _sum(term, inner, done)
        elif term.op in _RULES:
            smaller = _RULES[term.op](term, tuple([done[arg] for arg in term.args]))
        done[term] = smaller or rebuild(term, tuple([done[arg] for arg in term.args]))
    return [done[root] for root in roots]


def _sum(top: Term, inner: set[Term], done: dict[Term, Term]) -> Term:
    """A tree of additions: its low bits depend on low bits alone, so those that hold the total suffice,
    whatever happens on the way."""
    bits = _signed_bits(signed_range(top))
    parts: dict[Term, Term] = {}
    tree = [top]
    for term in tree:
        tree.extend(arg for arg in term.args if arg in inner)
    for term in reversed(tree):
        args = [parts[arg] if arg in inner else T.extract(done[arg], bits - 1, 0) for arg in term.args]
        parts[term] = _LINEAR[term.op](*args)
    return T.sext(parts[top], top.width)


def _signed_bits(*intervals: Interval) -> int:
    """How many bits hold all those values in two's complement."""
    return 1 + max((end if end >= 0 else ~end).bit_length() for interval in intervals for end in interval)


def _cut(args: Sequence[Term], bits: int) -> list[Term]:
    return [T.extract(arg, bits - 1, 0) for arg in args]


def _mul(term: Term, args: tuple[Term, ...]) -> Term | None:
    bits = _signed_bits(signed_range(term))
    return None if bits >= term.width else T.sext(T.mul(*_cut(args, bits)), term.width)


def _signed_division(operator: _Operator) -> Callable[[Term, tuple[Term, ...]], Term | None]:
    """The quotient is no farther from zero than the dividend; only the least value over -1 is, so the
    dividend gets room. Division by zero gives ±1 and the dividend, in any width."""

    def shrink(term: Term, args: tuple[Term, ...]) -> Term | None:
        (low, high), divisor = signed_range(term.args[0]), signed_range(term.args[1])
        bits = max(2, _signed_bits((low - 1, high), divisor))
        return None if bits >= term.width else T.sext(operator(*_cut(args, bits)), term.width)

    return shrink


def _unsigned_division(operator: _Operator) -> Callable[[Term, tuple[Term, ...]], Term | None]:
    def shrink(term: Term, args: tuple[Term, ...]) -> Term | None:
        (_, high), (least, divisor) = unsigned(term.args[0]), unsigned(term.args[1])
        bits = max(1, high.bit_length(), divisor.bit_length())
        if bits >= term.width or (least == 0 and term.op == "udiv"):  # x udiv 0 depends on the width
            return None
        return T.zext(operator(*_cut(args, bits)), term.width)

    return shrink


def _ite(term: Term, args: tuple[Term, ...]) -> Term | None:
    if term.sort.kind != "bv":
        return None
    bits = _signed_bits(*map(signed_range, term.args[1:]))
    return None if bits >= term.width else T.sext(T.ite(args[0], *_cut(args[1:], bits)), term.width)


def _compare(operator: _Operator) -> Callable[[Term, tuple[Term, ...]], Term | None]:
    def shrink(term: Term, args: tuple[Term, ...]) -> Term | None:
        if term.args[0].sort.kind != "bv":
            return None
        ranges = [signed_range(arg) for arg in term.args]
        bits = _signed_bits(*ranges)
        if bits >= args[0].width or (term.op == "ult" and min(ranges[0][0], ranges[1][0]) < 0):
            return None
        return operator(*_cut(args, bits))

    return shrink


_LINEAR: dict[str, _Operator] = {"add": T.add, "sub": T.sub, "neg": T.neg}
_RULES: dict[str, Callable[[Term, tuple[Term, ...]], Term | None]] = {
    "mul": _mul,
    "sdiv": _signed_division(T.sdiv),
    "srem": _signed_division(T.srem),
    "udiv": _unsigned_division(T.udiv),
    "urem": _unsigned_division(T.urem),
    "ite": _ite,
    "eq": _compare(T.eq),
    "ult": _compare(T.ult),
    "slt": _compare(T.slt),
}
