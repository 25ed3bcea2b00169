"""Native runs on random inputs as the opponent of proofs: no check that was proved may ever be violated."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import pytest
from bench import cases, csmith
from tests.bmc.random_inputs import RandomReplayer
from tests.bmc.replaying import compiled

from vouch.bmc.counterexample import Counterexample
from vouch.bmc.replay import ReplayLimits
from vouch.c import checks, ranges
from vouch.c.checks.base import Category
from vouch.c.entries import entries, entry_points, is_library
from vouch.c.frontend import FrontOptions, load
from vouch.c.ranges.access import APART, OUTSIDE
from vouch.verdict import Verdict

# What proofs take callers to do and random ones do not: they hand over overlapping places, and objects that
# may end before the last element that a loop reads.
NOT_KEPT = {APART, OUTSIDE}

# Cases of modules and promises rest on what callers promise, which random runs do not know.
PLAIN = [
    c
    for c in cases.find()
    if c.path.is_file()
    and c.path.suffix == ".c"
    and not c.options
    and c.path.parent.name not in ("modular", "promises")
]


def test_equal_seeds_give_equal_runs(tmp_path: Path) -> None:
    code = """int nondet_int(void); extern int g; volatile int v; struct n { struct n *next; int a[3]; };
    int f(int x, struct n *p) {
      return 1 / (x & 1) + 1 / (nondet_int() & 1) + 1 / (v & 1) + 1 / (p->next->a[1] & 1); }"""
    snippet = compiled(tmp_path, code)
    with RandomReplayer(snippet.loaded, snippet.checks) as replayer:
        first = [replayer.run_random("f", seed, library=True) for seed in range(20)]
        again = [replayer.run_random("f", seed, library=True) for seed in range(20)]
    assert first == again
    assert {r.reason for r in first} == {"the entry point returned"}
    # Each division fails in about half of the runs, alone and together with others.
    divisions = {c.id for c in snippet.checks if c.category is Category.DIVISION_BY_ZERO}
    assert divisions <= {name for r in first for name in r.fired}
    assert len({tuple(r.fired) for r in first}) > 4


def violated(case: cases.Case, proved: set[str], promised: set[str], runs: int) -> dict[str, int]:
    """Proved checks that a random run violates, with the seed. A run that violates one which was `promised`
    breaks what the proofs of all that follows rest on."""
    loaded = load([str(case.path)], FrontOptions())
    found = checks.find(loaded.program, frozenset(Category))
    after = {c.id: c.after for c in found}
    wrong: dict[str, int] = {}
    with RandomReplayer(loaded, found, ReplayLimits(seconds=1)) as replayer:
        for entry in entry_points(loaded.program):
            for seed in range(runs):
                result = replayer.run_random(entry, seed, library=is_library(loaded.program))
                # What follows from a mistake that another check reports is not part of the proof.
                fired = list(takewhile(lambda name: name not in promised, result.fired))
                wrong |= {n: seed for n in fired if n in proved and after[n] not in fired}
                if not result.possible:
                    return wrong
    return wrong


def by_ranges(case: cases.Case) -> tuple[set[str], set[str]]:
    """Checks that the range analysis proves, and those that it proves by what callers promise."""
    loaded = load([str(case.path)], FrontOptions())
    found = checks.find(loaded.program, frozenset(Category))
    decisions = ranges.analyse(loaded.program, found, entries(loaded.program)).decisions
    safe = {n: d for n, d in decisions.items() if d.verdict is Verdict.SAFE}
    promised = {n for n, d in safe.items() if d.reason in NOT_KEPT}
    return safe.keys() - promised, promised


@pytest.mark.parametrize("case", PLAIN[::12], ids=lambda case: case.name)
def test_ranges_are_never_contradicted(case: cases.Case) -> None:
    assert violated(case, *by_ranges(case), runs=8) == {}


@pytest.mark.slow
@pytest.mark.parametrize("case", PLAIN, ids=lambda case: case.name)
def test_proofs_are_never_contradicted(case: cases.Case) -> None:
    result = cases.run(case)
    safe = [r for r in result.checks if r.verdict is Verdict.SAFE]
    promised = {r.check.id for r in safe if not NOT_KEPT.isdisjoint(r.assumptions)}
    proved, also = by_ranges(case)
    proved |= {r.check.id for r in safe} - promised
    assert violated(case, proved, promised | also, runs=60) == {}


def checksum_program(seed: int, folder: Path, options: list[str] | None) -> None:
    """The instrumented program computes what the plain one does, and violates nothing on the way."""
    program = csmith.generate(seed, folder, options)
    if program is None:
        pytest.skip("does not end")
    # csmith's conversions change values all the time, which C allows.
    categories = frozenset(Category) - {Category.NARROWING, Category.SIGN_CHANGE, Category.UNSIGNED_OVERFLOW}
    include = str(csmith.include_folder())
    loaded = load([str(program.path)], FrontOptions(includes=(include,), categories=categories))
    found = checks.find(loaded.program, categories)
    last = [c for c in found if c.category is Category.ASSERTION and c.location.line == program.refuted_line]
    with RandomReplayer(loaded, found) as replayer:
        result = replayer.replay(Counterexample(last[0], "main", [], [], []))
    assert result.confirmed, result.output
    assert result.fired == [last[0].id]


needs_csmith = pytest.mark.skipif(csmith.include_folder() is None, reason="csmith is not installed")


@needs_csmith
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_instrumented_programs_compute_the_same(tmp_path: Path, seed: int) -> None:
    checksum_program(seed, tmp_path, None)


@needs_csmith
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 160))
def test_large_instrumented_programs_compute_the_same(tmp_path: Path, seed: int) -> None:
    checksum_program(seed, tmp_path, ["--quiet"])
