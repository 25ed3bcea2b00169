"""Compression in the loop: one reference, a folder of compressed networks, a table of radii per cluster.

For every network and every cluster: equivalent on the cluster itself or not, and the largest proved and the
smallest refuted radius around its centre (Kleine Büning 2022, figures 11.3 and 11.4).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from vouch.equiv.api import (
    ball_norm,
    clusters_of,
    input_shape,
    loaded,
    property_of,
    settings_of,
    team_of,
)
from vouch.equiv.clusters import Cluster
from vouch.equiv.decide import described
from vouch.equiv.maximal import Radius, radius_of
from vouch.equiv.team import INTERRUPTED
from vouch.errors import VouchError
from vouch.nn.float_state import usual_numbers
from vouch.parallel import Pool
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict, exit_code

SUFFIXES = (".onnx", ".nnet", ".h5", ".keras")
SECONDS_PER_CELL = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
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
    """Clusters are named as in Kleine Büning 2022: a, b, …"""
    return chr(ord("a") + cluster) if cluster < 26 else str(cluster)


@dataclass(frozen=True, slots=True, eq=False)
class RadiusTable:
    """All cells, network by network in the order of their names."""

    reference: str
    asked: str
    clusters: tuple[Cluster, ...]
    cells: tuple[Entry, ...]
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


@usual_numbers
def sweep(
    reference: Any,
    folder: str | PathLike[str],
    *,
    pool: Pool | None = None,
    report: Callable[[str], None] | None = None,
    **options: Any,
) -> RadiusTable:
    """Every network in `folder` against the reference, around every cluster of the labelled data
    `clusters`, with the options of the command line (Manhattan norm by default). The time is shared equally
    (20 s for each cell by default); `pool` (`vouch.run.pool.run_jobs`) lends `jobs` processes; `report` gets
    a line for every cell."""
    return table_of(reference, folder, settings_of({"norm": "l1", **options}), pool, report)


def table_of(
    reference: Any,
    folder: str | PathLike[str],
    settings: Settings,
    pool: Pool | None = None,
    report: Callable[[str], None] | None = None,
) -> RadiusTable:
    """`sweep` with options already resolved."""
    prop = property_of(settings)
    if settings.clusters is None:
        raise VouchError("give the labelled data with --clusters")
    inside = Path(folder).iterdir() if Path(folder).is_dir() else ()
    files = sorted(path for path in inside if path.suffix in SUFFIXES)
    if not files:
        raise VouchError(f"{folder}: no networks ({', '.join(SUFFIXES)})")
    started = time.monotonic()
    name = str(reference) if isinstance(reference, (str, Path)) else "reference"
    net = loaded(reference)
    found, limits = clusters_of(int(np.prod(input_shape(net))), settings)
    team = team_of(settings, pool, report)
    wanted = [(path, index) for path in files for index in range(len(found))]
    share = SECONDS_PER_CELL
    if settings.timeout is not None:
        share = settings.timeout * min(1.0, team.size / len(wanted))
    own = settings.replace(domain=limits, timeout=share, jobs=1)

    def cell(which: tuple[Path, int]) -> Entry:
        path, index = which
        cluster = found[index]
        radius = radius_of(net, path, own.replace(centre=cluster.centre))
        return Entry(path.name, index, radius, _on_cluster(radius, cluster))

    def missing(which: tuple[Path, int], why: str) -> Entry:
        nothing = Radius(
            Verdict.UNKNOWN,
            None,
            None,
            ball_norm(settings),
            described(prop),
            0.0,
            reason=why,
            interrupted=why == INTERRUPTED,
        )
        return Entry(which[0].name, which[1], nothing, Verdict.UNKNOWN)

    cells = team.each(cell, wanted, missing, Entry.headline)
    seconds = time.monotonic() - started
    return RadiusTable(Path(name).name, described(prop), tuple(found), tuple(cells), seconds)


def _on_cluster(found: Radius, cluster: Cluster) -> Verdict:
    """What the radii say about the cluster's own ball."""
    if found.proved is not None and found.proved >= cluster.radius:
        return Verdict.EQUIVALENT
    if found.refuted is not None and found.refuted <= cluster.radius:
        return Verdict.DIFFERENT
    return Verdict.UNKNOWN
