"""What every improvement of a back-substituted bound needs: its derivatives.

A bound takes, for each activation, one of two lines, and then a corner of the box. With the corner fixed,
the values of all nodes on those lines give the derivatives by every free parameter at once (the envelope
theorem): one pass forward, as dear as the pass backward.
"""

from __future__ import annotations

from typing import Any

from vouch.nn.bounds.model import BoundModel
from vouch.nn.lowered import Activation, ActivationGap, Affine, Multiply, NodeKind


def is_relu(model: BoundModel, index: int) -> bool:
    node = model.node(index)
    return isinstance(node, Activation) and node.kind is NodeKind.RELU


def all_relus(model: BoundModel) -> bool:
    """Whether splitting the signs of ReLUs makes everything linear (differences of ReLUs follow suit)."""
    if model.products:
        return False
    nodes = [model.node(index) for index in model.activations]
    kinds = [model.node(n.first).kind if isinstance(n, ActivationGap) else n.kind for n in nodes]
    return all(kind is NodeKind.RELU for kind in kinds)


def splits_help(model: BoundModel) -> bool:
    """Whether neurons of the model can be split or cut: functions that are defined everywhere, no products,
    no differences of two networks."""
    if model.products or model.integers is not None:
        return False
    nodes = [model.node(index) for index in model.activations]
    return all(node.kind in (NodeKind.RELU, NodeKind.SIGMOID, NodeKind.TANH) for node in nodes)


def relu_slopes(model: BoundModel, relaxed: dict[int, Any]) -> dict[int, Any]:
    """The lower slopes that may be changed freely within 0..1 where a ReLU is unstable."""
    return {i: relaxation.low_slope for i, relaxation in relaxed.items() if is_relu(model, i)}


def on_lines(
    model: BoundModel,
    relaxed: dict[int, Any],
    slopes: dict[int, Any],
    corner: Any,
    trace: dict[int, Any],
) -> tuple[Any, dict[int, Any], dict[int, Any]]:
    """(outputs, by_slope, before): the outputs on the lines, the derivative of the bound by each lower slope,
    and the value before each activation, which is the derivative by a coefficient added there."""
    xp = model.arrays.xp
    values: dict[int, Any] = {0: corner}
    by_slope: dict[int, Any] = {}
    before: dict[int, Any] = {}
    for index, node in enumerate(model.lowered.nodes):
        if isinstance(node, Affine):
            total = model.biases[index]
            for linear, source in zip(node.maps, node.inputs, strict=True):
                total = total + linear.apply(values[source])
            values[index] = total
        elif isinstance(node, Multiply):
            planes = relaxed[index]
            # Which of the two planes the bound took is the same shift everywhere: it does not matter here.
            sloped = values[node.left] * planes.slope_left + values[node.right] * planes.slope_right
            values[index] = sloped + (planes.low_shift + planes.high_shift) * 0.5
        elif isinstance(node, Activation):
            relaxation, row = relaxed[index], trace.get(index)
            arriving = before[index] = values[node.input]
            if row is None:
                values[index] = arriving * 0.0
                continue
            low = slopes.get(index, relaxation.low_slope)
            shift = 0.0 if relaxation.low_shift is None else relaxation.low_shift
            above = arriving * relaxation.high_slope + relaxation.high_shift
            values[index] = xp.where(row > 0, arriving * low + shift, above)
            if index in slopes:
                by_slope[index] = row.clip(min=0) * arriving * relaxation.unstable
    return values[model.output], by_slope, before
