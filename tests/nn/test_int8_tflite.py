"""Int8 networks of TensorFlow Lite: the reference against tflite-micro, the engines against all inputs."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from tests.nn.int8_truth import check_engines, question
from tests.nn.tflite_builder import Builder, int8_model, options, runtime

import vouch
from vouch.errors import VouchError
from vouch.nn.int8.network import Quantised
from vouch.nn.loaders import load_subject
from vouch.verdict import Verdict


def loaded(folder: Path, data: bytes) -> Quantised:
    path = folder / "net.tflite"
    path.write_bytes(data)
    network = load_subject(path)
    assert isinstance(network, Quantised)
    return network


def check_seed(folder: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data, (scale, zero) = int8_model(rng)
    network = loaded(folder, data)
    points = rng.uniform(-131 - zero, 130 - zero, (60, network.inputs)) * float(scale)
    points[:20] = (np.rint(points[:20] / scale) + 0.5) * scale  # where quantisation ties
    points = points.astype(np.float32).astype(np.float64)
    assert np.array_equal(network.evaluate(points), network.runtime.run(points))
    prop, violated = question(rng, network, float(scale), zero, (-128, 127))
    check_engines(network, prop, violated)


@pytest.mark.parametrize("seed", range(8))
def test_every_engine_agrees_with_the_runtime(tmp_path: Path, seed: int) -> None:
    check_seed(tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8, 208))
def test_every_engine_agrees_with_the_runtime_on_many(tmp_path: Path, seed: int) -> None:
    check_seed(tmp_path, seed)


def doubled(limit: int = 0) -> bytes:
    """y = 2 x in steps of 1/8, for x in steps of 1/16."""
    b = Builder()
    given = b.tensor([1, 1], np.int8, 1 / 16, 0)
    weights = b.tensor([1, 1], np.int8, 1 / 32, 0, [[64]])
    bias = b.tensor([1], np.int32, 1 / 512, 0, [limit])
    made = b.tensor([1, 1], np.int8, 1 / 8, 0)
    b.operator("FULLY_CONNECTED", [given, weights, bias], made, options("FullyConnectedOptions"))
    return b.file(given, made)


def test_reals_of_int8_tensors_are_what_their_scales_say(tmp_path: Path) -> None:
    network = loaded(tmp_path, doubled())
    assert network.evaluate(np.array([[0.5], [1.0], [7.9], [0.03], [0.032]])).ravel().tolist() == [
        1.0, 2.0, 15.75, 0.0, 0.125,
    ]  # fmt: skip
    assert vouch.nn.robust(network, [1.0], 0.25, distance=0.5).verdict is Verdict.SAFE
    found = vouch.nn.robust(network, [1.0], 0.25, distance=0.49)
    assert found.verdict is Verdict.UNSAFE
    assert found.runtime == "tflite-micro"


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    data = doubled()
    rng = np.random.default_rng(1)
    for number in range(60):
        broken = bytearray(data)
        for _ in range(int(rng.integers(1, 6))):
            broken[int(rng.integers(8, len(broken)))] = int(rng.integers(256))
        path = tmp_path / f"{number}.tflite"
        path.write_bytes(bytes(broken) if number % 2 else data[: 8 + number * 4])
        with suppress(VouchError):  # nothing else may come out
            load_subject(path)


def float_model(rng: np.random.Generator) -> bytes:
    """A convolution, a depthwise one, pooling, a dense layer and a softmax, in float32."""
    b = Builder()

    def layer(kind: str, at: int, weights: list[int], shape: list[int], chosen: object) -> int:
        count = weights[3] if kind == "DEPTHWISE_CONV_2D" else weights[0]
        w = b.tensor(weights, np.float32, data=rng.normal(size=weights))
        bias = b.tensor([count], np.float32, data=rng.normal(size=count))
        return b.operator(kind, [at, w, bias], b.tensor(shape, np.float32), chosen)

    common = {"strideH": 1, "strideW": 1, "dilationHFactor": 1, "dilationWFactor": 1}
    given = b.tensor([1, 4, 5, 2], np.float32)
    at = layer("CONV_2D", given, [3, 2, 3, 2], [1, 4, 5, 3],
               options("Conv2DOptions", padding=0, fusedActivationFunction=1, **common))  # fmt: skip
    deep = options(
        "DepthwiseConv2DOptions", padding=1, depthMultiplier=2, fusedActivationFunction=3, **common
    )
    at = layer("DEPTHWISE_CONV_2D", at, [1, 2, 2, 6], [1, 3, 4, 6], deep)
    window = {"padding": 0, "strideH": 2, "strideW": 2, "filterHeight": 2, "filterWidth": 3}
    for kind, shape in (("AVERAGE_POOL_2D", [1, 2, 2, 6]), ("MAX_POOL_2D", [1, 1, 1, 6])):
        at = b.operator(kind, [at], b.tensor(shape, np.float32), options("Pool2DOptions", **window))
    wanted = b.tensor([2], np.int32, data=[1, 6])
    at = b.operator("RESHAPE", [at, wanted], b.tensor([1, 6], np.float32), options("ReshapeOptions"))
    at = layer("FULLY_CONNECTED", at, [3, 6], [1, 3], options("FullyConnectedOptions"))
    at = b.operator("SOFTMAX", [at], b.tensor([1, 3], np.float32), options("SoftmaxOptions", beta=1.0))
    return b.file(given, at)


def test_float_models_are_ordinary_networks(tmp_path: Path) -> None:
    from vouch.nn.int8.tflm import MicroRuntime
    from vouch.nn.replay import replay

    rng = np.random.default_rng(5)
    path = tmp_path / "float.tflite"
    path.write_bytes(float_model(rng))
    network = vouch.nn.load(path)
    points = rng.normal(size=(20, network.inputs))
    values = network.evaluate(points)
    assert np.allclose(
        values, MicroRuntime(path.read_bytes(), (1, 4, 5, 2), None, None).run(points), atol=1e-5
    )
    assert np.allclose(values, replay(network, points), atol=1e-5)
    point = points[0]
    assert vouch.nn.robust(path, point, 1e-4).verdict is Verdict.SAFE
    assert vouch.nn.robust(path, point, 1e-4, label=int(values[0].argmin())).verdict is Verdict.UNSAFE


def test_a_softmax_is_exact() -> None:
    from vouch.nn.int8.softmax import IntegerSoftmax

    rng = np.random.default_rng(2)
    for scale in (0.011, 0.07, 0.25):
        b = Builder()
        given, made = b.tensor([1, 4], np.int8, scale, 3), b.tensor([1, 4], np.int8, 1 / 256, -128)
        b.operator("SOFTMAX", [given], made, options("SoftmaxOptions", beta=1.0))
        interpreter = runtime.Interpreter.from_bytes(b.file(given, made))
        softmax = IntegerSoftmax.of(float(np.float32(scale)), 1.0)
        for _ in range(100):
            row = np.clip(rng.integers(-128, 128) + rng.integers(-30, 31, (1, 4)), -128, 127)
            interpreter.set_input(row.astype(np.int8), 0)
            interpreter.invoke()
            found = softmax.numbers(row)
            assert np.array_equal(interpreter.get_output(0), found)
            (second, first), order = np.sort(row[0])[-2:], np.sort(found[0])
            assert first - second < softmax.margin(4) or order[-1] > order[-2]


@pytest.mark.parametrize("floats", [False, True])
def test_classes_behind_a_softmax_may_tie(tmp_path: Path, floats: bool) -> None:
    """Arguments that differ by one step of 1/512 have the same probability in steps of 1/256."""
    b = Builder()
    given = b.tensor([1, 1], np.int8, 1 / 16, 0)
    weights = b.tensor([2, 1], np.int8, 1 / 32, 0, [[1], [-1]])
    middle = b.tensor([1, 2], np.int8, 1 / 512, 0)
    bias = b.tensor([2], np.int32, 1 / 512, 0, [0, 0])
    b.operator("FULLY_CONNECTED", [given, weights, bias], middle, options("FullyConnectedOptions"))
    made = b.tensor([1, 2], np.int8, 1 / 256, -128)
    b.operator("SOFTMAX", [middle], made, options("SoftmaxOptions", beta=1.0))
    if floats:
        middle, made = made, b.tensor([1, 2], np.float32)
        b.operator("DEQUANTIZE", [middle], made)
    network = loaded(tmp_path, b.file(given, made))
    points = np.arange(-128, 128)[:, None] / 16
    outputs = network.runtime.run(points)
    assert np.array_equal(network.evaluate(points), outputs)
    ties = points[(outputs[:, 0] <= outputs[:, 1]).nonzero()[0].max(), 0]  # the last point without a winner
    assert ties > 0
    for engine in ("enumerate", "bounds"):
        first = {"label": 0, "engine": engine}
        assert vouch.nn.robust(network, [7.0], 7.0 - ties - 0.05, **first).verdict is Verdict.SAFE
        found = vouch.nn.robust(network, [7.0], 7.0 - ties, **first)
        assert found.verdict is Verdict.UNSAFE
        assert found.replayed
    assert vouch.nn.robust(network, [7.0], 0.5, distance=0.5).verdict is Verdict.UNKNOWN
