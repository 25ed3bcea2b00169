"""Constant folding of every operator against every solver: one query per solver for all of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from vouch.errors import Unsupported, VouchError
from vouch.smt import softfloat as sf
from vouch.smt import term as T
from vouch.smt.backends import backend
from vouch.smt.operators import OPERATORS
from vouch.smt.solver import Answer, Solver

SOLVERS = ("bitwuzla", "z3", "cvc5", "boolector", "yices")
INTEGERS: list[tuple[Callable[..., T.Term], int]] = [
    (T.add, 2), (T.sub, 2), (T.mul, 2), (T.udiv, 2), (T.urem, 2), (T.sdiv, 2), (T.srem, 2), (T.shl, 2),
    (T.lshr, 2), (T.ashr, 2), (T.band, 2), (T.bor, 2), (T.bxor, 2), (T.bnot, 1), (T.neg, 1), (T.ult, 2),
    (T.ule, 2), (T.ugt, 2), (T.uge, 2), (T.slt, 2), (T.sle, 2), (T.sgt, 2), (T.sge, 2), (T.eq, 2), (T.ne, 2),
    (T.concat, 2), (T.sadd_overflow, 2), (T.uadd_overflow, 2), (T.ssub_overflow, 2), (T.usub_overflow, 2),
    (T.smul_overflow, 2), (T.umul_overflow, 2), (lambda a: T.extract(a, 3, 1), 1),
    (lambda a: T.zext(a, a.width + 4), 1), (lambda a: T.sext(a, a.width + 4), 1),
    (lambda a, b: T.ite(T.ult(a, b), a, b), 2), (lambda a, b: T.xor(T.slt(a, b), T.ult(a, b)), 2),
]  # fmt: skip
FLOATS: list[tuple[Callable[..., T.Term], int]] = [
    (T.fp_add, 2), (T.fp_sub, 2), (T.fp_mul, 2), (T.fp_div, 2), (T.fp_fma, 3), (T.fp_sqrt, 1), (T.fp_neg, 1),
    (T.fp_abs, 1), (T.fp_min, 2), (T.fp_max, 2), (T.fp_eq, 2), (T.fp_lt, 2), (T.fp_le, 2), (T.eq, 2),
    (T.fp_is_nan, 1), (T.fp_is_inf, 1), (T.fp_is_zero, 1), (T.fp_is_negative, 1), (T.fp_is_subnormal, 1),
    (lambda a: T.fp_to_sbv(a, 8), 1), (lambda a: T.fp_to_ubv(a, 8), 1), (lambda a: T.fp_to_sbv(a, 40), 1),
    (lambda a: T.fp_to_fp(a, T.FLOAT64), 1), (lambda a: T.fp_to_fp(a, T.FLOAT32), 1),
    *[((lambda a, m=mode: T.fp_round(a, m)), 1) for mode in ("rne", "rna", "rtp", "rtn", "rtz")],
]  # fmt: skip


def _solver(name: str) -> Solver:
    try:
        return backend(name)
    except VouchError as error:
        pytest.skip(str(error))


def _constants(sort: T.Sort, chance: random.Random) -> T.Term:
    if sort.kind == "bv":
        top = (1 << sort.width) - 1
        return T.bv(
            chance.choice((0, 1, 2, top, top >> 1, (top >> 1) + 1, chance.randint(0, top))), sort.width
        )
    one = sf.from_integer(sort, 1)
    corners = (0, 1, one, sf.largest(sort), sf.infinity(sort), sf.nan(sort), 1 << (sort.significand - 1))
    near = one + chance.randint(-(9 << (sort.significand - 1)), 9 << (sort.significand - 1))
    bits = chance.choice((*corners, near, near, near, chance.getrandbits(sort.width - 1)))
    return T.fp_const(bits | chance.getrandbits(1) << (sort.width - 1), sort)


def _disagreements(
    rows: list[Any], sort: T.Sort, samples: int, seed: int
) -> tuple[list[T.Term], list[T.Term]]:
    """What pins symbols to constants, and claims that the operator on the symbols differs from folding."""
    chance = random.Random(seed)
    pins, claims = [], []
    for make, arity in rows:
        for _ in range(samples):
            constants = [_constants(sort, chance) for _ in range(arity)]
            symbols = [T.fresh("s", sort) for _ in constants]
            folded = make(*constants)
            assert folded.value is not None, (make, constants)
            pins += [T.eq(s, c) for s, c in zip(symbols, constants, strict=True)]
            claims.append(T.ne(make(*symbols), folded))
    return pins, claims


def _expect_agreement(name: str, pins: list[T.Term], claims: list[T.Term]) -> None:
    solver = _solver(name)
    for pin in pins:
        solver.add(pin)
    assert solver.check() is Answer.SAT  # the pins alone are consistent: no vacuous agreement
    if solver.check([T.or_(*claims)]) is Answer.SAT:
        wrong = [claim for claim in claims if solver.check([claim]) is Answer.SAT]
        pytest.fail(f"{name} disagrees: {wrong}")


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("width", [1, 5, 32])
def test_bit_vectors(name: str, width: int) -> None:
    rows = [row for row in INTEGERS if width > 3 or row[0].__name__ != "<lambda>"]
    _expect_agreement(name, *_disagreements(rows, T.bitvec(width), 12, width))


@pytest.mark.parametrize(
    ("name", "sort"),
    [(n, s) for n in ("bitwuzla", "z3") for s in (T.FLOAT16, T.FLOAT32, T.FLOAT64)]
    + [("cvc5", T.FLOAT32), ("cvc5", T.FLOAT64)],
    ids=str,
)
def test_floats(name: str, sort: T.Sort) -> None:
    _expect_agreement(name, *_disagreements(FLOATS, sort, 6, sort.width))


@pytest.mark.parametrize("name", ["bitwuzla", "z3", "cvc5"])
def test_conversions_to_floats(name: str) -> None:
    rows: list[Any] = [
        (lambda a: T.fp_from_sbv(a, T.FLOAT32), 1),
        (lambda a: T.fp_from_ubv(a, T.FLOAT32), 1),
        (lambda a: T.fp_from_sbv(a, T.FLOAT64), 1),
        (lambda a: T.fp_from_bits(a, T.FLOAT32), 1),
    ]
    _expect_agreement(name, *_disagreements(rows, T.bitvec(32), 20, 7))


@pytest.mark.parametrize(
    ("name", "sort"), [("bitwuzla", T.FLOAT16), ("z3", T.FLOAT16), ("cvc5", T.FLOAT32)], ids=str
)
def test_remainder(name: str, sort: T.Sort) -> None:
    _expect_agreement(name, *_disagreements([(T.fp_rem, 2), (T.fp_fmod, 2)], sort, 8, 3))


def test_every_operator_is_covered() -> None:
    """The rows above, built on symbols, use every operator of the table but arrays and connectives."""
    used = set()
    for rows, sort in ((INTEGERS, T.bitvec(8)), (FLOATS, T.FLOAT32)):
        for make, arity in rows:
            stack = [make(*[T.fresh("s", sort) for _ in range(arity)])]
            while stack:
                term = stack.pop()
                used.add(term.op)
                stack.extend(term.args)
    elsewhere = {"fp_from_sbv", "fp_from_ubv", "fp_from_bits", "fp_rem"}
    connectives = {"and", "or", "const_array", "select", "store"}
    assert set(OPERATORS) - used - elsewhere - connectives == set()


def test_missing_theories_are_named() -> None:
    claim = T.fp_lt(T.symbol("f", T.FLOAT32), T.symbol("g", T.FLOAT32))
    for name in ("boolector", "yices"):
        with pytest.raises(Unsupported, match="floating-point"):
            _solver(name).add(claim)
    odd = T.fp_is_nan(T.symbol("h", T.floating(15, 64)))
    for name in ("bitwuzla", "cvc5"):
        with pytest.raises(Unsupported, match="15 exponent"):
            _solver(name).add(odd)
