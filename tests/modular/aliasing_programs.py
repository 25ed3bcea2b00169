"""Random libraries of functions that write through pointers, with claims that hold or fail by aliasing.

Every access is valid, so that a native run says which claims fail: `api(a, b, n)` is called with many
arguments, and each failing claim prints its line.
"""

from __future__ import annotations

import random

HEAD = """\
#include <string.h>
void __CPROVER_assert(int condition, const char *text);
struct S { int a; short b; char c[6]; int *p; };
int g0, g1;
static int s0, s1;
static int *gp;
static struct S S0;
struct S S1;
typedef int (*step)(int *, short *, char *, struct S *, int);
static step hook;
"""

PARAMETERS = "int *p, short *q, char *c, struct S *s, int n"


class Program:
    def __init__(self, seed: int, functions: int = 4) -> None:
        self.pick = random.Random(seed)
        self.count = functions
        self.claims = 0
        self.text = HEAD + "".join(f"static int f{i}({PARAMETERS});\n" for i in range(functions))
        for number in range(functions):
            self.text += self._function(number)
        self.text += self._api()

    def _value(self) -> str:
        return self.pick.choice(
            ["0", "1", "7", "n", "old", "*p", "s->a", "g0", "s0", "*gp", "*q", "c[1]", "x"]
        )

    def _integer(self) -> str:
        """A pointer to an int that may be read and written."""
        places = [
            "p",
            "gp",
            "&g0",
            "&g1",
            "&s0",
            "&s1",
            "&s->a",
            "(int *)(void *)s",
            "s->p",
            "&S0.a",
            "&S1.a",
        ]
        return self.pick.choice(places)

    def _short(self) -> str:
        return self.pick.choice(
            ["q", "(short *)p", "(short *)p + 1", "&s->b", "(short *)gp", "(short *)s->c", "(short *)&g0"]
        )

    def _bytes(self) -> str:
        return self.pick.choice(["c", "(char *)p", "s->c", "(char *)s", "(char *)&s0", "(char *)gp"])

    def _struct(self) -> str:
        return self.pick.choice(["s", "&S0", "&S1"])

    def _call(self, number: int) -> str:
        given = f"({self._integer()}, {self._short()}, {self._bytes()}, {self._struct()}, n)"
        if number + 1 >= self.count:
            return "x ^= 1;"
        if self.pick.random() < 0.15:
            return f"if (hook != 0 && n > 1) x ^= hook({given[1:-3]}n - 1);" if number else "x ^= 2;"
        return f"x ^= f{self.pick.randrange(number + 1, self.count)}{given};"

    def _statement(self, number: int) -> str:
        value = self._value()
        choices = [
            f"*p = {value};", f"*q = (short)({value});", f"c[{self.pick.randrange(4)}] = (char)({value});",
            f"s->a = {value};", f"s->b = (short)({value});", f"*gp = {value};",
            f"g0 = {value};", f"s0 = {value};",
            "gp = p;", "s->p = p;", f"*s->p = {value};", f"old = {self._value()};", f"x = {value};",
            f"memcpy(p, {self._integer()}, sizeof *p);", f"memset(c, {self.pick.randrange(3)}, 4);",
            f"*(short *)p = (short)({value});",
        ]  # fmt: skip
        if self.pick.random() < 0.3:
            return self._call(number)
        if self.pick.random() < 0.35:
            return self._claim()
        return self.pick.choice(choices)

    def _claim(self) -> str:
        left = self.pick.choice(["*p", "s->a", "g0", "s0", "*gp", "x", "old", "*q", "c[1]", "s->b", "n"])
        right = self.pick.choice([self._value(), "0", "1", "7"])
        return self._claimed(f"{left} {self.pick.choice(['==', '==', '!=', '<='])} {right}")

    def _claimed(self, condition: str) -> str:
        self.claims += 1
        return f'__CPROVER_assert({condition}, "claim {self.claims}");'

    def line_of(self, claim: str) -> int:
        """Where a claim stands in the program."""
        return self.text[: self.text.index(f'"{claim}"')].count("\n") + 1

    def _block(self, number: int, size: int) -> str:
        lines = []
        for _ in range(size):
            line = self._statement(number)
            if self.pick.random() < 0.3:
                line = (
                    f"if ({self.pick.choice(['n > 1', 'x', '*p > 0', 'p == gp', 's->a == 7'])}) {{ {line} }}"
                )
            lines.append("    " + line)
        return "\n".join(lines)

    def _function(self, number: int) -> str:
        return (
            f"static int f{number}({PARAMETERS}) {{\n    int x = 0, old = n;\n"
            f"{self._block(number, 4)}\n"
            f"    for (int i = 0; i < n && i < 3; i++) {{\n{self._block(number, 3)}\n    }}\n"
            f"{self._block(number, 4)}\n    return x;\n}}\n"
        )

    def _api(self) -> str:
        hook = self.pick.choice(["0", f"f{self.count - 1}"])
        calls = "\n".join(
            f"    x ^= f{self.pick.randrange(min(2, self.count))}("
            f"{self.pick.choice(['&v', '&w', '&g0', '&s0', 'gp', '&t.a'])}, "
            f"{self.pick.choice(['(short *)&v', '&t.b', '(short *)&w + 1', '(short *)&g1'])}, "
            f"{self.pick.choice(['(char *)&v', 't.c', '(char *)&t', '(char *)&s1'])}, "
            f"{self.pick.choice(['&t', '&S0', '&S1'])}, n);"
            for _ in range(3)
        )
        return (
            "int api(int a, int b, int n) {\n    int v = a, w = b, x = 0;\n"
            '    struct S t = {1, 2, "abc", &w};\n    gp = &g0;\n    S0.p = &v;\n    S1.p = &s1;\n'
            f"    hook = {hook};\n{calls}\n    {self._claimed('v == a')}\n"
            "    gp = &g0; S0.p = &g0; S1.p = &g0;\n"
            "    return x;\n}\n"
        )


HARNESS = """\
#include <stdio.h>
#include "program.c"
void __CPROVER_assert(int condition, const char *text) { if (!condition) puts(text); }
int main(void) {
    static const int values[] = {0, 1, 2, 7, -1, 256, 65536, 2147483647};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            for (int n = 0; n < 5; n++) {
                g0 = i; g1 = j; s0 = s1 = 0; memset(&S0, 0, sizeof S0); memset(&S1, 0, sizeof S1);
                api(values[i], values[j], n);
            }
    return 0;
}
"""
