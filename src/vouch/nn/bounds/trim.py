"""A model without the neurons that are off in the whole box at hand.

A ReLU whose input is never positive is exactly zero, in the runtime too, and so are its products: without it
every bound stays as it is, and what follows costs less. Factors that count roundings are those of the whole
model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from vouch.nn.bounds.ascent import is_relu
from vouch.nn.bounds.forward import ForwardState
from vouch.nn.bounds.model import BoundModel
from vouch.nn.linear import Dense, LinearMap, Sparse
from vouch.nn.lowered import Activation, Affine, AffineGap, Lowered, LoweredNode

Indices: TypeAlias = NDArray[np.int64]


def trimmed(model: BoundModel, state: ForwardState) -> tuple[BoundModel, Indices]:
    """The model for the box whose `state` (one row) is given, and which of the neurons are left, in order.

    Only for inputs of that box does the result compute what the model computes.
    """
    rows, columns = _droppable(model, state)
    every = np.arange(model.neurons)
    if not rows:
        return model, every
    nodes = tuple(_smaller(index, node, rows, columns) for index, node in enumerate(model.lowered.nodes))
    kept, slots, start = [], {}, 0
    for index, part in model.slots.items():
        left = columns.get(index, np.arange(part.stop - part.start))
        kept.append(part.start + left)
        slots[index] = slice(start, start + len(left))
        start += len(left)
    small = replace(
        model,
        lowered=Lowered(nodes, model.lowered.softmax),
        slots=slots,
        neurons=start,
        biases=_rows(model, model.biases, rows),
        size_of_biases=_rows(model, model.size_of_biases, rows),
        bias_noise=_rows(model, model.bias_noise, rows),
    )
    return small, np.concatenate(kept)


def _droppable(model: BoundModel, state: ForwardState) -> tuple[dict[int, Indices], dict[int, Indices]]:
    """What is left of affine nodes and of the ReLUs that read them, where something can be dropped."""
    rows: dict[int, Indices] = {}
    columns: dict[int, Indices] = {}
    nodes = model.lowered.nodes
    if model.integers is not None or any(isinstance(node, AffineGap) for node in nodes):
        return rows, columns
    readers = _readers(nodes)
    high = model.arrays.numpy(state.high)[0]
    for index, part in model.slots.items():
        node = nodes[index]
        if not is_relu(model, index) or index == model.output:
            continue
        assert isinstance(node, Activation)
        source = nodes[node.input]
        if readers[node.input] != [index] or not isinstance(source, Affine) or not _sliceable(source):
            continue
        maps = [_maps_from(nodes[reader], index) for reader in readers[index]]
        if any(found is None for found in maps):
            continue
        left = np.flatnonzero(~(high[part] <= 0))
        left = left if len(left) else np.arange(1)
        if len(left) < node.size:
            rows[node.input] = columns[index] = left
    return rows, columns


def _readers(nodes: tuple[LoweredNode, ...]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {index: [] for index in range(len(nodes))}
    for index, node in enumerate(nodes):
        for name in ("input", "left", "right"):
            if hasattr(node, name):
                found[getattr(node, name)].append(index)
        if isinstance(node, Affine):
            for source in node.inputs:
                found[source].append(index)
    return found


def _sliceable(node: Affine) -> bool:
    return all(isinstance(linear, (Dense, Sparse)) for linear in (*node.maps, *node.losses))


def _maps_from(node: LoweredNode, source: int) -> LinearMap | None:
    """The map of an affine node over a source of it, where columns can be taken out of it."""
    if not isinstance(node, Affine) or not _sliceable(node):
        return None
    return node.maps[node.inputs.index(source)]


def _smaller(
    index: int, node: LoweredNode, rows: dict[int, Indices], columns: dict[int, Indices]
) -> LoweredNode:
    if isinstance(node, Activation):
        return replace(node, size=len(columns[index])) if index in columns else node
    if not isinstance(node, Affine):
        return node
    own, wide = rows.get(index), [columns.get(source) for source in node.inputs]
    if own is None and all(part is None for part in wide):
        return node
    return replace(
        node,
        maps=tuple(_part(linear, own, part) for linear, part in zip(node.maps, wide, strict=True)),
        losses=tuple(_part(linear, own, part) for linear, part in zip(node.losses, wide, strict=False)),
        bias=node.bias if own is None else node.bias[own],
        noise=node.noise if own is None or node.noise is None else node.noise[own],
    )


def _part(linear: LinearMap, rows: Indices | None, columns: Indices | None) -> LinearMap:
    assert isinstance(linear, (Dense, Sparse))
    matrix: Any = linear.matrix if rows is None else linear.matrix[rows]
    matrix = matrix if columns is None else matrix[:, columns]
    return Dense(np.ascontiguousarray(matrix)) if isinstance(linear, Dense) else Sparse(matrix.tocsr())


def _rows(model: BoundModel, values: dict[int, Any], rows: dict[int, Indices]) -> dict[int, Any]:
    indices = model.arrays.indices
    return {i: value[indices(rows[i])] if i in rows else value for i, value in values.items()}
