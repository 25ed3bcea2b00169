"""The code at points: many at once, and a search among them for one where it differs from the model.

Points are numbers of the function's own type. They are taken through the terms of the code in numpy; what
shows a difference is then evaluated exactly, term by term, and the model in exact reals and in onnxruntime.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from vouch.shipped.execute import evaluated
from vouch.shipped.interface import Interface

if TYPE_CHECKING:
    from vouch.equiv.outcome import Witness
    from vouch.equiv.pair import Subject
    from vouch.equiv.property import Epsilon, Top
    from vouch.equiv.region import Region
    from vouch.numeric.layers import Computed
    from vouch.smt.node import Term

Array = npt.NDArray[np.float64]
_SAMPLES = 4096
_FEW = 256  # points that are evaluated one by one, where numpy does not know the result
_CORNERS = 8  # inputs up to which all corners are looked at
_KEPT = 48  # points that are improved
_ROUNDS = 24
_CONFIRMED = 6  # points that are looked at closely
_SECONDS = 0.5  # for single evaluations


@dataclass(slots=True, eq=False)
class Trial:
    """`model` and code, and what is asked of them."""

    model: Subject
    code: Computed
    interface: Interface
    region: Region
    prop: Epsilon | Top
    _tape: Any = field(init=False)

    def __post_init__(self) -> None:
        from vouch.numeric.tape import Tape

        self._tape = Tape([t for t in self.code.outputs if t.value is None], self.code.library)

    def hunt(self, deadline: float, seed: int = 0) -> Witness | None:
        """Samples, corners and steps on the grid of the code's numbers, best first."""
        rng = np.random.default_rng(seed)
        points = self._inside(np.concatenate([self._corners(), self.region.sample(rng, _SAMPLES)]))
        if not len(points):
            return None
        scores = self._scores(points)
        for turn in range(_ROUNDS):
            if time.monotonic() > deadline or (scores > 0).any():
                break
            best = np.argsort(-scores)[:_KEPT]
            moved = self._inside(self._stepped(points[best], rng, turn))
            points = np.concatenate([points[best], moved])
            scores = np.concatenate([scores[best], self._scores(moved)])
        for index in np.argsort(-scores)[:_CONFIRMED]:
            found = self._shown(points[index]) if scores[index] > 0 else None
            if found is not None:
                return found
        return None

    def confirm(self, x: Array) -> Witness | None:
        """Whether the code differs from the model at one of its own numbers next to x."""
        near = self._inside(np.concatenate([x[None, :], self._around(x)]))
        if not len(near):
            return None
        scores = self._scores(near)
        best = int(scores.argmax())
        return self._shown(near[best]) if scores[best] > 0 else None

    # ------------------------------------------------------------ points

    def _snapped(self, points: Array) -> Array:
        """The nearest numbers of the function's type."""
        if self.interface.integers:
            return np.round(points * self.interface.unit) / self.interface.unit
        return points.astype(np.float32 if self.interface.kind == "float" else np.float64).astype(np.float64)

    def _inside(self, points: Array) -> Array:
        near = self._snapped(points)
        good = self.region.inside(near)
        return np.unique(near[good], axis=0)

    def _corners(self) -> Array:
        low, high = self.region.lower, self.region.upper
        if len(low) > _CORNERS:
            return np.stack([(low + high) / 2, low, high])
        return np.array(list(product(*zip(low, high, strict=True))))

    def _around(self, x: Array) -> Array:
        """The points of the grid around x, where inputs are few."""
        if not self.interface.integers or len(x) > _CORNERS // 2:
            return np.zeros((0, len(x)))
        scaled = x * self.interface.unit
        ends = zip(np.floor(scaled), np.ceil(scaled), strict=True)
        return np.array(list(product(*ends))) / self.interface.unit

    def _stepped(self, points: Array, rng: np.random.Generator, turn: int) -> Array:
        """Each point moved in one coordinate, and in several: by less with every turn."""
        width = self.region.upper - self.region.lower
        least = 1.0 / self.interface.unit if self.interface.integers else 0.0
        reach = np.maximum(width * 0.5 * 0.7**turn, least)
        count, size = points.shape
        several = points + rng.uniform(-1, 1, (8, count, size)) * reach
        place = rng.integers(0, size, (8, count))
        single = np.repeat(points[None], 8, axis=0)
        steps = rng.choice([-1.0, 1.0], (8, count)) * reach[place]
        single[np.arange(8)[:, None], np.arange(count)[None, :], place] += steps
        return self.region.project(np.concatenate([several, single]).reshape(-1, size))

    # ------------------------------------------------------------ outputs

    def _scores(self, points: Array) -> Array:
        """How much the property is violated; −inf where the code's result is not known."""
        own = self._outputs(points)
        known = np.isfinite(own).all(axis=1)
        scores = np.full(len(points), -np.inf)
        if known.any():
            scores[known] = self.prop.excess(self.model.evaluate(points[known]), own[known])
        return scores

    def _outputs(self, points: Array) -> Array:
        """What the code gives, or nearly; NaN where that is not known."""
        box = {
            term: _exactly(term, points[:, n] * self.interface.unit)
            for n, term in enumerate(self.code.inputs)
        }
        values = self._tape.run(box, len(points))
        columns = [_middle(self._tape, values, term, len(points)) for term in self.code.outputs]
        found = np.column_stack(columns)
        until = time.monotonic() + _SECONDS
        for row in np.flatnonzero(~np.isfinite(found).all(axis=1))[:_FEW]:
            if time.monotonic() > until:
                break
            own = evaluated(self.code, points[row] * self.interface.unit)
            if own is not None:
                found[row] = own
        return found / self.interface.unit

    def _shown(self, point: Array) -> Witness | None:
        """A difference by exact evaluation of the code, of the model in the reals and in the runtime."""
        from vouch.equiv.confirm import certainly_apart
        from vouch.equiv.outcome import Witness
        from vouch.nn.replay import replay

        if not self.region.contains(point):
            return None
        own = evaluated(self.code, point * self.interface.unit)
        if own is None:
            return None
        own = own / self.interface.unit
        seen = np.asarray(replay(self.model.source, point[None, :])[0], dtype=np.float64)
        if not self.prop.violated(seen[None, :], own[None, :])[0]:
            return None
        if not certainly_apart(self.prop, *self.model.bounds(point, point), own, own):
            return None
        return Witness(point, seen, own, False)


def _exactly(term: Term, numbers: Array) -> Any:
    """One number for each point, as what a box holds of a variable."""
    from vouch.numeric.values import FORMATS, Floats, integers

    if term.sort.kind == "bv":
        whole = numbers.astype(np.int64)
        return integers(term.width, whole, whole)
    own = numbers.astype(FORMATS[term.sort])
    return Floats(own, own, np.zeros(len(own), dtype=bool))


def _middle(tape: Any, values: Any, term: Term, count: int) -> Array:
    """The value of a term; of one that is only enclosed, as results of the math library are, the middle."""
    from vouch.numeric.forms import constant
    from vouch.numeric.values import Floats

    if term.value is not None:
        return np.full(count, constant(term).constant)
    found = values[tape.place[term]]
    low, high = found.low.astype(np.float64), found.high.astype(np.float64)
    with np.errstate(all="ignore"):
        middle = (low + high) / 2
        close = (high - low <= 1e-3 * (1 + np.abs(middle))) & (low <= high)
    if isinstance(found, Floats):
        close &= ~found.nan
    return np.where(close, middle, np.nan)
