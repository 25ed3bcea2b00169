"""The steps of a violation that matter for it: a walk backwards from what fails, by the names in the sources.

Nothing is decided here, and nothing is lost: JSON and SARIF have every step, and so has `--full-trace`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vouch.c.sources import Sources
from vouch.steps import TraceStep

_NAME = re.compile(r"[A-Za-z_]\w*")
_FEW = 12  # so many steps are shown as they are
_ALWAYS = frozenset({"call", "return", "input", "violation"})
_REPEATS = 2  # steps of one line in a row: the last ones count


def relevant(steps: Sequence[TraceStep], sources: Sources | None) -> list[TraceStep]:
    """In order: calls, inputs, and the assignments and branches that the violation depends on as far as names
    tell. Of a line that is repeated the last rounds stay."""
    if len(steps) <= _FEW:
        return list(steps)
    wanted: set[str] = set()
    kept: list[TraceStep] = []
    rounds: dict[tuple[str, int, str], int] = {}
    for step in reversed(steps):
        line = sources.line(step.file, step.line) if sources is not None else ""
        names = set(_NAME.findall(step.what)) | set(_NAME.findall(line))
        if step.kind == "assign":
            target = _NAME.match(step.what)
            matters = target is not None and (target[0] in wanted or not line)
        elif step.kind == "branch":
            matters = bool(names & wanted) or not line
        else:
            matters = step.kind in _ALWAYS
        place = (step.file, step.line, step.kind)
        rounds[place] = rounds.get(place, 0) + 1
        if matters and (step.kind in ("input", "violation") or rounds[place] <= _REPEATS):
            wanted |= names
            kept.append(step)
    return kept[::-1]
