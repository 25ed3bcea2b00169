"""What engines may expect of a pool of processes; `vouch.run.pool.run_jobs` is one."""

from __future__ import annotations

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
"""`pool(function, items, jobs=…, timeout=…, memory=…, ordered=…)` in processes forked from this one."""
