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
class Question:
    """Around which point, for which class, and how near the two ends have to come: by `unit`, or in
    proportion by `gap`. `first` is the radius to begin with, 0 where the point itself may violate."""

    point: Array
    label: int
    norm: Norm
    first: float
    unit: float
    gap: float


def bisected(
    question: Question,
    decide: Callable[[float, float], Result],
    clock: Clock,
    report: Callable[[float], None],
) -> Nearest:
    """`decide(radius, seconds)` answers for one radius, within so many seconds."""
    best: tuple[float, Result] | None = None
    proved, refuted, undecided = 0.0, math.inf, False
    ask = question.first
    while not clock.over:
        result = decide(ask, PATIENCE if clock.endless else max(0.1, clock.left / 4))
        if result.verdict is Verdict.UNSAFE and result.counterexample is not None:
            far = distance(result.counterexample.input - question.point, question.norm)
            best = (far, result) if best is None or far < best[0] else best
            refuted = min(refuted, ask)
        elif result.verdict is Verdict.SAFE:
            proved = max(proved, ask)
        else:
            # Too hard here: a smaller radius may still be proved.
            undecided, refuted = True, min(refuted, ask)
        highest = min(refuted, best[0]) if best is not None else refuted
        near = highest - proved <= question.unit or highest <= proved * (1 + question.gap)
        if math.isinf(highest) or near:
            break
        ask = proved + SHARE * (highest - proved)
        report(proved / highest)
    done = not undecided and not clock.over
    if best is None:
        return Nearest(question.label, None, proved, None, done, clock.spent)
    return Nearest(question.label, best[0], min(proved, best[0]), best[1], done, clock.spent)


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
    tied = bool((np.delete(outputs, chosen) >= outputs[chosen]).any())

    def answer(ask: float, seconds: float) -> Result:
        prop = robustness(point, ask, network.outputs, label=chosen, norm=norm, lower=lower, upper=upper)
        return decide(network, prop, settings.replace(timeout=seconds))

    question = Question(point, chosen, norm, 0.0 if tied else radius, radius * 1e-6, GAP)
    return bisected(question, answer, Clock(limit), report)


def distance(step: Array, norm: Norm) -> float:
    match norm:
        case "l1":
            return float(np.abs(step).sum())
        case "l2":
            return float(np.sqrt((step**2).sum()))
        case _:
            return float(np.abs(step).max())
