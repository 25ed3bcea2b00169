"""Resize, Upsample, DepthToSpace and SpaceToDepth."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array
from vouch.nn.loaders.onnx_node import ImportContext, OnnxNode
from vouch.nn.operators import Reshape, Resize, Transpose

# A coordinate this near to where the nearest pixel changes, but not on it, is rounded differently by
# runtimes.
_DOUBTFUL = Fraction(1, 10_000)


def upsample(node: OnnxNode, context: ImportContext) -> None:
    """The predecessor of Resize: coordinates are divided by the scale, the nearest pixel is the one below."""
    scales = node.weights(1) if node.has(1) else np.array(node.attribute("scales", ()), dtype=np.float64)
    _emit(node, [Fraction(float(s)) for s in scales.ravel()], None, "asymmetric", "floor")


def resize(node: OnnxNode, context: ImportContext) -> None:
    old = context.opset < 11
    if old:
        return upsample(node, context)
    if (
        node.has(1)
        and node.constant(1).size
        and str(node.attribute("coordinate_transformation_mode")) == ("tf_crop_and_resize")
    ):
        raise VouchError("tf_crop_and_resize is not supported")
    for name in ("antialias", "exclude_outside"):
        if node.attribute(name, 0):
            raise VouchError(f"{name} is not supported")
    if str(node.attribute("keep_aspect_ratio_policy", "stretch")) != "stretch":
        raise VouchError("keep_aspect_ratio_policy is not supported")
    rank = len(node.shape(0))
    named = [int(a) % rank for a in node.attribute("axes", range(rank))]
    scales: list[Fraction] | None = None
    sizes: list[int] | None = None
    if node.has(3) and node.constant(3).size:
        given = node.integers(3)
        sizes = list(node.shape(0))
        for axis, size in zip(named, given, strict=True):
            sizes[axis] = size
    elif node.has(2) and node.constant(2).size:
        scales = [Fraction(1)] * rank
        for axis, scale in zip(named, node.weights(2).ravel(), strict=True):
            scales[axis] = Fraction(float(scale))
    mode = str(node.attribute("coordinate_transformation_mode", "half_pixel"))
    return _emit(node, scales, sizes, mode, str(node.attribute("nearest_mode", "round_prefer_floor")))


def _emit(
    node: OnnxNode, scales: list[Fraction] | None, sizes: list[int] | None, mode: str, nearest: str
) -> None:
    shape, kind = node.shape(0), str(node.attribute("mode", "nearest"))
    if kind not in ("nearest", "linear", "bilinear"):
        raise VouchError(f"mode {kind!r} is not supported")
    if (scales is None) == (sizes is None) or len(scales or sizes or ()) != len(shape):
        raise VouchError("scales or sizes for every axis expected")
    maps: list[Array | None] = []
    for axis, old in enumerate(shape):
        new = sizes[axis] if sizes is not None else math.floor(old * scales[axis]) if scales else old
        scale = Fraction(new, old) if scales is None else scales[axis]
        if new < 1 or scale <= 0:
            raise VouchError(f"a result of size {new}")
        if new == old and scale == 1:
            maps.append(None)
            continue
        places = [_coordinate(mode, i, old, new, scale) for i in range(new)]
        if kind == "nearest":
            rows = [_nearest(place, old, nearest, exact=_short(scale)) for place in places]
        else:
            rows = [_linear(place, old) for place in places]
        maps.append(np.stack(rows))
    node.emit(Resize(tuple(maps), interpolates=kind != "nearest"), node.value(0))


def _coordinate(mode: str, i: int, old: int, new: int, scale: Fraction) -> Fraction:
    """Where the pixel i of the result lies in the input."""
    half = Fraction(1, 2)
    match mode:
        case "half_pixel":
            return (i + half) / scale - half
        case "pytorch_half_pixel":
            return (i + half) / scale - half if new > 1 else Fraction(0)
        case "asymmetric":
            return i / scale
        case "align_corners":
            return Fraction(i * (old - 1), new - 1) if new > 1 else Fraction(0)
        case _:
            raise VouchError(f"coordinate_transformation_mode {mode!r} is not supported")


def _short(number: Fraction) -> bool:
    """A few binary digits: a float32 computation on it does not round."""
    return number.denominator & (number.denominator - 1) == 0 and number.denominator < 1 << 12


def _nearest(place: Fraction, old: int, mode: str, *, exact: bool) -> Array:
    edge = Fraction(1, 2) if mode.startswith("round") else Fraction(0)
    off = abs(place + edge - round(place + edge))
    if off < _DOUBTFUL and not (off == 0 and exact and _short(place)):
        raise VouchError("a ratio for which runtimes choose different nearest pixels is not supported")
    match mode:
        case "round_prefer_floor":
            index = math.ceil(place - Fraction(1, 2))
        case "round_prefer_ceil":
            index = math.floor(place + Fraction(1, 2))
        case "floor":
            index = math.floor(place)
        case "ceil":
            index = math.ceil(place)
        case _:
            raise VouchError(f"nearest_mode {mode!r} is not supported")
    row = np.zeros(old)
    row[min(max(index, 0), old - 1)] = 1.0
    return row


def _linear(place: Fraction, old: int) -> Array:
    place = min(max(place, Fraction(0)), Fraction(old - 1))
    below = math.floor(place)
    row = np.zeros(old)
    row[below] += float(1 - (place - below))
    if below + 1 < old:
        row[below + 1] += float(place - below)
    return row


def _blocks(node: OnnxNode) -> tuple[int, int, int, int, int]:
    shape, block = node.shape(0), int(node.attribute("blocksize", 0))
    if len(shape) != 4 or block < 1:
        raise VouchError(f"blocks of {block} on an input of shape {shape}")
    return (*shape, block)


def depth_to_space(node: OnnxNode, context: ImportContext) -> None:
    n, c, h, w, b = _blocks(node)
    if c % (b * b):
        raise VouchError(f"{c} channels do not make blocks of {b}")
    rest = c // (b * b)
    first = str(node.attribute("mode", "DCR")) == "DCR"
    split = (n, b, b, rest, h, w) if first else (n, rest, b, b, h, w)
    order = (0, 3, 4, 1, 5, 2) if first else (0, 1, 4, 2, 5, 3)
    moved = node.step("moved", Transpose(order), node.step("split", Reshape(split), node.value(0)))
    node.emit(Reshape((n, rest, h * b, w * b)), moved)


def space_to_depth(node: OnnxNode, context: ImportContext) -> None:
    n, c, h, w, b = _blocks(node)
    if h % b or w % b:
        raise VouchError(f"an input of shape {node.shape(0)} does not make blocks of {b}")
    split = node.step("split", Reshape((n, c, h // b, b, w // b, b)), node.value(0))
    moved = node.step("moved", Transpose((0, 3, 5, 1, 2, 4)), split)
    node.emit(Reshape((n, c * b * b, h // b, w // b)), moved)
