"""Library functions at sizes around and beyond what a loop of a model could be followed: one byte too many is
found and shown by a native run, and no byte too many is proved."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bmc.library_sizes import ALL, fixed, symbolic
from tests.bmc.random_inputs import RandomReplayer

import vouch
from vouch.c import checks
from vouch.c.checks.base import Category
from vouch.c.frontend import FrontOptions, load
from vouch.result import RunResult

SIZES = (*(pytest.param(size, marks=pytest.mark.slow) for size in (1, 63, 64, 65)), 200)
# Where the size is a symbol: a search place by place is followed up to a bound, scanned text is lost.
UNDECIDED = frozenset({"memmem", "strstr", "bsearch", "scanf"})


def checked(path: Path, source: str) -> RunResult:
    path.write_text(source)
    return vouch.check([path], checks=["pointer"])


def violated(result: RunResult) -> set[str]:
    return {c.check.function for c in result.checks if str(c.verdict) == "unsafe" and c.replayed}


def unproved(result: RunResult) -> set[str]:
    return {c.check.function for c in result.checks if str(c.verdict) != "safe"}


@pytest.mark.parametrize("size", SIZES)
def test_fixed_sizes(size: int, tmp_path: Path) -> None:
    result = checked(tmp_path / "sizes.c", fixed(size))
    names = {twin.name for twin in ALL}
    assert {n for n in names if f"bad_{n}" not in violated(result)} == set()
    assert {n for n in names if f"good_{n}" in unproved(result)} == set()


@pytest.mark.slow
def test_sizes_that_the_program_gets(tmp_path: Path) -> None:
    result = checked(tmp_path / "sizes.c", symbolic())
    names = {twin.name for twin in ALL if twin.symbolic}
    assert {n for n in names if f"bad_{n}" not in unproved(result)} == set()
    assert {n for n in names if f"good_{n}" in violated(result)} == set()
    assert {n for n in names - UNDECIDED if f"bad_{n}" not in violated(result)} == set()
    assert {n for n in names - UNDECIDED if f"good_{n}" in unproved(result)} == set()


@pytest.mark.slow
def test_random_runs_violate_nothing_proved(tmp_path: Path) -> None:
    source = tmp_path / "sizes.c"
    result = checked(source, fixed(7))  # no object of a random run is smaller
    proved = {c.check.id for c in result.checks if str(c.verdict) == "safe"}
    assert len(proved) > len(ALL)
    loaded = load([source], FrontOptions())
    found = checks.find(loaded.program, frozenset({Category.POINTER}))
    with RandomReplayer(loaded, found) as replayer:
        for twin in ALL:
            for seed in range(4):
                run = replayer.run_random(f"good_{twin.name}", seed, library=True)
                assert proved.isdisjoint(run.fired), (twin.name, seed)
