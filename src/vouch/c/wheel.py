"""Where the compiler lies."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from vouch.errors import VouchError


def wheel() -> Path:
    """The folder of the ziglang wheel."""
    found = importlib.util.find_spec("ziglang")
    if found is None or not found.submodule_search_locations:
        raise VouchError("no clang: the ziglang package is not installed (or give --clang PATH)")
    return Path(found.submodule_search_locations[0])
