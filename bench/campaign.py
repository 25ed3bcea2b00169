"""What campaigns of random programs share: seeds in several processes, a line for each, a summary at the end.

A program with a wrong answer is kept, with what was said about it, in the folder that `--keep` names.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from vouch.run.pool import run_jobs

GOOD, OPEN, WRONG, SKIPPED = "ok", "undecided", "WRONG", "skipped"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one seed. `files` (names and texts) are kept if it is wrong; `counts` are summed up."""

    seed: int
    kind: str
    notes: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


def arguments(name: str, description: str | None, count: int) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m bench {name}", description=description)
    parser.add_argument("--count", type=int, default=count, help=f"programs (default {count})")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default 0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at the same time")
    parser.add_argument("--keep", type=Path, default=Path("bench/out") / name, help="for wrong answers")
    parser.add_argument("--limit", type=float, default=None, help="seconds of clock for each program")
    return parser


def run(wanted: argparse.Namespace, work: Callable[[range], list[Answer]], block: int, limit: float) -> int:
    """Hand out the seeds in blocks; `limit` is the time for a block. Exit code 1 if an answer is wrong."""
    last = wanted.first + wanted.count
    blocks = [range(at, min(at + block, last)) for at in range(wanted.first, last, block)]
    kinds: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    began = time.monotonic()
    for seeds, outcome in run_jobs(work, blocks, jobs=wanted.jobs, timeout=limit, ordered=False):
        failed = [Answer(seed, f"crash: {outcome.failure}", [outcome.message]) for seed in seeds]
        for answer in outcome.value if outcome.value is not None else failed:
            kinds[answer.kind] += 1
            counts += answer.counts
            print(f"seed {answer.seed}: {answer.kind}", *answer.notes, sep="\n    ", flush=True)
            if answer.kind == WRONG:
                keep(answer, wanted.keep)
    print()
    for kind, count in kinds.most_common():
        print(f"{count:6} {kind}")
    for what, count in sorted(counts.items()):
        print(f"       {count:6} {what}")
    print(f"{time.monotonic() - began:.0f} s with {wanted.jobs} processes")
    return 1 if any(kind.startswith((WRONG, "crash")) for kind in kinds) else 0


def keep(answer: Answer, folder: Path) -> None:
    place = folder / str(answer.seed)
    place.mkdir(parents=True, exist_ok=True)
    (place / "answer.txt").write_text("\n".join(answer.notes) + "\n", encoding="utf-8")
    for name, text in answer.files.items():
        (place / name).write_text(text, encoding="utf-8")
