"""The pass from the inputs to the outputs: an interval for every node, tightened where it pays.

`analyse` keeps an interval for each node and a relaxation for each activation. The intervals of activation
inputs are met with those a caller already knows (those of a larger box, or of a split), and what is still
undecided is tightened by back-substitution. A stable neuron stays stable in every smaller box, so a search
that hands the state down pays only for what its parent left open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from vouch.errors import Unsupported
from vouch.nn.bounds.backward import least_value, substitute
from vouch.nn.bounds.ball import least_over
from vouch.nn.bounds.model import LARGEST32, BoundModel, rows_of
from vouch.nn.bounds.relax import relax
from vouch.nn.bounds.relaxation import Relaxed
from vouch.nn.bounds.room import rows_in_cache
from vouch.nn.lowered import Activation, Affine, AffineGap, Multiply, NodeKind
from vouch.nn.property import Ball

Domain = Literal["interval", "crown"]


@dataclass(slots=True)
class ForwardState:
    """Intervals [batch, neurons] of all activation inputs, in the order of `Model.slots`."""

    low: Any
    high: Any

    def take(self, chosen: Any) -> ForwardState:
        return ForwardState(self.low[chosen], self.high[chosen])

    def columns(self, chosen: Any) -> ForwardState:
        """The same for some of the neurons."""
        return ForwardState(self.low[:, chosen], self.high[:, chosen])


@dataclass(slots=True)
class Analysis:
    """What is known about boxes lower..upper: `noise` of affine nodes, `relaxed` activations, the intervals
    of the outputs, and `size`, a bound of |y| for them. In float32, `height` bounds every number that a
    runtime may meet on the way (see `Model.height`). `undefined` marks boxes in which some function may be
    asked outside of its domain (None: no such box): nothing that is said about them holds."""

    model: BoundModel
    lower: Any
    upper: Any
    state: ForwardState
    noise: dict[int, Any]
    relaxed: dict[int, Any]
    output_low: Any
    output_high: Any
    size: Any
    height: Any
    undefined: Any | None = None

    def take(self, chosen: Any) -> Analysis:
        """The same for some of the boxes."""
        return Analysis(
            self.model,
            self.lower[chosen],
            self.upper[chosen],
            self.state.take(chosen),
            {index: noise[chosen] for index, noise in self.noise.items()},
            {index: relaxation.take(chosen) for index, relaxation in self.relaxed.items()},
            self.output_low[chosen],
            self.output_high[chosen],
            self.size[chosen],
            self.height[chosen],
            None if self.undefined is None else self.undefined[chosen],
        )

    def moved(self, model: BoundModel) -> Analysis:
        """The same for the model in another type of numbers."""
        to = model.arrays.cast
        return replace(
            self,
            model=model,
            lower=to(self.lower),
            upper=to(self.upper),
            noise={index: to(noise) for index, noise in self.noise.items()},
            relaxed={index: relaxation.cast(to) for index, relaxation in self.relaxed.items()},
            size=to(self.size),
        )

    @property
    def empty(self) -> Any:
        """Boxes in which some neuron has no value left: nothing in them satisfies the splits."""
        empty = (self.state.low > self.state.high).any(1)
        return empty if self.undefined is None else empty & ~self.undefined


def fresh(model: BoundModel, batch: int) -> ForwardState:
    """The state that knows nothing."""
    arrays = model.arrays
    shape = (batch, model.neurons)
    return ForwardState(arrays.full(shape, -float("inf")), arrays.full(shape, float("inf")))


def analyse(
    model: BoundModel,
    lower: Any,
    upper: Any,
    state: ForwardState,
    domain: Domain = "crown",
    ball: Ball | None = None,
    *,
    partial: bool = False,
    stop: Callable[[], bool] | None = None,
) -> Analysis:
    """Intervals and relaxations for boxes [batch, inputs], each cut by the `ball` if there is one. `state` is
    tightened in place. A function that may leave its domain is Unsupported, unless the caller asks for
    `partial` answers and heeds `undefined`. Once `stop` says so, nothing more is tightened: the intervals
    known are as right as tighter ones."""
    xp = model.arrays.xp
    noise: dict[int, Any] = {}
    relaxed: dict[int, Any] = {}
    undefined: Any | None = None
    lows: dict[int, Any] = {0: lower}
    highs: dict[int, Any] = {0: upper}
    size = xp.maximum(xp.abs(lower), xp.abs(upper))
    heights: dict[int, Any] = {}
    height = xp.amax(size, 1)
    known = noise, relaxed, lower, upper
    for index, node in enumerate(model.lowered.nodes):
        if isinstance(node, Affine):
            low, high, noise[index], size = _affine(model, index, node, lows, highs, noise, heights)
            if model.integers is not None:
                exact = domain == "crown" and index > 1
                low, high = _in_word(model, index, node, low, high, lows, highs, known, exact)
            lows[index], highs[index] = low, high
            if index in heights:
                height = xp.maximum(height, heights[index])
        elif isinstance(node, (Activation, Multiply)):
            low, high = state.low[:, model.slots[index]], state.high[:, model.slots[index]]
            for source, part in _operands(node):
                _meet(xp, low[:, part], high[:, part], lows[source], highs[source])
                if domain == "crown" and (source > 1 or ball is not None):
                    _tighten(model, node, source, low[:, part], high[:, part], *known, ball, stop)
            found = relax(model, index, low, high, state)
            relaxed[index], lows[index], highs[index] = _lines(model, index, found, low, high)
            if found.undefined is not None:
                height = xp.maximum(height, xp.amax(xp.maximum(abs(found.low), abs(found.high)), 1))
                # What is undefined before leaves nothing to say about what comes after.
                wrong = found.undefined.any(1)
                undefined = wrong if undefined is None else undefined | wrong
                size = xp.maximum(abs(found.low), abs(found.high))
    if undefined is not None:
        undefined = _heeded(model, undefined, height, partial)
    last = model.output
    return Analysis(
        model, lower, upper, state, noise, relaxed, lows[last], highs[last], size, height, undefined
    )


def _heeded(model: BoundModel, undefined: Any, height: Any, partial: bool) -> Any:
    """The boxes of which nothing can be said; `Unsupported` where answers about the others are not wanted."""
    if model.arithmetic == "float32":
        undefined = undefined | ~(height < LARGEST32)
    if not partial and bool(undefined.any()):
        raise Unsupported("a function may be asked for a value outside of its domain")
    return undefined


def _lines(model: BoundModel, index: int, found: Relaxed, low: Any, high: Any) -> tuple[Any, Any, Any]:
    """Lines around an activation and its interval; those of its table, where integers are looked up."""
    table = None
    if model.integers is not None:
        table = model.integers.looked_up(index, found.lines, low, high)
    return (found.lines, found.low, found.high) if table is None else table


def _operands(node: Activation | Multiply) -> list[tuple[int, slice]]:
    """The nodes that are read, and where in the node's slots their intervals stand."""
    if isinstance(node, Multiply):
        return [(node.left, slice(0, node.size)), (node.right, slice(node.size, 2 * node.size))]
    return [(node.input, slice(0, node.size))]


def _affine(
    model: BoundModel,
    index: int,
    node: Affine,
    lows: Any,
    highs: Any,
    known: dict[int, Any],
    heights: dict[int, Any],
) -> tuple[Any, Any, Any, Any]:
    xp = model.arrays.xp
    middle, radius, sizes = model.biases[index], 0.0, []
    for linear, source in zip(node.maps, node.inputs, strict=True):
        low, high = lows[source], highs[source]
        middle = middle + linear.apply((low + high) * 0.5)
        radius = radius + linear.absolute().apply((high - low) * 0.5)
        sizes.append(xp.maximum(xp.abs(low), xp.abs(high)))
    noise, mass = model.noise(index, sizes, heights)
    if isinstance(node, AffineGap):
        noise = noise + known[node.first] + known[node.second]
    radius = radius + noise
    return middle - radius, middle + radius, noise, mass


def _in_word(
    model: BoundModel,
    index: int,
    node: Affine,
    low: Any,
    high: Any,
    lows: dict[int, Any],
    highs: dict[int, Any],
    known: tuple[dict[int, Any], dict[int, Any], Any, Any],
    exact: bool,
) -> tuple[Any, Any]:
    """Bounds of integers: those of the sum, unless the word may change it. Then the value may be anything in
    the word, and the difference to the sum goes to the noise. The bounds of the sum itself rest on earlier
    nodes alone, so they may be tightened before that is asked."""
    assert model.integers is not None
    sources = [(lows[source], highs[source]) for source in node.inputs]
    leaves = model.integers.leaves(index, low, high, sources)
    if leaves is not None and exact:
        boxes, neurons = model.arrays.xp.where(leaves)
        _tighten_some(model, index, boxes, neurons, low, high, *known, None)
        leaves = model.integers.leaves(index, low, high, sources)
    low, high, extra = model.integers.confined(index, low, high, leaves)
    if extra is not None:
        known[0][index] = known[0][index] + extra
    return low, high


def _meet(xp: Any, low: Any, high: Any, new_low: Any, new_high: Any) -> None:
    low[...] = xp.maximum(low, new_low)
    high[...] = xp.minimum(high, new_high)


def _tighten(
    model: BoundModel,
    reader: Activation | Multiply,
    index: int,
    low: Any,
    high: Any,
    noise: dict[int, Any],
    relaxed: dict[int, Any],
    lower: Any,
    upper: Any,
    ball: Ball | None,
    stop: Callable[[], bool] | None,
) -> None:
    """Back-substitution for the neurons of node `index` whose interval matters; writes into low and high."""
    xp = model.arrays.xp
    node = model.node(index)
    signs = isinstance(reader, Activation) and reader.kind in (NodeKind.RELU, NodeKind.GAP)
    if signs and not isinstance(node, Affine):
        return
    boxes, neurons = xp.where((low < 0) & (high > 0) if signs else low < high)
    together = rows_in_cache(model) // 2
    for start in range(0, len(boxes), together):
        if stop is not None and stop():
            return
        part = slice(start, start + together)
        chosen = boxes[part], neurons[part]
        _tighten_some(model, index, *chosen, low, high, noise, relaxed, lower, upper, ball)


def _tighten_some(
    model: BoundModel,
    index: int,
    boxes: Any,
    neurons: Any,
    low: Any,
    high: Any,
    noise: dict[int, Any],
    relaxed: dict[int, Any],
    lower: Any,
    upper: Any,
    ball: Ball | None,
) -> None:
    xp, node, count = model.arrays.xp, model.node(index), len(boxes)
    both = xp.concatenate([boxes, boxes])
    if isinstance(node, Affine):
        rows = {}
        for linear, source in zip(node.maps, node.inputs, strict=True):
            part = rows_of(linear, neurons, lower)
            rows[source] = xp.concatenate([part, -part])
        shift, spread = model.biases[index][neurons], noise[index][boxes, neurons]
    else:
        units = model.arrays.zeros((count, node.size))
        units[model.arrays.indices(range(count)), neurons] = 1.0
        rows, shift, spread = {index: xp.concatenate([units, -units])}, 0.0, 0.0
    slopes, constants = substitute(model, rows, both, noise, relaxed)
    values = least_value(model.arrays, slopes, constants, both, lower, upper)
    if ball is not None:
        least = least_over(model.arrays, ball, slopes, lower[both], upper[both])
        values = xp.maximum(values, least + constants)
    low[boxes, neurons] = xp.maximum(low[boxes, neurons], values[:count] + shift - spread)
    high[boxes, neurons] = xp.minimum(high[boxes, neurons], shift + spread - values[count:])
