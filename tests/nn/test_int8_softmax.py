"""Int8 networks that end in a softmax in float32: proofs behind it are compared with the runtime too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import vouch
from vouch.nn.int8.ort import OrtRuntime
from vouch.verdict import Verdict


def model_file(folder: Path) -> Path:
    """softmax(x0 - x1, x1 - x0) in int8 with steps of 1/16."""
    constants = {
        "s": np.float32(1 / 16), "z": np.int8(0), "w": np.array([[64, -64], [-64, 64]], dtype=np.int8),
        "ws": np.float32(1 / 64), "wz": np.int8(0),
        "b": np.array([0, 0], dtype=np.int32), "bs": np.float32(1 / 1024), "bz": np.int32(0),
    }  # fmt: skip
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["m"]),
        helper.make_node("DequantizeLinear", ["b", "bs", "bz"], ["c"]),
        helper.make_node("Gemm", ["d", "m", "c"], ["g"]),
        helper.make_node("QuantizeLinear", ["g", "s", "z"], ["p"]),
        helper.make_node("DequantizeLinear", ["p", "s", "z"], ["l"]),
        helper.make_node("Softmax", ["l"], ["y"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "soft",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    path = folder / "soft.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path)
    return path


def asked(folder: Path, most: float) -> Verdict:
    """Is the first class ahead for x0 in 0.5..1 and x1 in 0..most?"""
    text = f"""(declare-const X_0 Real) (declare-const X_1 Real)
(declare-const Y_0 Real) (declare-const Y_1 Real)
(assert (>= X_0 0.5)) (assert (<= X_0 1)) (assert (>= X_1 0)) (assert (<= X_1 {most}))
(assert (<= Y_0 Y_1))"""
    (folder / "p.vnnlib").write_text(text, encoding="utf-8")
    return vouch.nn.verify(model_file(folder), folder / "p.vnnlib", timeout=60).verdict


def test_both_verdicts(tmp_path: Path) -> None:
    assert asked(tmp_path, 0.25) is Verdict.SAFE
    assert asked(tmp_path, 0.75) is Verdict.UNSAFE


@pytest.mark.parametrize("most", [0.25, 0.75])
def test_a_runtime_that_computes_something_else_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: float
) -> None:
    """As if one argument of the softmax were one step larger."""
    run = OrtRuntime.run

    def shifted(self: OrtRuntime, rows: np.ndarray) -> np.ndarray:
        logits = np.log(run(self, rows)) + np.array([1 / 16, 0])
        powers = np.exp(logits)
        return np.asarray(powers / powers.sum(1, keepdims=True))

    monkeypatch.setattr(OrtRuntime, "run", shifted)
    assert asked(tmp_path, most) is Verdict.UNKNOWN
