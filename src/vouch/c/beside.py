"""What lies in a project's folder beside the program: its tests, examples, and other programs.

A user who gives a folder means what it ships. Tests and examples drive that with inputs of their own choice,
and often need headers that are not there; each has a `main`, so that they cannot be one program with it. What
is left out is always said. Files that are named themselves are never left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import PurePath
from typing import NamedTuple

from vouch.c.link import Module

_FOLDERS = re.compile(
    r"t|(?:unit|fuzz|self|regression)?[-_]?tests?|testing|test[-_]?suite|"
    r"examples?|demos?|samples?|bench(?:marks?)?|fuzz(?:ing|ers?)?",
    re.IGNORECASE,
)
_FILES = re.compile(
    r"(?:(?:unit|fuzz|self)?tests?|examples?|demos?|samples?|bench(?:marks?)?|fuzz(?:er)?)(?:[-_.].*)?|"
    r".*[-_.](?:(?:unit|fuzz|self)?tests?|examples?|demo|sample|bench(?:mark)?|fuzz(?:er)?)",
    re.IGNORECASE,
)


def in_side_folder(file: str, folder: str) -> bool:
    """Whether a file below `folder` lies in one for tests or examples."""
    inside = PurePath(file).relative_to(folder).parts[:-1]
    return any(_FOLDERS.fullmatch(part) for part in inside)


def called_a_test(file: str) -> bool:
    return _FILES.fullmatch(PurePath(file).stem) is not None


class Chosen(NamedTuple):
    """The modules of one program; `tests` and `programs` are the files that are none of its own."""

    modules: list[Module]
    tests: list[str]
    programs: list[str]


def one_program(modules: Sequence[Module], named: Collection[str]) -> Chosen:
    """Leaves out files with a `main`, but none that was named: tests and examples, and where several are
    left, all of them. Something must remain."""
    with_main = [m for m in modules if "main" in m.defined]
    found = {m.name for m in with_main if m.name not in named}
    tests = {name for name in found if called_a_test(name)}
    if len(tests) == len(modules):
        tests = set()
    programs: set[str] = set()
    if len(with_main) - len(tests) > 1:
        programs = found - tests
        if len(tests) + len(programs) == len(modules):
            programs = set()
    kept = [m for m in modules if m.name not in tests | programs]
    return Chosen(kept, sorted(tests), sorted(programs))
