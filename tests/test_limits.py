"""`--timeout` holds within two seconds, whatever stage the time goes into; answers are still valid then.

Each input is far too much for its stage: without the limit it would take minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from tests.patience import patient, within

LIMIT = 3.0
PROMISED = 2.0  # seconds after the limit

BOMB = "#define A0(x) x x x x x x x x x x\n" + "".join(
    f"#define A{i}(x) A{i - 1}(A{i - 1}(x))\n" for i in range(1, 6)
)
STAGES = {
    "macros": BOMB + "int f(void) { return A5(1+) 1; }\n",
    "deep terms": "int f(unsigned x) {\n"
    + "x = x * x + (x >> 3) * 7u;\n" * 20000
    + "return 10 / (int)x; }\n",
    "conjunctions": "int f(int *p) { return "
    + " && ".join(f"p[{i}] / p[{i + 1}] > {i}" for i in range(12288))
    + "; }\n",
    "assertions": "#include <assert.h>\nint f(int x, int y) {\n"
    + "".join(f"assert(x * {i} + y * y != {i * 7919} + x * x * y);\n" for i in range(4096))
    + "return 0; }\n",
    "large array": "int a[1 << 22]; int n;\nint f(int i, int v) { for (int k = 0; k < (1 << 22); k++) "
    "a[(i + k * 7) & ((1 << 22) - 1)] = a[k] / (v - a[(k * 13) & 0xfffff]); return a[v & 0xffff]; }\n",
    "solver": "#include <assert.h>\nint f(unsigned long a, unsigned long b) { if (a > 1 && b > 1"
    " && a < 4294967296 && b < 4294967296) assert(a * b != 9153552214547054437ul); return 0; }\n",
    "many functions": "".join(f"int f{i}(int, int);\n" for i in range(3000))
    + "".join(
        f"int f{i}(int x, int y) {{ int s = 0; for (int k = 0; k < x; k++)"
        f" s += f{(i * 7 + 1) % 3000}(k, y) / (y - {i}); return s; }}\n"
        for i in range(3000)
    ),
}


def timed(folder: Path, *arguments: str, limit: float = LIMIT) -> subprocess.CompletedProcess[str]:
    with within(limit + PROMISED):
        done = subprocess.run(
            [sys.executable, "-m", "vouch", *arguments, "--timeout", str(limit)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_of_check(tmp_path: Path, stage: str) -> None:
    (tmp_path / "a.c").write_text(STAGES[stage])
    done = timed(tmp_path, "check", "a.c", "--json", "--no-cache")
    assert done.returncode in (1, 2, 3), done.stderr
    if done.returncode != 2:
        document = json.loads(done.stdout)
        assert document["incomplete"] or document["checks"]


def test_pipes_and_devices_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.c")
    os.mkfifo(tmp_path / "pipe.ll")
    (tmp_path / "zero.c").symlink_to("/dev/zero")
    (tmp_path / "zero.bc").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "compile_commands.json")
    for words in (["pipe.c"], ["pipe.ll"], ["zero.c"], ["zero.bc"], ["."], ["-p", "."]):
        done = timed(tmp_path, "check", *words)
        assert done.returncode == 2
        assert "not a regular file" in done.stderr
    (tmp_path / "vouch.toml").symlink_to("/dev/zero")
    (tmp_path / "a.c").write_text("int f(int x) { return x / 3; }\n")
    assert timed(tmp_path, "check", "a.c").returncode in (0, 2)


def test_a_header_that_never_ends(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "a.c").write_text('#include "pipe.h"\nint f(int x) { return x / 3; }\n')
    done = timed(tmp_path, "check", "a.c", "--json")
    assert done.returncode == 3 or "time limit" in done.stderr


def test_what_is_decided_before_the_limit_counts(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        STAGES["solver"] + "int g(int x) { return 7 / x; }\nint h(int x) { return x / 9; }\n"
    )
    done = timed(tmp_path, "check", "a.c", "--json", limit=patient(6.0))
    verdicts = {c["id"]: c["verdict"] for c in json.loads(done.stdout)["checks"]}
    assert verdicts["g.division-by-zero.1"] == "unsafe"
    assert verdicts["f.assertion.1"] == "unknown"
    assert done.returncode == 1


onnx = pytest.importorskip("onnx")


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A network of several million weights, and a property with very many cases."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    random = np.random.default_rng(0)
    sizes = [64, 1500, 1500, 1500, 10]
    nodes, weights, last = [], [], "x"
    for i, (m, n) in enumerate(pairwise(sizes)):
        weights.append(
            numpy_helper.from_array(random.standard_normal((m, n)).astype("float32") / 20, f"w{i}")
        )
        nodes.append(helper.make_node("MatMul", [last, f"w{i}"], [f"h{i}"]))
        nodes.append(helper.make_node("Relu", [f"h{i}"], [f"r{i}"]))
        last = f"r{i}"
    graph = helper.make_graph(
        nodes,
        "wide",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64])],
        [helper.make_tensor_value_info(last, TensorProto.FLOAT, [1, 10])],
        weights,
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), str(tmp_path / "wide.onnx")
    )
    lines = [f"(declare-const X_{i} Real)" for i in range(64)] + [
        f"(declare-const Y_{i} Real)" for i in range(10)
    ]
    cases = []
    for c in range(3000):
        box = " ".join(f"(>= X_{i} {-1 + c / 3000}) (<= X_{i} {1 + c / 3000})" for i in range(64))
        cases.append(f"(and {box} (>= Y_{c % 10} 1000.0))")
    (tmp_path / "cases.vnnlib").write_text("\n".join(lines) + "\n(assert (or\n" + "\n".join(cases) + "))\n")
    return tmp_path


def test_large_networks_and_properties(wide: Path) -> None:
    done = timed(wide, "nn", "verify", "wide.onnx", "cases.vnnlib", "--json", limit=6.0)
    assert json.loads(done.stdout)["verdict"] in ("timeout", "unknown", "safe", "unsafe")
    done = timed(
        wide,
        "equiv",
        "wide.onnx",
        "wide.onnx",
        "--epsilon",
        "0.1",
        "--box",
        "cases.vnnlib",
        "--json",
        limit=6.0,
    )
    assert done.returncode in (0, 2, 3)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two networks that are too large for anything exact, data, a box, and the C code of one of them."""
    import numpy as np

    from vouch.nn.export import to_onnx
    from vouch.nn.network import Network

    folder = tmp_path_factory.mktemp("pair")
    for name, seed in (("a", 0), ("b", 1)):
        random = np.random.default_rng(seed)
        layers = [
            (random.standard_normal((n, m)) / m**0.5, random.standard_normal(n))
            for m, n in pairwise([32, 300, 300, 300, 5])
        ]
        (folder / f"{name}.onnx").write_bytes(to_onnx(Network.from_layers(layers), double=False))
    np.save(folder / "data.npy", np.random.default_rng(0).uniform(-1, 1, (2000, 32)))
    (folder / "x.csv").write_text(",".join(["0.1"] * 32))
    box = [f"(declare-const X_{i} Real)(assert (>= X_{i} -1))(assert (<= X_{i} 1))" for i in range(32)]
    box += [f"(declare-const Y_{i} Real)" for i in range(5)]
    (folder / "box.vnnlib").write_text("\n".join([*box, "(assert (>= Y_0 12))"]))
    command = [sys.executable, "-m", "vouch", "nn", "codegen", "a.onnx", "-o", "code"]
    assert subprocess.run(command, cwd=folder).returncode == 0
    return folder


NEAR = ["--centre", "x.csv", "--radius", "0.6"]
NETWORK_STAGES = [
    ["nn", "verify", "a.onnx", "box.vnnlib", "--engine", "milp"],
    ["nn", "verify", "a.onnx", "box.vnnlib", "--engine", "star"],
    ["nn", "verify", "a.onnx", "box.vnnlib", "--format", "8.8"],
    ["nn", "verify", "a.onnx", "box.vnnlib", "--format", "8.8", "--engine", "smt"],
    ["nn", "verify", "a.onnx", "box.vnnlib", "--format", "8.8", "--engine", "code"],
    ["nn", "robust", "a.onnx", "--input", "x.csv", "--radius", "0.3"],
    ["nn", "robust", "a.onnx", "--input", "x.csv", "--radius", "0.3", "--norm", "l2"],
    ["nn", "bits", "a.onnx", "box.vnnlib", "--range", "6..32"],
    ["nn", "cover", "a.onnx", "--inputs", "data.npy"],
    ["nn", "cover", "a.onnx", "--inputs", "data.npy", "--raise", "--radius", "0.5", "--index", "0"],
    ["nn", "nearest", "a.onnx", "--input", "x.csv", "--format", "8.8"],
    ["equiv", "a.onnx", "b.onnx", "--epsilon", "30", *NEAR],
    ["equiv", "a.onnx", "b.onnx", "--epsilon", "30", *NEAR, "--engine", "milp"],
    ["equiv", "a.onnx", "b.onnx", "--epsilon", "30", *NEAR, "--engine", "paths"],
    ["equiv", "radius", "a.onnx", "b.onnx", "--epsilon", "30", *NEAR[:2]],
    ["equiv", "code", "a.onnx", "code/net.c", "--function", "net_run", "--epsilon", "1e-9", *NEAR],
]


@pytest.mark.slow
@pytest.mark.parametrize("words", NETWORK_STAGES, ids=" ".join)
def test_every_stage_of_networks(pair: Path, words: list[str]) -> None:
    done = timed(pair, *words, "--json", limit=4.0)
    assert done.returncode in (0, 1, 3), done.stderr
    assert isinstance(json.loads(done.stdout), dict)
