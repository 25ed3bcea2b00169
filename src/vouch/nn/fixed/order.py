"""The order of outputs behind an increasing table, asked about the table's arguments.

Where a network ends in a table, the bounds of two outputs that are compared carry the table's error twice.
The arguments do not: T(a) <= T(b) means that a < b, or that both have the same entry. Entries of the steep
part serve few numbers each, so there a is at most that many above b; the flatter the table, the more numbers
have the same entry, and the farther out they lie. What is asked about the arguments holds wherever the
original question does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vouch.nn.fixed.format import Format, Ints, Word
from vouch.nn.fixed.network import IntegerNetwork, Lookup
from vouch.nn.fixed.table import Segment, Steps, Table
from vouch.nn.property import Array, Rows


def before_table(
    network: IntegerNetwork, regions: tuple[Rows, ...]
) -> tuple[IntegerNetwork, tuple[Rows, ...]] | None:
    """The network without the table that it ends in, and regions of its outputs that hold wherever the given
    ones do; None where there is no such table, or the regions are about more than the order of outputs."""
    last = network.nodes[-1]
    if not isinstance(last, Lookup) or not last.table.increasing or last.input != len(network.nodes) - 2:
        return None
    form, found = network.formats[last.input], []
    bands = _bands(last.table, form.word)
    for rows in regions:
        pair = _compared(rows)
        if pair is None:
            return None
        found += [_of_arguments(rows, pair, band, form) for band in bands]
    shorter = IntegerNetwork(network.name, network.nodes[:-1], network.formats[:-1], network.softmax)
    return shorter, tuple(found)


def _compared(rows: Rows) -> tuple[int, int] | None:
    """(i, j) where a region says y[i] <= y[j] or y[i] < y[j]."""
    if rows.count != 1 or rows.x_rows.any() or rows.rhs[0] != 0:
        return None
    used = np.flatnonzero(rows.y_rows[0])
    if len(used) != 2 or sorted(rows.y_rows[0][used]) != [-1.0, 1.0]:
        return None
    return int(np.argmax(rows.y_rows[0])), int(np.argmin(rows.y_rows[0]))


@dataclass(frozen=True, slots=True)
class _Band:
    """Runs of equal entries, each of at most `reach` + 1 numbers: all that end at `last` or before, or begin
    at `first` or after; those in the middle have neither."""

    reach: int
    last: int | None = None
    first: int | None = None


def _bands(table: Table, word: Word) -> list[_Band]:
    """Every run of equal entries is in a band. From the shortest run outwards, a new band begins where runs
    become more than twice as long."""
    starts = runs(table, word)
    ends = np.append(starts[1:], word.high + 1) - 1
    lengths = ends - starts + 1
    middle = int(lengths.argmin())
    longest, low, high = 2 * int(lengths[middle]), middle, middle
    while low > 0 and lengths[low - 1] <= longest:
        low -= 1
    while high < len(lengths) - 1 and lengths[high + 1] <= longest:
        high += 1
    found = [_Band(int(lengths[low : high + 1].max()) - 1)]
    for part in _doubling(lengths[:low][::-1]):
        found.append(_Band(int(lengths[:low][::-1][part].max()) - 1, last=int(ends[low - 1 - part.start])))
    for part in _doubling(lengths[high + 1 :]):
        reach = int(lengths[high + 1 :][part].max()) - 1
        found.append(_Band(reach, first=int(starts[high + 1 + part.start])))
    return found


def _doubling(lengths: Ints) -> list[slice]:
    """Parts in each of which no length is more than twice the first."""
    found, start = [], 0
    for place in range(1, len(lengths) + 1):
        if place == len(lengths) or lengths[place] > 2 * lengths[start]:
            found.append(slice(start, place))
            start = place
    return found


def runs(table: Table, word: Word) -> Ints:
    """The first number of each run of equal entries, the least number of the word among them."""
    starts = [np.array([word.low])]
    for segment in table.segments:
        starts += [np.array([segment.first]), _places(segment)]
    numbers = np.unique(np.clip(np.concatenate(starts), word.low, word.high))
    values = table.look(numbers)
    return np.asarray(numbers[np.append(True, values[1:] != values[:-1])])


def _places(segment: Segment | Steps) -> Ints:
    """Where entries begin."""
    if isinstance(segment, Steps):
        return segment.firsts
    return segment.first + (np.arange(len(segment.entries), dtype=np.int64) << segment.shift) - segment.offset


def _of_arguments(rows: Rows, pair: tuple[int, int], band: _Band, form: Format) -> Rows:
    """T(a[i]) <= T(a[j]) because a[i] < a[j], or because both have the same entry in a band."""
    small, large = (np.eye(rows.y_rows.shape[1])[place] for place in pair)
    conditions: list[tuple[Array, int]] = [(small - large, band.reach)]
    if band.last is not None:
        conditions.append((small, band.last))
    if band.first is not None:
        conditions.append((-large, -band.first))
    limits = form.reals(np.array([limit for _, limit in conditions]))
    x_rows = np.zeros((len(conditions), rows.x_rows.shape[1]))
    return Rows.of(x_rows, np.array([row for row, _ in conditions]), limits)
