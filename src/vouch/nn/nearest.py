"""The nearest adversarial input: violations at ever smaller distances, and proofs.

The radius of a robustness question is bisected between one that is proved and one that is refuted. A refuted
radius gives an input, whose own distance counts; so the gap shrinks faster than by halves. Who answers the
questions (fixed point, or reals here) is the caller's choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.network import Network
from vouch.nn.property import Array, Norm, robustness
from vouch.nn.result import Result
from vouch.nn.search.task import Clock
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict

GAP = 1e-2  # of the reals: how near, in proportion, the two ends have to come
PATIENCE = 60.0  # seconds for one question where the command has no limit
SHARE = 0.53  # a half would often be just the distance looked for, which is the hardest question


@dataclass(frozen=True, slots=True)
class Nearest:
    """`distance` of the nearest violation found, from the point; nothing is nearer than `proved`. Without a
    violation `result` is None. `exact` says that the two meet: in fixed point no number lies between them, in
    reals they differ by one percent at most."""

    label: int
    distance: float | None
    proved: float
    result: Result | None
    exact: bool
    seconds: float

    @property
    def exit_code(self) -> Exit:
        if self.result is not None:
            return Exit.VIOLATED
        return Exit.PROVED if self.exact else Exit.UNDECIDED

    def to_json(self) -> dict[str, Any]:
        found = None if self.result is None else self.result.counterexample
        return {
            "verdict": "unsafe" if found else "safe" if self.exact else "unknown",
            "label": self.label,
            "counterexample": found.to_json() if found else None,
            "replayed": True if found else None,
            "distance": self.distance,
            "proved_distance": self.proved,
            "nearest": self.exact,
            "seconds": round(self.seconds, 4),
        }


@dataclass(frozen=True, slots=True)
class NearestQuestion:
    """Around which point, for which class, and how near the two ends have to come: by `unit`, or in
    proportion by `gap`. `first` is the radius to begin with, 0 where the point itself may violate. Where
    inputs have steps, `distances` are all those, in ascending order, at which further inputs come into reach:
    a violation at some distance is at most `unit` off the one at which it does."""

    point: Array
    label: int
    norm: Norm
    first: float
    unit: float
    gap: float
    distances: Array | None = None

    def between(self, proved: float, refuted: float, found: float) -> float | None:
        """A radius between one that is proved and one that is refuted, or at which a violation was found;
        None where they are near enough."""
        if self.distances is not None:
            reached = self.distances[self.distances <= found + self.unit]
            highest = min(refuted, reached[-1] if math.isfinite(found) and len(reached) else math.inf)
            inside = self.distances[(self.distances > proved) & (self.distances < highest)]
            return float(inside[int(SHARE * len(inside))]) if len(inside) else None
        highest = min(refuted, found)
        if highest - proved <= self.unit or highest <= proved * (1 + self.gap):
            return None
        return proved + SHARE * (highest - proved)


def bisected(
    question: NearestQuestion,
    decide: Callable[[float, float], Result],
    clock: Clock,
    report: Callable[[float], None],
) -> Nearest:
    """`decide(radius, seconds)` answers for one radius, within so many seconds."""
    best: tuple[float, Result] | None = None
    proved, refuted, unknown = 0.0, math.inf, math.inf
    ask, share, hopeless = question.first, 0.25, False
    while not clock.over:
        result = decide(ask, PATIENCE if clock.endless else max(0.1, clock.left * share))
        if result.verdict is Verdict.UNSAFE and result.counterexample is not None:
            far = distance(result.counterexample.input - question.point, question.norm)
            best = (far, result) if best is None or far < best[0] else best
            refuted = min(refuted, ask)
        elif result.verdict is Verdict.SAFE:
            proved = max(proved, ask)
        else:  # too hard for now: a smaller radius may still be proved
            unknown, hopeless = ask, hopeless or result.verdict is not Verdict.TIMEOUT
        found = math.inf if best is None else best[0]
        highest = min(refuted, unknown)
        following = question.between(proved, highest, found) if highest < math.inf else None
        if following is None and unknown < math.inf:
            if clock.endless or hopeless:
                break
            # Nothing easier is left, so what was too hard gets half of the time that there is.
            following, unknown, share = unknown, math.inf, 0.5
        if following is None:
            break
        ask = following
        report(min(1.0, proved / max(min(refuted, found), 1e-300)))
    done = unknown == math.inf and not clock.over
    if best is None:
        return Nearest(question.label, None, proved, None, done, clock.spent)
    return Nearest(question.label, best[0], min(proved, best[0]), best[1], done, clock.spent)


def first_radius(outputs: Any, label: int, radius: float) -> float:
    """Where to begin: at the point itself, where another class scores as high there."""
    if not 0 <= label < len(outputs):
        raise VouchError(f"label {label} is not one of {len(outputs)} outputs")
    return 0.0 if (np.delete(outputs, label) >= outputs[label]).any() else radius


def nearest(
    network: Network,
    point: Array,
    settings: Settings,
    *,
    norm: Norm = "l2",
    label: int | None = None,
    radius: float = 1.0,
    lower: Array | float = -np.inf,
    upper: Array | float = np.inf,
    report: Callable[[float], None] = lambda share: None,
) -> Nearest:
    """Looks for the nearest input within `radius`, in reals, whose class is not `label` (default: that of the
    point)."""
    from vouch.nn.api import decide, predicted

    limit = None if settings.timeout is None else 0.75 * settings.timeout
    outputs = network.evaluate(point[None, :])[0]
    chosen = predicted(network, point) if label is None else label

    def answer(ask: float, seconds: float) -> Result:
        prop = robustness(point, ask, network.outputs, label=chosen, norm=norm, lower=lower, upper=upper)
        return decide(network, prop, settings.replace(timeout=seconds))

    first = first_radius(outputs, chosen, radius)
    question = NearestQuestion(point, chosen, norm, first, radius * 1e-6, GAP)
    return bisected(question, answer, Clock(limit), report)


def distance(step: Array, norm: Norm) -> float:
    match norm:
        case "l1":
            return float(np.abs(step).sum())
        case "l2":
            return float(np.sqrt((step**2).sum()))
        case _:
            return float(np.abs(step).max())
