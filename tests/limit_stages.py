"""Inputs that are far too much for one stage each: without a limit they would take minutes.

`tests/test_limits.py` asks whether `--timeout` holds there, `python -m bench limits` measures by how much it
is missed.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np

BOMB = "#define A0(x) x x x x x x x x x x\n" + "".join(
    f"#define A{i}(x) A{i - 1}(A{i - 1}(x))\n" for i in range(1, 6)
)

# One C file for each stage.
SOURCES = {
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


def _step(i: int) -> str:
    taken = f"a[{(i * 31) % 97}] += b * {i % 7 + 1};"
    return f"    if (a[{i % 97}] > {i % 1000}) {taken} else b -= a[{i % 89}];\n"


# The same, but too long for the tests of every day.
LONG_SOURCES = {
    "ranges": "int f(int *a, int b) {\n" + "".join(_step(i) for i in range(20000)) + "return b; }\n",
    "many findings": "".join(f"int f{i}(int x, int y) {{ return {i} / (x - y); }}\n" for i in range(3000)),
    "slow native run": "int main(void) { volatile unsigned n = 0; unsigned k;\n"
    "for (k = 0; k < 4000000000u; k++) n += k; int x = n; return 1 / (x - x); }\n",
    "large table": "static const int t[] = {"
    + ", ".join(str(i * 7919 % 65536) for i in range(400_000))
    + "};\nint f(unsigned i, int v) { return t[i % 400000] / (v - t[v & 0xffff]); }\n",
    "deep calls": "int f0(int x) { return x + 1; }\n"
    + "".join(f"int f{i}(int x) {{ return f{i - 1}(x) + f{i - 1}(x ^ {i}); }}\n" for i in range(1, 400)),
    "floats": "#include <math.h>\n#include <assert.h>\nvoid f(double x, double y, double z) {"
    " if (x > 1 && x < 2 && y > 1 && y < 2 && z > 1 && z < 2)"
    " assert(sqrt(x * y / z) * exp(z) - pow(x, y) != 1.25 * z / x); }\n",
    "deep nesting": "int f(int x) { return "
    + "(" * 200
    + "x"
    + "".join(f" * {i} + x)" for i in range(200))
    + " / x; }\n"
    + "int g(int x) {\n"
    + "".join(f"if (x % {i + 2}) {{\n" for i in range(200))
    + "return 1 / x;\n"
    + "}" * 200
    + "return 0; }\n",
}


def write_network(file: Path, sizes: list[int], seed: int) -> None:
    """A fully connected network with random weights, last layer included in its ReLUs no more."""
    from vouch.nn.export import to_onnx
    from vouch.nn.network import Network

    random = np.random.default_rng(seed)
    layers = [
        (random.standard_normal((n, m)) / m**0.5, random.standard_normal(n)) for m, n in pairwise(sizes)
    ]
    file.write_bytes(to_onnx(Network.from_layers(layers), double=False))


def write_convolutions(file: Path, pixels: int, channels: list[int]) -> None:
    """A network that takes pictures of three colours, with a convolution for each pair of channels."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    random = np.random.default_rng(0)
    nodes, weights, last = [], [], "x"
    side = pixels
    for i, (m, n) in enumerate(pairwise([3, *channels])):
        kernel = random.standard_normal((n, m, 3, 3)).astype("float32") / (3 * m**0.5)
        weights.append(numpy_helper.from_array(kernel, f"w{i}"))
        words = {"pads": [1, 1, 1, 1], "strides": [2, 2]}
        nodes.append(helper.make_node("Conv", [last, f"w{i}"], [f"c{i}"], **words))
        nodes.append(helper.make_node("Relu", [f"c{i}"], [f"r{i}"]))
        last, side = f"r{i}", (side + 1) // 2
    nodes.append(helper.make_node("Flatten", [last], ["flat"]))
    size = channels[-1] * side * side
    weights.append(
        numpy_helper.from_array((random.standard_normal((size, 10)) / size**0.5).astype("float32"), "last")
    )
    nodes.append(helper.make_node("MatMul", ["flat", "last"], ["y"]))
    graph = helper.make_graph(
        nodes,
        "pictures",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, pixels, pixels])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, str(file))


def write_cases(file: Path, inputs: int, outputs: int, cases: int) -> None:
    """A property of many cases, each with an input set of its own."""
    lines = [f"(declare-const X_{i} Real)" for i in range(inputs)]
    lines += [f"(declare-const Y_{i} Real)" for i in range(outputs)]
    texts = []
    for c in range(cases):
        box = " ".join(
            f"(>= X_{i} {-1 + c / cases:.6f}) (<= X_{i} {1 + c / cases:.6f})" for i in range(inputs)
        )
        texts.append(f"(and {box} (>= Y_{c % outputs} 1000.0))")
    file.write_text("\n".join(lines) + "\n(assert (or\n" + "\n".join(texts) + "))\n")


def write_box(file: Path, inputs: int, outputs: int, radius: float, least: float) -> None:
    """All inputs between -radius and radius, and the first output below `least`."""
    lines = [
        f"(declare-const X_{i} Real)(assert (>= X_{i} {-radius}))(assert (<= X_{i} {radius}))"
        for i in range(inputs)
    ]
    lines += [f"(declare-const Y_{i} Real)" for i in range(outputs)]
    file.write_text("\n".join([*lines, f"(assert (>= Y_0 {least}))"]))


def write_pair(folder: Path) -> None:
    """Two networks that are too large for anything exact, data, a box and many instances."""
    for name, seed in (("a", 0), ("b", 1)):
        write_network(folder / f"{name}.onnx", [32, 300, 300, 300, 5], seed)
    data = np.random.default_rng(0).uniform(-1, 1, (2000, 32))
    np.save(folder / "data.npy", data)
    labels = (data[:, 0] > 0) + 2 * (data[:, 1] > 0)
    np.save(folder / "labelled.npy", np.column_stack([data, labels])[:500])
    (folder / "x.csv").write_text(",".join(["0.1"] * 32))
    write_box(folder / "box.vnnlib", 32, 5, 1, 12)
    (folder / "instances.csv").write_text("a.onnx,box.vnnlib,100\n" * 50)
    (folder / "several").mkdir()
    for name in ("a", "b"):
        (folder / "several" / f"{name}.onnx").write_bytes((folder / f"{name}.onnx").read_bytes())


NEAR = ["--centre", "x.csv", "--radius", "0.6"]
# Commands on what `write_pair` made; `code` holds the C code of the first network.
PAIR = [
    ["nn", "verify", "a.onnx", "box.vnnlib"],
    ["nn", "verify", "a.onnx", "box.vnnlib", "--engine", "milp"],
    ["nn", "verify", "a.onnx", "box.vnnlib", "--engine", "star"],
    ["nn", "verify", "a.onnx", "box.vnnlib", "--format", "8.8"],
    ["nn", "verify", "a.onnx", "box.vnnlib", "--format", "8.8", "--engine", "milp"],
    ["nn", "verify", "a.onnx", "box.vnnlib", "--format", "8.8", "--engine", "smt"],
    ["nn", "verify", "a.onnx", "box.vnnlib", "--format", "8.8", "--engine", "code"],
    ["nn", "robust", "a.onnx", "--input", "x.csv", "--radius", "0.3"],
    ["nn", "robust", "a.onnx", "--input", "x.csv", "--radius", "0.3", "--norm", "l2"],
    ["nn", "robust", "a.onnx", "--input", "x.csv", "--radius", "0.3", "--nearest"],
    ["nn", "bounds", "a.onnx", "--box", "box.vnnlib"],
    ["nn", "bits", "a.onnx", "box.vnnlib", "--range", "6..32"],
    ["nn", "cover", "a.onnx", "--inputs", "data.npy"],
    ["nn", "cover", "a.onnx", "--inputs", "data.npy", "--raise", "--radius", "0.5", "--index", "0"],
    ["nn", "nearest", "a.onnx", "--input", "x.csv", "--format", "8.8"],
    ["nn", "batch", "instances.csv", "-o", "results.csv"],
    ["nn", "codegen", "a.onnx", "-o", "straight", "--format", "8.8", "--code", "straight"],
    ["equiv", "a.onnx", "b.onnx", "--epsilon", "30", *NEAR],
    ["equiv", "a.onnx", "b.onnx", "--epsilon", "30", *NEAR, "--engine", "milp"],
    ["equiv", "a.onnx", "b.onnx", "--epsilon", "30", *NEAR, "--engine", "paths"],
    ["equiv", "a.onnx", "b.onnx", "--epsilon", "30", "--clusters", "labelled.npy"],
    ["equiv", "sweep", "a.onnx", "several", "--epsilon", "30", "--clusters", "labelled.npy"],
    ["equiv", "radius", "a.onnx", "b.onnx", "--epsilon", "30", *NEAR[:2]],
    ["equiv", "code", "a.onnx", "code/net.c", "--function", "net_run", "--epsilon", "1e-9", *NEAR],
]

# Commands of a workspace on a program with too much in it.
WORKSPACE = [
    ["compile"],
    ["analyze", "global"],
    ["analyze", "local"],
    ["analyze", "calls"],
    ["analyze", "combined"],
    ["refine", "callers"],
    ["refine", "preconditions"],
    ["refine", "learned"],
]


def write_database(folder: Path, entries: int) -> None:
    """A compilation database of many small files."""
    listed = []
    for i in range(entries):
        (folder / f"f{i}.c").write_text(f"int f{i}(int x) {{ return {i} / x; }}\n")
        listed.append({"directory": str(folder), "file": f"f{i}.c", "command": f"cc -DN={i} -c f{i}.c"})
    (folder / "compile_commands.json").write_text(json.dumps(listed))
