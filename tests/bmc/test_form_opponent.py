"""An opponent: random functions over every kind of number, run natively on many arguments. What the
sanitizer's handlers report there, vouch must not have called safe, and must have listed at all."""

from __future__ import annotations

import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from tests.bmc import form_programs

import vouch
from vouch.verdict import Verdict

HANDLERS = {
    "add_overflow": "signed-overflow",
    "sub_overflow": "signed-overflow",
    "mul_overflow": "signed-overflow",
    "negate_overflow": "signed-overflow",
    "divrem_overflow": "signed-overflow division-by-zero",
    "shift_out_of_bounds": "shift",
    "out_of_bounds": "bounds",
    "implicit_conversion": "narrowing",
    "float_cast_overflow": "narrowing",
}
CATEGORIES = ["signed-overflow", "division-by-zero", "shift", "bounds", "narrowing"]
RUNTIME = """#include <stdio.h>
struct place { const char *file; unsigned line, column; };
#define HANDLER(name) void __ubsan_handle_##name(struct place *p) { say(#name, p); }
static void say(const char *name, const struct place *p) {
    printf("%s %u %u\\n", name, p->line, p->column);
    fflush(stdout);
}
int form(int a, int b);
static const int values[] = {0, 1, -1, 2, 3, 5, 7, 8, 31, 32, 127, 128, 255, 256, 32767, 65535, 65536, 70000,
                             2147483647, -2147483647 - 1, -128, 1000000};
enum { COUNT = sizeof values / sizeof *values };
int main(int count, char **words) {
    unsigned start = 0;
    sscanf(words[1], "%u", &start);
    for (unsigned i = start; i < COUNT * COUNT; i++) {
        fprintf(stderr, "%u\\n", i);
        form(values[i / COUNT], values[i % COUNT]);
    }
    return 0;
}
"""
FLAGS = (
    "-fsanitize=undefined",
    "-fsanitize=implicit-integer-truncation",
    "-fsanitize=implicit-bitfield-conversion",
    "-fsanitize=float-cast-overflow",
    "-fsanitize-recover=all",
    "-fno-sanitize=function,vptr,alignment,null,object-size,pointer-overflow",
)
COMPILER = (sys.executable, "-m", "ziglang", "cc", "-w")
MOST_CRASHES = 40  # a division of vectors by zero ends the process


@cache
def runtime(folder: Path) -> Path:
    source, made = folder / "runtime.c", folder / "runtime.o"
    source.write_text(RUNTIME + "".join(f"HANDLER({name})\n" for name in HANDLERS))
    subprocess.run([*COMPILER, "-O1", "-fno-sanitize=undefined", "-c", source, "-o", made], check=True)
    return made


def fired(folder: Path, source: Path) -> set[tuple[str, int, int]]:
    """Handlers that were called, with line and column."""
    made, program = source.with_suffix(".o"), source.with_suffix("")
    subprocess.run([*COMPILER, "-O0", *FLAGS, "-c", source, "-o", made], check=True)
    link = [*COMPILER, "-fno-sanitize=undefined", made, runtime(folder), "-o", program]
    subprocess.run(link, check=True)
    found: set[tuple[str, int, int]] = set()
    start = 0
    for _ in range(MOST_CRASHES):
        done = subprocess.run([program, str(start)], capture_output=True, text=True, timeout=120)
        for line in done.stdout.splitlines():
            name, row, column = line.split()
            found.add((name, int(row), int(column)))
        if done.returncode == 0:
            break
        start = int(done.stderr.split()[-1]) + 1
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("opponent")


def play(folder: Path, seed: int) -> int:
    """How many checks fired natively, none of which vouch calls safe."""
    source = folder / f"form{seed}.c"
    source.write_text(form_programs.program(random.Random(seed)))
    listed: dict[tuple[str, int, int], list[Verdict]] = {}
    for result in vouch.check(source, checks=CATEGORIES, check_timeout=5).checks:
        place = result.check.location
        key = str(result.check.category), place.line, place.column
        listed.setdefault(key, []).append(result.verdict)
        assert result.replayed is not False, (
            f"seed {seed}: {result.check.id} is not confirmed: {result.reason}"
        )
        assert result.reason != "not evaluated", f"seed {seed}: {result.check.id}"
        assert "internal error" not in (result.reason or ""), f"seed {seed}: {result.check.id}"
    calls = fired(folder, source)
    for name, row, column in sorted(calls):
        known = [v for c in HANDLERS[name].split() for v in listed.get((c, row, column), ())]
        assert known, f"seed {seed}: {name} at {row}:{column} is not listed"
        assert any(v is not Verdict.SAFE for v in known), f"seed {seed}: {name} at {row}:{column} is not safe"
    return len(calls)


def test_a_sample(folder: Path) -> None:
    assert sum(play(folder, seed) for seed in range(4)) > 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 160))
def test_many(folder: Path, seed: int) -> None:
    play(folder, seed)
