"""The nearest adversarial input in fixed point, by the search of `nn/nearest.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from vouch.errors import VouchError
from vouch.nn.fixed.decide import verify_integers
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.options import quantised, step_of
from vouch.nn.nearest import Nearest, NearestQuestion, bisected, first_radius
from vouch.nn.network import Network
from vouch.nn.property import Array, Norm, robustness
from vouch.nn.result import Result
from vouch.nn.search.task import Clock
from vouch.settings import Settings

# More than rounding takes from a distance.
_MORE = 2.0**-38


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

    def answer(ask: float, seconds: float) -> Result:
        prop = robustness(point, ask, network.outputs, label=chosen, norm=norm, lower=lower, upper=upper)
        return verify_integers(integers, prop, settings.replace(timeout=seconds))

    first = first_radius(outputs, chosen, radius)
    unit, step = integers.input_format.unit, step_of(settings.step)
    question = NearestQuestion(point, chosen, norm, first, unit / 4, 1e-3)
    if step is not None and norm == "linf":
        question = replace(question, unit=unit, distances=_distances(point, float(step), first))
    return bisected(question, answer, clock, report)


def _distances(point: Array, step: float, radius: float) -> Array:
    """The largest differences at which multiples of the step come into reach, within the radius. A little
    more than they are, so that a box of that radius has them."""
    first, last = np.ceil((point - radius) / step), np.floor((point + radius) / step)
    multiples = [np.arange(a, b + 1) * step - x for a, b, x in zip(first, last, point, strict=True)]
    every = np.unique(np.abs(np.concatenate(multiples)).round(12))
    return np.asarray(every + _MORE)


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
