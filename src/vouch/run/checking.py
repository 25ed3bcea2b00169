"""`vouch check` under supervision: the flow runs in a process of its own and reports as it decides."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from vouch.errors import VouchError
from vouch.record import record
from vouch.run.supervise import Ending, Send, watch
from vouch.settings import Settings
from vouch.verdict import Verdict

if TYPE_CHECKING:
    from vouch.c.checks.base import Check
    from vouch.check_run import Listener, Record
    from vouch.result import CheckResult, RunResult

# Seconds behind the time limit in which the flow may end by itself: it has what it needs to say more.
GRACE = 1.5


@record
class Seen:
    """What is known of a run from outside: where it is, and what it has decided."""

    record: Record
    listen: Listener | None = None
    stage: str = ""
    answered: set[str] = field(default_factory=set)
    violated: set[str] = field(default_factory=set)

    def hear(self, message: tuple[str, Any]) -> None:
        kind, content = message
        if kind == "stage":
            self.stage = content
        elif kind == "found":
            record = self.record
            record.entries, record.checks, record.loops, record.warnings, record.sources = content
            content = record
        elif kind == "decided":
            content = self._decided(content)
        if self.listen is not None:
            self.listen(kind, content)

    def _decided(self, results: Sequence[Any]) -> list[CheckResult]:
        """Results with their checks in the place of the names that were sent."""
        checks = {check.id: check for check in self.record.checks}
        found = [replace(result, check=checks[result.check]) for result in results]
        for result in found:
            name = result.check.id
            self.record.decided[name] = result
            self.answered.add(name)
            if result.verdict in (Verdict.UNSAFE, Verdict.COND_UNSAFE) or result.trace:
                self.violated.add(name)
        return found


def checked(
    paths: Sequence[str],
    settings: Settings,
    progress: Callable[[Seen], None] | None = None,
    *,
    meanwhile: Callable[[], None] | None = None,
    listen: Listener | None = None,
    earlier: Mapping[str, tuple[str | None, Mapping[str, Any]]] | None = None,
    only: str | None = None,
) -> RunResult:
    """`vouch.api.run` in a process of its own. `progress` is called now and then, `listen` hears in this one
    what the flow tells, `meanwhile` is called once when the flow has begun."""
    from vouch.check_run import Record

    seen = Seen(Record(), listen)
    began = seen.record.started
    limit = None if settings.timeout is None else began + float(settings.timeout) + GRACE

    def hear(message: tuple[str, Any]) -> None:
        seen.hear(message)
        if progress is not None:
            progress(seen)

    end = watch(
        lambda send: _work(paths, settings, send, earlier, only),
        hear,
        deadline=limit,
        memory=machine_memory(),
        tick=None if progress is None else lambda: progress(seen),
        meanwhile=meanwhile,
    )
    if end.ending is Ending.DONE:
        result: RunResult = end.value
        return replace(result, seconds=time.monotonic() - began)
    return _cut_short(seen, end.ending, end.cause)


def _cut_short(seen: Seen, ending: Ending, cause: str) -> RunResult:
    """What was decided until the flow was ended."""
    where = f" in stage {seen.stage!r}" if seen.stage else ""
    if ending is Ending.INTERRUPTED:
        return seen.record.result("interrupted", interrupted=True)
    if ending is Ending.DIED:
        if not seen.record.checks:
            raise VouchError(f"{cause}{where}")
        return seen.record.result(cause, incomplete=f"{cause}{where}")
    reason = "time limit of the command reached"
    return seen.record.result(reason, incomplete=f"{reason}{where}")


def machine_memory() -> int:
    """MiB of address space for one process: what this machine has, and room for libraries that are mapped."""
    return (os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20) + 4096


# ---------------------------------------------------------------- the working process


def _work(
    paths: Sequence[str],
    settings: Settings,
    send: Send,
    earlier: Mapping[str, tuple[str | None, Mapping[str, Any]]] | None,
    only: str | None,
) -> RunResult:
    from vouch.api import run

    def tell(kind: str, content: Any) -> None:
        if kind == "found":
            light = [_light(check) for check in content.checks]
            send((kind, (content.entries, light, content.loops, content.warnings, content.sources)))
        elif kind == "decided":
            send((kind, [replace(result, check=result.check.id) for result in content]))
        else:
            send((kind, content))

    result = run(paths, settings, tell, earlier=earlier, only=only)
    return replace(result, checks=[_alone(r) for r in result.checks])


def _alone(result: CheckResult) -> CheckResult:
    return replace(result, check=_light(result.check))


def _light(check: Check) -> Check:
    """The check without the program that it is part of."""
    return replace(check, site=None, value=None)  # type: ignore[arg-type]
