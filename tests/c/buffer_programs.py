# ruff: noqa: E501 - lines of C stand as they are
"""Random C about buffers, for runs with AddressSanitizer: loops over arrays and heap blocks, pairs of pointers,
lengths and capacities, wrappers that allocate, scans for an end, copies, and code outside that runs in between.

At most one access through a pointer stands on a line, so that the line of a report names the check. Half of the
bounds miss by one or two.
"""

from __future__ import annotations

import random

HEAD = """#include <stdlib.h>
#include <string.h>
struct B { char *at; int len; int cap; };
struct L { struct L *next; int v; };
extern void outside(void);
extern void *outside_block(unsigned long n);
extern struct L *outside_list(struct L *l);
struct H { void *(*get)(unsigned long); void (*put)(void *); };
static struct H hooks = {malloc, free};
static char *kept;
static int sink;
static void *made(unsigned long n) { return malloc(n); }
static void *zeroed(unsigned long n) {
  void *p = hooks.get(n);
  if (p)
    memset(p, 0, n);
  return p; }
static void drop(void *p) { hooks.put(p); }
void forget(void) { free(kept); kept = 0; }
static void set(char *p, int i) {
  p[i] = 1; }
static int get(const char *p, int n, int i) {
  if (i >= 0 && i < n)
    return p[i];
  return 0; }
static void fill(char *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = 2; }
static int upto(const char *p, const char *e) {
  int n = 0;
  while (p < e && n < 50) {
    sink += *p;
    p++; n++; }
  return n; }
static struct L *second(struct L *l) {
  if (!l) return 0;
  return l->next; }
static void push(struct B *b, int c) {
  if (b->len < b->cap)
    b->at[b->len++] = (char)c; }
"""


class Buffers:
    """A library with entry points `f0`, `f1`, … of one type."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)
        self.count = 0
        self.size = 0

    def off(self) -> int:
        return self.pick.choice([0, 0, 0, 0, 1, -1, 2])

    def fresh(self) -> str:
        self.count += 1
        return f"x{self.count}"

    def buffer(self) -> tuple[str, str]:
        """A pointer and what is said to be its length."""
        d = self.off()
        return self.pick.choice(
            [
                ("a", f"{self.size + d}"), ("h", f"m + {d}"), ("h", f"(int)sizeof a + {d}"), ("s", "n"), ("b.at", f"b.len + {d}"),
                ("b.at", "b.cap"), ("z", f"{16 + d}"), ("s", f"{64 + d}"), ("a", f"(n & {self.size - 1}) + {d}"),
            ]
        )  # fmt: skip

    def statement(self) -> list[str]:
        i, p, e = self.fresh(), self.fresh(), self.fresh()
        at, n = self.buffer()
        d = self.off()
        shapes = [
            [f"for (int {i} = 0; {i} < {n}; {i}++)", f"  {at}[{i}] = 1;"],
            [f"for (int {i} = {n} - 1; {i} >= {d}; {i}--)", f"  sink += {at}[{i}];"],
            [f"for (char *{p} = {at}, *{e} = {at} + {n}; {p} < {e}; {p}++)", f"  *{p} = 3;"],
            [f"for (char *{p} = {at}, *{e} = {at} + ({n}); {p} != {e} && {e} - {p} < 100; {p}++)", f"  *{p} = 3;"],
            [f"int {i} = 0; while ({i} < 20 && {i} < ({n}))", "{", f"  sink += {at}[{i}];", f"{i} += 2; }}"],
            [f"{{ int {i} = 0, {p} = 0; for (; {i} < {n}; {i}++)", "  if (i & 1 || n > 3)", f"    a[{p}++ & 31] = 1;", f"  if ({p} > 0)", f"  sink += {at}[{p} - 1]; }}"],
            [f"int {i} = 0, {p} = {n} - 1; while ({i} < {p})", "{", f"  {at}[{i}] = 0;", f"  {at}[{p}] = 1;", f"{i}++; {p}--; }}"],
            ["if (n >= 0 && n < 16 + 1)", f"  z[n + {d}] = 1;"],
            [f"if (n >= 0 && n < m + {d})", "  h[n] = 4;"],
            [f"set({at}, {self.pick.randint(0, 20)});"], [f"sink += get({at}, {n}, n);"], [f"fill({at}, {n});"],
            [f"sink += upto({at}, {at} + ({n}));"],
            ["if (n >= 0 && n < 40)", f"  memset({at}, 0, n);"], [f"memset({at}, 1, {n} & 63);"],
            [f"if (m + {d} <= {self.size})", f"  memcpy(a, h, m + {d});"],
            ["push(&b, n);"], ["b.cap = m;"], [f"b.len = {n};"], [f"b.at = {at};"], ["b.at = h; b.len = 0; b.cap = m;"],
            ["free(z); z = zeroed(16);"], ["drop(z); z = made(16);"], ["outside();"], ["kept = z; outside();"], ["z = outside_block(16); if (!z) return 0;"],
            ["sink += l->v;"], ["l = second(l); if (!l) return 0;"], ["l = outside_list(l);"], ["l->next = 0;"],
            ["struct L *" + p + " = zeroed(sizeof *" + p + ");", f"if ({p})", f"  {p}->next = l;", f"outside(); if ({p})", f"  sink += {p}->v;"],
            [f"{{ struct L *{p} = zeroed(sizeof *{p}); if ({p})", f"  l->next = {p};", "outside();", "if (l->next)", "  sink += l->next->v; }"],
            ["free(h); h = made(m);"], ["drop(z);"], ["z = h;"], ["kept = h;"], ["if (kept)", "  sink += *kept;"],
            [f"{{ char *{p} = made(m + 1), *{e} = {p} + m; char *{i} = {p}; while ({i} < {e} + {d})", f"  *{i}++ = 5;", f"  *{i} = 0;", f"while (*{p} && {p} < {e})", f"  {p}++; }}"],
        ]  # fmt: skip
        return self.pick.choice(shapes)

    def function(self, name: str) -> str:
        self.size = self.pick.choice([4, 8, 16, 32])
        lines = [
            f"int {name}(char *s, struct L *l, int n, unsigned k) {{",
            f"char a[{self.size}] = {{1}}; int i = n & 7; int m = {self.pick.choice(['(int)(k & 31) + 1', '(int)(k % 20) + 1', '12'])};",
            "char *h = made(m), *z = zeroed(16); struct B b = {s, 0, 9};",
            "if (!h || !z) return 0;",
            "h[0] = 0;",
        ]
        for _ in range(self.pick.randint(3, 7)):
            block = self.statement()
            guard = self.pick.choice(["", "", "", "if (n > 2) ", "if (k & 1) ", "for (int {i} = 0; {i} < 3; {i}++) "])
            wrap = guard and not block[0].startswith(("int ", "struct "))
            lines += [guard.format(i=self.fresh()) + "{" if wrap else "{", *block, "}"]
        return "\n".join([*lines, "return sink; }"])

    def program(self) -> str:
        return "\n".join([HEAD, *(self.function(f"f{number}") for number in range(3))])


DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
struct L { struct L *next; int v; };
extern void forget(void);
static unsigned state;
static unsigned any(void) { state = state * 1103515245u + 12345u; return state >> 8; }
static struct L many[64];
static char *large(void) { /* large enough, whatever is asked of it */
  char *p = mmap(0, 1ul << 33, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) exit(77);
  for (int i = 0; i < 200; i++) p[i] = (char)(any() % 3);
  return p; }
void outside(void) { if (any() % 2) forget(); }
void *outside_block(unsigned long n) { return any() % 3 ? malloc(n + any() % 9) : large(); }
struct L *outside_list(struct L *l) { l = any() % 2 ? l : &many[any() % 64]; l->next = &many[any() % 64]; return l; }
typedef int F(char *, struct L *, int, unsigned);
extern F f0, f1, f2;
int main(int argc, char **argv) {
  F *const all[] = {f0, f1, f2};
  static const int numbers[] = {-1, 0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 63, 64, 1000, 2147483647, -2147483647 - 1};
  state = (unsigned)atoi(argv[1]);
  for (int i = 0; i < 64; i++) many[i].next = &many[any() % 64];
  for (int i = 0; i < 8; i++) any();
  int n = numbers[any() % 16]; unsigned k = any();
  return all[argc > 2 ? atoi(argv[2]) : 0](large(), &many[any() % 64], n, k) == 1234567; }
"""
