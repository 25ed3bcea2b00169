"""Commands about networks under supervision: the work renders its answer, this process prints it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vouch.cli import outputs
from vouch.cli.network_words import NetworkProgress
from vouch.run.checking import GRACE, machine_memory
from vouch.run.supervise import SOFT, Ending, Send, watch
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a command prints, and its exit code."""

    out: str
    code: int
    err: str = ""


def supervised(
    work: Callable[[Send], Rendered],
    settings: Settings,
    without: Callable[[Verdict, str, float], Rendered],
    hear: Callable[[Any], None] = lambda message: None,
    *,
    soft: bool = False,
    began: float | None = None,
    progress: NetworkProgress | None = None,
) -> int:
    """Run `work` within the time limit and print what it renders. `without` renders an answer that is none:
    TIMEOUT or UNKNOWN, the reason, and the seconds it took. The limit counts from `began`, or else now."""
    began = time.monotonic() if began is None else began
    grace = GRACE - SOFT if soft else GRACE  # work that is asked to end takes its time out of it
    limit = None if settings.timeout is None else began + float(settings.timeout) + grace
    # A GPU's driver maps more address space than any machine has memory.
    memory = None if getattr(settings, "device", "cpu") == "cuda" else machine_memory()

    def quiet(send: Send) -> Rendered:
        import warnings

        warnings.simplefilter("ignore")  # of numpy and its kin, about numbers that are checked elsewhere
        return work(send)

    tick = None if progress is None else progress.tick
    end = watch(quiet, hear, deadline=limit, memory=memory, soft=soft, tick=tick)
    answer: Rendered | None = end.value
    if answer is None:
        verdict = Verdict.TIMEOUT if end.ending is Ending.TIMEOUT else Verdict.UNKNOWN
        reasons = {Ending.TIMEOUT: "time limit reached", Ending.INTERRUPTED: "interrupted"}
        answer = without(verdict, reasons.get(end.ending, end.cause), time.monotonic() - began)
    if progress is not None:
        progress.clear()
    sys.stderr.write(answer.err)
    outputs.to_stdout(answer.out)
    return Exit.INTERRUPTED if end.ending is Ending.INTERRUPTED else answer.code
