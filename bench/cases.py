"""Regression cases: an input with its expected answer beside it, found by glob under `tests/cases`.

A case is a file, or a folder whose name ends in `_safe`, `_bad`, …, with comments in its sources:

    // expect: CATEGORY VERDICT [REASON]   this line has such a check (`a|b`: either; `;` separates)
    // maybe: CATEGORY VERDICT             this line may have one
    // expect-somewhere: CATEGORY VERDICT  the same, on any line
    // options: --unwind 4 …               flags of `vouch check`
    // warning: TEXT                       some warning contains TEXT
    // replay: no                          violations cannot be run on this machine
    // slow: TWIN                          takes seconds: for `make test-all`; a smaller case runs always

Every check that is not expected otherwise must be safe, and every violation must have been replayed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vouch.result import CheckResult, RunResult
from vouch.settings import options_of
from vouch.verdict import Verdict

ROOT = Path(__file__).resolve().parent.parent / "tests" / "cases"
SUFFIXES = (".c", ".i", ".cpp", ".cu", ".ll")
_FOLDER = re.compile(r".*_(safe|bad|bound|unknown|warning)$")
_DIRECTIVE = re.compile(r"(?://|;)\s*(expect|maybe|expect-somewhere|options|warning|replay|slow):\s*(.*?)\s*$")
# What follows at the same place once the named check has failed: the access goes through all the same.
_FOLLOWS = {"bounds": "pointer"}


@dataclass(frozen=True, slots=True)
class Expectation:
    file: str  # name without folders; "" for any
    line: int  # 0 for any
    categories: tuple[str, ...]
    verdicts: tuple[str, ...]
    reason: str = ""
    optional: bool = False

    def matches(self, result: CheckResult) -> bool:
        place, shown = result.check.location, verdict_of(result)
        if self.file and (Path(place.file).name, place.line) != (self.file, self.line):
            return False
        return str(result.check.category) in self.categories and shown in self.verdicts

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.file else "somewhere"
        return f"{where}: {'|'.join(self.categories)} {'|'.join(self.verdicts)}"


@dataclass(slots=True)
class Case:
    path: Path
    options: list[str] = field(default_factory=list)
    expected: list[Expectation] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    replay: bool = True
    slow: bool = False

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))


def verdict_of(result: CheckResult) -> str:
    return "suppressed" if result.check.suppressed is not None else str(result.verdict)


def find(root: Path = ROOT) -> list[Case]:
    folders = sorted(p for p in root.rglob("*") if p.is_dir() and _FOLDER.match(p.name))
    files = sorted(p for p in root.rglob("*") if p.suffix in SUFFIXES)
    alone = [p for p in files if not any(folder in p.parents for folder in folders)]
    return [read(p) for p in sorted([*folders, *alone])]


def read(path: Path) -> Case:
    case = Case(path)
    sources = sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES) if path.is_dir() else [path]
    for source in sources:
        for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
            # An expectation may stand behind another comment, so the last marker counts.
            start = max(line.rfind("//"), line.rfind(";") if source.suffix == ".ll" else -1)
            if start >= 0 and (found := _DIRECTIVE.match(line[start:])):
                _note(case, source.name, number, found[1], found[2])
    return case


def _note(case: Case, file: str, line: int, word: str, text: str) -> None:
    match word:
        case "options":
            case.options += shlex.split(text)
        case "warning":
            case.warnings.append(text)
        case "replay":
            case.replay = text != "no"
        case "slow":
            if not (case.path.parent / text).exists():
                raise ValueError(f"{case.name}: no case {text}")
            case.slow = True
        case _:
            anywhere = word == "expect-somewhere"
            for part in text.split(";"):
                categories, verdicts, *reason = part.split(maxsplit=2)
                case.expected.append(
                    Expectation(
                        "" if anywhere else file,
                        0 if anywhere else line,
                        tuple(categories.split("|")),
                        tuple(verdicts.split("|")),
                        reason[0] if reason else "",
                        word == "maybe",
                    )
                )


def keywords(arguments: Sequence[str]) -> dict[str, Any]:
    """Flags of `vouch check` as keyword arguments of `vouch.check`."""
    spellings = {flag: option for option in options_of("check") for flag in option.spellings}
    result: dict[str, Any] = {}
    words = iter(arguments)
    for word in words:
        option = spellings[word]
        if option.type is bool:
            result[option.key] = True
        elif option.type is list:
            result.setdefault(option.key, []).append(next(words))
        else:
            result[option.key] = next(words)
    return result


def run(case: Case, **options: Any) -> RunResult:
    from vouch.api import check

    return check(case.path, **{**keywords(case.options), **options})


def problems(case: Case, result: RunResult) -> Iterator[str]:
    """What differs from the expectation, in words; nothing if the case passes."""
    for expected in case.expected:
        found = [r for r in result.checks if expected.matches(r)]
        if not found and not expected.optional:
            yield f"missing: {expected}"
        if expected.reason and found and not any(expected.reason in (r.reason or "") for r in found):
            yield f"reason {expected.reason!r} missing: {expected}, got {[r.reason for r in found]}"
    for item in result.checks:
        if item.verdict is not Verdict.SAFE and not _allowed(case, item):
            yield f"not expected: {_described(item)}"
        if case.replay and item.verdict is Verdict.UNSAFE and item.replayed is not True:
            yield f"not replayed: {_described(item)}"
    for text in case.warnings:
        if not any(text in warning for warning in result.warnings):
            yield f"no warning with {text!r}, got {result.warnings}"
    yield from (warning for warning in result.warnings if warning.startswith("internal error"))
    if result.replay_failures:
        yield f"{result.replay_failures} replay failures"


def _allowed(case: Case, item: CheckResult) -> bool:
    if any(e.matches(item) for e in case.expected):
        return True
    place = item.check.location
    return any(
        (Path(place.file).name, place.line) == (e.file, e.line)
        and any(_FOLLOWS.get(c) == str(item.check.category) for c in e.categories)
        and verdict_of(item) in e.verdicts
        for e in case.expected
    )


def _described(item: CheckResult) -> str:
    check = item.check
    where = f"{Path(check.location.file).name}:{check.location.line}"
    return f"{where}: {check.category} {verdict_of(item)} ({check.message}; {item.reason})"
