"""The nearest adversarial input in fixed point, by the search of `nn/nearest.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.nn.fixed.decide import quantised, verify_integers
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.nearest import Nearest, Question, bisected
from vouch.nn.network import Network
from vouch.nn.property import Array, Norm, robustness
from vouch.nn.result import Result
from vouch.nn.search.task import Clock
from vouch.settings import Settings


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

    first = 0.0 if _tied(outputs, chosen) else radius
    question = Question(point, chosen, norm, first, integers.input_format.unit / 4, 1e-3)
    return bisected(question, answer, clock, report)


def _tied(outputs: Any, label: int) -> bool:
    """Whether the point itself violates: another class scores as high."""
    return bool((np.delete(outputs, label) >= outputs[label]).any())


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
