"""How long the first answer takes, by the clock: a five-line file, one with a violation that is replayed, and
a hundred small ones.

`python -m bench start [ROUNDS]`. Processor time (children included) and wall time are medians, with the least
of all rounds beside them: that is what a machine with nothing else to do takes. A `cbmc` on the PATH takes
its turns with the five lines. Against an earlier version: `python -m bench versions five 100`.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.versions import FIVE, MANY

ROUNDS = 11
VIOLATED = "int scaled(int a, int b)\n{\n    int step = b - 3;\n    return a / step;\n}\n"
VOUCH = [sys.executable, "-m", "vouch", "check"]
PEER = ["cbmc", "--signed-overflow-check", "--div-by-zero-check", "--function"]


def measure(command: list[str], cache: Path) -> tuple[float, float]:
    """Processor and wall seconds of one run."""
    environ = {**os.environ, "VOUCH_CACHE_DIR": str(cache)}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its modules compiled
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, env=environ, capture_output=True)
    assert done.returncode in (0, 1, 10), done.stderr  # violated: 1, by the peer 10
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main(arguments: list[str]) -> int:
    rounds = int(arguments[0]) if arguments else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        five, violated, many = folder / "five.c", folder / "violated.c", folder / "many"
        five.write_text(FIVE)
        violated.write_text(VIOLATED)
        many.mkdir()
        for number in range(MANY):
            (many / f"f{number}.c").write_text(FIVE.replace("average", f"average{number}"))
        tasks = {"five lines": [*VOUCH, str(five)], "a violation": [*VOUCH, str(violated)]}
        tasks[f"{MANY} files"] = [*VOUCH, str(many)]
        if shutil.which(PEER[0]):
            tasks["five lines, cbmc"] = [*PEER, "average", str(five)]
            tasks["a violation, cbmc"] = [*PEER, "scaled", str(violated)]
        tasks["python alone"] = [sys.executable, "-c", "pass"]
        found: dict[str, list[tuple[float, float]]] = {task: [] for task in tasks}
        for number in range(rounds + 1):
            for task, command in tasks.items():
                seconds = measure(command, folder / "cache")
                if number:  # the first one fills the cache
                    found[task].append(seconds)
    print(f"{'task':18} {'processor s':>12} {'least':>7} {'wall s':>8} {'least':>7}")
    for task, times in found.items():
        used, wall = zip(*times, strict=True)
        processor = f"{statistics.median(used):12.3f} {min(used):7.3f}"
        print(f"{task:18} {processor} {statistics.median(wall):8.3f} {min(wall):7.3f}")
    return 0
