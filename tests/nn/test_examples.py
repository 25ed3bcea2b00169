"""The shipped example networks: they classify, their properties parse and come out as the manual says."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vouch
from vouch.nn.points import read_point
from vouch.nn.replay import replay
from vouch.verdict import Verdict

HERE = Path(__file__).parents[2] / "examples" / "nn"


@pytest.mark.parametrize("name", ["iris", "digits"])
def test_networks_classify(name):
    from sklearn import datasets

    data = getattr(datasets, f"load_{name}")()
    scores = replay(vouch.nn.load(HERE / f"{name}.onnx"), data.data)
    assert (scores.argmax(axis=1) == data.target).mean() > 0.95


@pytest.mark.parametrize("name", ["iris_setosa", "iris_versicolor", "vowel_a", "vowel_o", "digits_zero"])
def test_properties_hold(name):
    network = {"iris": "iris", "vowel": "vowels", "digits": "digits"}[name.split("_")[0]]
    result = vouch.nn.verify(HERE / f"{network}.onnx", HERE / f"{name}.vnnlib", timeout=60)
    assert result.verdict is Verdict.SAFE


def test_a_digit_is_robust_up_to_a_point():
    network = vouch.nn.load(HERE / "digits.onnx")
    point = read_point(str(HERE / "digits_zero.csv"), network.input_shape)
    small = vouch.nn.robust(network, point, 0.5, lower=0, upper=16, timeout=60)
    assert small.verdict is Verdict.SAFE
    large = vouch.nn.robust(network, point, 6, lower=0, upper=16, timeout=60)
    assert large.verdict is Verdict.UNSAFE
    assert large.counterexample is not None
    assert np.abs(large.counterexample.input - point).max() <= 6
    assert large.counterexample.output.argmax() != 0


@pytest.mark.slow
def test_iris_trains_from_scratch(tmp_path):
    """The script writes what is shipped, up to the last bits that a linear algebra library may change."""
    for name in ("save.py", "train_iris.py"):
        shutil.copy(HERE / name, tmp_path)
    done = subprocess.run(
        [sys.executable, "train_iris.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert float(done.stdout.split()[1].rstrip("%")) > 95
    assert (tmp_path / "iris_setosa.vnnlib").read_text() == (HERE / "iris_setosa.vnnlib").read_text()
    assert vouch.nn.load(tmp_path / "iris.onnx").inputs == 4
