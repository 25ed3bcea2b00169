"""Nothing is safe by silence: what no engine evaluated, and what a mistake in vouch costs, is undecided."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import vouch
from vouch.bmc import claims, execute, instructions
from vouch.bmc.replay.replayer import Replayer
from vouch.c import ir
from vouch.c.checks import RULES, Category
from vouch.c.checks.context import Context, Found
from vouch.c.ranges import interpret
from vouch.result import RunResult
from vouch.verdict import Verdict

TWO = """
int first(int a, int b) { return b == 0 ? 0 : a / b; }
int second(int a) { return a < 100 ? a + 1 : a; }
"""


def checked(folder: Path, source: str, **options: Any) -> RunResult:
    path = folder / "program.c"
    path.write_text(source)
    return vouch.check([path], jobs=1, **options)


def verdicts(result: RunResult) -> dict[str, tuple[Verdict, str | None]]:
    return {r.check.id: (r.verdict, r.reason) for r in result.checks}


def test_a_check_that_nobody_claims_is_not_evaluated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "float half(float x) { return x > 0 && x < 9 ? x / 2 : 0; }"
    assert verdicts(checked(tmp_path, source, checks=["float"]))["half.float.1"][0] is Verdict.SAFE
    monkeypatch.setattr(claims, "of_result", lambda *_: None)
    result = checked(tmp_path, source, checks=["float"])
    assert verdicts(result) == {"half.float.1": (Verdict.UNKNOWN, "not evaluated")}


def test_every_instruction_has_its_place() -> None:
    """An instruction that no table lists would be passed by in silence."""
    kinds = {
        kind
        for kind in vars(ir).values()
        if isinstance(kind, type) and issubclass(kind, ir.Instruction) and kind is not ir.Instruction
    }
    executed = instructions._VALUES.keys() | instructions._CONTROL.keys()
    cut = {ir.Opaque, ir.LandingPad, ir.IndirectBranch}
    assert executed | cut | {ir.Phi} == kinds
    assert not executed & cut
    ranged = interpret._ACTIONS.keys() | set(interpret._WITHOUT_EFFECT)
    assert ranged == kinds


def test_a_mistake_in_one_instruction_costs_what_comes_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("sdiv")

    binary = instructions._VALUES[ir.Binary]

    def divide(ex: execute.Executor, frame: Any, state: Any, i: ir.Binary) -> Any:
        return broken() if i.op == "sdiv" else binary(ex, frame, state, i)

    monkeypatch.setitem(instructions._VALUES, ir.Binary, divide)
    source = TWO + "int third(int a, int b) { int r = a / (b | 1); return r + 1; }"
    result = checked(tmp_path, source, no_replay=True)
    found = verdicts(result)
    verdict, reason = found["third.signed-overflow.2"]
    assert verdict is Verdict.UNKNOWN
    assert reason is not None
    assert "internal error" in reason
    assert "KeyError" in reason
    assert found["second.signed-overflow.1"][0] is Verdict.SAFE
    assert any("internal error" in warning for warning in result.warnings)


def test_a_mistake_in_one_entry_point_costs_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = execute.Executor.run

    def broken(self: execute.Executor, entry: str, **options: Any) -> Any:
        if entry == "first":
            raise AssertionError
        return run(self, entry, **options)

    monkeypatch.setattr(execute.Executor, "run", broken)
    source = TWO + "int third(int a) { return a + 1; }"
    found = verdicts(checked(tmp_path, source))
    assert found["first.signed-overflow.1"][0] is Verdict.UNKNOWN
    assert "AssertionError" in (found["first.signed-overflow.1"][1] or "")
    assert found["third.signed-overflow.1"][0] is Verdict.UNSAFE


def test_a_mistake_in_the_range_analysis_costs_its_decisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(interpret.Interpreter, "binary", broken)
    monkeypatch.setitem(interpret._ACTIONS, ir.Binary, broken)
    result = checked(tmp_path, TWO)
    assert all(r.decided_by == "global" for r in result.checks if r.check.trigger != "never")
    assert verdicts(result)["second.signed-overflow.1"][0] is Verdict.SAFE
    assert any("range analysis" in warning for warning in result.warnings)


def test_a_mistake_in_the_replay_costs_one_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("no such leaf")

    monkeypatch.setattr(Replayer, "_run", broken)
    (only,) = checked(tmp_path, "int next(int a) { return a + 1; }").checks
    assert only.replayed is not True
    assert "internal error: KeyError" in (only.reason or "")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.CATEGORY))
def test_a_rule_that_fails_leaves_an_undecided_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: Any
) -> None:
    def broken(context: Context) -> Iterator[Found]:
        raise IndexError("no such operand")

    monkeypatch.setattr(rule, "find", broken)
    result = checked(tmp_path, "int same(int a) { return a; }", checks=[str(rule.CATEGORY)])
    (only,) = result.checks
    assert only.verdict is Verdict.UNKNOWN
    assert only.check.category is Category(rule.CATEGORY)
    assert "IndexError" in (only.reason or "")
