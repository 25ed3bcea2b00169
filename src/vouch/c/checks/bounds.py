"""bounds: an array index is outside the array's declared size.

Finds `a[i]` where the type of `a` says how many elements it has: local, global and static arrays, arrays in
structs, each dimension of nested arrays, variable-length arrays; and the size of a variable-length array that
is not positive.

Why it matters: the access reaches a neighbouring object. It is the commonest cause of corrupted memory.

Fails:

    static int table[8];
    int look(unsigned i) { return table[i]; }                   /* i = 8 */

Passes:

    static int table[8];
    int look(unsigned i) { return i < 8u ? table[i] : 0; }

Not flagged: accesses through a plain pointer `p[i]`, whose size no type tells (see `pointer`), and `&a[n]`,
one past the end, as long as it is not accessed. A flexible array member at the end of a struct has no bound.
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found
from vouch.c.checks.operands import handler_operand
from vouch.c.checks.text import spell

CATEGORY = Category.BOUNDS


def find(context: Context) -> Iterator[Found]:
    for handler in context.handlers_of("out_of_bounds"):
        index = spell(context, handler_operand(context, handler, 1), handler.type(1).signed)
        index = "index" if index == "the value" else f"index {index}"
        message = f"{index} is out of bounds of {handler.type(0).name}"
        yield Found(CATEGORY, handler.location, message, Trigger.REACHED, handler.call, operands=(index,))
    for handler in context.handlers_of("vla_bound_not_positive"):
        size = spell(context, handler_operand(context, handler, 1))
        message = f"array size {size} may not be positive"
        yield Found(CATEGORY, handler.location, message, Trigger.REACHED, handler.call, operands=(size,))
    for handler in context.handlers_of("local_out_of_bounds"):
        message = "access is out of bounds"
        yield Found(CATEGORY, handler.location, message, Trigger.REACHED, handler.call)
