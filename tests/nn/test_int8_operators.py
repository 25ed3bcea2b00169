"""Each int8 operator beside layers by itself, on many numbers, against its runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from tests.nn.tflite_builder import Builder, options

from vouch.errors import VouchError
from vouch.nn.int8.network import Quantised
from vouch.nn.int8.onnx import read_quantised
from vouch.nn.loaders import load_subject

STEP, ZERO = 1 / 16, 3


def same_in_micro(folder: Path, builder: Builder, given: int, made: int, rng: Any) -> None:
    network = loaded(folder, builder.file(given, made))
    points = (rng.integers(-128, 128, (64, network.inputs)) - ZERO) * STEP
    assert np.array_equal(network.evaluate(points), network.runtime.run(points))


def loaded(folder: Path, data: bytes) -> Quantised:
    path = folder / "net.tflite"
    path.write_bytes(data)
    network = load_subject(path)
    assert isinstance(network, Quantised)
    return network


@pytest.mark.parametrize("kind", ["ADD", "SUB", "MUL"])
@pytest.mark.parametrize("constant", [None, 0, 1])
def test_two_operands_in_tflite(tmp_path: Path, kind: str, constant: int | None) -> None:
    """Both computed, or one of them constant; the second of shape [1, 1, 1, 6] is repeated."""
    rng = np.random.default_rng(len(kind) + (constant or 0))
    for fused in (0, 1, 3):
        b = Builder()
        given = b.tensor([1, 2, 2, 6], np.int8, STEP, ZERO)
        scale, zero = float(rng.uniform(0.02, 0.1)), int(rng.integers(-128, 128))
        if constant is None:
            axes = b.tensor([2], np.int32, data=[1, 2])
            other = b.tensor([1, 1, 1, 6], np.int8, scale, zero)
            b.operator("MEAN", [given, axes], other, options("ReducerOptions", keepDims=True))
        else:
            other = b.tensor([1, 1, 1, 6], np.int8, scale, zero, rng.integers(-128, 128, (1, 1, 1, 6)))
        after = float(rng.uniform(0.1, 0.4))
        made = b.tensor([1, 2, 2, 6], np.int8, after, int(rng.integers(-128, 128)))
        chosen = options(f"{kind.capitalize()}Options", fusedActivationFunction=fused)
        b.operator(kind, [given, other] if constant != 0 else [other, given], made, chosen)
        same_in_micro(tmp_path, b, given, made, rng)


@pytest.mark.parametrize("kind", ["LOGISTIC", "TANH", "LEAKY_RELU"])
def test_curves_in_tflite(tmp_path: Path, kind: str) -> None:
    """All 256 numbers of several scales."""
    rng = np.random.default_rng(7)
    for scale in (0.008, 0.05, 0.11, 0.3, 1.5):
        b = Builder()
        given = b.tensor([1, 256], np.int8, scale, int(rng.integers(-128, 128)))
        after = {"LOGISTIC": (1 / 256, -128), "TANH": (1 / 128, 0)}.get(kind, (0.09, 4))
        made = b.tensor([1, 256], np.int8, *after)
        b.operator(kind, [given], made, options("LeakyReluOptions", alpha=0.13) if "R" in kind else None)
        network = loaded(tmp_path, b.file(given, made))
        zero = network.given.convert(np.zeros((1, 256)))[0, 0]
        points = ((np.arange(-128, 128) - zero) * np.float32(scale)).astype(np.float64)[None, :]
        assert np.array_equal(network.evaluate(points), network.runtime.run(points))


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("after", [(STEP, ZERO), (0.05, -7), (0.2, 100)])
def test_means_in_tflite(tmp_path: Path, keep: bool, after: Any) -> None:
    rng = np.random.default_rng(3)
    for shape in ([1, 3, 2, 4], [1, 1, 1, 2], [1, 7, 7, 1]):
        b = Builder()
        given, axes = b.tensor(shape, np.int8, STEP, ZERO), b.tensor([2], np.int32, data=[1, 2])
        made = b.tensor([1, 1, 1, shape[3]] if keep else [1, shape[3]], np.int8, *after)
        b.operator("MEAN", [given, axes], made, options("ReducerOptions", keepDims=keep))
        same_in_micro(tmp_path, b, given, made, rng)


def test_padded_and_joined_tensors_in_tflite(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    for fill in (None, 77):
        b = Builder()
        given = b.tensor([1, 2, 2, 2], np.int8, STEP, ZERO)
        widths = b.tensor([4, 2], np.int32, data=[[0, 0], [1, 0], [0, 2], [0, 1]])
        made = b.tensor([1, 3, 4, 3], np.int8, STEP, ZERO)
        more = [] if fill is None else [b.tensor([1], np.int8, STEP, ZERO, [fill])]
        b.operator("PADV2" if more else "PAD", [given, widths, *more], made)
        same_in_micro(tmp_path, b, given, made, rng)
    b = Builder()
    given, made = b.tensor([1, 2, 2, 2], np.int8, STEP, ZERO), b.tensor([1, 2, 2, 4], np.int8, STEP, ZERO)
    b.operator("CONCATENATION", [given, given], made, options("ConcatenationOptions", axis=-1))
    same_in_micro(tmp_path, b, given, made, rng)


def test_what_is_not_supported_in_tflite_is_named(tmp_path: Path) -> None:
    b = Builder()
    given, axes = b.tensor([1, 3, 2, 4], np.int8, STEP, ZERO), b.tensor([1], np.int32, data=[3])
    made = b.tensor([1, 3, 2], np.int8, STEP, ZERO)
    b.operator("MEAN", [given, axes], made, options("ReducerOptions", keepDims=False))
    with pytest.raises(VouchError, match=r"operator 0 \(MEAN\): a mean over other axes"):
        loaded(tmp_path, b.file(given, made))
    b = Builder()
    given, made = b.tensor([1, 4], np.int8, STEP, ZERO), b.tensor([1, 4], np.int8, 0.1, 0)
    b.operator("LOGISTIC", [given], made)
    with pytest.raises(VouchError, match=r"operator 0 \(LOGISTIC\): a curve with another scale"):
        loaded(tmp_path, b.file(given, made))


def onnx_model(nodes: list[Any], constants: dict[str, Any]) -> bytes:
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 40]) for name in "xy"]
    arrays = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "one", infos[:1], infos[1:], arrays)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString())


@pytest.mark.parametrize("scales", [(0.06260933, 0.040523883, 0.27503744, 200), (0.0625, 0.0625, 0.25, 37)])
def test_a_product_is_rounded_after_the_zero_point_is_added(scales: tuple[float, ...]) -> None:
    """Ties, and a product that a fused step would round another way."""
    first, second, after = (np.float32(scale) for scale in scales[:3])
    step = np.float32(1)
    constants = {
        "xs": step, "xz": np.uint8(0), "as": first, "az": np.uint8(255), "bs": second, "bz": np.uint8(0),
        "ys": after, "yz": np.uint8(scales[3]),
    }  # fmt: skip
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["a"]),
        helper.make_node("Gather", ["a", "back"], ["b"], axis=1),
        helper.make_node(
            "QLinearMul", ["a", "as", "az", "b", "bs", "bz", "ys", "yz"], ["c"], domain="com.microsoft"
        ),
        helper.make_node("DequantizeLinear", ["c", "ys", "yz"], ["y"]),
    ]
    network = read_quantised(onnx_model(nodes, constants | {"back": np.arange(40)[::-1]}), "product")
    rng = np.random.default_rng(0)
    points = rng.integers(0, 256, (200, 40)).astype(np.float64)
    points[0, [0, 39]] = 255 - 92, 228  # -92 * 228 = -20976
    assert np.array_equal(network.evaluate(points), network.runtime.run(points))


def test_both_parts_of_a_split_are_read() -> None:
    """Slices beside each other, which the runtime makes a Split of; joined the other way round."""
    constants: dict[str, Any] = {"s": np.float32(0.5), "z": np.uint8(7)}
    constants |= {name: np.array([n]) for name, n in (("none", 0), ("half", 10), ("all", 40), ("axis", 1))}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["a"]),
        helper.make_node("Slice", ["a", "none", "half", "axis"], ["p"]),
        helper.make_node("Slice", ["a", "half", "all", "axis"], ["q"]),
        helper.make_node(
            "QLinearConcat", ["s", "z", "q", "s", "z", "p", "s", "z"], ["c"], domain="com.microsoft", axis=1
        ),
        helper.make_node("DequantizeLinear", ["c", "s", "z"], ["y"]),
    ]
    network = read_quantised(onnx_model(nodes, constants), "split")
    points = np.random.default_rng(0).integers(0, 100, (20, 40)).astype(np.float64)
    outputs = network.evaluate(points)
    assert np.array_equal(outputs, np.concatenate([points[:, 10:], points[:, :10]], axis=1))
    assert np.array_equal(outputs, network.runtime.run(points))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("kind", ["QLinearAdd", "QLinearMul", "QLinearSigmoid", "QLinearLeakyRelu"])
def test_elementwise_operators_of_onnx(dtype: Any, kind: str) -> None:
    """Of two computed tensors, one and a constant on either side, one twice; or of one tensor."""
    rng = np.random.default_rng(9)
    constants = {
        "xs": np.float32(rng.uniform(0.03, 0.07)), "xz": dtype(rng.integers(0, 100)),
        "ys": np.float32(rng.uniform(0.03, 0.3)), "yz": dtype(rng.integers(0, 100)),
        "w": rng.integers(0, 127, (1, 40)).astype(dtype), "ws": np.float32(0.02), "wz": dtype(60),
        "ms": np.float32(1 / 250), "mz": dtype(3),
    }  # fmt: skip
    start = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["a"]),
        helper.make_node("QLinearSigmoid", ["a", "xs", "xz", "ms", "mz"], ["m"], domain="com.microsoft"),
    ]
    one, other, fixed = ["a", "xs", "xz"], ["m", "ms", "mz"], ["w", "ws", "wz"]
    asked = [one + other, other + one, one + fixed, fixed + one, one + one]
    for operands in asked if kind in ("QLinearAdd", "QLinearMul") else [one, other]:
        more = {"alpha": 0.1} if "Leaky" in kind else {}
        last = helper.make_node(kind, [*operands, "ys", "yz"], ["b"], domain="com.microsoft", **more)
        end = helper.make_node("DequantizeLinear", ["b", "ys", "yz"], ["y"])
        network = read_quantised(onnx_model([*start, last, end], constants), kind)
        points = rng.uniform(-8, 8, (64, 40)).astype(np.float32).astype(np.float64)
        assert np.array_equal(network.evaluate(points), network.runtime.run(points))
