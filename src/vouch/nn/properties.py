"""Reads a property of either VNN-LIB version, told apart by the version line of 2.0."""

from __future__ import annotations

import re
from pathlib import Path

from vouch.errors import VouchError
from vouch.nn.property import Property

_VERSION_2 = re.compile(r"^\s*\(\s*vnnlib-version\s*<\s*2", re.MULTILINE)


def is_version_2(text: str) -> bool:
    return _VERSION_2.search(text) is not None


def parse(text: str, name: str = "property", *, region: bool = False) -> Property:
    """The property that the text states. With several networks, inputs and outputs stand one after the
    other in the order of declaration. With `region`, inputs alone are enough."""
    from vouch.nn import vnnlib1, vnnlib2

    try:
        return vnnlib2.parse(text, name) if is_version_2(text) else vnnlib1.parse(text, name, region)
    except RecursionError:
        raise VouchError(f"{name}: nested too deeply") from None


def read(path: Path) -> Property:
    """The property in a file, which may be gzipped."""
    from vouch.nn.loaders.files import read as read_bytes
    from vouch.nn.loaders.files import resolved

    try:
        text = read_bytes(resolved(path)).decode("utf-8")
    except UnicodeDecodeError:
        raise VouchError(f"{path}: not a text file") from None
    return parse(text, str(path))
