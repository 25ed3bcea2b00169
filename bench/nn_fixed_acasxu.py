"""ACAS Xu in fixed point, bit for bit: property 1 on all 45 networks in <28,4> and <16,16>.

Arguments: the property's number (default 1), the formats (default 28.4,16.16), the limit in seconds (default
60), and every Nth network only (default 1).
"""

from __future__ import annotations

import statistics
import time

from bench.nn_instances import data_folder
from vouch.nn import load, verify


def main(arguments: list[str]) -> int:
    number = arguments[0] if arguments else "1"
    formats = (arguments[1] if len(arguments) > 1 else "28.4,16.16").split(",")
    limit = float(arguments[2]) if len(arguments) > 2 else 60.0
    every = int(arguments[3]) if len(arguments) > 3 else 1
    folder = data_folder() / "acasxu"
    networks = sorted((folder / "onnx").iterdir())[::every]
    prop = folder / "vnnlib" / f"prop_{number}.vnnlib"
    open_cases = 0
    for form in formats:
        spent, counts = [], {"safe": 0, "unsafe": 0}
        for path in networks:
            began, busy = time.perf_counter(), time.process_time()
            result = verify(load(path), prop, format=form, timeout=limit)
            spent.append(time.process_time() - busy)
            verdict = result.verdict.value
            counts[verdict] = counts.get(verdict, 0) + 1
            open_cases += verdict not in ("safe", "unsafe")
            print(
                f"<{form}> {path.name[13:16]} property {number} {verdict:8} {result.engine:10} "
                f"{time.perf_counter() - began:7.2f} s {spent[-1]:7.2f} cpu s",
                flush=True,
            )
        middle, most = statistics.median(spent), max(spent)
        print(f"<{form}>: {counts}; median {middle:.2f}, largest {most:.2f} cpu s")
    return 1 if open_cases else 0
