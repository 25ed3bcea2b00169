"""A claim about one number as a program, and what vouch says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import vouch
from vouch.result import CheckResult

PROGRAM = """
#include <assert.h>
#include <float.h>
#include <math.h>
float __VERIFIER_nondet_float(void);
void __VERIFIER_assume(int);
int main(void) {
    float x = __VERIFIER_nondet_float();
    __VERIFIER_assume(%s);
    assert(%s);
    return 0;
}
"""


def claimed(folder: Path, limits: str, claim: str, **options: Any) -> CheckResult:
    """`limits` is assumed of the float x, and `claim` is asserted."""
    path = folder / "program.c"
    path.write_text(PROGRAM % (limits, claim), encoding="utf-8")
    result = vouch.check([str(path)], checks=["assertion"], **options)
    return next(r for r in result.checks if r.check.category == "assertion")
