"""The nine NNEquiv benchmarks (Kleine Büning 2022, table 12.2): every engine, and the gap.

python -m bench equiv_nine [--engines differential,paths,milp] [--timeout S] [--refute]

Prints wall and processor seconds per engine beside NNEquiv's seconds on a like machine (one core), then,
with --refute, asks for an ε slightly below the largest difference that can be found.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.nn_instances import data_folder
from vouch.equiv.decide import EnginePlan, decide
from vouch.equiv.falsify import climbed, polished
from vouch.equiv.pair import Array, NetworkPair, pair_of
from vouch.equiv.property import Epsilon, Property, Top
from vouch.equiv.region import Region, box
from vouch.nn.search.task import Clock

# NNEquiv-L, measured on one core of a machine of the same kind.
NNEQUIV = (56.8, 23.0, 110.9, 32.0, 8.9, 5.0, 29.6, 4.0, 287.1)


def benchmarks() -> dict[str, dict[str, Any]]:
    folder = data_folder() / "nnequiv"
    return dict(json.loads((folder / "benchmarks9.json").read_text(encoding="utf-8")))


def property_of(entry: dict[str, Any]) -> Property:
    return Top(1) if entry["property"] == "top1" else Epsilon(float(entry["epsilon"]))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench equiv_nine")
    parser.add_argument("--engines", default="auto")
    parser.add_argument("--strategy", default="less")
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--refute", action="store_true")
    options = parser.parse_args(arguments)
    folder = data_folder() / "nnequiv"
    if not folder.is_dir():
        print("the data folder is missing (set VOUCH_DATA)")
        return 2
    engines = options.engines.split(",")
    print(f"{'benchmark':22}{'NNEquiv':>9}" + "".join(f"{e:>34}" for e in engines))
    totals = dict.fromkeys(engines, 0.0)
    for (name, entry), peer in zip(benchmarks().items(), NNEQUIV, strict=True):
        line = f"{name:22}{peer:9.1f}"
        for engine in engines:
            started, used = time.monotonic(), time.process_time()
            answer = decide(
                str(folder / entry["net1"]),
                str(folder / entry["net2"]),
                property_of(entry),
                box(entry["lower"], entry["upper"]),
                EnginePlan(engine, options.strategy, timeout=options.timeout),
            )
            seconds = time.monotonic() - started
            totals[engine] += seconds
            line += f"{answer.verdict.value:>12} {seconds:7.2f} s {time.process_time() - used:7.2f} cpu"
        print(line, flush=True)
    print(f"{'total':22}{sum(NNEQUIV):9.1f}" + "".join(f"{totals[e]:>20.2f} s" + " " * 12 for e in engines))
    if options.refute:
        _refute(folder)
    return 0


def _refute(folder: Path) -> None:
    """Largest difference found, and the verdict for an ε one per mille below it."""
    print(f"\n{'benchmark':22}{'largest found':>15}{'asked':>12}  verdict")
    for name, entry in benchmarks().items():
        paths = str(folder / entry["net1"]), str(folder / entry["net2"])
        region = box(entry["lower"], entry["upper"])
        pair = pair_of(*paths)
        _, gap = largest(pair, region, Epsilon(0.0), Clock(20.0))
        answer = decide(*paths, Epsilon(gap * 0.999), region, EnginePlan(timeout=60.0))
        print(f"{name:22}{gap:15.6g}{gap * 0.999:12.6g}  {answer.verdict.value}, replayed: {answer.replayed}")


def largest(
    pair: NetworkPair, region: Region, prop: Property, clock: Clock, *, seed: int = 0
) -> tuple[Array, float]:
    """The input with the largest violation score that a thorough search finds, and its score."""
    rng = np.random.default_rng(seed)
    best, score = region.anchor, -np.inf
    for attempt in range(8):
        points = climbed(pair, region, prop, region.sample(rng, 4096), attempt)
        points = polished(pair, region, prop, points, attempt)
        points = points[region.inside(points)]
        if len(points):
            scores = prop.excess(pair.reference.evaluate(points), pair.test.evaluate(points))
            if scores.max() > score:
                best, score = points[scores.argmax()], float(scores.max())
        if clock.over:
            break
    return best, score
