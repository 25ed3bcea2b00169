"""Targets: how a user may spell one, and where its headers are."""

from __future__ import annotations

import os
from pathlib import Path

from vouch.record import frozen_record

# Short names that people use, and processors whose programs run on Linux where nothing else is said.
_LINUX = ("x86_64", "i386", "i486", "i586", "i686", "aarch64", "x86")
_SHORT = {"x86": "i386", "amd64": "x86_64", "arm64": "aarch64", "msp430": "msp430-none-elf"}
# Folder names of the wheel's headers by the first part of the triple.
_GLIBC = {"i386": "x86", "x86_64": "x86", "riscv32": "riscv", "riscv64": "riscv", "powerpc64le": "powerpc"}
_MUSL = {"i386": "x86", "powerpc64le": "powerpc64", "thumb": "arm"}
_FAMILIES = ("arm", "thumb", "mips", "powerpc", "sparc")


@frozen_record
class Target:
    """`triple` is what clang gets; `hosted` tells whether there is an operating system with a C library."""

    triple: str
    hosted: bool


def _here() -> tuple[str, str]:
    """System and processor of this machine."""
    if hasattr(os, "uname"):
        return os.uname().sysname, os.uname().machine.lower()
    import platform

    return platform.system(), platform.machine().lower()


def host() -> str:
    system, machine = _here()
    machine = _SHORT.get(machine, machine) or "x86_64"
    if system == "Darwin":
        return f"{machine}-apple-darwin"
    return f"{machine}-linux-gnu"


def resolve(name: str | None) -> Target:
    """The target that a user means by `name`, or this machine."""
    triple = _SHORT.get(name, name) if name else host()
    if triple in _LINUX:
        triple = f"{triple}-linux-gnu"
    hosted = any(system in triple for system in ("linux", "darwin", "macos", "windows", "mingw", "wasi"))
    return Target(triple, hosted)


def headers(target: Target, wheel: Path, own: Path) -> tuple[Path, ...]:
    """Folders with the C library's headers, in the order of search: those that the wheel carries for a
    hosted target, vouch's small set for a bare one."""
    if not target.hosted:
        return (own,)
    folder = wheel / "libc" / "include"
    processor = _processor(target.triple)
    if "linux" in target.triple:
        system = f"{_family(_GLIBC.get(processor, processor))}-linux-any"
        if "musl" in target.triple:
            names = [f"{_MUSL.get(processor, processor)}-linux-musl", "generic-musl"]
        else:
            names = [f"{_family(_GLIBC.get(processor, processor))}-linux-gnu", "generic-glibc"]
        names += [system, "any-linux-any"]
    elif "wasi" in target.triple:
        names = ["wasm-wasi-musl", "generic-musl"]
    elif "windows" in target.triple or "mingw" in target.triple:
        names = ["any-windows-any"]
    else:
        names = ["any-darwin-any"]
    return tuple(folder / name for name in names if (folder / name).is_dir())


def _processor(triple: str) -> str:
    first = triple.split("-")[0]
    return "i386" if first in ("i486", "i586", "i686") else first


def _family(processor: str) -> str:
    """`armv7a` and `thumbv7m` are arm, `mipsel` is mips, and so on."""
    for family in _FAMILIES:
        if processor.startswith(family):
            return "arm" if family == "thumb" else family
    return processor
