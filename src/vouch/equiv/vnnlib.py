"""Reads the region of a comparison from the input constraints of a VNN-LIB file (1.0 or 2.0)."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from vouch.equiv.region import Region
from vouch.errors import VouchError
from vouch.nn import properties
from vouch.nn.loaders.files import read, resolved
from vouch.nn.property import Case, Property


def read_property(path: str | PathLike[str]) -> Property:
    file = resolved(Path(path))
    return properties.parse(read(file).decode("utf-8", errors="replace"), str(path))


def read_region(path: str | PathLike[str], inputs: int) -> Region:
    """The input set of the file; of its first network if it speaks of two."""
    prop = read_property(path)
    if prop.inputs not in (inputs, 2 * inputs):
        raise VouchError(f"{path}: speaks of {prop.inputs} inputs, the networks take {inputs}")
    regions = [_region(case, inputs, str(path)) for case in prop.cases]
    if not regions:
        raise VouchError(f"{path}: no input satisfies the constraints")
    first = regions[0]
    for other in regions[1:]:
        same = np.array_equal(first.lower, other.lower) and np.array_equal(first.upper, other.upper)
        if not same or first.rows is not None or other.rows is not None:
            raise VouchError(f"{path}: several input sets; compare them one by one")
    return first


def _region(case: Case, inputs: int, path: str) -> Region:
    lower, upper = case.lower[:inputs], case.upper[:inputs]
    if not (np.isfinite(lower).all() and np.isfinite(upper).all()):
        raise VouchError(f"{path}: an input has no bounds")
    rows = case.inputs
    if rows is None or rows.count == 0:
        return Region(lower, upper)
    own = ~rows.x_rows[:, inputs:].any(axis=1)
    if not own.any():
        return Region(lower, upper)
    return Region(lower, upper, rows=rows.x_rows[own][:, :inputs], rhs=rows.rhs[own])
