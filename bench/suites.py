"""Public verification suites against their known verdicts: `python -m bench suites [NAME…] [--jobs N]`.

The suites are regression tests of CBMC, taken from Debian's source package (fetched once into the user's
cache, never committed). Every test whose options have a counterpart in vouch is run as a user would, and
compared with CBMC's answer: the verdict on the program, and on single properties where they are named.

What counts: assertions always, the other categories as the options ask for them (CBMC 6 looks for bounds,
pointers, signed overflow, division by zero and shifts unless told otherwise). An uninitialised variable is an
arbitrary value for CBMC: those reads do not count, and what fails for vouch only after one of them fails.
Where CBMC fails for want of unwinding, vouch says `bound-safe`; what stands behind an `assert` that always
fails is unreachable for vouch. Wanted: no disagreement but those of `DIFFERENT`, differences of convention.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from bench.descriptions import CLASSES, STANDARD, Described, Property, Skipped, read
from bench.fetch import DebianSource, cache_folder, debian_source
from bench.process import run

CBMC = DebianSource(
    "cbmc", "cbmc_6.6.0.orig.tar.gz", "86eb29e9cb1dd74fb82eec9ab32442a35449fd6db84a4824bfd834161e8d3a48"
)
SUITES = ("cbmc", "cbmc-library")

_POINTER = "computing a pointer outside an array is undefined already; CBMC waits for its use"
_VLA = "the size of an array is judged where it is declared; the assumption about it comes after"
_WILD = (
    "with its checks off, CBMC gives memory outside all objects a value that stays; for vouch it is arbitrary"
)
_UNWINDING = "the program has nothing to check but whether its loop or recursion ends"
_KEPT = "clang keeps a variable whose declaration is jumped over: no end of its life, no new value"
_ENVIRONMENT = "vouch allows the environment more than CBMC's model of the function does"
_NO_MODEL = "a function without a model: arbitrary for vouch, and named under its assumptions"
_NO_CODE = "an expression without effect: clang makes no code of it"

# Tests where vouch means to answer otherwise, with the reason.
DIFFERENT: dict[str, str] = {
    **dict.fromkeys(("cbmc/Multi_Dimensional_Array1", "cbmc/Pointer_Arithmetic4", "cbmc/struct7"), _POINTER),
    **dict.fromkeys(("cbmc/Unbounded_Array1", "cbmc/Unbounded_Array2", "cbmc/byte_update12"), _VLA),
    **dict.fromkeys(("cbmc/Failed_Symbols1", "cbmc/byte_update11"), _WILD),
    **dict.fromkeys(("cbmc/self_loops_to_assumptions1/no-assume", "cbmc/unwind_counters2"), _UNWINDING),
    "cbmc/unwinding_assertions1": _UNWINDING,
    **dict.fromkeys(("cbmc/declaration-goto/re-enter_scope", "cbmc/switch8"), _KEPT),
    **dict.fromkeys(("cbmc/empty_compound_type2", "cbmc/void_pointer6"), _NO_CODE),
    "cbmc/Pointer_Assume1": "a pointer that nobody wrote does not point to an object, whatever is assumed",
    "cbmc/Pointer_array4": "addresses may lie anywhere, and the native run has its own",
    "cbmc/address_space_size_limit3": "fails for a limit of CBMC's representation of pointers",
    "cbmc/string_assignment1": "a store into a string constant is a violation",
    "cbmc-library/memcpy-05": "malloc of more than half of all memory yields null for vouch",
    "cbmc/argc-and-argv/argc1": "main gets its name: argc is at least 1",
    "cbmc/overflow/leftshift_overflow-c89": "bits in the sign are reported for C89 as well",
    "cbmc/overflow/signed_addition_overflow2": "a char is added as an int, what does not fit is narrowing",
    "cbmc/union5": "clang sets the rest of a union to zero",
    **dict.fromkeys(("cbmc-library/mmap-01", "cbmc-library/fileno-01", "cbmc-library/pipe-01"), _ENVIRONMENT),
    **dict.fromkeys(
        (
            *("cbmc-library/_sleep-01", "cbmc-library/_usleep-01", "cbmc-library/_strftime-01"),
            *("cbmc-library/fcntl-01", "cbmc-library/getopt-01", "cbmc-library/feraiseexcept-01"),
            *("cbmc-library/_longjmp-01", "cbmc-library/longjmp-01", "cbmc-library/siglongjmp-01"),
            *("cbmc-library/__signbitd-01", "cbmc-library/vasprintf-01"),
        ),
        _NO_MODEL,
    ),
    **dict.fromkeys(("cbmc-library/strncmp-01", "cbmc-library/strncasecmp-01"), _ENVIRONMENT),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """`kind` is agree, undecided, disagree, different, skipped or crash; `reasons` say why."""

    kind: str
    reasons: list[str] = field(default_factory=list)


def tests(names: list[str]) -> Iterator[tuple[str, Described | Skipped]]:
    """All descriptions of the suites whose name starts with one of `names` (none: all)."""
    root = debian_source(CBMC) / "regression"
    for suite in SUITES:
        for path in sorted((root / suite).rglob("*.desc")):
            name = str(path.relative_to(root).with_suffix("")).removesuffix("/test")
            if names and not any(name.startswith(n) for n in names):
                continue
            try:
                yield name, read(path, name)
            except Skipped as reason:
                yield name, reason


def judge(test: Described, limit: float) -> Outcome:
    wanted = ",".join(sorted(test.categories | STANDARD | {"uninitialised"}))
    arguments = ["check", *test.sources, *test.arguments, "--checks", wanted]
    arguments += ["--json", "-j", "1", "--timeout", str(limit), "--check-timeout", "20"]
    done = run(arguments, 2 * limit + 30, test.folder)
    if done.code == 2:
        return Outcome("skipped", [f"does not compile: {_compiler_message(done.errors)}"])
    if done.code not in (0, 1, 3):
        last = (done.errors.strip().splitlines() or ["no message"])[-1]
        return Outcome("crash", [f"exit code {done.code}: {last[:120]}"])
    document = json.loads(done.output)
    keep = cache_folder() / "answers" / f"{test.name.replace('/', '__')}.json"
    keep.parent.mkdir(parents=True, exist_ok=True)
    keep.write_text(done.output, encoding="utf-8")
    if done.seconds > limit / 2:
        print(f"slow       {test.name}: {done.seconds:.0f} s", flush=True)
    outcome = compare(test, document)
    if outcome.kind == "disagree" and test.name in DIFFERENT:
        return Outcome("different", [DIFFERENT[test.name]])
    return outcome


def _compiler_message(errors: str) -> str:
    first = (errors.strip().splitlines() or ["no message"])[0]
    return "CBMC's own language" if "CPROVER" in first else first.rsplit("error: ", 1)[-1][:100]


def compare(test: Described, document: dict[str, Any]) -> Outcome:
    everything = document["checks"]
    if test.within_bound:
        everything = [c | {"verdict": "safe"} if c["verdict"] == "bound-safe" else c for c in everything]
    checks = [c for c in everything if c["category"] in test.categories]
    if document["replay_failures"]:
        return Outcome("disagree", ["a violation was not confirmed by the native run"])
    wrong, open_ends = [], []
    for wanted in test.properties:
        mine = [c for c in everything if _about(wanted, c)]
        if not wanted.holds and _cut_off(mine, everything):
            continue
        outcome = _compared(wanted.holds, mine)
        word = "holds" if wanted.holds else "fails"
        where = f"{wanted.function}.{wanted.kind}.{wanted.index or '?'} line {wanted.line or '?'}"
        if outcome.kind == "disagree":
            wrong += [f"{where} {word} for CBMC: {r}" for r in outcome.reasons]
        open_ends += outcome.reasons if outcome.kind == "undecided" else []
    whole = _compared(test.holds, checks)
    if whole.kind == "disagree":
        wrong += [f"program {'holds' if test.holds else 'fails'} for CBMC: {r}" for r in whole.reasons]
    open_ends += whole.reasons if whole.kind == "undecided" else []
    if wrong:
        return Outcome("disagree", wrong)
    return Outcome("undecided", open_ends) if open_ends else Outcome("agree")


def _about(wanted: Property, check: dict[str, Any]) -> bool:
    if check["category"] not in CLASSES[wanted.kind] or check["function"] != wanted.function:
        return False
    if wanted.line is not None:
        return bool(check["line"] == wanted.line)
    return bool(check["id"] == f"{wanted.function}.{check['category']}.{wanted.index}")


def _cut_off(checks: list[dict[str, Any]], everything: list[dict[str, Any]]) -> bool:
    """A failing `assert` ends the execution, as it does in a run; for CBMC it goes on."""
    ended = any(c["category"] == "assertion" and _fails(c) for c in everything)
    return ended and bool(checks) and all(c["reason"] == "unreachable" for c in checks)


def _compared(holds: bool, checks: list[dict[str, Any]]) -> Outcome:
    unsafe = [c for c in checks if _fails(c)]
    undecided = [f"{c['verdict']}: {c['reason']}" for c in checks if c["verdict"] != "safe" and not _fails(c)]
    if not checks:
        return Outcome("agree" if holds else "disagree", [] if holds else ["no such check"])
    if holds:
        if unsafe:
            return Outcome("disagree", [f"{c['id']} line {c['line']} unsafe: {c['message']}" for c in unsafe])
        return Outcome("undecided", undecided) if undecided else Outcome("agree")
    if unsafe:
        return Outcome("agree")
    consequences = [c for c in checks if c["verdict"] == "cond-unsafe"]
    if consequences:
        return Outcome("agree")
    return Outcome("undecided", undecided) if undecided else Outcome("disagree", ["all safe"])


def _fails(check: dict[str, Any]) -> bool:
    """Violated, with any value of what was never written."""
    only_after_unwritten = re.match(r"only after \w+\.uninitialised\.\d+ is", check["reason"] or "")
    return check["verdict"] == "unsafe" or (check["verdict"] == "cond-unsafe" and bool(only_after_unwritten))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench suites", description=__doc__)
    parser.add_argument(
        "names", nargs="*", help="suites or tests, by the start of their names (default: all)"
    )
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for each test")
    parser.add_argument("--jobs", type=int, default=2, help="tests at the same time")
    wanted = parser.parse_args(arguments)
    kinds: Counter[str] = Counter()
    reasons: dict[str, Counter[str]] = {}
    todo: list[Described] = []

    def note(name: str, outcome: Outcome) -> None:
        kinds[outcome.kind] += 1
        if outcome.reasons:
            reasons.setdefault(outcome.kind, Counter())[outcome.reasons[0]] += 1
        if outcome.kind in ("disagree", "different", "crash"):
            print(f"{outcome.kind:10} {name}: {'; '.join(outcome.reasons[:3])}", flush=True)

    for name, found in tests(wanted.names):
        if isinstance(found, Skipped):
            note(name, Outcome("skipped", [str(found)]))
        else:
            todo.append(found)
    with ThreadPoolExecutor(wanted.jobs) as pool:
        for test, outcome in zip(todo, pool.map(lambda t: judge(t, wanted.limit), todo), strict=True):
            note(test.name, outcome)
    print()
    for kind, count in kinds.most_common():
        print(f"{count:6} {kind}")
        for reason, times in reasons.get(kind, Counter()).most_common(25 if kind != "disagree" else 0):
            print(f"       {times:6} {reason}")
    return 1 if kinds["disagree"] or kinds["crash"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
