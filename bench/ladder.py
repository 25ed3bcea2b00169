"""A project step by step, and what each step decided: `python -m bench ladder FILE… [--limit S] [--kill S]`.

The files (SQLite's amalgamation, say) are put into a workspace of their own in a scratch folder. The steps
are `vouch analyze combined`, `local`, `refine preconditions` and the ladder, each with an equal share of the
time; after each comes a row of the table, as in Kleine Büning 2022, section 7.2. With `--kill S` the last
step is killed (SIGKILL) after so many seconds and run again: what was proved must still be there. Memory is
that of all processes of a step together. Wanted: deadlines hold, memory under 6 GB.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

VOUCH = [sys.executable, "-m", "vouch"]
VERDICTS = ("safe", "unsafe", "bound-safe", "cond-unsafe", "unknown")
STEPS = (
    ("combined", ["analyze", "combined"]),
    ("local", ["analyze", "local"]),
    ("preconditions", ["refine", "preconditions"]),
    ("ladder", ["analyze"]),
)
_PAGE = os.sysconf("SC_PAGE_SIZE")
_LATE = 5.0  # seconds after the limit within which a step has to end on a quiet machine


@dataclass(frozen=True, slots=True)
class Step:
    code: int
    seconds: float
    megabytes: float


def family(pid: int) -> list[int]:
    """A process with all that it started."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found, work = [], [pid]
    while work:
        current = work.pop()
        found.append(current)
        work += children.get(current, [])
    return found


def resident(pids: list[int]) -> float:
    """MiB of these processes together, shared pages counted once for each of them."""
    total = 0
    for pid in pids:
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except OSError:
            continue
    return total * _PAGE / (1 << 20)


def step(root: Path, words: list[str], kill: float | None = None) -> Step:
    """One command in the workspace; killed after some seconds if that is wanted."""
    began, most = time.monotonic(), 0.0
    with open(root / "log", "ab") as log:
        process = subprocess.Popen([*VOUCH, *words, "-q"], cwd=root, stdout=log, stderr=log)
        while process.poll() is None:
            most = max(most, resident(family(process.pid)))
            if kill is not None and time.monotonic() - began > kill:
                process.send_signal(signal.SIGKILL)
            time.sleep(0.25)
    return Step(process.returncode, time.monotonic() - began, most)


def counted(root: Path) -> tuple[Counter[str], Counter[str]]:
    """Checks in the store by verdict and by what decided them."""
    with sqlite3.connect(root / ".vouch" / "store.db") as base:
        rows = base.execute("select verdict, decided_by from results").fetchall()
    return Counter(row[0] for row in rows), Counter(row[1] or "-" for row in rows)


def row(name: str, counts: Counter[str], done: Step) -> str:
    total = max(sum(counts.values()), 1)
    shares = " ".join(f"{counts[v]:6} {100 * counts[v] / total:3.0f}%" for v in VERDICTS)
    return f"{name:16} {shares} {done.seconds:8.1f} {done.megabytes:8.0f} {done.code:4}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench ladder", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for all steps together")
    parser.add_argument("--kill", type=float, help="seconds after which the last step is killed")
    wanted = parser.parse_args(arguments)
    root = Path(tempfile.mkdtemp(prefix="vouch-ladder-"))
    try:
        return measured(root, [path.resolve() for path in wanted.files], wanted.limit, wanted.kill)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def measured(root: Path, files: list[Path], limit: float, kill: float | None) -> int:
    for words in (["init", "."], ["sources", "--add", *map(str, files)]):
        subprocess.run([*VOUCH, *words], cwd=root, check=True, capture_output=True)
    heads = " ".join(f"{verdict:>11}" for verdict in VERDICTS)
    print(f"{'step':16} {heads} {'seconds':>8} {'MB':>8} {'code':>4}")
    each, wrong = limit / len(STEPS), 0
    by: Counter[str] = Counter()
    for name, words in STEPS:
        last = name == STEPS[-1][0]
        timed = [*words, "--timeout", f"{each:.0f}"]
        if last and kill is not None:
            done = step(root, timed, kill)
            before, _ = counted(root)
            print(row("killed", before, done), flush=True)
        done = step(root, timed)
        counts, by = counted(root)
        print(row(name, counts, done), flush=True)
        wrong += done.code not in (0, 1, 3) or done.seconds > each + _LATE
        if last and kill is not None and counts["safe"] < before["safe"]:
            print("what was proved before the kill is gone")
            wrong += 1
    print("\ndecided by: " + ", ".join(f"{name} {count}" for name, count in by.most_common()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
