"""Model against code from Keras to C: what Keras trained and saved, and what emlearn makes of it.

    python -m bench equiv_keras [--count 6] [--bugs 5]

Needs Keras 3 (`pip install keras`), which computes with PyTorch here, beside the packages for development.
Each network is trained for a moment, saved as `.keras` or `.h5` in turn, which vouch reads itself, and handed
to emlearn's own converter of Keras models; then once more with each bug in what the converter gets.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bench.code_styles import Layers
from bench.equiv_code import ACTIVATIONS, BUGS, compared, with_bug

_KERAS = {"logistic": "sigmoid", "identity": "linear"}
_EPSILON = 1e-4


def sequential(layers: Layers, activations: list[str]) -> Any:
    """The Keras model with these weights."""
    import keras

    inputs = keras.layers.Input((layers[0][0].shape[1],))
    kinds = [_KERAS.get(kind, kind) for kind in activations]
    dense = [keras.layers.Dense(len(b), activation=kind) for (_, b), kind in zip(layers, kinds, strict=True)]
    model = keras.Sequential([inputs, *dense])
    for layer, (weights, bias) in zip(dense, layers, strict=True):
        layer.set_weights([weights.T, bias])
    return model


def trained(seed: int, activations: list[str]) -> Layers:
    """The weights after a few rounds over samples of two functions of three numbers."""
    rng = np.random.default_rng(seed)
    sizes = [3, *(int(n) for n in rng.integers(3, 6, len(activations) - 1)), 2]
    shapes = pairwise(sizes)
    model = sequential([(rng.normal(size=(b, a)), rng.normal(size=b)) for a, b in shapes], activations)
    x = rng.uniform(-1, 1, (256, 3)).astype("f4")
    y = np.column_stack([np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2], np.abs(x[:, 0])])
    model.compile(optimizer="adam", loss="mse")
    model.fit(x, y, epochs=10, verbose=0)
    weights = [layer.get_weights() for layer in model.layers]
    return [(np.asarray(w).T, np.asarray(b)) for w, b in weights]


def _verdicts(number: int, bugs: list[str]) -> Iterator[tuple[str, str]]:
    with np.errstate():  # a module of the package sets how numpy treats underflow for everybody
        import emlearn

    kind = ACTIVATIONS[number % len(ACTIVATIONS)]
    activations = [*[kind] * (1 + number // len(ACTIVATIONS) % 2), "identity"]
    layers = trained(number, activations)
    headers = str(Path(str(emlearn.__file__)).parent)
    for bug in ["as it is", *bugs]:
        made = with_bug(layers, activations, bug)
        if made is None:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder, model = Path(name), "net.h5" if number % 2 else "net.keras"
            sequential(layers, activations).save(folder / model)
            with chdir(folder):  # the converter compiles in a folder of its own there
                code = emlearn.convert(sequential(*made), method="loadable", return_type="regressor")
                code.save(file="net.h", name="net")
            words = [model, "net.h", "-I", headers, "--function", "net_regress", "--epsilon", str(_EPSILON)]
            yield bug, compared(words, 3, folder)


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=6)
    parser.add_argument("--bugs", type=int, default=len(BUGS))
    arguments = parser.parse_args(words)
    os.environ.setdefault("KERAS_BACKEND", "torch")
    try:
        import keras
    except ImportError as error:
        print(f"Keras cannot be used here ({error}): pip install keras", file=sys.stderr)
        return 2
    print(f"Keras {keras.__version__}, by {keras.backend.backend()}")
    table: Counter[tuple[str, str]] = Counter()
    for number in range(arguments.count):
        for bug, verdict in _verdicts(number, list(BUGS)[: arguments.bugs]):
            table[bug, verdict] += 1
            print(f"{number:3} {bug:20} {verdict}", flush=True)
    print("\n| code | verdict | networks |\n|---|---|---|")
    for (bug, verdict), count in table.items():
        print(f"| {bug} | {verdict} | {count} |")
    wrong = any((verdict == "equivalent") is not (bug == "as it is") for bug, verdict in table)
    return 1 if wrong else 0
