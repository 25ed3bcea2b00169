"""Proofs for every caller against native runs of random libraries; the call graph."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from vouch.api import check
from vouch.bmc.problem import Problem, pose
from vouch.c import checks, frontend, ranges
from vouch.c.checks.base import Category
from vouch.c.entries import entries
from vouch.c.options import FrontOptions
from vouch.modular import caller_closed, levels
from vouch.modular.policy import WHOLE
from vouch.run.pool import run_jobs
from vouch.settings import resolve
from vouch.verdict import Verdict

from . import aliasing_programs

SLOW = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 220)]


def posed(path: Path) -> tuple[Problem, ranges.RangeAnalysis]:
    settings = resolve("check")
    wanted = checks.chosen(settings.checks)
    program = frontend.load([str(path)], FrontOptions(categories=wanted)).program
    starts = entries(program)
    found = checks.find(program, wanted, program.sources)
    analysis = ranges.analyse(program, found, starts)
    decided = analysis.decisions.keys()
    problem = pose(program, found, decided, settings, entries=starts, bounds={}, invariants=analysis.ranges)
    return problem, analysis


def failing(folder: Path, program: aliasing_programs.Program) -> set[int]:
    """The lines of claims that native runs see fail."""
    (folder / "harness.c").write_text(aliasing_programs.HARNESS)
    binary = str(folder / "harness")
    command = [sys.executable, "-m", "ziglang", "cc", "-w", "-O0", "-fno-sanitize=all"]
    subprocess.run([*command, "-o", binary, str(folder / "harness.c")], check=True, capture_output=True)
    done = subprocess.run([binary], check=True, capture_output=True, text=True, timeout=20)
    return {program.line_of(claim) for claim in set(done.stdout.splitlines())}


@pytest.mark.parametrize("seed", [0, *SLOW])
def test_no_proof_of_a_claim_that_fails(seed: int, tmp_path: Path) -> None:
    program = aliasing_programs.Program(seed, 2 + seed % 4)
    (tmp_path / "program.c").write_text(program.text)
    bad = failing(tmp_path, program)
    assert bad, "the claims of a program are to be failed"
    problem, analysis = posed(tmp_path / "program.c")
    rungs = [partial(levels.prove, level=level) for level in (0, 1, 2, WHOLE)]
    rungs.insert(1, partial(caller_closed.prove, limit=1 + seed % 2))
    for prove in rungs:
        proofs = prove(problem, analysis, pool=run_jobs)
        assert not proofs.warnings
        claims = {r.check.location.line for r in proofs.results if r.check.category is Category.ASSERTION}
        assert not claims & bad
        problem = problem.without(proofs.results)


PARSER = """
struct cursor { const char *text; unsigned at, end; };
static int peek(struct cursor *c) { return c->at < c->end ? c->text[c->at] : -1; }
static int number(struct cursor *c, int most) {
    int value = 0;
    while (peek(c) >= '0' && peek(c) <= '9') {
        if (value < 0 || value > most) { return -1; }
        value = value * 10 + (peek(c) - '0');
        c->at++;
    }
    return value;
}
int parse(const char *text, unsigned end) {
    struct cursor c = {text, 0, end};
    static int table[4];
    int sum = 0;
    while (c.at < c.end) {
        int n = number(&c, 1000);
        if (n >= 0 && n < 4) { sum ^= table[n]; }
        c.at++;
    }
    return sum;
}
"""


def test_a_parser_is_decided_without_bounds(tmp_path: Path) -> None:
    """Loops over data of any length: nothing is left that holds up to a bound only."""
    (tmp_path / "parser.c").write_text(PARSER)
    result = check([str(tmp_path / "parser.c")])
    assert Counter(str(r.verdict) for r in result.checks)["safe"] == len(result.checks)
    assert {r.decided_by for r in result.checks} <= {"preprocess", "ranges", "local", "callers", "module"}


MODULES = """
static int helper(int y) {
    int z = 0;
    for (int i = 0; i < 3; i++) { z = (z ^ y) & 0x55555555; }
    return z ^ y;
}
static int inner(int x, int y) {
    int first = x + 1;
    int second = y < 100 ? helper(y & 0x2aaaaaaa) + y : 0;
    return first ^ second;
}
int outer(int x, int y) { return ((x ^ y) == 0 && x < 100) ? inner(y, x) : 0; }
int other(int x) { return x + 1; }
"""
NEEDS_CALLER, NEEDS_CALLEE, FAILS = 8, 9, 13


@pytest.mark.parametrize(
    ("options", "proved"),
    [
        ({"rungs": ["local"]}, set()),  # both abstractions
        ({"rungs": ["calls"]}, {NEEDS_CALLER}),  # callers as they are, calls replaced
        ({"rungs": ["calls"], "havoc_limit": 2}, {NEEDS_CALLER, NEEDS_CALLEE}),
        ({"rungs": ["global"]}, {NEEDS_CALLER, NEEDS_CALLEE}),
    ],
)
def test_what_each_abstraction_proves(options: dict[str, Any], proved: set[int], tmp_path: Path) -> None:
    """What needs callers is proved where they are followed, and what fails is not."""
    path = tmp_path / "modules.c"
    path.write_text(MODULES)
    result = check([str(path)], checks=["signed-overflow"], no_replay=True, **options)
    by_line = {r.check.location.line: r.verdict for r in result.checks}
    found = {line for line in (NEEDS_CALLER, NEEDS_CALLEE, FAILS) if by_line[line] is Verdict.SAFE}
    assert found == proved


def test_calls_through_pointers_count_as_callers(tmp_path: Path) -> None:
    """One call is followed, and proves nothing about the other."""
    path = tmp_path / "table.c"
    path.write_text(
        "static int inner(int x) { return x + 1; }\n"
        "static int (*held)(int) = inner;\n"
        "int direct(int x, int y) { return ((x ^ y) == 0 && x < 100) ? inner(y) : 0; }\n"
        "int through(int x) { return held(x); }\n"
    )
    for rungs in (["calls"], ["local", "callers"]):
        result = check([str(path)], checks=["signed-overflow"], no_replay=True, rungs=rungs)
        assert not [r for r in result.checks if r.verdict is Verdict.SAFE]
