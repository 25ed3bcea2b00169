"""Int8 networks with many inputs: bounds, which split the signs of neurons, against all inputs run."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import vouch
from vouch.nn.int8.network import Quantised
from vouch.nn.int8.onnx import read_quantised
from vouch.nn.property import output_union
from vouch.verdict import Verdict


def network(rng: np.random.Generator) -> Quantised:
    """13-4-2 in uint8, with zero points that make the limits of the first layer a ReLU."""
    constants: dict[str, Any] = {"xs": np.float32(0.05), "xz": np.uint8(100)}
    nodes = [helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["v0"])]
    scale, zero = "xs", "xz"
    for layer, (inner, outer) in enumerate(((13, 4), (4, 2))):
        scales, zeros = np.float32(rng.uniform(0.03, 0.08)), np.uint8(0 if layer == 0 else 110)
        made = {
            f"w{layer}": rng.integers(-127, 128, (inner, outer)).astype(np.int8),
            f"ws{layer}": rng.uniform(0.005, 0.02, outer).astype(np.float32),
            f"wz{layer}": np.zeros(outer, dtype=np.int8),
            f"b{layer}": rng.integers(-2000, 2000, outer).astype(np.int32),
            f"s{layer}": scales,
            f"z{layer}": zeros,
        }
        constants |= made
        w, ws, wz, b, s, z = made
        inputs = [f"v{layer}", scale, zero, w, ws, wz, b, s, z]
        nodes.append(helper.make_node("QGemm", inputs, [f"v{layer + 1}"], domain="com.microsoft"))
        scale, zero = s, z
    nodes.append(helper.make_node("DequantizeLinear", ["v2", scale, zero], ["y"]))
    graph = helper.make_graph(
        nodes,
        "many",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 13])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    return read_quantised(model.SerializeToString(), "many")


@pytest.mark.parametrize("seed", range(3))
def test_splitting_neurons_agrees_with_all_inputs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    subject = network(rng)
    first = rng.integers(60, 140, 13)
    numbers = np.array(list(product((0, 1), repeat=13))) + first
    scale = float(np.float32(0.05))
    outputs = subject.runtime.run((numbers - 100) * scale)
    lower, upper = (first - 100) * scale, (first + 1 - 100) * scale
    row = np.array([[1.0, -1.0]]) if seed % 2 else np.array([[1.0, 0.5]])
    values = (outputs @ row.T).ravel()
    for limit in (values.min() - 1e-3, values.min() + 1e-6, float(np.median(values)), values.min() - 0.5):
        prop = output_union(lower, upper, [(row, np.array([limit]))])
        truth = Verdict.UNSAFE if values.min() <= limit else Verdict.SAFE
        for engine in ("bounds", "enumerate"):
            result = vouch.nn.verify(subject, prop, engine=engine)
            assert result.verdict is truth, (seed, engine, limit, result.reason)
