"""How many inputs a second exhaustion runs: questions over 32 bits that no input satisfies, asked of all.

    python -m bench exhaustion [NAME…]

Printed for each: inputs, seconds of the processor on all cores together, and by the clock with compiling.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from vouch.numeric import exhaust
from vouch.numeric.emit import MathCall
from vouch.smt import term as T
from vouch.smt.node import Term
from vouch.smt.sort import FLOAT32, bitvec

Question = tuple[Term, dict[Term, MathCall]]


def _float(number: int) -> Term:
    return T.fp_from_sbv(T.bv(number, 32), FLOAT32)


def _root() -> Question:
    """sqrtf(x * x + 1) < |x|"""
    x = T.symbol("root.x", FLOAT32)
    return T.fp_lt(T.fp_sqrt(T.fp_add(T.fp_mul(x, x), _float(1))), T.fp_abs(x)), {}


def _quotient() -> Question:
    """|x / (1 + x * x)| > |x|"""
    x = T.symbol("quotient.x", FLOAT32)
    y = T.fp_div(x, T.fp_add(_float(1), T.fp_mul(x, x)))
    return T.fp_lt(T.fp_abs(x), T.fp_abs(y)), {}


def _product() -> Question:
    """Q15: (a * b + 2¹⁴) >> 15 is further than a half from the product"""
    a, b = (T.sext(T.symbol(f"product.{name}", bitvec(16)), 32) for name in "ab")
    whole = T.mul(a, b)
    error = T.sub(T.mul(T.ashr(T.add(whole, T.bv(1 << 14, 32)), T.bv(15, 32)), T.bv(1 << 15, 32)), whole)
    return T.or_(T.slt(T.bv(1 << 14, 32), error), T.slt(error, T.bv(-(1 << 14), 32))), {}


def _tangent() -> Question:
    """tanhf(x) > 1, by the library"""
    x = T.fp_from_bits(T.symbol("tangent.x", bitvec(32)), FLOAT32)
    y = T.symbol("tangent.y", FLOAT32)
    return T.fp_lt(_float(1), y), {y: MathCall("tanhf", (x,))}


QUESTIONS: dict[str, Callable[[], Question]] = {
    "root": _root,
    "quotient": _quotient,
    "product": _product,
    "tangent": _tangent,
}


def main(arguments: list[str]) -> int:
    wrong = 0
    for name in arguments or QUESTIONS:
        goal, calls = QUESTIONS[name]()
        posed = exhaust.pose([goal], [], calls)
        assert posed is not None
        spent, began = time.process_time(), time.monotonic()
        done = exhaust.decide(posed, began + 600)
        clock, spent = time.monotonic() - began, time.process_time() - spent
        wrong += not done.proved
        said = "none" if done.proved else f"found {done.found}"
        print(f"{name:9} {done.run:>13,} inputs: {said}; {spent:6.2f} s of processor, {clock:6.2f} s")
    return 1 if wrong else 0
