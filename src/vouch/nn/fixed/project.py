"""`vouch nn codegen`: the four files of a generated network."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.files import read_text
from vouch.nn.fixed.cases import IntCase, int_cases
from vouch.nn.fixed.codegen import Style, header, source
from vouch.nn.fixed.cproperty import MAKEFILE, harness
from vouch.nn.fixed.format import Ints
from vouch.nn.fixed.network import IntegerNetwork
from vouch.nn.fixed.options import quantised
from vouch.nn.fixed.ranges import ranges
from vouch.nn.network import Network
from vouch.nn.property import Property
from vouch.settings import Settings

TARGETS = {
    "avr": ("--target=avr", "-mmcu=atmega328p"),
    "msp430": ("--target=msp430",),
    "cortex-m": ("--target=thumbv7m-none-eabi",),
}


def generate(
    network: Network, settings: Settings, prop: Property | None = None, style: Style | None = None
) -> dict[str, str]:
    """The files by name. Without a format the code computes in float."""
    if prop is not None:
        prop.check(network.inputs, network.outputs, network.name)
    try:
        if settings.format is None:
            from vouch.nn.fixed.cfloat import float_harness, float_header, float_source

            return {
                "net.h": float_header(network),
                "net.c": float_source(network),
                "harness.c": float_harness(network, prop),
                "Makefile": MAKEFILE,
            }
        return integer_files(quantised(network, settings), prop, style or Style())
    except Unsupported as error:
        raise VouchError(f"{network.name}: {error}") from None


def integer_files(network: IntegerNetwork, prop: Property | None, style: Style) -> dict[str, str]:
    cases = None
    if prop is not None:
        if network.softmax and not prop.order_only:
            raise Unsupported("a softmax at the end, and a property about more than the order of outputs")
        cases = int_cases(prop, network.input_format, network.output_format)
    return {
        "net.h": header(network),
        "net.c": source(network, style, invariants(network, cases) if cases else ()),
        "harness.c": harness(network, cases),
        "Makefile": MAKEFILE,
    }


def invariants(network: IntegerNetwork, cases: list[IntCase]) -> list[tuple[Ints, Ints]]:
    """Proved ranges of every node over all inputs of the cases."""
    low = np.array([[axis.low for axis in case.axes] for case in cases], dtype=np.int64)
    high = np.array([[axis.high for axis in case.axes] for case in cases], dtype=np.int64)
    return [(found.low.min(axis=0), found.high.max(axis=0)) for found in ranges(network, low, high)]


def build_for(files: Mapping[str, str], target: str) -> int:
    """Compile `net.c` for a bare target; the bytes of its code and tables."""
    from vouch.folder import Folder
    from vouch.nn.fixed.native import compile_one

    with Folder("vouch-nn-") as folder:
        for name in ("net.h", "net.c"):
            (folder / name).write_text(files[name], encoding="ascii")
        flags = (
            *TARGETS[target],
            "-std=c99",
            "-Os",
            "-ffreestanding",
            "-Wall",
            "-Wextra",
            "-pedantic",
            "-Werror",
        )
        made = compile_one(folder, "net.c", flags)
        return sum(_section_sizes(made))


def _section_sizes(made: Path) -> list[int]:
    """Sizes of the sections that go to the device, read from the ELF file itself."""
    import struct

    data = made.read_bytes()
    wide = data[4] == 2
    at = struct.unpack_from("<Q" if wide else "<I", data, 40 if wide else 32)[0]
    size, count = struct.unpack_from("<HH", data, 58 if wide else 46)
    found = []
    for number in range(count):
        start = at + number * size
        kind, flags, length = (
            (struct.unpack_from("<4xIQQQQ", data, start)[i] for i in (0, 1, 4))
            if wide
            else (struct.unpack_from("<4xIIIII", data, start)[i] for i in (0, 1, 4))
        )
        if flags & 2 and kind != 8:  # allocated, and not empty space
            found.append(length)
    return found


def write(files: Mapping[str, str], folder: Path) -> None:
    """All files or none, and none over files of others: a folder that has our build file is ours."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = [name for name in files if (folder / name).exists()]
        if there and not _ours(folder / "Makefile"):
            raise VouchError(f"{folder / there[0]}: exists, and was not written by vouch nn codegen")
        for name, text in files.items():
            (folder / f".{name}.part").write_text(text, encoding="ascii")
        for name in files:
            (folder / f".{name}.part").replace(folder / name)
    except OSError as error:
        raise VouchError(f"{folder}: {error.strerror}") from None


def _ours(build: Path) -> bool:
    with suppress(VouchError):
        return read_text(build, 1 << 20).partition("\n")[0] == MAKEFILE.partition("\n")[0]
    return False
