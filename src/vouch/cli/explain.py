"""`vouch explain CATEGORY`."""

from __future__ import annotations


def explain(category: str | None) -> int:
    from vouch.c import checks

    if category is not None:
        print(checks.explain(category))
        return 0
    for rule in checks.RULES:
        first = (rule.__doc__ or "").strip().splitlines()[0]
        name, _, what = first.partition(": ")
        print(f"{name:34} {what}")
    return 0
