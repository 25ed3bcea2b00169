"""The competition's scripts, as its harness calls them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from vouch.nn.export import to_onnx
from vouch.nn.network import Network

SCRIPTS = Path(__file__).parents[2] / "vnncomp"

PROPERTY = "(declare-const X_0 Real)(declare-const Y_0 Real)(assert (>= X_0 0))(assert (<= X_0 1))"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "n.onnx").write_bytes(to_onnx(Network.from_layers([(np.eye(1), np.zeros(1))])))
    for name, limit in (("unsat", 2), ("sat", 0.5)):
        (tmp_path / f"{name}.vnnlib").write_text(PROPERTY + f"(assert (>= Y_0 {limit}))")
    return tmp_path


def script(name, folder, *arguments):
    own = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": own, "PYTHONPATH": str(SCRIPTS.parent / "src")}
    command = ["bash", str(SCRIPTS / name), *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120, check=False)


@pytest.mark.parametrize("word", ["unsat", "sat"])
def test_an_instance(folder, word):
    assert script("prepare_instance.sh", folder, "v1", "test", "n.onnx", f"{word}.vnnlib").returncode == 0
    script("run_instance.sh", folder, "v1", "test", "n.onnx", f"{word}.vnnlib", "out.txt", "20")
    assert (folder / "out.txt").read_text().split("\n")[0] == word


def test_what_is_missing_is_said(folder):
    assert script("prepare_instance.sh", folder, "v1", "test", "m.onnx", "sat.vnnlib").returncode == 1
    assert script("prepare_instance.sh", folder, "v2", "test", "n.onnx", "sat.vnnlib").returncode == 1
    assert script("run_instance.sh", folder, "v1", "n.onnx").returncode == 1
    assert script("run_instance.sh", folder, "v1", "t", "m.onnx", "sat.vnnlib", "o.txt", "9").returncode == 1
    assert (folder / "o.txt").read_text() == "error\n"
