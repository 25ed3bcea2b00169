"""This version of vouch against an earlier one: processor time of the benchmarks that both have.

`python -m bench versions [TASK…] [--revision R] [--rounds N] [--packages FOLDER]`. Both versions take turns,
so that other work on the machine meets them alike. Processor time counts all processes; the median is taken
over the rounds, with the least beside it, and the ratio is that of the medians. `--packages` names a folder
with packages that only the earlier version requires (`pip install --target`). Where the answers of the two
differ, the last column says how many checks of which verdict there are.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bench import cases, real_code, stages

ROOT = Path(__file__).resolve().parent.parent
FIVE = "int average(int a, int b)\n{\n    int sum = a / 2 + b / 2;\n    return sum;\n}\n"
MANY = 100
LINES = 1000
CASES = 40  # of the regression cases of the earlier version
REVISION, ROUNDS = "2a64c7a", 3
LIMIT = 120  # seconds for one library
# Small libraries that are decided, rather than stopped by their time.
LIBRARIES = ("siphash", "crc32c", "jsmn", "heatshrink-decoder", "tiny-AES")
BENCHES = {
    "equivalence": ["equiv_nine"],
    "equivalence, paths": ["equiv_nine", "--engines", "paths", "--timeout", "30"],
    "ACAS Xu, every 20th": ["nn_acasxu", "20", "30"],
    "terms and solvers": ["smt"],
}


@dataclass(frozen=True, slots=True)
class Version:
    """A tree of sources, with what Python needs beside it."""

    name: str
    tree: Path
    cache: Path
    packages: str = ""

    def run(self, arguments: list[str], folder: Path | None = None) -> tuple[float, str]:
        """Processor seconds of a Python program of this version, and what it printed."""
        path = os.pathsep.join(filter(None, (str(self.tree / "src"), self.packages)))
        environ = {**os.environ, "PYTHONPATH": path, "VOUCH_CACHE_DIR": str(self.cache)}
        environ.setdefault("VOUCH_DATA", str(ROOT.parent / "shared" / "data"))
        environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its modules compiled
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, *arguments], env=environ, capture_output=True, text=True, cwd=folder or self.tree
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1, 3) or not done.stdout:
            raise OSError(f"{self.name}: {done.stderr.strip()[-300:]}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout

    def check(self, arguments: Iterable[str], folder: Path | None = None) -> tuple[float, Counter[str]]:
        """The same of `vouch check`, and the verdicts."""
        own = (self.tree / "src" / "vouch" / "__main__.py").exists()
        start = ["-m", "vouch"] if own else ["-c", "from vouch.cli.main import main; main()"]
        seconds, text = self.run([*start, "check", *arguments, "--json"], folder)
        return seconds, Counter(json.loads(text)["summary"])


Task = Callable[[Version], tuple[float, Counter[str]]]


@dataclass(slots=True)
class Measured:
    seconds: list[float] = field(default_factory=list)
    verdicts: Counter[str] = field(default_factory=Counter)


def _sources(folder: Path) -> dict[str, Task]:
    """Files that are written here."""
    five, many, large = folder / "five.c", folder / "many", folder / "large.c"
    five.write_text(FIVE)
    many.mkdir()
    for number in range(MANY):
        (many / f"f{number}.c").write_text(FIVE.replace("average", f"average{number}"))
    large.write_text(stages.large_program(LINES))
    return {
        "five lines": lambda version: version.check([str(five)]),
        f"{MANY} files": lambda version: version.check([str(many)]),
        f"{LINES} lines": lambda version: version.check([str(large), "--no-cache"]),
    }


def _regression(old: Path) -> Task:
    """Cases that both versions know, each as a user runs it."""
    found = cases.find(old / "tests" / "cases")
    chosen = found[:: max(1, len(found) // CASES)]

    def task(version: Version) -> tuple[float, Counter[str]]:
        runs = [version.check([str(case.path), *case.options, "--no-cache"]) for case in chosen]
        return sum(seconds for seconds, _ in runs), sum((verdicts for _, verdicts in runs), Counter())

    return task


def _library(name: str) -> Task:
    library = next(library for library in real_code.LIBRARIES if library.name == name)

    def task(version: Version) -> tuple[float, Counter[str]]:
        root = real_code.fetch(library.package)
        files = [str(path) for glob in library.files for path in sorted(root.glob(glob))]
        limits = ["--timeout", str(LIMIT), "--check-timeout", "10", "--no-cache"]
        return version.check([*files, *library.options, *limits], root)

    return task


def _bench(arguments: list[str]) -> Task:
    return lambda version: (version.run(["-m", "bench", *arguments])[0], Counter())


def tasks(folder: Path, old: Path) -> dict[str, Task]:
    return {
        **_sources(folder),
        "regression cases": _regression(old),
        **{name: _bench(arguments) for name, arguments in BENCHES.items()},
        **{name: _library(name) for name in LIBRARIES},
    }


def compare(name: str, task: Task, versions: tuple[Version, Version], rounds: int) -> None:
    """A row of the table. The first round fills caches and does not count where there are others."""
    found = {version.name: Measured() for version in versions}
    for number in range(rounds + (rounds > 1)):
        for version in versions:
            try:
                seconds, verdicts = task(version)
            except OSError as error:
                print(f"{name:22} {error}", flush=True)
                return
            if number or rounds == 1:
                found[version.name].seconds.append(seconds)
                found[version.name].verdicts = verdicts
    before, now = found.values()
    ratio = statistics.median(now.seconds) / statistics.median(before.seconds)
    row = " ".join(f"{statistics.median(m.seconds):9.2f} {min(m.seconds):7.2f}" for m in (before, now))
    differs = "" if before.verdicts == now.verdicts else f"{dict(before.verdicts)} -> {dict(now.verdicts)}"
    print(f"{name:22} {row} {ratio:6.2f}  {differs}", flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench versions", description=__doc__)
    parser.add_argument("tasks", nargs="*", help="names, or the beginnings of names (default: all)")
    parser.add_argument("--revision", default=REVISION)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--packages", default="", help="folder with packages for the earlier version")
    wanted = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        old = folder / "old"
        command = ["git", "-C", str(ROOT), "worktree", "add", "-q", "--detach", str(old), wanted.revision]
        subprocess.run(command, check=True)
        try:
            versions = (
                Version(wanted.revision, old, folder / "cache-old", wanted.packages),
                Version("now", ROOT, folder / "cache-now"),
            )
            print(f"{'task':22} {wanted.revision:>9} {'least':>7} {'now':>9} {'least':>7} {'ratio':>6}")
            for task, work in tasks(folder, old).items():
                if not wanted.tasks or task.startswith(tuple(wanted.tasks)):
                    compare(task, work, versions, wanted.rounds)
        finally:
            subprocess.run(["git", "-C", str(ROOT), "worktree", "remove", "--force", str(old)], check=False)
    return 0
