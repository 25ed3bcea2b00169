"""What the range analysis says of buffers, against native runs with AddressSanitizer on random programs."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from vouch.c import checks, ranges
from vouch.c.checks.base import Trigger
from vouch.c.entries import entries
from vouch.c.frontend import load

from .buffer_programs import DRIVER, Buffers

FLAGS = ["-w", "-g", "-O0", "-fsanitize=address", "-fno-omit-frame-pointer"]
SILENT = {
    "ASAN_OPTIONS": "detect_leaks=0:symbolize=1:detect_stack_use_after_return=0:allocator_may_return_null=1"
}

_LONGEST = 10.0  # seconds; a run that takes longer shows nothing
# What is no access of the program's: bad calls of `free`, and sizes that no memory has.
_NO_ACCESS = re.compile(
    r"in \w*interceptor_free|Sanitizer: (attempting|alloc|requested|negative|stack-overflow|out-of-memory)"
)


@functools.cache
def compiler() -> str | None:
    """A compiler on this machine whose AddressSanitizer works, the one of the wheel having none."""
    for name in ("gcc", "clang"):
        found = shutil.which(name)
        if found is not None and _works(found):
            return found
    return None


def _works(name: str) -> bool:
    try:
        command = [name, *FLAGS, "-x", "c", "-", "-o", os.devnull]
        return (
            subprocess.run(
                command, input="int main(void){return 0;}", text=True, capture_output=True
            ).returncode
            == 0
        )
    except OSError:
        return False


def built(folder: Path, source: Path) -> Path:
    name = compiler()
    assert name is not None
    driver, program = folder / "driver.c", folder / f"{source.stem}.bin"
    driver.write_text(DRIVER)
    subprocess.run([name, *FLAGS, source, driver, "-o", program], check=True)
    return program


def first_violation(program: Path, source: Path, *words: int) -> int | None:
    """The line of the program's own in which a run first accesses what it must not."""
    command, env = [program, *map(str, words)], {**os.environ, **SILENT}
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST, env=env)
    except subprocess.TimeoutExpired:
        return None
    report = run.stderr.split("\n\n")[0]
    if "ERROR: AddressSanitizer" not in report or _NO_ACCESS.search(report):
        return None
    frame = re.search(rf"{re.escape(source.name)}:(\d+)", report)
    return int(frame[1]) if frame is not None else None


def campaign(folder: Path, seed: int, runs: int) -> tuple[int, int, int]:
    """Accesses, how many are decided, and violations seen; asserts that no decided one is violated."""
    source = folder / f"buffers{seed}.c"
    source.write_text(Buffers(seed).program())
    program = load([source]).program
    found = checks.find(program)
    decided = ranges.analyse(program, found, entries(program)).decisions
    lines: dict[int, list[bool]] = {}
    for check in found:
        if check.trigger in (Trigger.ACCESS, Trigger.REACHED) and check.category in ("pointer", "bounds"):
            lines.setdefault(check.location.line, []).append(check.id in decided)
    binary, seen = built(folder, source), set()
    for run in range(runs):
        line = first_violation(binary, source, 7919 * seed + run, run % 3)
        if line is not None:
            seen.add(line)
            assert line in lines, (seed, run, line)
            assert not all(lines[line]), f"seed {seed}, run {run}: line {line} is said to be safe"
    flat = [held for all_ in lines.values() for held in all_]
    return len(flat), sum(flat), len(seen)


@pytest.mark.skipif(compiler() is None, reason="no compiler with AddressSanitizer on this machine")
@pytest.mark.parametrize("seed", range(3))
def test_no_decided_access_is_violated(tmp_path: Path, seed: int) -> None:
    total, decided, _ = campaign(tmp_path, seed, 12)
    assert decided > total // 5  # a campaign that decides nothing shows nothing


@pytest.mark.slow
@pytest.mark.skipif(compiler() is None, reason="no compiler with AddressSanitizer on this machine")
@pytest.mark.parametrize("seed", range(100, 400))
def test_buffer_campaign(tmp_path: Path, seed: int) -> None:
    campaign(tmp_path, seed, 60)
