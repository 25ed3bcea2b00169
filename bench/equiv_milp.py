"""The MilpEquiv networks: verdicts against the published sample, and maximal radii for five clusters.

python -m bench equiv_milp [--timeout S] [--step 0.05,0.1,0.2] [--limit N]      the published sample
python -m bench equiv_milp --radii [--timeout S] [--top K]                      table of radii

A published row is conclusive when its violation is positive (different) or its bound is not (equivalent).
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from pathlib import Path

import numpy as np

from bench.nn_instances import data_folder
from vouch.equiv import radius
from vouch.equiv.decide import Plan, decide
from vouch.equiv.property import Top
from vouch.equiv.region import ball
from vouch.verdict import Verdict

_ROW = re.compile(r"(.*)_vs_(.*)_one_hot_partial_top_(\d)")
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


def _sample(folder: Path, options: argparse.Namespace) -> int:
    clusters = json.loads((folder / "clusters_to_verify.json").read_text(encoding="utf-8"))
    counts: dict[str, int] = {}
    wrong = seen = 0
    peer = own = 0.0
    with (folder / "published_fixed_radius_sample.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            match = _ROW.match(row["testname"])
            if match is None or row["step"] not in options.step.split(","):
                continue
            if options.limit is not None and seen >= options.limit:
                break
            seen += 1
            region = ball(clusters[int(row["cluster"])]["center"], float(row["radius"]), "l1", _DOMAIN)
            first, second = (str(folder / f"{match[i]}.h5") for i in (1, 2))
            plan = Plan(options.engine, timeout=options.timeout)
            answer = decide(first, second, Top(int(match[3])), region, plan)
            said = _published(row)
            decided = answer.verdict in (Verdict.EQUIVALENT, Verdict.DIFFERENT)
            conflict = said is not None and decided and said is not answer.verdict
            wrong += conflict
            key = f"published {said.value if said else 'open':10} vouch {answer.verdict.value}"
            counts[key] = counts.get(key, 0) + 1
            peer, own = peer + float(row["time"]), own + answer.seconds
            print(f"{row['testname']:75} r {row['radius']:>6} {key} {answer.seconds:.2f} s", flush=True)
            if conflict:
                print("    ^ disagrees")
    print("\n".join(f"{key}: {count}" for key, count in sorted(counts.items())))
    print(f"disagreements: {wrong}; seconds published {peer:.0f}, here {own:.0f}")
    return 1 if wrong else 0


def _radii(folder: Path, options: argparse.Namespace) -> int:
    clusters = json.loads((folder / "clusters_to_verify.json").read_text(encoding="utf-8"))
    names = [f"mnist8x8_{p}0p_retrain" for p in range(1, 10)]
    names += [f"mnist8x8_student_{s}" for s in ("12_12_12_10", "18_18_10", "24_12_10", "30_10", "36_10")]
    print(f"top-{options.top}, proved..refuted Manhattan radius, {options.timeout:g} s each")
    for name in names:
        line = f"{name.removeprefix('mnist8x8_'):22}"
        for cluster in clusters[: options.clusters]:
            found = radius(
                str(folder / "mnist8x8_lin.h5"),
                str(folder / f"{name}.h5"),
                top=options.top,
                centre=cluster["center"],
                norm="l1",
                domain="0..16",
                timeout=options.timeout,
            )
            low = "?" if found.proved is None else f"{found.proved:.2f}"
            high = "?" if found.refuted is None else f"{found.refuted:.2f}"
            line += f"{low + '..' + high:>16}"
        print(line, flush=True)
    return 0
