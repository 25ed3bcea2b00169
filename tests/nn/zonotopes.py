"""Bounds by zonotopes alone, as no search asks for them."""

from __future__ import annotations

import numpy as np

from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.zonotope import propagate


def zonotope_bounds(model: BoundModel, lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of every output for one box."""
    low, high = propagate(model, lower[None, :], upper[None, :]).output.interval()
    return low[0], high[0]
