"""The MilpEquiv networks: verdicts against the published sample, and maximal radii for five clusters.

python -m bench equiv_milp [--timeout S] [--step 0.05,0.1,0.2] [--limit N] [--jobs N]   the published sample
python -m bench equiv_milp --radii [--timeout S] [--top K] [--jobs N]                   table of radii

A published row is conclusive when its violation is positive (different) or its bound is not (equivalent). One
row says that a network differs from itself, by 0.0006: that is the solver's tolerance, and is shown as such.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from bench.nn_instances import data_folder
from vouch.equiv import radius
from vouch.equiv.decide import EnginePlan, decide
from vouch.equiv.property import Top
from vouch.equiv.region import ball
from vouch.run.pool import run_jobs
from vouch.verdict import Verdict

_ROW = re.compile(r"(.*)_vs_(.*)_one_hot_partial_top_(\d)")
_DECIDED = (Verdict.EQUIVALENT, Verdict.DIFFERENT)
_DOMAIN = (np.zeros(64), np.full(64, 16.0))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench equiv_milp")
    parser.add_argument("--timeout", type=float, default=20.0)
    parser.add_argument("--step", default="0.05,0.1,0.2")
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--radii", action="store_true")
    parser.add_argument("--top", type=int, default=1)
    parser.add_argument("--clusters", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    folder = data_folder() / "milpequiv"
    if not folder.is_dir():
        print("the data folder is missing (set VOUCH_DATA)")
        return 2
    if options.radii:
        return _radii(folder, options)
    return _sample(folder, options)


def _published(row: dict[str, str]) -> Verdict | None:
    if float(row["obj"]) > 1e-6:
        return Verdict.DIFFERENT
    return Verdict.EQUIVALENT if float(row["bound"]) <= 1e-6 else None


def _answer(folder: Path, row: dict[str, str], options: argparse.Namespace) -> tuple[Verdict, float]:
    """Verdict and seconds for one published row."""
    match = _ROW.match(row["testname"])
    assert match is not None
    centre = _clusters(folder)[int(row["cluster"])]["center"]
    first, second = (str(folder / f"{match[i]}.h5") for i in (1, 2))
    region = ball(centre, float(row["radius"]), "l1", _DOMAIN)
    answer = decide(
        first, second, Top(int(match[3])), region, EnginePlan(options.engine, timeout=options.timeout)
    )
    return answer.verdict, answer.seconds


def _clusters(folder: Path) -> list[dict[str, Any]]:
    return list(json.loads((folder / "clusters_to_verify.json").read_text(encoding="utf-8")))


def _sample(folder: Path, options: argparse.Namespace) -> int:
    with (folder / "published_fixed_radius_sample.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["step"] in options.step.split(",")]
    rows = rows[: options.limit]
    counts: dict[str, int] = {}
    wrong = 0
    peer = own = 0.0
    jobs = run_jobs(lambda row: _answer(folder, row, options), rows, jobs=options.jobs)
    for row, done in jobs:
        verdict, seconds = done.value or (Verdict.UNKNOWN, done.seconds)
        said = _published(row)
        conflict = said is not None and verdict in _DECIDED and said is not verdict
        match = _ROW.match(row["testname"])
        if conflict and match is not None and match[1] == match[2]:
            print("    a network against itself: the published violation is within tolerance")
            conflict = False
        wrong += conflict
        key = f"published {said.value if said else 'open':10} vouch {verdict.value}"
        counts[key] = counts.get(key, 0) + 1
        peer, own = peer + float(row["time"]), own + seconds
        print(f"{row['testname']:75} r {row['radius']:>6} {key} {seconds:.2f} s", flush=True)
        if conflict:
            print("    ^ disagrees")
    print("\n".join(f"{key}: {count}" for key, count in sorted(counts.items())))
    print(f"disagreements: {wrong}; seconds published {peer:.0f}, here {own:.0f}")
    return 1 if wrong else 0


def _radii(folder: Path, options: argparse.Namespace) -> int:
    names = [f"mnist8x8_{p}0p_retrain" for p in range(1, 10)]
    names += [f"mnist8x8_student_{s}" for s in ("12_12_12_10", "18_18_10", "24_12_10", "30_10", "36_10")]
    clusters = _clusters(folder)[: options.clusters]

    def cell(which: tuple[str, int]) -> tuple[float | None, float | None]:
        name, index = which
        found = radius(
            str(folder / "mnist8x8_lin.h5"),
            str(folder / f"{name}.h5"),
            top=options.top,
            centre=clusters[index]["center"],
            norm="l1",
            domain="0..16",
            timeout=options.timeout,
        )
        return found.proved, found.refuted

    print(f"top-{options.top}, proved..refuted Manhattan radius, {options.timeout:g} s each")
    cells = [(name, index) for name in names for index in range(len(clusters))]
    for (name, index), done in run_jobs(cell, cells, jobs=options.jobs):
        ends = ["?" if end is None else f"{end:.2f}" for end in done.value or (None, None)]
        start = f"{name.removeprefix('mnist8x8_'):22}" if index == 0 else ""
        print(f"{start}{'..'.join(ends):>16}", end="\n" if index == len(clusters) - 1 else "", flush=True)
    return 0
