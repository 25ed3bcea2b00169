"""Two lowered networks as one that reads the input once, for questions about how they differ.

The outputs are the first network's r, the second's t, their differences r − t and, where asked for, the
distances |r − t|. Where the two have the same structure and similar weights, differences are followed node by
node: M r + b − (N t + c) = N (r − t) + (M − N) r + (b − c), and a difference of activations is bounded by how
steep the function is. Otherwise they are just subtracted at the end.

All nodes of both networks are kept as they are. So bounds on rounding that hold for each node of the two run
by themselves hold here; the nodes added are no computation of either, and bounds put more noise on them than
exact differences have.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vouch.nn.arrays import UNIT, Array
from vouch.nn.linear import DENSE_LIMIT, Convolution, Dense, LinearMap, Sparse
from vouch.nn.lowered import (
    Activation,
    ActivationGap,
    Affine,
    AffineGap,
    Input,
    Lowered,
    LoweredNode,
    Maximum,
    Multiply,
    NodeKind,
)

# Weights that differ by more than this share are not worth a node-by-node difference.
_SIMILAR = 0.25


@dataclass(frozen=True, slots=True, eq=False)
class ProductNetwork:
    """`outputs` counts those of each network; `followed`: differences are followed node by node."""

    lowered: Lowered
    outputs: int
    followed: bool


def beside(
    first: Lowered, second: Lowered, *, distances: bool = False, follow: bool = True
) -> ProductNetwork:
    """Both networks over one input. Their numbers of inputs and of outputs agree. Without `follow`, the
    differences are just subtracted: encodings know nothing else."""
    nodes: list[LoweredNode] = list(first.nodes)
    shift = len(first.nodes) - 1
    nodes += [_moved(node, shift) for node in second.nodes[1:]]
    ends = len(first.nodes) - 1, _later(len(second.nodes) - 1, shift)
    gaps = _gaps(first, second, len(nodes)) if follow else None
    size = first.nodes[-1].size
    if gaps is None:
        nodes.append(_sum({ends[0]: 1.0, ends[1]: -1.0}, size))
    else:
        nodes += gaps
    blocks = [*ends, len(nodes) - 1]
    if distances:  # |g| = 2 relu(g) − g
        nodes.append(Activation(blocks[2], size, NodeKind.RELU))
        nodes.append(_sum({len(nodes) - 1: 2.0, blocks[2]: -1.0}, size))
        blocks.append(len(nodes) - 1)
    nodes.append(_stacked(blocks, size))
    return ProductNetwork(Lowered(tuple(nodes)), size, gaps is not None)


def _later(index: int, shift: int) -> int:
    return index + shift if index else 0


def _moved(node: LoweredNode, shift: int) -> LoweredNode:
    match node:
        case Affine():
            return replace(node, inputs=tuple(_later(i, shift) for i in node.inputs))
        case Activation() | Maximum():
            return replace(node, input=_later(node.input, shift))
        case Multiply():
            return replace(node, left=_later(node.left, shift), right=_later(node.right, shift))
        case Input():
            return node


def _sum(factors: dict[int, float], size: int) -> Affine:
    maps = tuple(Sparse.scale(np.full(size, factor)) for factor in factors.values())
    return Affine(tuple(factors), maps, np.zeros(size))


def _stacked(blocks: list[int], size: int) -> Affine:
    """All blocks one below the other. A block that occurs twice (two identity networks) gets one map."""
    maps: dict[int, LinearMap] = {}
    for number, block in enumerate(blocks):
        chosen = np.full((len(blocks), size), -1)
        chosen[number] = np.arange(size)
        linear = Sparse.select(chosen, size)
        known = maps.get(block)
        maps[block] = (
            linear if not isinstance(known, Sparse) else Sparse((known.matrix + linear.matrix).tocsr())
        )
    return Affine(tuple(maps), tuple(maps.values()), np.zeros(len(blocks) * size))


def _gaps(first: Lowered, second: Lowered, start: int) -> list[LoweredNode] | None:
    """The nodes of the differences, numbered from `start`; None where the two are not alike."""
    if not _same_structure(first, second):
        return None
    shift = len(first.nodes) - 1
    where: dict[int, int] = {}  # the difference of what node i of both computes; the input has none
    nodes: list[LoweredNode] = []
    changed = total = 0.0
    for index, (one, two) in enumerate(zip(first.nodes, second.nodes, strict=True)):
        match one, two:
            case Affine(), Affine():
                changes = [_difference(a, b) for a, b in zip(one.maps, two.maps, strict=True)]
                maps = _terms(one, two, changes, where)
                if maps is None:
                    return None
                changed += sum(_mass(change) for change in changes if change is not None)
                total += sum(map(_mass, one.maps))
                nodes.append(_affine_gap(maps, one.bias - two.bias, index, index + shift))
            case Activation(), Activation() if one.input in where:
                read = where[one.input]
                nodes.append(ActivationGap(read, one.size, NodeKind.GAP, first=index, second=index + shift))
            case Input(), Input():
                continue
            case _:
                return None
        where[index] = start + len(nodes) - 1
    return nodes if nodes and changed <= _SIMILAR * total else None


def _same_structure(first: Lowered, second: Lowered) -> bool:
    if len(first.nodes) != len(second.nodes):
        return False
    for one, two in zip(first.nodes, second.nodes, strict=True):
        match one, two:
            case Affine(), Affine() if one.inputs == two.inputs and one.size == two.size:
                continue
            case Activation(kind=NodeKind.CURVE), _:
                return False
            case Activation(), Activation() if one.input == two.input and one.kind is two.kind:
                continue
            case Input(), Input():
                continue
            case _:
                return False
    return True


def _terms(
    one: Affine, two: Affine, changes: list[LinearMap | None], where: dict[int, int]
) -> dict[int, LinearMap] | None:
    """N of the differences and M − N of the first network's values, by the nodes they apply to."""
    maps: dict[int, LinearMap] = {}
    for source, linear, change in zip(one.inputs, two.maps, changes, strict=True):
        if change is None:
            return None
        if source in where:
            maps[where[source]] = linear
        if source not in where or change.largest:
            maps[source] = change
    return maps


def _affine_gap(maps: dict[int, LinearMap], bias: Array, first: int, second: int) -> AffineGap:
    # Subtracting weights rounds once; a map that is used as it is rounds nothing, but costs little here.
    return AffineGap(
        tuple(maps),
        tuple(maps.values()),
        bias,
        weight_error=UNIT * max(linear.largest for linear in maps.values()),
        bias_error=UNIT * float(np.abs(bias).max()),
        first=first,
        second=second,
    )


def _difference(one: LinearMap, two: LinearMap) -> LinearMap | None:
    if isinstance(one, Convolution) and isinstance(two, Convolution):
        same = [
            (m.weights.shape, m.input_shape, m.strides, m.pads, m.dilations, m.groups) for m in (one, two)
        ]
        if same[0] == same[1]:
            return one.with_weights(one.weights - two.weights)
    if isinstance(one, Sparse) and isinstance(two, Sparse):
        change = (one.matrix - two.matrix).tocsr()
        change.eliminate_zeros()
        return Sparse(change)
    return Dense(one.dense() - two.dense()) if one.rows * one.columns <= DENSE_LIMIT else None


def _mass(linear: LinearMap) -> float:
    match linear:
        case Dense():
            return float(np.abs(linear.matrix).sum())
        case Sparse():
            return float(np.abs(linear.matrix.data).sum())
        case Convolution():
            return float(np.abs(linear.weights).sum())
        case _:
            return float(np.abs(linear.dense()).sum())
