"""Random formulas: rewriting keeps their meaning, and all solvers say the same about them."""

from __future__ import annotations

import random
from typing import Any

import pytest
import z3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vouch.errors import Unsupported, VouchError
from vouch.smt import softfloat as sf
from vouch.smt import term as T
from vouch.smt.balance import balance
from vouch.smt.chain import make
from vouch.smt.intervals import bounds
from vouch.smt.narrow import narrow
from vouch.smt.operators import OPERATORS, ArrayValue
from vouch.smt.printer import script
from vouch.smt.solver import Answer
from vouch.smt.walk import evaluate, order, substitute
from vouch.smt.z3 import Z3Solver

genes = st.lists(st.tuples(st.integers(0, 9999), *[st.integers(0, 11)] * 3), min_size=1, max_size=25)
theories = st.tuples(st.integers(2, 4), st.booleans(), st.booleans())
many = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
few = settings(parent=many, max_examples=25)


def _random_value(sort: T.Sort, chance: random.Random) -> Any:
    match sort.kind:
        case "bool":
            return chance.random() < 0.5
        case "bv":
            return chance.choice((chance.getrandbits(sort.width), 0, (1 << sort.width) - 1))
        case "fp":
            return sf.canonical(sort, chance.getrandbits(sort.width))
        case "array":
            value = ArrayValue(_random_value(sort.element, chance), {})
            return value.store(*(_random_value(sort.key, chance) for _ in "ab"))


def _assignments(symbols: list[T.Term], seed: int) -> list[dict[T.Term, Any]]:
    chance = random.Random(seed)
    return [{s: _random_value(s.sort, chance) for s in symbols} for _ in range(8)]


def _twins(soup: Any, theory: tuple[int, bool, bool], genome: list[Any]) -> tuple[Any, Any, list[Any]]:
    """The same genes grown plainly and with rewriting, and all pairs of terms that must agree."""
    T.active().clear()
    T.active().switch(simplify=False)
    plain = soup(*theory)
    plain.grow(genome)
    T.active().switch(simplify=True)
    rewritten = soup(*theory)
    rewritten.grow(genome)
    pairs = [
        pair for sort, terms in plain.terms.items() for pair in zip(terms, rewritten.terms[sort], strict=True)
    ]
    return plain, rewritten, pairs


@many
@given(theory=theories, genome=genes, seed=st.integers(0, 999))
def test_rewriting_keeps_every_value(soup: Any, theory: Any, genome: Any, seed: int) -> None:
    plain, _, pairs = _twins(soup, theory, genome)
    for values in _assignments(plain.symbols, seed):
        memo: dict[T.Term, Any] = {}
        for a, b in pairs:
            assert evaluate(a, values, memo=memo) == evaluate(b, values, memo=memo)


@many
@given(theory=theories, genome=genes, seed=st.integers(0, 999))
def test_intervals_contain_every_value(soup: Any, theory: Any, genome: Any, seed: int) -> None:
    plain, _, pairs = _twins(soup, theory, genome)
    for values in _assignments(plain.symbols, seed):
        memo: dict[T.Term, Any] = {}
        for term in [t for pair in pairs for t in pair if t.sort.kind == "bv"]:
            low, high = bounds(term)
            value, size = evaluate(term, values, memo=memo), 1 << term.width
            assert -size // 2 <= low <= high < size
            assert low <= value <= high or low <= value - size <= high


@many
@given(theory=theories, genome=genes)
def test_nodes_have_the_sorts_of_the_table(soup: Any, theory: Any, genome: Any) -> None:
    _, _, pairs = _twins(soup, theory, genome)
    for term in order([t for pair in pairs for t in pair]):
        if term.args:
            row = OPERATORS[term.op]
            assert row.result(term) is term.sort
            assert len(term.args) == row.arity or (row.arity is None and len(term.args) >= 2)
            assert all(arg.id < term.id for arg in term.args)


@many
@given(theory=theories, genome=genes, seed=st.integers(0, 999))
def test_preparation_and_substitution_keep_values(soup: Any, theory: Any, genome: Any, seed: int) -> None:
    plain, _, pairs = _twins(soup, theory, genome)
    roots = [b for _, b in pairs]
    prepared = narrow(balance(roots, {}), {})
    x, y = (T.symbol(name, T.bitvec(theory[0])) for name in "xy")
    swapped = [substitute(root, {x: y, y: x}) for root in roots]
    for values in _assignments(plain.symbols, seed):
        exchanged = {**values, x: values[y], y: values[x]}
        for root, other, swap in zip(roots, prepared, swapped, strict=True):
            assert evaluate(root, values) == evaluate(other, values)
            assert evaluate(root, exchanged) == evaluate(swap, values)


@few
@given(theory=theories, genome=genes)
def test_a_solver_proves_rewriting(soup: Any, theory: Any, genome: Any) -> None:
    _, _, pairs = _twins(soup, theory, genome)
    a, b = pairs[-1] if pairs[-1][0].sort.kind != "array" else pairs[0]
    T.active().switch(simplify=False)
    solver = make("bitwuzla")
    solver.add(T.ne(a, b))
    assert solver.check(timeout=20) is not Answer.SAT


@few
@given(theory=theories, genome=genes)
def test_solvers_agree(soup: Any, theory: Any, genome: Any) -> None:
    """Models are checked on the way by `make`, so SAT is right; UNSAT must then be unanimous."""
    T.active().clear()
    T.active().switch(simplify=False)
    mixture = soup(*theory)
    claim = mixture.claim(genome)
    answers = {}
    for name in ("bitwuzla", "z3", "cvc5", "boolector", "yices"):
        try:
            solver = make(name)
            solver.add(claim)
            answers[name] = solver.check([mixture.symbols[0]], timeout=1 if name == "z3" else 20)
            solver.close()
        except Unsupported:
            continue
        except VouchError as error:
            pytest.skip(str(error))
    assert len(set(answers.values()) - {Answer.UNKNOWN}) == 1, answers


@few
@given(theory=st.tuples(st.integers(2, 4), st.just(False), st.booleans()), genome=genes)
def test_printed_text_means_the_same_to_z3(soup: Any, theory: Any, genome: Any) -> None:
    T.active().clear()
    T.active().switch(simplify=False)
    claim = soup(*theory).claim(genome)
    ours = Z3Solver()
    converted = z3.BoolRef(ours.convert(claim).ast, ours._context)
    [parsed] = z3.parse_smt2_string(script([claim]), ctx=ours._context)
    check = z3.Solver(ctx=ours._context)
    check.add(parsed != converted)
    assert check.check() == z3.unsat
