"""Points and labelled data sets from files: `.csv`, `.npy`, `.npz`, images, or numbers on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vouch.errors import VouchError

Array = npt.NDArray[np.float64]
IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif")


def read_point(given: Any) -> Array:
    """One point: an array, a list, a file, or a text like "0.5,1,2"."""
    if isinstance(given, str):
        try:
            return _finite(np.array([float(part) for part in given.replace(",", " ").split()]), given)
        except ValueError:
            pass  # a file name, then
    numbers = _table(Path(given)) if isinstance(given, (str, Path)) else np.asarray(given, dtype=np.float64)
    return _finite(numbers, given)


def _finite(numbers: Array, given: Any) -> Array:
    if not len(numbers) or not np.isfinite(numbers).all():
        raise VouchError(f"{given}: a point has finite numbers, and at least one")
    return np.asarray(numbers, dtype=np.float64).ravel()


def read_labelled(given: Any) -> tuple[Array, npt.NDArray[np.int64]]:
    """Points and labels: a pair of arrays; a `.csv` or `.npy` table whose last column is the label; or a
    `.npz` with arrays `x` and `y`."""
    if isinstance(given, tuple):
        x, y = given
    else:
        path = Path(given)
        if path.suffix == ".npz":
            with _opened(path) as archive:
                if not {"x", "y"} <= set(archive.files):
                    raise VouchError(f"{path}: arrays x and y expected")
                x, y = archive["x"], archive["y"]
        else:
            table = np.atleast_2d(_table(path))
            x, y = table[:, :-1], table[:, -1]
    x = np.asarray(x, dtype=np.float64).reshape(len(x), -1)
    labels = np.asarray(y, dtype=np.float64).ravel()
    if len(x) != len(labels) or not len(x):
        raise VouchError("the data set needs one label for every point")
    if not (np.isfinite(x).all() and (labels == np.round(labels)).all()):
        raise VouchError("the data set needs finite numbers and whole-number labels")
    return x, labels.astype(np.int64)


def _opened(path: Path) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise VouchError(f"{path}: {error}") from None


def _table(path: Path) -> Array:
    if path.suffix == ".npy":
        return np.asarray(_opened(path), dtype=np.float64)
    if path.suffix in IMAGES:
        return _image(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise VouchError(f"{path}: {error}") from None
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    for skipped in (0, 1):  # a header line is allowed
        try:
            rows = [[float(cell) for cell in line.replace(";", ",").split(",")] for line in lines[skipped:]]
            break
        except ValueError:
            continue
    else:
        raise VouchError(f"{path}: not a table of numbers")
    if not rows or len({len(row) for row in rows}) != 1:
        raise VouchError(f"{path}: lines of different length, or none")
    return np.array(rows)


def _image(path: Path) -> Array:
    """Grey values or colours from 0 to 1, rows first."""
    try:
        from matplotlib.image import imread
    except ImportError:
        raise VouchError(f"{path}: reading images needs matplotlib (pip install 'vouch[plot]')") from None
    try:
        pixels = np.asarray(imread(path), dtype=np.float64)
    except (OSError, ValueError, SyntaxError) as error:
        raise VouchError(f"{path}: {error}") from None
    return pixels / 255.0 if pixels.max(initial=0.0) > 1.0 else pixels
