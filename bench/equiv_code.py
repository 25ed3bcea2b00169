"""Model against code: networks as generators and people write them, right and with bugs.

    python -m bench equiv_code [--count 24] [--first 0] [--seed 0] [--bugs 7] [--only float|"fixed point"]

Float code comes from emlearn (of scikit-learn's perceptrons), and from the styles of onnx2c, m2cgen, keras2c
and of a person with structs, with ReLU, tanh and sigmoid in turn; fixed-point code in five ways of writing
loops, with 6, 8 and 10 fraction bits. Every network is asked as it is, and with each bug that it can have.
Not every bug moves the outputs by more than rounding may (a neuron that is never active can be left out): the
compiled fixed-point code, and the float network with the bug, are run on many inputs to see which do.
`equivalent` would be a wrong answer about these.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import random
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bench import code_styles
from bench.numeric_programs import STYLES, FixedNet

FRACTIONS = (6, 8, 10)
ACTIVATIONS = ("relu", "tanh", "logistic")
RELUS = {"float": "s = s > 0 ? s : 0;", "int": "if (s < 0) s = 0;"}


def drawn(r: random.Random, bits: int) -> FixedNet:
    sizes = [r.randint(2, 3), *(r.randint(3, 5) for _ in range(r.randint(1, 2))), 1]

    def draw(*shape: int) -> Any:
        values = np.array([r.uniform(0.2, 1.5) * r.choice([-1, 1]) for _ in range(int(np.prod(shape)))])
        values = values.reshape(shape)
        return np.round(values * 2**bits).astype(np.int64)

    return FixedNet([draw(b, a) for a, b in pairwise(sizes)], [draw(b) for b in sizes[1:]], bits)


def changed(net: FixedNet, layer: int, weights: Any = None, bias: Any = None) -> FixedNet:
    w, b = list(net.weights), list(net.biases)
    w[layer] = w[layer] if weights is None else weights
    b[layer] = b[layer] if bias is None else bias
    return FixedNet(w, b, net.shift)


def _weight(net: FixedNet, text: str) -> FixedNet | None:
    """In its last digit that matters: the least one that moves some output by more than rounding may."""
    rng = np.random.default_rng(0)
    columns = [rng.integers(-(1 << net.shift), (1 << net.shift) + 1, 50_000) for _ in net.weights[0][0]]
    for digit in range(net.shift + 3):
        w = net.weights[-1].copy()
        w[0, 0] += 1 << digit
        made = changed(net, len(net.weights) - 1, w)
        if np.abs(made.evaluate(columns) - net.evaluate(columns)).max() > 2 * _rounding(net):
            return made
    return None  # the neuron is dead


def _swapped(net: FixedNet, text: str) -> FixedNet:
    w = net.weights[0].copy()
    w[:, [0, 1]] = w[:, [1, 0]]
    return changed(net, 0, w)


def _short_loop(net: FixedNet, text: str) -> FixedNet:
    w = net.weights[-1].copy()
    w[:, -1] = 0
    return changed(net, len(net.weights) - 1, w)


def _no_bias(net: FixedNet, text: str) -> FixedNet:
    return changed(net, len(net.biases) - 1, bias=net.biases[-1] * 0)


def _wrong_shift(net: FixedNet, text: str) -> FixedNet | None:
    return FixedNet(net.weights, net.biases, net.shift - 1) if net.shift else None


def _no_relu(net: FixedNet, text: str) -> str:
    return text.replace(RELUS["int" if net.shift else "float"], "s = s < 0 ? s / 2 : s;")


def _narrow(net: FixedNet, text: str) -> str | None:
    narrow = text.replace("int s = ", "signed char s = ")
    return narrow if net.shift and narrow != text else None


BUGS: dict[str, Callable[[FixedNet, str], Any]] = {
    "weight changed": _weight,
    "indices swapped": _swapped,
    "loop too short": _short_loop,
    "bias missing": _no_bias,
    "wrong shift": _wrong_shift,
    "other activation": _no_relu,
    "narrow accumulator": _narrow,
}


@dataclass(frozen=True, slots=True)
class Question:
    """A model, and the code that is said to compute it."""

    model: Any  # a Network
    code: code_styles.Code
    epsilon: float
    format: str | None = None
    written: Any = None  # for floats: the Network that the code was made of

    def shows(self, samples: int = 300_000) -> bool:
        """Whether the compiled code differs from the model on some sample; for floats, whether the network
        that it was made of does, by more than rounding may."""
        if self.format is None:
            points = np.random.default_rng(0).uniform(-1, 1, (samples // 10, self.model.inputs))
            gap = np.abs(self.model.evaluate(points) - self.written.evaluate(points))
            return bool(gap.max() > 1.1 * self.epsilon)
        unit, size = 1 << int(self.format.split(".")[1]), self.model.inputs
        rows = np.random.default_rng(0).integers(-unit, unit + 1, (samples, size)).astype(np.int32)
        rows[: samples // 4] = np.where(rows[: samples // 4] < 0, -unit, unit)
        own = np.zeros(samples, dtype=np.int32)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "net.c"
            path.write_text(self.code.files["net.c"] + _MANY, encoding="utf-8")
            compiler = [sys.executable, "-m", "ziglang", "cc", "-O1", "-fwrapv", "-shared", "-fPIC"]
            subprocess.run([*compiler, str(path), "-o", f"{folder}/net.so"], check=True)
            many = ctypes.CDLL(f"{folder}/net.so").many
            many(rows.ctypes.data_as(ctypes.c_void_p), samples, size, own.ctypes.data_as(ctypes.c_void_p))
        gap = np.abs(self.model.evaluate(rows / unit).reshape(-1) - own / unit)
        return bool(gap.max() > self.epsilon)


_MANY = """
void many(const int *x, int count, int size, int *y) {
    for (int i = 0; i < count; i++) y[i] = run(x + i * size);
}
"""

def _fixed(number: int, r: random.Random, bugs: list[str]) -> Iterator[tuple[str, Question | None]]:
    """Integers n that stand for n / 2^bits."""
    from vouch.nn.network import Network

    bits = FRACTIONS[number % len(FRACTIONS)]
    style, net = STYLES[number % len(STYLES)], drawn(r, bits)
    text = style(net, "int", RELUS["int"])
    unit = float(1 << bits)
    layers = [(w / unit, b / unit) for w, b in zip(net.weights, net.biases, strict=True)]
    model = Network.from_layers(layers, name="net")
    texts: dict[str, Any] = {"as it is": text} | {bug: BUGS[bug](net, text) for bug in bugs}
    for bug, made in texts.items():
        source = style(made, "int", RELUS["int"]) if isinstance(made, FixedNet) else made
        code = code_styles.Code({"net.c": "#include <math.h>\n" + str(source)}, ("--function", "run"))
        question = Question(model, code, _rounding(net) / unit, f"{16 - bits}.{bits}")
        yield bug, None if source is None else question


def _rounding(net: FixedNet) -> float:
    """How far shifts can move a result, in units of the last bit: each product loses less than one."""
    error = np.zeros(net.weights[0].shape[1])
    for weights in net.weights:
        error = np.abs(weights) / (1 << net.shift) @ error + weights.shape[1]
    return float(error.max())


def _float(number: int, r: random.Random, bugs: list[str]) -> Iterator[tuple[str, Question | None]]:
    name = list(code_styles.STYLES)[number % len(code_styles.STYLES)]
    kind = ACTIVATIONS[number // len(code_styles.STYLES) % len(ACTIVATIONS)]
    layers = _trained(r, kind) if name == "emlearn" else _drawn_float(r)
    activations = [*[kind] * (len(layers) - 1), "identity"]
    model = code_styles.network(layers, activations)
    for bug in ["as it is", *bugs]:
        made = with_bug(layers, activations, bug)
        code = None if made is None else code_styles.STYLES[name](*made)
        own = None if made is None else code_styles.network(*made)
        yield bug, None if code is None else Question(model, code, 1e-4, written=own)


def _trained(r: random.Random, kind: str) -> code_styles.Layers:
    """A perceptron of scikit-learn, its weights as emlearn writes them: to six digits."""
    from sklearn.neural_network import MLPRegressor

    rng = np.random.default_rng(r.randrange(1 << 30))
    x = rng.uniform(-1, 1, (200, 3))
    y = np.column_stack([np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2], np.abs(x[:, 0])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = MLPRegressor(hidden_layer_sizes=(5, 4), activation=kind, max_iter=200, random_state=1)
        made.fit(x, y)
    return [(np.asarray(w).T, np.asarray(b)) for w, b in zip(made.coefs_, made.intercepts_, strict=True)]


def _drawn_float(r: random.Random) -> code_styles.Layers:
    sizes = [r.randint(2, 3), *(r.randint(3, 5) for _ in range(r.randint(1, 2))), 2]
    rng = np.random.default_rng(r.randrange(1 << 30))
    shapes = list(pairwise(sizes))
    return [(rng.normal(size=(b, a)).astype("f4"), rng.normal(size=b).astype("f4")) for a, b in shapes]


def with_bug(layers: code_styles.Layers, activations: list[str], bug: str) -> Any:
    """None where floats cannot have it."""
    layers, activations = [(w.copy(), b.copy()) for w, b in layers], list(activations)
    match bug:
        case "weight changed":
            layers[-1][0][0, 0] += 0.01
        case "indices swapped":
            layers[0][0][:, [0, 1]] = layers[0][0][:, [1, 0]]
        case "loop too short":
            layers[-1][0][:, -1] = 0
        case "bias missing":
            layers[-1][1][:] = 0
        case "other activation":
            activations[0] = {"relu": "tanh", "tanh": "logistic", "logistic": "tanh"}[activations[0]]
        case "wrong shift" | "narrow accumulator":
            return None
    return layers, activations


def asked(question: Question) -> str:
    """The verdict; a run-time error counts as one that differs."""
    from vouch.nn.export import to_onnx

    size = question.model.inputs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "net.onnx").write_bytes(to_onnx(question.model))
        words = ["net.onnx", *question.code.written(folder), "--epsilon", str(question.epsilon)]
        words += ["--format", question.format] if question.format else []
        return compared(words, size, folder)


def compared(words: list[str], size: int, folder: Path) -> str:
    """The verdict of `vouch equiv code` over inputs from -1 to 1."""
    box = ["--centre", ",".join(["0"] * size), "--radius", "1", "--timeout", "240"]
    command = [sys.executable, "-m", "vouch", "equiv", "code", *words, *box, "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode == 1:
        return "different"
    return str(json.loads(done.stdout)["verdict"]) if done.stdout else done.stderr.strip()


_SHOWN = {True: "yes", False: "no"}


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bugs", type=int, default=len(BUGS))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", choices=("float", "fixed point"))
    arguments = parser.parse_args(words)
    bugs = list(BUGS)[: arguments.bugs]
    table: Counter[tuple[str, str, bool, str]] = Counter()
    for number in range(arguments.first, arguments.first + arguments.count):
        r = random.Random(f"{arguments.seed}/{number}")
        turn, place = divmod(number, 8)  # five styles of floats, three fractions
        floats = place < 5
        kind = "float" if floats else "fixed point"
        made = _float(5 * turn + place, r, bugs) if floats else _fixed(3 * turn + place - 5, r, bugs)
        if arguments.only not in (None, kind):
            continue
        for bug, question in made:
            if question is not None:
                verdict, shows = asked(question), question.shows()
                table[kind, bug, shows, verdict] += 1
                print(f"{number:3} {kind:12} {bug:20} {verdict:12} {_SHOWN[shows]}", flush=True)
    print("\n| numbers | code | differs on samples | verdict | networks |\n|---|---|---|---|---|")
    for (kind, bug, shows, verdict), count in table.items():
        print(f"| {kind} | {bug} | {_SHOWN[shows]} | {verdict} | {count} |")
    return 1 if any(shows and verdict == "equivalent" for _, _, shows, verdict in table) else 0
