"""Terms have an owner: nothing of a check is left when it is over."""

from __future__ import annotations

import gc
import sys
import threading
from pathlib import Path

import vouch
from vouch.smt import term as T

CODE = """
int t[8];
int f(int i, int n) { int s = 0; for (int k = 0; k < (n & 7); k++) s += t[(i + k) & 15]; return s; }
"""


def _alive() -> int:
    gc.collect()
    return sum(isinstance(thing, T.Term) for thing in gc.get_objects())


def test_checks_leave_nothing_behind(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(CODE, encoding="utf-8")
    before = (sys.getrecursionlimit(), gc.get_threshold(), len(T.active()))
    counts, verdicts = [], []
    for _ in range(3):
        result = vouch.check(source, jobs=1, no_replay=True)
        verdicts.append([(r.check.id, r.verdict) for r in result.checks])
        del result
        counts.append(_alive())
    assert counts[0] == counts[1] == counts[2]
    assert verdicts[0] == verdicts[1] == verdicts[2]
    assert (sys.getrecursionlimit(), gc.get_threshold(), len(T.active())) == before


def test_a_session_owns_what_is_made_in_it() -> None:
    outer = T.active()
    x = T.symbol("x", T.bitvec(8))
    size = len(outer)
    with T.Session(simplify=False) as inner:
        y = T.symbol("x", T.bitvec(8))
        assert y is not x
        assert T.active() is inner
        assert T.add(y, T.bv(0, 8)) is not y
        assert T.fresh("a", T.BOOL).name == "a!0"
        assert T.boolean(True) is T.TRUE
    assert T.active() is outer
    assert len(outer) == size
    assert T.add(x, T.bv(0, 8)) is x


def test_a_second_thread_waits() -> None:
    order = []

    def other() -> None:
        with T.Session():
            order.append("second")

    with T.Session():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(0.1)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
