"""Regions from data: hierarchical clusters of labelled points (Kleine Büning 2022, 11.3.1).

A set of points is divided into as many clusters as it has labels; a cluster that still mixes labels is
divided again. A pure cluster is described by its centre, the average distance of its points (its radius),
and its density, points per radius: only in a dense cluster should all inputs get the same label.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vouch.errors import VouchError

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

ROUNDS = 50


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    """`radius` is the average, `reach` the largest distance of the cluster's points to its centre."""

    centre: Array
    radius: float
    reach: float
    label: int
    size: int

    @property
    def density(self) -> float:
        return self.size / self.radius if self.radius > 0 else 0.0


def find_clusters(points: Array, labels: Labels, norm: str = "l1") -> list[Cluster]:
    """Pure clusters of all points, densest first; single points and heaps of equal points come last."""
    if len(points) != len(labels) or not len(points):
        raise VouchError("the data set needs one label for every point")
    todo = [np.arange(len(points))]
    found = []
    while todo:
        members = todo.pop()
        kinds = np.unique(labels[members])
        if len(kinds) == 1:
            found.append(_described(points[members], int(kinds[0]), norm))
        else:
            todo.extend(_divided(points, labels, members, kinds, norm))
    return sorted(found, key=lambda cluster: (-cluster.density, -cluster.size, cluster.label))


def _described(points: Array, label: int, norm: str) -> Cluster:
    centre = _centre(points, norm)
    far = _distances(points, centre[None, :], norm)[:, 0]
    return Cluster(centre, float(far.mean()), float(far.max()), label, len(points))


def _divided(
    points: Array, labels: Labels, members: npt.NDArray[np.intp], kinds: Labels, norm: str
) -> list[npt.NDArray[np.intp]]:
    """One cluster per label present, started from the centres of the labels."""
    own = points[members]
    centres = np.stack([_centre(own[labels[members] == kind], norm) for kind in kinds])
    nearest = np.zeros(len(members), dtype=np.intp)
    for _ in range(ROUNDS):
        new = _distances(own, centres, norm).argmin(axis=1)
        if (new == nearest).all() and _ > 0:
            break
        nearest = new
        for index in range(len(centres)):
            if (nearest == index).any():
                centres[index] = _centre(own[nearest == index], norm)
    parts = [members[nearest == index] for index in range(len(centres)) if (nearest == index).any()]
    if len(parts) == 1:
        # Nothing was gained (equal points with different labels, for one): divide by label.
        parts = [members[labels[members] == kind] for kind in kinds]
    return parts


def _centre(points: Array, norm: str) -> Array:
    """The point of least total distance: the median for Manhattan, else the mean."""
    return np.asarray(np.median(points, axis=0) if norm == "l1" else points.mean(axis=0))


def _distances(points: Array, centres: Array, norm: str) -> Array:
    gap = np.abs(points[:, None, :] - centres[None, :, :])
    return np.asarray(gap.sum(axis=2) if norm == "l1" else gap.max(axis=2))
