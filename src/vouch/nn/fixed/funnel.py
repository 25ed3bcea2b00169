"""Many inputs that few sums read: a search over the values of the sums instead of the inputs.

Everything behind the first layer is a function of its few sums, so boxes of sums are split. Which sums there
are for inputs of the box is known exactly up to convexity: a sum is one rounded product for each input, so
the least value of any weighting of the sums is found input by input, over all numbers that it may be. A
weighting by which every input lies beyond a box shows that nothing leads into it; no noise for rounding is
needed. A box that is excluded by neither side, and in which all that follows is constant, is split by inputs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vouch.nn.bounds.forward import analyse, fresh
from vouch.nn.bounds.model import BoundModel
from vouch.nn.bounds.region import Unsafe, exclude
from vouch.nn.fixed.cases import IntCase
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.format import Ints, shifted
from vouch.nn.fixed.model import model_of
from vouch.nn.fixed.network import (
    Clamp,
    IntegerNetwork,
    IntegerNode,
    Leaky,
    Lookup,
    Requantise,
    Source,
    Sums,
    sources,
)
from vouch.nn.fixed.order import before_table
from vouch.nn.fixed.ranges import ranges
from vouch.nn.property import Array, Case, Rows
from vouch.nn.search.task import Clock

_MOST_SUMS = 16
# Numbers of all inputs together, and products that are looked at at once.
_NUMBERS, _TOGETHER = 20_000, 1 << 19
_BATCH = 1024
# Steps towards a weighting that excludes a box: before the bounds of what follows, after, and where nothing
# but that is left.
_FEW_STEPS, _STEPS, _MANY_STEPS = 6, 30, 300


@dataclass(slots=True)
class _Boxes:
    """Sums between `low` and `high`, of inputs at places `first` to `last`, with the best weighting yet."""

    low: Ints
    high: Ints
    first: Ints
    last: Ints
    weights: Array

    def __len__(self) -> int:
        return len(self.low)

    def take(self, chosen: Any) -> _Boxes:
        parts = (self.low, self.high, self.first, self.last, self.weights)
        return _Boxes(*(part[chosen] for part in parts))

    @classmethod
    def joined(cls, parts: list[_Boxes]) -> _Boxes:
        names = ("low", "high", "first", "last", "weights")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


class Funnel:
    """One case of a network whose first layer has few sums. `found` is a violation that was met."""

    def __init__(self, network: IntegerNetwork, case: IntCase, clock: Clock) -> None:
        first = network.nodes[1]
        assert isinstance(first, Sums)
        self.network, self.case, self.clock, self.layer = network, case, clock, first
        self.rest = _behind(network)
        self.numbers, self.products = _products(first, case)
        self.real = self.products.astype(np.float64)
        self.places = np.arange(len(case.axes))
        self.bias = first.bias.astype(np.float64)
        size = np.abs(self.real).max(axis=1).sum(axis=0) + np.abs(self.bias)
        self.slack = 2.0**-40 * (size + 1.0)
        self.batch = max(16, min(_BATCH, _TOGETHER // self.numbers.size))
        self.found: Ints | None = None
        self.boxes = 0

    def run(self) -> bool:
        """Whether no violation is left; False also where the time is up, or one was found."""
        self._pose()
        stack = [self._whole()]
        while stack and not self.clock.over:
            boxes = self._popped(stack)
            self.boxes += len(boxes)
            boxes, corners = self._possible(boxes)
            if len(boxes):
                self.found = self._violation(corners)
                if self.found is not None:
                    return False
                stack += self._parts(boxes)
        return not stack

    def _pose(self) -> None:
        """The question about what follows the sums."""
        size = self.layer.size
        regions = tuple(Rows.of(np.zeros((r.count, size)), r.y_rows, r.rhs) for r in self.case.origin.regions)
        shorter = before_table(self.rest, regions)
        followed, regions = (self.rest, regions) if shorter is None else shorter
        self.model: BoundModel = model_of(followed)
        low, high = (self.rest.input_format.reals(end) for end in self._ends())
        whole = Case(low, high, regions)
        self.regions = [Unsafe.of(self.model, whole, rows) for rows in regions]
        self.readers = _readers(self.rest)

    def _ends(self) -> tuple[Ints, Ints]:
        found = (end.sum(axis=0) + self.layer.bias for end in (self.products.min(1), self.products.max(1)))
        low, high = found
        return low, high

    def _whole(self) -> _Boxes:
        low, high = self._ends()
        first, last = np.zeros((1, len(self.places)), dtype=np.int64), (self.case.counts - 1)[None, :]
        return _Boxes(low[None, :], high[None, :], first, last, np.ones((1, len(low))))

    def _popped(self, stack: list[_Boxes]) -> _Boxes:
        taken, count = [], 0
        while stack and count < self.batch:
            top = stack.pop()
            fits = self.batch - count
            if len(top) > fits:
                stack.append(top.take(slice(0, len(top) - fits)))
                top = top.take(slice(len(top) - fits, len(top)))
            taken.append(top)
            count += len(top)
        return _Boxes.joined(taken)

    # ------------------------------------------------------------ what is left

    def _possible(self, boxes: _Boxes) -> tuple[_Boxes, Ints]:
        """Boxes that are not excluded, cut down to what may violate, and inputs that come near to each."""
        none = np.zeros((0, len(self.places)), dtype=np.int64)
        boxes = self._met(self._summed(boxes))
        boxes, _ = self._reached(boxes, _FEW_STEPS)
        if not len(boxes):
            return boxes, none
        boxes = self._bounded(boxes)
        return self._reached(boxes, _STEPS) if len(boxes) else (boxes, none)

    def _summed(self, boxes: _Boxes) -> _Boxes:
        """Each sum by itself between its ends for the inputs that are left; exact for a single input."""
        if not ((boxes.first > 0).any() or (boxes.last < self.case.counts - 1).any()):
            return boxes
        inside = self._inside(boxes)[..., None]
        large = np.int64(1) << 60
        least = np.where(inside, self.products, large).min(axis=2).sum(axis=1) + self.layer.bias
        most = np.where(inside, self.products, -large).max(axis=2).sum(axis=1) + self.layer.bias
        boxes = replace(boxes, low=np.maximum(boxes.low, least), high=np.minimum(boxes.high, most))
        return boxes.take((boxes.low <= boxes.high).all(axis=1))

    def _inside(self, boxes: _Boxes) -> Any:
        place = np.arange(self.numbers.shape[1])
        return (place >= boxes.first[..., None]) & (place <= boxes.last[..., None])

    def _met(self, boxes: _Boxes) -> _Boxes:
        """Those whose outputs, by ranges of integers, may lie in a region."""
        if not len(boxes):
            return boxes
        outputs = ranges(self.rest, boxes.low, boxes.high)[-1]
        given = np.zeros((len(boxes), len(self.places)), dtype=np.int64)
        return boxes.take(self.case.reachable(given, given, outputs.low, outputs.high))

    def _bounded(self, boxes: _Boxes) -> _Boxes:
        """What linear bounds of the rest leave of boxes."""
        form = self.rest.input_format
        known = analyse(
            self.model, form.reals(boxes.low), form.reals(boxes.high), fresh(self.model, len(boxes))
        )
        low, high = np.full_like(boxes.low, 1 << 60), np.full_like(boxes.high, -(1 << 60))
        for region in self.regions:
            open_ = exclude(known, region, 2)
            least, most = (np.ldexp(end, form.fraction) for end in (open_.lower, open_.upper))
            at = open_.index
            low[at] = np.minimum(low[at], np.ceil(least - 2.0**-20).astype(np.int64))
            high[at] = np.maximum(high[at], np.floor(most + 2.0**-20).astype(np.int64))
        boxes = replace(boxes, low=np.maximum(boxes.low, low), high=np.minimum(boxes.high, high))
        return boxes.take((boxes.low <= boxes.high).all(axis=1))

    def _reached(self, boxes: _Boxes, steps: int) -> tuple[_Boxes, Ints]:
        """Those into which some convex combination of inputs may lead, and the inputs nearest to each."""
        kept, corners = [], []
        for at in range(0, len(boxes), self.batch):
            left, nearest = self._weighted(boxes.take(slice(at, at + self.batch)), steps)
            kept.append(left)
            corners.append(nearest)
        return (_Boxes.joined(kept), np.concatenate(corners)) if kept else (boxes, boxes.first)

    def _weighted(self, boxes: _Boxes, steps: int) -> tuple[_Boxes, Ints]:
        """Steps of ascent on the weighting: how far the sums of all inputs lie beyond the box."""
        low, high = boxes.low.astype(np.float64), boxes.high.astype(np.float64)
        whole = bool((boxes.first == 0).all() and (boxes.last == self.case.counts - 1).all())
        outside = None if whole else ~self._inside(boxes)
        slack = self.slack + 2.0**-40 * np.maximum(np.abs(low), np.abs(high))
        weights, best = boxes.weights, np.full(len(boxes), -np.inf)
        kept, nearest = weights.copy(), boxes.first.copy()
        for step in range(steps):
            values = np.einsum("bm,jlm->bjl", weights, self.real)
            if outside is not None:
                values[outside] = np.inf
            place = values.argmin(axis=2)
            sums = self.real[self.places, place].sum(axis=1) + self.bias
            apart = sums - np.where(weights > 0, high, low)
            beyond = (weights * apart).sum(axis=1) - (np.abs(weights) * slack).sum(axis=1)
            better = beyond > best
            best = np.where(better, beyond, best)
            kept[better], nearest[better] = weights[better], place[better]
            if (best > 0).all() or self.clock.over:
                break
            weights = weights / (np.linalg.norm(weights, axis=1) + 1e-9)[:, None]
            weights = weights + apart / (np.linalg.norm(apart, axis=1) + 1e-9)[:, None] / (1 + step) ** 0.6
        left = best <= 0
        return replace(boxes, weights=kept).take(left), nearest[left]

    def _violation(self, places: Ints) -> Ints | None:
        numbers = self.numbers[self.places, places]
        bad = self.case.violated(numbers, evaluate(self.network, numbers))
        return np.asarray(numbers[bad.argmax()]) if bad.any() else None

    # ------------------------------------------------------------ parts

    def _parts(self, boxes: _Boxes) -> list[_Boxes]:
        """Halves of boxes: by the sum that is widest and matters, else by the input that does most."""
        width = np.where(self._settled(boxes), 0, boxes.high - boxes.low)
        by_sum = width.max(axis=1) > 0
        found = []
        if by_sum.any():
            own, axis = boxes.take(by_sum), width[by_sum].argmax(axis=1)
            below, above = _ends_of_halves(own.low, own.high, axis)
            found += [replace(own, high=below), replace(own, low=above)]
        rest, _ = self._reached(boxes.take(~by_sum), _MANY_STEPS)
        free = rest.last > rest.first
        rest, free = rest.take(free.any(axis=1)), free[free.any(axis=1)]  # a single input was run already
        if len(rest):
            spread = np.ptp(np.einsum("bm,jlm->bjl", rest.weights, self.real), axis=2)
            axis = np.where(free, spread, -1.0).argmax(axis=1)
            below, above = _ends_of_halves(rest.first, rest.last, axis)
            found += [replace(rest, last=below), replace(rest, first=above)]
        return found

    def _settled(self, boxes: _Boxes) -> Any:
        """Sums of which all values in the box are the same to what reads them."""
        if self.readers is None:
            return boxes.low == boxes.high
        found = np.ones(boxes.low.shape, dtype=bool)
        known = ranges(self.rest, boxes.low, boxes.high)
        for index in self.readers:
            found &= known[index].low == known[index].high
        return found


def _ends_of_halves(first: Ints, last: Ints, axis: Ints) -> tuple[Ints, Ints]:
    """Where the first half of every box ends, and the second one begins, along one axis of each."""
    row = np.arange(len(first))
    middle = (first[row, axis] + last[row, axis]) // 2
    below, above = last.copy(), first.copy()
    below[row, axis], above[row, axis] = middle, middle + 1
    return below, above


def fits(network: IntegerNetwork, case: IntCase) -> bool:
    """Whether few sums, which nothing but their own products can change, are all that is read of a box of
    many inputs, and the regions are about outputs alone."""
    first = network.nodes[1] if len(network.nodes) > 2 else None
    if not isinstance(first, Sums) or first.inputs != (0,) or first.size > _MOST_SUMS:
        return False
    if case.members is not None or len(case.free) <= first.size:
        return False
    if sum(axis.count for axis in case.axes) > _NUMBERS or case.points == 0:
        return False
    if any(0 in sources(node) for node in network.nodes[2:]):
        return False
    if any(region.x_rows.any() for region in case.origin.regions):
        return False
    if int(case.counts.max()) * len(case.axes) * first.size > _TOGETHER:
        return False
    _, products = _products(first, case)
    mass = np.abs(products).max(axis=1).sum(axis=0) + np.abs(first.bias)
    return bool((mass <= first.word.high).all())


def _products(layer: Sums, case: IntCase) -> tuple[Ints, Ints]:
    """The numbers that each input may be [inputs, numbers], the last one repeated, and the rounded products
    with each sum's weights [inputs, numbers, sums]."""
    counts = case.counts
    place = np.minimum(np.arange(int(counts.max()))[None, :], counts[:, None] - 1)
    numbers = np.stack([axis.numbers(place[n]) for n, axis in enumerate(case.axes)])
    products = np.zeros((*numbers.shape, layer.size), dtype=np.int64)
    for term in range(layer.columns.shape[1]):
        column, weight = layer.columns[:, term], layer.weights[:, term]
        for row in np.flatnonzero(weight):
            products[column[row], :, row] += shifted(
                numbers[column[row]] * weight[row], layer.shift, layer.rounding
            )
    return numbers, products


def _behind(network: IntegerNetwork) -> IntegerNetwork:
    """The network whose inputs are the sums of the first layer."""
    nodes = (Source(network.nodes[1].size), *map(_moved, network.nodes[2:]))
    return IntegerNetwork(network.name, nodes, network.formats[1:], network.softmax)


def _moved(node: IntegerNode) -> IntegerNode:
    """The same node, with all others one place earlier."""
    names = [name for name in ("input", "left", "right") if hasattr(node, name)]
    changed: dict[str, Any] = {name: getattr(node, name) - 1 for name in names}
    if hasattr(node, "inputs"):
        changed["inputs"] = tuple(index - 1 for index in node.inputs)
    return replace(node, **changed)


def _readers(network: IntegerNetwork) -> list[int] | None:
    """The nodes that read the inputs, where each looks at one input at a time; None where one does not."""
    found = [n for n, node in enumerate(network.nodes) if 0 in sources(node)]
    single = all(isinstance(network.nodes[n], (Lookup, Clamp, Leaky, Requantise)) for n in found)
    return found if single and network.outputs and len(network.nodes) - 1 not in found else None
