"""The session of onnxruntime that int8 models are read from and run in.

A graph of QuantizeLinear and DequantizeLinear around float operators means integers only after the runtime
has fused it into integer kernels, so the graph that is read is the one the session made: optimisation level
`extended`, int8 allowed in fused kernels (the default on Arm), and exact 8-bit products
(`session.x64quantprecision`; without it, kernels for x86 without VNNI saturate sums of two products).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from vouch.errors import VouchError
from vouch.folder import Folder
from vouch.nn.arrays import Array, Shape

NAME = "onnxruntime"
_DTYPES: dict[str, type[np.generic]] = {
    "tensor(float)": np.float32,
    "tensor(int8)": np.int8,
    "tensor(uint8)": np.uint8,
}


def opened(model: bytes) -> tuple[Any, bytes]:
    """A session of the model, and the graph that it runs."""
    refusal = ""
    # Some kernels exist without exact products only; those for signed activations are exact anyway.
    for precision in ("1", "0"):
        with Folder("vouch-ort-") as folder:
            file = folder / "optimised.onnx"
            try:
                return _session(model, file, precision), file.read_bytes()
            except Exception as error:  # onnxruntime raises its own classes, all derived from Exception
                refusal = refusal or (str(error).splitlines() or [type(error).__name__])[0]
    raise VouchError(f"onnxruntime does not take the model: {refusal}")


def _session(model: bytes, file: Path, precision: str) -> Any:
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(file)
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    options.add_session_config_entry("session.x64quantprecision", precision)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class OrtRuntime:
    name = NAME

    def __init__(self, session: Any, shape: Shape) -> None:
        self.session, self.shape = session, shape
        given = session.get_inputs()[0]
        self.input, self.dtype = given.name, _DTYPES[given.type]

    def run(self, rows: Array) -> Array:
        points = np.asarray(rows).astype(self.dtype)
        found = [self.session.run(None, {self.input: row.reshape(self.shape)})[0].ravel() for row in points]
        return np.array(found, dtype=np.float64)
