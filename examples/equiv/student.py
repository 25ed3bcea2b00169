"""Compression by a student: a smaller network learns the outputs of the teacher.

python student.py reference.onnx FOLDER 18-18 36      one network for each list of hidden layers
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from digits import Layers, accuracy, data, from_sklearn, outputs, read, write
from sklearn.neural_network import MLPRegressor


def student(teacher: Layers, hidden: tuple[int, ...]) -> Layers:
    """A network with these hidden layers that imitates the teacher, on the images and on noisy copies."""
    images, _ = data()
    rng = np.random.default_rng(0)
    noisy = np.clip(images + rng.normal(size=images.shape), 0.0, 16.0)
    x = np.concatenate([images, noisy])
    model = MLPRegressor(hidden_layer_sizes=hidden, max_iter=200, random_state=0)
    return from_sklearn(model.fit(x, outputs(teacher, x)))


def main() -> None:
    teacher, folder = read(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for text in sys.argv[3:]:
        small = student(teacher, tuple(int(part) for part in text.split("-")))
        write(str(folder / f"student_{text}.onnx"), small)
        print(f"student_{text}: accuracy {accuracy(small):.3f}")


if __name__ == "__main__":
    main()
