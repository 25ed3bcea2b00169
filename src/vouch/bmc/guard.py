"""Path conditions as a tree of branch decisions.

A `Guard` is its parent's condition and one more. Keeping the tree (instead of one big conjunction) lets a
join of all branches of an `if` collapse to the guard before it, and gives `ite` the small condition that
tells the branches apart rather than the whole path.
"""

from __future__ import annotations

from collections.abc import Sequence

from vouch.smt import term as T
from vouch.smt.term import Term


class Guard:
    """`condition` holds in addition to everything in `parent`. `term` is the whole conjunction."""

    __slots__ = ("condition", "depth", "parent", "term")

    def __init__(self, parent: Guard | None, condition: Term) -> None:
        self.parent = parent
        self.condition = condition
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.term: Term = condition if parent is None else T.and_(parent.term, condition)

    def and_(self, condition: Term) -> Guard:
        """This path and `condition`; the same guard where that adds nothing."""
        return self if condition is T.TRUE else Guard(self, condition)

    @property
    def dead(self) -> bool:
        return self.term is T.FALSE


def root() -> Guard:
    return Guard(None, T.TRUE)


def relative(guard: Guard, ancestor: Guard) -> Term:
    """What `guard` demands beyond `ancestor`."""
    conditions = []
    node = guard
    while node is not ancestor:
        conditions.append(node.condition)
        if node.parent is None:
            raise ValueError("not an ancestor")
        node = node.parent
    return T.and_(*reversed(conditions)) if conditions else T.TRUE


def common_ancestor(guards: Sequence[Guard]) -> Guard:
    first = guards[0]
    for other in guards[1:]:
        while first is not other:
            if first.depth >= other.depth:
                assert first.parent is not None
                first = first.parent
            else:
                assert other.parent is not None
                other = other.parent
    return first


def join(guards: Sequence[Guard]) -> tuple[Guard, list[Term]]:
    """The guard that holds when one of `guards` does, and for each the condition that singles it out.

    The guards must exclude each other. The conditions are relative to the closest common ancestor, so they
    are meaningful only where the joined guard holds.
    """
    if len(guards) == 1:
        return guards[0], [T.TRUE]
    ancestor = common_ancestor(guards)
    conditions = [relative(g, ancestor) for g in guards]
    whole = T.or_(*conditions) if not _covers(guards, ancestor) else T.TRUE
    return ancestor.and_(whole), conditions


def _covers(guards: Sequence[Guard], ancestor: Guard) -> bool:
    """Do the guards together make up the ancestor? Sound, found by pairing siblings (c, not c)."""
    left: dict[int, Guard] = {id(g): g for g in guards}
    siblings: dict[tuple[int, int], Guard] = {}
    work = list(guards)
    while work:
        guard = work.pop()
        if id(guard) not in left or guard is ancestor or guard.parent is None:
            continue
        negated = T.not_(guard.condition)
        other = siblings.get((id(guard.parent), negated.id))
        if other is not None and id(other) in left:
            del left[id(guard)], left[id(other)]
            left[id(guard.parent)] = guard.parent
            work.append(guard.parent)
        else:
            siblings[(id(guard.parent), guard.condition.id)] = guard
    return len(left) == 1 and id(ancestor) in left
