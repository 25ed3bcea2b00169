"""The instances of a VNN-COMP folder, several at a time on two cores each: for machines with many cores.

Arguments: the folder below the data folder (vnncomp/mnist_fc), then `match=TEXT` (part of the name of the
<<<<<<< HEAD
network, several with |), `limit=S`, `jobs=N` (instances at a time; default: half of the cores) and `hardest`
(only properties whose name ends in 0.05).
=======
network, several with |), `limit=S`, `jobs=N` (instances at a time; default: half of the cores) and
`hardest` (only properties whose name ends in 0.05).
>>>>>>> nets
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.nn_instances import data_folder, instances

_ONE = """
import sys
from pathlib import Path
from bench.nn_instances import run
folder, network, prop, limit = sys.argv[1:]
found = run(Path(folder), network, prop, float(limit), jobs=2)
print(found.verdict, found.seconds, found.processor, found.engine, found.nodes)
"""


def _one(folder: Path, number: int, jobs: int, network: str, prop: str, limit: float) -> str:
    cores = os.cpu_count() or 2
    pair = f"{number % jobs * 2 % cores},{(number % jobs * 2 + 1) % cores}"
    command = ["taskset", "-c", pair, sys.executable, "-c", _ONE, str(folder), network, prop, str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"error {done.stderr.strip().splitlines()[-1:]}"
    return done.stdout.strip().splitlines()[-1]


def main(arguments: list[str]) -> int:
    named = dict(a.split("=") for a in arguments if "=" in a)
    plain = [a for a in arguments if "=" not in a]
    folder = data_folder() / (plain[0] if plain else "vnncomp/mnist_fc")
    jobs = int(named.get("jobs", max(1, (os.cpu_count() or 2) // 2)))
    parts = named.get("match", "").split("|")
    chosen = [i for i in instances(folder) if any(part in i[0] for part in parts)]
    if "hardest" in plain:
        chosen = [i for i in chosen if i[1].endswith("0.05.vnnlib")]
    free = list(range(jobs))

    def work(item: tuple[str, str, float]) -> str:
        slot = free.pop()
        try:
            network, prop, limit = item
            found = _one(folder, slot, jobs, network, prop, float(named.get("limit", limit)))
        finally:
            free.append(slot)
        print(f"{Path(network).name:24} {Path(prop).name:22} {found}", flush=True)
        return f"{Path(network).name} {found}"

    with ThreadPoolExecutor(jobs) as pool:
        lines = list(pool.map(work, chosen))
    for network in sorted({line.split()[0] for line in lines}):
        own = [line.split() for line in lines if line.startswith(network + " ")]
        decided = [line for line in own if line[1] in ("sat", "unsat")]
        cpu = sum(float(line[3]) for line in own if len(line) > 4)
        print(f"{network}: {len(decided)} of {len(own)} decided, {cpu:.0f} s of processor time")
    return 0
