"""Vocalic in fixed point: five letters, boxes L10 to L120, 8, 16 and 32 bits; all have to be decided.

Arguments: `published` (25-5-4-5, default) or `own` (25-10-4-5, trained here on vowels drawn with noise); the
limit in seconds (default 20); `nearest` to look for the nearest adversarial vowel of each letter as well, in
16 bits. The published boxes reach twice as many grey levels as their name says from the images; those of the
own network have the name's side.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from bench import qnn
from bench.nn_fixed_iris import box_property
from vouch.nn.fixed.decide import verify_integers
from vouch.nn.fixed.format import formats_of
from vouch.nn.fixed.nearest import nearest
from vouch.nn.fixed.quantise import quantise
from vouch.nn.fixed.table import activation_of
from vouch.nn.loaders.objects import from_sklearn
from vouch.nn.network import Network
from vouch.settings import resolve

WIDTHS = {8: "7.1", 16: "7.9", 32: "7.25"}
DRAWN = {
    "A": " ### #   #######   ##   #",
    "E": "######    #### #    #####",
    "I": "#####  #    #    #  #####",
    "O": " ### #   ##   ##   # ### ",
    "U": "#   ##   ##   ##   # ### ",
}


def trained() -> Network:
    """25-10-4-5 with sigmoids, trained on the drawn vowels with noise; ink is 1, paper is 0."""
    from sklearn.neural_network import MLPClassifier

    pictures = np.array([[float(c == "#") for c in DRAWN[letter]] for letter in qnn.LETTERS])
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, 2000)
    noisy = np.clip(pictures[labels] + rng.normal(0, 0.3, (2000, 25)), 0, 1)
    kind: dict[str, Any] = {"activation": "logistic", "alpha": 1e-3, "learning_rate_init": 0.01}
    model = MLPClassifier((10, 4), max_iter=300, random_state=0, **kind).fit(noisy, labels)
    print(f"own network: {model.score(noisy, labels):.1%} of the training data right")
    return from_sklearn(model)


def main(arguments: list[str]) -> int:
    own = bool(arguments) and arguments[0] == "own"
    limit = float(arguments[1]) if len(arguments) > 1 else 20.0
    settings = resolve("nn", {"step": "1/255", "timeout": limit})
    network = trained() if own else qnn.vocalic()
    images = qnn.published()["vocalic_base_images"]
    if own:
        images = {letter: [255 * (c == "#") for c in text] for letter, text in DRAWN.items()}
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
    if "nearest" in arguments:
        undecided += near(network, images, limit)
    return 1 if undecided else 0


def near(network: Network, images: Any, limit: float) -> int:
    """The nearest adversarial vowel of each letter; how many are not known to be the nearest."""
    options = {"step": "1/255", "timeout": limit / 0.75, "format": WIDTHS[16], "activation": "lut:0.01"}
    missed = 0
    for label, letter in enumerate(qnn.LETTERS):
        busy, point = time.process_time(), np.array(images[letter]) / 255
        found = nearest(network, point, resolve("nn", options), label=label, lower=0.0, upper=1.0)
        missed += not found.exact
        print(
            f"nearest to {letter}: {found.distance}, none nearer than {found.proved} "
            f"{'' if found.exact else '(open between) '}{time.process_time() - busy:.2f} cpu s",
            flush=True,
        )
    return missed
