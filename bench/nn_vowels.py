"""Vowels: an adversarial case within the Euclidean distances of Sena et al. 2021b, table 6, found or not.

The example network (25 inputs, two layers of sigmoids) on the published images of five letters. A number as
argument is the limit in seconds (default 5); with `nearest` also the nearest one within 2.5.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from bench import qnn
from vouch.nn.api import robust
from vouch.nn.loaders import load
from vouch.nn.nearest import nearest
from vouch.settings import resolve

EXAMPLE = Path(__file__).parents[1] / "examples" / "nn" / "vowels.onnx"
# Image and distance of each of the 21 benchmarks.
ASKED = (
    ("A", (0.3, 0.5, 1.0, 1.5) * 2),
    ("E", (0.5, 0.7, 1.5, 2.5, 2.5)),
    ("O", (0.5, 0.7, 1.5, 2.5)),
    ("U", (0.3, 0.5, 1.0, 1.5)),
)


def main(arguments: list[str]) -> int:
    network, images = load(EXAMPLE), qnn.published()["vocalic_base_images"]
    limit = next((float(a) for a in arguments if a != "nearest"), 5.0)
    undecided, spent = 0, []
    for letter, radii in ASKED:
        point = np.array(images[letter], dtype=np.float64) / 255
        for radius in radii:
            busy = time.process_time()
            result = robust(network, point, radius, norm="l2", lower=0.0, upper=1.0, timeout=limit)
            spent.append(time.process_time() - busy)
            undecided += result.verdict.value not in ("safe", "unsafe")
            print(f"{letter} {radius:4} {result.verdict.value:8} {spent[-1]:6.2f} cpu s", flush=True)
        if "nearest" in arguments:
            found = nearest(network, point, resolve("nn", {"timeout": 20}), radius=2.5, lower=0.0, upper=1.0)
            print(f"{letter} nearest {found.distance}, none within {found.proved:.4f}, {found.seconds:.1f} s")
    print(f"{len(spent) - undecided} of {len(spent)} decided, largest {max(spent):.2f} cpu s")
    return 1 if undecided else 0
