"""compile_commands.json: which files, with which flags. Commands are read, never run."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from vouch.c.clang import Unit
from vouch.errors import VouchError

# Flags that change what a program means, by how their value is given.
_PATHS = ("-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-F")
_VALUES = ("-D", "-U")
_KEPT = frozenset(
    (
        "-ansi",
        "-funsigned-char",
        "-fsigned-char",
        "-fshort-enums",
        "-fno-short-enums",
        "-fshort-wchar",
        "-fms-extensions",
        "-fplan9-extensions",
        "-fblocks",
        "-fwrapv",
        "-fno-strict-overflow",
        "-fno-exceptions",
        "-fno-rtti",
        "-trigraphs",
        "-pthread",
    )
)
_MACHINE = (
    "-mcpu=",
    "-march=",
    "-mthumb",
    "-mfloat-abi=",
    "-mfpu=",
    "-mmcu=",
    "-m32",
    "-m64",
    "-mx32",
    "-mabi=",
)
_CROSS = re.compile(r"(.+?)-(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-[\d.]+)?(?:\.exe)?$")
_PROCESSORS = (
    "arm",
    "aarch64",
    "avr",
    "msp430",
    "riscv",
    "i386",
    "i686",
    "x86_64",
    "mips",
    "powerpc",
    "s390x",
)
_KEPT_STARTS = ("-std=", "--std=", "-fpack-struct", "-fno-builtin", "-ffreestanding", "--target=")
# Flags of other kinds whose value is the next word, which must not be taken for a source.
_SKIP_VALUE = frozenset(
    ("-o", "-MF", "-MT", "-MQ", "-x", "-arch", "-Xclang", "-Xlinker", "-Xassembler", "--param")
)


def read_database(folder: str, sources: Collection[str]) -> list[Unit]:
    """The units of the database in `folder` (or of the file itself), one for each source file. A unit for
    another machine has `--target=` first among its flags, also where only the compiler's name tells."""
    path = Path(folder)
    if path.is_dir():
        path = path / "compile_commands.json"
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise VouchError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise VouchError(f"{path}: not JSON: {error}") from None
    if not isinstance(entries, list):
        raise VouchError(f"{path}: a list of commands expected")
    units: dict[str, Unit] = {}
    for entry in entries:
        unit = _unit(entry, path)
        if os.path.splitext(unit.path)[1] in sources:
            units.setdefault(unit.path, unit)
    return list(units.values())


def _unit(entry: Any, path: Path) -> Unit:
    try:
        directory, file = str(entry["directory"]), str(entry["file"])
        words = entry.get("arguments")
        if words is None:
            words = shlex.split(str(entry["command"]))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise VouchError(f"{path}: bad entry: {error}") from None
    base = os.path.join(path.parent, directory)
    compiler, *rest = [str(word) for word in words] or [""]
    flags = list(_flags(rest, base))
    cross = _CROSS.match(os.path.basename(compiler))
    if cross and cross[1].startswith(_PROCESSORS) and not any(f.startswith("--target=") for f in flags):
        flags.append(f"--target={cross[1]}")
    flags.sort(key=lambda flag: not flag.startswith("--target="))
    return Unit(shown(os.path.join(base, file)), tuple(flags))


def without_target(unit: Unit) -> Unit:
    """The unit for a target that is chosen elsewhere."""
    return Unit(unit.path, tuple(f for f in unit.flags if not f.startswith(("--target=", *_MACHINE))))


def shown(path: str) -> str:
    """A path as reports show it: relative to where the user is if it is below that, else absolute."""
    path = os.path.normpath(os.path.abspath(path))
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative


def _flags(words: list[str], base: str) -> Iterable[str]:
    """The flags that matter, with paths that hold from here."""
    rest = iter(words)
    for word in rest:
        path = next((flag for flag in _PATHS if word.startswith(flag)), None)
        value = next((flag for flag in _VALUES if word.startswith(flag)), None)
        if path == "-I" or (path and word == path):
            where = word[len(path) :] or next(rest, "")
            yield path
            yield _from_here(where, base)
        elif value:
            yield value + (word[2:] or next(rest, ""))
        elif word == "-target":
            yield f"--target={next(rest, '')}"
        elif word in _SKIP_VALUE:
            next(rest, None)
        elif word in _KEPT or word.startswith((*_KEPT_STARTS, *_MACHINE)):
            yield word


def _from_here(path: str, base: str) -> str:
    """-include also takes names that are looked up in the include path: those stay."""
    whole = os.path.join(base, path)
    return shown(whole) if os.path.exists(whole) else path
