"""Vocalic in fixed point: five letters, boxes L10 to L120, 8, 16 and 32 bits; all have to be decided.

Arguments: `published` (25-5-4-5, default) or `own` (the example network); the limit in seconds (default 20).
The published boxes reach twice as many grey levels as their name says from the images; those of the own
network have the name's side.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

from bench import qnn
from bench.nn_fixed_iris import box_property
from vouch.nn.fixed.decide import verify_integers
from vouch.nn.fixed.format import formats_of
from vouch.nn.fixed.quantise import quantise
from vouch.nn.fixed.table import activation_of
from vouch.nn.loaders import load
from vouch.settings import resolve

WIDTHS = {8: "7.1", 16: "7.9", 32: "7.25"}
EXAMPLE = Path(__file__).parent.parent / "examples" / "nn" / "vowels.onnx"


def main(arguments: list[str]) -> int:
    own = bool(arguments) and arguments[0] == "own"
    limit = float(arguments[1]) if len(arguments) > 1 else 20.0
    settings = resolve("nn", {"step": "1/255", "timeout": limit})
    network = load(EXAMPLE) if own else qnn.vocalic()
    images = qnn.published()["vocalic_base_images"]
    undecided, spent = 0, []
    for bits, text in WIDTHS.items():
        integers = quantise(network, formats_of(text), activation_of("lut:0.01"))
        for label, letter in enumerate(qnn.LETTERS):
            for side in (10, 20, 40, 80, 120):
                reach = side / 2 if own else 2 * side
                lower = [max(0, math.ceil(v - reach)) for v in images[letter]]
                upper = [min(255, math.floor(v + reach)) for v in images[letter]]
                prop = box_property(lower, upper, 255.0, label, 5)
                began, busy = time.perf_counter(), time.process_time()
                result = verify_integers(integers, prop, settings)
                spent.append(time.process_time() - busy)
                undecided += result.verdict.value not in ("safe", "unsafe")
                print(
                    f"{bits:2} bits {letter} L{side:3} {result.verdict.value:8} {result.engine:10} "
                    f"{time.perf_counter() - began:7.2f} s {spent[-1]:7.2f} cpu s",
                    flush=True,
                )
    print(
        f"{len(spent) - undecided} of {len(spent)} decided; {sum(spent):.1f}, largest {max(spent):.2f} cpu s"
    )
    return 1 if undecided else 0
