"""What the engine is asked: a program, the checks that preprocessing left open, and under which assumptions.

Nothing in here changes once it is made; what an engine learns goes elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from vouch.bmc.abstraction import Scope
from vouch.bmc.callees import CalleePolicy, inline
from vouch.bmc.execution import Invariants
from vouch.bmc.library import overrides
from vouch.bmc.reachability import Reachability
from vouch.c import ir
from vouch.c.checks.base import Check, Trigger
from vouch.c.entries import Entries
from vouch.c.escape import escaping
from vouch.c.flow.uses import names_in
from vouch.c.ir import Program
from vouch.c.promises import Promises
from vouch.errors import VouchError
from vouch.parallel import for_here, for_others
from vouch.record import frozen_record
from vouch.result import CheckResult
from vouch.settings import Settings

_LEAST_MEMORY = 1024


@frozen_record
class Start:
    """Where executions begin. `arbitrary`: globals hold anything then, and not what the sources say.
    `library`: code outside may call the entry points of the program whenever it runs. `scope`: the function
    is looked at for some checks only, whoever calls it, and its callees need not be followed."""

    entry: str
    arbitrary: bool
    library: bool
    scope: Scope | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """`sites` has the open checks by the instructions they are attached to; `bounds` are those
    that were given for loops by name; `private` names the globals that nothing reaches but by name;
    `callees` says which calls are executed; `handlers` are called at any time, by hardware."""

    program: Program
    checks: tuple[Check, ...]
    sites: Mapping[int, Sequence[Check]]
    settings: Settings
    deadline: float | None
    invariants: Invariants | None
    starts: tuple[Start, ...]
    bounds: Mapping[str, int]
    devices: tuple[tuple[int, int], ...]
    private: frozenset[str]
    reachability: Reachability
    callees: CalleePolicy = inline
    promises: Promises = field(default_factory=Promises)
    handlers: tuple[str, ...] = ()
    _reached: dict[str, list[Check]] = field(default_factory=dict)  # by entry, worked out once
    _by_function: dict[str, list[Check]] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        return state | {"deadline": for_others(self.deadline), "_reached": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in (state | {"deadline": for_here(state["deadline"])}).items():
            object.__setattr__(self, name, value)

    @property
    def entries(self) -> list[str]:
        return [start.entry for start in self.starts]

    @property
    def library(self) -> bool:
        """Whether the program has no beginning of its own."""
        return any(start.library for start in self.starts)

    @property
    def jobs(self) -> int:
        return self.settings.jobs or os.cpu_count() or 1

    @property
    def worker_memory(self) -> int:
        """MiB for one of several processes: together they get by with little more than one check may have."""
        limit = int(self.settings.check_memory)
        return max(limit // self.jobs, min(limit, _LEAST_MEMORY))

    def is_defined(self, name: str) -> bool:
        function = self.program.functions.get(name)
        return function is not None and function.defined

    def open_from(self, start: Start) -> list[Check]:
        """The open checks that executions may come to. Before `main` constructors run."""
        if start.scope is not None:
            if not self._by_function:
                for check in self.checks:
                    self._by_function.setdefault(check.function, []).append(check)
            return [c for name in sorted(start.scope.targets) for c in self._by_function.get(name, ())]
        return self.reached_from(start.entry) if start.library else list(self.checks)

    def reached_from(self, entry: str) -> list[Check]:
        known = self._reached.get(entry)
        if known is None:
            reached = self.reachability.from_function(entry)
            known = self._reached[entry] = [c for c in self.checks if c.site.number in reached]
        return known

    def without(self, decided: Iterable[CheckResult]) -> Problem:
        """The same question about the other checks."""
        gone = {result.check.id for result in decided}
        left = tuple(c for c in self.checks if c.id not in gone)
        return replace(self, checks=left, sites=by_site(left), _reached={}, _by_function={})

    def states_assumptions(self) -> bool:
        """Does the program state assumptions?"""
        return any(
            isinstance(i, ir.Call) and isinstance(i.callee, ir.GlobalConstant) and overrides(i.callee.name)
            for name, function in self.program.functions.items()
            if name not in self.program.models
            for block in function.blocks.values()
            for i in block.instructions
        )


def pose(
    program: Program,
    checks: Sequence[Check],
    decided: Collection[str],
    settings: Settings,
    deadline: float | None = None,
    *,
    entries: Entries,
    bounds: Mapping[str, int],
    invariants: Invariants | None = None,
    callees: CalleePolicy = inline,
    promises: Promises | None = None,
) -> Problem:
    """The problem of deciding all checks but the `decided` ones. `bounds` are for loops, by name;
    `invariants` help induction along."""
    left = tuple(c for c in checks if c.id not in decided and c.trigger is not Trigger.NEVER)
    return Problem(
        program,
        left,
        by_site(left),
        settings,
        deadline,
        invariants,
        tuple(Start(name, entries.arbitrary, entries.library) for name in entries.names),
        bounds,
        devices(settings.device_range),
        _private(program),
        Reachability(program),
        callees,
        promises or Promises(),
        entries.handlers,
    )


def by_site(checks: Iterable[Check]) -> dict[int, list[Check]]:
    sites: dict[int, list[Check]] = {}
    for check in checks:
        sites.setdefault(check.site.number, []).append(check)
    return sites


def _private(program: Program) -> frozenset[str]:
    """Globals of one file whose address is used for nothing but accesses by name."""
    exposed = {name for function in program.functions.values() for name in escaping(function)}
    exposed |= {f"@{n}" for g in program.globals.values() for n in names_in(g.initializer)}
    internal = (n for n, g in program.globals.items() if g.linkage in ("internal", "private"))
    return frozenset(n for n in internal if f"@{n}" not in exposed)


def devices(texts: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Address ranges from `A..B` words."""
    ranges = []
    for text in texts:
        low, dots, high = text.partition("..")
        try:
            first, last = int(low, 0), int(high if dots else low, 0)
        except ValueError:
            raise VouchError(f"option --device-range: {text!r} is not A..B") from None
        if not 0 <= first <= last < 1 << 64:
            raise VouchError(f"option --device-range: {text!r} is no range of addresses, lowest first")
        ranges.append((first, last))
    return tuple(ranges)
