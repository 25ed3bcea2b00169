"""Equivalence of two networks.

What comes in: two networks over the same inputs, a notion of equivalence and a region of inputs. What goes
out: `equivalent` with a proof by sound bounds or certified linear programs, `different` with an input that
was replayed, or an honest `unknown`. Float solvers are never believed on their word.

The package loads its parts on first use, so that importing it stays cheap.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "compare": "vouch.equiv.api",
    "radius": "vouch.equiv.maximal",
    "sweep": "vouch.equiv.sweeping",
    "Comparison": "vouch.equiv.result",
    "Region": "vouch.equiv.region",
    "ball": "vouch.equiv.region",
    "box": "vouch.equiv.region",
    "polytope": "vouch.equiv.region",
    "find_clusters": "vouch.equiv.clusters",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'vouch.equiv' has no attribute {name!r}")
