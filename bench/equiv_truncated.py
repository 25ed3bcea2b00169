"""Smallest provable ε for the two pairs with truncated weights, in a minute each.

python -m bench equiv_truncated [--seconds S]

The inputs are those of the nine benchmarks' ACAS Xu box. Beside the proved ε stands the largest
difference that the falsifier finds: the truth lies between.
"""

from __future__ import annotations

import argparse

from threadpoolctl import threadpool_limits

from bench.equiv_nine import benchmarks
from bench.nn_instances import data_folder
from vouch.equiv.boxes import smallest_bound
from vouch.equiv.falsify import largest
from vouch.equiv.pair import Pair, dense
from vouch.equiv.property import Epsilon
from vouch.equiv.region import box
from vouch.nn.search.task import Clock


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
    print(f"{'pair':12}{'proved':>12}{'found':>12}{'ratio':>8}{'boxes':>9}")
    for name in ("1_1", "1_2"):
        stem = folder / f"ACASXU_run2a_{name}_batch_2000-trunc"
        pair = Pair(dense(f"{stem}.onnx"), dense(f"{stem}-mirror.onnx"))
        with threadpool_limits(1):
            _, gap = largest(pair, region, Epsilon(0.0), Clock(10.0))
            bound, boxes = smallest_bound(pair, region, "linf", Clock(options.seconds))
        print(f"{name:12}{bound:12.4g}{gap:12.4g}{bound / gap:8.2f}{boxes:9}", flush=True)
    return 0
