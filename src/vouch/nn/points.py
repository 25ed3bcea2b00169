"""Points given by a user: numbers on the command line, `.csv`, `.npy`, or an image."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from vouch.errors import VouchError
from vouch.nn.arrays import Array, Shape
from vouch.nn.loaders.memory import limited

_IMAGES = {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".pgm", ".ppm", ".tif", ".tiff"}


def read_points(source: str, shape: Shape) -> Array:
    """Rows [count, numbers] of float64 for a network whose input has `shape`."""
    path, size = Path(source), int(np.prod(shape))
    if path.is_file():
        with limited(path):
            rows = _read(path, size, shape)
    else:
        rows = _typed(source)
    if rows.shape[1] != size:
        raise VouchError(f"{source}: rows of {rows.shape[1]} numbers, the network takes {size}")
    if not np.isfinite(rows).all():
        raise VouchError(f"{source}: a number is NaN or infinite")
    return rows


def _read(path: Path, size: int, shape: Shape) -> Array:
    if path.suffix.lower() == ".npy":
        return _array(path, size)
    return _image(path, shape) if path.suffix.lower() in _IMAGES else _table(path)


def read_point(source: str, shape: Shape, index: int | None = None) -> Array:
    """One row; `index` chooses among several."""
    rows = read_points(source, shape)
    if index is None and len(rows) > 1:
        raise VouchError(f"{source}: has {len(rows)} points; choose one with --index")
    if not 0 <= (index or 0) < len(rows):
        raise VouchError(f"{source}: has {len(rows)} points, none with index {index}")
    row: Array = rows[index or 0]
    return row


def _typed(source: str) -> Array:
    fields = [field for field in re.split(r"[,;\s]+", source.strip("[]() ")) if field]
    try:
        return np.array([[float(field) for field in fields]])
    except ValueError:
        raise VouchError(f"{source}: no such file, and not a list of numbers") from None


def _array(path: Path, size: int) -> Array:
    try:
        array = np.load(path, allow_pickle=False)
    except MemoryError:
        raise VouchError(f"{path}: an array that does not fit into memory") from None
    except Exception as error:  # its head is read by Python's own tokenizer, an archive by others
        raise VouchError(f"{path}: {' '.join(str(error).split())}") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiub" or not array.size:
        raise VouchError(f"{path}: an array of numbers expected")
    if array.size == size or array.ndim < 2:
        return array.reshape(1, -1).astype(np.float64)
    return array.reshape(len(array), -1).astype(np.float64)


def _table(path: Path) -> Array:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise VouchError(f"{path}: {error}") from None
    rows = [re.split(r"[,;\s]+", line.strip().strip(",;")) for line in lines if line.strip()]
    if rows and not _numeric(rows[0]):
        rows = rows[1:]  # a line of column names
    if not rows or len({len(row) for row in rows}) > 1:
        raise VouchError(f"{path}: lines with the same count of numbers expected")
    try:
        return np.array([[float(field) for field in row] for row in rows])
    except ValueError as error:
        raise VouchError(f"{path}: {error}") from None


def _numeric(fields: Sequence[str]) -> bool:
    try:
        return bool([float(field) for field in fields])
    except ValueError:
        return False


def _image(path: Path, shape: Shape) -> Array:
    """Pixels from 0 to 1, in the order the network's shape asks for: one channel, channels first or last."""
    try:
        from PIL import Image
    except ImportError:
        raise VouchError(f"{path}: reading images needs pillow (pip install 'vouch[images]')") from None
    sizes = [n for n in shape if n != 1]
    colour = len(sizes) == 3 and 3 in (sizes[0], sizes[2])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path) as image:
                # The size stands in the head of the file: nothing of another size is unpacked.
                if image.width * image.height * (3 if colour else 1) != math.prod(sizes):
                    size = f"{image.width}x{image.height}"
                    raise VouchError(f"{path}: a picture of {size}, the network takes {shape}")
                pixels = np.asarray(image.convert("RGB" if colour else "L"), dtype=np.float64) / 255
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        raise VouchError(f"{path}: {error}") from None
    if colour and sizes[0] == 3:
        pixels = pixels.transpose(2, 0, 1)
    if len(sizes) > 1 and list(pixels.shape) != sizes:
        raise VouchError(f"{path}: an image of shape {pixels.shape}, the network takes {shape}")
    return pixels.reshape(1, -1)


def write_point(folder: Path, name: str, row: Array, shape: Shape) -> Path:
    """The point as a line of numbers that reads back exactly; beside it a picture where it is one and pillow
    is installed."""
    path = folder / f"{name}.csv"
    path.write_text(",".join(repr(float(x)) for x in row) + "\n", encoding="utf-8")
    sizes = [n for n in shape if n != 1]
    if len(sizes) == 1 and math.isqrt(sizes[0]) ** 2 == sizes[0] and sizes[0] >= 25:
        sizes = [math.isqrt(sizes[0])] * 2  # a square picture that was flattened
    if len(sizes) == 2 or (len(sizes) == 3 and 3 in (sizes[0], sizes[2])):
        _draw(folder / f"{name}.png", row.reshape(sizes))
    return path


def _draw(path: Path, pixels: Array) -> None:
    try:
        from PIL import Image
    except ImportError:
        return
    if pixels.ndim == 3 and pixels.shape[0] == 3:
        pixels = pixels.transpose(1, 2, 0)
    low, high = min(0.0, float(pixels.min())), max(1.0, float(pixels.max()))
    grey = np.round((pixels - low) / (high - low) * 255).astype(np.uint8)
    Image.fromarray(grey).save(path)
