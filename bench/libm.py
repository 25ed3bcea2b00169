"""How far the functions of a math library are from the real ones, in ulps, against what `--libm` assumes.

    python -m bench libm [--library musl|glibc] [--samples 20000] [--seed 0] [NAME…]

The compiler of the wheel links statically with its musl, so neither library needs to be installed. Printed
for each function, in float and double: the largest distance from the real function that was seen (ball
arithmetic of python-flint, 120 bits; half an ulp of it is rounding), where, and what is assumed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

ONE = (
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "erf", "erfc"),
)
TWO = ("pow", "atan2", "hypot")
_TARGETS = {"musl": "x86_64-linux-musl", "glibc": "x86_64-linux-gnu"}
_DRIVER = """
#include <math.h>
#include <stdio.h>
#include <string.h>
#define ONE(name) if (!strcmp(argv[1], #name)) { double x; while (fread(&x, 8, 1, stdin) == 1) { \\
    double y = name(x); fwrite(&y, 8, 1, stdout); } } \\
    if (!strcmp(argv[1], #name "f")) { float x; while (fread(&x, 4, 1, stdin) == 1) { \\
    float y = name ## f(x); fwrite(&y, 4, 1, stdout); } }
#define TWO(name) if (!strcmp(argv[1], #name)) { double x[2]; while (fread(x, 16, 1, stdin) == 1) { \\
    double y = name(x[0], x[1]); fwrite(&y, 8, 1, stdout); } } \\
    if (!strcmp(argv[1], #name "f")) { float x[2]; while (fread(x, 8, 1, stdin) == 1) { \\
    float y = name ## f(x[0], x[1]); fwrite(&y, 4, 1, stdout); } }
int main(int argc, char **argv) {
"""


@cache
def program(library: str) -> str:
    """A program that maps numbers from its input by the function it is told."""
    folder = Path(tempfile.mkdtemp(prefix="vouch-libm-"))
    text = _DRIVER + "\n".join(f"ONE({name})" for name in ONE) + "\n".join(f"TWO({name})" for name in TWO)
    (folder / "libm.c").write_text(text + "\nreturn 0; }\n", encoding="utf-8")
    made = str(folder / "libm")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", _TARGETS[library], "-O1", "-fno-builtin"]
    subprocess.run([*command, str(folder / "libm.c"), "-lm", "-o", made], check=True, capture_output=True)
    return made


def results(library: str, name: str, *arguments: Any) -> Any:
    """What the library returns, in the type of the arguments."""
    given = np.column_stack(arguments) if len(arguments) > 1 else arguments[0]
    data = np.ascontiguousarray(given).tobytes()
    done = subprocess.run([program(library), name], input=data, capture_output=True, check=True)
    return np.frombuffer(done.stdout, dtype=arguments[0].dtype)


def points(rng: np.random.Generator, name: str, dtype: Any, count: int) -> Any:
    """Where functions are finite: all sizes, and more of the usual ones."""
    sizes = np.concatenate(
        [
            rng.normal(0, 1, count // 3),
            rng.uniform(-90, 90, count // 3),
            rng.choice([-1, 1], count // 3) * 10.0 ** rng.uniform(-30, 30, count // 3),
        ]
    )
    if name in ("asin", "acos", "atanh"):
        near = np.sign(sizes) * (1 - 10 ** -rng.uniform(0, 7, len(sizes)))
        sizes = np.concatenate([rng.uniform(-1, 1, count // 2), near])
    if name.startswith("log") or name == "pow":
        sizes = np.abs(sizes)
    if name == "acosh":
        sizes = 1 + np.abs(sizes)
    return sizes.astype(dtype)


def distances(name: str, found: Any, *arguments: Any) -> Any:
    """In ulps of the result; NaN where there is nothing to measure."""
    from flint import arb, ctx

    ctx.prec = 160
    ulps = np.full(len(found), np.nan)
    for n, result in enumerate(found):
        given = [arb(float(column[n])) for column in arguments]
        exact = _exact(arb, name, *given)
        if exact is None or not exact.is_finite() or not np.isfinite(result):
            continue
        middle = float(exact.mid())
        unit = float(np.spacing(np.abs(found.dtype.type(middle))))
        if not np.isfinite(unit) or abs(middle) < float(np.finfo(found.dtype).tiny):
            continue
        ulps[n] = abs(float((arb(float(result)) - exact).mid())) / unit
    return ulps


def _exact(arb: Any, name: str, x: Any, y: Any = None) -> Any:
    match name:
        case "exp2":
            return arb(2) ** x
        case "log2":
            return x.log() / arb(2).log()
        case "log10":
            return x.log() / arb(10).log()
        case "cbrt":
            return x.root(3) if x >= 0 else -((-x).root(3))
        case "pow":
            return x**y
        case "atan2":
            return arb.atan2(x, y)
        case "hypot":
            return (x * x + y * y).sqrt()
        case _:
            return getattr(x, name)()


def measured(library: str, base: str, dtype: Any, count: int, seed: int) -> tuple[float, tuple[float, ...]]:
    """The largest distance seen, and where."""
    rng = np.random.default_rng((seed, *base.encode()))
    arguments = [points(rng, base, dtype, count)]
    if base in TWO:
        arguments.append(rng.permutation(points(rng, "", dtype, count))[: len(arguments[0])])
    name = base + ("f" if dtype is np.float32 else "")
    with np.errstate(all="ignore"):
        ulps = distances(base, results(library, name, *arguments), *arguments)
    worst = int(np.nanargmax(ulps))
    return float(ulps[worst]), tuple(float(column[worst]) for column in arguments)


def main(words: list[str]) -> int:
    from vouch.numeric.accuracy import Accuracy

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--library", choices=tuple(_TARGETS), default="musl")
    parser.add_argument("--samples", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(words)
    accuracy, wrong = Accuracy(arguments.library), 0
    print(f"| {arguments.library} | float | double | assumed |\n|---|---|---|---|")
    for base in arguments.names or [*ONE, *TWO]:
        cells = []
        for dtype in (np.float32, np.float64):
            worst, where = measured(arguments.library, base, dtype, arguments.samples, arguments.seed)
            wrong += worst > accuracy.ulps(base)
            cells.append(f"{worst:.2f} at {', '.join(map(repr, where))}")
        print(f"| {base} | {cells[0]} | {cells[1]} | {accuracy.ulps(base)} |", flush=True)
    return 1 if wrong else 0
