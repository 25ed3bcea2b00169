"""`nn verify` on networks and `check` on the C code written for them: do they agree?

    python -m bench nn_against_c [--count 100] [--seed 0] [--acasxu EVERY]

Random ReLU networks with bounds a little inside and outside of the largest output that was seen, as C code
that loops over tables, and with --acasxu every EVERYth network of ACAS Xu with properties 1 to 4, as
`nn codegen` writes it. Printed are both verdicts, and the processor seconds of both.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

_CHECK = ["--checks", "assertion", "--json", "--strategy", "global"]
_LIMITS = ["--timeout", "120", "--check-timeout", "100"]


@dataclass(frozen=True, slots=True)
class Random:
    """A network over [-1, 1]^n and a claim: its output is at most `most`."""

    network: Any
    layers: list[tuple[Any, Any]]
    most: float

    def written(self, folder: Path) -> list[str]:
        """The C files; the property and the network lie beside them."""
        from bench.code_styles import onnx2c
        from vouch.nn.export import to_onnx

        folder.mkdir(parents=True, exist_ok=True)
        size = self.layers[0][0].shape[1]
        activations = [*["relu"] * (len(self.layers) - 1), "identity"]
        text = onnx2c(self.layers, activations).files["model.c"]
        text += "#include <assert.h>\nfloat __VERIFIER_nondet_float(void);\nvoid __VERIFIER_assume(int);\n"
        text += f"int main(void) {{\n    float x[1][{size}], y[1][1];\n"
        for n in range(size):
            text += f"    x[0][{n}] = __VERIFIER_nondet_float();\n"
            text += f"    __VERIFIER_assume(x[0][{n}] >= -1.0f && x[0][{n}] <= 1.0f);\n"
        text += f"    entry(x, y);\n    assert(y[0][0] <= {self.most!r});\n    return 0;\n}}\n"
        (folder / "model.c").write_text(text, encoding="utf-8")
        lines = [f"(declare-const X_{n} Real)" for n in range(size)] + ["(declare-const Y_0 Real)"]
        lines += [f"(assert (>= X_{n} -1.0))\n(assert (<= X_{n} 1.0))" for n in range(size)]
        lines.append(f"(assert (>= Y_0 {self.most!r}))")
        (folder / "property.vnnlib").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / "net.onnx").write_bytes(to_onnx(self.network))
        return [str(folder / "model.c")]


def questions(count: int, seed: int = 0) -> Iterator[Random]:
    """Claims that are true and false in turn, as far as sampling can tell."""
    from vouch.nn.network import Network

    for number in range(count):
        rng = np.random.default_rng((seed, number))
        sizes = [int(rng.integers(2, 4)), *(int(n) for n in rng.integers(3, 7, rng.integers(1, 3))), 1]
        shapes = list(pairwise(sizes))
        layers = [(rng.normal(size=(b, a)).astype("f4"), rng.normal(size=b).astype("f4")) for a, b in shapes]
        network = Network.from_layers(layers, name="net")
        seen = float(network.evaluate(rng.uniform(-1, 1, (20000, sizes[0]))).max())
        yield Random(network, layers, round(seen + (0.3 if number % 2 else -0.1) * max(1.0, abs(seen)), 3))


def _asked(words: list[str], folder: Path) -> tuple[str, float]:
    """The verdict, and processor seconds."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "vouch", *words]
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    document = json.loads(done.stdout)
    verdicts = [check["verdict"] for check in document["checks"]] if "checks" in document else []
    return (verdicts[0] if verdicts else document.get("verdict", "?")), spent


def _acasxu(every: int, folder: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    from bench.nn_instances import data_folder

    data = data_folder() / "acasxu"
    for path in sorted((data / "onnx").iterdir())[::every]:
        for number in range(1, 5):
            prop = str(data / "vnnlib" / f"prop_{number}.vnnlib")
            own = folder / f"{path.name[13:16]}-{number}"
            words = ["nn", "codegen", str(path), "-o", str(own), "--property", prop]
            subprocess.run([sys.executable, "-m", "vouch", *words], capture_output=True, check=True)
            sources = [str(own / "net.c"), str(own / "harness.c")]
            yield own.name, ["nn", "verify", str(path), prop], [*sources, "-I", str(own)]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--acasxu", type=int, default=0)
    arguments = parser.parse_args(words)
    table: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows: list[tuple[str, list[str], list[str]]] = []
        for number, question in enumerate(questions(arguments.count, arguments.seed)):
            own = folder / str(number)
            sources = question.written(own)
            files = [str(own / "net.onnx"), str(own / "property.vnnlib")]
            rows.append((str(number), ["nn", "verify", *files], sources))
        more = _acasxu(arguments.acasxu, folder) if arguments.acasxu else iter(())
        for title, network, code in [*rows, *more]:
            model, spent = _asked([*network, "--json", "--timeout", "120"], folder)
            written, more_spent = _asked(["check", *code, *_CHECK, *_LIMITS], folder)
            table[model, written] += 1
            print(f"{title:8} {model:8} {spent:6.2f} s   {written:12} {more_spent:6.2f} s", flush=True)
    print("\n| model | code | questions |\n|---|---|---|")
    for (model, written), count in table.items():
        print(f"| {model} | {written} | {count} |")
    wrong = sum(n for pair, n in table.items() if set(pair) == {"safe", "unsafe"})
    return 1 if wrong else 0
