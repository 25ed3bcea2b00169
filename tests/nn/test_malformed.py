"""Files that are broken, hostile or not supported: always one VouchError that names the place."""

from __future__ import annotations

import gzip
import os

import numpy as np
import onnx
import pytest
from onnx import TensorProto
from onnx_models import floats, ints, model, node

from vouch.errors import VouchError
from vouch.nn.loaders import load
from vouch.nn.loaders.onnx import from_bytes

R = np.random.default_rng(3)


def refused(data, message):
    with pytest.raises(VouchError, match=message) as caught:
        from_bytes(data, "net")
    assert "\n" not in str(caught.value)


def one(kind, shape, inputs="x", constants=None, **attributes):
    return model([node(kind, inputs, **attributes)], shape, constants)


@pytest.mark.parametrize("kind", ["Cosh", "LSTM", "Sin", "QuantizeLinear"])
def test_unsupported_operator_is_named_with_its_node(kind):
    refused(one(kind, [1, 3]), f"node '{kind.lower()}_node'.*operator {kind} is not supported")


def test_foreign_domain():
    inner = node("Gelu", "x")
    inner.domain = "com.microsoft"
    refused(model([inner], [1, 3]), "operator com.microsoft.Gelu is not supported")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda: one("MatMul", [1, 4], "x w", {"w": floats(R, 3, 2)}), "do not multiply"),
        (lambda: one("Gemm", [1, 4], "x w", {"w": floats(R, 3, 2)}), "input of shape"),
        (lambda: one("Gemm", [1, 4], "x w b", {"w": floats(R, 4, 2), "b": floats(R, 7)}), "do not fit"),
        (lambda: one("Gemm", [4], "x w", {"w": floats(R, 4, 2)}), "a matrix expected"),
        (lambda: one("Add", [1, 4], "x c", {"c": floats(R, 3)}), "do not fit together"),
        (lambda: one("Conv", [1, 3, 4, 4], "x w", {"w": floats(R, 2, 2, 3, 3)}), "3 channels"),
        (lambda: one("Conv", [1, 2, 4, 4], "x w", {"w": floats(R, 2, 2, 5, 3)}), "does not fit"),
        (lambda: one("Conv", [1, 2, 4], "x w", {"w": floats(R, 2, 2, 3, 3)}), "a kernel of shape"),
        (lambda: one("Conv", [1, 1, 4], "x w", {"w": floats(R, 1, 1, 2)}, strides=[0]), "positive"),
        (lambda: one("Conv", [1, 1, 4], "x w", {"w": floats(R, 1, 1, 2)}, pads=[1]), "do not fit"),
        (lambda: one("Conv", [1, 1, 4], "x w b", {"w": floats(R, 1, 1, 2), "b": floats(R, 3)}), "bias"),
        (lambda: one("Reshape", [1, 4], "x s", {"s": ints(3, -1)}), "does not fit"),
        (lambda: one("Reshape", [1, 4], "x s", {"s": ints(-1, -1)}), "target shape"),
        (lambda: one("Reshape", [1, 4], "x s", {"s": ints(5)}), "does not fit"),
        (lambda: one("Gather", [1, 4], "x i", {"i": ints(9)}, axis=1), "does not fit"),
        (lambda: one("Transpose", [1, 4], perm=[0, 0]), "does not fit|repeated"),
        (lambda: one("Slice", [1, 4], "x s e a", {"s": ints(3), "e": ints(1), "a": ints(1)}), "empty result"),
        (lambda: one("Concat", [1, 4], "x c", {"c": floats(R, 2, 2, 2)}, axis=1), "do not join"),
        (lambda: one("Squeeze", [1, 4], "x a", {"a": ints(1)}), "not all 1"),
        (lambda: one("MaxPool", [1, 1, 2, 2], kernel_shape=[3, 3]), "does not fit"),
        (lambda: one("MaxPool", [1, 1, 2, 2]), "a kernel of shape"),
        (
            lambda: one("MaxPool", [1, 1, 1], kernel_shape=[2], pads=[1, 1], dilations=[2]),
            "over padding alone",
        ),
        (
            lambda: one("MaxPool", [1, 1, 6], kernel_shape=[2], auto_pad="SAME_UPPER", dilations=[2]),
            "SAME_UPPER with dilations",
        ),
        (
            lambda: one(
                "Conv", [1, 1, 6], "x w", {"w": floats(R, 1, 1, 2)}, auto_pad="SAME_LOWER", dilations=[2]
            ),
            "SAME_LOWER with dilations",
        ),
        (
            lambda: one("AveragePool", [1, 1, 6], kernel_shape=[1], auto_pad="SAME_UPPER", strides=[3]),
            "a stride above the kernel",
        ),
        (lambda: one("Softmax", [1, 4], axis=5), "no axis 5"),
        (lambda: one("Clip", [1, 4], "x lo hi", {"lo": np.float32(2), "hi": np.float32(1)}), "empty range"),
        (lambda: one("Div", [1, 2], "x c", {"c": np.float32([1, 0])}), "contains zero"),
        (lambda: one("Mul", [1, 2], "x c", {"c": np.float32([1, np.inf])}), "NaN or infinity"),
        (lambda: one("Pow", [1, 2], "c x", {"c": floats(R, 2)}), "has to be constant"),
        (lambda: one("Pow", [1, 2], "x c", {"c": floats(R, 2)}), "exponents that differ"),
        (lambda: one("Pow", [1, 2], "x c", {"c": np.float32(0)}), "exponent of 0"),
        (
            lambda: one("Resize", [1, 1, 2, 2], "x - s", {"s": np.float32([1, 1, 2, 2])}, mode="cubic"),
            "cubic",
        ),
        (
            lambda: one(
                "Resize",
                [1, 1, 9, 9],
                "x - - s",
                {"s": ints(1, 1, 6, 6)},
                coordinate_transformation_mode="asymmetric",
                nearest_mode="floor",
            ),
            "different nearest pixels",
        ),
        (lambda: one("Einsum", [1, 2], equation="...i->i"), "equation"),
        (lambda: one("Einsum", [2, 2], equation="ii->i"), "equation"),
        (lambda: one("Tile", [1, 2], "x r", {"r": ints(2)}), "repeats"),
        (lambda: one("DepthToSpace", [1, 3, 2, 2], blocksize=2), "blocks of 2"),
        (lambda: one("LayerNormalization", [1, 3], "x s", {"s": floats(R, 3)}, epsilon=0.0), "epsilon"),
        (lambda: one("ConvTranspose", [1, 2, 3], "x w", {"w": floats(R, 3, 1, 2)}), "weights of shape"),
        (
            lambda: one("ConvTranspose", [1, 1, 3], "x w", {"w": floats(R, 1, 1, 2)}, auto_pad="SAME_UPPER"),
            "auto_pad SAME",
        ),
        (
            lambda: one("Where", [2], "m x c", {"m": np.array([True, False]), "c": np.float32(-np.inf)}),
            "minus infinity",
        ),
        (lambda: one("Add", [1, 2], "x"), "input 1 is missing"),
        (lambda: one("Relu", [1, 2], "nowhere"), "nothing before it computes its input 'nowhere'"),
        (lambda: one("Pad", [1, 2], "x p", {"p": ints(1)}), "1 pads for 2 axes"),
        (lambda: one("Pad", [1, 2], "x p", {"p": ints(0, 10**12, 0, 0)}), "padded to"),
        (lambda: one("Expand", [1, 2], "x s", {"s": ints(10**6, 10**6, 1)}), "too large"),
        (lambda: one("Relu", [1, 10**12]), "an input of shape"),
        (lambda: one("LeakyRelu", [1, 2], alpha=float("nan")), "NaN"),
        (lambda: one("HardSigmoid", [1, 2], alpha=float("inf")), "infinite"),
        (lambda: one("Clip", [1, 4], "x lo", {"lo": np.float32(np.inf)}), "empty range"),
        (lambda: one("Pad", [1, 2], "x p", {"p": ints(0, 1, 0, 1)}, mode="wrap"), "mode 'wrap'"),
        (lambda: one("Squeeze", [1, 4], "x a", {"a": np.zeros(0, np.int64)}), "empty list of axes"),
        (lambda: one("PRelu", [1, 4], "x s", {"s": np.ones((1, 1, 1), np.float32)}), "slopes of shape"),
        (lambda: model([node("Relu", "x", "y"), node("Relu", "y", "y")], [1, 2]), "two nodes are called 'y'"),
        (lambda: model([node("Relu", "x")], [1, 2], output="z"), "nothing computes the output 'z'"),
        (lambda: model([node("Relu", "c")], [1, 2], {"c": floats(R, 2)}), "is constant"),
        (lambda: model([node("Relu", "x")], [1, "width"]), "dimension 1 is not fixed"),
        (lambda: model([node("Relu", "x")], [0, 2]), "dimension 0 is 0"),
        (lambda: model([node("Relu", "x")], [1, 2], kind=TensorProto.INT64), "INT64"),
        (lambda: model([node("RandomNormal", "", "r", shape=[2]), node("Add", "x r")], [2]), "RandomNormal"),
    ],
)
def test_what_does_not_fit(data, message):
    refused(data(), message)


def test_huge_constant_is_not_computed():
    nodes = [node("ConstantOfShape", "s", "c"), node("Add", "x c")]
    refused(model(nodes, [1], {"s": ints(100_000, 100_000, 100_000)}), "too large")


def test_two_inputs_of_different_types():
    data = onnx.load_from_string(one("Relu", [1, 2]))
    data.graph.input.append(onnx.helper.make_tensor_value_info("z", TensorProto.DOUBLE, [1]))
    refused(data.SerializeToString(), "different types")


def test_no_outputs():
    data = onnx.load_from_string(one("Relu", [1, 2]))
    del data.graph.output[:]
    refused(data.SerializeToString(), "1 inputs and 0 outputs")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            model([node("Add", "x c", broadcast=1, axis=0)], [2, 2], {"c": floats(R, 2)}, opset=6),
            "old broadcasting",
        ),
        (model([node("Dropout", "x")], [1, 2], opset=6), "training mode"),
        (model([node("Cast", "x", "c", to=10), node("Relu", "c")], [1, 2]), "another type"),
        (model([node("Cast", "x", "c", to=7), node("Relu", "c")], [1, 2]), "another type"),
        (model([node("Cast", "x", "c", to=9), node("Not", "c")], [1, 2]), "another type"),
    ],
)
def test_meanings_of_old_and_of_other_types_are_refused(data, message):
    refused(data, message)


def test_dropped_in_training_mode():
    data = model([node("Dropout", "x - t")], [1, 2], {"t": np.array(True)})
    refused(data, "training mode")


def test_any_prefix_or_flipped_byte_ends_in_an_error_or_a_network():
    """Nothing but VouchError ever comes out of bytes that are not a model."""
    data = one("Gemm", [1, 4], "x w b", {"w": floats(R, 4, 3), "b": floats(R, 3)})
    rng = np.random.default_rng(0)
    changed = [data[:n] for n in range(0, len(data), 7)]
    for place in rng.integers(0, len(data), 150):
        broken = bytearray(data)
        broken[place] ^= 1 << int(rng.integers(8))
        changed.append(bytes(broken))
    accepted = 0
    for candidate in changed:
        try:
            from_bytes(candidate, "net")
            accepted += 1
        except VouchError:
            pass
    assert accepted < len(changed)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.onnx", b"garbage", "not an ONNX model"),
        ("a.onnx", b"", "not an ONNX model"),
        ("a.onnx.gz", gzip.compress(b"garbage", mtime=0), "not an ONNX model"),
        ("a.onnx.gz", gzip.compress(b"garbage", mtime=0)[:-6], "a.onnx.gz"),
        ("a.txt", b"", "unknown kind of network"),
    ],
)
def test_files(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(VouchError, match=message):
        load(tmp_path / name)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(VouchError, match="no such file"):
        load(tmp_path / "none.onnx")
    with pytest.raises(VouchError, match="not a file"):
        load(tmp_path)


def external(tmp_path, location, **entries):
    """A model whose weights lie in another file."""
    weights = floats(R, 4, 3)
    data = onnx.load_from_string(one("MatMul", [1, 4], "x w", {"w": weights}))
    tensor = data.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "net.onnx").write_bytes(data.SerializeToString())
    return folder, weights


def test_external_data_is_read_and_replayed(tmp_path):
    folder, weights = external(tmp_path, "sub/weights.bin", offset=8, length=48)
    (folder / "sub").mkdir()
    (folder / "sub/weights.bin").write_bytes(b"\0" * 8 + weights.tobytes() + b"more")
    network = load(folder / "net.onnx")
    x = np.eye(4)
    np.testing.assert_array_equal(network.evaluate(x), weights)
    from vouch.nn.replay import replay

    np.testing.assert_array_equal(replay(network, x), weights)


@pytest.mark.parametrize(
    "location", ["../weights.bin", "sub/../../weights.bin", "ABSOLUTE", "", "link", "linked/weights.bin"]
)
def test_external_data_stays_in_the_folder(tmp_path, location):
    (tmp_path / "weights.bin").write_bytes(b"\0" * 48)
    location = str(tmp_path / "weights.bin") if location == "ABSOLUTE" else location
    folder, _ = external(tmp_path, location)
    os.symlink(tmp_path / "weights.bin", folder / "link")
    os.symlink(tmp_path, folder / "linked")
    with pytest.raises(VouchError, match=r"tensor 'w': external data .* outside the model's folder"):
        load(folder / "net.onnx")


@pytest.mark.parametrize(
    "entries",
    [{"offset": -1}, {"offset": 40, "length": 48}, {"length": "x"}, {"length": 10**12}, {"length": 12}],
)
def test_external_data_that_does_not_fit(tmp_path, entries):
    folder, weights = external(tmp_path, "w.bin", **entries)
    (folder / "w.bin").write_bytes(weights.tobytes())
    with pytest.raises(VouchError, match="tensor 'w'"):
        load(folder / "net.onnx")


def test_external_data_that_is_missing(tmp_path):
    folder, _ = external(tmp_path, "w.bin")
    with pytest.raises(VouchError, match="no such file"):
        load(folder / "net.onnx")
