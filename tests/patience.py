"""Promises about time, tested on machines that have other work to do.

What takes two seconds on a quiet machine takes longer where others compute at the same time. How much longer
is measured: a loop that needs a known amount of processor time is run, and the clock is looked at.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_QUIET = 1.2  # a loop that takes this many times its processor time has the machine to itself
_SAMPLE = 0.05  # seconds of processor time
# Where tests run beside each other the load changes within a second: what was measured before and after says
# little about the time between. Promises are broken by minutes; `python -m bench limits` measures seconds.
_SHARED = 4.0 if "PYTEST_XDIST_WORKER" in os.environ else 1.0


def slowness() -> float:
    """How many times longer things take now than on a quiet machine. Work of several processes is held up
    more often than one loop, so what is measured counts double."""
    return _measured(int(time.monotonic()))


@cache
def _measured(second: int) -> float:
    began, used = time.monotonic(), time.process_time()
    while time.process_time() - used < _SAMPLE:
        sum(range(1000))
    measured = (time.monotonic() - began) / _SAMPLE
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1)
    worst = max(measured, waiting)
    return 1.0 if worst < _QUIET else 2 * worst


def slowed(seconds: float) -> float:
    """A time limit for work that may use it up."""
    return seconds * slowness()


def patient(seconds: float) -> float:
    """The time in which something is to happen that takes `seconds` on a quiet machine."""
    return seconds * max(_SHARED, slowness())


def without_progress(text: str) -> str:
    """What a command said beside how far it is: a line every five seconds, where the machine is busy."""
    return re.sub(r"^(.*, )?\d+ s( left)?\n", "", text, flags=re.MULTILINE)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What is done here takes less than `seconds` on a quiet machine."""
    before, began = slowness(), time.monotonic()
    yield
    spent = time.monotonic() - began
    assert spent < seconds * max(_SHARED, before, slowness()), f"{spent:.1f} s instead of {seconds:.1f} s"
