"""Which programs this machine can run, and how.

Programs for its own processor run as they are. Those for a foreign one with 32-bit pointers, little-endian
and laid out alike (ARM, RISC-V) are compiled for x86-64 with 32-bit pointers: all types have the widths,
alignments and byte order that they have on the target. Only assembly and variadic functions are left out.
"""

from __future__ import annotations

import platform
import re
import struct
from pathlib import Path

from vouch.bmc.replay.text import Unreplayable
from vouch.c.ir import Layout, Program
from vouch.record import frozen_record


@frozen_record
class Machine:
    """How to compile and link. `foreign`: the program was made for another processor. `short`: 64-bit code
    with 32-bit pointers."""

    name: str
    target: str
    compile: tuple[str, ...]
    link: tuple[str, ...]
    layout: str = ""
    foreign: bool = False
    short: bool = False


# The program lies far above all addresses of device registers where there is room for that.
_HIGH, _MIDDLE = "--image-base=0x200000000000", "--image-base=0x60000000"
_LARGE = ("-mcmodel=large", "-fno-pic")
_MACHINES = {
    "x86_64": Machine("x86_64", "x86_64-linux-gnu", _LARGE, ("-m", "elf_x86_64", _HIGH)),
    "i386": Machine("i386", "i386-linux-gnu", ("-fno-pic",), ("-m", "elf_i386", _MIDDLE)),
    "aarch64": Machine("aarch64", "aarch64-linux-gnu", _LARGE, ("-m", "aarch64linux", _HIGH)),
}
_SHORT = Machine(
    "x32",
    "x86_64-unknown-linux-gnux32",
    ("-fno-pic",),
    ("-m", "elf32_x86_64", _MIDDLE),
    "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    foreign=True,
    short=True,
)
# Where the launcher lies: beside all that a program uses.
_LAUNCHERS = {"x86_64": "--image-base=0x300000000000", "i386": "--image-base=0x50000000"}
_LAUNCHERS["aarch64"] = _LAUNCHERS["x86_64"]
_RUNS = {"x86_64": ("x86_64", "i386"), "aarch64": ("aarch64",)}


def machine_for(program: Program) -> Machine:
    """How to run a program here, or `Unreplayable`."""
    triple = program.triple
    if platform.system() != "Linux":
        raise Unreplayable(f"native runs need Linux, this is {platform.system()}")
    here = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    first = triple.split("-")[0]
    name = "i386" if first in ("i386", "i486", "i586", "i686") else first
    if any(system in triple for system in ("windows", "darwin", "macos", "x32")):
        raise Unreplayable(f"programs for {triple} do not run on Linux")
    if name in _RUNS.get(here, ()):
        return _MACHINES[name]
    if here == "x86_64" and _alike(program.layout):
        return _SHORT
    raise Unreplayable(f"programs for {triple} do not run on this {here} machine")


def launching(machine: Machine) -> tuple[Machine, str]:
    """The machine that the launcher of a program is built for, and the linker's word for its place."""
    native = _MACHINES["x86_64"] if machine.short else machine
    return native, _LAUNCHERS[native.name]


def _alike(layout: Layout) -> bool:
    """Whether types lie in memory as they do in 64-bit code with 32-bit pointers."""
    return (
        not layout.big_endian
        and (layout.pointer_bits, layout.pointer_align) == (32, 4)
        and [layout.int_align.get(bits) for bits in (8, 16, 32, 64)] == [1, 2, 4, 8]
        and [layout.float_align.get(bits) for bits in (32, 64)] == [4, 8]
    )


_LAYOUT = re.compile(r"^target datalayout = .*$", re.MULTILINE)
_TRIPLE = re.compile(r"^target triple = .*$", re.MULTILINE)
_ATTRIBUTES = re.compile(r' "(?:target-cpu|target-features|tune-cpu|target-abi)"="[^"]*"')
_CONVENTIONS = re.compile(r"\barm_\w+cc ")


def retarget(text: str, machine: Machine) -> str:
    """IR text of a foreign program as text for the machine."""
    if not machine.foreign:
        return text
    text = _LAYOUT.sub(f'target datalayout = "{machine.layout}"', text, count=1)
    text = _TRIPLE.sub(f'target triple = "{machine.target}"', text, count=1)
    return _CONVENTIONS.sub("", _ATTRIBUTES.sub("", text))


def lengthen(path: Path) -> None:
    """Turn a 32-bit ELF file with 64-bit code into a 64-bit one, which every x86-64 kernel runs."""
    old = path.read_bytes()
    entry, headers = struct.unpack_from("<II", old, 24)
    size, count = struct.unpack_from("<HH", old, 42)
    shift = -(-(64 + 56 * count) // 4096) * 4096  # the old file follows, at the same place in its page
    out = bytearray(b"\x7fELF\x02\x01\x01" + bytes(9))
    out += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, entry, 64, 0, 0, 64, 56, count, 64, 0, 0)
    for index in range(count):
        kind, offset, virtual, physical, stored, memory, flags, align = struct.unpack_from(
            "<8I", old, headers + index * size
        )
        kind = 0 if kind == 6 else kind  # no table of headers inside the image
        where = offset + shift if stored else 0
        where = where or virtual % max(align, 1)
        out += struct.pack("<IIQQQQQQ", kind, flags, where, virtual, physical, stored, memory, align)
    path.write_bytes(bytes(out).ljust(shift, b"\0") + old)
