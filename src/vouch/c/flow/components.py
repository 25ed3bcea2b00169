"""Strongly connected components (Tarjan's algorithm, without recursion)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping


def components(
    starts: Iterable[str], after: Mapping[str, Iterable[str]], within: Collection[str] | None = None
) -> list[list[str]]:
    """Components of what the starts lead to, each after those that it leads to. The last member of a
    component is the one that was come to first. `within` leaves out all other nodes."""
    search = _Search(after, within)
    for start in starts:
        if start not in search.index:
            search.run(start)
    return search.found


class _Search:
    def __init__(self, after: Mapping[str, Iterable[str]], within: Collection[str] | None) -> None:
        self.after = after
        self.within = within
        self.index: dict[str, int] = {}
        self.low: dict[str, int] = {}
        self.stack: list[str] = []
        self.open: set[str] = set()
        self.found: list[list[str]] = []

    def _enter(self, node: str) -> tuple[str, Iterator[str]]:
        self.index[node] = self.low[node] = len(self.index)
        self.stack.append(node)
        self.open.add(node)
        return node, iter(self.after[node])

    def run(self, start: str) -> None:
        work = [self._enter(start)]
        while work:
            node, rest = work[-1]
            target = next(rest, None)
            if target is None:
                work.pop()
                if self.low[node] == self.index[node]:
                    self._close(node)
                if work:
                    above = work[-1][0]
                    self.low[above] = min(self.low[above], self.low[node])
            elif self.within is not None and target not in self.within:
                continue
            elif target not in self.index:
                work.append(self._enter(target))
            elif target in self.open:
                self.low[node] = min(self.low[node], self.index[target])

    def _close(self, root: str) -> None:
        members: list[str] = []
        while not members or members[-1] != root:
            members.append(self.stack.pop())
        self.open.difference_update(members)
        self.found.append(members)
