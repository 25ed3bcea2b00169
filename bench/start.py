"""How long the first answer takes: small files, against an earlier version of vouch in the same run.

`python -m bench start [REVISION] [ROUNDS]`. Both versions take turns, so that other work on the machine meets
them alike; processor time (children included) and wall time are medians.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIVE = "int average(int a, int b)\n{\n    int sum = a / 2 + b / 2;\n    return sum;\n}\n"
MANY = 100
REVISION, ROUNDS = "2a64c7a", 7
START = "import sys; from vouch.cli.main import main; main(sys.argv[1:])"


def measure(source: Path, arguments: list[str], cache: Path) -> tuple[float, float]:
    """Processor and wall seconds of one run."""
    environ = {**os.environ, "PYTHONPATH": str(source / "src"), "VOUCH_CACHE_DIR": str(cache)}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        [sys.executable, "-c", START, "check", *arguments], env=environ, capture_output=True, check=True
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main(arguments: list[str]) -> int:
    revision = arguments[0] if arguments else REVISION
    rounds = int(arguments[1]) if len(arguments) > 1 else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        old = folder / "old"
        subprocess.run(["git", "-C", str(ROOT), "worktree", "add", "-q", str(old), revision], check=True)
        try:
            _compare(folder, {revision: old, "this": ROOT}, rounds)
        finally:
            subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", str(old)], check=False)
    return 0


def _compare(folder: Path, versions: dict[str, Path], rounds: int) -> None:
    (folder / "five.c").write_text(FIVE)
    many = folder / "many"
    many.mkdir()
    for number in range(MANY):
        (many / f"f{number}.c").write_text(FIVE.replace("average", f"average{number}"))
    tasks = {"five lines": str(folder / "five.c"), f"{MANY} files": str(many)}
    print(f"{'task':14} {'version':10} {'processor s':>12} {'wall s':>8}")
    for task, path in tasks.items():
        found: dict[str, list[tuple[float, float]]] = {version: [] for version in versions}
        for number in range(rounds + 1):
            for version, source in versions.items():
                seconds = measure(source, [path], folder / f"cache-{version}")
                if number:  # the first one fills the cache
                    found[version].append(seconds)
        for version, times in found.items():
            used, wall = (statistics.median(column) for column in zip(*times, strict=True))
            print(f"{task:14} {version:10} {used:12.3f} {wall:8.3f}")
