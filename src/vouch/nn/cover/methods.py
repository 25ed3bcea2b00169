"""Sign-sign, sign-value, distance-sign and distance-value coverage of pairs of inputs.

After modified condition/decision coverage: the neurons of a layer are conditions, those of the next one
decisions. For inputs w1 and w2 and the potential u of a neuron,

- sign change: u >= 0 for one of them and u < 0 for the other;
- value change: no sign change, and the larger of |u| is at least `ratio` times the smaller;
- distance change of a layer: no sign change in it, and its potentials lie further apart than `distance`.

A pair of neurons is covered by SS (SV) when the condition is the only one of its layer with a sign change and
the decision has a sign change (value change); a decision is covered by DS (DV) when the layer before it has a
distance change and it has a sign change (value change). Covered neurons are both of a pair for SS and SV, the
decision for DS and DV; the share is of all neurons. The order of the two inputs does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from vouch.nn.arrays import Array
from vouch.nn.cover.potentials import LayeredNetwork

Method = Literal["ss", "sv", "ds", "dv"]
METHODS: tuple[Method, ...] = ("ss", "sv", "ds", "dv")
Bools = npt.NDArray[np.bool_]
_ROWS = 64  # inputs that are compared with all others at a time
_NUMBERS = 1 << 23  # numbers held at a time where pairs are looked at one by one


@dataclass(frozen=True, slots=True)
class Metrics:
    """The thresholds d of value changes and v of distance changes. The distance of a layer is Euclidean
    ("l2"), or every neuron by itself has to move further than `distance` ("each")."""

    ratio: float = 1.0
    distance: float = 0.1
    norm: Literal["l2", "each"] = "l2"

    def value_change(self, first: Array, second: Array, sign_change: Bools) -> Bools:
        a, b = np.abs(first), np.abs(second)
        return ~sign_change & (np.maximum(a, b) >= self.ratio * np.minimum(a, b))

    def distant(self, first: Array, second: Array) -> Bools:
        """Whether layers lie apart, the last axis being the neurons."""
        gap = np.abs(first - second)
        if self.norm == "each":
            return np.asarray((gap > self.distance).all(-1))
        return np.asarray(np.sqrt((gap * gap).sum(-1)) > self.distance)


@dataclass(frozen=True, slots=True)
class CoveringPair:
    """Two inputs that cover a decision (layer, neuron), and the condition for SS and SV."""

    condition: tuple[int, int] | None
    decision: tuple[int, int]
    inputs: tuple[int, int]


@dataclass(slots=True)
class Coverage:
    """What one method covers: neurons by layer, and for SS and SV the pairs of neurons with their total."""

    method: str
    neurons: list[Bools]
    pairs: int = 0
    of_pairs: int = 0
    witnesses: list[CoveringPair] = field(default_factory=list)

    @property
    def covered(self) -> int:
        return sum(int(layer.sum()) for layer in self.neurons)

    @property
    def total(self) -> int:
        return sum(len(layer) for layer in self.neurons)

    @property
    def share(self) -> float:
        return self.covered / self.total


def coverage(
    network: LayeredNetwork,
    rows: Array,
    methods: tuple[Method, ...] = METHODS,
    metrics: Metrics | None = None,
) -> dict[Method, Coverage]:
    """Coverage by all pairs of rows."""
    return covered_by(network.of(rows), network.adjacent, methods, metrics)


def covered_by(
    values: list[Array],
    adjacent: Sequence[tuple[int, int]],
    methods: tuple[Method, ...] = METHODS,
    metrics: Metrics | None = None,
) -> dict[Method, Coverage]:
    """The same, from the potentials of each layer and the pairs of layers that are adjacent."""
    metrics = metrics or Metrics()
    signs = [layer >= 0 for layer in values]
    found = {m: Coverage(m, [np.zeros(layer.shape[1], dtype=bool) for layer in values]) for m in methods}
    for before, place in adjacent:
        step = _Step(before, place, values, signs, metrics)
        step.single(found, [m for m in methods if m in ("ss", "sv")])
        step.distance(found, [m for m in methods if m in ("ds", "dv")])
    return found


@dataclass(slots=True)
class _Step:
    """One layer of conditions and one of decisions, over all pairs of inputs."""

    before: int
    place: int
    values: list[Array]
    signs: list[Bools]
    metrics: Metrics

    def pairs(self, changed: int) -> Iterator[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]:
        """The pairs of inputs with this many sign changes in the layer of conditions, in portions."""
        signs = self.signs[self.before].astype(np.float32)  # counts are exact far beyond any layer's size
        sums, count = signs.sum(1), len(signs)
        portion = max(1, _NUMBERS // max(signs.shape[1], self.signs[self.place].shape[1]))
        for start in range(0, count, _ROWS):
            block = signs[start : start + _ROWS]
            changes = sums[start : start + _ROWS, None] + sums[None, start:] - 2 * block @ signs[start:].T
            first, second = np.nonzero(np.triu(changes == changed, 1))
            for at in range(0, len(first), portion):
                yield first[at : at + portion] + start, second[at : at + portion] + start

    def decisions(self, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp], signed: bool) -> Bools:
        signs, values = self.signs[self.place], self.values[self.place]
        change = signs[first] ^ signs[second]
        return change if signed else self.metrics.value_change(values[first], values[second], change)

    def single(self, found: dict[Method, Coverage], methods: Sequence[Method]) -> None:
        if not methods:
            return
        signs = self.signs[self.before]
        shape = signs.shape[1], self.signs[self.place].shape[1]
        covered = {m: np.zeros(shape, dtype=bool) for m in methods}
        for first, second in self.pairs(1):
            conditions = (signs[first] ^ signs[second]).argmax(1)
            for method in methods:
                changed = self.decisions(first, second, method == "ss")
                for condition in np.unique(conditions):
                    chosen = np.flatnonzero(conditions == condition)
                    new = changed[chosen].any(0) & ~covered[method][condition]
                    covered[method][condition] |= new
                    for decision in np.flatnonzero(new):
                        pair = chosen[changed[chosen, decision].argmax()]
                        found[method].witnesses.append(
                            CoveringPair(
                                (self.before, int(condition)),
                                (self.place, int(decision)),
                                (int(first[pair]), int(second[pair])),
                            )
                        )
            if all(each.all() for each in covered.values()):
                break
        for method in methods:
            found[method].pairs += int(covered[method].sum())
            found[method].of_pairs += covered[method].size
            found[method].neurons[self.before] |= covered[method].any(1)
            found[method].neurons[self.place] |= covered[method].any(0)

    def distance(self, found: dict[Method, Coverage], methods: Sequence[Method]) -> None:
        if not methods:
            return
        values = self.values[self.before]
        for first, second in self.pairs(0):
            apart = self.metrics.distant(values[first], values[second])
            first, second = first[apart], second[apart]
            for method in methods:
                covered = found[method].neurons[self.place]
                if covered.all() or not len(first):
                    continue
                changed = self.decisions(first, second, method == "ds")
                for decision in np.flatnonzero(changed.any(0) & ~covered):
                    pair = changed[:, decision].argmax()
                    inputs = int(first[pair]), int(second[pair])
                    found[method].witnesses.append(CoveringPair(None, (self.place, int(decision)), inputs))
                covered |= changed.any(0)
            if all(found[method].neurons[self.place].all() for method in methods):
                break
