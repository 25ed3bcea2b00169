"""compile_commands.json: which files, with which flags. Commands are read, never run.

A database belongs to the code under test: only the flags listed here reach clang, and none of their values
can turn into another flag.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from vouch.c.clang import Unit, as_word, require_macro, require_value
from vouch.errors import VouchError
from vouch.files import read_text

DATABASE = "compile_commands.json"
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
        "-mms-bitfields",
        "-malign-double",
        "-mlong-double-64",
        "-mlong-double-80",
        "-mlong-double-128",
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
_KEPT_STARTS = (
    "-std=",
    "--std=",
    "-fpack-struct",
    "-fno-builtin",
    "-ffreestanding",
    "--target=",
    "-mdouble=",
)
# Flags that change what numbers or types are, and that clang does not know or vouch does not follow.
_OTHERWISE = frozenset(
    (
        "-Ofast",
        "-ffast-math",
        "-funsafe-math-optimizations",
        "-fassociative-math",
        "-freciprocal-math",
        "-ffinite-math-only",
        "-frounding-math",
        "-ffp-contract=fast",
        "-ffp-contract=on",
        "-fsingle-precision-constant",
        "-fshort-double",
        "-funsigned-bitfields",
        "-mint8",
        "-mlarge",
    )
)
# Flags of other kinds whose value is the next word, which must not be taken for a source.
_SKIP_VALUE = frozenset(
    ("-o", "-MF", "-MT", "-MQ", "-x", "-arch", "-Xclang", "-Xlinker", "-Xassembler", "--param")
)


def read_database(folder: str, sources: Collection[str]) -> list[Unit]:
    """The units of the database in `folder` (or of the file itself), one for each source file. A unit for
    another machine has `--target=` first among its flags, also where only the compiler's name tells."""
    path = Path(folder)
    if path.is_dir():
        path = path / DATABASE
    text = read_text(path)
    try:
        import json

        entries = json.loads(text)
    except ValueError as error:
        raise VouchError(f"{path}: not JSON: {error}") from None
    except RecursionError:
        raise VouchError(f"{path}: nested too deeply") from None
    if not isinstance(entries, list):
        raise VouchError(f"{path}: a list of commands expected")
    units: dict[str, Unit] = {}
    for entry in entries:
        unit = _unit(entry, path)
        if os.path.splitext(unit.path)[1] in sources:
            units.setdefault(unit.path, unit)
    return list(units.values())


def _unit(entry: Any, path: Path) -> Unit:
    if not isinstance(entry, dict):
        raise VouchError(f"{path}: bad entry: a table expected")
    directory, file = _text(entry, "directory", path), _text(entry, "file", path)
    base = os.path.join(path.parent, directory)
    compiler, *rest = _words(entry, path) or [""]
    flags = [_harmless(flag, path) for flag in _flags(rest, base)]
    cross = _CROSS.match(os.path.basename(compiler))
    if cross and cross[1].startswith(_PROCESSORS) and not any(f.startswith("--target=") for f in flags):
        flags.append(f"--target={cross[1]}")
    flags.sort(key=lambda flag: not flag.startswith("--target="))
    ignored = tuple(dict.fromkeys(word for word in rest if word in _OTHERWISE))
    return Unit(shown(os.path.join(base, file)), tuple(flags), ignored)


def _harmless(flag: str, path: Path) -> str:
    """The flag, unless the value behind its name is one that clang would follow."""
    name = next((n for n in (*_PATHS, *_VALUES) if flag.startswith(n)), "")
    if name in _VALUES:  # -DNAME=@x is a text like any other
        require_macro(flag[len(name) :], f"{path}: flag {name}")
        return flag
    require_value(flag[len(name) :], f"{path}: flag {name}")
    require_value(flag.partition("=")[2], f"{path}: flag {flag.partition('=')[0]}")
    return flag


def _text(entry: dict[str, Any], key: str, path: Path) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value or "\0" in value:
        raise VouchError(f"{path}: bad entry: {key!r} is no text")
    return value


def _words(entry: dict[str, Any], path: Path) -> list[str]:
    """The command line. A file of options (`@file`) is not followed."""
    words = entry.get("arguments")
    if words is None:
        try:
            words = shlex.split(_text(entry, "command", path))
        except ValueError as error:
            raise VouchError(f"{path}: bad entry: {error}") from None
    if not isinstance(words, list) or not all(isinstance(w, str) and "\0" not in w for w in words):
        raise VouchError(f"{path}: bad entry: 'arguments' is no list of texts")
    return words


def without_target(unit: Unit) -> Unit:
    """The unit for a target that is chosen elsewhere."""
    kept = tuple(f for f in unit.flags if not f.startswith(("--target=", *_MACHINE)))
    return Unit(unit.path, kept, unit.ignored)


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
            yield as_word(_from_here(where, base))
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
