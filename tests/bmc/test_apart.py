"""Copies between places from outside: `safe` names what it rests on, unless the language promises it."""

from __future__ import annotations

from pathlib import Path

import pytest

import vouch
from vouch.c.ranges.access import APART
from vouch.verdict import Verdict

HEAD = "#include <string.h>\nstruct device { char *rx, *tx; };\n"


@pytest.mark.parametrize(
    ("body", "assumed"),
    [
        ("void f(char *to, const char *from) { memcpy(to, from, 8); }", True),
        ("void f(struct device *d) { memcpy(d->rx, d->tx, 8); }", True),
        ("char held[8]; void f(const char *from) { memcpy(held, from, 8); }", True),
        ("static char held[8]; void f(struct device *d) { memcpy(held, d->rx, 8); }", False),
        ("void f(const char *from) { char held[8]; memcpy(held, from, 8); }", False),
        ("void f(char *p) { memcpy(p, p + 8, 8); }", False),
        ("void f(struct device *d) { memcpy(d->rx, d->rx + 8, 8); }", False),
        ("void f(char *to, const char *from) { memmove(to, from, 8); }", False),
    ],
)
def test_named_where_it_counts(body: str, assumed: bool, tmp_path: Path) -> None:
    source = tmp_path / "library.c"
    source.write_text(HEAD + body + "\n")
    found = vouch.check(source, jobs=1).checks
    assert {r.verdict for r in found} == {Verdict.SAFE}
    assert any(APART in r.assumptions for r in found) is assumed


@pytest.mark.parametrize("write", ["memset((int *)at, 0, 4)", "memcpy((int *)at, from, 4)", "*(int *)at = 0"])
def test_addresses_as_numbers_may_be_those_of_variables(write: str, tmp_path: Path) -> None:
    source = tmp_path / "library.c"
    body = f"void f(unsigned long at, const int *from) {{ shared = 2; {write}; assert(shared == 2); }}"
    source.write_text(f"#include <assert.h>\n{HEAD}int shared;\n{body}\n")
    found = vouch.check(source, jobs=1, checks=["assertion"], no_replay=True).checks
    assert all(r.verdict is not Verdict.SAFE for r in found)
