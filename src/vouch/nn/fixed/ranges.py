"""Ranges of every value of an integer network over boxes of inputs, in integers and for whole batches.

Rounding, tables and saturation are monotone, so the ends of a range go through them as they are. Where a sum,
a quotient or a shift may leave the word and wraps around, the result may be anything in the word. Sums
modulo 2^bits may leave the word on the way as often as they like: only their end counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

import numpy as np

from vouch.nn.fixed.evaluate import paired, stepped
from vouch.nn.fixed.format import Ints, Overflow, Word, divided, shifted
from vouch.nn.fixed.network import (
    Clamp,
    Extreme,
    FixedSelect,
    IntegerNetwork,
    IntegerNode,
    Leaky,
    Lookup,
    Pair,
    Quotient,
    Requantise,
    Rescale,
    Source,
    Sums,
    Times,
)
from vouch.nn.fixed.table import Table

Known: TypeAlias = dict[int, tuple[Ints, Ints]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
_TOGETHER = 1 << 21


@dataclass(slots=True, eq=False)
class Range:
    """low <= value <= high, [batch, size] each. `leaves` marks integers that may change when they are brought
    into the word."""

    low: Ints
    high: Ints
    leaves: Flags


def ranges(network: IntegerNetwork, low: Ints, high: Ints, known: Known | None = None) -> list[Range]:
    """Ranges of all nodes for boxes low..high of input numbers [batch, inputs]. `known` confines the values
    of some nodes; where nothing is left of one, its low is above its high, and what follows says nothing."""
    found: list[Range] = []
    for index, node in enumerate(network.nodes):
        value = _range(node, found, low, high)
        if known is not None and index in known:
            value = _kept(np.maximum(value.low, known[index][0]), np.minimum(value.high, known[index][1]))
        found.append(value)
    return found


def _kept(low: Ints, high: Ints) -> Range:
    return Range(low, high, np.zeros(low.shape, dtype=bool))


def _narrowed(low: Any, high: Any, word: Word) -> Range:
    """The range of what integers between low and high become in the word."""
    leaves = np.asarray((low < word.low) | (high > word.high), dtype=bool)
    if word.overflow is Overflow.SATURATE:
        least, most = (np.clip(end, word.low, word.high).astype(np.int64) for end in (low, high))
    else:
        least = np.where(leaves, word.low, np.where(leaves, 0, low)).astype(np.int64)
        most = np.where(leaves, word.high, np.where(leaves, 0, high)).astype(np.int64)
    return Range(least, most, leaves)


def _range(node: IntegerNode, before: list[Range], low: Ints, high: Ints) -> Range:
    match node:
        case Source():
            return _kept(low, high)
        case Sums():
            return _sums(node, _joined(node.inputs, before))
        case Rescale():
            x = before[node.input]
            least, most = (shifted(end, node.shift, node.rounding) for end in (x.low, x.high))
            return _narrowed(least, most, node.word)
        case Quotient():
            x = before[node.input]
            ends = [divided(end << node.shift, node.divisors, node.rounding) for end in (x.low, x.high)]
            return _narrowed(np.minimum(*ends), np.maximum(*ends), node.word)
        case Clamp():
            x = before[node.input]
            return _kept(*(np.clip(end, node.low, node.high) for end in (x.low, x.high)))
        case Leaky():
            return _leaky(node, before[node.input])
        case Extreme():
            x = _joined(node.inputs, before)
            best = np.max if node.sign > 0 else np.min
            return _kept(*(np.asarray(best(end[:, node.columns], axis=2)) for end in (x.low, x.high)))
        case Lookup():
            x = before[node.input]
            return _kept(*looked(node.table, x.low, x.high))
        case Requantise():
            x = before[node.input]
            return _kept(stepped(node, x.low), stepped(node, x.high))
        case Pair():
            x, y = before[node.left], before[node.right]
            return _kept(paired(node, x.low, y.low), paired(node, x.high, y.high))
        case Times():
            return _product(before[node.left], before[node.right])
        case FixedSelect():
            x = _joined(node.inputs, before)
            places = np.maximum(node.columns, 0)
            ends = [np.where(node.columns < 0, node.constants, end[:, places]) for end in (x.low, x.high)]
            return _kept(*ends)
        case _:
            assert_never(node)


def _product(x: Range, y: Range) -> Range:
    corners = [x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high]
    return _kept(np.minimum.reduce(corners), np.maximum.reduce(corners))


def looked(table: Table, low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """The least and largest entry for numbers low..high."""
    if table.increasing:
        return table.look(low), table.look(high)
    every = np.concatenate([segment.entries for segment in table.segments])
    return np.full_like(low, every.min()), np.full_like(high, every.max())


def _joined(inputs: tuple[int, ...], before: list[Range]) -> Range:
    if len(inputs) == 1:
        return before[inputs[0]]
    low, high = (np.concatenate([getattr(before[i], end) for i in inputs], axis=1) for end in ("low", "high"))
    return _kept(low, high)


def _leaky(node: Leaky, x: Range) -> Range:
    scaled = [shifted(np.minimum(end, 0) * node.slope, node.shift, node.rounding) for end in (x.low, x.high)]
    below = _narrowed(np.minimum(*scaled), np.maximum(*scaled), node.word)
    low = np.where(x.low >= 0, x.low, np.where(x.high < 0, below.low, np.minimum(below.low, 0)))
    high = np.where(x.high < 0, below.high, np.where(x.low < 0, np.maximum(below.high, x.high), x.high))
    return Range(low, high, below.leaves & (x.low < 0))


def _sums(node: Sums, x: Range) -> Range:
    step = max(1, _TOGETHER // max(1, node.weights.size))
    parts = [
        _some_sums(node, x.low[at : at + step], x.high[at : at + step]) for at in range(0, len(x.low), step)
    ]
    if len(parts) == 1:
        return parts[0]
    fields = ("low", "high", "leaves")
    return Range(*(np.concatenate([getattr(part, name) for part in parts]) for name in fields))


def _some_sums(node: Sums, low: Ints, high: Ints) -> Range:
    ends = [shifted(end[:, node.columns] * node.weights, node.shift, node.rounding) for end in (low, high)]
    least, most = np.minimum(*ends), np.maximum(*ends)
    word = node.word
    if word.overflow is Overflow.WRAP:
        if node.columns.shape[1] * max(1, int(max(-least.min(), most.max()))) >= 1 << 62:
            least, most = least.astype(object), most.astype(object)
        return _narrowed(least.sum(axis=2) + node.bias, most.sum(axis=2) + node.bias, word)
    leaves = ((least < word.low) | (most > word.high)).any(axis=2)
    totals = []
    for products in (np.clip(end, word.low, word.high) for end in (least, most)):
        total = np.zeros(products.shape[:2], dtype=np.int64)
        for place in range(products.shape[2]):
            total = total + products[:, :, place]
            leaves |= (total < word.low) | (total > word.high)
            total = np.clip(total, word.low, word.high)
        totals.append(total + node.bias)
    found = _narrowed(totals[0], totals[1], word)
    found.leaves |= leaves
    return found
