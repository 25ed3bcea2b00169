"""ACAS Xu: all 186 instances against the verdicts of VNN-COMP 2025, with seconds beside nnenum's.

Arguments: every Nth instance only (default 1), and the time limit (default that of instances.csv).
"""

from __future__ import annotations

import csv

from bench.nn_instances import data_folder, instances, run


def main(arguments: list[str]) -> int:
    folder = data_folder() / "acasxu"
    every = int(arguments[0]) if arguments else 1
    limit = float(arguments[1]) if len(arguments) > 1 else None
    with (folder / "expected_vnncomp2025.csv").open(newline="", encoding="utf-8") as file:
        expected = {(row["onnx"], row["vnnlib"]): row for row in csv.DictReader(file)}
    runs, wrong, peer = [], 0, 0.0
    print(f"{'network':34} {'property':16} {'verdict':8} {'expected':8} {'s':>7} {'cpu s':>7} {'nnenum':>7}")
    for network, prop, most in list(instances(folder))[::every]:
        found = run(folder, network, prop, limit or most)
        row = expected[found.network, found.prop]
        bad = found.verdict in ("sat", "unsat") and found.verdict != row["verdict"]
        wrong += bad
        peer += float(row["nnenum_s"])
        runs.append(found)
        print(
            f"{found.network:34} {found.prop:16} {found.verdict:8} {row['verdict']:8} {found.seconds:7.2f} "
            f"{found.processor:7.2f} {float(row['nnenum_s']):7.2f} {found.engine} {found.nodes}"
            + (" WRONG" if bad else ""),
            flush=True,
        )
    decided = sum(found.verdict in ("sat", "unsat") for found in runs)
    seconds, cpu = sum(f.seconds for f in runs), sum(f.processor for f in runs)
    print(f"{decided} of {len(runs)} decided, {wrong} wrong; {seconds:.1f} s, {cpu:.1f} s of processor time")
    slowest = max(found.seconds for found in runs)
    print(f"nnenum at VNN-COMP 2025, on its machine: {peer:.1f} s; slowest here {slowest:.1f} s")
    return 1 if wrong else 0
