"""Networks that are the same function although their weights are not, recognised without any bounds.

Hidden neurons may be listed in another order, scaled (row times s > 0, outgoing weights divided by s),
duplicated, constant, or without effect: what structured pruning, fusing and export tools leave behind. Both
networks are brought to one form in exact rational arithmetic; if the forms are equal, so are the functions.
Rankings also ignore a common positive factor and a common term of all outputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from vouch.equiv.pair import Array, NetworkPair
from vouch.nn.lowered import Affine

# Rational arithmetic beyond this many weights would take longer than it is worth.
LARGEST = 500_000

Vector: TypeAlias = tuple[Fraction, ...]
Neuron: TypeAlias = tuple[Vector, Fraction]


@dataclass(frozen=True, slots=True, eq=False)
class DenseLayer:
    """y = weights x + bias."""

    weights: Array
    bias: Array


def same_function(pair: NetworkPair, *, ranking: bool = False) -> bool:
    """Whether both networks certainly compute the same outputs (or, with `ranking`, outputs in the same
    order, ties included) for all inputs. False says nothing."""
    if pair.identical:
        return True
    layers = [net.layers for net in pair.both if net.layers is not None]
    if len(layers) < 2:
        return False
    if any(layer.weight_error or layer.bias_error for net in layers for layer in net):
        return False
    if any(net.noisy for net in pair.both):
        return False
    if any(sum(layer.size * layer.maps[0].columns for layer in net) > LARGEST for net in layers):
        return False
    first, second = (_needed(net) for net in layers)
    if len(first) != len(second) or not _alike(first, second):
        return False
    return all(a == b for a, b in zip(_forms(first, ranking), _forms(second, ranking), strict=True))


def _needed(network: list[Affine]) -> list[DenseLayer]:
    """The layers without neurons that have no way to an output."""
    layers = [DenseLayer(node.maps[0].dense(), node.bias) for node in network]
    for index in range(len(layers) - 1, 0, -1):
        used = (layers[index].weights != 0).any(axis=0)
        layers[index] = DenseLayer(layers[index].weights[:, used], layers[index].bias)
        before = layers[index - 1]
        layers[index - 1] = DenseLayer(before.weights[used], before.bias[used])
    return layers


def _alike(first: list[DenseLayer], second: list[DenseLayer]) -> bool:
    """A quick look at the first hidden layer in floats: most pairs end here."""
    if len(first) == 1:
        return True
    a, b = _directions(first[0]), _directions(second[0])
    return a.shape == b.shape and bool(np.allclose(a, b, atol=1e-7))


def _directions(layer: DenseLayer) -> Array:
    size = np.abs(layer.weights).max(axis=1, initial=0.0)
    rows = np.column_stack([layer.weights, layer.bias])[size > 0] / size[size > 0][:, None]
    probe = np.random.default_rng(0).normal(size=rows.shape[1])
    return np.unique(np.round(rows @ probe, 8))


def _forms(layers: list[DenseLayer], ranking: bool) -> Iterator[list[Neuron]]:
    """The canonical neurons of each layer in turn, outputs last."""
    rows = _rational(layers[0].weights)
    bias = _rational(layers[0].bias[None, :])[0]
    for layer in layers[1:]:
        columns = _rational(layer.weights.T)
        shift = list(_rational(layer.bias[None, :])[0])
        kept: dict[Neuron, list[Fraction]] = {}
        for row, b, column in zip(rows, bias, columns, strict=True):
            size = max(map(abs, row), default=Fraction(0))
            if size == 0:
                shift = [s + c * max(b, Fraction(0)) for s, c in zip(shift, column, strict=True)]
                continue
            neuron = tuple(w / size for w in row), b / size
            known = kept.setdefault(neuron, [Fraction(0)] * len(column))
            kept[neuron] = [k + c * size for k, c in zip(known, column, strict=True)]
        order = sorted(neuron for neuron, column in kept.items() if any(column))
        yield order
        rows = list(zip(*(kept[neuron] for neuron in order), strict=True)) or [()] * len(shift)
        bias = tuple(shift)
    yield _ranked(rows, bias) if ranking else list(zip(rows, bias, strict=True))


def _rational(matrix: Array) -> list[Vector]:
    return [tuple(map(Fraction, row)) for row in matrix.tolist()]


def _ranked(rows: list[Vector], bias: Vector) -> list[Neuron]:
    """Outputs relative to the first, divided by the largest coefficient."""
    leads = [
        (*(w - v for w, v in zip(row, rows[0], strict=True)), b - bias[0])
        for row, b in zip(rows, bias, strict=True)
    ]
    size = max(abs(value) for lead in leads for value in lead) or Fraction(1)
    return [(tuple(value / size for value in lead[:-1]), lead[-1] / size) for lead in leads]
