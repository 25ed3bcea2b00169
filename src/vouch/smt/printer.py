"""Terms as SMT-LIB 2 text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from vouch.smt.node import Term
from vouch.smt.operators import OPERATORS
from vouch.smt.sort import Sort
from vouch.smt.walk import order

_SIMPLE = re.compile(r"[A-Za-z~!@$%^&*_+=<>.?/-][0-9A-Za-z~!@$%^&*_+=<>.?/-]*")
# Words that mean something else unquoted, and names that definitions below use.
_TAKEN = re.compile(
    r"let|exists|forall|par|as|true|false|not|and|or|ite|xor|distinct|select|store|bv.*|fp.*|RN.|RT."
)
_CLASH = re.compile(r"_t\d+|.*[|\\].*|", re.DOTALL)
# Spelled out, since older solvers lack bvsaddo and its kin: the exact result in a wider vector differs.
_OVERFLOW = {
    "sadd_overflow": ("bvadd", "sign_extend"),
    "ssub_overflow": ("bvsub", "sign_extend"),
    "smul_overflow": ("bvmul", "sign_extend"),
    "umul_overflow": ("bvmul", "zero_extend"),
}


def quote(term: Term) -> str:
    """The name of a symbol as SMT-LIB writes it. Names that it cannot quote are made unique by the id."""
    name = term.name
    if _SIMPLE.fullmatch(name) and not _TAKEN.fullmatch(name) and not _CLASH.fullmatch(name):
        return name
    if _CLASH.fullmatch(name):
        name = name.replace("|", "_").replace("\\", "_") + f"#{term.id}"
    return f"|{name}|"


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
        return quote(term)
    if term.op == "const_array":
        return f"((as const {term.sort!r}) {args[0]})"
    if term.op in _OVERFLOW:
        return _overflow(term, args)
    head = OPERATORS[term.op].smtlib.format(*term.index)
    return f"({head} {' '.join(args)})"


def _overflow(term: Term, args: Sequence[str]) -> str:
    head, extension = _OVERFLOW[term.op]
    more = term.args[0].width if head == "bvmul" else 1
    wide = " ".join(f"((_ {extension} {more}) {arg})" for arg in args)
    return f"(not (= ((_ {extension} {more}) ({head} {' '.join(args)})) ({head} {wide})))"


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
