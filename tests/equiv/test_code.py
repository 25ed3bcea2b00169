"""Model against C code: styles of code that compute the model, seeded bugs that do not, and native runs."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from vouch.cli.main import run
from vouch.nn.export import to_onnx
from vouch.nn.network import Network

SIZES = (2, 4, 3, 2)
EPSILON = 1e-4


def weights(seed=0):
    rng = np.random.default_rng(seed)
    drawn = [(rng.normal(size=(b, a)), rng.normal(size=b)) for a, b in pairwise(SIZES)]
    return [(w.astype(np.float32), b.astype(np.float32)) for w, b in drawn]


def literal(x, kind="float"):
    return repr(float(x)) + ("f" if kind == "float" else "")


def table(name, values, kind="float"):
    values = np.atleast_1d(values)
    dims = "".join(f"[{n}]" for n in values.shape)
    inner = ",".join("{" + ",".join(literal(x, kind) for x in row) + "}" for row in np.atleast_2d(values))
    return f"static const {kind} {name}{dims} = " + ("{" + inner + "}" if values.ndim > 1 else inner) + ";\n"


def loops(layers, kind="float", relu="s > 0 ? s : 0", head="void run(const {k} *x, {k} *y)"):
    """Loops over constant tables."""
    text = "".join(table(f"W{n}", w, kind) + table(f"B{n}", b, kind) for n, (w, b) in enumerate(layers))
    text += head.format(k=kind) + " {\n"
    source = "x"
    for n, (w, b) in enumerate(layers):
        last = n == len(layers) - 1
        target = "y" if last else f"h{n}"
        text += "" if last else f"    {kind} h{n}[{len(b)}];\n"
        text += f"    for (int i = 0; i < {len(b)}; i++) {{\n        {kind} s = B{n}[i];\n"
        text += f"        for (int j = 0; j < {w.shape[1]}; j++) s += W{n}[i][j] * {source}[j];\n"
        text += f"        {target}[i] = {'s' if last else relu};\n    }}\n"
        source = target
    return text + "}\n"


def straight(layers):
    """Straight-line code with temporaries, the bias last, and fmaxf."""
    text = "#include <math.h>\nvoid run(const float x[2], float y[2]) {\n"
    values = [f"x[{j}]" for j in range(SIZES[0])]
    for n, (w, b) in enumerate(layers):
        names = []
        for i, row in enumerate(w):
            total = " + ".join(f"{literal(c)} * {v}" for c, v in zip(row, values, strict=True))
            name = f"t{n}_{i}"
            if n < len(layers) - 1:
                text += f"    float {name} = fmaxf(0.0f, {total} + {literal(b[i])});\n"
                names.append(name)
            else:
                text += f"    y[{i}] = {total} + {literal(b[i])};\n"
        values = names
    return text + "}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    layers = weights()
    (tmp_path / "net.onnx").write_bytes(to_onnx(Network.from_layers(layers, name="net")))
    line = "(declare-const X_{0} Real)\n(assert (>= X_{0} -1.0))\n(assert (<= X_{0} 1.0))\n"
    (tmp_path / "box.vnnlib").write_text(line.format(0) + line.format(1))
    return tmp_path


def asked(capsys, text, *options):
    with open("net.c", "w", encoding="utf-8") as file:
        file.write(text)
    command = ["equiv", "code", "net.onnx", "net.c", "--function", "run", "--box", "box.vnnlib"]
    code = run([*command, "--epsilon", str(EPSILON), "--json", *options])
    return code, json.loads(capsys.readouterr().out)


def native(kind="float"):
    """The compiled function, as a function of rows."""
    compiler = [sys.executable, "-m", "ziglang", "cc", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([*compiler, "net.c", "-o", "net.so"], check=True)
    function = ctypes.CDLL(os.path.abspath("net.so")).run
    number = ctypes.c_float if kind == "float" else ctypes.c_double

    def call(row):
        out = (number * SIZES[-1])()
        function((number * SIZES[0])(*map(float, row)), out)
        return list(out)

    return lambda rows: np.array([call(row) for row in rows])


@pytest.mark.parametrize("style", ["loops", "straight", "double"])
def test_code_that_computes_the_model(folder, capsys, style):
    layers = weights()
    text = {"loops": loops(layers), "straight": straight(layers), "double": loops(layers, "double")}[style]
    code, document = asked(capsys, text)
    assert (code, document["verdict"]) == (0, "equivalent")
    assert document["run_time_errors"]["summary"].keys() <= {"safe"}
    rows = np.random.default_rng(1).uniform(-1, 1, (500, 2)).astype(np.float32)
    computed = native(style if style == "double" else "float")(rows)
    gap = np.abs(computed - Network.from_layers(layers).evaluate(rows))
    assert gap.max() <= document["bound"] <= EPSILON


def _moved(text, weight):
    return text.replace(literal(weight), literal(weight + 0.01), 1)


BUGS = {
    "a weight": lambda text, layers: _moved(text, layers[1][0][1, 2]),
    "swapped indices": lambda text, layers: text.replace("W1[i][j] * h0[j]", "W1[i][j] * h0[3 - j]"),
    "no bias": lambda text, layers: text.replace("float s = B1[i];", "float s = 0;"),
    "no activation": lambda text, layers: text.replace("h1[i] = s > 0 ? s : 0;", "h1[i] = s;"),
    "one too few": lambda text, layers: text.replace("j < 3; j++) s += W2", "j < 2; j++) s += W2"),
}


# Two of them belong to every run.
_OFTEN = ("a weight", "no activation")


@pytest.mark.parametrize(
    "bug", [bug if bug in _OFTEN else pytest.param(bug, marks=pytest.mark.slow) for bug in BUGS]
)
def test_seeded_bugs(folder, capsys, bug):
    layers = weights()
    text = BUGS[bug](loops(layers), layers)
    assert text != loops(layers)
    code, document = asked(capsys, text)
    assert (code, document["verdict"], document["replayed"]) == (1, "different", True)
    found = document["counterexample"]
    row = np.array([found["input"]])
    assert np.abs(native()(row)[0] - found["test"]).max() == 0
    assert np.abs(np.array(found["test"]) - Network.from_layers(layers).evaluate(row)[0]).max() > EPSILON


def test_run_time_errors_count(folder, capsys):
    """One too many: what is read behind the array may be anything."""
    text = loops(weights()).replace("j < 4; j++) s += W1", "j <= 4; j++) s += W1")
    code, document = asked(capsys, text)
    assert code == 1
    assert document["run_time_errors"]["violations"]


def test_too_little_left_for_rounding(folder, capsys):
    """Less than floats can be told apart by: never equivalent, and different only where it was seen."""
    code, document = asked(capsys, loops(weights()), "--epsilon", "1e-9")
    assert (code, document["verdict"]) in ((3, "unknown"), (1, "different"))
    if code == 1:
        shown = document["counterexample"]
        assert np.abs(np.subtract(shown["reference"], shown["test"])).max() > 1e-9
        assert document["replayed"]
    else:
        assert "rounding" in document["reason"]


def test_what_is_not_piecewise_linear(folder, capsys):
    """Such code is not followed to a proof, but run where it differs."""
    text = loops(weights(), relu="s * s")
    code, document = asked(capsys, text, "--epsilon", "1e4")
    assert (code, document["verdict"]) == (3, "unknown")
    assert "product" in document["reason"]
    code, document = asked(capsys, text)
    assert (code, document["verdict"], document["replayed"]) == (1, "different", True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--function", "walk"], "no function"),
        ([], "missing option --function"),
        (["--function", "run", "--top", "1"], "either --epsilon or --top"),
    ],
)
def test_wrong_options(folder, capsys, options, said):
    (folder / "net.c").write_text(loops(weights()))
    where = ["--box", "box.vnnlib", "--epsilon", "0.1"]
    assert run(["equiv", "code", "net.onnx", "net.c", *where, *options]) == 2
    assert said in capsys.readouterr().err


def fixed(layers, unit=256, shift=8):
    """Q8.8 as firmware writes it: products shifted back one by one."""
    scaled = [(np.floor(w * unit).astype(int), np.floor(b * unit).astype(int)) for w, b in layers]
    text = "#include <stdint.h>\n"
    for n, (w, b) in enumerate(scaled):
        rows = ",".join("{" + ",".join(map(str, row)) + "}" for row in w)
        text += f"static const int16_t W{n}[{w.shape[0]}][{w.shape[1]}] = {{{rows}}};\n"
        text += f"static const int16_t B{n}[{len(b)}] = {{{','.join(map(str, b))}}};\n"
    text += "void run(const int16_t *x, int16_t *y) {\n"
    source = "x"
    for n, (w, b) in enumerate(scaled):
        last = n == len(scaled) - 1
        target = "y" if last else f"h{n}"
        text += "" if last else f"    int16_t h{n}[{len(b)}];\n"
        text += f"    for (int i = 0; i < {len(b)}; i++) {{\n        int32_t s = B{n}[i];\n"
        product = f"(W{n}[i][j] * {source}[j]) >> {shift}"
        text += f"        for (int j = 0; j < {w.shape[1]}; j++) s += {product};\n"
        text += f"        {target}[i] = (int16_t){'s' if last else '(s < 0 ? 0 : s)'};\n    }}\n"
        source = target
    return text + "}\n"


def in_units(rows):
    """What the text computes, by the rules of C, for rows of integers; nothing overflows here."""
    values = np.asarray(rows, dtype=np.int64)
    layers = [(np.floor(w * 256).astype(int), np.floor(b * 256).astype(int)) for w, b in weights()]
    for n, (w, b) in enumerate(layers):
        values = ((w[None] * values[:, None, :]) >> 8).sum(2) + b
        values = values if n == len(layers) - 1 else np.maximum(values, 0)
    return values


def test_fixed_point(folder, capsys):
    text = fixed(weights())
    code, document = asked(capsys, text, "--format", "8.8", "--epsilon", "0.5")
    assert (code, document["verdict"]) == (0, "equivalent")
    rows = np.random.default_rng(2).integers(-256, 257, (2000, 2))
    gap = np.abs(in_units(rows) / 256 - Network.from_layers(weights()).evaluate(rows / 256))
    assert 0.01 < gap.max() <= document["bound"] <= 0.5


@pytest.mark.slow
def test_a_wrong_shift(folder, capsys):
    code, document = asked(capsys, fixed(weights(), shift=7), "--format", "8.8", "--epsilon", "0.5")
    assert (code, document["verdict"], document["replayed"]) == (1, "different", True)
    assert all(float(x * 256).is_integer() for x in document["counterexample"]["input"])


def test_integers_need_a_format(folder, capsys):
    (folder / "net.c").write_text(fixed(weights()))
    where = ["--box", "box.vnnlib", "--epsilon", "0.1", "--function", "run"]
    assert run(["equiv", "code", "net.onnx", "net.c", *where]) == 2
    assert "--format" in capsys.readouterr().err


def ranked(capsys, text, centre, radius, k="1"):
    with open("net.c", "w", encoding="utf-8") as file:
        file.write(text)
    where = ["--centre", ",".join(map(str, centre)), "--radius", str(radius)]
    code = run(["equiv", "code", "net.onnx", "net.c", "--function", "run", "--top", k, "--json", *where])
    return code, json.loads(capsys.readouterr().out)


def clear_point(layers):
    """Where the first output is ahead most clearly, of a few thousand points."""
    rows = np.random.default_rng(3).uniform(-1, 1, (4000, 2))
    out = np.sort(Network.from_layers(layers).evaluate(rows), axis=1)
    return rows[(out[:, -1] - out[:, -2]).argmax()]


def test_the_same_class(folder, capsys):
    layers = weights()
    centre = clear_point(layers)
    code, document = ranked(capsys, loops(layers), centre, 0.01)
    assert (code, document["verdict"]) == (0, "equivalent")
    swapped = [*layers[:-1], (layers[-1][0][::-1], layers[-1][1][::-1])]
    code, document = ranked(capsys, loops(swapped), centre, 0.01)
    assert (code, document["verdict"], document["replayed"]) == (1, "different", True)
    example = document["counterexample"]
    assert np.argmax(example["reference"]) != np.argmax(example["test"])


def test_arrays_of_one_row(folder, capsys):
    layers = weights()
    head = f"void run(const {{k}} x_[1][{SIZES[0]}], {{k}} y_[1][{SIZES[-1]}])"
    rows = "{\n    const float *x = x_[0];\n    float *y = y_[0];\n"
    code, document = asked(capsys, loops(layers, head=head).replace("{\n", rows, 1))
    assert (code, document["verdict"]) == (0, "equivalent")


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_bound_of_fixed_point_is_near_the_truth(folder, capsys, seed):
    """All inputs computed: the proved bound holds, and is not far above the largest difference."""
    layers = [(np.round(w * 64) / 64, np.round(b * 64) / 64) for w, b in weights(seed + 7)]
    model = Network.from_layers(layers, name="net")
    (folder / "net.onnx").write_bytes(to_onnx(model))
    axis = np.arange(-64, 65)
    rows = np.array(np.meshgrid(axis, axis)).reshape(2, -1).T
    values = rows
    for n, (w, b) in enumerate(layers):
        values = ((np.int64(w * 64)[None] * values[:, None, :]) >> 6).sum(2) + np.int64(b * 64)
        values = values if n == len(layers) - 1 else np.maximum(values, 0)
    truth = np.abs(values / 64 - model.evaluate(rows / 64)).max()
    text = fixed(layers, unit=64, shift=6)
    code, document = asked(capsys, text, "--format", "10.6", "--epsilon", str(4 * truth))
    assert (code, document["verdict"]) == (0, "equivalent")
    assert truth <= document["bound"] <= 4 * truth
    code, document = asked(capsys, text, "--format", "10.6", "--epsilon", str(0.9 * truth))
    assert (code, document["verdict"], document["replayed"]) == (1, "different", True)
