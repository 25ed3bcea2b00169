"""Sharing, the rewriting rules callers count on, and graphs far deeper than Python's stack."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vouch.smt import term as T
from vouch.smt.intervals import bounds, signed_range, unsigned
from vouch.smt.narrow import narrow
from vouch.smt.printer import script
from vouch.smt.walk import count, evaluate, order, substitute, symbols

I8, I16, I32 = T.bitvec(8), T.bitvec(16), T.bitvec(32)


def c(value: int, width: int = 8) -> T.Term:
    return T.bv(value, width)


def test_equal_terms_are_the_same_object() -> None:
    x, y = T.symbol("x", I8), T.symbol("y", I8)
    assert T.add(x, y) is T.add(y, x)
    assert T.symbol("x", I8) is x
    assert T.bv(-1, 8) is T.bv(255, 8)
    assert T.fresh("x", I8) is not T.fresh("x", I8)
    assert T.fp_const(0x7F800001, T.FLOAT32) is T.fp_const(0xFFC00000, T.FLOAT32)  # one NaN


def test_a_name_has_one_sort() -> None:
    T.symbol("x", I8)
    with pytest.raises(TypeError, match="symbol x"):
        T.symbol("x", I16)


@pytest.mark.parametrize(
    "make",
    [
        lambda: T.add(T.symbol("x", I8), T.symbol("z", I16)),
        lambda: T.and_(T.symbol("x", I8), T.TRUE, T.symbol("y", I8)),
        lambda: T.ite(T.symbol("x", I8), c(0), c(1)),
        lambda: T.ite(T.symbol("p", T.BOOL), c(0), c(1, 16)),
        lambda: T.eq(c(1), c(1, 16)),
        lambda: T.select(T.symbol("A", T.array(I8, I8)), c(1, 16)),
        lambda: T.fp_add(T.symbol("f", T.FLOAT32), T.symbol("g", T.FLOAT64)),
        lambda: T.extract(T.symbol("x", I8), 8, 0),
        lambda: T.zext(T.symbol("z", I16), 8),
    ],
)
def test_wrong_sorts_are_refused(make: Callable[[], T.Term]) -> None:
    with pytest.raises((TypeError, ValueError)):
        make()


def _rules() -> list[tuple[str, Callable[[], T.Term], Callable[[], T.Term]]]:
    """name, what is built, what it must become."""
    x, y, p, q = T.symbol("x", I8), T.symbol("y", I8), T.symbol("p", T.BOOL), T.symbol("q", T.BOOL)
    a = T.symbol("A", T.array(I8, I8))
    return [
        ("x + 0", lambda: T.add(x, c(0)), lambda: x),
        ("(x + 3) + 5", lambda: T.add(T.add(x, c(3)), c(5)), lambda: T.add(x, c(8))),
        ("(x + 3) - x", lambda: T.sub(T.add(x, c(3)), x), lambda: c(3)),
        ("(x + y) - x", lambda: T.sub(T.add(x, y), x), lambda: y),
        ("x + 1 = x", lambda: T.eq(T.add(x, c(1)), x), lambda: T.FALSE),
        ("x + 3 = 5", lambda: T.eq(T.add(x, c(3)), c(5)), lambda: T.eq(x, c(2))),
        ("p and not p", lambda: T.and_(p, T.not_(p)), lambda: T.FALSE),
        ("p or (p and q)", lambda: T.or_(p, T.and_(p, q)), lambda: p),
        ("p and (not p or q)", lambda: T.and_(p, T.or_(T.not_(p), q)), lambda: T.and_(p, q)),
        ("join of branches", lambda: T.or_(T.and_(p, q), T.and_(p, T.not_(q))), lambda: p),
        ("ite not", lambda: T.ite(T.not_(p), x, y), lambda: T.ite(p, y, x)),
        ("ite same condition", lambda: T.ite(p, T.ite(p, x, y), c(1)), lambda: T.ite(p, x, c(1))),
        ("bool ite", lambda: T.ite(p, q, T.FALSE), lambda: T.and_(p, q)),
        ("bool as bit", lambda: T.ne(T.zext(T.bool_to_bv(p), 32), c(0, 32)), lambda: p),
        (
            "ite leaves",
            lambda: T.eq(T.ite(p, c(1), T.ite(q, c(2), c(3))), c(2)),
            lambda: T.and_(T.not_(p), q),
        ),
        (
            "bytes put together",
            lambda: T.extract(T.bor(T.zext(x, 16), T.shl(T.zext(y, 16), c(8, 16))), 15, 8),
            lambda: y,
        ),
        ("halves put together", lambda: T.concat(T.extract(x, 7, 4), T.extract(x, 3, 0)), lambda: x),
        ("extract of sext", lambda: T.extract(T.sext(x, 32), 7, 0), lambda: x),
        (
            "promotion undone",
            lambda: T.extract(T.add(T.sext(x, 32), T.sext(y, 32)), 7, 0),
            lambda: T.add(x, y),
        ),
        ("promoted sum fits", lambda: T.sadd_overflow(T.sext(x, 32), T.sext(y, 32)), lambda: T.FALSE),
        ("promoted product fits", lambda: T.smul_overflow(T.zext(x, 32), T.zext(y, 32)), lambda: T.FALSE),
        ("byte below 256", lambda: T.ult(T.zext(x, 32), c(256, 32)), lambda: T.TRUE),
        ("byte not negative", lambda: T.slt(T.zext(x, 32), c(0, 32)), lambda: T.FALSE),
        ("masked below", lambda: T.ult(T.band(x, c(7)), c(8)), lambda: T.TRUE),
        ("remainder below", lambda: T.ult(T.urem(x, c(10)), c(10)), lambda: T.TRUE),
        ("not ule is ugt", lambda: T.not_(T.ule(x, y)), lambda: T.ult(y, x)),
        ("x < 1", lambda: T.ult(x, c(1)), lambda: T.eq(x, c(0))),
        ("read over write", lambda: T.select(T.store(T.store(a, c(1), x), c(2), y), c(1)), lambda: x),
        (
            "read at x over write at x+1",
            lambda: T.select(T.store(a, T.add(x, c(1)), y), x),
            lambda: T.select(a, x),
        ),
        ("write what is there", lambda: T.store(a, x, T.select(a, x)), lambda: a),
        ("x / 8", lambda: T.udiv(x, c(8)), lambda: T.lshr(x, c(3))),
        (
            "pointer difference",
            lambda: T.sdiv(T.sub(T.mul(T.zext(x, 16), c(4, 16)), T.mul(T.zext(y, 16), c(4, 16))), c(4, 16)),
            lambda: T.sub(T.zext(x, 16), T.zext(y, 16)),
        ),
        ("a byte over 1000", lambda: T.sdiv(T.zext(x, 16), c(1000, 16)), lambda: c(0, 16)),
        ("a byte modulo 1000", lambda: T.srem(T.zext(x, 16), c(1000, 16)), lambda: T.zext(x, 16)),
        (
            "never negative over 8",
            lambda: T.sdiv(T.zext(x, 16), c(8, 16)),
            lambda: T.lshr(T.zext(x, 16), c(3, 16)),
        ),
        ("x / 0", lambda: T.udiv(x, c(0)), lambda: c(255)),
    ]


@pytest.mark.parametrize("rule", _rules(), ids=lambda rule: rule[0])
def test_rules(rule: tuple[str, Callable[[], T.Term], Callable[[], T.Term]]) -> None:
    _, built, expected = rule
    assert built() is expected()


def test_without_simplification_only_constants_fold() -> None:
    T.active().switch(simplify=False)
    x = T.symbol("x", I8)
    assert T.add(x, c(0)) is not x
    assert T.add(c(2), c(3)) is c(5)
    assert T.ult(c(2), c(3)) is T.TRUE
    assert T.smul_overflow(c(100), c(2)) is T.TRUE


def test_deep_graphs_need_no_recursion() -> None:
    x, p = T.symbol("x", I32), T.symbol("p", T.BOOL)
    total, guard, chain = x, p, x
    for n in range(10_000):
        y = T.symbol(f"y{n % 50}", I32)
        total = T.add(T.bxor(total, y), y)
        guard = T.and_(guard, T.ult(T.bv(n, 32), T.bxor(y, x)))
        chain = T.ite(T.eq(x, T.bv(n, 32)), y, chain)
    root = T.and_(guard, T.eq(total, chain))
    assert bounds(total) == (0, 2**32 - 1)
    assert count(root) > 30_000
    assert len(symbols(root)) == 52
    values = dict.fromkeys(symbols(root), 0) | {p: False}
    assert evaluate(root, values) is False
    assert substitute(root, {p: T.FALSE}) is T.FALSE
    assert script([root]).count("(assert") == 1


def test_long_conjunctions_stay_cheap_and_complete() -> None:
    parts = [T.symbol(f"p{n}", T.BOOL) for n in range(100)]
    balanced = T.and_(*parts)
    chained = T.TRUE
    for part in parts:
        chained = T.and_(chained, part)
    for term in (balanced, chained):
        assert set(symbols(term)) == set(parts)
        assert evaluate(term, dict.fromkeys(parts, True)) is True
        for part in parts[::9]:
            assert evaluate(term, dict.fromkeys(parts, True) | {part: False}) is False


def test_ranges_follow_promotion() -> None:
    x, y = T.symbol("x", I8), T.symbol("y", I8)
    assert signed_range(T.sext(x, 32)) == (-128, 127)
    assert unsigned(T.zext(x, 32)) == (0, 255)
    assert signed_range(T.mul(T.sext(x, 32), T.sext(y, 32))) == (-128 * 127, 128 * 128)
    assert unsigned(T.lshr(x, c(4))) == (0, 15)
    assert signed_range(T.ite(T.ult(x, y), T.bv(-1, 32), T.bv(1, 32))) == (-1, 1)


def test_sums_of_products_are_seen_to_fit() -> None:
    """The accumulator of a dot product with constant weights, as C promotes it: no overflow is left."""
    total = T.bv(0, 32)
    for n, weight in enumerate((-63, 17, -1, 127, -128, 90)):
        product = T.mul(T.sext(T.symbol(f"x{n}", I8), 32), T.bv(weight, 32))
        assert T.sadd_overflow(total, product) is T.FALSE
        total = T.add(total, product)
    low, high = signed_range(total)
    weights = 63 + 17 + 1 + 127 + 128 + 90
    assert -128 * weights <= low <= -127 * weights
    assert 127 * weights <= high <= 128 * weights


def test_arithmetic_is_narrowed_for_the_solver() -> None:
    x, y = (T.sext(T.symbol(name, I8), 32) for name in "xy")
    product, quotient = T.mul(x, y), T.sdiv(x, T.add(T.band(y, T.bv(7, 32)), T.bv(1, 32)))
    claim = T.slt(T.add(product, quotient), T.mul(y, T.bv(-100, 32)))
    [narrowed] = narrow([claim], {})
    widths = {t.op: t.width for t in order([narrowed])}
    assert widths["mul"] <= 17
    assert widths["add"] <= 17
    assert widths["sdiv"] <= 9
    full = T.mul(T.symbol("z", I32), T.symbol("u", I32))
    assert narrow([full], {}) == [full]


def test_sums_are_narrowed_as_a_whole() -> None:
    """The same terms in another order are added in the same width: a solver can see that they agree."""
    terms = [T.mul(T.sext(T.symbol(f"x{n}", I8), 32), T.bv(n + 2, 32)) for n in range(9)]
    forward, backward = T.bv(0, 32), T.bv(0, 32)
    for a, b in zip(terms, reversed(terms), strict=True):
        forward, backward = T.add(forward, a), T.add(backward, b)
    for total in narrow([forward, backward], {}):
        assert {t.width for t in order([total]) if t.op == "add"} == {14}  # 128 · (2 + … + 10) = 6912


def test_sessions_share_the_two_truths() -> None:
    x = T.symbol("x", I8)
    T.active().clear()
    assert T.symbol("x", I8) is not x
    assert T.boolean(True) is T.TRUE
    assert len(T.active()) == 1
