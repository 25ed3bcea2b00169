"""cast (off by default): an explicit cast to a narrower integer type changes the value.

Finds casts such as `(uint8_t)x` and `static_cast<short>(x)` whose operand does not fit the type.

Why it matters: a cast often says that the loss is meant, as in `(int16_t)(hi << 8 | lo)`; where it is not,
high bits vanish and no compiler warns.

Fails:

    uint8_t low(int reading) { return (uint8_t)reading; }               /* reading = 256 */

Passes:

    uint8_t low(int reading) { return (uint8_t)(reading & 0xFF); }

Not flagged: implicit conversions and casts from floating types (see `narrowing`), casts between types of the
same width, to `_Bool`, and of constants.
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c.checks.base import Category
from vouch.c.checks.context import Context, Found
from vouch.c.checks.narrowing import conversions

CATEGORY = Category.CAST


def find(context: Context) -> Iterator[Found]:
    return conversions(context, spelled_out=True)
