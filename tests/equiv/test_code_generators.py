"""Models against code in the styles of generators: sigmoids and tangents of the math library, structs with a
map, headers; each with a twin that has a bug, and native runs as the opponent."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from bench.code_styles import STYLES, by_hand, emlearn, m2cgen, network, onnx2c

from vouch.cli.main import run
from vouch.nn.export import to_onnx

SIZES = (2, 3, 3, 2)
KINDS = ("relu", "tanh", "logistic")


def drawn(seed=6):  # where every neuron of the relu network is alive
    rng = np.random.default_rng(seed)
    shapes = list(pairwise(SIZES))
    return [(rng.normal(size=(b, a)).astype("f4"), rng.normal(size=b).astype("f4")) for a, b in shapes]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compared(folder, capsys, net, code, *options):
    (folder / "net.onnx").write_bytes(to_onnx(net))
    words = ["net.onnx", *code.written(folder), "--centre", "0,0", "--radius", "1", "--json"]
    options = options or ("--epsilon", "1e-4")
    status = run(["equiv", "code", *words, *options])
    return status, json.loads(capsys.readouterr().out)


def chosen(style, kind):
    usual = (style, kind) in {("emlearn", "tanh"), ("by hand", "logistic")}
    return (style, kind) if usual else pytest.param(style, kind, marks=pytest.mark.slow)


@pytest.mark.parametrize(("style", "kind"), [chosen(s, k) for s in STYLES for k in KINDS])
def test_generators(folder, capsys, style, kind):
    if style == "emlearn":
        with np.errstate():  # which it changes
            pytest.importorskip("emlearn")
    layers, activations = drawn(), [kind, kind, "identity"]
    net = network(layers, activations)
    status, document = compared(folder, capsys, net, STYLES[style](layers, activations))
    assert (status, document["verdict"]) == (0, "equivalent")
    assert document["bound"] < 1e-4
    assert set(document["run_time_errors"]["summary"]) <= {"safe"}
    assert bool(document["assumptions"]) == (kind != "relu")
    layers[1][0][0, 0] += np.float32(0.05)
    status, document = compared(folder, capsys, net, STYLES[style](layers, activations))
    assert (status, document["verdict"], document["replayed"]) == (1, "different", True)


def native(folder, source, function, number=ctypes.c_float):
    """The compiled function of rows."""
    compiler = [sys.executable, "-m", "ziglang", "cc", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-lm"]
    subprocess.run([*compiler, source, "-o", "net.so"], check=True, cwd=folder)
    called = getattr(ctypes.CDLL(str(folder / "net.so")), function)

    def call(row):
        out = (number * SIZES[-1])()
        called((number * SIZES[0])(*map(float, row)), out)
        return list(out)

    return lambda rows: np.array([call(row) for row in rows])


SPELLINGS = {
    "positive": ("logistic", "expf({0}) / (1.0f + expf({0}))"),
    "both ways": ("logistic", "{0} >= 0 ? 1 / (1 + expf(-{0})) : expf({0}) / (1 + expf({0}))"),
    "half a tangent": ("logistic", "0.5f * (tanhf(0.5f * {0}) + 1.0f)"),
    "in double": ("logistic", "(float)(1.0 / (1.0 + exp(-{0})))"),
    "single power in double": ("logistic", "(float)(1.0 / (1.0 + expf(-{0})))"),
    "by a sigmoid": ("tanh", "2.0f / (1.0f + expf(-2.0f * {0})) - 1.0f"),
    "by one power": ("tanh", "(1.0f - expf(-2.0f * {0})) / (1.0f + expf(-2.0f * {0}))"),
    "by two powers": ("tanh", "(expf({0}) - expf(-{0})) / (expf({0}) + expf(-{0}))"),
}
USUAL = ("both ways", "by two powers")


@pytest.mark.parametrize(
    "spelling", [s if s in USUAL else pytest.param(s, marks=pytest.mark.slow) for s in SPELLINGS]
)
def test_spellings(folder, capsys, spelling):
    """The proved bound holds for what the compiled code does."""
    kind, text = SPELLINGS[spelling]
    # Small weights: interval arithmetic does not know that a quotient of powers stays below one.
    layers, activations = [(w / 4, b / 4) for w, b in drawn(1)], [kind, kind, "identity"]
    net = network(layers, activations)
    code = onnx2c(layers, ["identity"] * 3)
    plain = "y[0][i] = y[0][i];"
    source = code.files["model.c"].replace(plain, f"y[0][i] = {text.format('y[0][i]')};", 2)
    code.files["model.c"] = source
    status, document = compared(folder, capsys, net, code)
    assert (status, document["verdict"]) == (0, "equivalent")
    rows = np.random.default_rng(2).uniform(-1, 1, (2000, 2)).astype("f4").astype("f8")
    wanted = net.evaluate(rows.reshape(-1, 1, 2)).reshape(-1, 2)
    gap = np.abs(native(folder, "model.c", "entry")(rows) - wanted)
    assert gap.max() <= document["bound"]


def test_another_function_is_another_function(folder, capsys):
    """A sigmoid whose constant is not one, and a tangent of the wrong argument."""
    layers = drawn(1)
    net = network(layers, ["logistic", "logistic", "identity"])
    code = onnx2c(layers, ["logistic", "logistic", "identity"])
    code.files["model.c"] = code.files["model.c"].replace("1.0f / (1.0f + expf", "1.0f / (1.25f + expf", 1)
    status, document = compared(folder, capsys, net, code)
    assert (status, document["verdict"], document["replayed"]) == (1, "different", True)
    status, document = compared(folder, capsys, net, code, "--epsilon", "100")
    assert status == 3  # not followed, and so never equivalent
    assert "not followed" in document["reason"]


MAPS = {
    "call = 3": "call",
    "inputs = ['a', 'b']": "no call",
    "call = 'f()'\ninputs = ['a']": "2 C expressions",
    "call = 'f()'\ntype = 'long'": "type",
    "call = ": "option --map",
    "call = 'f()'\nfunktion = 'f'": "funktion",
}


@pytest.mark.parametrize("text", MAPS)
def test_wrong_maps(folder, capsys, text):
    (folder / "net.onnx").write_bytes(to_onnx(network(drawn(), ["relu", "relu", "identity"])))
    code = by_hand(drawn(), ["relu", "relu", "identity"])
    code.files["map.toml"] = text
    words = ["net.onnx", *code.written(folder), "--centre", "0,0", "--radius", "1", "--epsilon", "0.1"]
    assert run(["equiv", "code", *words]) == 2
    assert MAPS[text] in capsys.readouterr().err


def test_lengths_are_given_to_the_function(folder, capsys):
    """A float function with lengths, and one that returns an error code instead of a number."""
    layers = drawn()
    text = m2cgen(layers, ["relu", "relu", "identity"]).files["score.c"]
    text += "int run(const double *x, int n, double *y, unsigned m) {\n"
    text += "    if (n != 2 || m != 2) return 1;\n    score((double *)x, y);\n    return 0;\n}\n"
    (folder / "run.c").write_text(text)
    (folder / "net.onnx").write_bytes(to_onnx(network(layers, ["relu", "relu", "identity"])))
    words = ["net.onnx", "run.c", "--function", "run", "--centre", "0,0", "--radius", "1"]
    assert run(["equiv", "code", *words, "--epsilon", "1e-6", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "equivalent"


def test_emlearn_is_run(folder):
    pytest.importorskip("emlearn")
    assert "eml_net_regress" in emlearn(drawn(), ["relu", "relu", "identity"]).files["net.h"]
