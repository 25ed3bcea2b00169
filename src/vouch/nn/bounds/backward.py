"""Back-substitution (DeepPoly, CROWN): a linear lower bound of rows over some nodes, down to the inputs.

Rows are one flat list over all boxes, so that every step is one large matrix product; `boxes` says to
which box a row belongs.
"""

from __future__ import annotations

from typing import Any

from vouch.nn.bounds.arrays import Arrays
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.relaxation import Relaxation
from vouch.nn.lowered import Activation, Affine, Multiply


def substitute(
    model: BoundModel,
    rows: dict[int, Any],
    boxes: Any | None,
    noise: dict[int, Any] | None,
    relaxed: dict[int, Any],
    low_slopes: dict[int, Any] | None = None,
    trace: dict[int, Any] | None = None,
    extra: dict[int, Any] | None = None,
) -> tuple[Any, Any]:
    """(a, c): the sum of rows[node] * value(node) is at least a x + c in the box.

    `boxes` None means row i belongs to box i. `low_slopes` replaces the lower slopes of ReLUs row by row;
    `trace` receives the coefficients of every activation's output; `extra` adds coefficients for the inputs
    of activations. Without `noise`, rounding is left out of account. Rows are consumed.
    """
    arrays = model.arrays
    pending = dict(rows)
    some = next(iter(rows.values()))
    constant = arrays.zeros((some.shape[0],))
    for index in range(max(pending), 0, -1):
        row = pending.pop(index, None)
        if row is None:
            continue
        node = model.node(index)
        if isinstance(node, Affine):
            constant += row @ model.biases[index]
            if noise is not None:
                constant -= arrays.dot(abs(row), _for(noise[index], boxes))
            for linear, source in zip(node.maps, node.inputs, strict=True):
                _add(pending, source, linear.transpose(row))
        elif isinstance(node, Multiply):
            planes = relaxed[index]
            up = row.clip(min=0)
            constant += arrays.dot(up, _for(planes.low_shift, boxes))
            constant += arrays.dot(row - up, _for(planes.high_shift, boxes))
            _add(pending, node.left, row * _for(planes.slope_left, boxes))
            _add(pending, node.right, row * _for(planes.slope_right, boxes))
        else:
            assert isinstance(node, Activation)
            if trace is not None:
                trace[index] = row
            slopes = None if low_slopes is None else low_slopes.get(index)
            through = _through(arrays, row, relaxed[index], boxes, slopes, constant)
            if extra is not None and index in extra:
                through += extra[index]
            _add(pending, node.input, through)
    row = pending.get(0)
    if row is None:
        row = arrays.zeros((some.shape[0], model.inputs))
    return row, constant


def least_value(arrays: Arrays, a: Any, c: Any, boxes: Any | None, lower: Any, upper: Any) -> Any:
    """The least a x + c for each row, over its box."""
    low, high = _for(lower, boxes), _for(upper, boxes)
    return c + arrays.dot(a.clip(min=0), low) + arrays.dot(a.clip(max=0), high)


def _add(pending: dict[int, Any], index: int, row: Any) -> None:
    pending[index] = pending[index] + row if index in pending else row


def _for(values: Any, boxes: Any | None) -> Any:
    return values if boxes is None else values[boxes]


def _through(
    arrays: Any, row: Any, relaxation: Relaxation, boxes: Any | None, slopes: Any | None, constant: Any
) -> Any:
    """The row over the activation's input; what does not depend on it is added to `constant`."""
    up = row.clip(min=0)
    down = row - up
    constant += arrays.dot(down, _for(relaxation.high_shift, boxes))
    if relaxation.low_shift is not None:
        constant += arrays.dot(up, _for(relaxation.low_shift, boxes))
    up *= _for(relaxation.low_slope, boxes) if slopes is None else slopes
    down *= _for(relaxation.high_slope, boxes)
    up += down
    return up
