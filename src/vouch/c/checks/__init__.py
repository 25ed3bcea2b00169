"""The checks: one file per category, found in the program in one pass, listed in source order.

Comes in: a `Program`. Goes out: `Check`s with stable ids. Finders decide nothing: what the compiler left out
or the types make impossible is listed all the same where C's rules make it a critical place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Protocol

from vouch.c.checks import (
    assertion,
    bounds,
    cast,
    division_by_zero,
    floats,
    leak,
    narrowing,
    pointer,
    shift,
    sign_change,
    signed_overflow,
    unchecked_status,
    uninitialised,
    unreachable,
    unsigned_overflow,
)
from vouch.c.checks.base import OFF_BY_DEFAULT, Category, Check, Trigger
from vouch.c.checks.context import Context, Found, ProgramFacts, build
from vouch.c.ir import Function, Location, Program
from vouch.c.sources import Sources
from vouch.errors import VouchError

__all__ = ["OFF_BY_DEFAULT", "RULES", "Category", "Check", "Trigger", "explain", "find"]


class Rule(Protocol):
    """What a category's module offers. Its docstring is what `vouch explain` prints."""

    CATEGORY: Category
    __doc__: str | None

    def find(self, context: Context) -> Iterator[Found]: ...


# In the order of the manual, which is the order in which several checks of one place are listed: what
# computes a value before what uses it.
RULES: tuple[Rule, ...] = (
    signed_overflow,
    unsigned_overflow,
    division_by_zero,
    shift,
    narrowing,
    cast,
    sign_change,
    bounds,
    pointer,
    uninitialised,
    assertion,
    unreachable,
    leak,
    floats,
    unchecked_status,
)

# Inline functions of these headers are the system's, not the program's.
_SYSTEM = ("/ziglang/lib/", "/usr/include/", "/usr/lib/", "/usr/local/include/")


def chosen(names: Collection[str]) -> frozenset[Category]:
    """The categories that a `--checks` list stands for: names add, `-name` leaves out, `all` is everything.

    A list that begins with a name is complete; one that only leaves out starts from the default.
    """
    words = [word.strip() for name in names for word in name.split(",") if word.strip()]
    default = frozenset(Category) - OFF_BY_DEFAULT
    found: set[Category] = set(default) if all(word.startswith("-") for word in words) else set()
    for word in words:
        bare = word.removeprefix("-")
        if bare not in {"all", "default", *Category}:
            known = ", ".join(Category)
            raise VouchError(f"unknown check category {bare!r} (known: {known}, all)")
        group = set(Category) if bare == "all" else set(default) if bare == "default" else {Category(bare)}
        found = found - group if word.startswith("-") else found | group
    return frozenset(found)


def find(
    program: Program, categories: Collection[Category] | None = None, sources: Sources | None = None
) -> list[Check]:
    """All checks of the wanted categories (default: those that are on by default), by function, each
    function's in source order. Library models and inline functions of system headers are left out."""
    wanted = frozenset(Category) - OFF_BY_DEFAULT if categories is None else frozenset(categories)
    sources = sources if sources is not None else program.sources
    shared = ProgramFacts()
    checks: list[Check] = []
    for function in program.functions.values():
        if function.defined and not _is_foreign(program, function):
            context = build(program, function, sources, shared)
            checks += _of_function(context, wanted)
    return checks


def explain(name: str) -> str:
    """The manual's text on a category."""
    for rule in RULES:
        if name == rule.CATEGORY:
            return (rule.__doc__ or "").strip()
    raise VouchError(f"unknown check category {name!r} (known: {', '.join(Category)})")


def _is_foreign(program: Program, function: Function) -> bool:
    if function.name in program.models:
        return True
    return function.location is not None and any(part in function.location.file for part in _SYSTEM)


def _found(rule: Rule, context: Context) -> list[Found]:
    """What a rule finds. One that fails leaves a single check behind which nobody can decide: a mistake in
    vouch must not look like a function without critical places."""
    try:
        return list(rule.find(context))
    except MemoryError:
        raise
    except Exception as wrong:
        function = context.function
        first = next(iter(function.blocks.values())).instructions[0]
        place = function.location or first.location or Location("", 0, 0, function.source_name)
        text = f"internal error: {type(wrong).__name__}: {' '.join(str(wrong).split())}".rstrip(": ")
        message = f"the {rule.CATEGORY} checks of {function.source_name} could not be found: {text}"
        return [Found(rule.CATEGORY, place, message, Trigger.UNFINDABLE, first)]


def _of_function(context: Context, wanted: frozenset[Category]) -> list[Check]:
    found = [item for rule in RULES if rule.CATEGORY in wanted for item in _found(rule, context)]
    found.sort(key=lambda f: (f.location.file, f.location.line, f.location.column, f.site.number))
    counts: dict[Category, int] = defaultdict(int)
    checks: list[Check] = []
    by_site: dict[int, str] = {}
    for item in found:
        counts[item.category] += 1
        check = Check(
            f"{context.function.name}.{item.category}.{counts[item.category]}",
            item.category,
            item.location,
            context.function.name,
            item.message,
            item.trigger,
            item.site,
            argument=item.argument,
            value=item.value,
            bits=item.bits,
            signed_to=item.signed_to,
            signed_from=item.signed_from,
            either_sign=item.either_sign,
            written=item.written,
            operands=item.operands,
            place=context.site(item.site),
        )
        by_site.setdefault(item.site.number, check.id)
        checks.append(check)
    for check, item in zip(checks, found, strict=True):
        if item.shares is not None:
            check.after = by_site.get(item.shares.number)
    return checks
