"""Int8 networks of ONNX: the reference against onnxruntime, and every engine against all inputs run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tests.nn.int8_onnx import quantised_model
from tests.nn.int8_truth import check_engines, question

import vouch
from vouch.cli.main import run as main
from vouch.errors import VouchError
from vouch.nn.int8.chain import fused, multiplied
from vouch.nn.int8.onnx import read_quantised
from vouch.verdict import Verdict

ENGINES = ("enumerate", "bounds", "auto")


def check_seed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data, (scale, zero, dtype) = quantised_model(rng)
    network = read_quantised(data, f"random{seed}")
    info = np.iinfo(dtype)
    ends = info.min - int(zero) - 3, info.max - int(zero) + 3
    points = rng.uniform(*ends, (60, network.inputs)) * float(scale)
    points[:20] = (np.rint(points[:20] / scale) + 0.5) * scale  # where quantisation ties
    points = points.astype(np.float32).astype(np.float64)
    assert np.array_equal(network.evaluate(points), network.runtime.run(points))
    prop, violated = question(rng, network, float(scale), int(zero), (info.min, info.max))
    check_engines(network, prop, violated)


@pytest.mark.parametrize("seed", range(8))
def test_every_engine_agrees_with_the_runtime(seed: int) -> None:
    check_seed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8, 208))
def test_every_engine_agrees_with_the_runtime_on_many(seed: int) -> None:
    check_seed(seed)


def test_a_fused_step_rounds_once() -> None:
    rng = np.random.default_rng(0)
    x, a = rng.integers(-128, 128, 4000).astype(np.float32), rng.uniform(0, 1, 4000).astype(np.float32)
    b = rng.normal(size=4000).astype(np.float32)
    from fractions import Fraction

    for xi, ai, bi, found in zip(x, a, b, fused(x, a, b), strict=True):
        exact = Fraction(float(xi)) * Fraction(float(ai)) + Fraction(float(bi))
        near = [found, np.nextafter(found, np.float32(9e9)), np.nextafter(found, np.float32(-9e9))]
        off = [abs(Fraction(float(v)) - exact) for v in near]
        assert off[0] == min(off)


def test_the_multiplier_rounds_twice() -> None:
    """A product just below a tie is rounded up to the tie, and then away: one rounding would go down."""
    assert multiplied(np.array([3]), (1 << 30) - 1, -1)[0] == 1  # 3 * 0.4999… / 2 = 0.74…
    assert multiplied(np.array([1]), (1 << 30), -1)[0] == 1  # 0.5 -> 1, 1 / 2 -> 1: once would give 0
    assert multiplied(np.array([-1]), (1 << 30), -1)[0] == 0


def small_model(folder: Path) -> Path:
    """relu(x0 - x1) in uint8 with steps of 1/16."""
    step, zero, none = np.float32(1 / 16), np.uint8(0), np.int8(0)
    constants = {
        "s": step, "z": zero, "w": np.array([[64], [-64]], dtype=np.int8),
        "ws": np.float32(1 / 64), "wz": none,
        "b": np.array([0], dtype=np.int32), "bs": np.float32(1 / 1024), "bz": np.int32(0),
    }  # fmt: skip
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["m"]),
        helper.make_node("DequantizeLinear", ["b", "bs", "bz"], ["c"]),
        helper.make_node("Gemm", ["d", "m", "c"], ["g"]),
        helper.make_node("Relu", ["g"], ["r"]),
        helper.make_node("QuantizeLinear", ["r", "s", "z"], ["p"]),
        helper.make_node("DequantizeLinear", ["p", "s", "z"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    path = folder / "small.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def property_file(folder: Path, limit: float) -> Path:
    """y >= limit for x0 in 0.5..1 and x1 in 0..0.25."""
    text = f"""(declare-const X_0 Real) (declare-const X_1 Real) (declare-const Y_0 Real)
(assert (>= X_0 0.5)) (assert (<= X_0 1)) (assert (>= X_1 0)) (assert (<= X_1 0.25))
(assert (>= Y_0 {limit}))"""
    path = folder / "p.vnnlib"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(("limit", "code"), [(1.0, 1), (1.01, 0)])
def test_the_command_line_decides_a_qdq_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], limit: float, code: int
) -> None:
    words = ["nn", "verify", str(small_model(tmp_path)), str(property_file(tmp_path, limit)), "--json"]
    assert main(words) == code
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert said["verdict"] == ("unsafe" if code else "safe")
    if code:
        assert said["replayed"]
        assert said["counterexample"]["output"] == [1.0]


def test_robust_and_batch_take_int8_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = small_model(tmp_path)
    assert main(["nn", "robust", str(path), "--input", "0.5,0.25", "--radius", "0.01", "--within", "0"]) == 0
    assert main(["nn", "robust", str(path), "--input", "0.5,0.25", "--radius", "0.1", "--within", "0"]) == 1
    property_file(tmp_path, 1.01)
    (tmp_path / "instances.csv").write_text("small.onnx,p.vnnlib,30\n", encoding="utf-8")
    assert main(["nn", "batch", str(tmp_path / "instances.csv"), "-o", str(tmp_path / "out.csv")]) == 0
    assert "unsat" in (tmp_path / "out.csv").read_text(encoding="utf-8")
    capsys.readouterr()


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = small_model(tmp_path)
    for options in ({"engine": "milp"}, {"format": "8.8"}, {"step": "0.1"}):
        with pytest.raises(VouchError):
            vouch.nn.verify(path, property_file(tmp_path, 1.0), **options)
    with pytest.raises(VouchError, match="int8 network"):
        vouch.nn.load(path)
    result = vouch.nn.robust(path, [0.5, 0.25], 0.1, distance=0.5, norm="l2")
    assert result.verdict is Verdict.UNKNOWN
    assert "not a box" in str(result.reason)


def test_an_operator_in_floating_point_is_named(tmp_path: Path) -> None:
    model = onnx.load(small_model(tmp_path))
    model.graph.node[5].op_type = "Softsign"
    onnx.save(model, tmp_path / "float.onnx")
    with pytest.raises(VouchError, match=r"Softsign|float"):
        vouch.nn.verify(tmp_path / "float.onnx", property_file(tmp_path, 1.0))


def test_integer_inputs_are_integers(tmp_path: Path) -> None:
    """A model whose input is uint8: only whole numbers of the box count."""
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["x", "w"], ["a"]), helper.make_node("Cast", ["a"], ["y"], to=1)],
        "whole",
        [helper.make_tensor_value_info("x", TensorProto.UINT8, [1, 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 1])],
        [numpy_helper.from_array(np.array([[3]], dtype=np.int8), "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    network = read_quantised(model.SerializeToString(), "whole")
    assert vouch.nn.robust(network, [5.5], 0.6, distance=3.1).verdict is Verdict.SAFE  # 5 and 6 only
    found = vouch.nn.robust(network, [5.0], 1.0, distance=2.9)
    assert found.verdict is Verdict.UNSAFE
    assert found.counterexample is not None
    assert found.counterexample.input[0] in (4.0, 6.0)
