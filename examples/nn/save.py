"""What the training scripts share: a trained scikit-learn network as an ONNX file, and properties for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.neural_network import MLPClassifier

from vouch.nn.export import to_onnx
from vouch.nn.network import Network

HERE = Path(__file__).parent


def save(model: MLPClassifier, name: str) -> Network:
    """Write `name`.onnx with the model's scores before the softmax, in float32."""
    layers = [
        (w.T.astype(np.float32), b.astype(np.float32))
        for w, b in zip(model.coefs_, model.intercepts_, strict=True)
    ]
    network = Network.from_layers(layers, model.activation, name)
    (HERE / f"{name}.onnx").write_bytes(to_onnx(network))
    return network


def same_class(name: str, title: str, low: np.ndarray, high: np.ndarray, label: int, classes: int) -> None:
    """Write a VNN-LIB property: every input between `low` and `high` belongs to class `label`.

    VNN-LIB asks for a violation, so the file says: some other class scores at least as much.
    """
    lines = [f"; {title}", ""]
    lines += [f"(declare-const X_{i} Real)" for i in range(len(low))]
    lines += [f"(declare-const Y_{i} Real)" for i in range(classes)] + [""]
    for i, (a, b) in enumerate(zip(low, high, strict=True)):
        lines += [f"(assert (>= X_{i} {a:.6f}))", f"(assert (<= X_{i} {b:.6f}))"]
    rivals = " ".join(f"(and (>= Y_{i} Y_{label}))" for i in range(classes) if i != label)
    lines += ["", f"(assert (or {rivals}))"]
    (HERE / f"{name}.vnnlib").write_text("\n".join(lines) + "\n")


def point(name: str, values: np.ndarray) -> None:
    """Write one input as a line of numbers, for `vouch nn robust --input`."""
    (HERE / f"{name}.csv").write_text(",".join(f"{v:.6g}" for v in values) + "\n")
