"""Counterexample files: the decimals lie in the box that the property states, digit for digit."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from vouch.cli.main import run
from vouch.nn.export import to_onnx
from vouch.nn.loaders import load
from vouch.nn.network import Network
from vouch.nn.replay import replay

# Bounds whose nearest float64 lies outside of the decimal interval, to either side.
LOWS = ["0.1", "0.30000001192092896", "-0.70000000000000005", "0.30000000000000003"]
HIGHS = ["0.3", "0.40000000596046448", "-0.60000000000000003", "0.50000000000000011"]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_decimals_lie_in_the_box_exactly(tmp_path, sign):
    rng = np.random.default_rng(4)
    layers = [(np.eye(4), np.full(4, 2.0)), (sign * np.abs(rng.normal(size=(1, 4))), np.zeros(1))]
    network = Network.from_layers(layers, name="n")
    ends = np.array([[float(a) for a in LOWS], [float(b) for b in HIGHS]])
    most = float(network.evaluate(ends).max())
    limit = most - 1e-4  # only near a corner
    (tmp_path / "n.onnx").write_bytes(to_onnx(network, double=False))
    text = "".join(f"(declare-const X_{i} Real)" for i in range(4)) + "(declare-const Y_0 Real)"
    for i, (low, high) in enumerate(zip(LOWS, HIGHS, strict=True)):
        spelled = [f"(- {v[1:]})" if v.startswith("-") else v for v in (low, high)]
        text += f"(assert (>= X_{i} {spelled[0]}))(assert (<= X_{i} {spelled[1]}))"
    spelled_limit = f"(- {-limit!r})" if limit < 0 else repr(limit)
    (tmp_path / "p.vnnlib").write_text(text + f"(assert (>= Y_0 {spelled_limit}))")
    out = tmp_path / "result.txt"
    assert (
        run(["nn", "verify", str(tmp_path / "n.onnx"), str(tmp_path / "p.vnnlib"), "--vnncomp", str(out)])
        == 1
    )
    lines = out.read_text()
    assert lines.startswith("sat\n(")
    found = dict(re.findall(r"\((\w+) ([-0-9.e]+)\)", lines))
    point = [Fraction(found[f"X_{i}"]) for i in range(4)]
    for value, low, high in zip(point, LOWS, HIGHS, strict=True):
        assert Fraction(low) <= value <= Fraction(high)
    fed = np.array([[float(np.float32(float(v))) for v in point]])
    reached = replay(load(tmp_path / "n.onnx"), fed)[0, 0]
    assert Fraction(found["Y_0"]) == Fraction(float(reached))
    assert reached >= limit
