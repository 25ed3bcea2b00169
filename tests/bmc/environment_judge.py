"""Random libraries: what vouch proves against what native runs with a random outside show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bmc import environment_natives as natives
from tests.bmc.environment_programs import Library

from vouch.api import check
from vouch.result import RunResult
from vouch.verdict import Verdict


@dataclass
class Judged:
    """`wrong` are checks that are proved and fire. The counters say how sharp the sample is: what vouch says
    about checks that fire, and about those that do not."""

    wrong: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    firing: Counter[str] = field(default_factory=Counter)
    quiet: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, other: Judged) -> None:
        self.wrong += other.wrong
        self.broken += other.broken
        self.firing += other.firing
        self.quiet += other.quiet
        self.reasons += other.reasons

    def __str__(self) -> str:
        def shares(counts: Counter[str]) -> str:
            total = counts.total() or 1
            return ", ".join(f"{name} {n} ({100 * n / total:.0f} %)" for name, n in counts.most_common())

        return f"checks that fire: {shares(self.firing)}\nothers: {shares(self.quiet)}"


# Categories that the generator makes one of a line, so that a line and a category name the check.
_COUNTED = {
    "assertion",
    "signed-overflow",
    "division-by-zero",
    "shift",
    "bounds",
    "narrowing",
    "uninitialised",
}
# From good to bad: a line has fired rightly if one of its checks may fail.
_ORDER = [Verdict.UNSAFE, Verdict.COND_UNSAFE, Verdict.UNKNOWN, Verdict.BOUND_SAFE, Verdict.SAFE]


def judge(libraries: Sequence[Library], folder: Path, runs: int, **options: object) -> Judged:
    found = natives.run(libraries, folder, runs)
    judged = Judged()
    for library in libraries:
        judged.add(judge_one(library, folder, found, **options))
    judged.broken = list(dict.fromkeys([*found.broken, *judged.broken]))
    return judged


def judge_one(library: Library, folder: Path, found: natives.Natively, **options: object) -> Judged:
    """One of those that were run natively."""
    judged = Judged(broken=[line for line in found.broken if line.split()[0] == library.prefix])
    path = folder / f"{library.prefix}.c"
    path.write_text(library.text, encoding="utf-8")
    result: RunResult = check(path, **{"jobs": 1, "timeout": 20, "no_replay": True, **options})
    _compare(library, result, found.fired[library.prefix], judged)
    return judged


def _compare(library: Library, result: RunResult, fired: dict[tuple[int, str], int], judged: Judged) -> None:
    verdicts: dict[tuple[int, str], Verdict] = {}
    for item in result.checks:
        place = item.check.location.line, str(item.check.category)
        worst = min((item.verdict, verdicts.get(place, Verdict.SAFE)), key=_ORDER.index)
        verdicts[place] = worst
        if item.verdict in (Verdict.UNKNOWN, Verdict.COND_UNSAFE):
            judged.reasons[f"{item.verdict}: {item.reason}"] += 1
    for place, verdict in verdicts.items():
        if place[1] in _COUNTED:
            (judged.firing if place in fired else judged.quiet)[str(verdict)] += 1
    judged.wrong += list(_wrong(library, verdicts, fired))
    judged.broken += [f"{library.prefix}: {w}" for w in result.warnings if w.startswith("internal error")]


def _wrong(
    library: Library, verdicts: dict[tuple[int, str], Verdict], fired: dict[tuple[int, str], int]
) -> Iterator[str]:
    lines = library.text.splitlines()
    for place, runs in fired.items():
        verdict = verdicts.get(place)
        if verdict is None or verdict is Verdict.SAFE:
            line, category = place
            said = "has no check" if verdict is None else "is safe"
            text = lines[line - 1].strip()
            yield f"{library.prefix}.c:{line}: {category} {said}, fires in {runs} runs: {text}"
