"""What the front end can be told."""

from __future__ import annotations

from dataclasses import field

from vouch.c.checks.base import OFF_BY_DEFAULT, Category
from vouch.record import frozen_record

DEFAULT_CATEGORIES = frozenset(Category) - OFF_BY_DEFAULT


@frozen_record
class FrontOptions:
    """`target` None is this machine's Linux or macOS triple. `flags` go to clang as they are. `database` is
    the folder of a compile_commands.json. `exclude` are patterns of files to leave out; `strict` makes a file
    of a folder that does not compile an error. `quoted` are folders beside the given paths whose files
    reports may quote. `entry` allows several `main`s where it names something else."""

    includes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    target: str | None = None
    clang: str | None = None
    categories: frozenset[Category] = field(default=DEFAULT_CATEGORIES)
    std: str | None = None
    jobs: int | None = None
    cache: bool = True
    database: str | None = None
    entry: str | None = None
    models: bool = True
    flags: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    strict: bool = False
    deadline: float | None = field(default=None, compare=False)  # of time.monotonic
