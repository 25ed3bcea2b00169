"""Compression in the loop: one reference, a folder of compressed networks, a table of radii per cluster.

For every network and every cluster: equivalent on the cluster itself or not, and the largest proved and the
smallest refuted radius around its centre (Thesis figures 11.3 and 11.4).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from vouch.equiv.api import cluster_regions, input_shape, loaded, property_of
from vouch.equiv.clusters import Cluster
from vouch.equiv.decide import described
from vouch.equiv.maximal import Radius
from vouch.equiv.maximal import radius as search_radius
from vouch.equiv.outcome import Array
from vouch.equiv.team import INTERRUPTED, Team
from vouch.errors import VouchError
from vouch.parallel import Pool
from vouch.verdict import Exit, Verdict, exit_code

SUFFIXES = (".onnx", ".nnet", ".h5", ".keras")
SECONDS_PER_CELL = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """One network on one cluster: its radii, and whether the cluster's own ball is equivalent."""

    network: str
    cluster: int
    radius: Radius
    verdict: Verdict

    def text(self) -> str:
        """Proved..refuted radius, + equivalent on the cluster itself, - different, ? open."""
        mark = {Verdict.EQUIVALENT: "+", Verdict.DIFFERENT: "-"}
        ends = ("?" if end is None else f"{end:.4g}" for end in (self.radius.proved, self.radius.refuted))
        return f"{'..'.join(ends)} {mark.get(self.verdict, '?')}"

    def headline(self) -> str:
        return f"{self.network}, cluster {letter(self.cluster)}: {self.text()} ({self.radius.seconds:.1f} s)"


def letter(cluster: int) -> str:
    """Clusters are named as in the Thesis: a, b, …"""
    return chr(ord("a") + cluster) if cluster < 26 else str(cluster)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """All cells, network by network in the order of their names."""

    reference: str
    asked: str
    clusters: tuple[Cluster, ...]
    cells: tuple[Cell, ...]
    seconds: float

    @property
    def networks(self) -> list[str]:
        return list(dict.fromkeys(cell.network for cell in self.cells))

    @property
    def exit_code(self) -> Exit:
        """0: every network is equivalent on every cluster; 1: some differ; 3: something is open."""
        if any(cell.radius.interrupted for cell in self.cells):
            return Exit.INTERRUPTED
        return exit_code(cell.verdict for cell in self.cells)

    def to_json(self) -> dict[str, Any]:
        return {
            "reference": self.reference,
            "property": self.asked,
            "clusters": [
                {
                    "centre": cluster.centre.tolist(),
                    "radius": cluster.radius,
                    "label": cluster.label,
                    "size": cluster.size,
                    "density": cluster.density,
                }
                for cluster in self.clusters
            ],
            "cells": [
                {
                    "network": cell.network,
                    "cluster": cell.cluster,
                    "verdict": cell.verdict.value,
                    **{key: value for key, value in cell.radius.to_json().items() if key != "verdict"},
                }
                for cell in self.cells
            ],
            "seconds": round(self.seconds, 4),
        }

    def text(self) -> str:
        """Rows are networks, columns clusters; proved..refuted radius, + equivalent, - different, ? open."""
        head = [f"{letter(i)}: label {c.label}, r {c.radius:.4g}" for i, c in enumerate(self.clusters)]
        rows = [["network", *head]]
        for network in self.networks:
            rows.append([network, *(cell.text() for cell in self.cells if cell.network == network)])
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = [
            "  ".join(text.ljust(w) for text, w in zip(row, widths, strict=True)).rstrip() for row in rows
        ]
        return f"{self.asked} against {self.reference} ({self.seconds:.1f} s)\n" + "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def plot(self, file: str | PathLike[str]) -> None:
        """Radii per network: a solid line for proved, a dotted one for refuted, one colour per cluster."""
        try:
            import matplotlib
        except ImportError:
            raise VouchError("drawing needs matplotlib (pip install 'vouch[plot]')") from None
        matplotlib.use("Agg")
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(figsize=(1.2 * len(self.networks) + 3, 4))
        for i in range(len(self.clusters)):
            own = [cell.radius for cell in self.cells if cell.cluster == i]
            line = axes.plot([r.proved for r in own], "-o", label=f"cluster {letter(i)}")[0]
            axes.plot([r.refuted for r in own], ":", color=line.get_color())
        axes.set_xticks(range(len(self.networks)), self.networks, rotation=30, ha="right")
        axes.set_ylabel("radius: proved (line), refuted (dotted)")
        axes.set_title(self.asked)
        axes.legend()
        figure.tight_layout()
        figure.savefig(file)
        pyplot.close(figure)


def sweep(
    reference: Any,
    folder: str | PathLike[str],
    *,
    clusters: Any = None,
    epsilon: float | None = None,
    top: int | None = None,
    norm: str = "l1",
    ball_norm: str | None = None,
    densest: int = 5,
    domain: Any = None,
    timeout: float | None = None,
    seed: int = 0,
    jobs: int = 1,
    pool: Pool | None = None,
    report: Callable[[str], None] | None = None,
) -> Table:
    """Every network in `folder` against the reference, around every cluster of the labelled data
    `clusters`. The time is shared equally (20 s for each cell by default); `pool`
    (`vouch.run.pool.run_jobs`) lends `jobs` processes; `report` gets a line for every cell."""
    prop = property_of(epsilon, top, norm)
    if clusters is None:
        raise VouchError("give the labelled data with --clusters")
    inside = Path(folder).iterdir() if Path(folder).is_dir() else ()
    files = sorted(path for path in inside if path.suffix in SUFFIXES)
    if not files:
        raise VouchError(f"{folder}: no networks ({', '.join(SUFFIXES)})")
    started = time.monotonic()
    name = str(reference) if isinstance(reference, (str, Path)) else "reference"
    net = loaded(reference)
    measure = ball_norm or norm
    found, limits = cluster_regions(clusters, int(np.prod(input_shape(net))), measure, densest, domain)
    team = Team(jobs, pool, report)
    wanted = [(path, index) for path in files for index in range(len(found))]
    share = timeout * min(1.0, team.size / len(wanted)) if timeout is not None else SECONDS_PER_CELL

    def cell(which: tuple[Path, int]) -> Cell:
        path, index = which
        return _cell(net, path, index, found[index], limits, share, epsilon, top, norm, measure, seed)

    def missing(which: tuple[Path, int], why: str) -> Cell:
        nothing = Radius(
            Verdict.UNKNOWN,
            None,
            None,
            measure,
            described(prop),
            0.0,
            reason=why,
            interrupted=why == INTERRUPTED,
        )
        return Cell(which[0].name, which[1], nothing, Verdict.UNKNOWN)

    cells = team.each(cell, wanted, missing, Cell.headline)
    return Table(Path(name).name, described(prop), tuple(found), tuple(cells), time.monotonic() - started)


def _cell(
    reference: Any,
    path: Path,
    index: int,
    cluster: Cluster,
    domain: tuple[Array, Array],
    seconds: float,
    epsilon: float | None,
    top: int | None,
    norm: str,
    measure: str,
    seed: int,
) -> Cell:
    found = search_radius(
        reference,
        path,
        centre=cluster.centre,
        epsilon=epsilon,
        top=top,
        norm=norm,
        ball_norm=measure,
        domain=domain,
        timeout=seconds,
        seed=seed,
    )
    verdict = Verdict.UNKNOWN
    if found.proved is not None and found.proved >= cluster.radius:
        verdict = Verdict.EQUIVALENT
    elif found.refuted is not None and found.refuted <= cluster.radius:
        verdict = Verdict.DIFFERENT
    return Cell(path.name, index, found, verdict)
