"""Inputs by access path, and as small as they can be.

What is expected follows from the code of each function, by thought or by trying all values."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import vouch
from vouch.bmc.access_paths import AccessPaths, pointed_name
from vouch.bmc.initial import Unknown
from vouch.bmc.value import Kind, MemObject
from vouch.c.ir import CType, Member
from vouch.verdict import Verdict

CODE = """
#include <stdint.h>
#include <string.h>
struct flags { unsigned mode : 3; int level : 5; unsigned rest : 24; };
struct pair { int32_t a; uint8_t b[4]; };
struct node { int value; struct node *next; };
struct sensor { uint16_t gain; struct pair pairs[2]; struct flags flags; };
static int mode;
int member(struct sensor *sensor, int32_t x) { return x + sensor->gain; }
int nested(struct sensor *s) { return 10 / (s->pairs[1].b[3] - 9); }
int bits(struct sensor *s) { return 100 / (s->flags.level + 7); }
int list(struct node *n) { return 10 / (n->next->next->value - 3); }
int twice(int **p) { return 10 / (**p - 3); }
int element(const int16_t *p, unsigned i) { return i > 40 && i < 50 ? 5 / (p[i] + 2) : 0; }
int shared(int *p, int *q) { *p = 5; *q = 6; return 100 / (*p - 6); }
int global(void) { return mode + 1; }
void choose(int to) { mode = to; }
int by_value(struct pair p) { return 100 / (p.b[2] - 200 - p.a); }
int fraction(const float *x) { return (int)(x[1] * 3.0f); }
int text(const char *s) { int8_t c = strlen(s) + 126; return c; }
int raw(void *p) { return 5 / (((unsigned char *)p)[6] - 4); }
int small(int8_t a, int8_t b) { int8_t r = a * 3 - b; return r; }
int nothing(int *p, int unused) { *p = unused; return 0; }
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("inputs") / "a.c"
    path.write_text(CODE)
    result = vouch.check([path], jobs=1)
    violated = [item for item in result.checks if item.verdict is Verdict.UNSAFE]
    assert all(item.replayed for item in violated)
    assert result.replay_failures == 0
    return {f"{item.check.function}.{item.check.category}": item.inputs for item in violated}


def least_small() -> tuple[int, int]:
    """The first argument as small as it can be, then the second; positive ones first."""
    order = sorted(range(-128, 128), key=lambda n: (abs(n), n < 0))
    return next((a, b) for a in order for b in order if not -128 <= a * 3 - b <= 127)


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("member.signed-overflow", {"x": 2**31 - 65535, "sensor->gain": 65535}),
        ("nested.division-by-zero", {"s->pairs[1].b[3]": 9}),
        ("bits.division-by-zero", {"s->flags.mode": 0, "s->flags.level": -7, "s->flags.rest": 0}),
        ("list.division-by-zero", {"n->next->next->value": 3}),
        ("list.signed-overflow", {"n->next->next->value": -(2**31) + 2}),
        ("twice.division-by-zero", {"**p": 3}),
        ("element.division-by-zero", {"i": 41, "p[41]": -2}),
        ("shared.division-by-zero", {"q": "p"}),
        ("global.signed-overflow", {"mode": 2**31 - 1}),
        ("by_value.division-by-zero", {"p.a": 0, "p.b[0]": 0, "p.b[1]": 0, "p.b[2]": 200, "p.b[3]": 0}),
        ("fraction.narrowing", {"x[1]": 1e10}),
        ("text.narrowing", {"s": '"aa"'}),
        ("raw.division-by-zero", {"((char *)p)[6]": 4}),
        ("small.narrowing", dict(zip("ab", least_small(), strict=True))),
    ],
)
def test_inputs(found: dict[str, Any], check: str, expected: dict[str, Any]) -> None:
    assert found[check] == expected


def test_the_same_in_every_run(tmp_path: Path, found: dict[str, Any]) -> None:
    path = tmp_path / "a.c"
    path.write_text(CODE)
    program = (
        "import json, sys, vouch; r = vouch.check([sys.argv[1]], jobs=1);"
        "found = {f'{i.check.function}.{i.check.category}': i.inputs for i in r.checks if i.inputs};"
        "print(json.dumps(found))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    command = [sys.executable, "-c", program, str(path)]
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(again.stdout) == found


def test_pointers_have_names_in_the_trace(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(
        "struct s { int a; int b[4]; } table[3];\n"
        "int f(struct s *p, int n) { int *q = &p->b[2]; struct s *t = &table[1]; *q = n;\n"
        "    return 5 / (t->a - *q); }"
    )
    result = vouch.check([path], jobs=1)
    steps = [step.what for item in result.checks for step in item.trace]
    assert "q = &p->b[2]" in steps
    assert "t = &table[1]" in steps


INT, PAIR, ROW = range(3)
TABLE = {
    INT: CType("int", "int", 4, signed=True),
    PAIR: CType("struct", "struct pair", 8, members=(Member("a", 0, 32, INT), Member("b", 32, 32, INT))),
    ROW: CType("array", "struct pair[4]", 32, target=PAIR, count=4),
}


@pytest.mark.parametrize(
    ("pointer", "key", "offset", "text"),
    [
        ("p", INT, 0, "*p"),
        ("p", INT, 8, "p[2]"),
        ("p", INT, -4, "p[-1]"),
        ("p", PAIR, 4, "p->b"),
        ("p", PAIR, 12, "p[1].b"),
        ("*p", PAIR, 4, "(*p)->b"),
        ("*p", INT, 0, "**p"),
        ("*p", INT, 4, "(*p)[1]"),
        ("p", ROW, 12, "p[1].b"),
        ("p", None, 0, "*p"),
        ("p", None, 3, "((char *)p)[3]"),
    ],
)
def test_places_behind_pointers(pointer: str, key: int | None, offset: int, text: str) -> None:
    assert pointed_name(TABLE, pointer, key, offset) == text


@pytest.mark.parametrize(
    ("kind", "key", "offset", "text"),
    [
        (Kind.OUTSIDE, PAIR, 0, "x"),
        (Kind.OUTSIDE, PAIR, 4, "&x->b"),
        (Kind.OUTSIDE, None, 5, "(char *)x + 5"),
        (Kind.GLOBAL, PAIR, 0, "&x"),
        (Kind.GLOBAL, PAIR, 4, "&x.b"),
        (Kind.GLOBAL, PAIR, 8, "&x + 1"),
        (Kind.STACK, ROW, 0, "x"),
        (Kind.STACK, ROW, 16, "&x[2]"),
        (Kind.STACK, ROW, 20, "&x[2].b"),
        (Kind.OUTSIDE, ROW, 32, "x[1]"),
        (Kind.OUTSIDE, PAIR, 8, "&x[1]"),
        (Kind.OUTSIDE, PAIR, 16, "&x[2]"),
    ],
)
def test_pointers_to_places(kind: Kind, key: int | None, offset: int, text: str) -> None:
    target = MemObject(kind, "x", 32, Unknown(), ctype=key)
    assert AccessPaths(TABLE).pointer(target, offset) == text
