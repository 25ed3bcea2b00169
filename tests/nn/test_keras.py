"""Keras files against what Keras computed (see keras/make.py), and files that are no models."""

from __future__ import annotations

import gzip
import io
import json
import signal
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest

from vouch.errors import VouchError
from vouch.nn.loaders import load
from vouch.nn.lowering import lower
from vouch.nn.replay import replay

h5py = pytest.importorskip("h5py")

MODELS = sorted((Path(__file__).parent / "keras").glob("*.gz"))


@pytest.mark.parametrize("file", MODELS, ids=lambda file: file.name)
def test_agrees_with_keras(file):
    network = load(file)
    with np.load(file.with_name(file.name.split(".")[0] + ".npz")) as data:
        x, expected = data["x"].astype(np.float64), data["y"].reshape(5, -1)
    assert network.input_shape == (1, *x.shape[1:])
    np.testing.assert_allclose(network.evaluate(x), expected, atol=1e-6)
    np.testing.assert_allclose(replay(network, x), expected, atol=1e-6)
    lowered = lower(network)
    values = lowered.evaluate(x)
    if lowered.softmax:
        values = np.exp(values) / np.exp(values).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(values, expected, atol=1e-6)


def test_models_are_found():
    assert len(MODELS) == 10


def keras2(path, layers, weights, kind="Sequential"):
    """A file as Keras 2 wrote it: the configuration as an attribute, weights by layer."""
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps({"class_name": kind, "config": {"layers": layers}})
        top = file.create_group("model_weights")
        for name, arrays in weights.items():
            group = top.create_group(name)
            group.attrs["weight_names"] = [f"{name}/{i}".encode() for i in range(len(arrays))]
            for i, array in enumerate(arrays):
                group[f"{name}/{i}"] = array
    return path


def dense(name, **config):
    return {"class_name": "Dense", "config": {"name": name, "activation": "relu", **config}}


def test_keras_2_file(tmp_path):
    kernel, bias = np.float32([[1, -2], [3, 4]]), np.float32([0.5, -1])
    first = dense("a", batch_input_shape=[None, 2])
    network = load(keras2(tmp_path / "m.h5", [first], {"a": [kernel, bias]}))
    # relu((1, 2) K + b) = relu((1 + 6 + 0.5, -2 + 8 - 1))
    np.testing.assert_array_equal(network.evaluate(np.array([[1.0, 2.0]])), [[7.5, 5.0]])


def test_custom_layer_is_named(tmp_path):
    layers = [{"class_name": "Lambda", "config": {"name": "evil", "batch_input_shape": [None, 2]}}]
    with pytest.raises(VouchError, match="layer 'evil': Lambda is not supported"):
        load(keras2(tmp_path / "m.h5", layers, {}))


def test_unknown_activation_is_named(tmp_path):
    layers = [dense("a", batch_input_shape=[None, 2]) | {}]
    layers[0]["config"]["activation"] = "swish"
    path = keras2(tmp_path / "m.h5", layers, {"a": [np.eye(2), np.zeros(2)]})
    with pytest.raises(VouchError, match=r"layer 'a' \(Dense\): activation 'swish' is not supported"):
        load(path)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([np.eye(2)], "1 weight arrays where 2 are expected"),
        ([np.eye(3), np.zeros(3)], "input of shape"),
        ([np.eye(2), np.zeros(5)], "do not fit"),
        ([np.full((2, 2), np.nan), np.zeros(2)], "NaN"),
    ],
)
def test_weights_that_do_not_fit(tmp_path, weights, message):
    path = keras2(tmp_path / "m.h5", [dense("a", batch_input_shape=[None, 2])], {"a": weights})
    with pytest.raises(VouchError, match=message):
        load(path)


def _zip(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("_json", ".json"), data)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("m.h5", b"not hdf5"),
        ("m.h5", b""),
        ("m.keras", b"not a zip"),
        ("m.keras", _zip(config_json="{}")),
        ("m.keras", _zip(config_json="[")),
        ("m.h5.gz", gzip.compress(b"x" * 100, mtime=0)),
        ("m.h5.gz", b"\x1f\x8b broken"),
    ],
)
def test_no_model(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(VouchError):
        load(tmp_path / name)


def test_weights_from_elsewhere_are_refused(tmp_path):
    """Links and external storage would read other files; a huge array would fill the memory."""
    other = keras2(
        tmp_path / "other.h5", [dense("a", batch_input_shape=[None, 2])], {"a": [np.eye(2), np.zeros(2)]}
    )
    (tmp_path / "raw.bin").write_bytes(np.eye(2).tobytes())

    def external_link(group):
        group["a/0"] = h5py.ExternalLink(str(other), "model_weights/a/a/0")

    def soft_link(group):
        group["a/0"] = h5py.SoftLink("/model_weights/a/a/1")

    def external_storage(group):
        group.create_dataset("a/0", (2, 2), "f8", external=[(str(tmp_path / "raw.bin"), 0, 32)])

    def huge(group):
        group.create_dataset("a/0", (1 << 20, 1 << 20), "f8", chunks=(1024, 1024))

    for number, (change, message) in enumerate(
        [(external_link, "a link"), (soft_link, "a link"), (external_storage, "outside"), (huge, "too large")]
    ):
        layers = [dense("a", batch_input_shape=[None, 2])]
        path = keras2(tmp_path / f"m{number}.h5", layers, {"a": [np.eye(2), np.zeros(2)]})
        with h5py.File(path, "a") as file:
            del file["model_weights/a/a/0"]
            change(file["model_weights/a"])
        with pytest.raises(VouchError, match=message):
            load(path)


def test_a_crash_of_the_library_is_an_error(tmp_path, monkeypatch):
    crashed = subprocess.CompletedProcess([], -signal.SIGSEGV, b"", b"")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: crashed)
    (tmp_path / "m.h5").write_bytes(b"anything")
    with pytest.raises(VouchError, match="damaged"):
        load(tmp_path / "m.h5")


def test_modules_of_the_current_folder_are_not_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "h5py.py").write_text("raise SystemExit('taken over')")
    assert load(MODELS[0]).inputs > 0


def test_truncated_file(tmp_path):
    data = gzip.decompress((Path(__file__).parent / "keras" / "mlp.h5.gz").read_bytes())
    for keep in (100, 1000, len(data) // 2):
        (tmp_path / "m.h5").write_bytes(data[:keep])
        with pytest.raises(VouchError):
            load(tmp_path / "m.h5")
