"""vouch: formal verification of C code and neural networks in embedded systems.

`vouch.check(paths, **options)`, `vouch.nn.verify(network, property, **options)` and
`vouch.equiv.compare(reference, test, **options)` return the result objects behind the JSON
of the command line. Submodules load on first use, so that importing vouch stays cheap.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

__all__ = ["__version__", "check", "equiv", "nn"]


def __getattr__(name: str) -> Any:
    if name in ("nn", "equiv"):
        return importlib.import_module(f"vouch.{name}")
    if name == "check":
        return importlib.import_module("vouch.api").check
    raise AttributeError(f"module 'vouch' has no attribute {name!r}")
