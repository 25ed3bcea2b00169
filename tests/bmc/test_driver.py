"""The driver of a violation, compiled by the machine's own compiler: the violation shows itself there too."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import vouch
from vouch.verdict import Verdict

CASES = {
    "behind a pointer": (
        """struct ring { unsigned char head; short gain; int *next; };
        int put(struct ring *r, long n, float f)
        {
            if (f > 1.5f && *r->next == -7 && n == 3 && r->gain == -2)
                return 100 / (r->head - 16);
            return 0;
        }""",
        "division-by-zero",
        5,
    ),
    "state of the file": (
        """static int level; int other[3];
        int step(void) { if (level == 40 && other[2] == 9) return level << (other[2] + 30); return 0; }
        void set(int to) { level = to; }""",
        "shift",
        2,
    ),
    "what functions outside return and write": (
        """extern int sensor(int channel, short *out); extern long clock_of(void);
        int poll(void)
        {
            short v = 0;
            int a = sensor(1, &v);
            int b = sensor(2, &v);
            if (a == 2147483600 && clock_of() == -5)
                return a + b;
            return 0;
        }""",
        "signed-overflow",
        8,
    ),
    "a pointer to a function outside": (
        """struct bus { int (*read)(int); };
        int use(const struct bus *b) { int x = b->read(4); return 7 % x; }""",
        "division-by-zero",
        2,
    ),
    "the whole program": (
        """extern int nondet_int(void);
        int main(void)
        {
            int x = nondet_int(), y = nondet_int();
            return y > 1000 && x > 1000 ? x * y : 0;
        }""",
        "signed-overflow",
        5,
    ),
}


@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler beside vouch's own")
@pytest.mark.parametrize("name", sorted(CASES))
def test_the_driver_shows_the_violation(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, category, line = CASES[name]
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text(program)
    found = [r for r in vouch.check("a.c", checks=[category], jobs=1).checks if r.verdict is Verdict.UNSAFE]
    driver = found[0].driver
    assert driver is not None
    assert driver["limits"] == []
    Path("replay.c").write_text(driver["driver"])
    command = driver["command"].replace("address,undefined", "undefined")  # half of the time to compile
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert f"a.c:{line}:" in done.stderr, done.stderr
    assert "runtime error" in done.stderr


def test_what_the_driver_cannot_say_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text("volatile int port; int f(void) { return 1 / port; }")
    found = [r for r in vouch.check("a.c", jobs=1).checks if r.verdict is Verdict.UNSAFE]
    assert found[0].driver is not None
    assert found[0].driver["limits"] == ["volatile reads"]


def test_what_the_library_returns_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver has no functions that only models call: nobody would call them there."""
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text("#include <stdlib.h>\nint f(void) { return 1 / (rand() - 77); }")
    found = [r for r in vouch.check("a.c", jobs=1).checks if r.verdict is Verdict.UNSAFE]
    assert found[0].driver is not None
    assert found[0].driver["limits"] == ["what functions of the C library return"]
    assert "__vouch" not in found[0].driver["driver"]
