"""The comparisons of QNN paper 4.3 on our networks: each optimisation of the code's check switched off.

Arguments: the largest Iris box in percent (default 5), the fractional bits (default 2), the limit in seconds
for one box (default 60), and parts of names of variants (default: all). Columns: proved, violated, out of
time, undecided, wrong, and seconds of processor time with all child processes.
"""

from __future__ import annotations

import csv
import json
import os

from bench import qnn
from bench.nn_fixed_iris import box_property
from bench.nn_instances import data_folder
from vouch.nn.fixed.decide import verify_integers
from vouch.nn.fixed.format import formats_of
from vouch.nn.fixed.quantise import quantise
from vouch.settings import resolve

VARIANTS: dict[str, dict[str, str]] = {
    "all (bitwuzla)": {},
    "z3": {"VOUCH_SOLVER": "z3"},
    "no invariants": {"VOUCH_NO_INVARIANTS": "1"},
    "no slicing": {"VOUCH_NO_SLICE": "1"},
    "no simplification": {"VOUCH_NO_SIMPLIFY": "1"},
    "no propagation": {"VOUCH_NO_PROPAGATION": "1"},
    "no balancing": {"VOUCH_NO_BALANCE": "1"},
    "not incremental": {"VOUCH_INDIVIDUAL": "1"},
    "no bounds": {"VOUCH_NO_BOUNDS": "1", "VOUCH_NO_ENUMERATION": "1"},
    "solver at branches": {"VOUCH_SMT_DURING_SYMEX": "1"},
}
VERDICTS = ("safe", "unsafe", "timeout", "unknown")


def main(arguments: list[str]) -> int:
    largest, bits, limit = (int(a) for a in [*arguments, *("5", "2", "60")[len(arguments[:3]) :]][:3])
    with (data_folder() / "qnn" / "iris_bruteforce_truth.csv").open(newline="", encoding="utf-8") as file:
        chosen = [r for r in csv.DictReader(file) if int(r["R_percent"]) <= largest]
    chosen = [row for row in chosen if row["frac_bits"] == str(bits)]
    print(f"{len(chosen)} boxes, <6,{bits}>")
    print(f"{'variant':20} {'S':>3} {'F':>3} {'TO':>3} {'?':>3} {'wrong':>5} {'cpu s':>8}")
    mistakes = 0
    for name, variables in VARIANTS.items():
        if arguments[3:] and not any(part in name for part in arguments[3:]):
            continue
        counts, wrong, began = dict.fromkeys(VERDICTS, 0), 0, _processor()
        os.environ.update(variables)
        for row in chosen:
            verdict = _decided(row, bits, limit)
            counts[verdict] += 1
            wrong += verdict in ("safe", "unsafe") and verdict != row["verdict"]
        for variable in variables:
            del os.environ[variable]
        cells = " ".join(f"{n:3}" for n in counts.values())
        print(f"{name:20} {cells} {wrong:5} {_processor() - began:8.1f}", flush=True)
        mistakes += wrong
    return 1 if mistakes else 0


def _decided(row: dict[str, str], bits: int, limit: float) -> str:
    """The verdict on one box; its step is that of the published data."""
    form = formats_of(f"6.{bits}", "nearest")
    network = quantise(qnn.iris(int(row["net"])), form, qnn.published_tables())
    corners = (json.loads(row[key]) for key in ("lower_x100", "upper_x100"))
    settings = resolve("nn", {"engine": "code", "step": "0.01", "timeout": float(limit)})
    prop = box_property(*corners, 100.0, int(row["label"]), 3)
    return str(verify_integers(network, prop, settings).verdict.value)


def _processor() -> float:
    """Seconds of processor time of this process and of its children that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
