"""Iris in fixed point: every box with a known verdict (full enumeration), by one engine.

Arguments: the engine (default bounds) and the largest box in percent (default all).
"""

from __future__ import annotations

import csv
import json
import statistics
import time

import numpy as np

from bench import qnn
from bench.nn_instances import data_folder
from vouch.nn.fixed.decide import verify_integers
from vouch.nn.fixed.format import formats_of
from vouch.nn.fixed.quantise import quantise
from vouch.nn.property import Case, Property, robustness
from vouch.settings import resolve


def box_property(lower: list[int], upper: list[int], scale: float, label: int, outputs: int) -> Property:
    """Every input between two corners, in steps of the scale, keeps its class."""
    regions = robustness(np.zeros(len(lower)), 0.0, outputs, label=label).cases[0].regions
    case = Case(np.array(lower) / scale, np.array(upper) / scale, regions)
    return Property((case,), len(lower), outputs, "box")


def main(arguments: list[str]) -> int:
    engine = arguments[0] if arguments else "bounds"
    largest = int(arguments[1]) if len(arguments) > 1 else 100
    settings = resolve("nn", {"engine": engine, "step": "0.01", "timeout": 300.0})
    wrong, spent = 0, []
    with (data_folder() / "qnn" / "iris_bruteforce_truth.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if int(row["R_percent"]) <= largest]
    for row in rows:
        form = formats_of(f"6.{row['frac_bits']}", "nearest")
        began, busy = time.perf_counter(), time.process_time()
        network = quantise(qnn.iris(int(row["net"])), form, qnn.published_tables())
        lower, upper = (json.loads(row[key]) for key in ("lower_x100", "upper_x100"))
        prop = box_property(lower, upper, 100.0, int(row["label"]), 3)
        result = verify_integers(network, prop, settings)
        bad = result.verdict.value != row["verdict"]
        wrong += bad
        spent.append(time.process_time() - busy)
        print(
            f"class {row['label']} R{row['R_percent']:3} L {row['frac_bits']:>2} {result.verdict.value:8} "
            f"{result.engine:10} {time.perf_counter() - began:7.2f} s {spent[-1]:7.2f} cpu s"
            + (f"  WRONG, is {row['verdict']}" if bad else ""),
            flush=True,
        )
    middle = statistics.median(spent)
    print(f"{len(rows) - wrong} of {len(rows)} right; median {middle:.2f}, largest {max(spent):.2f} cpu s")
    return 1 if wrong else 0
