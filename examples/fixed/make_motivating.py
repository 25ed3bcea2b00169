"""Writes the motivating network: f(x) = ReLU(2 x0 - 3 x1) + ReLU(x0 + 4 x1)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vouch.nn import Network
from vouch.nn.export import to_onnx

layers = [(np.array([[2.0, -3.0], [1.0, 4.0]]), np.zeros(2)), (np.array([[1.0, 1.0]]), np.zeros(1))]
network = Network.from_layers(layers)
Path(__file__).with_name("motivating.onnx").write_bytes(to_onnx(network, double=False))
