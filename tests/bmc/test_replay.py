"""Hand-made counterexamples: each kind of violation is confirmed, and its near miss is not."""

from __future__ import annotations

import platform
from dataclasses import dataclass

import pytest
from tests.bmc.replaying import Snippet, compiled

from vouch.bmc.counterexample import Counterexample
from vouch.bmc.replay import Replayer

INT_MAX, INT_MIN = 2**31 - 1, 2**31
MINUS_ONE = 2**32 - 1


@dataclass
class Case:
    """`bad` arguments violate the check, `good` ones stop just short of it."""

    source: str
    category: str
    bad: tuple[int, ...]
    good: tuple[int, ...]
    number: int = 0


CASES = {
    "addition": Case("int f(int x) { return x + 1; }", "signed-overflow", (INT_MAX,), (INT_MAX - 1,)),
    "subtraction": Case("int f(int x) { return x - 1; }", "signed-overflow", (INT_MIN,), (INT_MIN + 1,)),
    "product": Case("long long f(long long x) { return x * 3; }", "signed-overflow", (2**62,), (2**61,)),
    "least / -1": Case(
        "int f(int x, int y) { return x / y; }", "signed-overflow", (INT_MIN, MINUS_ONE), (INT_MIN, 1)
    ),
    "unsigned": Case("unsigned f(unsigned x) { return x + 1u; }", "unsigned-overflow", (2**32 - 1,), (5,)),
    "division": Case("int f(int x) { return 7 / x; }", "division-by-zero", (0,), (MINUS_ONE,)),
    "remainder": Case("unsigned f(unsigned x) { return 7u % x; }", "division-by-zero", (0,), (1,)),
    "zero and not least": Case(
        "int f(int x, int y) { return x / y; }", "division-by-zero", (1, 0), (INT_MIN, MINUS_ONE)
    ),
    "shift amount": Case("int f(int x) { return 1 << x; }", "shift", (32,), (30,)),
    "shift right": Case("unsigned f(unsigned x) { return 1u >> x; }", "shift", (40,), (31,)),
    "shift of negative": Case("int f(int x) { return x << 3; }", "shift", (MINUS_ONE,), (1,)),
    "cast": Case("unsigned char f(int x) { return (unsigned char)x; }", "cast", (256,), (255,)),
    "cast of negative": Case(
        "unsigned char f(int x) { return (unsigned char)x; }", "cast", (MINUS_ONE,), (0,)
    ),
    "signed cast": Case(
        "signed char f(int x) { return (signed char)x; }", "cast", (128,), (2**32 - 128,)
    ),
    "implicit": Case("short f(int x) { short s = x; return s; }", "narrowing", (32768,), (32767,)),
    "bit-field": Case(
        "struct s { int a : 3; }; int f(int x) { struct s v; v.a = x; return v.a; }", "narrowing", (4,), (3,)
    ),
    "from float": Case("int f(float x) { return (int)x; }", "narrowing", (0x4F000000,), (0x4EFFFFFF,)),
    "sign change": Case("unsigned f(int x) { unsigned u = x; return u; }", "sign-change", (MINUS_ONE,), (1,)),
    "index": Case("int a[4]; int f(int i) { return a[i]; }", "bounds", (4,), (3,)),
    "negative index": Case("int f(int i) { int a[4] = {0}; return a[i]; }", "bounds", (MINUS_ONE,), (0,)),
    "inner index": Case("int a[2][3]; int f(int i) { return a[0][i]; }", "bounds", (3,), (2,), 1),
    "array size": Case("int f(int n) { int a[n]; a[0] = 1; return a[0]; }", "bounds", (0,), (1,)),
    "null": Case("int g; int f(int x) { int *p = x ? 0 : &g; return *p; }", "pointer", (1,), (0,)),
    "null member": Case(
        "struct s { int a[9999]; int b; } g; int f(int x) { struct s *p = x ? 0 : &g; return p->b; }",
        "pointer",
        (1,),
        (0,),
    ),
    "past a local": Case(
        "int f(int i) { int a[4] = {0}; int *p = a; p += i; return *p; }", "pointer", (4,), (3,)
    ),
    "before a local": Case(
        "int f(int i) { int b[4] = {0}, a[4] = {0}; int *p = a; p += i; return *p + b[0]; }",
        "pointer",
        (MINUS_ONE,),
        (0,),
    ),
    "far past a global": Case(
        "int a[4], b[4]; int f(int i) { int *p = a; p += i; return *p + b[0]; }", "pointer", (1 << 18,), (3,)
    ),
    "half inside": Case(
        "int f(int i) { char a[8] = {0}; int *p = (int *)(a + i); return *p; }", "pointer", (5,), (4,)
    ),
    "store": Case("char a[4]; void f(int i) { char *p = a; p[i] = 1; }", "pointer", (4,), (3,)),
    "heap": Case("int f(int i) { char *p = calloc(4, 1); return p[i]; }", "pointer", (4,), (3,)),
    "copy to": Case("char a[4], b[9]; void f(int n) { memcpy(a, b, n); }", "pointer", (5,), (4,)),
    "copy from": Case("char a[9], b[4]; void f(int n) { memmove(a, b, n); }", "pointer", (5,), (4,)),
    "fill": Case("char a[4]; void f(int n) { memset(a, 1, n); }", "pointer", (5,), (4,)),
    "dangling": Case(
        "int g; int *in(int x) { int v = 1; int *p = &v; return x ? p : &g; }"
        " int f(int x) { return *in(x); }",
        "pointer",
        (1,),
        (0,),
    ),
    "freed": Case(
        "int f(int x) { int *p = calloc(1, 4); if (!p) return 0; if (x) free(p); return *p; }",
        "pointer",
        (1,),
        (0,),
        1,
    ),
    "freed twice": Case(
        "void f(int x) { int *p = malloc(4); if (x) free(p);\nfree(p); }",
        "pointer",
        (1,),
        (0,),
        1,
    ),
    "free inside": Case("void f(int x) { char *p = malloc(4); free(p + x); }", "pointer", (1,), (0,)),
    "free of a local": Case("void f(int x) { int v; free(x ? &v : 0); }", "pointer", (1,), (0,)),
    "call of null": Case(
        "int one(void) { return 1; } int f(int x) { int (*p)(void) = x ? 0 : one; return p(); }",
        "pointer",
        (1,),
        (0,),
    ),
    "unwritten scalar": Case("int f(int x) { int u; if (x) u = 1; return u; }", "uninitialised", (0,), (1,)),
    "unwritten element": Case(
        "int f(int x) { int u[3]; u[1] = 1; return u[x]; }", "uninitialised", (2,), (1,)
    ),
    "unwritten member": Case(
        "struct s { int a, b; }; int f(int x) { struct s v; v.a = 1; if (x) v.b = 2; return v.b; }",
        "uninitialised",
        (0,),
        (1,),
    ),
    "unwritten heap": Case(
        "int f(int x) { int *p = malloc(8); if (!p) return 0; p[0] = 1; return p[x]; }",
        "uninitialised",
        (1,),
        (0,),
    ),
    "unwritten through a copy": Case(
        "int f(int x) { int a[2], *b = malloc(8);"
        " if (!b) return 0; a[0] = 1; memcpy(b, a, 8); return b[x]; }",
        "uninitialised",
        (1,),
        (0,),
    ),
    "assert": Case("void f(int x) { assert(x != 3); }", "assertion", (3,), (4,)),
    "reach_error": Case("void f(int x) { if (x == 3) reach_error(); }", "assertion", (3,), (4,)),
    "claim": Case(
        "void __VERIFIER_assert(int); void f(int x) { __VERIFIER_assert(x); }", "assertion", (0,), (1,)
    ),
    "unreachable": Case(
        "int f(int x) { if (x) __builtin_unreachable(); return 1; }", "unreachable", (1,), (0,)
    ),
    "leak": Case("void f(int x) { void *p = malloc(4); if (x) free(p); }", "leak", (0,), (1,)),
    "leak or global": Case(
        "void *g; void f(int x) { void *p = malloc(4); if (x) g = p; }",
        "leak",
        (0,),
        (1,),
    ),
    "leak or result": Case("void *f(int x) { void *p = malloc(4); return x ? p : 0; }", "leak", (0,), (1,)),
    "leak behind a global": Case(
        "void **g; void f(int x) { g = malloc(8); if (!g) return; *g = 0;\n"
        "void *p = malloc(4); if (x) *g = p; }",
        "leak",
        (0,),
        (1,),
        1,
    ),
    "leak at exit": Case(
        "void f(int x) { void *p = malloc(4); if (x) free(p); exit(0); }",
        "leak",
        (0,),
        (1,),
    ),
    "nan": Case("double f(double x) { return 0.0 / x; }", "float", (0,), (0x3FF0000000000000,)),
    "infinity": Case("float f(float x) { return x * 2.0f; }", "float", (0x7F7FFFFF,), (0x7EFFFFFF,)),
    "infinity in": Case("float f(float x) { return x * 2.0f; }", "float", (0x7F000000,), (0x7F800000,)),
    "narrower float": Case("float f(double x) { return (float)x; }", "float", (0x7FEFFFFFFFFFFFFF,), (0,)),
}


HEADERS = "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\nvoid reach_error(void);\n"
OWN_NAMES = ("f", "a", "b", "g", "s", "in", "one")  # what cases define at file level


# What this machine runs, the first in any case.
TARGETS = {
    "x86_64": ("x86_64-linux-gnu", "i386-linux-gnu", "thumbv7m-none-eabi"),
    "aarch64": ("aarch64-linux-gnu",),
}.get(platform.machine(), ())


@pytest.fixture(scope="module", params=TARGETS)
def everything(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Snippet:
    """All cases as one program, which is compiled once: each has its file-level names renamed."""
    parts = [HEADERS]
    for number, case in enumerate(CASES.values()):
        parts += [f"#define {name} {name}_{number}" for name in OWN_NAMES]
        parts += [case.source]
        parts += [f"#undef {name}" for name in OWN_NAMES]
    snippet = compiled(tmp_path_factory.mktemp("replay"), "\n".join(parts), target=request.param)
    with Replayer(snippet.loaded, snippet.checks) as replayer:
        tried = replayer.replay(Counterexample(snippet.checks[0], "f_0", [0], [], []))
    if not tried.possible and request.param != TARGETS[0]:
        pytest.skip(str(tried.reason))
    return snippet


@pytest.mark.parametrize("name", CASES)
def test_violation_is_confirmed_and_near_miss_is_not(everything: Snippet, name: str) -> None:
    case, entry = CASES[name], f"f_{list(CASES).index(name)}"
    found = [c for c in everything.checks if c.function == entry and c.category == case.category]
    check = found[case.number]
    bad = everything.replay(check, *case.bad, entry=entry)
    assert bad.confirmed, bad.output
    assert bad.fired[-1] == check.id
    good = everything.replay(check, *case.good, entry=entry)
    assert not good.confirmed
    assert check.id not in good.fired
    assert good.reason is not None
