"""Claims that hang on denormals, signed zeros, infinities and NaN: each method alone is never wrong about
them, and all of them together decide them. The truth of each was worked out by hand; its twin is false."""

from __future__ import annotations

import pytest
from tests.numeric.claims import claimed

from vouch.verdict import Verdict

TINY = "x >= -0x1p-130f && x <= 0x1p-130f"  # denormals alone
ZERO = "x == 0"  # either
CLAIMS = [  # what is assumed of x, a true claim, a false one
    (TINY, "x + x == 2 * x", "x * 0.5f * 2 == x"),
    (TINY, "x * 0.5f <= 0x1p-131f", "x == 0 || x * 0.5f != 0"),
    (TINY, "x * x == 0", "!(x * 0x1p-1f * x > 0) && x * 0x1p100f == 0"),
    (TINY, "x - x == 0", "x != 0 || 1 / x > 0"),
    ("x >= FLT_MIN && x <= 2 * FLT_MIN", "x * 0.5f > 0", "x * 0.5f >= FLT_MIN"),
    ("x >= FLT_MIN && x <= 2 * FLT_MIN", "x - FLT_MIN >= 0", "x == FLT_MIN || x - FLT_MIN >= FLT_MIN"),
    (ZERO, "x * -1 == 0", "1 / x > 0"),
    (ZERO, "sqrtf(x) == 0", "1 / sqrtf(x) > 0"),
    (ZERO, "x + 0.0f == 0", "signbit(x) == 0"),
    (ZERO, "1 / (x + 0.0f) > 0", "1 / (x - 0.0f) > 0"),
    (ZERO, "x / x != x / x", "x / x == 1"),
    ("x >= 0x1.fffffp127f", "x + x > FLT_MAX", "x + x <= FLT_MAX"),
    ("x >= 0x1.fffffp127f", "x - x == 0 || x > FLT_MAX", "x - x == 0"),
    ("x >= 0x1.fffffp127f", "x * 0.0f == 0 || isinf(x)", "x * 0.0f == 0"),
    ("x >= 0x1.fffffp127f", "(double)x + x > FLT_MAX", "(double)x * 2 <= 2.0 * FLT_MAX"),
    ("!(x == x)", "!(x < 1) && !(x >= 1)", "x < 1 || x >= 1"),
    ("!(x == x)", "fmaxf(x, 1.0f) == 1", "(x > 1 ? x : 1.0f) == (1.0f < x ? 1.0f : x)"),
    ("!(x == x)", "x * 0 != 0", "x - x == 0"),
    ("!(x < 0) && !(x > 0)", "x == 0 || x != x", "x == 0"),
    ("x > 0 && x <= 0x1p-140f", "x >= 0x1p-149f", "x > 0x1p-149f"),
]
METHODS = {"all": {"no_bounds": True}, "bounds": {"no_enumeration": True}, "together": {}}


def judged(folder, number, method):
    limits, true, false = CLAIMS[number]
    decided = 0
    for claim, holds in ((true, True), (false, False)):
        found = claimed(folder, limits, claim, check_timeout=60, **METHODS[method])
        wrong = Verdict.UNSAFE if holds else Verdict.SAFE
        assert found.verdict is not wrong, (claim, found.decided_by)
        decided += found.verdict is (Verdict.SAFE if holds else Verdict.UNSAFE)
        assert found.verdict is not Verdict.UNSAFE or found.replayed
    return decided


@pytest.mark.parametrize("number", range(0, len(CLAIMS), 4))
def test_edges(tmp_path, number):
    assert judged(tmp_path, number, "together") == 2


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("number", range(len(CLAIMS)))
def test_every_edge(tmp_path, number, method):
    assert judged(tmp_path, number, method) == 2 or method != "together"
