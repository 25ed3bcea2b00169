"""Terms as SMT-LIB 2 text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from vouch.smt.node import Term
from vouch.smt.operators import OPERATORS
from vouch.smt.sort import Sort
from vouch.smt.walk import order

_SIMPLE = re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/-][0-9A-Za-z~!@$%^&*_+=<>.?/-]*")
_RESERVED = frozenset({"let", "exists", "forall", "par", "as", "true", "false", "not", "and", "or", "ite"})
_BRIEF = 200


def quote(name: str) -> str:
    """A symbol as SMT-LIB writes it. Bars and backslashes, which it cannot quote, become underscores."""
    if _SIMPLE.fullmatch(name) and name not in _RESERVED and not name.startswith(("_t", "bv")):
        return name
    return "|" + name.replace("|", "_").replace("\\", "_") + "|"


def literal(value: int | bool, sort: Sort) -> str:
    """A constant."""
    if sort.kind == "bool":
        return "true" if value else "false"
    if sort.kind == "bv":
        return f"(_ bv{value} {sort.width})"
    fraction = sort.significand - 1
    sign = value >> (sort.width - 1)
    exponent = (value >> fraction) & ((1 << sort.exponent) - 1)
    rest = value & ((1 << fraction) - 1)
    return f"(fp #b{sign} #b{exponent:0{sort.exponent}b} #b{rest:0{fraction}b})"


def node(term: Term, args: Sequence[str]) -> str:
    """One node, its arguments given as text."""
    if term.value is not None:
        return literal(term.value, term.sort)
    if term.op == "symbol":
        return quote(term.name)
    if term.op == "const_array":
        return f"((as const {term.sort!r}) {args[0]})"
    head = OPERATORS[term.op].smtlib.format(*term.index)
    return f"({head} {' '.join(args)})"


def definitions(terms: Iterable[Term], known: dict[Term, str]) -> Iterable[str]:
    """Commands that declare and define what `terms` need beyond `known`, which learns their names.

    Every inner node is a definition of its own, so that shared parts are printed once.
    """
    for term in order(terms, known):
        text = node(term, [known[arg] for arg in term.args])
        if term.op == "symbol":
            yield f"(declare-const {text} {term.sort!r})"
        elif term.args:
            yield f"(define-fun _t{term.id} () {term.sort!r} {text})"
            text = f"_t{term.id}"
        known[term] = text


def script(assertions: Sequence[Term], logic: str = "ALL", comments: Sequence[str] = ()) -> str:
    """A complete SMT-LIB 2 file that asks whether all `assertions` can hold."""
    lines = [f"; {comment}" for comment in comments]
    lines.append(f"(set-logic {logic})")
    known: dict[Term, str] = {}
    lines.extend(definitions(assertions, known))
    lines.extend(f"(assert {known[assertion]})" for assertion in assertions)
    lines.append("(check-sat)\n")
    return "\n".join(lines)


def brief(term: Term, depth: int = 4) -> str:
    """A short text for people: deep parts are elided."""
    if depth == 0 and term.args:
        return "…"
    text = node(term, [brief(arg, depth - 1) for arg in term.args])
    return text if len(text) <= _BRIEF else text[:_BRIEF] + "…"
