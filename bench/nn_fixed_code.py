"""The comparisons of QNN paper 4.3 on our networks: solvers, options and sums, through the generated code.

Argument: the largest Iris box in percent (default 2).
"""

from __future__ import annotations

import csv
import json
import os
import time

from bench import qnn
from bench.nn_fixed_iris import box_property
from bench.nn_instances import data_folder
from vouch.nn.fixed.decide import verify_integers
from vouch.nn.fixed.format import formats_of
from vouch.nn.fixed.quantise import quantise
from vouch.settings import resolve

VARIANTS: dict[str, dict[str, str]] = {
    "bitwuzla (default)": {},
    "z3": {"VOUCH_SOLVER": "z3"},
    "no slicing": {"VOUCH_NO_SLICE": "1"},
    "no simplification": {"VOUCH_NO_SIMPLIFY": "1"},
    "no propagation": {"VOUCH_NO_PROPAGATION": "1"},
    "no balancing": {"VOUCH_NO_BALANCE": "1"},
    "solver at branches": {"VOUCH_SMT_DURING_SYMEX": "1"},
}


def main(arguments: list[str]) -> int:
    largest = int(arguments[0]) if arguments else 2
    with (data_folder() / "qnn" / "iris_bruteforce_truth.csv").open(newline="", encoding="utf-8") as file:
        chosen = [
            r for r in csv.DictReader(file) if int(r["R_percent"]) <= largest and r["frac_bits"] == "10"
        ]
    settings = resolve("nn", {"engine": "code", "timeout": 120.0})
    print(f"{'variant':20} {'S':>3} {'F':>3} {'TO':>3} {'?':>3} {'s':>8}")
    for name, variables in VARIANTS.items():
        counts = dict.fromkeys(("safe", "unsafe", "timeout", "unknown"), 0)
        began = time.perf_counter()
        os.environ.update(variables)
        for row in chosen:
            network = quantise(
                qnn.iris(int(row["net"])), formats_of("6.10", "nearest"), qnn.published_tables()
            )
            corners = (json.loads(row[key]) for key in ("lower_x100", "upper_x100"))
            result = verify_integers(network, box_property(*corners, 100.0, int(row["label"]), 3), settings)
            counts[result.verdict.value] += 1
        for variable in variables:
            del os.environ[variable]
        print(
            f"{name:20} "
            + " ".join(f"{n:3}" for n in counts.values())
            + f" {time.perf_counter() - began:8.1f}"
        )
    return 0
