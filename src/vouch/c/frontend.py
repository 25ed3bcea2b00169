"""From paths to a `Program`: find the sources, compile, link, add models, read.

`load` is all that the rest of vouch needs. It writes clang's diagnostics to stderr and raises `VouchError`
for everything a user can put right.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

from vouch.c import bitfields, members, struct_registers, unwritten
from vouch.c.beside import called_a_test, one_program
from vouch.c.cache import Cache, key_of
from vouch.c.clang import Clang, CompileError, Unit
from vouch.c.database import DATABASE, without_target
from vouch.c.diagnostics import quoted
from vouch.c.ir import Program
from vouch.c.library import FLAGS, OtherLayout, Parts, add_models, is_modelled
from vouch.c.link import Module, hide_main, link, normal
from vouch.c.options import FrontOptions
from vouch.c.project import IR_FILES, databases, find_units, projects, readable, tests_beside
from vouch.c.reads import Reads
from vouch.c.sources import Sources
from vouch.c.unlocated import locate
from vouch.c.wheel import wheel
from vouch.errors import VouchError
from vouch.files import read_bytes, read_text, require_plain
from vouch.printable import diagnostics
from vouch.record import record

# What is still set on the records of a program that was just read; afterwards nobody changes it. Places for
# code that has none come last: the others tell code of other compilers by the want of them.
_STEPS: tuple[Callable[[Program, Sequence[str]], None], ...] = (
    lambda program, units: struct_registers.mark(program),
    lambda program, units: bitfields.mark(program),
    lambda program, units: unwritten.mark(program),
    lambda program, units: members.mark(program),
    lambda program, units: locate(program, [u for u in units if os.path.splitext(u)[1] in IR_FILES]),
)

__all__ = ["FrontOptions", "Loaded", "load"]


@record
class Loaded:
    """`ir` is exactly the text that `program` was read from; `units` are the files it came from. `found` says
    what was found beside what was given, `left_out` which files of a folder are not looked at though they may
    belong to what was asked for."""

    program: Program
    ir: str
    units: list[str]
    warnings: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def digest(paths: Sequence[str | os.PathLike[str]], options: FrontOptions | None = None) -> str | None:
    """A name for all that `load` would read: the same name, the same program with the same comments. None
    where that cannot be told without compiling."""
    options = options or FrontOptions()
    clang = Clang(options)
    units = find_units([os.fspath(path) for path in paths], options, clang.headers)
    parts: list[bytes | str] = [clang.identity()]
    files: dict[bytes, None] = {}
    for unit in units:
        if os.path.splitext(unit.path)[1] in IR_FILES:
            files[os.fsencode(unit.path)] = None
            continue
        seen = clang.preprocess(unit)
        if seen is None:
            return None
        parts += [unit.path, *clang.arguments(unit), seen]
        files.update(dict.fromkeys(_INCLUDED.findall(seen)))
    for name in files:
        with suppress(VouchError):  # such as <built-in>
            parts += [name, read_bytes(os.fsdecode(name))]
    return key_of(parts)


_SHOWN = 5  # files that a warning names
_INCLUDED = re.compile(rb'^# \d+ "([^"\n]+)"', re.MULTILINE)


def load(
    paths: Sequence[str | os.PathLike[str]],
    options: FrontOptions | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> Loaded:
    """The program that `paths` (files, folders) and the compilation database of the options make up.
    `meanwhile` is called while the compiler works, if it has to."""
    options = options or FrontOptions()
    cache = Cache() if options.cache else None
    clang = Clang(options)
    units = find_units([os.fspath(path) for path in paths], options, clang.headers)
    if options.target is not None:
        units = [without_target(unit) for unit in units]
    elif target := next((f.partition("=")[2] for u in units for f in u.flags[:1] if "--target=" in f), None):
        clang = Clang(replace(options, target=target))
    warnings = [
        f"{flag} is not followed: "
        f"{sum(flag in unit.ignored for unit in units)} of {len(units)} files are built with it"
        for flag in dict.fromkeys(flag for unit in units for flag in unit.ignored)
    ]
    named = {os.fspath(path) for path in paths} if not options.strict else {unit.path for unit in units}
    sources = Sources(roots=[*readable(paths, options), *map(str, clang.headers)])
    clang.reads = Reads([*projects(paths, options), *map(str, clang.headers), str(wheel())])
    clang.meanwhile = meanwhile
    tests = tests_beside([os.fspath(path) for path in paths], units, options)
    left_out: list[str] = []
    modules = _modules(clang, units, options.jobs, cache, named, warnings, left_out, sources)
    if options.entry not in (None, "main"):
        if sum("main" in module.defined for module in modules) > 1:
            modules = [hide_main(module) for module in modules]
    elif len(modules) > 1:
        modules, examples, programs = one_program(modules, named)
        tests += examples
        left_out += programs
        if programs:
            warnings.append(f"{_some(programs)}: left out, each has a main (give the files of one program)")
    if tests:
        warnings.append(f"{_some(tests)}: left out, tests and examples (give their folder to check them)")
    whole = _linked(modules, clang.identity(), cache)
    text, inlined = _rewritten(whole.text)
    whole = replace(whole, text=text)
    models: frozenset[str] = frozenset()
    if options.models:
        whole, models = _with_models(whole, options, cache, warnings)
        models |= inlined
    if " weak " in whole.text and "main" not in whole.bodies:
        from vouch.c.replaceable import with_choices

        text, left = with_choices(whole.text)
        whole = replace(whole, text=text)
        if left:
            warnings.append(f"{_some(left)}: weak, taken not to be replaced by a definition elsewhere")
    from vouch.c.reader import read

    program = _finished(read(whole.text), models, sources, [unit.path for unit in units])
    found = _found([os.fspath(path) for path in paths], units, options)
    return Loaded(program, whole.text, [unit.path for unit in units], warnings, found, left_out)


def _some(files: Sequence[str]) -> str:
    """A line's worth of names."""
    shown = ", ".join(files[:_SHOWN])
    return f"{shown} and {len(files) - _SHOWN} more" if len(files) > _SHOWN else shown


def _found(paths: Sequence[str], units: Sequence[Unit], options: FrontOptions) -> list[str]:
    """For those who wonder where headers and flags come from."""
    places = [] if options.database is not None else databases(paths)
    folders = dict.fromkeys(folder for unit in units for folder in _headers(unit.flags))
    files = (os.path.normpath(os.path.join(place, DATABASE)) for place in places)
    return [*(f"flags from {file}" for file in files), *(f"headers from {folder}" for folder in folders)]


def _headers(flags: Sequence[str]) -> Iterator[str]:
    """The folders of `-I`, with and without a space behind it."""
    for flag, following in pairwise([*flags, ""]):
        if flag.startswith("-I"):
            yield flag[2:] or following


def _rewritten(text: str) -> tuple[str, frozenset[str]]:
    """The text with bounds made exact and kernels prepared, and the functions that CUDA's headers defined.
    Modules with large patterns are loaded for those programs alone that they have to do with."""
    inlined: frozenset[str] = frozenset()
    if "@__ubsan_handle_out_of_bounds(" in text:
        from vouch.c.past_end import tighten

        text = tighten(text)
    if "%.compoundliteral" in text:
        from vouch.c.literals import mark

        text = mark(text)
    if "vouch_" in text:
        from vouch.c.kernels import prepared

        text, inlined = prepared(text)
    return text, inlined


def _finished(program: Program, models: frozenset[str], sources: Sources, units: Sequence[str]) -> Program:
    """The program with all that the text alone does not say."""
    # Library functions that the library's own headers define, as those of _FORTIFY_SOURCE do.
    inlined = {f.name for f in program.functions.values() if f.defined and f.name.endswith(".inline")}
    program = replace(program, models=models | inlined, sources=sources)
    for step in _STEPS:
        step(program, units)
    return program


def _modules(
    clang: Clang,
    units: Sequence[Unit],
    jobs: int | None,
    cache: Cache | None,
    named: Collection[str],
    warnings: list[str],
    left_out: list[str],
    sources: Sources,
) -> list[Module]:
    """IR of all units, in order. All failures are shown before the first one is raised. What does not compile
    and was not named, but found in a folder, is left out with a warning."""

    def make(unit: Unit) -> Module:
        if os.path.splitext(unit.path)[1] in IR_FILES:
            return _ir_file(unit.path)
        require_plain(unit.path)
        return Module(unit.path, clang.compile(unit, cache))

    failed: CompileError | None = None
    fatal: CompileError | None = None
    modules = []
    with _workers(min(jobs or os.cpu_count() or 1, len(units))) as start:
        for result in [start(make, unit) for unit in units]:
            try:
                modules.append(result())
            except CompileError as error:
                sys.stderr.write(diagnostics(quoted(error.diagnostics, sources), colour=sys.stderr.isatty()))
                failed = failed or error
                if error.path in named or error.path is None:
                    fatal = fatal or error
                else:
                    warnings.append(f"{error}: left out")
                    if not called_a_test(error.path):
                        left_out.append(error.path)
    if fatal is not None or (failed is not None and not modules):
        raise fatal or failed or AssertionError
    return modules


def _linked(modules: Sequence[Module], compiler: str, cache: Cache | None) -> Module:
    """All modules as one, which is kept: LLVM takes longer to load than to link a few files."""
    if cache is None or len(modules) < 2:
        return link(modules)
    key = key_of(["linked", compiler, *(part for module in modules for part in (module.name, module.text))])
    if (known := cache.get(key)) is not None:
        return Module(modules[0].name, known.decode("utf-8", "surrogateescape"))
    whole = link(modules)
    cache.put(key, whole.text.encode("utf-8", "surrogateescape"))
    return whole


@contextmanager
def _workers(count: int) -> Iterator[Callable[[Callable[[Unit], Module], Unit], Callable[[], Module]]]:
    """Starts the work on a unit in one of `count` threads; what it returns waits for the result."""
    if count <= 1:
        yield lambda work, unit: partial(work, unit)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=count) as pool:
        yield lambda work, unit: pool.submit(work, unit).result


def _ir_file(path: str) -> Module:
    if not path.endswith(".bc"):
        return normal(read_text(path), path)
    content = read_bytes(path)
    return normal(content, path)


def _with_models(
    whole: Module, options: FrontOptions, cache: Cache | None, warnings: list[str]
) -> tuple[Module, frozenset[str]]:
    """The program with models for library functions that it declares and does not define."""
    if not any(map(is_modelled, whole.undefined)):
        return whole, frozenset()
    clang = Clang(
        replace(
            options, target=whole.triple or options.target, flags=FLAGS, includes=(), defines=(), std=None
        )
    )

    def compiled(path: Path) -> str:
        return clang.compile(Unit(str(path)), instrument=False)

    flags = clang.arguments(Unit("model.c"), instrument=False)
    parts = Parts(compiled, " ".join((clang.identity(), *flags)), cache)
    try:
        return add_models(whole, parts)
    except OtherLayout:
        warnings.append("no library models: the program's data layout is not clang's for its target")
        return whole, frozenset()
