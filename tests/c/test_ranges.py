# ruff: noqa: E501 - a twin stands on one line
"""What preprocessing must decide, and what it must leave alone: twins that differ in one thing."""

from __future__ import annotations

from pathlib import Path

import pytest

from vouch.c import checks, ranges
from vouch.c.checks.base import Category
from vouch.c.entries import Entries, entries
from vouch.c.frontend import FrontOptions, load
from vouch.c.options import DEFAULT_CATEGORIES
from vouch.verdict import Verdict

HEADER = (
    "#include <stdint.h>\n#include <stdlib.h>\n#include <setjmp.h>\n#include <assert.h>\n"
    "struct D { int n; uint8_t i; int v[8]; struct D *next; };\nint ext(void); void sink(int *);\n"
)


def analysed(folder: Path, code: str) -> tuple[list[checks.Check], ranges.Analysis]:
    source = folder / "case.c"
    source.write_text(HEADER + code)
    program = load([source], FrontOptions(models=False)).program
    found = checks.find(program, DEFAULT_CATEGORIES | {checks.Category.CAST})
    return found, ranges.analyse(program, found, entries(program))


def verdicts(folder: Path, code: str, category: str) -> list[bool]:
    """Whether each check of a category in the function f (or in all, if there is none) is decided."""
    found, analysis = analysed(folder, code)
    return [
        c.id in analysis.decisions
        for c in found
        if c.category == category and c.function in ("f", "main") and c.location.line > HEADER.count("\n")
    ]


# Category, code whose last check of that category in `f` must be decided, twin in which it must not be.
TWINS = [
    # constants and bit-widths
    ("narrowing", "short f(signed char a, signed char b) { return a + b; }", "signed char f(signed char a, signed char b) { return a + b; }"),
    ("signed-overflow", "int f(short a, short b) { return a * b; }", "int f(int a, short b) { return a * b; }"),
    ("cast", "uint8_t f(int x) { return (uint8_t)(x & 0xFF); }", "uint8_t f(int x) { return (uint8_t)(x & 0x1FF); }"),
    ("cast", "uint8_t f(uint32_t x) { return (uint8_t)(x >> 24); }", "uint8_t f(uint32_t x) { return (uint8_t)(x >> 23); }"),
    ("cast", "int8_t f(uint8_t a, uint8_t b) { return (int8_t)((a - b) & 127); }", "int8_t f(uint8_t a, uint8_t b) { return (int8_t)((unsigned)a - b); }"),
    ("bounds", "int t[256]; int f(uint8_t i) { return t[i]; }", "int t[255]; int f(uint8_t i) { return t[i]; }"),
    ("shift", "unsigned f(unsigned x) { return x << 31; }", "unsigned f(unsigned x, unsigned n) { return x << n; }"),
    ("division-by-zero", "int f(int x) { return x / 3; }", "int f(int x, int y) { return x / y; }"),
    # branches
    ("division-by-zero", "int f(int x, int n) { return n > 0 ? x / n : 0; }", "int f(int x, int n) { return n >= 0 ? x / n : 0; }"),
    ("division-by-zero", "int f(int x, int n) { if (!n) return 0; return x / n; }", "int f(int x, int n) { if (!x) return 0; return x / n; }"),
    ("bounds", "int t[8]; int f(int i) { if (i < 0 || i >= 8) return 0; return t[i]; }", "int t[8]; int f(int i) { if (i < 0 || i > 8) return 0; return t[i]; }"),
    ("bounds", "int t[8]; int f(unsigned i) { if (i < 9u && i + 1u < 9u) return t[i]; return 0; }", "int t[8]; int f(unsigned i) { if (i + 1u < 9u) return t[i]; return 0; }"),
    ("bounds", "int t[3]; int f(int m) { switch (m) { case 0: case 1: case 2: return t[m]; } return 0; }", "int t[2]; int f(int m) { switch (m) { case 0: case 1: case 2: return t[m]; } return 0; }"),
    ("signed-overflow", "int f(int x) { if (x == INT32_MAX) return 0; return x + 1; }", "int f(int x) { if (x == INT32_MAX - 1) return 0; return x + 1; }"),
    ("signed-overflow", "int f(int x, int y) { if (y == -1) return 0; return x / y; }", "int f(int x, int y) { if (y == 1) return 0; return x / y; }"),
    # what is stored holds what a branch tells of the register
    ("bounds", "int t[16]; static uint8_t nib(char c) { return c < 9 ? 3 : 16; } int f(char c) { uint8_t x; if ((x = nib(c)) > 15) return 0; return t[x]; }", "int t[16]; static uint8_t nib(char c) { return c < 9 ? 3 : 16; } int f(char c) { uint8_t x; if ((x = nib(c)) > 16) return 0; return t[x]; }"),
    ("bounds", "int t[8]; int f(int n) { int x = 5, y = 0; while (n--) { int r = ext(); x = r; if (r >= 0 && r < 8) y = t[x]; } return y; }", "int t[8]; int f(int n) { int x = 5, y = 0; while (n--) { int r = ext(); if (r >= 0 && r < 8) y = t[x]; x = r; } return y; }"),
    # ways out of blocks
    ("uninitialised", "int f(int n) { int x; { int k = n + 1; if (k > 5) return 0; x = k; } return x; }", "int f(int n) { int x; { int k = n + 1; if (k > 5) goto on; x = k; } on: return x; }"),
    ("uninitialised", "int f(int n) { int x; for (int i = 0; ; i++) { int k = ext(); if (k == 2) { x = i; break; } if (k == 3) return 0; } return x; }", "int f(int n) { int x; for (int i = 0; ; i++) { int k = ext(); if (k == 2) { x = i; break; } if (k == 3) break; } return x; }"),
    # results that tell what was done
    ("uninitialised", "static int rd(int a, int *x) { if (a < 0) return -1; *x = a; return 0; } int f(int a) { int x; if (rd(a, &x) < 0) return 0; return x; }", "static int rd(int a, int *x) { if (a < 0) return -1; *x = a; return 0; } int f(int a) { int x; if (rd(a, &x) > 0) return 0; return x; }"),
    ("uninitialised", "static _Bool rd(int a, int *x) { if (a < 0) return 0; *x = a; return 1; } static _Bool on(int a, int *x) { if (a < 5) return 0; return rd(a, x); } int f(int a) { int x; _Bool ok = on(a, &x); if (!ok) return 0; return x; }", "static _Bool rd(int a, int *x) { if (a < 0) return 0; *x = a; return 1; } static _Bool on(int a, int *x) { if (a < 5) return 1; return rd(a, x); } int f(int a) { int x; _Bool ok = on(a, &x); if (!ok) return 0; return x; }"),
    ("bounds", "int t[8]; static int rd(int a, int *x) { if (a < 0 || a > 7) return 0; *x = a; return 1; } int f(int a) { int x = 99; if (!rd(a, &x)) return 0; return t[x]; }", "int t[8]; static int rd(int a, int *x) { if (a < 0 || a > 7) return 0; *x = a; return 1; } int f(int a) { int x = 99; if (rd(a, &x)) return 0; return t[x]; }"),
    ("bounds", "int t[8]; static int rd(int a, int *x) { if (a < 0 || a > 7) return 0; *x = a; return 1; } int f(int a) { int x = 99; int ok = rd(a, &x); a = 8; if (!ok) return 0; return t[x]; }", "int t[8]; static int rd(int a, int *x) { if (a < 0 || a > 7) return 0; *x = a; return 1; } int f(int a) { int x = 99; int ok = rd(a, &x); x = 8; if (!ok) return 0; return t[x]; }"),
    ("pointer", "static int *mk(int *p, int a) { if (a < 0) { free(p); return 0; } return p; } int f(int *p, int *q, int a) { if (!mk(p, a)) return 0; return *q; }", "static int *mk(int *p, int a) { if (a < 0) { free(p); return 0; } return p; } int f(int *p, int *q, int a) { if (mk(p, a)) return 0; return *q; }"),
    ("pointer", "static int *mk(int *p, int a) { if (a < 0) { free(p); return 0; } return p; } int f(int *p, int *q, int a) { int *r = mk(p, a); if (!r) return 0; return *q; }", "static int *mk(int *p, int a) { if (a < 0) { free(p); return 0; } return p; } int f(int *p, int *q, int a) { int *r = mk(p, a); free(q); if (!r) return 0; return *q; }"),
    ("pointer", "static int rc(int *p, int a) { if (a > 9) { free(p); return 0; } if (a < 0) return 1; return rc(p, a - 3); } int f(int *p, int *q, int a) { if (!rc(p, a)) return 0; return *q; }", "static int rc(int *p, int a) { if (a > 9) { free(p); return 0; } if (a < 0) return 1; return !rc(p, a - 3); } int f(int *p, int *q, int a) { if (!rc(p, a)) return 0; return *q; }"),
    # counted sums
    ("signed-overflow", "int f(uint8_t n, const uint8_t *d) { int x = 0; for (int i = 0; i < n; i++) { if (d[i]) x += 100; x++; } return x + 1; }", "int f(unsigned n, const uint8_t *d) { int x = 0; for (unsigned i = 0; i < n; i++) { if (d[i]) x += 100; x++; } return x + 1; }"),
    ("bounds", "int t[1021]; int f(uint8_t n, const uint8_t *d) { int x = 0; for (int i = 0; i < n; i++) { if (d[i]) x += 3; x++; } return t[x]; }", "int t[1020]; int f(uint8_t n, const uint8_t *d) { int x = 0; for (int i = 0; i < n; i++) { if (d[i]) x += 3; x++; } return t[x]; }"),
    ("bounds", "int t[520]; int f(uint8_t n) { unsigned x = 515; for (uint8_t i = n; i > 0; i--) x -= 2; return t[x]; }", "int t[520]; int f(uint8_t n) { unsigned x = 505; for (uint8_t i = n; i > 0; i--) x -= 2; return t[x]; }"),
    ("signed-overflow", "int f(uint8_t n) { int x = 0, i = 0; while (i < n) { i++; if (i == 7) continue; x += 9; } return x + 1; }", "int f(uint8_t n) { int x = 0, i = 0; while (i < n) { x += 9; if (ext()) continue; i++; } return x + 1; }"),
    # cursors in structs from outside
    ("pointer", "struct C { const uint8_t *p; int n; }; static int nx(struct C *c) { c->n--; return *c->p++; } int f(struct C *c) { nx(c); nx(c); const uint8_t *p = c->p; return *p; }", "struct C { const uint8_t *p; int n; }; static int nx(struct C *c) { c->n--; return *c->p--; } int f(struct C *c) { nx(c); nx(c); const uint8_t *p = c->p; return *p; }"),
    # loops
    ("bounds", "int t[8]; void f(void) { for (int i = 0; i < 8; i++) t[i] = i; }", "int t[8]; void f(void) { for (int i = 0; i <= 8; i++) t[i] = i; }"),
    ("bounds", "int t[8]; void f(void) { for (int i = 7; i >= 0; i--) t[i] = i; }", "int t[8]; void f(void) { for (int i = 8; i >= 0; i--) t[i] = i; }"),
    ("bounds", "int t[8]; void f(unsigned n) { for (unsigned i = 0; i < n && i < 8; i += 3) t[i] = 1; }", "int t[8]; void f(unsigned n) { for (unsigned i = 0; i < n; i += 3) t[i] = 1; }"),
    ("bounds", "int t[8]; void f(int n) { int i = 0; while (1) { t[i] = n; i = (i + 1) % 8; if (ext()) break; } }", "int t[8]; void f(int n) { int i = 0; while (1) { t[i] = n; i = i + 1; if (ext()) break; } }"),
    ("pointer", "void f(void) { int a[4]; for (int *p = a; p < a + 4; p++) *p = 0; }", "void f(void) { int a[4]; for (int *p = a; p <= a + 4; p++) *p = 0; }"),
    ("pointer", "void f(void) { int a[4]; for (int *p = a; p != a + 4; ++p) *p = 0; }", "void f(int n) { int a[4]; for (int *p = a; p != a + n; ++p) *p = 0; }"),
    ("bounds", "int t[60]; void f(void) { int n = 0; while (ext()) { if (n < 59) { n++; if (n != 20 && n != 31 && n != 42) t[n] = n; } t[n] = 1; } }", "int t[59]; void f(void) { int n = 0; while (ext()) { if (n < 59) { n++; if (n != 20 && n != 31 && n != 42) n = n; } t[n] = 1; } }"),
    # memory
    ("bounds", "int t[8]; int f(struct D *d) { if (d->i < 8) return t[d->i]; return 0; }", "int t[8]; int f(struct D *d, uint8_t *p) { if (d->i < 8) { *p = 200; return t[d->i]; } return 0; }"),
    ("bounds", "int t[8]; static unsigned g; int f(void) { if (g < 8) return t[g]; return 0; }", "int t[8]; static volatile unsigned g; int f(void) { if (g < 8) return t[g]; return 0; }"),
    ("bounds", "int t[8]; static unsigned g; int f(void) { if (g < 8) { ext(); return t[g]; } return 0; }", "int t[8]; unsigned g; int f(void) { if (g < 8) { ext(); return t[g]; } return 0; }"),
    ("bounds", "int t[8]; int f(int i) { int j = i & 7; int *p = &i; *p = 9; return t[j]; }", "int t[8]; int f(int i) { int j = i & 7; int *p = &j; *p = 9; return t[j]; }"),
    ("bounds", "int t[8]; int f(int i) { int j = i & 7; sink(&i); return t[j]; }", "int t[8]; int f(int i) { int j = i & 7; sink(&j); return t[j]; }"),
    ("bounds", "int t[8]; static const uint8_t m[4] = {0, 3, 5, 7}; int f(unsigned i) { int k = m[i & 3]; return t[k]; }", "int t[7]; static const uint8_t m[4] = {0, 3, 5, 7}; int f(unsigned i) { int k = m[i & 3]; return t[k]; }"),
    ("bounds", "int t[8]; int f(int i) { struct D d = {0}; return t[d.n]; }", "int t[8]; int f(int i) { struct D d = {0}; d.n = i; return t[d.n]; }"),
    ("pointer", "int f(struct D *d) { return d->n; }", "int f(struct D *d) { free(d); return d->n; }"),
    ("pointer", "int g; int f(int c) { int *p = &g; return *p; }", "int g; int f(int c) { int *p = &g; if (c) p = 0; return *p; }"),
    ("pointer", "int f(struct D *d) { return d->next->n; }", "int f(struct D *d, struct D *e) { e->next = 0; return d->next->n; }"),
    ("pointer", "int f(struct D *d) { d->n = 0; ext(); return d->next->next->n; }", "int f(struct D *d, struct D *e) { *e = (struct D){0}; return d->next->n; }"),
    ("pointer", "static void k(struct D *d) { d->n++; } int f(struct D *d) { k(d); return d->next->n; }", "static void k(struct D *d) { d->next = 0; } int f(struct D *d) { k(d); return d->next->n; }"),
    ("pointer", "int f(struct D *d, struct D *e) { e->next = d; return d->next->n; }", "int f(struct D *d, struct D *e) { struct D x; e->next = &x + 5; return d->next->n; }"),
    ("pointer", "struct D *g; int f(void) { return g->n; }", "struct D *g; int f(void) { g = 0; ext(); g = 0; return g->n; }"),
    ("pointer", "int g; int f(int c) { int *p = 0; if (c) p = &g; if (!p) return 0; return *p; }", "int g; int f(int c) { int *p = 0; if (c) p = &g; if (p) return 0; return *p; }"),
    ("pointer", "int f(int c) { int t[4] = {0}; int *p = 0; for (int i = 0; i < 4; i++) if (c) p = t + i; return p ? *p : 0; }", "int f(int c) { int t[4] = {0}; int *p = 0; for (int i = 0; i < 4; i++) if (c) p = t + i; return p + 1 ? *(p + 1) : 0; }"),
    ("pointer", "static void k(struct D *e) { free(e); } int f(struct D *d, struct D *e) { int n = d->n; k(e); return n; }", "static void k(struct D *e) { free(e); } int f(struct D *d, struct D *e) { k(e); return d->n; }"),
    ("pointer", "int f(void) { int *p = malloc(8); p[1] = 2; return 0; }", "int f(void) { int *p = malloc(8); p[2] = 2; return 0; }"),
    ("pointer", "int f(unsigned n) { if (n < 5) n = 5; int *p = malloc(4ul * n); p[4] = 2; return 0; }", "int f(unsigned n) { int *p = malloc(4ul * n); p[4] = 2; return 0; }"),
    ("pointer", "static void k(void *p) { free(p); } void f(int n) { int *p = malloc(4); *p = 1; k(p); }", "static void k(void *p) { free(p); } void f(int n) { int *p = malloc(4); k(p); *p = 1; }"),
    ("pointer", "void f(int n) { int *p = 0, *q; for (int i = 0; i < n; i++) { q = malloc(4); *q = 1; } }", "void f(int n) { int *p = 0, *q = malloc(4); for (int i = 0; i < n; i++) { free(p); p = q; q = malloc(4); *p = 1; } }"),
    ("pointer", "int f(char *s, unsigned char n) { char *p = s; while (*p) { while (*p == n) p++; p++; if (*p == 1) p = s; } return *p; }", "int f(char *s, unsigned char n) { char *p = s; while (*p) { while (*p == n) p--; p++; if (*p == 1) p = s; } return *p; }"),
    # calls
    ("pointer", "static int *k(int *p, int n) { return n ? p + 1 : 0; } int f(int n) { int t[2] = {1, 2}; int *p = k(t, n); return p ? *p : 0; }", "static int *k(int *p, int n) { return n ? p + 2 : 0; } int f(int n) { int t[2] = {1, 2}; int *p = k(t, n); return p ? *p : 0; }"),
    ("pointer", "static void k(char **p) { while (**p == 32) (*p)++; } int f(char *s, char *o) { char *p = s; k(&p); *o = 1; return *p; }", "static void k(char **p) { while (**p == 32) (*p)--; } int f(char *s, char *o) { char *p = s; k(&p); *o = 1; return *p; }"),
    ("pointer", "static void k(char **p) { ++*p; } int f(char *s, char **o) { char *p = s; k(&p); *o = 0; return *p; }", "static char **g; static void k(char **p) { g = p; } int f(char *s, char **o) { char *p = s; k(&p); *g = 0; return *p; }"),
    ("bounds", "int t[8]; static void k(int *a) { a[1] = 99; } int f(int *o) { int a[2] = {1, 2}; k(a); *o = 9; int i = a[0]; return t[i]; }", "int t[8]; static void k(int *a) { a[0] = 99; } int f(int *o) { int a[2] = {1, 2}; k(a); *o = 9; int i = a[0]; return t[i]; }"),
    ("bounds", "int t[8]; static void k(int *a) { *a = 3; } int f(int *o) { int a = 1; k(&a); return t[1]; }", "int t[8]; static int *k(int *a) { return a; } int f(int *o) { int a = 1; int *b = k(&a); *(o ? b : o) = 9; return t[a]; }"),
    ("pointer", "static int *k(int n) { int *p = malloc(12); return p; } int f(int n) { int *p = k(n); return p[2] = 1; }", "static int *k(int n) { int *p = malloc(8); return p; } int f(int n) { int *p = k(n); return p[2] = 1; }"),
    ("pointer", "void sink2(int *); void (*h)(int *) = sink2; int f(struct D *d) { h(&d->n); return d->n; }", "void (*h)(void *) = free; int f(struct D *d) { h(d); return d->n; }"),
    ("bounds", "int t[8]; static int k(int i) { return i & 7; } int f(int i) { return t[k(i)]; }", "int t[8]; static int k(int i) { return i & 15; } int f(int i) { return t[k(i)]; }"),
    ("division-by-zero", "int ext(void); int f(int x) { int d = 3; ext(); return x / d; }", "int f(int x) { int d = ext(); return x / d; }"),
    ("signed-overflow", "static int k(int n) { return n < 1 ? 0 : k(n - 1); } int f(int x) { return (x & 7) + 1; }", "static int k(int n) { return n < 1 ? 0 : k(n - 1) + 1; } int f(int x) { return k(x) + 1; }"),
    ("bounds", "jmp_buf b; int t[8]; int f(int i) { i = i & 7; return t[i & 7]; }", "jmp_buf b; int t[8]; int f(int i) { volatile int k = 0; int j = 1; if (setjmp(b)) j = 9; k = j; return t[j]; }"),
    ("bounds", "int t[8]; int f(void) { int j = 1; __asm__ volatile(\"\" ::: \"memory\"); return t[j & 7]; }", "int t[8]; int f(void) { int j = 1; __asm__ volatile(\"\" : \"=m\"(j)); return t[j]; }"),
    ("pointer", "int f(int *a, int *b, int c) { int *p = c ? a : b; return *p; }", "int f(int *a, int c) { int *p = c ? a : (int *)0; return *p; }"),
    ("pointer", "int g; int f(int *a, int c) { int *p = c ? a : &g; return *p; }", "int g; int f(int *a, int c) { int *p = c ? a : &g; return p[1]; }"),
    ("bounds", "int f(const int *s) { int t[10]; int j = 0; for (int i = 0; i < 10; i++) if (s[i]) t[j++] = i; return j; }", "int f(const int *s) { int t[10]; int j = 0; for (int i = 0; i < 11; i++) if (s[i]) t[j++] = i; return j; }"),
    # code outside that may call again
    ("pointer", "struct D *g; void out(void) { free(g); } int f(struct D *d) { ext(); return d->next->n; }", "static struct D *g; void put(struct D *d) { g = d; } void out(void) { free(g); g = 0; } int f(void) { ext(); return g->n; }"),
    ("pointer", "static int *g; void out(void) { free(g); } static int *k(void) { return malloc(4); } int f(void) { int *p = k(); *p = 1; g = p; return 0; }", "static int *g; void out(void) { free(g); } static int *k(void) { return malloc(4); } int f(void) { int *p = k(); g = p; ext(); *p = 1; return 0; }"),
    ("pointer", "void *(*get)(unsigned long) = malloc; void f(int n) { ext(); int *p = get(8); if (p) p[1] = n; }", "void *(*get)(unsigned long) = malloc; void f(int n) { ext(); int *p = get(4); if (p) p[1] = n; }"),
    ("pointer", "static int *k(void) { int *p = malloc(4); return p; } int f(void) { int *p = k(); return *p = 1; }", "static int *k(void) { int *p = malloc(4); free(p); return p; } int f(void) { int *p = k(); return *p = 1; }"),
    ("pointer", "static struct D *k(struct D *d) { return d->next; } int f(struct D *d) { struct D *e = k(d); return e->n; }", "static struct D *k(struct D *d) { return d->next; } int f(struct D *d) { struct D x = {0}; struct D *e = k(&x); return e->n; }"),
    ("pointer", "static struct D *k(struct D *d) { return d->next; } int f(struct D *d) { struct D *e = k(d); return e->n; }", "static struct D *k(struct D *d) { return d->next; } int f(struct D *d) { d->next = 0; struct D *e = k(d); return e->n; }"),
    ("pointer", "static struct D *k(struct D *d) { return d->next; } int f(struct D *d) { struct D *e = k(d); return e->n; }", "static struct D *k(struct D *d) { struct D *e = d->next; free(e); return e; } int f(struct D *d) { struct D *e = k(d); return e->n; }"),
    ("uninitialised", "static int *k(void) { int *p = malloc(8); if (p) p[1] = 0; return p; } int f(void) { int *p = k(); if (!p) return 0;\n return p[1]; }", "static int *k(void) { int *p = malloc(8); if (p) p[0] = 0; return p; } int f(void) { int *p = k(); if (!p) return 0;\n return p[1]; }"),
    ("uninitialised", "void f1(char *a) { char *p = malloc(8); p[0] = 1; memcpy(a, p, 8); } int f(char *a, char *b) { int v = *b;\n return v + *a; }", "int f(char *a, char *b) { char *p = malloc(8); p[0] = 1; memcpy(a, p, 8);\n return *b; }"),
    ("uninitialised", "void *m(void) { return malloc(8); } static void k(char *a, const char *p) { memcpy(a, p, 8); } int f(char *a, char *b) { k(a, b);\n return *b; }", "static void k(char *a, const char *p) { memcpy(a, p, 8); } int f(char *a, char *b) { char *p = malloc(8); p[0] = 1; k(a, p);\n return *b; }"),
    # uninitialised
    ("uninitialised", "int f(int m) { int v;\n if (m) v = 1; else v = 2;\n return v; }", "int f(int m) { int v;\n if (m) v = 1;\n return v; }"),
    ("uninitialised", "int f(int m) { int v;\n do { v = m; m--; } while (m > 0);\n return v; }", "int f(int m) { int v;\n while (m > 0) { v = m; m--; }\n return v; }"),
    ("uninitialised", "static void g(int *p, int n) { if (n) *p = 1; else *p = 2; } int f(int n) { int v;\n g(&v, n);\n return v; }", "static void g(int *p, int n) { if (n) *p = 1; } int f(int n) { int v;\n g(&v, n);\n return v; }"),
    ("uninitialised", "static int *same(int *p) { return p; } int f(int n) { int v;\n v = n; int *q = same(&v); ext();\n return *q; }", "static int *same(int *p) { return p; } int f(int n) { int v;\n if (n) v = n;\n int *q = same(&v); ext();\n return *q; }"),
    ("uninitialised", "int f(void) { struct D a, b;\n sink(&a.n); a.n = 1; b = a;\n return b.n; }", "int f(void) { struct D a, b;\n a.n = 1; b.i = 1; sink(&b.n); b = a;\n return b.i; }"),
    ("uninitialised", "int f(void) { int *p = calloc(4, sizeof *p);\n return p[2]; }", "int f(void) { int *p = malloc(4 * sizeof *p); p[1] = 0;\n return p[2]; }"),
    ("uninitialised", "int f(int n) { int s = 0; while (n-- > 0) { int x;\n x = n; sink(&x); s ^= x; }\n return s; }", "int f(int n) { int s = 0; while (n-- > 0) { int x;\n if (n & 1) x = n;\n sink(&x); s ^= x; }\n return s; }"),
    # assertions
    ("assertion", "void f(int x) { if (x > 3) assert(x > 2); }", "void f(int x) { if (x > 1) assert(x > 2); }"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(TWINS)))
def test_twins(tmp_path: Path, number: int) -> None:
    category, good, bad = TWINS[number]
    decided = verdicts(tmp_path, good, category)
    assert decided, good
    assert decided[-1], good
    decided = verdicts(tmp_path, bad, category)
    assert decided, bad
    assert not decided[-1], bad


def test_arguments_of_static_functions(tmp_path: Path) -> None:
    code = "int t[8]; static int k(int i) { return t[i]; } int f(int i) { return k(i & 7) + k(3); }"
    found, analysis = analysed(tmp_path, code)
    assert all(c.id in analysis.decisions for c in found if c.category == "bounds")
    worse = code.replace("k(3)", "k(8)")
    found, analysis = analysed(tmp_path, worse)
    assert not any(c.id in analysis.decisions for c in found if c.category == "bounds")
    taken = code + " int (*hook)(int) = k;"
    found, analysis = analysed(tmp_path, taken)
    assert not any(c.id in analysis.decisions for c in found if c.category == "bounds")


def test_pointer_arguments_of_static_functions(tmp_path: Path) -> None:
    code = "static void clear(int *p, int n) { for (int i = 0; i < n; i++) p[i] = 0; }\n"
    good = code + "int f(void) { int a[4] = {1}; clear(a, 4); return a[0]; }"
    found, analysis = analysed(tmp_path, good)
    access = [c for c in found if c.category == "pointer"]
    assert [analysis.decisions[c.id].reason for c in access] == [None]
    bad = code + "int f(void) { int a[4] = {1}; clear(a, 5); return a[0]; }"
    found, analysis = analysed(tmp_path, bad)
    assert not any(c.id in analysis.decisions for c in found if c.category == "pointer")


def test_arguments_of_functions_that_call_themselves(tmp_path: Path) -> None:
    text = "static int k(int *p, int n) { return n > 0 ? *p + k(%s, n - 1) : 0; } int f(int *q, int n) { return k(q, n); }"
    for passed, safe in (("p", True), ("p + 1", True), ("p - 1", False), ("0", False)):
        found, analysis = analysed(tmp_path, text % passed)
        pointer = [c for c in found if c.function == "k" and c.category is Category.POINTER]
        assert pointer
        assert all(c.id in analysis.decisions for c in pointer) is safe, passed


def test_library_functions_get_what_they_access(tmp_path: Path) -> None:
    cases = [
        ('#include <string.h>\nint f(char *s) { return strcmp(s, "abc"); }', True),
        ('#include <string.h>\nint f(void) { char b[4]; b[0] = 1; sink((int *)b); return strcmp(b, "abc"); }', True),
        ('#include <string.h>\nint f(void) { char b[3]; b[0] = 1; sink((int *)b); return strcmp(b, "abc"); }', False),
        ('#include <stdlib.h>\nlong f(char c) { char b[] = {c, 0}; return strtol(b, 0, 10); }', True),
        ('#include <stdlib.h>\nlong f(char c) { char b[] = {0, c}; return strtol(b + 1, 0, 10); }', False),
        ('#include <string.h>\nint f(char *s, int c) { char *p = c ? s : 0; return strlen(p) > 3; }', False),
        ('#include <string.h>\nvoid f(char *s) { char b[4]; strcpy(b, "abc"); }', True),
        ('#include <string.h>\nvoid f(char *s) { char b[4]; strcpy(b, s); }', False),
    ]
    for code, safe in cases:
        source = tmp_path / "library.c"
        source.write_text("void sink(int *);\n" + code)
        program = load([source]).program
        found = checks.find(program)
        decisions = ranges.analyse(program, found, entries(program)).decisions
        pointer = [c for c in found if c.function == "f" and c.category is Category.POINTER]
        assert pointer, code
        assert all(c.id in decisions for c in pointer) is safe, code


def test_hidden_globals_have_a_range_only_with_main(tmp_path: Path) -> None:
    code = "int t[8]; static unsigned at; static void step(void) { at = (at + 1u) % 8u; }\n"
    code += "static int f(void) { step(); return t[at]; }\n"
    main = code + "int main(void) { for (;;) f(); }"
    assert verdicts(tmp_path, main, "bounds") == [True]
    assert verdicts(tmp_path, code + "int api(void) { return f(); }", "bounds") == [False]
    assert verdicts(tmp_path, main.replace("% 8u", "% 9u"), "bounds") == [False]
    leaked = main.replace("at; static", "at; unsigned *leak = &at; static")
    assert verdicts(tmp_path, leaked, "bounds") == [False]


def test_rungs_and_reasons(tmp_path: Path) -> None:
    code = (
        "int f(short a, int x, struct D *d) {\n int y = a + 1;\n if (x > 0 && x < 9) y = x + 1;\n"
        " if (x > 9 && x < 5) y = x / y;\n return d->n; }"
    )
    found, analysis = analysed(tmp_path, code)
    by = {c.id: analysis.decisions.get(c.id) for c in found}
    safe = Verdict.SAFE
    assert by["f.signed-overflow.1"] == ranges.Decision(safe, "preprocess", None)
    assert by["f.signed-overflow.2"] == ranges.Decision(safe, "ranges", None)
    assert by["f.division-by-zero.1"] == ranges.Decision(safe, "ranges", "unreachable")
    assert by["f.pointer.1"] == ranges.Decision(
        safe, "ranges", "pointers from outside the program are taken to be valid"
    )


def test_strict_pointers(tmp_path: Path) -> None:
    source = tmp_path / "case.c"
    source.write_text("int f(int *p) { return *p; }")
    program = load([source], FrontOptions(models=False)).program
    found = checks.find(program, {Category.POINTER})
    assert ranges.analyse(program, found, Entries(("f",), True, True)).decisions.keys() == {"f.pointer.1"}
    assert ranges.analyse(program, found, Entries(("f",), True, True), strict_pointers=True).decisions == {}


def test_checks_of_functions_that_nobody_calls(tmp_path: Path) -> None:
    code = "static int k(int x) { return x + 1; } int main(void) { return 0 ? k(1) : 0; }"
    found, analysis = analysed(tmp_path, code)
    assert {analysis.decisions[c.id].reason for c in found if c.function == "k"} <= {"unreachable"}


def test_invariants_at_loop_heads(tmp_path: Path) -> None:
    code = "int t[8]; int f(void) { int s = 0; for (int i = 0; i < 8; i++) s = t[i]; return s; }"
    _, analysis = analysed(tmp_path, code)
    held = analysis.ranges.of("f", "for.cond", "i")
    assert held is not None
    assert held[:4] == (0, 8, 0, 8)
    inside = analysis.ranges.of("f", "for.body", "i")
    assert inside is not None
    assert inside[:4] == (0, 7, 0, 7)


def test_two_thirds_of_a_driver_are_decided(tmp_path: Path) -> None:
    """Register reads over a bus, fixed-point calibration, a ring buffer, a state machine."""
    code = """
#define SIZE 16u
typedef struct { int32_t a, b; uint8_t shift; } cal_t;
static uint8_t ring[SIZE]; static uint8_t head, tail;
static volatile uint32_t *const reg = (volatile uint32_t *)0x40001000;
enum state { IDLE, BUSY, DONE }; static enum state now;
int put(uint8_t b) {
  uint8_t next = (uint8_t)((head + 1u) % SIZE);
  if (next == tail || head >= SIZE) return -1;
  ring[head] = b; head = next; return 0;
}
int get(uint8_t *out) {
  if (head == tail || tail >= SIZE) return -1;
  *out = ring[tail]; tail = (uint8_t)((tail + 1u) % SIZE); return 0;
}
int16_t read_raw(void) {
  uint8_t high = (uint8_t)(*reg & 0xFFu), low = (uint8_t)(reg[1] & 0xFFu);
  return (int16_t)(((uint16_t)high << 8) | low);
}
int32_t compensate(const cal_t *c, int16_t raw) {
  int32_t a = c->a; int32_t b = c->b;
  if (a > 1000) a = 1000;
  if (a < -1000) a = -1000;
  if (b > 10000 || b < -10000) b = 0;
  return ((raw * a) >> 4) + b;
}
int step(int event) {
  switch (now) {
    case IDLE: if (event == 1) now = BUSY; break;
    case BUSY: if (event == 2) now = DONE; break;
    default: now = IDLE; break;
  }
  return (int)now;
}
uint16_t crc(const uint8_t *p, uint8_t n) {
  uint16_t c = 0xFFFFu;
  for (uint8_t i = 0; i < n; i++) {
    c = (uint16_t)(c ^ (uint16_t)(p[i] << 8));
    for (int k = 0; k < 8; k++) c = (uint16_t)((c & 0x8000u) ? (uint16_t)(c << 1) ^ 0x1021u : (uint16_t)(c << 1));
  }
  return c;
}
"""
    found, analysis = analysed(tmp_path, code)
    assert len(found) > 25
    assert 3 * len(analysis.decisions) > 2 * len(found), [
        c.message for c in found if c.id not in analysis.decisions
    ]


def test_operands_wider_than_a_machine_word(tmp_path: Path) -> None:
    """The instrumentation hands over their address, whose width says nothing about the value."""
    source = tmp_path / "case.c"
    source.write_text("long f(long x, long y) { return x + y; }\nint g(signed char x) { return x + 1; }\n")
    program = load([source], FrontOptions(target="avr", models=False)).program
    found = checks.find(program)
    assert set(ranges.analyse(program, found, Entries(("f", "g"), True, True)).decisions) == {"g.signed-overflow.1"}
