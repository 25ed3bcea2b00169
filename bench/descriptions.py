"""CBMC's test descriptions (`test.desc`): what is run, with which options, what must come out.

A description is a line of tags, the source file, the options, and patterns that the output must match, up to
a line `--`. `read` yields the test in vouch's terms, or raises `Skipped` with the reason why it has none.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

# What CBMC 6 looks for unless told otherwise, and its names for it.
STANDARD = frozenset({"assertion", "bounds", "pointer", "signed-overflow", "division-by-zero", "shift"})
_CHECKS = {
    "bounds": "bounds",
    "pointer": "pointer",
    "signed-overflow": "signed-overflow",
    "div-by-zero": "division-by-zero",
    "undefined-shift": "shift",
    "unsigned-overflow": "unsigned-overflow",
    "memory-leak": "leak",
}
# Classes of CBMC's properties with vouch's categories for them; the others have no counterpart.
CLASSES = {
    "assertion": ("assertion",),
    "overflow": ("signed-overflow", "unsigned-overflow", "shift"),
    "array_bounds": ("bounds", "pointer"),
    "pointer_dereference": ("pointer", "bounds"),
    "division-by-zero": ("division-by-zero",),
    "undefined-shift": ("shift",),
    "memory-leak": ("leak",),
}
# Options that change how CBMC works or what it prints, not what is true.
_NEUTRAL = {
    *("--trace", "--compact-trace", "--floatbv", "--no-simplify", "--no-propagation", "--little-endian"),
    *(
        "--arrays-uf-always",
        "--arrays-uf-never",
        "--refine-arrays",
        "--refine",
        "--slice-formula",
        "--full-slice",
    ),
    *("--reachability-slice", "--reachability-slice-fb", "--stop-on-fail", "--unwinding-assertions", "--64"),
    *(
        "--gcc",
        "--validate-goto-model",
        "--validate-ssa-equation",
        "--no-sat-preprocessor",
        "--show-byte-ops",
    ),
    *(
        "--malloc-fail-null",
        "--no-pointer-primitive-check",
        "--localize-faults",
        "--beautify",
    ),
    *(
        "--no-pretty-names",
        "--drop-unused-functions",
        "--stack-trace",
        "--trace-show-code",
        "--no-self-loops-to-assumptions",
    ),
}
_FLOAT = ("--float-overflow-check", "--nan-check")  # vouch has one category for both
_NEUTRAL_WITH_VALUE = {"--verbosity", "--object-bits", "--sat-solver", "--paths", "--arch"}
_PROPERTY = re.compile(r"\\\[(?P<function>\w+)\\?\.(?P<kind>[\w-]+)\\?\.(?P<index>\d+)?.*?\\?\](?P<rest>.*)")
_LINE = re.compile(r"line (\d+) ")
# What only CBMC understands; the names that vouch knows too are left out.
_OWN_LANGUAGE = re.compile(r"\b(__CPROVER_(?!(?:assume|assert|nondet_\w+)\b)\w+)")


class Skipped(Exception):
    """The test cannot be put to vouch; the message says why."""


@dataclass(frozen=True, slots=True)
class Property:
    """One line `[function.kind.index] … line N …: SUCCESS|FAILURE`."""

    function: str
    kind: str
    index: int | None
    line: int | None
    holds: bool


@dataclass(slots=True)
class Described:
    """`arguments` are flags of `vouch check`; `holds` is CBMC's verdict on the whole program."""

    name: str
    folder: Path
    sources: list[str]
    arguments: list[str] = field(default_factory=list)
    categories: set[str] = field(default_factory=lambda: set(STANDARD))
    holds: bool = True
    properties: list[Property] = field(default_factory=list)
    within_bound: bool = False  # executions beyond the bound do not count


def read(path: Path, name: str) -> Described:
    lines = [line for line in path.read_text(errors="replace").splitlines() if not line.startswith("//")]
    if len(lines) < 4:
        raise Skipped("no description")
    tags = lines[0].split()
    if tags[:1] != ["CORE"]:
        raise Skipped(f"not a CORE test ({tags[0] if tags else 'no tag'})")
    if "smt-backend" in tags:
        raise Skipped("needs an SMT solver beside CBMC")
    patterns = lines[3 : lines.index("--")] if "--" in lines else lines[3:]
    test = Described(name, path.parent, lines[1].split())
    malloc_may_fail = _options(test, lines[2])
    if not test.sources or not all(s.endswith((".c", ".i")) for s in test.sources):
        raise Skipped("not a C file")
    if malloc_may_fail:
        test.arguments.append("--malloc-may-fail")
    for source in test.sources:
        if own := _OWN_LANGUAGE.search((path.parent / source).read_text(errors="replace")):
            raise Skipped(f"CBMC's own language ({own[1]})")
    test.holds = _verdict(patterns)
    test.properties = list(_properties(patterns))
    return test


def _options(test: Described, text: str) -> bool:
    """Adds what the options mean to the test; whether malloc may fail."""
    words = iter(shlex.split(text.replace("\\", "\\\\")))
    if all(option in text.split() for option in _FLOAT):
        test.categories.add("float")
    may_fail = True
    for word in words:
        if word == "--no-malloc-may-fail":
            may_fail = False
        elif word in _NEUTRAL_WITH_VALUE:
            next(words)
        elif word in _WITH_MEANING:
            _WITH_MEANING[word](test, words)
        elif word.endswith((".c", ".i")) and not word.startswith("-"):
            test.sources.append(word)
        elif word[:2] in ("-D", "-I") and len(word) > 2:
            test.arguments.append(word)
        elif (found := re.fullmatch(r"--(no-)?(.+)-check", word)) and found[2] in _CHECKS:
            (test.categories.discard if found[1] else test.categories.add)(_CHECKS[found[2]])
        elif word in _FLOAT and "float" in test.categories:
            continue
        elif word not in _NEUTRAL and word != "--malloc-may-fail":
            raise Skipped(f"option {word}")
    return may_fail


def _only_assertions(test: Described, words: Iterator[str]) -> None:
    test.categories = {"assertion"}


def _within_bound(test: Described, words: Iterator[str]) -> None:
    test.within_bound = True


def _flag(*flags: str, value: bool = False) -> Callable[[Described, Iterator[str]], None]:
    def add(test: Described, words: Iterator[str]) -> None:
        test.arguments += [flags[0], next(words), *flags[1:]] if value else flags

    return add


_WITH_MEANING: dict[str, Callable[[Described, Iterator[str]], None]] = {
    "--no-standard-checks": _only_assertions,
    "--no-unwinding-assertions": _within_bound,
    "--unwind": _flag("--unwind", value=True),
    "--function": _flag("--entry", "--strict-pointers", value=True),
    "-D": _flag("-D", value=True),
    "-I": _flag("-I", value=True),
    "--c89": _flag("--std", "gnu89"),
    "--c99": _flag("--std", "gnu99"),
    "--c11": _flag("--std", "gnu11"),
    "--32": _flag("--target", "i386-linux-gnu"),
}


def _verdict(patterns: list[str]) -> bool:
    text = "\n".join(patterns)
    if "VERIFICATION SUCCESSFUL" in text:
        return True
    if "VERIFICATION FAILED" in text:
        return False
    for code, holds in (("EXIT=0$", True), ("EXIT=10$", False)):
        if code in text:
            return holds
    raise Skipped("expects no verdict")


def _properties(patterns: list[str]) -> Iterator[Property]:
    for pattern in patterns:
        found = _PROPERTY.search(pattern)
        outcome = re.search(r"(SUCCESS|FAILURE)\$?$", pattern)
        if found and outcome and found["kind"] in CLASSES:
            line = _LINE.search(found["rest"])
            index = int(found["index"]) if found["index"] and f".{found['index']}\\]" in pattern else None
            if line or index is not None:
                place = int(line[1]) if line else None
                yield Property(found["function"], found["kind"], index, place, outcome[1] == "SUCCESS")
