"""Neural networks: load, ask, verify.

`verify(network, property, **options)` and `robust(network, point, radius, **options)` return a `Result`;
`load(path)` returns a `Network`, which can also be made from numpy layers with `Network.from_layers`.
A network goes from a loader (`loaders/`) as a graph (`network.py`) of operators (`operators/`) to its lowered
form (`lowered.py`), on which bounds and search work; counterexamples go back through `replay.py`.
Everything loads on first use: importing this package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vouch.nn.api import output_ranges, robust, verify
    from vouch.nn.loaders import load
    from vouch.nn.loaders.objects import from_sklearn, from_torch
    from vouch.nn.network import Network
    from vouch.nn.result import Result

_HOME = {
    "Network": "vouch.nn.network",
    "Result": "vouch.nn.result",
    "from_sklearn": "vouch.nn.loaders.objects",
    "from_torch": "vouch.nn.loaders.objects",
    "load": "vouch.nn.loaders",
    "output_ranges": "vouch.nn.api",
    "robust": "vouch.nn.api",
    "verify": "vouch.nn.api",
}

__all__ = ["Network", "Result", "from_sklearn", "from_torch", "load", "output_ranges", "robust", "verify"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'vouch.nn' has no attribute {name!r}")
