"""A policy decides which calls run the callee's body."""

from __future__ import annotations

from pathlib import Path

from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.operands import finish
from vouch.bmc.problem import pose
from vouch.bmc.state import State
from vouch.bmc.verify import verify
from vouch.c import checks, frontend, ir
from vouch.c.entries import entries
from vouch.settings import resolve
from vouch.verdict import Verdict

CODE = """
static int zero(void) { int one = 1; return 1 / one - 1; }
int f(void) { int t[4] = {1, 2, 3, 4}; return 8 / t[zero()]; }
int g(int n) { return 8 / (n | 1); }
int h(void) { return g(5) + 8 / zero(); }
"""


def anything(ex: Execution, frame: Frame, state: State, call: ir.Call, function: ir.Function) -> State:
    finish(frame, call, ex.context.fresh(call.type, function.name))
    return state


def verdicts(tmp_path: Path, havocked: str) -> dict[str, Verdict]:
    (tmp_path / "a.c").write_text(CODE, encoding="utf-8")
    program = frontend.load([str(tmp_path / "a.c")]).program
    problem = pose(
        program,
        checks.find(program),
        (),
        resolve("check", {"jobs": 1}),
        entries=entries(program),
        bounds={},
        callees=lambda function, depth: anything if function.name == havocked else None,
    )
    return {r.check.id: r.verdict for r in verify(problem).results}


def test_the_body_or_a_model_in_its_place(tmp_path: Path) -> None:
    inlined, modelled = verdicts(tmp_path, ""), verdicts(tmp_path, "zero")
    assert inlined["f.bounds.1"] is Verdict.SAFE
    assert modelled["f.bounds.1"] is Verdict.UNSAFE
    assert inlined["g.division-by-zero.1"] is modelled["g.division-by-zero.1"] is Verdict.SAFE


def test_nothing_is_proved_inside_what_is_not_executed(tmp_path: Path) -> None:
    inlined, modelled = verdicts(tmp_path, ""), verdicts(tmp_path, "g")
    assert inlined["h.division-by-zero.1"] is modelled["h.division-by-zero.1"] is Verdict.UNSAFE
    assert verdicts(tmp_path, "zero")["zero.division-by-zero.1"] is Verdict.UNKNOWN
    assert inlined["zero.division-by-zero.1"] is Verdict.SAFE


def test_sites_are_places(tmp_path: Path) -> None:
    """A check says where its site stands, without the instruction itself."""
    (tmp_path / "a.c").write_text(CODE, encoding="utf-8")
    program = frontend.load([str(tmp_path / "a.c")]).program
    found = checks.find(program)
    assert found
    for check in found:
        place = check.place
        assert program.functions[place.function].blocks[place.block].instructions[place.index] is check.site
