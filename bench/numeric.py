"""Generated numeric programs (`numeric_programs.py`): what is decided, by whom, and whether it is true.

python -m bench numeric [--count 300] [--seed 0] [--smt-every 5] [--seconds 20]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench.numeric_programs import Case, cases

_SMT = {"no_bounds": True, "no_enumeration": True}


def decided(case: Case, seconds: float, **options: Any) -> tuple[str, str, float]:
    """Verdict, who decided, and processor seconds; the clock may run slower than the processor."""
    import vouch

    before = _used()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.c"
        path.write_text(case.text, encoding="utf-8")
        limits = {"check_timeout": 4 * seconds, "timeout": 8 * seconds}
        result = vouch.check([str(path)], checks=["assertion"], **limits, **options)
    check = next(r for r in result.checks if r.check.category == "assertion")
    return str(check.verdict), str(check.decided_by), _used() - before


def _used() -> float:
    whole = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        whole += usage.ru_utime + usage.ru_stime
    return whole


def wrong(case: Case, verdict: str) -> bool:
    return case.safe is not None and verdict == ("unsafe" if case.safe else "safe")


def _one(job: tuple[Case, float, dict[str, Any]]) -> tuple[Case, tuple[str, str, float]]:
    return job[0], decided(job[0], job[1], **job[2])


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--smt-every", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="leave out the programs before it")
    parser.add_argument("-j", type=int, default=1)
    arguments = parser.parse_args(words)
    chosen = list(cases(arguments.count, arguments.seed))[arguments.first :]
    with ProcessPoolExecutor(arguments.j, get_context("spawn")) as pool:
        jobs: list[Any] = [(case, arguments.seconds, {}) for case in chosen]
        _table("vouch", list(_told(pool.map(_one, jobs))), arguments.seconds)
        if arguments.smt_every:
            jobs = [(case, arguments.seconds, _SMT) for case in chosen[:: arguments.smt_every]]
            _table("SMT alone", list(_told(pool.map(_one, jobs))), arguments.seconds)


def _told(rows: Any) -> Any:
    for case, (verdict, by, seconds) in rows:
        mark = "  WRONG" if wrong(case, verdict) else ""
        print(f"{case.name:34} {verdict:12} {by:12} {seconds:6.1f}{mark}", flush=True)
        yield case, (verdict, by, seconds)


def _table(title: str, rows: list[tuple[Case, tuple[str, str, float]]], limit: float) -> None:
    families: dict[str, Counter[str]] = defaultdict(Counter)
    for case, (verdict, by, seconds) in rows:
        for family in (case.family, "all"):
            found = families[family]
            found["programs"] += 1
            found["wrong"] += wrong(case, verdict)
            if verdict in ("safe", "unsafe") and seconds <= limit + 5:
                found["decided"] += 1
                found[by if by in ("bounds", "enumeration") else "solver"] += 1
    print(f"\n{title}\n| family | programs | decided | by enumeration | by bounds | by the solver | wrong |")
    print("|---|---|---|---|---|---|---|")
    for family, found in families.items():
        columns = ("programs", "decided", "enumeration", "bounds", "solver", "wrong")
        print(f"| {family} | " + " | ".join(str(found[c]) for c in columns) + " |")
