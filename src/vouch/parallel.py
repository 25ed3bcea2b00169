"""What engines may expect of a pool of processes; `vouch.run.pool.run_jobs` is one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol


class JobOutcome(Protocol):
    """How a job ended: with a value, or with a message that says why there is none."""

    @property
    def ok(self) -> bool: ...
    @property
    def value(self) -> Any: ...
    @property
    def message(self) -> str: ...
    @property
    def failure(self) -> Any: ...


Pool = Callable[..., Iterator[tuple[Any, JobOutcome]]]
"""`pool(function, items, jobs=…, timeout=…, memory=…, ordered=…, deadline=…, hear=…)` in processes
forked from this one, or on other machines."""


def for_others(deadline: float | None) -> float | None:
    """A deadline of this machine's monotonic clock, as the time of day: other machines count otherwise."""
    return None if deadline is None else deadline - time.monotonic() + time.time()


def for_here(deadline: float | None) -> float | None:
    """And back, on the machine where it is read."""
    return None if deadline is None else deadline - time.time() + time.monotonic()
