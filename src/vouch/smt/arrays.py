"""Constructors of array terms: reads look through writes at indices that are known to differ."""

from __future__ import annotations

from vouch.smt.compare import eq
from vouch.smt.node import FALSE, TRUE, Term, make, switches
from vouch.smt.sort import Sort

_LOOK = 256  # How many writes a read looks through.


def const_array(sort: Sort, value: Term) -> Term:
    """The array of that array sort which holds `value` everywhere."""
    if sort.element is not value.sort:
        raise TypeError(f"{value.sort!r} is not the element of {sort!r}")
    return make("const_array", (value,), sort)


def _expect(a: Term, i: Term) -> None:
    if a.sort.key is not i.sort:
        raise TypeError(f"index of sort {i.sort!r} into {a.sort!r}")


def select(a: Term, i: Term) -> Term:
    """The element of `a` at `i`."""
    _expect(a, i)
    element = a.sort.element
    assert element is not None
    if switches.simplify:
        for _ in range(_LOOK):
            if a.op == "const_array":
                return a.args[0]
            if a.op != "store":
                break
            same = eq(a.args[1], i)
            if same is TRUE:
                return a.args[2]
            if same is not FALSE:
                break
            a = a.args[0]
    return make("select", (a, i), element)


def store(a: Term, i: Term, v: Term) -> Term:
    """`a` with `v` at `i`."""
    _expect(a, i)
    if a.sort.element is not v.sort:
        raise TypeError(f"{v.sort!r} is not the element of {a.sort!r}")
    if switches.simplify:
        if v.op == "select" and v.args[0] is a and v.args[1] is i:
            return a
        if a.op == "store" and a.args[1] is i:
            a = a.args[0]
    return make("store", (a, i, v), a.sort)
