"""A network with convolutions, a residual block and pooling, through PyTorch's ONNX export."""

from __future__ import annotations

import io

import numpy as np
import pytest

from vouch.nn.loaders.onnx import from_bytes
from vouch.nn.lowering import lower
from vouch.nn.replay import replay


def residual(torch):
    class Residual(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Conv2d(1, 3, 3, stride=2)
            self.inner = torch.nn.Conv2d(3, 3, 3, padding=1)
            self.norm = torch.nn.BatchNorm2d(3)
            self.pool = torch.nn.MaxPool2d(2)
            self.mean = torch.nn.AdaptiveAvgPool2d(1)
            self.linear = torch.nn.Linear(3, 4)
            self.dropout = torch.nn.Dropout()
            self.last = torch.nn.Linear(12, 2)

        def forward(self, x):
            y = self.first((x - 0.5) / 0.3)
            y = torch.relu(y + self.norm(self.inner(y)))
            z = self.pool(y)
            w = self.mean(y).flatten(1)
            h = self.dropout(torch.nn.functional.leaky_relu(self.linear(w), 0.1))
            cut = torch.clamp(z.view(z.size(0), -1)[:, :5], -0.5, 0.5)
            return self.last(torch.cat([h, torch.tanh(w), cut], 1))

    return Residual()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("opset", [11, 17])
def test_exported_network(opset):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    module = residual(torch).eval()
    module.norm.running_mean.normal_()
    module.norm.running_var.uniform_(0.5, 2)
    buffer = io.BytesIO()
    example, axes = torch.randn(1, 1, 9, 9), {"x": {0: "batch"}}
    torch.onnx.export(
        module, example, buffer, dynamo=False, opset_version=opset, dynamic_axes=axes, input_names=["x"]
    )
    network = from_bytes(buffer.getvalue(), "exported")
    x = np.random.default_rng(0).normal(size=(4, 81))
    expected = module(torch.tensor(x, dtype=torch.float32).reshape(4, 1, 9, 9)).detach().numpy()
    for values in (
        network.evaluate(x),
        replay(network, x),
        lower(network).evaluate(x),
        lower(network, fold=False, relu_only=True).evaluate(x),
    ):
        np.testing.assert_allclose(values, expected, atol=1e-6)
