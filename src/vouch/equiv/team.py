"""Several processes at one comparison.

Independent parts (clusters, input sets, cells of a table) go to a process each. One hard question is worked
on in rounds: what is still open is dealt out, everybody works for a few seconds, and what is then left is
put together and dealt out anew, so that nobody is stuck with all the hard parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from vouch.equiv.outcome import Witness
from vouch.nn.search.task import Clock
from vouch.parallel import Pool

# Seconds that one process works alone before others are called; then those of the first and longest round.
ALONE = 1.0
SHORTEST, LONGEST = 1.0, 8.0

INTERRUPTED = "interrupted"

Item = TypeVar("Item")
Result = TypeVar("Result")


class Divisible(Protocol):
    """A search whose open parts can be dealt out. `run` works on them until none is left, a `witness` is
    found or the time is over; `left` is what then is known and open, in a form that can be sent; `merge`
    replaces a search's own open parts by those."""

    witness: Witness | None

    @property
    def is_open(self) -> bool: ...
    def run(self, until: Clock) -> None: ...
    def divided(self, parts: int) -> Sequence[Divisible]: ...
    def left(self) -> Any: ...
    def merge(self, lefts: list[Any]) -> None: ...


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

    def finish(self, search: Divisible, clock: Clock) -> None:
        """Work on the search until it is closed, refuted or the time is over."""
        if self.pool is None or self.jobs < 2:
            search.run(clock)
            return
        search.run(clock.within(ALONE))
        seconds = SHORTEST
        while search.is_open and search.witness is None and not clock.over:
            self._round(self.pool, search, clock.within(seconds))
            seconds = min(2 * seconds, LONGEST)

    def _round(self, pool: Pool, search: Divisible, until: Clock) -> None:
        def work(part: Divisible) -> tuple[Witness | None, Any]:
            part.run(until)
            return part.witness, part.left()

        parts = search.divided(self.jobs)
        lefts = []
        for part, done in pool(work, parts, jobs=self.jobs, ordered=False):
            # Nothing is lost with a process that died: its part stays open.
            witness, left = done.value if done.ok else (None, part.left())
            lefts.append(left)
            if witness is not None:
                search.witness = witness
                return
        assert len(lefts) == len(parts), "a part that nobody answers for would count as proved"
        search.merge(lefts)

    def each(
        self,
        function: Callable[[Item], Result],
        items: Sequence[Item],
        missing: Callable[[Item, str], Result],
        headline: Callable[[Result], str],
    ) -> list[Result]:
        """The function's results in order, reported one by one. `missing` makes one for an item whose process
        died, and for all that are left when the user interrupts."""
        results: list[Result] = []
        try:
            for result in self._results(function, items, missing):
                results.append(result)
                if self.report is not None:
                    self.report(headline(result))
        except KeyboardInterrupt:
            results += [missing(item, INTERRUPTED) for item in items[len(results) :]]
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
