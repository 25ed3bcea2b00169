"""unsigned-overflow (off by default): unsigned arithmetic wraps around.

Finds `+`, `-`, `*`, `++`, `--` and unary `-` in an unsigned type whose mathematical result is negative or
too large for the type.

Why it matters: the behaviour is defined, and checksums and hashes rely on it, but a length that wraps below
zero becomes an enormous one. Many coding standards (CERT INT30-C) ask for it.

Fails:

    unsigned left(unsigned size, unsigned used) { return size - used; }      /* size = 1, used = 2 */

Passes:

    unsigned left(unsigned size, unsigned used) { return used < size ? size - used : 0u; }

Not flagged: operands narrower than `int`, which C promotes to `int` first (their conversion back is
`narrowing`), and shifts.
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c.checks.base import Category
from vouch.c.checks.context import Context, Found
from vouch.c.checks.signed_overflow import overflows

CATEGORY = Category.UNSIGNED_OVERFLOW


def find(context: Context) -> Iterator[Found]:
    yield from overflows(context, CATEGORY, signed=False)
