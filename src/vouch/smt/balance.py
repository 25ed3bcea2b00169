"""Long sums (and other associative chains) as balanced trees.

Sequential multiply-accumulate code makes chains as deep as they are long; a tree of the same operands
is shallower. Only nodes with one user are moved, so sharing is never lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from vouch.smt.node import Term, make
from vouch.smt.walk import order, rebuild, sole_users

_ASSOCIATIVE = frozenset({"add", "mul", "band", "bor", "bxor"})


def balance(roots: Sequence[Term], done: dict[Term, Term]) -> list[Term]:
    """Equivalents of `roots` with balanced chains. `done` keeps what was balanced before, so that later
    calls share it."""
    cone = order(roots, done)
    users = sole_users(cone, roots)
    # Terms whose only user has the same associative operator may be taken apart.
    inner = {term for term in cone if term.op in _ASSOCIATIVE and users[term] == term.op}
    for term in cone:
        if term in inner:
            continue
        if term.op in _ASSOCIATIVE and any(arg in inner for arg in term.args):
            done[term] = _tree(term, [done[leaf] for leaf in _leaves(term, inner)])
        else:
            done[term] = rebuild(term, tuple([done[arg] for arg in term.args]))
    return [done[root] for root in roots]


def _leaves(top: Term, inner: set[Term]) -> list[Term]:
    leaves: list[Term] = []
    stack = list(reversed(top.args))
    while stack:
        term = stack.pop()
        if term in inner:
            stack.extend(reversed(term.args))
        else:
            leaves.append(term)
    return leaves


def _tree(top: Term, layer: list[Term]) -> Term:
    while len(layer) > 1:
        pairs = [make(top.op, (a, b), top.sort) for a, b in zip(layer[::2], layer[1::2], strict=False)]
        layer = pairs + layer[len(pairs) * 2 :]
    return layer[0]
