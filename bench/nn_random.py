"""Random networks over all operators against onnxruntime, exact paths and sampling: no engine may be wrong.

`python -m bench nn_random [count=3000] [first=0] [jobs=N]` draws a network for each seed. Every sixth is
piecewise linear with a true maximum to compare with (`tests/nn/test_campaign.py`); the others are graphs over
every operator that vouch reads (`tests/nn/test_wide.py`). Every engine that takes a network is asked about
values below and above the largest one reached. The summary says how many questions each engine decided,
which operators occurred in fewest networks, and which seeds failed. A network that does not load fails.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Found:
    """What came of one seed, or of many."""

    networks: int = 0
    decided: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    wrong: dict[int, str] = field(default_factory=dict)

    def add(self, other: Found) -> None:
        self.networks += other.networks
        self.decided += other.decided
        self.asked += other.asked
        self.kinds += other.kinds
        self.seconds += other.seconds
        self.wrong |= other.wrong

    def line(self) -> str:
        engines = ", ".join(f"{name} {self.decided[name]} of {n}" for name, n in sorted(self.asked.items()))
        return f"{self.networks} networks, {engines}, {self.seconds:.0f} cpu s, failed: {sorted(self.wrong)}"


def _check(seed: int) -> Found:
    folder = str(Path(__file__).parents[1] / "tests" / "nn")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import pytest
    import test_campaign
    import test_wide

    start, found = time.process_time(), Found(1)
    try:
        with pytest.MonkeyPatch.context() as outer, pytest.MonkeyPatch.context() as patch:
            if seed % 6 == 0:
                test_wide.by_processor(outer)
                outer.setattr(test_campaign, "LONG", 1.0)
                decided, asked = test_campaign.check(seed // 6, patch)
                found.decided["exact truth"], found.asked["exact truth"] = decided, asked
            else:
                answers = test_wide.check(seed, patch)
                found.decided.update(answers.decided)
                found.asked.update(answers.asked)
                found.kinds.update(answers.kinds)
    except Exception:
        found.wrong[seed] = traceback.format_exc(limit=-2)
    found.seconds = time.process_time() - start
    return found


def main(arguments: list[str]) -> int:
    named = {key: int(value) for key, _, value in (a.partition("=") for a in arguments)}
    count, first = named.get("count", 3000), named.get("first", 0)
    jobs = named.get("jobs", os.cpu_count() or 1)
    total = Found()
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(_check, range(first, first + count), chunksize=4):
            total.add(found)
            for seed, trouble in found.wrong.items():
                print(f"seed {seed}: {trouble}", flush=True)
            if total.networks % 20 == 0:
                print(total.line(), flush=True)
    print(total.line())
    rarest = sorted(total.kinds.items(), key=lambda item: item[1])[:10]
    print(f"{len(total.kinds)} operators; in fewest graphs: " + ", ".join(f"{k} {n}" for k, n in rarest))
    return 1 if total.wrong else 0
