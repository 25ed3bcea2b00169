"""Smallest provable ε for the two pairs with truncated weights, in a minute each.

python -m bench equiv_truncated [--seconds S]

The inputs are those of the nine benchmarks' ACAS Xu box. Beside the proved ε stands the largest
difference that the falsifier finds: the truth lies between.
"""

from __future__ import annotations

import argparse

import numpy as np
from threadpoolctl import threadpool_limits

from bench.equiv_nine import benchmarks, largest
from bench.nn_instances import data_folder
from vouch.equiv.decide import EnginePlan, differential
from vouch.equiv.pair import NetworkPair, pair_of
from vouch.equiv.property import Epsilon
from vouch.equiv.region import Region, box
from vouch.nn.search.task import Clock
from vouch.verdict import Verdict


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench equiv_truncated")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args(arguments)
    folder = data_folder() / "nnequiv"
    if not folder.is_dir():
        print("the data folder is missing (set VOUCH_DATA)")
        return 2
    entry = benchmarks()["ACAS_1_1-retrain"]
    region = box(entry["lower"], entry["upper"])
    print(f"{'pair':12}{'proved':>12}{'found':>12}{'ratio':>8}")
    for name in ("1_1", "1_2"):
        stem = folder / f"ACASXU_run2a_{name}_batch_2000-trunc"
        pair = pair_of(f"{stem}.onnx", f"{stem}-mirror.onnx")
        with threadpool_limits(1):
            _, gap = largest(pair, region, Epsilon(0.0), Clock(10.0))
            bound = _smallest(pair, region, gap, Clock(options.seconds))
        print(f"{name:12}{bound:12.4g}{gap:12.4g}{bound / gap:8.2f}", flush=True)
    return 0


def _smallest(pair: NetworkPair, region: Region, gap: float, clock: Clock) -> float:
    """Ever closer to the largest difference found, as long as proofs succeed in the time that is left."""
    proved, factor = np.inf, 4.0
    while not clock.over and factor > 1.01:
        prop = Epsilon(gap * factor)
        found = differential(pair, region, prop, EnginePlan(), clock, probing=False)
        if found.verdict is not Verdict.EQUIVALENT:
            break
        proved = min(proved, prop.epsilon if found.bound is None else found.bound)
        factor = 1 + (factor - 1) / 2
    return proved
