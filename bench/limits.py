"""By how much `--timeout` is missed, stage by stage, on inputs that are far too much for each.

`python -m bench limits [SECONDS] [WORD…]`: stages whose name has one of the words, or all. `over` is wall
time past the limit; the promise is two seconds on a machine that has nothing else to do. `slower` says how
many times longer a loop took just before and after than it would on such a machine. Behind the numbers stands
the stage of `vouch check` that took longest, or was cut short.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests import limit_stages as stages

PROMISED = 2.0
_SAMPLE = 0.1  # seconds of processor time


def main(arguments: list[str]) -> int:
    limit = float(arguments[0]) if arguments else 5.0
    words = arguments[1:]
    late = 0
    print(f"{'stage':76} {'code':>4} {'over s':>7} {'processor s':>12} {'MB':>6} {'slower':>7}")
    with tempfile.TemporaryDirectory() as name:
        for stage, folder, command in _commands(Path(name), words):
            late += _measure(stage, folder, [*command, "--timeout", str(limit)], limit)
    print(f"{late} over {PROMISED} s for reasons of their own")
    return int(late > 0)


def _measure(stage: str, folder: Path, command: list[str], limit: float) -> bool:
    """One line of the table, and whether the promise was broken."""
    slower = _slowness()
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as answer:
        words = [sys.executable, "-m", "vouch", *command]
        process = subprocess.Popen(words, cwd=folder, stdout=answer, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        over = time.monotonic() - began - limit
        code = process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        last = said.read().strip().splitlines()[-1:]
        answer.seek(0)
        where = _where(answer.read())
    slower = max(slower, _slowness())
    used = usage.ru_utime + usage.ru_stime
    numbers = f"{code:4} {max(over, 0):7.2f} {used:12.2f} {usage.ru_maxrss >> 10:6} {slower:7.1f}"
    print(f"{stage:76} {numbers} ", where, *(last if code not in (0, 1, 3) else ()), flush=True)
    return over > PROMISED * slower


def _where(text: str) -> str:
    """In which stage of `vouch check` the time went."""
    try:
        document = json.loads(text)
    except ValueError:
        return ""
    stages = document.get("stages") or {}
    return document.get("incomplete") or max(stages, key=stages.__getitem__, default="")


def _slowness() -> float:
    began, used = time.monotonic(), time.process_time()
    while time.process_time() - used < _SAMPLE:
        sum(range(1000))
    return max((time.monotonic() - began) / _SAMPLE, os.getloadavg()[0] / (os.cpu_count() or 1), 1.0)


def _commands(folder: Path, words: list[str]) -> Iterator[tuple[str, Path, list[str]]]:
    def wanted(name: str) -> bool:
        return not words or any(word in name for word in words)

    for name, text in {**stages.SOURCES, **stages.LONG_SOURCES}.items():
        if wanted(f"check: {name}"):
            (folder / "a.c").write_text(text)
            yield f"check: {name}", folder, ["check", "a.c", "--json", "--no-cache"]
    if wanted("check: 1000 files"):
        many = folder / "many"
        many.mkdir()
        stages.write_database(many, 1000)
        yield "check: 1000 files", many, ["check", ".", "--json", "--no-cache"]
    if wanted("workspace"):
        yield from _workspace(folder / "workspace")
    if wanted("pictures"):
        stages.write_convolutions(folder / "pictures.onnx", 96, [16, 32, 64, 64])
        stages.write_box(folder / "pictures.vnnlib", 3 * 96 * 96, 10, 0.05, 1000)
        yield "nn: pictures", folder, ["nn", "verify", "pictures.onnx", "pictures.vnnlib", "--json"]
        stages.write_convolutions(folder / "large.onnx", 224, [64, 128, 256, 512])
        stages.write_box(folder / "large.vnnlib", 3 * 224 * 224, 10, 0.05, 1000)
        yield "nn: large pictures", folder, ["nn", "verify", "large.onnx", "large.vnnlib", "--json"]
        asked = ["--epsilon", "1", "--box", "pictures.vnnlib", "--json"]
        yield "equiv: pictures", folder, ["equiv", "pictures.onnx", "pictures.onnx", *asked]
    if wanted("cases"):
        stages.write_network(folder / "small.onnx", [5, 50, 50, 50, 50, 5], 0)
        stages.write_cases(folder / "cases.vnnlib", 5, 5, 20000)
        stages.write_network(folder / "wide.onnx", [64, 1500, 1500, 1500, 10], 0)
        stages.write_cases(folder / "wide.vnnlib", 64, 10, 3000)
        yield "nn: cases", folder, ["nn", "verify", "small.onnx", "cases.vnnlib", "--json"]
        yield "nn: cases of a wide network", folder, ["nn", "verify", "wide.onnx", "wide.vnnlib", "--json"]
        fixed = ["nn", "verify", "small.onnx", "cases.vnnlib", "--format", "8.8", "--json"]
        yield "nn: cases in fixed point", folder, fixed
        asked = ["--epsilon", "1e-9", "--box", "cases.vnnlib", "--json"]
        yield "equiv: cases", folder, ["equiv", "small.onnx", "small.onnx", *asked]
    if any(wanted(" ".join(command)) for command in stages.PAIR):
        stages.write_pair(folder)
        subprocess.run(
            [sys.executable, "-m", "vouch", "nn", "codegen", "a.onnx", "-o", "code"], cwd=folder, check=True
        )
        for command in stages.PAIR:
            if wanted(" ".join(command)):
                yield " ".join(command), folder, [*command, "--json"]


def _workspace(folder: Path) -> Iterator[tuple[str, Path, list[str]]]:
    folder.mkdir()
    (folder / "a.c").write_text(stages.SOURCES["many functions"] + stages.SOURCES["solver"])
    for command in (["init", "."], ["sources", "--find"]):
        subprocess.run([sys.executable, "-m", "vouch", *command], cwd=folder, check=True, capture_output=True)
    for command in stages.WORKSPACE:
        yield "workspace: " + " ".join(command), folder, [*command, "--json"]
