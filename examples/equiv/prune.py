"""Compression by magnitude: set the smallest weights to zero, retrain the others.

python prune.py reference.onnx FOLDER 30 60 90      one network for each share in per cent
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from digits import Layers, accuracy, data, from_sklearn, read, write
from sklearn.neural_network import MLPClassifier


def pruned(layers: Layers, share: float, rounds: int = 30) -> Layers:
    """The network with that share of all weights fixed at zero."""
    limit = np.quantile(np.concatenate([np.abs(w).ravel() for w, _ in layers]), share)
    masks = [np.abs(w) > limit for w, _ in layers]
    images, labels = data()
    model = MLPClassifier(tuple(len(b) for _, b in layers[:-1]), learning_rate_init=1e-3, random_state=0)
    model.partial_fit(images[:10], labels[:10], classes=np.arange(10))
    model.coefs_ = [(w * m).T.copy() for (w, _), m in zip(layers, masks, strict=True)]
    model.intercepts_ = [b.copy() for _, b in layers]
    for _ in range(rounds):
        model.partial_fit(images, labels)
        for weights, mask in zip(model.coefs_, masks, strict=True):
            weights *= mask.T
    return from_sklearn(model)


def main() -> None:
    reference, folder = read(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for percent in map(int, sys.argv[3:]):
        small = pruned(reference, percent / 100)
        write(str(folder / f"pruned_{percent}.onnx"), small)
        print(f"pruned_{percent}: accuracy {accuracy(small):.3f}")


if __name__ == "__main__":
    main()
