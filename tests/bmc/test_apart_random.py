"""Random copies that functions of the program hand one another, against all their inputs worked out here.

`APART_SEEDS=A..B` runs others than the usual few.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from pathlib import Path

import pytest

import vouch
from vouch.verdict import Verdict

SIZE = 16  # bytes of every buffer
FIRST, LAST = (int(n) for n in os.environ.get("APART_SEEDS", "0..8").split(".."))
BEGIN = """#include <stdlib.h>
#include <string.h>
struct way { char *to; const char *from; };
static char own[16];
"""


@dataclass(frozen=True)
class Step:
    """A copy of n bytes from `origin` to `to` plus i bytes behind the start of one buffer."""

    to: int
    origin: int
    most_i: int
    most_n: int
    large: bool  # the buffer comes from outside

    @property
    def fails(self) -> bool:
        """Whether it leaves its buffer, or copies between places that overlap, for any input."""
        return any(self._fails(i, n) for i in range(self.most_i + 1) for n in range(1, self.most_n + 1))

    def _fails(self, i: int, n: int) -> bool:
        to = self.to + i
        apart = to == self.origin or abs(to - self.origin) >= n
        inside = self.large or (to + n <= SIZE and self.origin + n <= SIZE)
        return not (apart and inside)


def written(seed: int) -> tuple[str, dict[int, bool]]:
    """A library, and for each line that copies whether it can fail."""
    source = random.Random(seed)
    lines, truth = BEGIN.splitlines(), {}
    for number in range(6):
        way = source.choice(("passed", "held", "both", "returned"))
        place = source.choice(("local", "own", "heap", "outside"))
        n = source.randint(1, 9)
        to, origin = sorted((source.randint(0, 6), source.randint(0, 12)), reverse=source.random() < 0.5)
        step = Step(to, origin, source.randint(0, 3), n, place == "outside")
        copy = f"static void c{number}(char *to, const char *from, unsigned n) {{ memcpy(to, from, n); }}"
        lines.append(copy)
        truth[len(lines)] = step.fails
        lines += _between(number, way, step)
        lines += _entry(number, place, step)
    return "\n".join(lines) + "\n", truth


def _between(number: int, way: str, step: Step) -> list[str]:
    head = f"static void m{number}(char *p, unsigned i, unsigned n)"
    to, origin = f"p + {step.to} + i", f"p + {step.origin}"
    match way:
        case "passed":
            return [f"{head} {{ c{number}({to}, {origin}, n); }}"]
        case "held":
            return [f"{head} {{ struct way w = {{{to}, {origin}}}; c{number}(w.to, w.from, n); }}"]
        case "both":
            inner = f"static void b{number}(struct way *w, unsigned n) {{ c{number}(w->to, w->from, n); }}"
            return [inner, f"{head} {{ struct way w; w.to = {to}; w.from = {origin}; b{number}(&w, n); }}"]
        case _:
            inner = f"static char *r{number}(char *p, unsigned i) {{ return {to}; }}"
            return [inner, f"{head} {{ c{number}(r{number}(p, i), {origin}, n); }}"]


def _entry(number: int, place: str, step: Step) -> list[str]:
    small = f"if (i > {step.most_i} || n > {step.most_n}) return;"
    call = f"m{number}({{}}, i, n);"
    match place:
        case "local":
            body = f"char s[{SIZE}] = {{0}}; {small} {call.format('s')}"
        case "own":
            body = f"{small} {call.format('own')}"
        case "heap":
            body = f"{small} char *h = calloc({SIZE}, 1); if (!h) return; {call.format('h')} free(h);"
        case _:
            body = f"{small} {call.format('p')}"
    more = ", char *p" if place == "outside" else ""
    return [f"void e{number}(unsigned i, unsigned n{more}) {{ {body} }}"]


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_copies(seed: int, tmp_path: Path) -> None:
    text, truth = written(seed)
    source = tmp_path / "copies.c"
    source.write_text(text)
    result = vouch.check(source, jobs=1, checks=["pointer"])
    for line, fails in truth.items():
        found = [r for r in result.checks if r.check.location.line == line]
        said = {r.verdict for r in found}
        assert found, f"line {line} has no check"
        assert said != {Verdict.SAFE} if fails else not said & {Verdict.UNSAFE, Verdict.COND_UNSAFE}, (
            f"line {line}: {said}, and it {'fails' if fails else 'never fails'}\n{text}"
        )
