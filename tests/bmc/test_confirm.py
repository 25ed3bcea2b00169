"""What native runs say about verdicts."""

from __future__ import annotations

import pytest
from tests.bmc.replaying import Snippet, compiled

from vouch.bmc import confirm
from vouch.bmc.counterexample import Counterexample
from vouch.result import CheckResult
from vouch.verdict import Verdict

CODE = """int t[4];
int f(int i, int n) { int x = t[i]; return 10 / n + x; }
"""


@pytest.fixture(scope="module")
def snippet(tmp_path_factory: pytest.TempPathFactory) -> Snippet:
    return compiled(tmp_path_factory.mktemp("confirm"), CODE)


def judged(snippet: Snippet, arguments: list[int], bounds: Verdict) -> tuple[CheckResult, CheckResult, int]:
    """The division is said to fail with these arguments; `bounds` is what is said about the index."""
    division, index = snippet.check("division-by-zero"), snippet.check("bounds")
    said = {division.id: Verdict.UNSAFE, index.id: bounds}
    results = {check.id: CheckResult(check, said.get(check.id, Verdict.SAFE)) for check in snippet.checks}
    example = Counterexample(division, "f", list(arguments), [], [])
    confirmed = confirm.confirm(
        snippet.loaded, snippet.checks, {division.id: example}, results, devices=(), late=lambda: False
    )
    return confirmed.results[division.id], confirmed.results[index.id], confirmed.failures


def test_seen_at_its_place(snippet: Snippet) -> None:
    division, _, failures = judged(snippet, [1, 0], Verdict.SAFE)
    assert (division.verdict, division.replayed, failures) == (Verdict.UNSAFE, True, 0)


def test_not_seen(snippet: Snippet) -> None:
    division, _, failures = judged(snippet, [1, 5], Verdict.SAFE)
    assert (division.verdict, division.replayed, failures) == (Verdict.UNKNOWN, False, 1)


def test_another_check_fails_first(snippet: Snippet) -> None:
    division, index, failures = judged(snippet, [9, 5], Verdict.UNSAFE)
    assert division.verdict is Verdict.COND_UNSAFE
    assert division.reason == f"only after {index.check.id} is violated"
    assert failures == 0


@pytest.mark.parametrize("before", [Verdict.UNKNOWN, Verdict.BOUND_SAFE])
def test_what_nobody_decided_is_seen_on_the_way(snippet: Snippet, before: Verdict) -> None:
    division, index, failures = judged(snippet, [9, 5], before)
    assert division.verdict is Verdict.COND_UNSAFE
    assert (index.verdict, index.replayed, failures) == (Verdict.UNSAFE, True, 0)


def test_a_proof_that_a_run_contradicts(snippet: Snippet) -> None:
    """No violation is ever put down to a check that is safe: one of the two answers is wrong."""
    division, index, failures = judged(snippet, [9, 5], Verdict.SAFE)
    assert division.verdict is Verdict.UNKNOWN
    assert index.verdict is Verdict.UNKNOWN
    assert index.reason is not None
    assert index.reason.startswith("proved, but violated")
    assert failures == 2
