"""Runs an integer network with numpy: the reference that C code, bounds and encodings are compared with."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, assert_never

import numpy as np

from vouch.errors import VouchError
from vouch.nn.fixed.format import Ints, Overflow, divided, shifted
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

# Products that are held at once.
_TOGETHER = 1 << 21


def evaluate(network: IntegerNetwork, rows: Ints) -> Ints:
    """Outputs [batch, outputs] for rows of numbers [batch, inputs]."""
    numbers = np.asarray(rows, dtype=np.int64)
    if numbers.ndim != 2 or numbers.shape[1] != network.inputs:
        raise VouchError(f"{network.name} takes rows of {network.inputs} numbers, not shape {numbers.shape}")
    widest = max((node.weights.size for node in network.nodes if isinstance(node, Sums)), default=1)
    step = max(1, _TOGETHER // max(1, widest))
    parts = [values(network, numbers[at : at + step])[-1] for at in range(0, max(1, len(numbers)), step)]
    return np.concatenate(parts)


def values(network: IntegerNetwork, rows: Ints) -> list[Ints]:
    """Every node's value, in the order of the nodes."""
    found: list[Ints] = []
    for node in network.nodes:
        found.append(value(node, found, rows))
    return found


def value(node: IntegerNode, before: list[Ints], rows: Ints) -> Ints:
    match node:
        case Source():
            return rows
        case Sums():
            return _sums(node, _joined(node.inputs, before))
        case Rescale():
            return node.word.narrow(_moved(before[node.input], node))
        case Quotient():
            return node.word.narrow(divided(before[node.input] << node.shift, node.divisors, node.rounding))
        case Clamp():
            return np.clip(before[node.input], node.low, node.high)
        case Leaky():
            x = before[node.input]
            return np.where(x >= 0, x, node.word.narrow(shifted(x * node.slope, node.shift, node.rounding)))
        case Extreme():
            chosen = _joined(node.inputs, before)[:, node.columns]
            return np.asarray(chosen.max(axis=2) if node.sign > 0 else chosen.min(axis=2))
        case Lookup():
            return node.table.look(before[node.input])
        case Requantise():
            return stepped(node, before[node.input])
        case Pair():
            return paired(node, before[node.left], before[node.right])
        case Times():
            return np.asarray(before[node.left] * before[node.right])
        case FixedSelect():
            x = _joined(node.inputs, before)
            return np.where(node.columns < 0, node.constants, x[:, np.maximum(node.columns, 0)])
        case _:
            assert_never(node)


def _moved(x: Ints, node: Rescale) -> Ints:
    if node.shift >= 0:
        return shifted(x, node.shift, node.rounding)
    if node.word.overflow is Overflow.SATURATE:
        # Beyond the word in either case; the shift itself must not leave int64.
        x = np.clip(x, node.word.low - 1, node.word.high + 1)
    return x << -node.shift


def _joined(inputs: tuple[int, ...], before: list[Ints]) -> Ints:
    if len(inputs) == 1:
        return before[inputs[0]]
    return np.concatenate([before[index] for index in inputs], axis=1)


def stepped(node: Requantise, x: Ints) -> Ints:
    """The values of a step function for rows x [batch, size]."""
    if len(node.thresholds) == 1:
        return np.asarray(node.low + np.searchsorted(node.thresholds[0], x, side="right"))
    found = np.empty_like(x)
    for number, steps in enumerate(node.thresholds):
        part = np.flatnonzero(node.group == number)
        found[:, part] = node.low + np.searchsorted(steps, x[:, part], side="right")
    return found


def paired(node: Pair, left: Ints, right: Ints) -> Ints:
    return np.asarray(node.entries[left - node.first[0], right - node.first[1]])


@lru_cache(maxsize=64)
def _matrix(node: Sums, columns: int) -> tuple[Any, float]:
    """The weights as a float64 matrix, and the largest sum of absolute weights in a row."""
    from scipy.sparse import csr_array

    rows = np.repeat(np.arange(node.size), node.columns.shape[1])
    entries = node.weights.ravel().astype(np.float64), (rows, node.columns.ravel())
    matrix = csr_array(entries, shape=(node.size, columns))
    most = float(np.abs(node.weights).sum(axis=1).max(initial=0))
    return (matrix.toarray().T if matrix.nnz * 4 > node.size * columns else matrix), most


def _whole_sums(node: Sums, x: Ints) -> Ints | None:
    """Sums without a shift that wrap around, by one product of matrices; None where float64 would round."""
    if node.shift or node.word.overflow is not Overflow.WRAP:
        return None
    matrix, most = _matrix(node, x.shape[1])
    if most * max(1.0, float(np.abs(x).max(initial=0))) >= 2.0**53:
        return None
    values = x.astype(np.float64)
    sums = values @ matrix if isinstance(matrix, np.ndarray) else (matrix @ values.T).T
    return node.word.narrow(sums.astype(np.int64) + node.bias)


def _sums(node: Sums, x: Ints) -> Ints:
    quick = _whole_sums(node, x)
    if quick is not None:
        return quick
    products = node.word.narrow(shifted(x[:, node.columns] * node.weights, node.shift, node.rounding))
    if node.word.overflow is Overflow.WRAP:
        # Sums modulo 2^bits: it does not matter when they are reduced.
        return node.word.narrow(products.sum(axis=2) + node.bias)
    total = np.zeros(products.shape[:2], dtype=np.int64)
    for place in range(products.shape[2]):
        total = node.word.narrow(total + products[:, :, place])
    return node.word.narrow(total + node.bias)
