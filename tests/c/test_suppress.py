"""Comments that suppress checks or bound loops."""

from __future__ import annotations

from vouch.c.checks.base import Category, Check, Trigger
from vouch.c.ir import Location, Unreachable, VoidType
from vouch.c.sources import Sources
from vouch.c.suppress import apply, loop_bounds

SITE = Unreachable(None, VoidType(), None, False)


def check(line: int, category: Category) -> Check:
    return Check(
        f"f.{category}.{line}", category, Location("a.c", line, 1, "f"), "f", "", Trigger.REACHED, SITE
    )


def run(text: str, *found: Check, categories: frozenset[Category] = frozenset(Category)) -> list[str]:
    return apply(["a.c"], list(found), Sources({"a.c": text}), categories)


def test_the_named_category_on_the_line_is_suppressed() -> None:
    narrow, other, elsewhere = (
        check(1, Category.NARROWING),
        check(1, Category.BOUNDS),
        check(2, Category.NARROWING),
    )
    text = "a = (uint8_t)b; // vouch: ignore[narrowing] the low byte is meant\na = (uint8_t)b;\n"
    assert run(text, narrow, other, elsewhere) == []
    assert narrow.suppressed == "the low byte is meant"
    assert other.suppressed is None
    assert elsewhere.suppressed is None


def test_block_comment_and_several_categories() -> None:
    shift, bounds = check(1, Category.SHIFT), check(1, Category.BOUNDS)
    assert run("x = a[i] << n; /* vouch: ignore[shift, bounds] checked by the caller */", shift, bounds) == []
    assert (shift.suppressed, bounds.suppressed) == ("checked by the caller",) * 2


def test_a_suppression_without_a_reason_still_suppresses() -> None:
    one = check(1, Category.SHIFT)
    run("x <<= n; // vouch: ignore[shift]", one)
    assert one.suppressed == "no reason given"


def test_unused_and_unknown_ones_are_reported() -> None:
    text = "x = 1; // vouch: ignore[shift] why\ny = 2; // vouch: ignore[shfit] typing mistake\n"
    assert run(text) == [
        "a.c:1: unused 'vouch: ignore[shift]'",
        "a.c:2: 'vouch: ignore[shfit]' names no check category",
    ]


def test_one_of_two_categories_unused() -> None:
    assert run("x; // vouch: ignore[shift,bounds] r", check(1, Category.SHIFT)) == [
        "a.c:1: unused 'vouch: ignore[bounds]'"
    ]


def test_a_category_that_is_off_cannot_be_unused() -> None:
    text = "x = y; // vouch: ignore[sign-change] both are small\n"
    assert run(text, categories=frozenset({Category.SHIFT})) == []


def test_only_comments_count() -> None:
    one = check(1, Category.SHIFT)
    assert run('x <<= n; s = "vouch: ignore[shift] r";', one) == []
    assert one.suppressed is None


def test_loop_bounds() -> None:
    text = "for (;;) { // vouch: unwind 16\n}\n  // vouch: unwind 4\n\n  while (x) {\n  }\n"
    text += "/* vouch: unwind 7 */ do {} while (y);\nx = 1;\n"
    assert loop_bounds(["a.c"], Sources({"a.c": text})) == {
        ("a.c", 1): 16,
        ("a.c", 5): 4,
        ("a.c", 7): 7,
    }
