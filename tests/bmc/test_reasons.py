"""`unreachable` is said of what nothing reaches, and of nothing else."""

from __future__ import annotations

from pathlib import Path

import vouch

SOURCE = """#include <assert.h>
int nondet_int(void);
int main(void)
{
    int x = nondet_int(), y = nondet_int();
    if (x > 5 && x < 100 && y == x * x) {
        assert(y % 2 == x % 2);
    }
    if (x > 5 && x < 100 && y == x * x && y * y < 30) {
        assert(x == 42);
    }
    return 0;
}
"""


def test_proved_assertions_are_reached(tmp_path: Path) -> None:
    path = tmp_path / "reasons.c"
    path.write_text(SOURCE)
    result = vouch.check(path, checks=["assertion"])
    found = {r.check.location.line: (str(r.verdict), r.reason) for r in result.checks}
    assert found == {7: ("safe", None), 10: ("safe", "unreachable")}
