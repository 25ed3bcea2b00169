"""The data behind the pages of a report, cut into scripts that a browser loads when it needs them.

A page that was opened from a folder may not fetch files, but it may load scripts. Each one hands a plain JSON
value to the page: `vouch.load("list-0", {…});`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from vouch import __version__
from vouch.printable import visible
from vouch.report.highlight import highlighted
from vouch.report.item import Item
from vouch.report.model import ORDER, Report, by_place
from vouch.report.text import explanation, value

LISTED = 4000  # checks in one script of the list
DETAILED = 500  # and of what only a check's own page shows
LINES = 500  # of a source file in one script
_TOP = 400  # functions and assumptions that the overview lists
_RANK = {verdict: number for number, verdict in enumerate(ORDER)}
_LOOP = ("name", "file", "line", "trip_count", "bound", "bound_from")
_MARKS = 40  # checks of one line that its page lists


def script(name: str, content: Any) -> str:
    """`<` is spelled so that no text of others can end a script, wherever this one comes to stand."""
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    return f'vouch.load("{name}",{text});\n'


class SiteData:
    """Numbers and names of the reports of one site."""

    def __init__(self, reports: Sequence[Report]) -> None:
        self.reports = list(reports)
        self.items: list[tuple[Report, Item]] = [
            (report, item) for report in self.reports for item in by_place(report.items)
        ]
        self.files = _Names(item.file for _, item in self.items)
        for _, item in self.items:
            for step in item.trace:
                self.files.add(step.file)
        self.functions = _Names(item.function for _, item in self.items)
        self.categories = _Names(sorted({item.category for _, item in self.items}))
        self.deciders = _Names(sorted({item.decided_by or "" for _, item in self.items}))

    def scripts(self) -> Iterator[tuple[str, str]]:
        """(name, text) of every script but those of traces and sources that are large on their own."""
        yield "summary", script("summary", self.summary())
        for number, start in enumerate(range(0, len(self.items), LISTED)):
            yield f"list-{number}", script(f"list-{number}", self._listed(start))
        for number, start in enumerate(range(0, len(self.items), DETAILED)):
            yield f"detail-{number}", script(f"detail-{number}", self._detailed(start))
        for number, (_, item) in enumerate(self.items):
            if _has_more(item):
                yield f"more-{number}", script(f"more-{number}", self._more(item))
        for number, file in enumerate(self.files.known):
            yield from self._source(number, file)

    # ------------------------------------------------------------ the overview

    def summary(self) -> dict[str, Any]:
        counted = [item for report in self.reports for item in report.counted]
        return {
            "version": __version__,
            "title": self.title,
            "folder": self.folder,
            "total": len(self.items),
            "counted": len(counted),
            "suppressed": sum(item.suppressed is not None for _, item in self.items),
            "known": sum(item.known for _, item in self.items),
            "verdicts": [str(verdict) for verdict in ORDER],
            "categories": self.categories.known,
            "deciders": self.deciders.known,
            "functions": [visible(name) for name in self.functions.known],
            "files": [self._file(file) for file in self.files.known],
            "by": {
                "verdict": _by(counted, lambda item: str(item.verdict)),
                "category": _by(counted, lambda item: item.category),
                "decider": _by(counted, lambda item: item.decided_by or "nobody"),
                "file": _by(counted, lambda item: visible(item.file))[:_TOP],
                "function": _by(counted, lambda item: visible(item.function))[:_TOP],
            },
            "assumptions": [
                [visible(text), count]
                for text, count in Counter(text for item in counted for text in item.assumptions).most_common(
                    _TOP
                )
            ],
            "runs": [_run(report) for report in self.reports],
            "chunks": {"list": LISTED, "detail": DETAILED, "lines": LINES},
        }

    @cached_property
    def folder(self) -> str:
        """What the names of all files begin with, up to and with a slash; pages leave it out in tables."""
        return _common([visible(file) for file in self.files.known])

    @cached_property
    def title(self) -> str:
        if all(report.kind == "c" for report in self.reports):
            known = self.files.known
            return visible(known[0]) if len(known) == 1 else self.folder.rstrip("/") or "C code"
        return visible(self.reports[0].title) if len(self.reports) == 1 else "Verification report"

    def _file(self, file: str) -> dict[str, Any]:
        lines = self._lines(file)
        widest = max((len(line.expandtabs(4)) for line in lines), default=0)
        return {"name": visible(file), "lines": len(lines), "widest": min(widest, 2002)}

    def _lines(self, file: str) -> list[str]:
        for report in self.reports:
            if report.kind == "c" and report.sources is not None and (lines := report.sources.lines(file)):
                return lines
        return []

    # ------------------------------------------------------------ checks

    def _listed(self, start: int) -> dict[str, Any]:
        rows = self.items[start : start + LISTED]
        messages = _Names(visible(item.message) for _, item in rows)
        return {
            "start": start,
            "id": [_short_id(item) for _, item in rows],
            "file": [self.files[item.file] for _, item in rows],
            "line": [item.line for _, item in rows],
            "column": [item.column for _, item in rows],
            "function": [self.functions[item.function] for _, item in rows],
            "category": [self.categories[item.category] for _, item in rows],
            "verdict": [_RANK[item.verdict] for _, item in rows],
            "decider": [self.deciders[item.decided_by or ""] for _, item in rows],
            "milliseconds": [round(1000 * item.seconds) for _, item in rows],
            "flags": [_flags(item) for _, item in rows],
            "message": [messages[visible(item.message)] for _, item in rows],
            "messages": messages.known,
        }

    def _detailed(self, start: int) -> list[dict[str, Any]]:
        return [_detail(item) for _, item in self.items[start : start + DETAILED]]

    def _more(self, item: Item) -> dict[str, Any]:
        """The trace, the replay, and what only networks have."""
        more: dict[str, Any] = {"trace": [self._step(asdict(step)) for step in item.trace]}
        if item.replay is not None:
            more["replay"] = asdict(item.replay)
        if item.detail:
            more["network"] = dict(item.detail)
        return more

    def _step(self, step: dict[str, Any]) -> dict[str, Any]:
        step["file"] = self.files[step["file"]]
        step["function"], step["what"] = visible(step["function"]), visible(step["what"])
        step["changes"] = [
            {**change, "name": visible(change["name"]), "value": visible(change["value"])}
            for change in step["changes"]
        ]
        return step

    # ------------------------------------------------------------ sources

    @cached_property
    def _marks(self) -> Mapping[int, Mapping[int, list[list[Any]]]]:
        """Checks by file and line: [index, verdict, column, message]."""
        found: dict[int, dict[int, list[list[Any]]]] = {}
        for index, (report, item) in enumerate(self.items):
            if report.kind == "c":
                line = found.setdefault(self.files[item.file], {}).setdefault(item.line, [])
                if len(line) < _MARKS:
                    mark = [index, _RANK[item.verdict], item.column, visible(item.message)]
                    line.append([*mark, visible(item.id)])
        return found

    def _source(self, number: int, file: str) -> Iterator[tuple[str, str]]:
        runs = highlighted(file, self._lines(file))
        marks = self._marks.get(number, {})
        for chunk, start in enumerate(range(0, len(runs), LINES)):
            name = f"source-{number}-{chunk}"
            here = {line: marks[line] for line in range(start + 1, start + LINES + 1) if line in marks}
            yield name, script(name, {"lines": runs[start : start + LINES], "marks": here})


class _Names:
    """Names and their numbers, in the order in which they came."""

    def __init__(self, names: Iterable[str]) -> None:
        self.known: list[str] = []
        self._numbers: dict[str, int] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> int:
        number = self._numbers.setdefault(name, len(self.known))
        if number == len(self.known):
            self.known.append(name)
        return number

    def __getitem__(self, name: str) -> int:
        return self._numbers[name]


def _by(items: Iterable[Item], key: Any) -> list[list[Any]]:
    """[name, [count for each verdict]], worst first."""
    found: dict[str, list[int]] = {}
    for item in items:
        found.setdefault(key(item), [0] * len(ORDER))[_RANK[item.verdict]] += 1
    rows: list[list[Any]] = [[name, counts] for name, counts in found.items()]
    return sorted(rows, key=lambda row: ([-count for count in row[1]], row[0]))


def _run(report: Report) -> dict[str, Any]:
    return {
        "kind": report.kind,
        "title": visible(report.title),
        "seconds": report.seconds,
        "exit": int(report.exit_code),
        "entries": [visible(name) for name in report.entry_points],
        "stages": dict(report.stages),
        "configuration": {key: _option(content) for key, content in report.configuration.items()},
        "warnings": [visible(text) for text in report.warnings],
        "replay_failures": report.replay_failures,
        "interrupted": report.interrupted,
        "incomplete": visible(report.incomplete or ""),
        "loops": [[visible(str(loop.get(key))) for key in _LOOP] for loop in report.loops[:_TOP]],
        "grids": [asdict(grid) for grid in report.grids],
    }


def _option(content: Any) -> str:
    return ", ".join(map(value, content)) if isinstance(content, (list, tuple)) else value(content)


def _detail(item: Item) -> dict[str, Any]:
    """What is known of a check, without what is not."""
    known: dict[str, Any] = {
        "id": visible(item.id),
        "kind": item.kind,
        "seconds": round(item.seconds, 3),
        "why": explanation(item),
        "bound": item.bound,
        "replayed": item.replayed,
        "precondition": visible(item.precondition) if item.precondition else None,
        "inputs": [[visible(name), value(data)] for name, data in list((item.inputs or {}).items())[:400]],
        "assumptions": [visible(text) for text in item.assumptions],
        "suppressed": visible(item.suppressed) if item.suppressed is not None else None,
        "baseline": item.known,
        "more": _has_more(item),
    }
    return {key: content for key, content in known.items() if content not in (None, [], "", False)}


def _has_more(item: Item) -> bool:
    return bool(item.trace or item.replay or item.detail)


def _short_id(item: Item) -> int | str:
    """Most ids are `function.category.n`, and n is enough."""
    start, _, number = item.id.rpartition(".")
    plain = start == f"{item.function}.{item.category}" and number.isascii() and number.isdigit()
    return int(number) if plain and str(int(number)) == number else visible(item.id)


def _flags(item: Item) -> int:
    return (item.suppressed is not None) + 2 * item.known + 4 * bool(item.trace)


def _common(names: Sequence[str]) -> str:
    shared = []
    for column in zip(*(name.split("/")[:-1] for name in names), strict=False):
        if len(set(column)) > 1:
            break
        shared.append(f"{column[0]}/")
    return "".join(shared)
