"""A small program that starts commands, so that this process need not be forked for each of them.

A child must give up rights and ask to be killed with its parent before it becomes the command. Python does
that in a fork, which copies the tables of all memory that the process holds: tens of milliseconds where that
is a gigabyte. `start.c` does the same in a child that shares them (vfork). It is compiled once for a user,
kept in the cache, and lies in memory here: no file can be put in its place.
"""

from __future__ import annotations

import os
import subprocess
from functools import lru_cache
from pathlib import Path

_SOURCE = Path(__file__).with_name("start.c")
_FLAGS = [
    *("-std=c11", "-O1", "-g0", "-ffreestanding", "-fno-builtin", "-fno-stack-protector"),
    *("-fno-unwind-tables", "-fno-asynchronous-unwind-tables", "-fno-sanitize=all"),
]
_SECONDS = 20.0


def descriptor() -> int | None:
    """The program, as an open file; None where it cannot be had."""
    held = _held()
    if held is None:
        return None
    file, identity = held
    try:
        status = os.fstat(file)
    except OSError:  # somebody closed all files
        return None
    return file if (status.st_dev, status.st_ino) == identity else None


@lru_cache(maxsize=1)
def _held() -> tuple[int, tuple[int, int]] | None:
    code = _code()
    if code is None:
        return None
    try:
        file = os.memfd_create("vouch-start", os.MFD_CLOEXEC)
        os.write(file, code)
    except (OSError, AttributeError):
        return None
    status = os.fstat(file)
    return file, (status.st_dev, status.st_ino)


def _code() -> bytes | None:
    """The compiled program, from the user's cache or, once, from the compiler."""
    from vouch.c.cache import Cache, key_of, secret
    from vouch.c.wheel import wheel
    from vouch.errors import VouchError

    if not hasattr(os, "uname"):
        return None
    here = os.uname()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(here.machine, here.machine)
    if here.sysname != "Linux" or machine not in ("x86_64", "aarch64") or secret() is None:
        return None
    try:
        compiler = wheel() / "zig"
        status = compiler.stat()
        key = key_of([machine, *_FLAGS, _SOURCE.read_bytes(), f"{status.st_size} {status.st_mtime_ns}"])
        kept = Cache().get(key)
        if kept is None:
            kept = _compiled(compiler, machine)
            Cache().put(key, kept)
        return kept
    except (OSError, VouchError, subprocess.SubprocessError):
        return None


def _compiled(compiler: Path, machine: str) -> bytes:
    from vouch.folder import Folder
    from vouch.forks import die_with_parent

    with Folder("vouch-start-") as folder:
        part, made = folder / "start.o", folder / "start"
        target = f"--target={machine}-linux-gnu"
        for words in (
            ["clang", target, *_FLAGS, "-c", str(_SOURCE), "-o", str(part)],
            ["ld.lld", "-static", "-nostdlib", "-e", "_start", str(part), "-o", str(made)],
        ):
            command = [str(compiler), *words]
            subprocess.run(
                command, check=True, capture_output=True, timeout=_SECONDS, preexec_fn=die_with_parent
            )
        return made.read_bytes()
