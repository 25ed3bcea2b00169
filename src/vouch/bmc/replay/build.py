"""From rewritten IR to a binary: clang and the linker of the `ziglang` wheel, no C library."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from vouch.bmc.replay.machine import Machine, lengthen
from vouch.bmc.replay.text import Unreplayable
from vouch.c.cache import Cache, key_of
from vouch.c.clang import wheel

_SOURCES = Path(__file__).parent / "runtime"
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


@dataclass(frozen=True, slots=True)
class Binary:
    """`missing` are functions that the compiler needs and nobody has: a run that calls one crashes."""

    path: Path
    missing: tuple[str, ...]


_UNRESOLVED = re.compile(r"undefined symbol: (\S+)")


def build(text: str, machine: Machine, folder: Path) -> Binary:
    """Compile and link `text` in `folder`. Raises `Unreplayable` with the first line that the compiler or
    linker says."""
    source, binary = folder / "program.ll", folder / "program"
    source.write_text(text, encoding="utf-8", errors="surrogateescape")
    object_file = _compile(machine, source, folder / "program.o", ("-O0", "-Wno-override-module", "-w"))
    flags = ("-static", "--gc-sections", "--warn-unresolved-symbols", "-e", "__replay_start", *machine.link)
    files = (str(object_file), str(_runtime(machine, folder)), "-o", str(binary))
    said = _call([str(wheel() / "zig"), "ld.lld", *flags, *files])
    if machine.short:
        lengthen(binary)
    return Binary(binary, tuple(dict.fromkeys(_UNRESOLVED.findall(said))))


def _compile(machine: Machine, source: Path, to: Path, flags: tuple[str, ...]) -> Path:
    command = [str(wheel() / "zig"), "clang", f"--target={machine.target}", *machine.compile, *flags]
    _call([*command, "-c", str(source), "-o", str(to)])
    return to


def _runtime(machine: Machine, folder: Path) -> Path:
    """The runtime's object file in `folder`, compiled once a machine and kept in the user's cache."""
    sources = [part for path in sorted(_SOURCES.iterdir()) for part in (path.name, path.read_bytes())]
    status = (wheel() / "zig").stat()
    key = key_of([repr((machine, _RUNTIME_FLAGS, status.st_size, status.st_mtime_ns)), *sources])
    cache, made = Cache(), folder / "runtime.o"
    kept = cache.get(key)
    if kept is not None:
        made.write_bytes(kept)
    else:
        _compile(machine, _SOURCES / "all.c", made, _RUNTIME_FLAGS)
        cache.put(key, made.read_bytes())
    return made


def _call(command: list[str]) -> str:
    """What the command said; `Unreplayable` if it failed."""
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise Unreplayable(f"cannot run {command[0]}: {error.strerror}") from None
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode:
        lines = said.strip().splitlines() or ["no message"]
        first = next((line for line in lines if "error" in line), lines[0])
        raise Unreplayable(f"cannot be built: {first.strip()}")
    return said
