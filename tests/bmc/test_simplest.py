"""Small inputs for violations, with a solver that gives up on questions about single inputs."""

from __future__ import annotations

import pytest

from vouch.bmc.simplest import AT_MOST, ROUGHLY, InputPart, Search
from vouch.smt import chain
from vouch.smt import term as T
from vouch.smt.solver import Answer
from vouch.smt.term import Term

COUNT = 9


@pytest.mark.parametrize("patient", [True, False])
def test_few_inputs_stay_large(patient: bool) -> None:
    """One of them has to be large. The others become small, also where no question about one of them has an
    answer in time."""
    with T.Session():
        parts = [T.fresh(f"x{i}", T.bitvec(32)) for i in range(COUNT)]
        large = T.bv(1 << 31, 32)
        goal = T.and_(T.uge(parts[3], large), *(T.uge(p, T.bv(7, 32)) for p in parts))
        unlike = T.and_(*(T.ult(large, T.bnot(p)) for p in parts if p is not parts[3]))
        solver = chain.make("bitwuzla")
        big = T.and_(*(T.uge(p, T.bv(1 << 20, 32)) for p in parts))
        asked: list[float] = []

        def ask(wish: Term, seconds: float) -> bool | None:
            if not patient and seconds == AT_MOST:
                return None
            if not asked:
                wish = T.and_(wish, big)  # what a solver comes upon first
            asked.append(seconds)
            return solver.check([T.and_(wish, unlike)]) is Answer.SAT

        search = Search(ask, solver.value, goal)
        assert search.run(lambda: [InputPart(p, "unsigned") for p in parts])
        values = [int(solver.value(p)) for p in parts]
        solver.close()
    assert values[3] >= 1 << 31
    others = [value for number, value in enumerate(values) if number != 3]
    assert all(7 <= value <= ROUGHLY for value in others)


def test_nothing_to_be_had() -> None:
    with T.Session():
        part = T.fresh("x", T.bitvec(32))
        solver = chain.make("bitwuzla")
        goal = T.and_(T.ult(part, T.bv(3, 32)), T.ugt(part, T.bv(5, 32)))
        search = Search(lambda wish, _: solver.check([wish]) is Answer.SAT, solver.value, goal)
        assert not search.run(lambda: [InputPart(part, "unsigned")])
        solver.close()


def test_an_input_that_is_named_twice() -> None:
    """Two pointers may lead to one place."""
    with T.Session():
        part = T.fresh("x", T.bitvec(32))
        solver = chain.make("bitwuzla")
        goal = T.ugt(part, T.bv(5, 32))
        search = Search(lambda wish, _: solver.check([wish]) is Answer.SAT, solver.value, goal)
        assert search.run(lambda: [InputPart(part, "unsigned")] * 2)
        assert solver.value(part) == 6
        solver.close()


@pytest.mark.parametrize("least", [0, 1, 2, 3, 200, 65_537, 0x5555_5555, 1 << 31, 0xFFFF_FFFE, 0xFFFF_FFFF])
@pytest.mark.parametrize("first", [0, 1 << 16, 0xFFFF_FFFF])
def test_the_least_number(least: int, first: int) -> None:
    """Whatever the model that a solver comes upon first, and in few questions."""
    with T.Session():
        part = T.fresh("x", T.bitvec(32))
        solver = chain.make("bitwuzla")
        asked: list[Term] = []

        def ask(wish: Term, seconds: float) -> bool:
            begin = T.uge(part, T.bv(max(least, first), 32)) if not asked else T.TRUE
            asked.append(wish)
            return solver.check([wish, begin]) is Answer.SAT

        search = Search(ask, solver.value, T.uge(part, T.bv(least, 32)))
        assert search.run(lambda: [InputPart(part, "unsigned")])
        assert solver.value(part) == least
        solver.close()
    assert len(asked) < 75
