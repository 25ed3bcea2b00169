"""Arrays of numbers, and what holds for all of them. Everything about networks stands on this: it loads
nothing but numpy."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Shape: TypeAlias = tuple[int, ...]

# Elements of a value; larger networks are refused before they fill the memory.
LARGEST = 1 << 28

# Half a unit in the last place of 1.0 in float64: the relative error of one rounding.
UNIT = 2.0**-53
# The same in float32.
UNIT32 = 2.0**-24


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)) without overflow, in the dtype of x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small)).astype(x.dtype)
