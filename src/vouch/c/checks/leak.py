"""leak (off by default): heap memory is still allocated, and out of reach, when the program ends.

Finds calls of `malloc`, `calloc`, `realloc`, `strdup`, `new` whose object is neither freed nor reachable from
a global or from the result when an entry point returns or `exit` is called.

Why it matters: a device that runs for months loses its heap block by block.

Fails:

    int use(void) { char *p = malloc(8); return p != 0; }

Passes:

    int use(void) { char *p = malloc(8); int ok = p != 0; free(p); return ok; }

Not flagged: memory that a global still points to, or that the entry point returns to its caller.
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.c import known
from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found, source_name

CATEGORY = Category.LEAK


def find(context: Context) -> Iterator[Found]:
    for call in context.calls:
        name = source_name(context.program, call)
        if known.allocates(name) and (place := context.place(call)):
            message = f"memory from {name} is never freed"
            yield Found(CATEGORY, place, message, Trigger.LEAK, call)
