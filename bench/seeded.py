"""Seeded bugs in a driver, one at a time: `python -m bench seeded [NAME…] [--jobs N]`.

The driver in `seeded_driver` is correct, and everything in it is decided. Each entry of its `defects.toml` is
a small change of the kind that reviews miss; `vouch check` with its default options must find each, at the
place where it strikes, and replay it natively.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.process import run

DRIVER = Path(__file__).with_name("seeded_driver")
LIMIT = 300.0


@dataclass(frozen=True, slots=True)
class Defect:
    """`old` occurs once in the file and becomes `new`. `function` and `category` say where it shows."""

    name: str
    kind: str
    file: str
    old: str
    new: str
    function: str
    category: str


def defects() -> list[Defect]:
    text = (DRIVER / "defects.toml").read_text(encoding="utf-8")
    return [Defect(name, **fields) for name, fields in tomllib.loads(text).items()]


@dataclass(frozen=True, slots=True)
class Outcome:
    """`verdicts` are those of the checks at the place where the defect shows."""

    found: bool
    verdicts: list[str]
    elsewhere: list[str]
    seconds: float


def put_into(defect: Defect, folder: Path) -> None:
    """A copy of the driver with the defect."""
    shutil.copytree(DRIVER, folder, dirs_exist_ok=True)
    path = folder / defect.file
    text = path.read_text(encoding="utf-8")
    assert text.count(defect.old) == 1, f"{defect.name}: the text to change does not occur once"
    path.write_text(text.replace(defect.old, defect.new), encoding="utf-8")


def check(folder: Path, limit: float = LIMIT) -> tuple[dict[str, Any], float]:
    """The JSON document of a run with default options, and with the casts that drivers are full of."""
    measured = run(["check", str(folder), "--json", "-q", "--checks", "default,cast"], limit)
    if measured.code not in (0, 1, 3):
        late = f"no answer in {limit:.0f} s" if measured.code == -9 else f"exit code {measured.code}"
        raise RuntimeError(measured.errors.strip() or late)
    return json.loads(measured.output), measured.seconds


def judge(defect: Defect, document: dict[str, Any], seconds: float) -> Outcome:
    # A number that is cut off is one mistake, whether the source says so with a cast or not.
    same = {"narrowing", "cast"} if defect.category == "narrowing" else {defect.category}
    here = [c for c in document["checks"] if c["function"] == defect.function and c["category"] in same]
    others = [c for c in document["checks"] if c not in here and c["verdict"] != "safe"]
    return Outcome(
        any(c["verdict"] == "unsafe" and c["replayed"] is True for c in here),
        sorted({f"{c['verdict']}{'' if c['reason'] is None else ': ' + c['reason']}" for c in here}),
        [f"{c['id']} {c['verdict']}" for c in others],
        seconds,
    )


def try_out(defect: Defect, limit: float = LIMIT) -> Outcome:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "driver"
        put_into(defect, folder)
        try:
            document, seconds = check(folder, limit)
        except RuntimeError as error:
            return Outcome(False, [str(error)], [], limit)
    return judge(defect, document, seconds)


def undecided(document: dict[str, Any]) -> Iterator[str]:
    for item in document["checks"]:
        if item["verdict"] != "safe":
            yield f"{item['id']} line {item['line']}: {item['verdict']} ({item['reason']})"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench seeded", description=__doc__)
    parser.add_argument("names", nargs="*", help="defects (default: all, after the driver without any)")
    parser.add_argument("--jobs", type=int, default=1, help="defects at the same time")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for each on the clock")
    wanted = parser.parse_args(arguments)
    failed = 0
    if not wanted.names:
        document, seconds = check(DRIVER, wanted.limit)
        alarms = list(undecided(document))
        print(f"without defects: {document['summary']}, {seconds:.1f} s", *alarms, sep="\n  ", flush=True)
        failed += bool(alarms)
    chosen = [d for d in defects() if not wanted.names or d.name in wanted.names]
    with ThreadPoolExecutor(wanted.jobs) as pool:
        outcomes = pool.map(lambda defect: try_out(defect, wanted.limit), chosen)
        for defect, outcome in zip(chosen, outcomes, strict=True):
            failed += not outcome.found
            verdicts = ", ".join(outcome.verdicts) or "no check"
            said = "found and replayed" if outcome.found else f"MISSED: {verdicts}"
            print(f"{defect.name:26} {defect.kind:15} {outcome.seconds:6.1f} s  {said}", flush=True)
            if not outcome.found and outcome.elsewhere:
                print(f"    elsewhere: {', '.join(outcome.elsewhere)}")
    print(f"{len(chosen)} defects, {failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
