"""What the compression examples share: the 8×8 digits, the teacher network, reading and writing.

python digits.py reference.onnx digits.csv      trains the teacher (64-32-16-10) and writes the data
"""

from __future__ import annotations

import sys

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

from vouch.nn import Network, load
from vouch.nn.export import to_onnx
from vouch.nn.lowered import lower

Layers = list[tuple[np.ndarray, np.ndarray]]


def data() -> tuple[np.ndarray, np.ndarray]:
    """1,797 images of 64 pixels between 0 and 16, and their labels."""
    images, labels = load_digits(return_X_y=True)
    return images, labels


def read(path: str) -> Layers:
    layers = lower(load(path)).as_layers()
    if layers is None:
        raise SystemExit(f"{path}: not a plain ReLU network")
    return layers


def write(path: str, layers: Layers) -> None:
    """ONNX with float32 weights."""
    rounded = [(w.astype(np.float32).astype(float), b.astype(np.float32).astype(float)) for w, b in layers]
    with open(path, "wb") as file:
        file.write(to_onnx(Network.from_layers(rounded), double=False))


def outputs(layers: Layers, x: np.ndarray) -> np.ndarray:
    for weights, bias in layers[:-1]:
        x = np.maximum(x @ weights.T + bias, 0.0)
    return x @ layers[-1][0].T + layers[-1][1]


def accuracy(layers: Layers) -> float:
    images, labels = data()
    return float((outputs(layers, images).argmax(axis=1) == labels).mean())


def from_sklearn(model: MLPClassifier) -> Layers:
    return [(w.T.copy(), b.copy()) for w, b in zip(model.coefs_, model.intercepts_, strict=True)]


def main() -> None:
    network, table = sys.argv[1:3]
    images, labels = data()
    model = MLPClassifier((32, 16), max_iter=400, alpha=1e-2, random_state=0).fit(images, labels)
    write(network, from_sklearn(model))
    np.savetxt(table, np.column_stack([images, labels]), fmt="%g", delimiter=",")
    print(f"{network}: accuracy {accuracy(from_sklearn(model)):.3f}")


if __name__ == "__main__":
    main()
