"""Promises on values from outside: what is read, and what is said about the rest."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import vouch
from vouch.c.promises import understood
from vouch.errors import VouchError


def test_words() -> None:
    found = understood("requires a + 1 <= b && 0x10 != c - 2.5")
    assert found is not None
    first, second = found.clauses
    assert (first.left.name, first.left.number, first.relation, first.right.name) == ("a", 1, "<=", "b")
    assert (second.left.number, second.right.name, second.right.number) == (16, "c", Fraction(-5, 2))
    found = understood("requires p[n - 1] && q[4] && n > 1")
    assert found is not None
    assert [(e.name, e.count.name, e.count.number) for e in found.lengths] == [("p", "n", -1), ("q", None, 4)]
    assert len(found.clauses) == 1
    for text in (
        "requires p[]",
        "requires p[n",
        "requires p[n * 2]",
        "requires p[n] > 1",
        "range x 5..1",
        "range x",
        "requires x",
        "requires f(x) > 1",
        "requires a < b || a > b",
    ):
        assert understood(text) is None, text


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("x", "is not NAME=A..B"),
        ("f.x=2..1", "holds for no number"),
        ("g=1..2", "there is no global variable g"),
        ("h.x=1..2", "there is no function h"),
        ("f.y=1..2", "y is not a parameter or a global variable"),
        ("f.x[2]", "x is not a parameter that is a pointer"),
        ("f.p[y]", "y is not a parameter or a global variable"),
        ("f.p[d]", "the length of p is not a whole number"),
        ("f.p[-1]", "the length of p is not a whole number"),
        ("f.p[x * 2]", "not understood"),
        ("h.p[x]", "there is no function h"),
    ],
)
def test_wrong_options(tmp_path: Path, option: str, message: str) -> None:
    (tmp_path / "a.c").write_text("double d;\nint f(int x, int *p) { return 1 / x + *p; }\n")
    with pytest.raises(VouchError, match=message):
        vouch.check([str(tmp_path / "a.c")], range=[option], jobs=1)


@pytest.mark.parametrize(("length", "verdict"), [("n", "unsafe"), ("n + 1", "safe"), ("5", "unsafe")])
def test_a_length_by_option(tmp_path: Path, length: str, verdict: str) -> None:
    (tmp_path / "a.c").write_text("int f(const char *p, unsigned char n) { return p[n]; }\n")
    option = f"f.p[{length}]"
    found = vouch.check([str(tmp_path / "a.c")], range=[option], checks=["pointer"], jobs=1)
    (result,) = found.checks
    assert (str(result.verdict), result.assumptions) == (verdict, (f"range {option}",))


def test_verdicts_name_them_and_lost_comments_are_told(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(
        "// vouch: range x 1..5\nint\nf(int x)\n{\n    return 10 / x;\n}\n"
        "\n\n// vouch: range y 1..5\nint lost;\n"
    )
    found = vouch.check([str(source)], jobs=1)
    (result,) = [each for each in found.checks if each.check.category == "division-by-zero"]
    assert (str(result.verdict), result.assumptions) == ("safe", ("range x 1..5",))
    assert any("belongs to no function" in text for text in found.warnings)
    assert not any("not understood" in text for text in found.warnings)


def test_a_proof_goes_with_its_promise(tmp_path: Path) -> None:
    """No result is used again whose promise was taken back: the code is the same without it."""
    from vouch.api import run
    from vouch.settings import resolve

    source, marks = tmp_path / "a.c", {}
    function = "int f(int x)\n{\n    return 10 / x;\n}\n"

    def tell(kind: str, content: object) -> None:
        if kind == "fingerprints":
            marks.update(content)  # type: ignore[call-overload]

    def verdict(text: str, earlier: dict) -> tuple[str, dict]:
        source.write_text(text)
        found = run([str(source)], resolve("check", {"jobs": 1}), tell, earlier=earlier)
        kept = {each.check.id: (marks[each.check.function], each.to_json()) for each in found.checks}
        return next(str(e.verdict) for e in found.checks if e.check.category == "division-by-zero"), kept

    proved, kept = verdict("// vouch: range x 1..5\n" + function, {})
    assert proved == "safe"
    assert verdict("// nothing is said\n" + function, kept)[0] == "unsafe"


def test_what_the_sources_give_is_not_promised_away(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int g = 10;\nint main(void) { return 1 / (g - 10); }\n")
    found = vouch.check([str(tmp_path / "a.c")], range=["g=-5..5"], jobs=1)
    assert "unsafe" in {str(each.verdict) for each in found.checks}
