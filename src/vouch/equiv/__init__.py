"""Equivalence of two networks.

What comes in: two networks over the same inputs, a notion of equivalence and a region of inputs. What goes
out: `equivalent` with a proof by sound bounds or certified linear programs, `different` with an input that
was replayed, or an honest `unknown`. Float solvers are never believed on their word.

The package loads its parts on first use, so that importing it stays cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vouch.equiv.api import compare
    from vouch.equiv.clusters import find_clusters
    from vouch.equiv.maximal import radius
    from vouch.equiv.region import Region, ball, box, polytope
    from vouch.equiv.result import Comparison
    from vouch.equiv.sweeping import sweep

__all__ = [
    "Comparison",
    "Region",
    "ball",
    "box",
    "compare",
    "find_clusters",
    "polytope",
    "radius",
    "sweep",
]

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
