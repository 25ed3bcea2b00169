"""Copies whose places must not overlap (`memcpy` and its kin).

An overlap that the program itself makes is a violation. Code outside may hand over overlapping places as
well, which nobody can exclude from inside: it is assumed not to, and each verdict on such a copy says so.

Whose overlap it is shows in the conditions under which two pointers lead to one object: what code outside
chose is a symbol of its own (`Environment.choices`), and pointers that come from one another hang on the same
ones. For a function that the program calls, looked at alone, every overlap may be the program's.
"""

from __future__ import annotations

from vouch.bmc.execution import Execution
from vouch.bmc.value import Kind, MemObject, Pointer
from vouch.smt import term as T
from vouch.smt.term import Term
from vouch.smt.walk import symbols

_MEMORY = (Kind.STACK, Kind.HEAP, Kind.GLOBAL, Kind.OUTSIDE)


def overlap(
    ex: Execution, destination: Pointer, source: Pointer, size: Term, *, same: bool = True
) -> tuple[Term, bool]:
    """Where two stretches overlap and the program may have made it so, but not where they are the `same`; and
    whether others are taken not to, which code outside hands over."""
    found: Term = T.FALSE
    assumed = False
    for guard, target, to in destination.targets:
        for other, origin, start in source.targets:
            both = T.and_(guard, other)
            if both is T.FALSE or target.kind not in _MEMORY or origin.kind not in _MEMORY:
                continue
            if target is origin:
                mixed, foreign = _mixed(to, start, size, same), _is_chosen(ex, guard, other)
            else:
                mixed, foreign = _between(ex, target, to, origin, start, size, same)
            mixed = T.and_(both, mixed)
            if foreign:
                assumed = assumed or mixed is not T.FALSE
            else:
                found = T.or_(found, mixed)
    return found, assumed


def _mixed(to: Term, start: Term, size: Term, same: bool) -> Term:
    """Where stretches share bytes; those that are the `same` do not count."""
    near = T.or_(T.ult(T.sub(to, start), size), T.ult(T.sub(start, to), size))
    return T.and_(T.ne(to, start), near) if same else near


def _is_chosen(ex: Execution, guard: Term, other: Term) -> bool:
    """Whether code outside chose that two pointers lead to one object."""
    if guard is other or ex.scope is not None:
        return False
    choices = ex.context.environment.choices
    first, second = ({s for s in symbols(term) if s in choices} for term in (guard, other))
    return first != second


def _between(
    ex: Execution, target: MemObject, to: Term, origin: MemObject, start: Term, size: Term, same: bool
) -> tuple[Term, bool]:
    """Where stretches of two objects do that may overlap, and whether code outside hands them over."""
    environment = ex.context.environment
    found = environment.overlaps.between(target, origin)
    element = environment.overlaps.element(target, origin)
    if found is None or (element is not None and size.value is not None and int(size.value) <= element):
        return T.FALSE, False
    if environment.typed and not environment.restricted.isdisjoint((target, origin)):
        return T.FALSE, False  # the caller would break the rules of the language
    symbol, distance = found
    mixed = T.and_(symbol, _mixed(to, T.add(start, distance), size, same))
    return mixed, not any(_is_of_program(ex, held) for held in (target, origin))


def _is_of_program(ex: Execution, target: MemObject) -> bool:
    """Whether the program itself may have made what leads to an object that overlaps others."""
    scope = ex.scope
    if scope is None:
        return False
    if scope.inner or target in ex.context.environment.suspects:
        return True
    return target.kind not in (Kind.OUTSIDE, Kind.GLOBAL)
