"""Random libraries of functions that guard each other's calls, with claims that hold for some inputs only.

Nothing in them is undefined, so that native runs say which claims fail: from `api` with many arguments, and
in single calls of each function, where a precondition can be held against what happens.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

HEAD = """\
void __CPROVER_assert(int condition, const char *text);
struct S { int a; unsigned char b; struct S *next; };
static int g0;
static unsigned g1;
"""
PARAMETERS = "int a, int b, unsigned n, struct S *s"
NUMBERS = ["a", "b", "(int)n", "s->a", "s->b", "g0", "x", "s->next->a", "(int)g1"]
PLACES = ["a", "b", "n", "s->a", "s->b", "g0", "g1", "x", "s->next->b"]


class Program:
    def __init__(self, seed: int, functions: int = 4) -> None:
        self.pick = random.Random(seed)
        self.count = functions
        self.owners: dict[int, str] = {}  # claims by number, with the functions that they are in
        self.text = HEAD
        for number in reversed(range(functions)):
            self.text += self._function(number)
        self.text += self._api()

    def line_of(self, claim: int) -> int:
        return self.text[: self.text.index(f'"claim {claim}"')].count("\n") + 1

    def _number(self) -> str:
        return self.pick.choice(NUMBERS)

    def _constant(self) -> int:
        return self.pick.choice([0, 1, 2, 3, 5, 8, 13, 20, 30, 100, -1, -7])

    def _condition(self) -> str:
        left, sign = self._number(), self.pick.choice(["<", ">", "<=", ">=", "==", "!="])
        right = self._number() if self.pick.random() < 0.25 else str(self._constant())
        text = f"{left} {sign} {right}"
        if self.pick.random() < 0.3:
            text = f"{text} {self.pick.choice(['&&', '||'])} {self._number()} > {self._constant()}"
        return text

    def _expression(self) -> str:
        value = self._number()
        return self.pick.choice(
            [
                value,
                f"(int)((unsigned)({value}) + {self.pick.randrange(1, 9)}u)",
                f"(int)((unsigned)({value}) - {self.pick.randrange(1, 9)}u)",
                f"({value} & 15)",
                str(self._constant()),
            ]
        )

    def _store(self) -> str:
        place = self.pick.choice(PLACES)
        cast = {"n": "(unsigned)", "g1": "(unsigned)", "s->b": "(unsigned char)"}.get(place, "")
        cast = "(unsigned char)" if place == "s->next->b" else cast
        return f"{place} = {cast}({self._expression()});"

    def _call(self, number: int) -> str:
        if number + 1 >= self.count:
            return self._store()
        target = self.pick.randrange(number + 1, min(self.count, number + 3))
        first, second, third = (self._expression() for _ in range(3))
        first = self.pick.choice(["a", first])
        given = f"{first}, {second}, (unsigned)({third}), {self.pick.choice(['s', 's', 's->next'])}"
        call = f"x ^= f{target}({given});"
        return f"if ({self._condition()}) {{ {call} }}" if self.pick.random() < 0.6 else call

    def _claim(self, function: str) -> str:
        number = len(self.owners) + 1
        self.owners[number] = function
        return f'__CPROVER_assert({self._condition()}, "claim {number}");'

    def _statement(self, number: int) -> str:
        chance = self.pick.random()
        if chance < 0.3:
            return self._call(number)
        if chance < 0.6:
            claim = self._claim(f"f{number}")
            return f"if ({self._condition()}) {{ {claim} }}" if self.pick.random() < 0.7 else claim
        if chance < 0.7:
            return f"for (unsigned i = 0; i < (n & 3u); i++) {{ {self._store()} }}"
        store = self._store()
        return f"if ({self._condition()}) {{ {store} }}" if self.pick.random() < 0.5 else store

    def _function(self, number: int) -> str:
        lines = "\n".join("    " + self._statement(number) for _ in range(4))
        return f"static int f{number}({PARAMETERS}) {{\n    int x = 0;\n{lines}\n    return x;\n}}\n"

    def _api(self) -> str:
        calls = "\n".join(
            f"    if ({guard}) {{ x ^= f{self.pick.randrange(min(2, self.count))}(a, b, n, {given}); }}"
            for guard, given in (
                ("a > 0 && a < 20", "&t"),
                ("b >= 0 && b < 50 && n < 10", "&u"),
                (self.pick.choice(["a == b", "n == 4", "a > 5"]), "&t"),
            )
        )
        return (
            "int api(int a, int b, unsigned n) {\n    int x = 0;\n"
            "    struct S u = {b, 7, &u}, t = {a, 1, &u};\n    g0 = 3; g1 = n & 7u;\n"
            f"{calls}\n    return x;\n}}\n"
        )

    def harness(self, preconditions: Iterable[tuple[int, str, bool]]) -> str:
        """Prints `fails N` for claims that fail from `api`; `wrong N` for a precondition that holds in a call
        in which its claim fails; and for exact ones `missed N` where it is the other way round."""
        cases = ""
        for claim, text, exact in preconditions:
            missed = f'if (!holds && !fired[{claim}]) puts("missed {claim}");' if exact else ""
            cases += (
                f"        {{ set(i, &u, &t); memset(fired, 0, sizeof fired); int holds = ({text});\n"
                f"        {self.owners[claim]}(a, b, n, s);\n"
                f'        if (holds && fired[{claim}]) puts("wrong {claim}"); {missed} }}\n'
            )
        return _HARNESS.replace("CASES", cases).replace("MOST", str(len(self.owners) + 1))


_HARNESS = """\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "program.c"
static char fired[MOST], ever[MOST];
void __CPROVER_assert(int condition, const char *text) {
    if (!condition) { int number = atoi(text + 6); fired[number] = ever[number] = 1; }
}
static uint32_t state = 12345;
static uint32_t any(void) {
    static const uint32_t special[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 14, 20, 21, 30, 31, 100, 101,
        0xffffffff, 0xfffffffe, 0xfffffff8, 0xfffffff9, 0xfffffffa, 0x7fffffff, 0x80000000, 0x7ffffffe};
    state = state * 1664525u + 1013904223u;
    uint32_t kind = state >> 24;
    state = state * 1664525u + 1013904223u;
    if (kind < 160) return special[(state >> 16) % (sizeof special / sizeof *special)];
    return kind < 230 ? (state >> 16) % 64 - 16 : state;
}
static void set(int i, struct S *u, struct S *t) {
    g0 = (int)any(); g1 = any();
    *u = (struct S){(int)any(), (unsigned char)any(), u};
    *t = (struct S){(int)any(), (unsigned char)any(), u};
}
int main(void) {
    for (int i = 0; i < 3000; i++) {
        struct S t, u, *s = &t;
        api((int)any(), (int)any(), any());
    }
    for (int i = 1; i < MOST; i++) if (ever[i]) printf("fails %d\\n", i);
    for (int i = 0; i < 3000; i++) {
        struct S t, u, *s = &t;
        int a = (int)any(), b = (int)any();
        unsigned n = any();
        (void)a; (void)b; (void)n; (void)s;
CASES
    }
    return 0;
}
"""
