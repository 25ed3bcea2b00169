"""From rewritten IR to a binary: clang and the linker of the `ziglang` wheel, no C library.

The program under test may be hostile. The linker is told to follow no wish of its object file (libraries,
scripts), text with assembly is not even compiled, and a binary that is not of the expected form is refused.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from vouch.bmc.replay import elf
from vouch.bmc.replay.machine import Machine, launching, lengthen
from vouch.bmc.replay.text import Unreplayable
from vouch.c.cache import Cache, key_of
from vouch.c.wheel import wheel
from vouch.process import OutOfTime, call
from vouch.record import frozen_record

_SOURCES = Path(__file__).parent / "runtime"
_LAUNCHER = Path(__file__).parent / "launcher"
_START = "__replay_start"
_SECONDS = 120  # for one command
_RUNTIME_FLAGS = (
    "-std=c11",
    "-O1",
    "-g0",
    "-ffreestanding",
    "-fno-builtin",
    "-fno-stack-protector",
    "-fno-sanitize=all",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
)


@frozen_record
class ReplayBinary:
    """`missing` are functions that the compiler needs and nobody has: a run that calls one crashes.
    `launcher` is the program that confines itself and runs this one."""

    path: Path
    launcher: Path
    missing: tuple[str, ...]


_UNRESOLVED = re.compile(r"undefined symbol: (\S+)")
# Words of IR text as LLVM reads it: strings and comments are skipped whole.
_ASSEMBLY = re.compile(r'"[^"]*"|;[^\r\n]*|(?<![\w%@!$.#^-])(asm)(?![\w$.:-])')
_LINK = (
    "-static",
    "--gc-sections",
    "-nostdlib",
    "--no-dependent-libraries",
    "--warn-unresolved-symbols",
    "-e",
)


def build(text: str, machine: Machine, folder: Path) -> ReplayBinary:
    """Compile and link `text` in `folder`. Raises `Unreplayable` with the first line that the compiler or
    linker says, and for text with assembly: what that does to the binary nobody can tell."""
    if has_assembly(text):
        raise Unreplayable("assembly")
    source, binary = folder / "program.ll", folder / "program"
    source.write_text(text, encoding="utf-8", errors="surrogateescape")
    object_file = _compile(machine, source, folder / "program.o", ("-O0", "-Wno-override-module", "-w"))
    runtime = folder / "runtime.o"
    _kept(machine, _SOURCES, runtime, lambda: _compile(machine, _SOURCES / "all.c", runtime, _RUNTIME_FLAGS))
    said = _link(machine.link, _START, [runtime, object_file], binary)
    if not elf.plain(binary.read_bytes(), _START):
        raise Unreplayable("cannot be built: the linked program is not of the expected form")
    if machine.short:
        lengthen(binary)
    launcher = _launcher(machine, folder)
    return ReplayBinary(binary, launcher, tuple(dict.fromkeys(_UNRESOLVED.findall(said))))


def has_assembly(text: str) -> bool:
    """Does IR text contain assembly, of the module or inline?"""
    return any(match[1] for match in _ASSEMBLY.finditer(text))


def _compile(machine: Machine, source: Path, to: Path, flags: tuple[str, ...]) -> Path:
    command = [str(wheel() / "zig"), "clang", f"--target={machine.target}", "-fno-crash-diagnostics"]
    command += [*machine.compile, *flags]
    _call([*command, "-c", str(source), "-o", str(to)], to.parent)
    return to


def _link(flags: tuple[str, ...], start: str, objects: list[Path], to: Path) -> str:
    words = [*_LINK, start, *flags, *map(str, objects), "-o", str(to)]
    return _call([str(wheel() / "zig"), "ld.lld", *words], to.parent)


def _launcher(machine: Machine, folder: Path) -> Path:
    native, base = launching(machine)
    made, part = folder / "launch", folder / "launch.o"

    def make() -> None:
        _compile(native, _LAUNCHER / "launch.c", part, _RUNTIME_FLAGS)
        _link((*native.link, base), "launch", [part], made)

    _kept(native, _LAUNCHER, made, make)
    made.chmod(0o700)
    return made


def _kept(machine: Machine, sources: Path, made: Path, make: Callable[[], object]) -> None:
    """`made`, from the sources in a folder and the runtime's, once a machine: kept in the user's cache."""
    paths = sorted({*sources.iterdir(), *_SOURCES.iterdir()})
    parts = [part for path in paths for part in (path.name, path.read_bytes())]
    status = (wheel() / "zig").stat()
    key = key_of([repr((machine, sources.name, _RUNTIME_FLAGS, status.st_size, status.st_mtime_ns)), *parts])
    cache = Cache()
    kept = cache.get(key)
    if kept is not None:
        made.write_bytes(kept)
    else:
        make()
        cache.put(key, made.read_bytes())


def _call(command: list[str], folder: Path) -> str:
    """What the command said, which writes in the folder only; `Unreplayable` if it failed."""
    try:
        done = call(command, deadline=time.monotonic() + _SECONDS, writable=[str(folder)])
    except OSError as error:
        raise Unreplayable(f"cannot run {command[0]}: {error.strerror}") from None
    except OutOfTime:
        raise Unreplayable("cannot be built in time") from None
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode:
        lines = said.strip().splitlines() or ["no message"]
        first = next((line for line in lines if "error" in line), lines[0])
        raise Unreplayable(f"cannot be built: {first.strip()}")
    return said
