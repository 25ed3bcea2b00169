"""Model against code: networks in five ways of writing them, float and fixed point, right and with bugs.

    python -m bench equiv_code [--count 20] [--seed 0] [--bugs 7]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bench.numeric_programs import STYLES, FixedNet

FORMATS = (None, 6, 8, 10)  # float, or the fraction bits of fixed point
RELUS = {"float": "s = s > 0 ? s : 0;", "int": "if (s < 0) s = 0;"}


def drawn(r: random.Random, bits: int | None) -> FixedNet:
    sizes = [r.randint(2, 3), *(r.randint(3, 5) for _ in range(r.randint(1, 2))), 1]

    def draw(*shape: int) -> Any:
        values = np.array([r.uniform(0.2, 1.5) * r.choice([-1, 1]) for _ in range(int(np.prod(shape)))])
        values = values.reshape(shape)
        return values.astype(np.float32) if bits is None else np.round(values * 2**bits).astype(np.int64)

    return FixedNet([draw(b, a) for a, b in pairwise(sizes)], [draw(b) for b in sizes[1:]], bits or 0)


def changed(net: FixedNet, layer: int, weights: Any = None, bias: Any = None) -> FixedNet:
    w, b = list(net.weights), list(net.biases)
    w[layer] = w[layer] if weights is None else weights
    b[layer] = b[layer] if bias is None else bias
    return FixedNet(w, b, net.shift)


def _weight(net: FixedNet, text: str) -> FixedNet:
    w = net.weights[-1].copy()
    w[0, 0] += w.dtype.type(0.25 if not net.shift else 1 << (net.shift - 2))
    return changed(net, len(net.weights) - 1, w)


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


def asked(net: FixedNet, text: str, epsilon: float) -> str:
    """The verdict; a run-time error counts as one that differs."""
    from vouch.nn.export import to_onnx
    from vouch.nn.network import Network

    unit = float(1 << net.shift)
    layers = [(w / unit, b / unit) for w, b in zip(net.weights, net.biases, strict=True)]
    size = net.weights[0].shape[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "net.onnx").write_bytes(to_onnx(Network.from_layers(layers, name="net")))
        (folder / "net.c").write_text("#include <math.h>\n" + text, encoding="utf-8")
        words = ["equiv", "code", "net.onnx", "net.c", "--function", "run", "--epsilon", str(epsilon)]
        words += ["--centre", ",".join(["0"] * size), "--radius", "1", "--json", "--timeout", "240"]
        words += ["--format", f"{16 - net.shift}.{net.shift}"] if net.shift else []
        command = [sys.executable, "-m", "vouch", *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode == 1:
        return "different"
    return str(json.loads(done.stdout)["verdict"]) if done.stdout else done.stderr.strip()


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bugs", type=int, default=len(BUGS))
    arguments = parser.parse_args(words)
    table: Counter[tuple[str, str]] = Counter()
    for number in range(arguments.count):
        r = random.Random(f"{arguments.seed}/{number}")
        bits = FORMATS[number % len(FORMATS)]
        kind, style, net = ("float" if bits is None else "int"), STYLES[number % len(STYLES)], drawn(r, bits)
        text = style(net, kind, RELUS[kind])
        epsilon = 1e-4 if bits is None else 100 / 2**bits
        cases: dict[str, Any] = {"as it is": text}
        for bug in list(BUGS)[: arguments.bugs]:
            made = BUGS[bug](net, text)
            cases[bug] = style(made, kind, RELUS[kind]) if isinstance(made, FixedNet) else made
        for bug, code in cases.items():
            if code is not None:
                verdict = asked(net, code, epsilon)
                table[bug, verdict] += 1
                print(f"{number:3} {style.__name__:10} {kind} {bits or '':>3} {bug:20} {verdict}", flush=True)
    print("\n| code | verdict | networks |\n|---|---|---|")
    for (bug, verdict), count in table.items():
        print(f"| {bug} | {verdict} | {count} |")
