"""From paths to a `Program`: find the sources, compile, link, read.

`load` is all that the rest of vouch needs. It writes clang's diagnostics to stderr and raises `VouchError`
for everything a user can put right.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from os import PathLike, cpu_count, fspath

from vouch.c.clang import Clang, CompileError, Unit
from vouch.c.ir import Program
from vouch.c.link import Module, link
from vouch.c.options import FrontOptions
from vouch.c.reader import read
from vouch.errors import VouchError

__all__ = ["FrontOptions", "Loaded", "load"]


@dataclass(slots=True)
class Loaded:
    """`ir` is exactly the text that `program` was read from; `units` are the files it came from."""

    program: Program
    ir: str
    units: list[str]
    warnings: list[str] = field(default_factory=list)


def load(paths: Sequence[str | PathLike[str]], options: FrontOptions | None = None) -> Loaded:
    """The program that `paths` (files, folders) make up."""
    options = options or FrontOptions()
    clang = Clang(options)
    units = [Unit(fspath(path)) for path in paths]
    texts = _compile(clang, units, options.jobs)
    modules = [Module.parse(text, unit.path) for text, unit in zip(texts, units, strict=True)]
    whole = link(modules)
    text = whole.text
    return Loaded(read(text), text, [unit.path for unit in units])


def _compile(clang: Clang, units: Sequence[Unit], jobs: int | None) -> list[str]:
    """IR of all units, in order. All failures are shown before the first one is raised."""
    with ThreadPoolExecutor(max_workers=jobs or cpu_count()) as pool:
        futures = [pool.submit(clang.compile, unit) for unit in units]
        failed: VouchError | None = None
        texts = []
        for future in futures:
            try:
                texts.append(future.result())
            except CompileError as error:
                sys.stderr.write(error.diagnostics)
                failed = failed or error
    if failed is not None:
        raise failed
    return texts
