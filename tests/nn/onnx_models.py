"""Builds small ONNX models for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def model(
    nodes: Sequence[Any],
    shape: Sequence[Any],
    constants: Mapping[str, Any] | None = None,
    *,
    output: str = "y",
    opset: int = 17,
    kind: int = TensorProto.FLOAT,
) -> bytes:
    """A model with input "x" of a shape and one output; constants become initialisers."""
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in (constants or {}).items()]
    graph = helper.make_graph(
        list(nodes),
        "test",
        [helper.make_tensor_value_info("x", kind, list(shape))],
        [helper.make_tensor_value_info(output, kind, None)],
        tensors,
    )
    opsets = [helper.make_opsetid("", opset)]
    data: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()
    return data


def node(kind: str, inputs: str, output: str = "y", **attributes: Any) -> Any:
    """A node; inputs are separated by blanks, "-" is one left out."""
    names = ["" if name == "-" else name for name in inputs.split()]
    return helper.make_node(kind, names, output.split(), name=f"{kind.lower()}_node", **attributes)


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype(np.float32)


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


__all__ = ["floats", "helper", "ints", "model", "node", "numpy_helper", "onnx"]
