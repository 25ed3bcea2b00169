"""Writes the models of this folder, and what Keras computes for them: run it where Keras is installed.

The tests only read the results, so that they need neither Keras nor a back end for it.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import keras
import numpy as np
from keras import layers as L

HERE = Path(__file__).parent
RNG = np.random.default_rng(0)


def residual() -> keras.Model:
    x = keras.Input((6,))
    a = L.Dense(6, activation="sigmoid", name="zz")(x)
    b = L.Dense(6, name="aa")(a)
    c = L.Add()([a, b])
    difference = L.Subtract()([L.Maximum()([c, b]), x])
    joined = L.Concatenate()([L.Concatenate()([c, x]), difference])
    return keras.Model(x, L.Dense(2)(joined))


MODELS = {
    "mlp": keras.Sequential(
        [
            keras.Input((4,)),
            L.Dense(5, activation="relu"),
            L.Dropout(0.2),
            L.Dense(3, activation="tanh"),
            L.Dense(2),
        ]
    ),
    "cnn": keras.Sequential(
        [
            keras.Input((8, 8, 2)),
            L.Conv2D(3, 3, padding="same", strides=2, activation="relu"),
            L.BatchNormalization(),
            L.MaxPooling2D(2),
            L.Flatten(),
            L.Dense(4, use_bias=False),
            L.LeakyReLU(negative_slope=0.1),
            L.Dense(3, activation="softmax"),
        ]
    ),
    "cnn1": keras.Sequential(
        [
            keras.Input((9, 2)),
            L.ZeroPadding1D(2),
            L.Conv1D(3, 2, dilation_rate=2),
            L.ReLU(max_value=1.0),
            L.AveragePooling1D(2),
            L.GlobalAveragePooling1D(),
            L.Dense(2),
        ]
    ),
    "misc": keras.Sequential(
        [
            keras.Input((4, 4, 3)),
            L.Rescaling(1 / 2, offset=-0.5),
            L.ZeroPadding2D(((1, 0), (0, 2))),
            L.AveragePooling2D((2, 2), padding="same"),
            L.Permute((2, 1, 3)),
            L.Reshape((-1, 3)),
            L.Activation("relu"),
            L.GlobalAveragePooling1D(),
            L.Dense(3),
            L.Softmax(),
        ]
    ),
    "res": residual(),
}


def main() -> None:
    for name, model in MODELS.items():
        weights = [RNG.normal(size=w.shape) * 0.5 for w in model.get_weights()]
        positive = ["var" in v.path for v in model.weights]
        model.set_weights([abs(w) + 0.1 if p else w for w, p in zip(weights, positive, strict=True)])
        x = RNG.normal(size=(5, *model.input_shape[1:])).astype(np.float32)
        np.savez(HERE / name, x=x, y=np.array(model(x, training=False)))
        for suffix in (".keras", ".h5"):
            file = HERE / (name + suffix)
            model.save(file)
            (HERE / f"{name}{suffix}.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
            file.unlink()


if __name__ == "__main__":
    main()
