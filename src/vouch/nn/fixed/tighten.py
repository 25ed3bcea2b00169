"""Bounds of integer columns that follow from rows, in exact integer arithmetic.

What comes in: rows that say A x + c <= 0 over integers, and a box. What goes out: a box within it that holds
all integer solutions of the rows, or the news that there are none. It is a proof: all sums and products stay
below 2⁵³, where float64 is exact, and rows for which they do not are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vouch.nn.property import Array

Indices = npt.NDArray[np.int64]

# Sweeps over all rows in one node of a search: each passes news on from a row to its neighbours.
_SWEEPS = 12
_EXACT = 2.0**52


class IntegerRows:
    """Rows with whole coefficients, given as (row, column, value) and constants."""

    def __init__(
        self, places: Sequence[tuple[int, int, float]], constants: Array, low: Array, high: Array
    ) -> None:
        """The box is the largest one that `tightened` will be asked about."""
        ordered = sorted(places, key=lambda place: place[1])
        row = np.array([r for r, _, _ in ordered], dtype=np.int64)
        column = np.array([c for _, c, _ in ordered], dtype=np.int64)
        value = np.array([v for _, _, v in ordered], dtype=np.float64)
        size = np.abs(value) * np.maximum(np.abs(low), np.abs(high))[column]
        reach = np.bincount(row, size, len(constants)) + np.abs(constants)
        kept = (reach < _EXACT)[row]
        self.row, self.column, self.value = row[kept], column[kept], value[kept]
        self.constants = np.where(reach < _EXACT, constants, -1.0)
        self.positive = self.value > 0
        # Entries lie column by column: where each column with entries begins.
        self.begins = np.flatnonzero(np.r_[True, self.column[1:] != self.column[:-1]][: len(self.column)])
        self.columns = self.column[self.begins]

    def tightened(self, low: Array, high: Array) -> tuple[Array, Array] | None:
        """A box that holds every integer solution in the given one, or None where there is none."""
        if not len(self.value):
            return None if (self.constants > 0).any() else (low, high)
        low, high = low.copy(), high.copy()
        for _ in range(_SWEEPS):
            least = self.value * np.where(self.positive, low[self.column], high[self.column])
            total = np.bincount(self.row, least, len(self.constants)) + self.constants
            if (total > 0).any():
                return None
            # value * x <= room, whatever the other columns of the row are.
            end = _floor(least - total[self.row], self.value)
            most = np.minimum.reduceat(np.where(self.positive, end, np.inf), self.begins)
            fewest = np.maximum.reduceat(np.where(self.positive, -np.inf, end), self.begins)
            news = (most < high[self.columns]) | (fewest > low[self.columns])
            if not news.any():
                break
            high[self.columns] = np.minimum(high[self.columns], most)
            low[self.columns] = np.maximum(low[self.columns], fewest)
            if (low > high).any():
                return None
        return low, high


def _floor(room: Array, value: Array) -> Array:
    """The last whole x with value * x <= room: floor(room / value), or the ceiling where value < 0."""
    positive = value > 0
    found = np.where(positive, np.floor(room / value), np.ceil(room / value))
    # The quotient was rounded: back by one where it was rounded past the end.
    return np.where(found * value > room, np.where(positive, found - 1, found + 1), found)
