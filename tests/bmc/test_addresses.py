"""Objects lie apart. Of many, that is only said of neighbours, and what is not said refutes nothing."""

from __future__ import annotations

from pathlib import Path

import vouch
from vouch.bmc.context import NEIGHBOURS
from vouch.verdict import Verdict


def program(count: int, first: int, second: int) -> str:
    """Addresses of many variables as numbers, two of them compared."""
    names = [f"v{n}" for n in range(count)]
    lines = ["#include <assert.h>", "#include <stdint.h>", f"int {', '.join(names)};", "int main(void)", "{"]
    lines.append(f"    uintptr_t a[{count}];")
    lines += [f"    a[{n}] = (uintptr_t)&{name} + 4u;" for n, name in enumerate(names)]
    lines += [f"    assert(a[{first}] - 4u != a[{second}] - 4u);", "    return 0;", "}"]
    return "\n".join(lines) + "\n"


def verdict(folder: Path, text: str) -> Verdict:
    path = folder / "many.c"
    path.write_text(text, encoding="utf-8")
    result = vouch.check(path, checks=["assertion"], no_replay=True, jobs=1)
    [check] = result.checks
    return check.verdict


def test_neighbours_lie_apart(tmp_path: Path) -> None:
    assert verdict(tmp_path, program(3, 0, 2)) is Verdict.SAFE


def test_nothing_is_refuted_because_it_was_not_said(tmp_path: Path) -> None:
    count = NEIGHBOURS + 8
    assert verdict(tmp_path, program(count, count - 2, count - 1)) is Verdict.SAFE
    assert verdict(tmp_path, program(count, 0, count - 1)) in (Verdict.SAFE, Verdict.COND_UNSAFE)
