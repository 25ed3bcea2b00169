"""Claims about functions of the math library, by enumeration and by enclosures, which agree."""

from __future__ import annotations

import time

import numpy as np
import pytest
from bench.numeric import decided, wrong
from bench.numeric_programs import floats_between, group
from tests.numeric.claims import claimed
from tests.numeric.test_exhaust import renamed

from vouch.folder import Folder
from vouch.numeric import exhaust, mathlib, real
from vouch.numeric.accuracy import Library
from vouch.numeric.decide import decide, exact
from vouch.numeric.emit import MathCall
from vouch.numeric.tape import bits_of
from vouch.smt import term as T
from vouch.smt.sort import FLOAT32, bitvec
from vouch.verdict import Verdict

ONE = [base for base in [*mathlib.CURVES, "cosh", "sin", "cos", "tan"] if real.shape(base + "f")]
FAR = 40  # ulps: more than any library is assumed to lose, twice over


def claims(base):
    """For a function over a small range: (bound, whether no result is above it)."""
    low, high = (1.25, 1.251) if base == "acosh" else (0.3, 0.3003)
    x = T.fp_from_bits(T.symbol(f"{base}-x", bitvec(32)), FLOAT32)
    y = T.fp_from_bits(T.symbol(f"{base}-y", bitvec(32)), FLOAT32)
    library = Library({y: MathCall(base + "f", (x,))})
    ends = [T.fp_const(bits_of(FLOAT32, end), FLOAT32) for end in (low, high)]
    known = [T.fp_le(ends[0], x), T.fp_le(x, ends[1])]
    numbers = floats_between(low, high).view(np.uint32)
    results = np.array([real.call(base + "f", (int(n),)) for n in numbers[::7]], dtype=np.uint32)
    top = results.view(np.float32).max()
    gap = FAR * np.spacing(np.abs(top))
    for bound, holds in ((top + gap, True), (top - gap, False)):
        goal = T.fp_lt(T.fp_const(bits_of(FLOAT32, bound), FLOAT32), y)
        yield known, goal, library, holds


def test_both_ways_agree():
    asked, texts = [], [exhaust.HEADER]
    for base in ONE:
        for known, goal, library, holds in claims(base):
            posed = exhaust.pose([goal], known, library.calls)
            assert posed is not None
            texts.append(renamed(exhaust.program(posed), len(asked)))
            asked.append((posed, [*known, goal], library, holds))
    with Folder("vouch-test-") as folder:
        loaded = exhaust.load(exhaust.compiled("\n".join(texts), 5000, folder, time.monotonic() + 300))
    for number, (posed, terms, library, holds) in enumerate(asked):
        hit = exhaust.function(loaded, f"run_{number}")(0, posed.points)
        assert (hit == posed.points) is holds
        found = decide(terms, time.monotonic() + 300, library)
        assert found.proved is holds
        if not holds:
            assert found.model is not None
            assert exact(posed.assignment(hit), terms, library) is not None


def test_assumptions_are_named(tmp_path):
    some = "x >= 0.5f && x <= 0.51f"
    by_all = claimed(tmp_path, some, "expf(x) * x <= 0.85f", no_bounds=True)
    assert (by_all.verdict, by_all.decided_by) == (Verdict.SAFE, "enumeration")
    assert by_all.assumptions == (real.described(),)
    by_bounds = claimed(tmp_path, some, "expf(x) * x <= 0.85f", libm="5", no_enumeration=True)
    assert (by_bounds.verdict, by_bounds.decided_by) == (Verdict.SAFE, "bounds")
    assert by_bounds.assumptions == ("math library as accurate as 5 ulp: expf within 5 ulp",)


def test_a_false_claim_is_replayed(tmp_path):
    found = claimed(tmp_path, "x >= 0.5f && x <= 0.51f", "expf(x) * x <= 0.84f")
    assert (found.verdict, found.replayed) == (Verdict.UNSAFE, True)


def test_the_same_call_has_the_same_result(tmp_path):
    some = "x >= 0 && x <= 1e6f"
    found = claimed(tmp_path, some, "cosf(x) * cosf(x) >= 0", no_enumeration=True)
    assert (found.verdict, found.decided_by) == (Verdict.SAFE, "bounds")
    found = claimed(tmp_path, some, "cosf(x) * cosf(x + 1) >= 0", no_enumeration=True)
    assert (found.verdict, found.replayed) == (Verdict.UNSAFE, True)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"no_bounds": True}, {"no_enumeration": True}], ids=["all", "bounds"])
@pytest.mark.parametrize(
    ("limits", "claim", "holds"),
    [
        ("1", "!(tanhf(x) > 1)", True),
        ("1", "!(expf(x) < 0)", True),
        ("1", "!(sinf(x) * sinf(x) > 1)", True),
        ("x >= 0", "cosf(x) * cosf(x) >= 0 || x > 3e38f", True),
        ("x >= -4 && x <= 4", "erff(x) * expf(-x * x) <= 0.6f", True),
        ("x >= -4 && x <= 4", "erff(x) * expf(-x * x) <= 0.4f", False),
        ("x >= 1 && x <= 2", "logf(x) >= 1 - 1 / x - 1e-6f", True),
        ("x >= 1 && x <= 2", "logf(x) > 1 - 1 / x", False),
        ("x >= -1 && x <= 1", "tanhf(x) <= 0.762f", True),
        ("x >= -1 && x <= 1", "tanhf(x) <= 0.761f", False),
    ],
)
def test_claims_by_either(tmp_path, limits, claim, holds, options):
    found = claimed(tmp_path, limits, claim, check_timeout=300, **options)
    assert found.verdict in ((Verdict.SAFE, Verdict.BOUND_SAFE) if holds else (Verdict.UNSAFE,))


def test_generated_programs():
    for case in [*group(15)[:2], group(24)[1]]:
        verdict, _, _ = decided(case, 60)
        assert not wrong(case, verdict), (case.name, verdict)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(300, 420, 3))
def test_generated_programs_long(number):
    for case in group(number):
        verdict, _, _ = decided(case, 60)
        assert not wrong(case, verdict), (case.name, verdict)
