"""The protocol and its wrappers, for every backend."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import z3
from tests.patience import within

from vouch.errors import VouchError
from vouch.smt import term as T
from vouch.smt.balance import balance
from vouch.smt.chain import make
from vouch.smt.model import Checked
from vouch.smt.portfolio import Portfolio
from vouch.smt.solver import Answer, Solver, SolverError
from vouch.smt.walk import order

SOLVERS = ("bitwuzla", "z3", "cvc5", "boolector", "yices")
I8, I32 = T.bitvec(8), T.bitvec(32)


def _make(name: str) -> Solver:
    try:
        return make(name)
    except VouchError as error:
        pytest.skip(str(error))


def _factors() -> list[T.Term]:
    """Too hard to solve in a second: the factors of the product of two large primes."""
    x, y = T.symbol("x", T.bitvec(64)), T.symbol("y", T.bitvec(64))
    product = T.mul(T.zext(x, 128), T.zext(y, 128))
    return [
        T.eq(product, T.bv((2**61 - 1) * (2**59 - 55), 128)),
        T.ult(T.bv(1, 64), x),
        T.ult(x, T.bv(2**59 - 55, 64)),
    ]


@pytest.mark.parametrize("name", SOLVERS)
def test_assumptions_do_not_stay(name: str) -> None:
    x = T.symbol("x", I8)
    solver = _make(name)
    solver.add(T.ult(x, T.bv(10, 8)))
    assert solver.check([T.ult(T.bv(20, 8), x)]) is Answer.UNSAT
    assert solver.check([T.ult(T.bv(8, 8), x)]) is Answer.SAT
    assert solver.value(x) == 9
    assert solver.value(T.add(x, T.bv(250, 8))) == 3
    assert solver.value(T.eq(x, T.bv(9, 8))) is True
    solver.add(T.ne(x, T.bv(9, 8)))
    assert solver.check([T.ult(T.bv(8, 8), x)]) is Answer.UNSAT
    assert solver.check() is Answer.SAT
    assert solver.value(x) in range(9)
    assert solver.value(T.symbol("never seen", I8)) == 0
    solver.close()


@pytest.mark.parametrize("name", SOLVERS)
def test_arrays_have_values(name: str) -> None:
    a, i, j = T.symbol("A", T.array(I8, I8)), T.symbol("i", I8), T.symbol("j", I8)
    b = T.store(a, i, T.bv(7, 8))
    solver = _make(name)
    solver.add(T.eq(T.select(b, j), T.bv(9, 8)))
    assert solver.check([T.eq(i, T.bv(3, 8))]) is Answer.SAT
    assert solver.value(i) == 3
    assert solver.value(j) != 3
    assert solver.value(T.select(a, j)) == 9
    assert solver.value(T.select(b, i)) == 7
    assert solver.check([T.eq(i, j)]) is Answer.UNSAT


@pytest.mark.parametrize("name", ["bitwuzla", "z3", "cvc5"])
def test_floats_have_ieee_bits(name: str) -> None:
    f, bits = T.symbol("f", T.FLOAT32), T.symbol("bits", I32)
    solver = _make(name)
    solver.add(T.eq(T.fp_from_bits(bits, T.FLOAT32), f))
    assert solver.check([T.eq(f, T.fp_const(0xC0490FDB, T.FLOAT32))]) is Answer.SAT
    assert solver.value(f) == 0xC0490FDB
    assert solver.value(bits) == 0xC0490FDB
    assert solver.check([T.fp_is_nan(f)]) is Answer.SAT
    assert solver.value(f) == 0x7FC00000
    assert solver.value(T.fp_is_nan(f)) is True


@pytest.mark.parametrize("name", SOLVERS)
def test_time_limits_hold_and_the_solver_lives_on(name: str) -> None:
    solver = _make(name)
    for term in _factors():
        solver.add(term)
    with within(5):
        assert solver.check(timeout=0.3) is Answer.UNKNOWN
    assert solver.reason == "solver time limit"
    assert solver.check([T.eq(T.symbol("x", T.bitvec(64)), T.bv(7, 64))], timeout=20) is Answer.UNSAT


class _Liar:
    """Says SAT, with zero for everything."""

    name = "liar"
    reason = ""

    def add(self, term: T.Term) -> None:
        pass

    def check(self, assumptions: Sequence[T.Term] = (), timeout: float | None = None) -> Answer:
        return Answer.SAT

    def value(self, term: T.Term) -> int:
        return 0

    def close(self) -> None:
        pass


def test_a_wrong_model_is_a_loud_error() -> None:
    solver = Checked(_Liar())
    solver.add(T.eq(T.symbol("x", I8), T.bv(0, 8)))
    assert solver.check() is Answer.SAT
    with pytest.raises(SolverError, match="liar gave a model"):
        solver.check([T.ult(T.bv(3, 8), T.symbol("y", I8))])


def test_compared_arrays_are_not_checked_but_answered() -> None:
    a, b = T.symbol("A", T.array(I8, I8)), T.symbol("B", T.array(I8, I8))
    solver = make("bitwuzla")
    solver.add(T.eq(a, b))
    solver.add(T.eq(T.select(a, T.bv(1, 8)), T.bv(5, 8)))
    assert solver.check() is Answer.SAT
    assert solver.value(T.select(b, T.bv(1, 8))) == 5


def test_queries_are_dumped_with_their_answers(tmp_path: Path) -> None:
    x, odd = T.symbol("x", I8), T.symbol("f(a|b)", I8)
    solver = make("bitwuzla", dump=tmp_path)
    solver.add(T.ult(T.mul(x, odd), T.bv(9, 8)))
    solver.check([T.smul_overflow(x, odd)])
    solver.check([T.FALSE])
    texts = [path.read_text() for path in sorted(tmp_path.glob("*.smt2"))]
    assert [text.splitlines()[-1].split(" in ")[0] for text in texts] == [
        "; bitwuzla: sat",
        "; bitwuzla: unsat",
    ]
    answers = []
    for text in texts:
        reader = z3.Solver()
        reader.from_string(text)
        answers.append(str(reader.check()))
    assert answers == ["sat", "unsat"]


def test_a_portfolio_takes_the_first_answer() -> None:
    x, a = T.symbol("x", I32), T.symbol("A", T.array(I32, I32))
    solver = make("bitwuzla, z3")
    assert isinstance(solver, Portfolio)
    solver.add(T.eq(T.select(a, T.add(x, T.bv(1, 32))), T.bv(77, 32)))
    assert solver.check([T.eq(x, T.bv(4, 32))]) is Answer.SAT
    assert solver.value(T.select(a, T.bv(5, 32))) == 77
    assert solver.check([T.ne(T.select(a, T.bv(5, 32)), T.bv(77, 32)), T.eq(x, T.bv(4, 32))]) is Answer.UNSAT


def test_a_portfolio_outlives_a_solver_without_the_theory() -> None:
    f = T.symbol("f", T.FLOAT32)
    solver = make("boolector,bitwuzla")
    solver.add(T.fp_lt(f, T.fp_const(0, T.FLOAT32)))
    assert solver.check() is Answer.SAT
    assert solver.check([T.fp_is_nan(f)]) is Answer.UNSAT
    hopeless = make("boolector,yices")
    hopeless.add(T.fp_is_nan(f))
    assert hopeless.check() is Answer.UNKNOWN
    assert "floating-point" in hopeless.reason


def test_unknown_solvers_are_named() -> None:
    with pytest.raises(VouchError, match="unknown solver no-such-program"):
        make("no-such-program")


def test_a_program_by_command_line() -> None:
    x, f = T.symbol("x y", I8), T.symbol("let", T.FLOAT32)
    solver = make("z3 -in")  # the program, not the library
    solver.add(T.ult(x, T.bv(2, 8)))
    solver.add(T.fp_lt(T.fp_const(0x3F800000, T.FLOAT32), f))
    assert solver.check([T.ne(x, T.bv(0, 8)), T.fp_is_inf(f)]) is Answer.SAT
    assert solver.value(x) == 1
    assert solver.value(f) == 0x7F800000
    solver.close()


def test_a_program_that_dies_is_unknown_with_its_words() -> None:
    solver = make("sh -c 'read line; echo sorry; exit 3'")
    solver.add(T.symbol("p", T.BOOL))
    with pytest.raises(SolverError, match="sorry"):
        solver.check()
    quiet = make("sh -c 'read line; exit 3'")
    quiet.add(T.symbol("p", T.BOOL))
    assert quiet.check() is Answer.UNKNOWN
    assert "died" in quiet.reason


def test_balancing_makes_long_sums_shallow_and_keeps_shared_parts() -> None:
    xs = [T.mul(T.symbol(f"x{n}", I32), T.symbol(f"w{n}", I32)) for n in range(64)]
    prefixes = [xs[0]]
    for x in xs[1:]:
        prefixes.append(T.add(prefixes[-1], x))
    assert _depth(prefixes[-1]) == 64
    [flat] = balance([prefixes[-1]], {})
    assert _depth(flat) == 7
    # A prefix that is used for itself is not taken apart.
    shared, total = balance([T.ult(prefixes[31], xs[0]), T.ult(prefixes[63], xs[0])], {})
    assert shared.args[0] in order([total])


def _depth(term: T.Term) -> int:
    depth = {term: 0}
    for t in order([term]):
        depth[t] = 1 + max((depth[a] for a in t.args), default=-1)
    return depth[term]
