"""The one walk over term graphs, and the small things made of it.

`order` lists terms with arguments first; everything that visits a graph (printing, evaluation,
substitution, conversion for solvers) is a loop over it with a memo. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any

from vouch.smt import term as T
from vouch.smt.node import Term, constant, make
from vouch.smt.operators import OPERATORS


def order(roots: Iterable[Term], done: Container[Term] = ()) -> list[Term]:
    """All terms reachable from `roots` without passing through `done`, arguments before users."""
    seen: set[Term] = set()
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term not in seen and term not in done:
            seen.add(term)
            stack.extend(term.args)
    return sorted(seen, key=_by_id)


def _by_id(term: Term) -> int:
    return term.id


def sole_users(cone: Sequence[Term], roots: Iterable[Term]) -> dict[Term, str]:
    """For every term the operator of its only user in `cone`; "" where it has more, or is a root."""
    users = dict.fromkeys(roots, "")
    for term in cone:
        for arg in term.args:
            users[arg] = "" if arg in users else term.op
    return users


def symbols(*roots: Term) -> list[Term]:
    """The free symbols of the cone of influence of `roots`, oldest first."""
    return [term for term in order(roots) if term.op == "symbol"]


def count(*roots: Term) -> int:
    """How many distinct terms `roots` consist of."""
    return len(order(roots))


def evaluate(
    root: Term,
    values: Mapping[Term, Any],
    missing: Callable[[Term], Any] | None = None,
    memo: dict[Term, Any] | None = None,
) -> Any:
    """The value of `root` when symbols have `values`: int, bool, IEEE bits or ArrayValue.

    A symbol without value is asked of `missing`, or is a KeyError. `memo` keeps results between calls
    that share an assignment. Terms other than symbols may be given values, too.
    """
    memo = {} if memo is None else memo
    for term in order((root,), memo):
        if term in values:
            memo[term] = values[term]
        elif term.value is not None:
            memo[term] = term.value
        elif term.op == "symbol":
            if missing is None:
                raise KeyError(f"no value for {term.name}")
            memo[term] = missing(term)
        else:
            memo[term] = OPERATORS[term.op].fold(term, *[memo[arg] for arg in term.args])
    return memo[root]


def substitute(root: Term, replacement: Mapping[Term, Term], memo: dict[Term, Term] | None = None) -> Term:
    """`root` with terms replaced, rebuilt (and so simplified again) on the way up."""
    memo = {} if memo is None else memo
    memo.update(replacement)
    for term in order((root,), memo):
        memo[term] = rebuild(term, tuple([memo[arg] for arg in term.args]))
    return memo[root]


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The operator of `term` on other arguments, through its constructor."""
    if args == term.args:
        return term
    make_it = _CONSTRUCTORS.get(term.op)
    if make_it is None:
        constructor: Callable[..., Term] = getattr(T, _SPELLING.get(term.op, term.op))
        return constructor(*args)
    return make_it(term, args)


def _convert(op: str) -> Callable[[Term, tuple[Term, ...]], Term]:
    """The bare conversion to an integer: its guard is a node of its own above it."""

    def build(term: Term, args: tuple[Term, ...]) -> Term:
        if args[0].value is None:
            return make(op, args, term.sort, term.index)
        node = Term(op, args, term.sort, term.index)
        return constant(OPERATORS[op].fold(node, args[0].value), term.sort)

    return build


_SPELLING = {"and": "and_", "or": "or_", "not": "not_"}
_CONSTRUCTORS: dict[str, Callable[[Term, tuple[Term, ...]], Term]] = {
    "extract": lambda t, a: T.extract(a[0], int(t.index[0]), int(t.index[1])),
    "zext": lambda t, a: T.zext(a[0], t.width),
    "sext": lambda t, a: T.sext(a[0], t.width),
    "fp_round": lambda t, a: T.fp_round(a[0], str(t.index[0]).lower()),
    "fp_from_bits": lambda t, a: T.fp_from_bits(a[0], t.sort),
    "fp_from_sbv": lambda t, a: T.fp_from_sbv(a[0], t.sort),
    "fp_from_ubv": lambda t, a: T.fp_from_ubv(a[0], t.sort),
    "fp_to_fp": lambda t, a: T.fp_to_fp(a[0], t.sort),
    "fp_to_sbv": _convert("fp_to_sbv"),
    "fp_to_ubv": _convert("fp_to_ubv"),
    "const_array": lambda t, a: T.const_array(t.sort, a[0]),
}
