"""Points and labelled data sets, from arrays or files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from vouch.errors import VouchError
from vouch.nn import points

Array = npt.NDArray[np.float64]


def read_point(given: Any, shape: tuple[int, ...]) -> Array:
    """One point for a network whose input has `shape`: an array, a list, a file, or "0.5,1,2"."""
    if isinstance(given, (str, Path)):
        return points.read_point(str(given), shape)
    point = np.asarray(given, dtype=np.float64).ravel()
    if point.size != int(np.prod(shape)) or not np.isfinite(point).all():
        raise VouchError(f"the centre needs {int(np.prod(shape))} finite numbers")
    return point


def read_labelled(given: Any, inputs: int) -> tuple[Array, npt.NDArray[np.int64]]:
    """Points and labels: a pair of arrays; a `.csv` or `.npy` table whose last column is the label; or a
    `.npz` with arrays `x` and `y`."""
    if isinstance(given, tuple):
        x, y = given
    elif Path(given).suffix == ".npz":
        x, y = _archive(Path(given))
    else:
        table = points.read_points(str(given), (inputs + 1,))
        x, y = table[:, :-1], table[:, -1]
    x = np.asarray(x, dtype=np.float64).reshape(len(x), -1)
    labels = np.asarray(y, dtype=np.float64).ravel()
    if x.shape != (len(labels), inputs) or not len(x):
        raise VouchError(f"the data set needs points of {inputs} numbers, and one label for each")
    if not (np.isfinite(x).all() and (labels == np.round(labels)).all()):
        raise VouchError("the data set needs finite numbers and whole-number labels")
    return x, labels.astype(np.int64)


def _archive(path: Path) -> tuple[Array, Array]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return archive["x"], archive["y"]
    except MemoryError:
        raise VouchError(f"{path}: arrays that do not fit into memory") from None
    except Exception as error:  # of the archive, its compression, the heads of its arrays
        raise VouchError(f"{path}: arrays x and y expected ({' '.join(str(error).split())})") from None
