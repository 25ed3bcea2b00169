"""`nn bits` on the published Iris network: 6 to 32 bits, nine boxes; one table as in the QNN paper.

Argument: word lengths (default 6..32).
"""

from __future__ import annotations

import time

from bench import qnn
from bench.nn_fixed_iris import box_property
from vouch.nn.fixed.bits import range_of, sweep
from vouch.settings import resolve

NAMES = ("setosa", "versicolor", "virginica")


def main(arguments: list[str]) -> int:
    widths = range_of(arguments[0] if arguments else "6..32")
    properties = {}
    for instance in qnn.published()["Iris"]["instances"]:
        name = f"{NAMES[instance['label']]} R{instance['R']}"
        if instance["R"] in (1, 5, 10) and name not in properties:
            corners = instance["lower"], instance["upper"]
            properties[name] = box_property(*corners, 100.0, instance["label"], 3)
    busy = time.process_time()
    settings = resolve("nn", {"activation": "lut:0.01", "timeout": 600.0})
    table = sweep(qnn.iris(0), properties, settings, widths)
    print(table.text(), end="")
    print(f"{table.seconds:.1f} s, {time.process_time() - busy:.1f} cpu s")
    return 0
