"""The functions that vouch knows by name: one table, from which every stage takes what it needs.

The rows, and what they mean, are in `c/known_rows.py`.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import cache
from typing import NamedTuple

from vouch.c.known_rows import ROWS
from vouch.record import frozen_record


class Trait(Enum):
    SILENT = auto()
    HARMLESS = auto()
    READS = auto()
    PRINTS = auto()
    FILLS = auto()
    ERRNO = auto()
    ALLOCATES = auto()
    FREES = auto()
    TWICE = auto()
    NULL = auto()
    MINUS = auto()
    DIVIDES = auto()
    ASSUMES = auto()
    CLAIMS = auto()
    FAILS = auto()
    ERROR = auto()


@frozen_record
class Known:
    """`place` is engine, model or outside; `by` the key, the file or the contract there."""

    name: str
    place: str
    by: str
    traits: frozenset[Trait]
    argument: int = 0  # with the condition's text where it fails, with the number of bytes where it fills


# Whole families, by how their names begin: the engine's key ("" for none), and whether they are silent.
_FAMILIES = (
    ("nondet", ("__VERIFIER_nondet_", "__CPROVER_nondet_", "nondet_"), True),
    ("nondet", ("__vouch_nondet_", "__vouch_any_"), True),
    ("", ("__ubsan_handle_", "__VERIFIER_atomic_", "__ESBMC_"), True),
    ("unsupported", ("pthread_", "__CPROVER_"), False),
)
# Of math.h, with the forms for float and long double: may yield NaN or infinity for numbers.
_NUMERIC = (
    "sqrt pow exp exp2 exp10 expm1 log log2 log10 log1p logb sinh cosh tgamma lgamma hypot fmod remainder "
    "remquo acos asin atanh acosh ldexp scalbn scalbln fma fdim nextafter nexttoward y0 y1 yn"
)
# Functions and variables of the compiler, of its sanitizer and of the models; errno alone is everybody's.
OWN = ("llvm.", "__ubsan_", "__vouch_")
ERRNO = "__vouch_errno"
_DELETES = ("_Zdl", "_Zda")  # C++'s operator delete in all its forms
_NEW = frozenset({"operator new", "operator new[]"})  # as the source spells it


def _read() -> tuple[dict[str, Known], dict[str, list[str]]]:
    """The rows by name, and the names by trait: to hash a trait a thousand times takes milliseconds."""
    table: dict[str, Known] = {}
    by_trait: dict[str, list[str]] = {}
    for line in ROWS.strip().splitlines():
        names, meaning, *rest = (part.strip() for part in line.split(":"))
        place, _, by = meaning.partition(" ")
        words = rest[0].split() if rest else []
        traits = frozenset(Trait[word.upper()] for word in words if not word.isdecimal())
        argument = next((int(word) for word in words if word.isdecimal()), 0)
        for name in names.split():
            assert name not in table, name
            table[name] = Known(name, place, by, traits, argument)
        for word in words:
            by_trait.setdefault(word.upper(), []).extend(names.split())
    return table, by_trait


TABLE, _BY_TRAIT = _read()


@cache
def having(trait: Trait) -> frozenset[str]:
    """The functions of this trait."""
    return frozenset(_BY_TRAIT.get(trait.name, ()))


@cache
def by_engine(*keys: str) -> frozenset[str]:
    """The functions that the engine executes by one of these keys."""
    return frozenset(name for name, row in TABLE.items() if row.place == "engine" and row.by in keys)


@cache
def engine_key(name: str) -> str | None:
    """How the engine executes a function, None where it does not."""
    row = TABLE.get(name)
    if row is not None:
        return row.by if row.place == "engine" else None
    return next((key for key, prefixes, _ in _FAMILIES if name.startswith(prefixes)), "") or None


@cache
def is_silent(name: str) -> bool:
    """Does a function that has no body here write nothing that the program can see?"""
    row = TABLE.get(name)
    if row is not None:
        return Trait.SILENT in row.traits
    return any(silent and name.startswith(prefixes) for _, prefixes, silent in _FAMILIES)


@cache
def numeric() -> frozenset[str]:
    """Functions on fractions that may yield NaN or infinity, complex quotients among them."""
    quotients = (name for name in TABLE if name.startswith("__div"))
    return frozenset((*(name + form for name in _NUMERIC.split() for form in ("", "f", "l")), *quotients))


def is_own(name: str) -> bool:
    """Is it one of vouch's own, or the constructor of a launch's dimensions, which nobody called by name?"""
    return "__vouch_" in name or name.startswith("_ZN4dim3C")


FAMILIES = ("malloc", "new", "new[]", "cuda")


def family(name: str) -> str:
    """Which functions of the heap belong together: what one of them allocates another one frees."""
    if name.startswith(("_Znw", "_Zdl")):
        return "new"
    if name.startswith("__vouch_cuda_"):
        return "cuda"
    return "new[]" if name.startswith(("_Zna", "_Zda")) else "malloc"


def frees(name: str) -> bool:
    return name in having(Trait.FREES) or name.startswith(_DELETES)


def allocates(name: str) -> bool:
    """By its name in the program or as the source spells it."""
    return name in having(Trait.ALLOCATES) or name in _NEW


@cache
def contract(name: str) -> tuple[tuple[str, int | None], ...]:
    """What the prototype of a function outside demands of its arguments: a letter for each, and the argument
    with the number of its bytes. Empty for nothing."""
    row = TABLE.get(name)
    if row is None or row.place != "outside":
        return ()
    found = re.findall(r"([A-Za-z-])(\d?)", row.by)
    return tuple((letter, int(size) if size else None) for letter, size in found)


class PrintedPlace(NamedTuple):
    """Which argument of a function is what, None for none."""

    to: int | None
    size: int | None
    stream: int | None
    format: int


PRINTING = {
    "sprintf": PrintedPlace(0, None, None, 1),
    "snprintf": PrintedPlace(0, 1, None, 2),
    "printf": PrintedPlace(None, None, None, 0),
    "fprintf": PrintedPlace(None, None, 0, 1),
    "dprintf": PrintedPlace(None, None, None, 1),
}
