# ruff: noqa: E501 - lines of C stand as they are
"""Random C about pointers: null or not, into arrays, to the heap, freed, returned, handed to recursion, and
loops that carry them and count."""

from __future__ import annotations

import random

_HEAD = """
void *malloc(unsigned long); void free(void *);
struct N { int v; int w; struct N *next; };
static struct N pool; static int arr[8]; static int total;
static int *pick(int *p, int n) { if (n > 3) return 0; return n > 0 ? p + 1 : p; }
static int *other(int *p, int n) { return n == 7 ? arr + 2 : p; }
static int *last(int *p, int n) { while (n > 1 && n < 9) { p++; n--; } return p; }
static struct N *fresh(int n) { struct N *m = malloc(sizeof(struct N)); m->v = n; m->next = 0; return m; }
static struct N *maybe(struct N *m, int n) { if (n & 1) return m; return n & 2 ? fresh(n) : 0; }
static void drop(struct N *m) { total++; free(m); }
static void link(struct N *a, struct N *b) { if (a) a->next = b; }
static int **slot;
static void keep(int **pp) { slot = pp; }
static void later(int n) { if (slot) *slot = arr + (n & 3); }
static void step(int **pp, int n) { while (n-- > 0 && n < 4) (*pp)++; if (n == 9) *pp = 0; }
static int next(int **pp, int n) { int v = **pp & 7; if (n > 2) *pp += 1; else if (n == 1) step(pp, 2); return v; }
static void second(int *a, int n) { if (n) a[1] = n; }
static void swap(struct N *x, struct N **y) { struct N *z = *y; if (z) z->w = x->v; x->next = z; }
static int walk(struct N *s, int d) { if (d <= 0 || !s) return 0; total += s->v & 7; return walk(s->next, d - 1); }
static int deep(int *p, struct N *s, int d) { if (d > 2) return *p; return deep(p, s, d + 1) + (s ? s->v & 3 : 0); }
"""


class Writer:
    """A program with three entry points."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)
        self.loops = 0

    def number(self) -> str:
        return self.pick.choice(["a", "b", "k", "0", "1", "2", "3", "a & 3", "(b & 7)", "k & 15"])

    def place(self) -> str:
        """A pointer to int."""
        return self.pick.choice(
            [
                "p", "p", "q", "r", "la", "la + 2", "arr", "arr + 1", "&k", "0", f"pick(p, {self.number()})",
                f"pick(la, {self.number()})", f"other(p, {self.number()})", f"last(la, {self.number()})",
                "(a ? p : 0)", "(b > 2 ? q : p)", "p + 1", f"(a ? pick : other)(p, {self.number()})",
            ]
        )  # fmt: skip

    def node(self) -> str:
        """A pointer to a node."""
        return self.pick.choice(
            [
                "m", "m", "s", "o", "&pool", "&t", "0", f"fresh({self.number()})", f"maybe(m, {self.number()})",
                "(m ? m->next : 0)", "s->next", "malloc(16)", "malloc(8)", "(a ? m : s)",
            ]
        )  # fmt: skip

    def access(self) -> str:
        return self.pick.choice(
            [
                "k += *p & 15;", "k = p[1] & 7;", "*p = 3;", "p[2] = 1;", "k += m->v & 3;", "m->w = 2;",
                "m = m->next;", "m->next = s;", "m->next = 0;", "k += m->next->v & 1;", "*q = 4;", "k = *r & 7;",
                "q[k & 15] = 2;", "la[k] = 1;", "k += la[k & 3] & 3;",
            ]
        )  # fmt: skip

    def statement(self, depth: int) -> list[str]:
        kind = self.pick.random()
        if kind < 0.22:
            return [self.pick.choice([f"p = {self.place()};", f"r = {self.place()};", f"m = {self.node()};"])]
        if kind < 0.4:
            return [self.access()]
        if kind < 0.55:
            calls = [
                f"link({self.node()}, {self.node()});", f"k += walk({self.node()}, {self.number()}) & 3;",
                "step(&p, a);", "step(&r, b & 3);", "k += next(&p, a);", "k += next(&r, k);", "second(la, k);",
                "keep(&r);", "later(a);", "keep(&r); r = q; later(a); if (a > 1) k++;", "swap(&t, &m);", "second(&k, a);", "step(a ? &p : &r, b);",
                "free(m);", "drop(m);", f"k += deep({self.place()}, {self.node()}, a & 1) & 3;", "free(s);",
            ]  # fmt: skip
            return [self.pick.choice(calls)]
        if kind < 0.59:
            return [f"if ({self.pick.choice(['a > 5', 'b < 0', 'k > 9', '!p', '!m'])}) return k;"]
        if depth == 0:
            return [f"k {self.pick.choice(['+=', '=', '-='])} {self.number()};"]
        inner = self.block(depth - 1)
        if kind < 0.75:
            tests = ["p", "m", "!p", "!m", "p && m", "m && m->next", "a > 2", "k < 6", "k >= 0 && k < 8", "r"]
            return [f"if ({self.pick.choice(tests)}) {{", *inner, "} else {", *self.block(0), "}"]
        self.loops += 1
        i = f"i{self.loops}"
        heads = [
            f"for (int {i} = 0; {i} < 5; {i}++) {{ k += 2;", f"for (int {i} = a; {i} < b && {i} < 6; {i}++) {{",
            f"int {i} = 0; while (p && {i}++ < 6) {{ p = p + (a & 1);",
            f"for (p = la; p < la + {self.pick.choice('56')}; p++) {{ *p = 1;", f"for (int {i} = 9; {i} > 0; {i} -= 2) {{",
            f"int {i} = 0; for (m = s; m && {i} < 4; m = m->next, {i}++) {{ total += m->v & 1;",
            f"unsigned {i} = 0; while ({i} < (unsigned)b && {i} < 9) {{ k += {i} & 1 ? 3 : 1; {i}++;",
        ]  # fmt: skip
        return ["{", self.pick.choice(heads), *inner, "} }"]

    def block(self, depth: int) -> list[str]:
        return [line for _ in range(self.pick.randint(1, 3)) for line in self.statement(depth)]

    def function(self, name: str) -> str:
        lines = [
            f"int {name}(struct N *s, struct N *o, int *q, int a, int b) {{",
            "int la[6] = {1, 2}; int k = 0; int *p = la, *r = q; struct N t = {5, 6, 0}; struct N *m = s;",
        ]
        for _ in range(9):
            lines += self.statement(2)
        return "\n".join([*lines, "return k + total + t.v; }"])

    def program(self) -> str:
        return "\n".join([_HEAD, *(self.function(f"e{number}") for number in range(3))])
