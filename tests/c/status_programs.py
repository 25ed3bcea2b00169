# ruff: noqa: E501 - lines of C stand as they are
"""Random C about results that tell what a call has done: numbers written on success only, memory freed on
failure, ways out of inner blocks, and conditions that assign."""

from __future__ import annotations

import random

_HEAD = """
void *malloc(unsigned long); void free(void *);
struct N { int v; int w; struct N *next; };
static struct N pool; static int arr[8]; static int total; static int *slot;
static _Bool half(int *x, int a) { if (a & 1) return 0; *x = a & 7; return 1; }
static void keep(int *x) { slot = x; }
static void later(int a) { if (slot) *slot = a; }
static struct N *made(struct N *m, int a) { if (a < 0) { free(m); return 0; } m->w = a; return m; }
static int lost(struct N *m, int a) { if (a > 4) { free(m); return -a; } return m->v & 1; }
static int deep(struct N *m, int *x, int a) { if (a <= 0) { *x = 1; return 1; } if (a > 6) { free(m); return 0; } total++; return deep(m, x, a - 2); }
static int here(struct N *m, int a); static int there(struct N *m, int a) { if (a > 7) return -1; return here(m, a + 1); }
static int here(struct N *m, int a) { if (a == 5) { free(m); return 0; } if (a > 3) return there(m, a + 1) + 2; return 1; }
static int loud(struct N *m, int *x, int a) { if (!made(m, a)) return 0; *x = 3; return 1; }
"""


class Writer:
    """A program with three entry points and four functions that tell how they fared."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)
        self.made: list[str] = []

    def number(self) -> str:
        return self.pick.choice(["a", "b", "a & 3", "(b & 7)", "k", "k & 7", "0", "1", "5", "a - 1"])

    def test(self) -> str:
        return self.pick.choice(["a > 3", "b < 0", "(a ^ b) & 1", "k > 2", "a == b", "b & 4", "k == 0"])

    def constant(self) -> str:
        return self.pick.choice(["0", "0", "1", "-1", "-2", "7"])

    def result(self) -> str:
        last = [f"{name}(x, y, {self.number()}, b)" for name in self.made]
        return self.pick.choice([self.constant(), self.constant(), "a & 3", "k", "a > b", *last])

    def step(self, depth: int) -> list[str]:
        kind = self.pick.random()
        if kind < 0.3:
            return [
                self.pick.choice(
                    [f"*x = {self.number()};", f"*y = {self.number()} & 7;", "k++;", "*x = 2; *y = 3;"]
                )
            ]
        if kind < 0.5:
            return [f"if ({self.test()}) return {self.result()};"]
        if kind < 0.6 and self.made:
            name = self.pick.choice(self.made)
            return [f"if ({name}(x, y, {self.number()}, a) {self.comparison()}) return {self.result()};"]
        if kind < 0.7:
            return [
                f"if (half({self.pick.choice(['x', 'y', '&k'])}, {self.number()})) {{ {self.pick.choice(['*y = 1;', 'return 1;', 'k = 4;'])} }}"
            ]
        if depth == 0:
            return ["k += 1;"]
        inner = [line for _ in range(2) for line in self.step(depth - 1)]
        if kind < 0.85:
            return [f"{{ int z = {self.number()}; if (z > 5) return {self.result()};", *inner, "k = z & 3; }"]
        leave = self.pick.choice(["break", "continue", f"return {self.result()}", "goto out"])
        return [f"for (int i = 0; i < 3; i++) {{ int z = i + a; if (z & 2) {leave};", *inner, "}"]

    def comparison(self) -> str:
        return self.pick.choice(["", "== 0", "!= 0", "< 0", "> 0", ">= 0", "== 1", "== -1", "<= 0", "& 1"])

    def function(self, name: str) -> str:
        kind = self.pick.choice(["int", "_Bool", "long", "signed char"])
        lines = [f"static {kind} {name}(int *x, int *y, int a, int b) {{ int k = 0;"]
        for _ in range(4):
            lines += self.step(2)
        self.made.append(name)
        return "\n".join(
            [*lines, "goto out; out:", f"return {self.result()}; }}".replace(f"{name}(", "half(x, a) + (")]
        )

    def use(self) -> str:
        return self.pick.choice(
            [
                "k += u & 7;",
                "k += v & 7;",
                "arr[u & 7] = v;",
                "arr[v] = 1;",
                "k = arr[u];",
                "k += s->v & 1;",
                "k += m->w & 3;",
            ]
        )

    def between(self) -> str:
        return self.pick.choice(
            ["", "", "", "u = 5;", "total++;", "s->w = 1;", "later(b);", "keep(&u);", "keep(&v);", "half(&v, a);", "slot = q;",
             "free(o);", "k = 1;", "r = k;", "{ int z = 3; k += z; }", "*q = 3;", "drop = r;", "m = s;"]
        )  # fmt: skip

    def call(self) -> str:
        name = self.pick.choice(self.made)
        places = self.pick.choice(
            ["&u, &v", "&v, &u", "&u, &u", "q, &v", "&t[1], &v", "&u, q", "&t[k & 1], &u"]
        )
        return self.pick.choice(
            [f"{name}({places}, {self.number()}, b)"] * 4
            + [
                f"lost({self.pick.choice('smo')}, a)",
                "half(&u, b)",
                f"loud({self.pick.choice('smo')}, &u, b)",
                f"deep({self.pick.choice('smo')}, &u, {self.number()})",
                f"here({self.pick.choice('smo')}, {self.number()})",
            ]
        )

    def statement(self, depth: int) -> list[str]:
        kind = self.pick.random()
        if kind < 0.25:
            return [f"if ({self.call()} {self.comparison()}) return k;", self.use()]
        if kind < 0.5:
            return [
                f"r = {self.call()};",
                self.between(),
                f"if (r {self.comparison()}) {{",
                self.use(),
                "} else {",
                self.use(),
                "}",
            ]
        if kind < 0.6:
            return [
                f"if ((r = {self.call()}) {self.comparison()}) {{",
                self.use(),
                "} else return k;",
                self.between(),
            ]
        if kind < 0.68:
            return [
                f"if ((m = made({self.pick.choice('smo')}, {self.number()})) {self.pick.choice(['', '== 0', '!= 0'])}) {{",
                self.use(),
                "}",
                self.between(),
                self.use(),
            ]
        if kind < 0.76:
            return [
                f"if ({self.call()} {self.comparison()} && {self.call()} {self.comparison()}) {{",
                self.use(),
                "}",
            ]
        if kind < 0.84:
            return [self.pick.choice([self.between(), self.use()])]
        if depth == 0:
            return [f"k = {self.number()};"]
        inner = [line for _ in range(2) for line in self.statement(depth - 1)]
        if kind < 0.92:
            self.loops = getattr(self, "loops", 0) + 1
            n = f"n{self.loops}"
            return [
                f"int {n} = 0; while ({n}++ < 4 && (r = {self.call()}) {self.comparison()}) {{",
                *inner,
                self.use(),
                "}",
            ]
        return [
            f"for (int i = 0; i < 3; i++) {{ int u = {self.number()}; if (u > 4) {self.pick.choice(['break', 'continue', 'return 2'])};",
            *inner,
            "}",
        ]

    def entry(self, name: str) -> str:
        lines = [
            f"int {name}(struct N *s, struct N *o, int *q, int a, int b) {{",
            "int u, v, k = 0, r = 0, drop = 0; int t[3]; struct N *m = s;",
        ]
        for _ in range(7):
            lines += self.statement(2)
        return "\n".join([*lines, "return k + r + drop + total; }"])

    def program(self) -> str:
        functions = [self.function(f"f{number}") for number in range(4)]
        return "\n".join([_HEAD, *functions, *(self.entry(f"e{number}") for number in range(3))])
