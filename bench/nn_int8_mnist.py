"""MNIST in int8: 784-64-10, quantised by onnxruntime's tool; 100 images, radius 1 to 4 grey levels.

Arguments: the limit in seconds of processor time (default 30), and the number of images (default 100); the
clock may take four times as long. The network is trained on 9,000 of the 10,000 test images; the images asked
about are among the others.
"""

from __future__ import annotations

import logging
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench import mnist
from vouch.nn import Network, robust
from vouch.nn.export import to_onnx
from vouch.nn.int8.network import Quantised
from vouch.nn.loaders import load_subject

TRAINING = 9000


def main(arguments: list[str]) -> int:
    limit = float(arguments[0]) if arguments else 30.0
    count = int(arguments[1]) if len(arguments) > 1 else 100
    pixels, labels = mnist.images()
    network = quantised(pixels[:TRAINING], labels[:TRAINING])
    rest, truth = pixels[TRAINING:], labels[TRAINING:]
    right = network.evaluate(rest).argmax(1) == truth
    print(f"{right.mean():.1%} of {len(rest)} images right")
    chosen = np.flatnonzero(right)[:count]
    undecided, asked = 0, 0
    for grey in (1, 2, 3, 4):
        spent, verdicts = [], {"safe": 0, "unsafe": 0}
        for index in chosen:
            began = time.process_time()
            label, ends = int(truth[index]), {"lower": 0.0, "upper": 1.0}
            result = robust(network, rest[index], grey / 255, label=label, timeout=4 * limit, **ends)
            spent.append(time.process_time() - began)
            verdict = result.verdict.value if spent[-1] <= limit else "timeout"
            verdicts[verdict] = verdicts.get(verdict, 0) + 1
            asked += 1
            if verdict not in ("safe", "unsafe"):
                undecided += 1
                print(
                    f"radius {grey}, image {TRAINING + index}: {verdict}, {spent[-1]:.1f} cpu s", flush=True
                )
        middle, most = statistics.median(spent), max(spent)
        print(f"radius {grey}: {verdicts}; median {middle:.2f}, largest {most:.1f} cpu s", flush=True)
    share = 1 - undecided / asked
    print(f"{share:.1%} of {asked} decided within {limit:g} s of processor time")
    return 0 if share >= 0.95 else 1


def quantised(rows: Any, labels: Any) -> Quantised:
    """The network, trained and quantised."""
    from onnxruntime.quantization import CalibrationDataReader, quantize_static

    class Images(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self, name: str) -> None:
            self.left = iter([{name: row[None, :].astype(np.float32)} for row in rows[:500]])

        def get_next(self) -> Any:
            return next(self.left, None)

    logging.getLogger().setLevel(logging.ERROR)
    network = Network.from_layers(mnist.trained((784, 64, 10), rows, labels))
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "float.onnx", Path(folder) / "int8.onnx"
        before.write_bytes(to_onnx(network, double=False))
        quantize_static(before, after, Images(network.input))
        found = load_subject(after)
    assert isinstance(found, Quantised)
    return found
