"""Several processes at one comparison: independent parts (clusters, input sets, cells of a table) go to one
each. A single question is divided among threads by the searches themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from vouch.errors import TimeIsUp
from vouch.nn.search.task import Clock
from vouch.parallel import Pool

INTERRUPTED = "interrupted"
TIME_LIMIT = "time limit reached"

Item = TypeVar("Item")
Result = TypeVar("Result")


def why_ended(end: KeyboardInterrupt) -> str:
    """Why there is no more than what is decided so far."""
    return TIME_LIMIT if isinstance(end, TimeIsUp) else INTERRUPTED


@dataclass(frozen=True, slots=True)
class Team:
    """As many processes as `jobs` says, if there is a pool to get them from. `report` gets a line for every
    part that is decided."""

    jobs: int = 1
    pool: Pool | None = None
    report: Callable[[str], None] | None = None

    @property
    def size(self) -> int:
        return self.jobs if self.pool is not None else 1

    def each(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        missing: Callable[[Item, str], Result],
        headline: Callable[[Result], str],
    ) -> list[Result]:
        """The function's results in order, reported one by one. `missing` makes one for an item whose process
        died, and for all that are left when the user interrupts or the time is up."""
        results: list[Result] = []
        try:
            for result in self._results(function, items, missing):
                results.append(result)
                if self.report is not None:
                    self.report(headline(result))
        except KeyboardInterrupt as end:
            results += [missing(item, why_ended(end)) for item in items[len(results) :]]
        return results

    def _results(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        missing: Callable[[Item, str], Result],
    ) -> Iterator[Result]:
        if self.pool is None or self.jobs < 2 or len(items) < 2:
            yield from map(function, items)
            return
        for item, done in self.pool(function, items, jobs=self.jobs):
            yield done.value if done.ok else missing(item, f"the process was lost: {done.message}")

    def share(self, clock: Clock, left: int) -> float | None:
        """Seconds for the next of `left` independent parts; None without an end."""
        return None if clock.endless else clock.left * min(1.0, self.size / left)


ALONE_ONLY = Team()
