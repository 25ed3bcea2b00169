"""The nearest adversarial input in fixed point: violations at ever smaller distances, and proofs.

The radius of a robustness question is bisected between one that is proved and one that is refuted. A
refuted radius gives an input, whose own distance counts; so the gap shrinks faster than by halves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.fixed.decide import quantised, verify_integers
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.network import Network
from vouch.nn.property import Array, Norm, robustness
from vouch.nn.result import Result
from vouch.nn.search.task import Clock
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict


@dataclass(frozen=True, slots=True)
class Nearest:
    """`distance` of the nearest violation found, from the point; nothing is nearer than `proved`. Without a
    violation `result` is None. `exact` says that no number lies between the two."""

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


def nearest(
    network: Network,
    point: Array,
    settings: Settings,
    *,
    norm: Norm = "linf",
    label: int | None = None,
    radius: float = 1.0,
    lower: Array | float = -np.inf,
    upper: Array | float = np.inf,
    report: Callable[[float], None] = lambda share: None,
) -> Nearest:
    """Looks for the nearest input within `radius` whose class is not `label` (default: that of the point)."""
    # What was found has to be handed over before the limit of the command.
    limit = None if settings.timeout is None else 0.75 * settings.timeout
    integers, clock = quantised(network, settings), Clock(limit)
    start = integers.input_format.convert(point[None, :])
    outputs = evaluate(integers, start)[0]
    chosen = int(outputs.argmax()) if label is None else label
    unit = integers.input_format.unit
    best: tuple[float, Result] | None = None
    proved, refuted, undecided = 0.0, math.inf, False
    ask = radius if _tied(outputs, chosen) is False else 0.0
    while not clock.over:
        prop = robustness(point, ask, network.outputs, label=chosen, norm=norm, lower=lower, upper=upper)
        left = settings if clock.endless else settings.replace(timeout=max(0.1, clock.left / 4))
        result = verify_integers(integers, prop, left)
        if result.verdict is Verdict.UNSAFE and result.counterexample is not None:
            far = distance(result.counterexample.input - point, norm)
            best = (far, result) if best is None or far < best[0] else best
            refuted = min(refuted, ask)
        elif result.verdict is Verdict.SAFE:
            proved = max(proved, ask)
        else:
            # Too hard here: a smaller radius may still be proved.
            undecided, refuted = True, min(refuted, ask)
        highest = min(refuted, best[0]) if best is not None else refuted
        if math.isinf(highest) or highest - proved <= unit / 4 or highest <= proved * (1 + 1e-3):
            break
        ask = (proved + highest) / 2
        report(proved / highest)
    done = not undecided and not clock.over
    if best is None:
        return Nearest(chosen, None, proved, None, done, clock.spent)
    return Nearest(chosen, best[0], min(proved, best[0]), best[1], done, clock.spent)


def _tied(outputs: Any, label: int) -> bool:
    """Whether the point itself violates: another class scores as high."""
    return bool((np.delete(outputs, label) >= outputs[label]).any())


def distance(step: Array, norm: Norm) -> float:
    match norm:
        case "l1":
            return float(np.abs(step).sum())
        case "l2":
            return float(np.sqrt((step**2).sum()))
        case _:
            return float(np.abs(step).max())


def write_image(path: Path, values: Array, shape: tuple[int, ...]) -> None:
    """Inputs from 0 to 1 as a picture in grey or colour; a flat input becomes a square where it is one."""
    try:
        from PIL import Image
    except ImportError:
        raise VouchError(f"{path}: writing images needs pillow (pip install 'vouch[images]')") from None
    sizes = [n for n in shape if n != 1]
    if len(sizes) == 1:
        side = math.isqrt(sizes[0])
        sizes = [side, side]
    if math.prod(sizes) != values.size or len(sizes) not in (2, 3):
        raise VouchError(f"{path}: an input of shape {shape} is no image")
    pixels = np.clip(np.rint(values.reshape(sizes) * 255), 0, 255).astype(np.uint8)
    if len(sizes) == 3 and sizes[0] == 3:
        pixels = pixels.transpose(1, 2, 0)
    scale = max(1, 200 // max(pixels.shape[:2]))
    larger = np.repeat(np.repeat(pixels, scale, axis=0), scale, axis=1)
    try:
        Image.fromarray(larger).save(path)
    except (OSError, ValueError, TypeError) as error:
        raise VouchError(f"{path}: {error}") from None
