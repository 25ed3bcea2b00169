"""vouch: formal verification of C code and neural networks in embedded systems.

`vouch.check(paths, **options)`, `vouch.nn.verify(network, property, **options)` and
`vouch.equiv.compare(reference, test, **options)` return the result objects behind the JSON
of the command line. `vouch.Verdict` is what they say, `vouch.VouchError` what is raised for input that cannot
be read. Submodules load on first use, so that importing vouch stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vouch import equiv, nn
    from vouch.api import check
    from vouch.errors import VouchError
    from vouch.verdict import Verdict

__version__ = "0.1.0"

__all__ = ["Verdict", "VouchError", "__version__", "check", "equiv", "nn"]

_HOME = {"check": "vouch.api", "Verdict": "vouch.verdict", "VouchError": "vouch.errors"}


def __getattr__(name: str) -> Any:
    if name in ("nn", "equiv"):
        return importlib.import_module(f"vouch.{name}")
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'vouch' has no attribute {name!r}")
