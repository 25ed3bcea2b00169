"""Questions about networks with a waist: a layer in which few neurons are alive in the box.

All that comes behind such a layer is a function of few values. Halving the box of these values shows which
of them may lead into an unsafe region; that none of those is ever reached is one question about the part
of the network before the waist, the same for all regions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vouch.nn.bounds.ascent import is_relu
from vouch.nn.bounds.ball import SLACK
from vouch.nn.bounds.forward import ForwardState, analyse
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.region import Unsafe
from vouch.nn.lowered import Activation, Affine, AffineGap
from vouch.nn.property import Array
from vouch.nn.search.boxes import Boxes, left_of, weights

# Neurons alive in a waist at most, and boxes of their values that are looked at together at most.
_ALIVE, _BOXES = 4, 2048


def waist(model: BoundModel) -> int | None:
    """The ReLU layer with the fewest neurons alive behind which nothing reads an earlier node, where these
    are few; the last of several. For trimmed models: what is off in the box is not there."""
    found = None
    for index in model.activations:
        if not is_relu(model, index) or not isinstance(model.node(model.node(index).input), Affine):
            continue
        few = model.node(index).size <= (_ALIVE if found is None else model.node(found).size)
        if few and index < model.activations[-1] and _separates(model, index):
            found = index
    return found


def _separates(model: BoundModel, index: int) -> bool:
    for node in model.lowered.nodes[index + 1 :]:
        if isinstance(node, AffineGap) or not isinstance(node, (Affine, Activation)):
            return False
        read = node.inputs if isinstance(node, Affine) else (node.input,)
        if min(read) < index:
            return False
    return True


def leading(
    model: BoundModel, index: int, state: ForwardState, regions: Sequence[Unsafe], stop: Callable[[], bool]
) -> tuple[list[tuple[Array, Array]], int]:
    """For each region a box around the values of the waist that may lead into it, where there are any, and
    how many boxes were looked at."""
    behind, part = model.after(index), model.slots[index]
    low, high = (ends[:, part].clip(min=0) for ends in (state.low, state.high))
    known = ForwardState(state.low[:, part.stop :], state.high[:, part.stop :])
    found, count = [], 0
    for region in regions:
        zero = model.arrays.zeros((region.count, behind.inputs))
        box, looked = _around(behind, low, high, known, Unsafe(zero, region.y_rows, region.rhs, None), stop)
        count += looked
        if box is not None:
            found.append(box)
    return found, count


def _around(
    model: BoundModel, low: Any, high: Any, state: ForwardState, region: Unsafe, stop: Callable[[], bool]
) -> tuple[tuple[Array, Array] | None, int]:
    whole, count = (high - low).clip(min=1e-30), 0
    boxes = Boxes(low, high, state)
    while True:
        analysis = analyse(model, boxes.low, boxes.high, boxes.state)
        count += len(boxes)
        left = left_of(analysis, [region])
        still = left.still & ~analysis.empty
        if not bool(still.any()):
            return None, count
        low, high, rest = left.low[still], left.high[still], boxes.state.take(still)
        if 2 * len(low) > _BOXES or stop():
            return (low.min(0), high.max(0)), count
        at = weights(np, left.score[still], high - low, whole).argmax(1)
        rows, middle = np.arange(len(low)), (low + high) * 0.5
        first, second = high.copy(), low.copy()
        first[rows, at] = second[rows, at] = middle[rows, at]
        both = (np.concatenate([low, second]), np.concatenate([first, high]))
        twice = ForwardState(np.tile(rest.low, (2, 1)), np.tile(rest.high, (2, 1)))
        boxes = Boxes(*both, twice)


def reaching(
    model: BoundModel, index: int, state: ForwardState, boxes: Sequence[tuple[Array, Array]]
) -> Unsafe | None:
    """That the waist has values in one of the boxes, as a region of the model before it; None where its
    bounds allow nothing else."""
    part = model.slots[index]
    low, high = np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)
    # A ReLU is at most u >= 0 where its input is, and at least l > 0 where its input is.
    above = np.flatnonzero(high < state.high[0, part])
    below = np.flatnonzero(low > state.low[0, part].clip(min=0))
    if not len(above) + len(below):
        return None
    units = np.eye(part.stop - part.start)
    rhs = np.concatenate([high[above], -low[below]])
    rows = np.vstack([units[above], -units[below]])
    return Unsafe(np.zeros((len(rhs), model.inputs)), rows, rhs + SLACK * np.abs(rhs), None)
