"""Terms made a second, terms converted a second for each solver, and what preparation buys.

Construction and conversion are compared with the same formula made directly through Bitwuzla's API.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import pairwise

import bitwuzla

from vouch.errors import Unsupported, VouchError
from vouch.smt import term as T
from vouch.smt.backends import backend
from vouch.smt.chain import make
from vouch.smt.intervals import signed_range
from vouch.smt.solver import Answer
from vouch.smt.walk import count, evaluate, symbols

_STEPS = 20_000


def _program(steps: int) -> T.Term:
    """Terms as symbolic execution makes them: arithmetic, guards and merges in one long run."""
    state = [T.symbol(f"s{n}", T.bitvec(32)) for n in range(16)]
    guard = T.TRUE
    for n in range(steps):
        a, b = state[n % 16], state[(n * 7 + 3) % 16]
        value = T.add(T.bxor(a, b), T.bv(n & 255, 32))
        condition = T.slt(value, b)
        guard = T.and_(guard, T.or_(condition, T.eq(a, T.bv(n, 32))))
        state[(n * 5 + 1) % 16] = T.ite(condition, value, T.sub(a, b))
    return T.and_(guard, *[T.ult(a, b) for a, b in pairwise(state)])


def _direct(steps: int) -> int:
    """The same, without our terms."""
    tm, kind = bitwuzla.TermManager(), bitwuzla.Kind
    sort = tm.mk_bv_sort(32)
    state = [tm.mk_const(sort, f"s{n}") for n in range(16)]
    guard = tm.mk_true()
    for n in range(steps):
        a, b = state[n % 16], state[(n * 7 + 3) % 16]
        value = tm.mk_term(kind.BV_ADD, [tm.mk_term(kind.BV_XOR, [a, b]), tm.mk_bv_value(sort, n & 255)])
        condition = tm.mk_term(kind.BV_SLT, [value, b])
        same = tm.mk_term(kind.EQUAL, [a, tm.mk_bv_value(sort, n)])
        guard = tm.mk_term(kind.AND, [guard, tm.mk_term(kind.OR, [condition, same])])
        state[(n * 5 + 1) % 16] = tm.mk_term(kind.ITE, [condition, value, tm.mk_term(kind.BV_SUB, [a, b])])
    return 9 * steps


def _timed(label: str, work: Callable[[], int]) -> float:
    start = time.process_time()
    made = work()
    seconds = time.process_time() - start
    print(f"{label:34} {made:9,} terms {seconds:7.3f} s {made / seconds:12,.0f} terms/s")
    return made / seconds


def _plain(make_it: Callable[[T.Term, T.Term], T.Term]) -> int:
    """All pairs of 400 symbols under one operator."""
    T.active().clear()
    xs = [T.symbol(f"x{n}", T.bitvec(32)) for n in range(400)]
    for a in xs:
        for b in xs:
            make_it(a, b)
    return 400 * 400


def _conversion(root: T.Term) -> None:
    total = count(root)
    for name in ("bitwuzla", "z3", "cvc5", "boolector", "yices"):
        try:
            solver = backend(name)
        except (VouchError, Unsupported) as error:
            print(f"convert: {error}")
            continue

        def convert() -> int:
            solver.add(root)  # noqa: B023 - called at once
            return total

        _timed(f"convert for {name}", convert)
        solver.close()


def _balance(terms: int = 24) -> None:
    """A claim about a sum of products in two orders, with and without balancing."""
    for balanced in (False, True):
        T.active().clear()
        T.active().switch(balance=balanced)
        xs = [T.sext(T.symbol(f"x{n}", T.bitvec(8)), 32) for n in range(terms)]
        products = [T.mul(x, T.bv(3 * n - 20, 32)) for n, x in enumerate(xs)]
        forward, backward = T.bv(0, 32), T.bv(0, 32)
        for a, b in zip(products, reversed(products), strict=True):
            forward, backward = T.add(forward, a), T.add(backward, b)
        solver = make("bitwuzla")
        start = time.process_time()
        solver.add(T.ne(forward, backward))
        answer = solver.check(timeout=30)
        print(f"sum of {terms}, balance {balanced!s:5}: {answer} in {time.process_time() - start:.2f} s")
        assert answer is not Answer.SAT
    T.active().switch(balance=True)


def _network(seed: int = 4) -> None:
    """A claim about a small integer network as C computes it: asked as made, and prepared."""
    chance = random.Random(seed)
    T.active().clear()
    layer = [T.sext(T.symbol(f"x{n}", T.bitvec(8)), 32) for n in range(8)]
    for neurons in (5, 2):
        sums = []
        for _ in range(neurons):
            total = T.bv(chance.randint(-50, 50), 32)
            for x in layer:
                total = T.add(total, T.mul(x, T.bv(chance.randint(-40, 40), 32)))
            scaled = T.ashr(total, T.bv(5, 32))
            sums.append(T.ite(T.slt(scaled, T.bv(0, 32)), T.bv(0, 32), scaled))
        layer = sums
    margin = T.bv(signed_range(layer[0])[1] * 55 // 100, 32)
    claim = T.sgt(layer[0], T.add(layer[1], margin))
    seconds = []
    for label, solver in (("as made", backend("bitwuzla")), ("prepared", make("bitwuzla"))):
        start = time.process_time()
        solver.add(claim)
        answer = solver.check(timeout=100)
        seconds.append(time.process_time() - start)
        print(f"network of 8-5-2, {label}: {answer} in {seconds[-1]:.2f} s")
    print(f"preparation is {seconds[0] / seconds[1]:.1f} times faster")


def main(arguments: list[str]) -> int:
    for name, operator in (("add", T.add), ("mul", T.mul), ("eq", T.eq), ("slt", T.slt)):
        _timed(f"make {name}", lambda operator=operator: _plain(operator))
    T.active().clear()
    root = T.TRUE

    def run() -> int:
        nonlocal root
        root = _program(_STEPS)
        return 9 * _STEPS

    ours = _timed("make a program's terms", run)
    T.active().switch(simplify=False)
    T.active().clear()
    _timed("  without simplification", lambda: (_program(_STEPS), 9 * _STEPS)[1])
    T.active().switch(simplify=True)
    T.active().clear()
    root = _program(_STEPS)
    theirs = _timed("made directly in bitwuzla", lambda: _direct(_STEPS))
    print(f"ratio to bitwuzla's own API: {ours / theirs:.2f}")
    values = dict.fromkeys(symbols(root), 5)
    _timed("evaluate", lambda: (evaluate(root, values), count(root))[1])
    _conversion(root)
    _balance()
    _network()
    return 0
