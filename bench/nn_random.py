"""Random networks over all operators against onnxruntime, exact paths and sampling: no engine may be wrong.

`python -m bench nn_random [count=3000] [first=0] [jobs=N]` draws a network for each seed, asks every engine
that takes it for values just below and just above the largest one reached, and says how many questions were
decided, and which seeds failed. The same check is a sample of the tests (`tests/nn/test_campaign.py`).
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path


def _check(seed: int) -> tuple[int, int, int, float, str]:
    """Seed, questions decided, questions asked, processor time, and what went wrong."""
    folder = str(Path(__file__).parents[1] / "tests" / "nn")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import pytest
    import test_campaign

    start = time.process_time()
    try:
        with pytest.MonkeyPatch.context() as patch:
            decided, total = test_campaign.check(seed, patch)
    except Exception:
        return seed, 0, 0, time.process_time() - start, traceback.format_exc(limit=-2)
    return seed, decided, total, time.process_time() - start, ""


def main(arguments: list[str]) -> int:
    named = {key: int(value) for key, _, value in (a.partition("=") for a in arguments)}
    count, first = named.get("count", 3000), named.get("first", 0)
    jobs = named.get("jobs", os.cpu_count() or 1)
    decided = asked = done = 0
    cpu, wrong = 0.0, []
    with ProcessPoolExecutor(jobs) as pool:
        for seed, yes, total, seconds, trouble in pool.map(_check, range(first, first + count), chunksize=4):
            decided, asked, cpu, done = decided + yes, asked + total, cpu + seconds, done + 1
            if trouble:
                wrong.append(seed)
                print(f"seed {seed}: {trouble}", flush=True)
            if done % 20 == 0:
                print(f"{done} networks, {decided} of {asked} decided, {cpu:.0f} cpu s", flush=True)
    print(f"{done} networks, {decided} of {asked} questions decided, {cpu:.0f} cpu s; failed: {wrong}")
    return 1 if wrong else 0
