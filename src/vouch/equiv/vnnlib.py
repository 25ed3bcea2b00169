"""Regions and two-network properties from VNN-LIB files (1.0 or 2.0)."""

from __future__ import annotations

from fractions import Fraction
from os import PathLike
from pathlib import Path

import numpy as np

from vouch.equiv.property import Avoid, Polytope
from vouch.equiv.region import Region
from vouch.errors import VouchError
from vouch.nn import properties
from vouch.nn.loaders.files import read, resolved
from vouch.nn.property import Array, Case, Property, Rows


def read_property(path: str | PathLike[str], *, region: bool = False) -> Property:
    file = resolved(Path(path))
    return properties.parse(read(file).decode("utf-8", errors="replace"), str(path), region=region)


def read_region(path: str | PathLike[str], inputs: int) -> Region:
    """The input set of the file; of its first network if it speaks of two."""
    prop = read_property(path, region=True)
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
    return Region(lower, upper, rows=rows.x_rows[own][:, :inputs], rhs=rows.rhs[own], strict=rows.strict[own])


def read_questions(path: str | PathLike[str], inputs: int, outputs: int) -> list[tuple[Region, Avoid]]:
    """A property about two networks that get the same input: for each of its input sets, the polytopes of
    outputs that must be avoided. An empty list: the property contradicts itself."""
    prop = read_property(path)
    if (prop.inputs, prop.outputs) != (2 * inputs, 2 * outputs):
        raise VouchError(
            f"{path}: speaks of {prop.inputs} inputs and {prop.outputs} outputs, "
            f"the two networks have {2 * inputs} and {2 * outputs}"
        )
    questions = []
    for case in prop.cases:
        polytopes = tuple(_polytope(rows, inputs, outputs, str(path)) for rows in case.regions)
        if polytopes:
            questions.append((_shared(case, inputs, str(path)), Avoid(polytopes, Path(path).name)))
    return questions


def _polytope(rows: Rows, inputs: int, outputs: int, path: str) -> Polytope:
    if rows.x_rows.any():
        raise VouchError(f"{path}: a constraint mixes inputs and outputs; ask vouch nn verify")
    return Polytope(rows.y_rows[:, :outputs], rows.y_rows[:, outputs:], rows.rhs, rows.strict)


def _shared(case: Case, inputs: int, path: str) -> Region:
    """The input set, given that it makes both networks' inputs equal."""
    rows = case.inputs
    links = np.zeros(inputs, dtype=int)
    keep = []
    for index in range(rows.count if rows is not None else 0):
        assert rows is not None
        first, second = rows.x_rows[index, :inputs], rows.x_rows[index, inputs:]
        used = np.flatnonzero(first)
        if (
            len(used) == 1
            and np.array_equal(first, -second)
            and rows.rhs[index] == 0
            and not rows.strict[index]
        ):
            links[used[0]] |= 1 if first[used[0]] > 0 else 2
        else:
            keep.append(index)
    fixed = (case.lower == case.upper)[:inputs] & (case.lower[:inputs] == case.lower[inputs:])
    if not ((links == 3) | (fixed & (case.upper == case.lower)[inputs:])).all():
        raise VouchError(f"{path}: the two networks need not get the same input; ask vouch nn verify")
    lower = np.maximum(case.lower[:inputs], case.lower[inputs:])
    upper = np.minimum(case.upper[:inputs], case.upper[inputs:])
    if not keep:
        return Region(lower, upper)
    assert rows is not None
    first, second = rows.x_rows[keep][:, :inputs], rows.x_rows[keep][:, inputs:]
    combined = first + second
    if not _exact(combined, first, second):
        raise VouchError(f"{path}: coefficients of the two inputs cancel; ask vouch nn verify")
    return Region(lower, upper, rows=combined, rhs=rows.rhs[keep], strict=rows.strict[keep])


def _exact(total: Array, first: Array, second: Array) -> bool:
    """Whether a sum of floats was not rounded."""
    parts = zip(total.ravel(), first.ravel(), second.ravel(), strict=True)
    return all(Fraction(float(t)) == Fraction(float(a)) + Fraction(float(b)) for t, a, b in parts if a and b)
