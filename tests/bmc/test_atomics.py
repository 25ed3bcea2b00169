"""That nobody else changes what is accessed atomically is named where somebody could."""

from __future__ import annotations

from pathlib import Path

import pytest

import vouch
from vouch.verdict import Verdict


@pytest.mark.parametrize(("variable", "shared"), [("atomic_int x;", True), ("", False)])
def test_sequential(variable: str, shared: bool, tmp_path: Path) -> None:
    source = tmp_path / "library.c"
    own = "" if variable else "atomic_int x = n;"
    body = f"int f(int n) {{ {own} if (x == 0) return 0; return n % 7 / x; }}"
    source.write_text(f"#include <stdatomic.h>\n{variable}\n{body}\n")
    found = [r for r in vouch.check(source, jobs=1).checks if r.check.category == "division-by-zero"]
    assert {r.verdict for r in found} == {Verdict.SAFE}
    assert any("atomically" in a for r in found for a in r.assumptions) is shared
