"""Random libraries whose loops carry pointers, lists, arrays and counters, with claims in and behind them.

Every access is valid whatever the arguments (lists are rings, indices are masked), so that a native run says
which claims fail: the functions are called with many arguments, some of which lead to the same memory, and
each failing claim prints its text.
"""

from __future__ import annotations

import random

HEAD = """\
#include <stdlib.h>
#include <string.h>
void __CPROVER_assert(int condition, const char *text);
struct node { int v; struct node *next; int *p; int w[4]; };
static int s0, s1;
static int *gp = &s0;
static int *volatile vp = &s0;
static struct { unsigned x : 3, y : 5; } bits;
static union { int i; unsigned char b[4]; } both;
static void bump(int *x) { *x = (*x + 1) & 7; }
static void clear(int *x) { *x = 0; }
static void (*hook)(int *) = bump;
"""

PARAMETERS = "struct node *s, int *a, int *b, unsigned n, int x"


class LoopingProgram:
    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)
        self.claims = 0
        self.text = HEAD + self._function("static int inner", False) + self._function("int api", True)
        if self.pick.random() < 0.5:
            body = "int t = 3; return inner(s, &t, b, n, x) ^ api(s, a, b, n, t);"
        else:
            body = "return api(s->next, b, a, n, x);"
        self.text += f"int other({PARAMETERS}) {{ {body} }}\n"

    def line_of(self, claim: str) -> int:
        """Where a claim stands in the program."""
        return self.text[: self.text.index(f'"{claim}"')].count("\n") + 1

    def _function(self, head: str, calls: bool) -> str:
        return (
            f"{head}({PARAMETERS}) {{\n"
            "    unsigned i = 0, k = 0;\n    int t = x & 7, u = 1, buf[4] = {0, 0, 0, 0};\n"
            "    int *p = a, *slot[2] = {&t, b};\n    struct node *q = s;\n"
            f"{self._block(3, calls)}{self._loop(calls, 2)}{self._block(2, calls)}{self._loop(calls, 1)}"
            f"{self._claim()}{self._claim()}    s->p = b; gp = vp = &s0;\n    return t ^ u ^ *p;\n}}\n"
        )

    def _loop(self, calls: bool, depth: int) -> str:
        inside = self._block(3, calls)
        if depth > 1 and self.pick.random() < 0.5:
            inside += self._loop(calls, depth - 1)
        inside += self._claim() + self._block(2, calls)
        counter = "i" if depth > 1 else "k"
        kind = self.pick.randrange(4)
        if kind == 0:
            return f"    for ({counter} = 0; {counter} < n; {counter}++) {{\n{inside}    }}\n"
        if kind == 1:
            return f"    while ({counter} < n && t < 100) {{\n{inside}    {counter}++;\n    }}\n"
        if kind == 2:
            return f"    do {{\n{inside}    }} while (++{counter} < n);\n"
        leave = self.pick.choice(["u > 3", "q == s", "*p == 1", "t == 5", "buf[1]"])
        return f"    for (;;) {{\n{inside}    if ({counter}++ >= n || {leave}) break;\n    }}\n"

    def _block(self, size: int, calls: bool) -> str:
        lines = []
        for _ in range(size):
            line = self._pair(calls) if self.pick.random() < 0.25 else self._statement(calls)
            if self.pick.random() < 0.3:
                when = self.pick.choice(["t > 2", "u", "p == a", "q == s", "n > 2", "i & 1", "*p > 0"])
                line = f"if ({when}) {{ {line} }}"
            lines.append(f"    {line}\n")
        return "".join(lines)

    def _pair(self, calls: bool) -> str:
        """Something is written, perhaps something else, and then it is claimed to be there."""
        place = self.pick.choice(["*p", "t", "u", "q->v", "buf[i & 3]", "s0", "*slot[0]", "q->w[1]", "*gp"])
        place = self.pick.choice(["bits.x", "both.b[1]"]) if self.pick.random() < 0.1 else place
        between = self._statement(calls) if self.pick.random() < 0.7 else ""
        number = self.pick.randrange(2, 8)
        self.claims += 1
        return f'{place} = {number}; {between} __CPROVER_assert({place} == {number}, "claim {self.claims}");'

    def _value(self) -> str:
        choices = ["0", "1", "5", "t", "u", "*p", "q->v", "x", "(int)(i & 3)", "buf[i & 3]", "*slot[k & 1]"]
        return self.pick.choice(choices)

    def _statement(self, calls: bool) -> str:
        value = self._value()
        choices = [
            f"t = ({value}) & 15;", f"u = ({value}) & 7;", "t++;", "u = (u + 1) & 3;", f"*p = {value};",
            "p = a;", "p = b;", "p = &t;", "p = &buf[i & 3];", "p = &q->v;", "p = q->p;", "p = gp;",
            "q = q->next;", "q = s;", f"q->v = {value};", "q->p = p == &t || p == &u ? a : b;",
            f"buf[i & 3] = {value};", f"buf[u & 3] = {value};", f"q->w[u & 3] = {value};",
            f"slot[{self.pick.choice(['0', 'i & 1'])}] = {self.pick.choice(['&u', 'a', '&buf[2]'])};",
            f"*slot[{self.pick.choice(['1', 'k & 1', 't & 1'])}] = {value};",
            f"s0 = {value};", "gp = &s1;", f"*gp = {value};", f"*q->p = {value};",
            "{ int *h = malloc(sizeof *h); if (h) { *h = t; u = *h & 7; free(h); } }",
            "((unsigned char *)p)[u & 3] = 1;", "memset(&q->w[1], 0, sizeof(int));", "vp = p;",
            f"*vp = {value};", f"bits.x = {value};", "bits.y++;", f"both.i = {value};", "both.b[u & 3] = 1;",
            "bump(p);", "hook(p);", "hook = clear;", "hook = bump;", "t = bits.x;", "u = both.b[0] & 7;",
        ]  # fmt: skip
        if calls and self.pick.random() < 0.15:
            first = self.pick.choice(["a", "&u", "&buf[1]", "gp"])
            return f"u = inner(q, {first}, b, n > 2 ? 2 : n, t) & 7;"
        return self.pick.choice(choices)

    def _claim(self) -> str:
        if self.pick.random() < 0.3:
            self.claims += 1
            known = self.pick.choice(["u >= 0", "u <= 7", "t <= 128", "t >= -9", "i <= n + 1"])
            return f'    __CPROVER_assert({known}, "claim {self.claims}");\n'
        left = self.pick.choice(["t", "u", "*p", "q->v", "buf[1]", "buf[u & 3]", "s0", "*slot[0]", "(int)k",
                                 "(int)bits.x", "both.b[0]", "*vp"])  # fmt: skip
        compared = self.pick.choice(["==", "!=", "<=", ">="])
        right = self.pick.choice(["0", "1", "5", "15", "t", "u", "x", "(int)n", "s->v"])
        self.claims += 1
        return f'    __CPROVER_assert({left} {compared} {right}, "claim {self.claims}");\n'


HARNESS = """\
#include <stdio.h>
#include "program.c"
void __CPROVER_assert(int condition, const char *text) { if (!condition) puts(text); }
static struct node ring[3];
static int one, two;
static void fresh(int i) {
    one = i; two = 5; s0 = s1 = 0; gp = vp = &s0;
    hook = i & 1 ? bump : clear; both.i = i; bits.x = i; bits.y = 0;
    for (int k = 0; k < 3; k++) {
        ring[k] = (struct node){i ^ k, &ring[(k + 1) % (1 + i % 3)], k ? &one : &two, {k, 1, i, 5}};
    }
}
int main(void) {
    int (*functions[])(struct node *, int *, int *, unsigned, int) = {api, other};
    int *places[] = {&one, &two, &ring[0].v, &ring[1].w[1]};
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < 6; i++)
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    for (unsigned n = 0; n < 6; n++) {
                        fresh(i);
                        functions[f](&ring[0], places[a], places[b], n, i * 3 - 4);
                    }
    return 0;
}
"""
