"""MNIST fully connected 256x2, 256x4 and 256x6: how many of the 30 properties each are decided.

Arguments: networks to run as layer counts (default 2 4 6), then `limit=S` and `first=N`.
"""

from __future__ import annotations

from bench.nn_instances import data_folder, instances, run


def main(arguments: list[str]) -> int:
    named = dict(a.split("=") for a in arguments if "=" in a)
    layers = [a for a in arguments if "=" not in a] or ["2", "4", "6"]
    folder = data_folder() / "vnncomp" / "mnist_fc"
    for count in layers:
        chosen = [i for i in instances(folder) if f"256x{count}." in i[0]][: int(named.get("first", 30))]
        runs = []
        for network, prop, limit in chosen:
            found = run(folder, network, prop, float(named.get("limit", limit)))
            runs.append(found)
            print(
                f"{found.network:22} {found.prop:22} {found.verdict:8} {found.seconds:7.2f} s "
                f"{found.processor:7.2f} s cpu {found.engine} {found.nodes}",
                flush=True,
            )
        decided = sum(found.verdict in ("sat", "unsat") for found in runs)
        seconds, cpu = sum(f.seconds for f in runs), sum(f.processor for f in runs)
        print(
            f"256x{count}: {decided} of {len(runs)} decided, {seconds:.1f} s, {cpu:.1f} s of processor time"
        )
    return 0
