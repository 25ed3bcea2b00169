"""Every category: what must be listed, where and with which words, and what must not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from vouch.c import checks
from vouch.c.checks.base import Category, Check, Trigger
from vouch.c.frontend import FrontOptions, load
from vouch.c.ir import Program
from vouch.errors import VouchError

HEADER = (
    "#include <assert.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n"
    "struct S { int a; unsigned b : 3; int c : 5; short d[4]; struct S *next; };\n"
)
ALL = frozenset(Category)


def program_of(folder: Path, code: str, suffix: str = ".c", models: bool = False) -> Program:
    source = folder / f"case{suffix}"
    source.write_text(code)
    return load([source], FrontOptions(categories=ALL, models=models)).program


def listed(folder: Path, code: str, category: str | None = None, header: str = HEADER) -> list[Check]:
    found = checks.find(program_of(folder, header + code), ALL)
    return [check for check in found if category is None or check.category == category]


def messages(folder: Path, code: str, category: str) -> list[str]:
    return [check.message for check in listed(folder, code, category)]


# One function each; the messages of its checks, in source order.
CASES = {
    "signed-overflow": [
        ("int f(int x) { return x + 2; }", ["x + 2 overflows int"]),
        ("int f(int x, int y) { return (x - y) * 3; }", ["x - y overflows int", "(x - y) * 3 overflows int"]),
        ("int f(int x) { return -x; }", ["-x overflows int"]),
        ("int f(struct S *s) { return s->a++; }", ["s->a + 1 overflows int"]),
        ("int f(int x) { x--; return x; }", ["x - 1 overflows int"]),
        ("int f(int x, int y) { return x / y; }", ["x / y overflows int"]),
        ("int f(int x) { return x / 3 + 7 % 4; }", ["x / 3 + 3 overflows int"]),
        ("long f(long *p, int i) { return p[i] + 1; }", ["p[i] + 1 overflows long"]),
        ("int f(short a, signed char b) { return a + b; }", ["a + b overflows"]),
        ("unsigned f(unsigned x) { return x + 1; }", []),
        ("double f(double x) { return x + 1; }", []),
        ("long f(char *p, char *q) { return p - q; }", []),
        ("int *f(int *p, int i) { return p + i; }", []),
    ],
    "unsigned-overflow": [
        ("unsigned f(unsigned x, unsigned y) { return x - y; }", ["x - y overflows unsigned int"]),
        ("uint32_t f(uint32_t x) { return x * 3u; }", ["x * 3 overflows unsigned int"]),
        ("int f(int x) { return x + 1; }", []),
        ("unsigned f(unsigned x) { return x << 3; }", []),
    ],
    "division-by-zero": [
        ("int f(int x, int y) { return x / (y - 3); }", ["division by zero: y - 3 may be 0"]),
        ("unsigned f(unsigned x, unsigned y) { return x % y; }", ["division by zero: y may be 0"]),
        ("int f(int x) { return x / 8; }", ["division by 8"]),
        ("float f(float x, float y) { return x / y; }", []),
        ("long f(int *p, int *q) { return p - q; }", []),
    ],
    "shift": [
        ("int f(int x, int n) { return x << n; }", ["x << n shifts out of int"]),
        ("unsigned f(unsigned x, int n) { return x >> n; }", ["shift amount is out of range in x >> n"]),
        ("unsigned f(unsigned x) { return x >> 3; }", ["shift amount is out of range in x >> 3"]),
        ("int f(unsigned x) { return __builtin_clz(x); }", ["__builtin_clz of zero is undefined"]),
        ("int f(struct S *s) { return s->c; }", []),
    ],
    "cast": [
        ("uint8_t f(int x) { return (uint8_t)x; }", ["conversion of x to uint8_t changes the value"]),
        ("char f(long x) { return (char)(x >> 8); }", ["conversion of x >> 8 to char changes the value"]),
        ("short f(int x) { return x; }", []),
        ("int f(double d) { return (int)d; }", []),
        ("uint8_t f(void) { return (uint8_t)300; }", []),
    ],
    "narrowing": [
        ("uint8_t f(int x) { return (uint8_t)x; }", []),
        ("short f(int x) { return x; }", ["conversion of x from int to short changes the value"]),
        ("void f(short s) { s += 3; }", ["conversion of s + 3 from int to short changes the value"]),
        (
            "void f(struct S *s, int x) { s->b = x; }",
            ["conversion of x from int to 3-bit field of unsigned int"],
        ),
        ("void f(struct S *s, int x) { s->c = x; }", ["conversion of x from int to 5-bit field of int"]),
        (
            "void f(struct S *s, int x) { s->c = x & 63; }",
            ["conversion of x & 63 to 5-bit field of int changes"],
        ),
        ("int f(double d) { return (int)d; }", ["conversion of d from double to int changes the value"]),
        ("_Bool f(int x) { return x; }", []),
        ("int f(int x) { _Bool b = (_Bool)x; return b ? 1 : 2; }", []),
        ("long f(int x) { return x; }", []),
        ("unsigned f(int x) { return (unsigned)x; }", []),
        ("int f(int x, long n) { return x >> (int)2; }", []),
        ("int f(struct S *s) { return s->b + s->c; }", []),
        ("uint8_t f(void) { return (uint8_t)200; }", []),
        ("int f(unsigned char c) { switch (c) { case 1: return 2; default: return 3; } }", []),
    ],
    "sign-change": [
        ("unsigned f(int x) { return x; }", ["conversion of x from int to unsigned int changes the sign"]),
        ("int f(unsigned x) { return x; }", ["conversion of x from unsigned int to int changes the sign"]),
        ("unsigned f(int x) { return (unsigned)x; }", []),
        ("long f(int x) { return x; }", []),
    ],
    "bounds": [
        ("int g[10]; int f(unsigned i) { return g[i]; }", ["index i is out of bounds of int[10]"]),
        ("short f(struct S *s, int i) { return s->d[i + 1]; }", ["index i + 1 is out of bounds of short[4]"]),
        ("int m[3][4]; int f(int i, int j) { return m[i][j]; }", ["index i is", "index j is"]),
        ("int f(int n) { int v[n]; v[0] = 1; return v[n]; }", ["array size n may not", "index 0", "index n"]),
        ("int f(int *p, int i) { return p[i]; }", []),
        ("struct F { int n; int v[]; }; int f(struct F *p, int i) { return p->v[i]; }", []),
    ],
    "pointer": [
        ("int f(int *p) { return *p; }", ["*p is accessed through a null, freed or out-of-bounds pointer"]),
        ("int f(int *p, int i) { p[i] = 1; return 0; }", ["p[i] is accessed"]),
        ("void f(struct S *s) { s->next->a += 1; }", ["s->next is accessed", "s->next->a is accessed"]),
        ("void f(struct S *s, int x) { s->b = x; }", ["s->b is accessed"]),
        ("void f(struct S *s, struct S *t) { *s = *t; }", ["the copy of *t to *s accesses memory"]),
        ("struct S f(struct S *s) { return *s; }", ["the copy of *s accesses memory"]),
        ("void f(char *p) { memset(p, 0, 4); }", ["memset of *p accesses memory"]),
        ("void f(int (*g)(int)) { g(3); }", ["call through g, which may be null or no function"]),
        ("void f(char *p) { free(p); }", ["free(p) of something that is not a live heap object"]),
        ("int g[10]; int f(void) { int x = 1; g[3] = x; return g[3] + x; }", []),
        ("int g[10]; int f(unsigned i) { int l[4]; l[i] = 0; return g[i] + l[i]; }", []),
        ("struct S t; int f(void) { struct S s = {1}; return s.d[2] + t.d[1]; }", []),
        ("int f(void) { return (int)*(volatile uint32_t *)0x40001000u; }", []),
        ("int f(void) { return *(int *)0; }", ["*NULL is accessed"]),
    ],
    "uninitialised": [
        ("int f(int m) { int v; if (m) v = 1; return v; }", ["v is read before it is written"]),
        ("int f(int i) { int a[4]; a[0] = 1; return a[i]; }", ["a[i] is read before it is written"]),
        ("int f(void) { struct S s; s.a = 1; return s.d[1]; }", ["s.d[1] is read before it is written"]),
        ("int f(int m) { int v = 0; if (m) v = 1; return v + m; }", []),
        ("static int g; int f(void) { return g; }", []),
        ("int f(void) { struct S s = {1}; return s.a; }", []),
        ("void f(void) { struct S s; s.b = 1; }", []),
        ("struct S g; void f(void) { struct S s; s.a = 1; g = s; }", []),
        ("int f(int x) { return x; }", []),
    ],
    "assertion": [
        ("void f(int x) { assert(x != 7); }", ["assertion fails: x != 7"]),
        (
            "void __VERIFIER_assert(int); void f(int x) { __VERIFIER_assert(x > 3); }",
            ["assertion fails: x > 3"],
        ),
        ("void reach_error(void); void f(int x) { if (x) reach_error(); }", ["reach_error() is reached"]),
        (
            'void __CPROVER_assert(int, const char *); void f(int x) { __CPROVER_assert(x, "why"); }',
            ["fails: why"],
        ),
        (
            'void __ESBMC_assert(_Bool, const char *); void f(int x) { __ESBMC_assert(x, "why"); }',
            ["fails: why"],
        ),
        ("void f(int x) { if (!x) __builtin_trap(); }", ["the trap is reached"]),
        ("void f(int x) { if (!x) abort(); if (x > 3) exit(1); }", []),
        ('_Static_assert(1, ""); void f(void) { }', []),
    ],
    "unreachable": [
        (
            "int f(int x) { if (x) return 1; __builtin_unreachable(); }",
            ["code declared unreachable is reached"],
        ),
        ("int f(int x) { if (x) return 1; exit(2); }", []),
        ("void f(int x) { assert(x); }", []),
    ],
    "leak": [
        ("int f(void) { char *p = malloc(8); return p != 0; }", ["memory from malloc is never freed"]),
        ("void f(char *p) { free(p); }", []),
    ],
    "float": [
        ("float f(float a, float b) { return a / b; }", ["a / b yields NaN or infinity"]),
        ("float f(double a) { return (float)a; }", ["conversion of a to float yields infinity"]),
        ("double f(double a) { return sqrt(a); }", ["sqrt(a) yields NaN or infinity"]),
        ("int f(int a) { return a + 1; }", []),
        ("double f(float a) { return a; }", []),
    ],
}


@pytest.mark.parametrize("category", CASES)
def test_lists_what_it_must_and_nothing_else(tmp_path: Path, category: str) -> None:
    """All cases of a category in one file, told apart by the function's name."""
    parts = [re.sub(r"\bf\(", f"f{number}(", code) for number, (code, _) in enumerate(CASES[category])]
    renamed = [_rename_globals(part, number) for number, part in enumerate(parts)]
    found = listed(tmp_path, "\n".join(renamed), category)
    for number, (code, wanted) in enumerate(CASES[category]):
        own = [check.message for check in found if check.function == f"f{number}"]
        assert len(own) == len(wanted), (code, own)
        for message, part in zip(own, wanted, strict=True):
            assert _plain(part) in _plain(re.sub(r"\b([gmt])\d+\b", r"\1", message)), (code, own)


def _rename_globals(code: str, number: int) -> str:
    """File-scope names that several cases use get the case's number."""
    before, _, _ = code.partition(f"f{number}(")
    for name in ("g", "m", "t"):
        if re.search(rf"\b{name}\b", before):
            code = re.sub(rf"\b{name}\b", f"{name}{number}", code)
    return code.replace("struct F ", f"struct F{number} ")


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_place_and_identity(tmp_path: Path) -> None:
    code = "int f(int x, int y) {\n  int z = x + y;\n  return z / y\n    - x;\n}\n"
    found = listed(tmp_path, code, header="")
    places = {check.id: (check.location.line, check.location.column) for check in found}
    assert places == {
        "f.signed-overflow.1": (2, 13),
        "f.signed-overflow.2": (3, 12),
        "f.division-by-zero.1": (3, 12),
        "f.signed-overflow.3": (4, 5),
    }
    again = listed(tmp_path, code, header="")
    assert [check.id for check in again] == [check.id for check in found]


def test_one_handler_two_categories(tmp_path: Path) -> None:
    found = listed(tmp_path, "int f(int x, int y) { return x % y; }", header="")
    triggers = {str(check.category): check.trigger for check in found}
    assert triggers == {
        "signed-overflow": Trigger.REACHED_NONZERO,
        "division-by-zero": Trigger.REACHED_ZERO,
    }
    assert found[0].site is found[1].site
    assert found[0].value == found[1].value


def test_signedness_of_explicit_casts(tmp_path: Path) -> None:
    code = (
        "int8_t f(unsigned x) { return (int8_t)x; }\n"
        "int g(int x) { return (uint8_t)x + 1; }\n"
        "#define LOW(v) ((unsigned char)(v))\nunsigned h(int x) { return LOW(x); }\n"
        "typedef signed char tiny; void k(short x, tiny *p) { *p = (tiny)x; }\n"
    )
    found = [*listed(tmp_path, code, "cast"), *listed(tmp_path, code, "narrowing")]
    assert {c.function: c.category for c in found} == dict.fromkeys("fgk", "cast") | {"h": "narrowing"}
    assert {c.function: (c.bits, c.signed_from, c.signed_to) for c in found} == {
        "f": (8, False, True),
        "g": (8, True, False),
        "h": (8, True, False),
        "k": (8, True, True),
    }


def test_access_behind_an_index_names_the_bounds_check(tmp_path: Path) -> None:
    found = listed(tmp_path, "short f(struct S *s, int i) { return s->d[i]; }")
    access = next(check for check in found if check.category == "pointer")
    assert access.after == next(check.id for check in found if check.category == "bounds")


def test_asserting_functions_with_a_body_count_once(tmp_path: Path) -> None:
    code = (
        'extern void abort(void);\nvoid reach_error() { __assert_fail("0", "a.c", 3, "reach_error"); }\n'
        "void __VERIFIER_assert(int c) { if (!c) { ERROR: { reach_error(); abort(); } } }\n"
        "int main(void) { int x = 3; __VERIFIER_assert(x > 2);\n __VERIFIER_assert(x < 9); return 0; }\n"
    )
    found = listed(tmp_path, code, "assertion")
    assert [(check.function, check.trigger) for check in found] == [("main", Trigger.FALSE_ARGUMENT)] * 2


def test_definitely_assigned_reads_are_listed_as_proved(tmp_path: Path) -> None:
    code = "int f(int m) { int v;\n if (m) v = 1; else v = 2;\n return v; }"
    assert [check.trigger for check in listed(tmp_path, code, "uninitialised")] == [Trigger.NEVER]
    jumped = "int f(int m) { if (m) goto in; { int v = 1; in: return v; } }"
    assert [check.trigger for check in listed(tmp_path, jumped, "uninitialised")] == [Trigger.UNINITIALISED]


def test_models_and_system_headers_are_left_out(tmp_path: Path) -> None:
    program = program_of(
        tmp_path, "int twice(int x) { return x * 2; }\nint f(int x) { return twice(x) + 1; }\n"
    )
    assert {check.function for check in checks.find(program)} == {"twice", "f"}
    program = replace(program, models=frozenset({"twice"}))
    assert {check.function for check in checks.find(program)} == {"f"}


def test_library_calls(tmp_path: Path) -> None:
    code = HEADER + "unsigned long f(char *p) { char b[4]; strcpy(b, p); return strlen(b); }"
    program = program_of(tmp_path, code)
    program = replace(program, models=frozenset({"strcpy", "strlen"}))
    found = [check for check in checks.find(program) if check.function == "f"]
    texts = [check.message for check in found]
    assert "strcpy accesses memory outside the objects it is given" in texts
    assert "strlen reads memory that is not written" in texts


def test_other_widths(tmp_path: Path) -> None:
    source = tmp_path / "case.c"
    source.write_text("int f(int x) { return x + 1; }\nlong g(long x, long y) { return x / y; }\n")
    found = checks.find(load([source], FrontOptions(target="avr", models=False)).program)
    assert [check.message for check in found] == [
        "x + 1 overflows int",
        "x / y overflows long",
        "division by zero: y may be 0",
    ]
    divisor = found[2].value  # wider than a machine word: the instrumentation passes its address
    assert divisor is not None
    assert getattr(divisor, "type").bits == 32  # noqa: B009


FOREIGN = """
define i32 @f(i32 %x, i32 %y, ptr %p) !dbg !4 {
  %a = add nsw i32 %x, %y, !dbg !7
  %d = sdiv i32 %a, %y, !dbg !8
  %s = shl i32 %d, %x, !dbg !9
  %l = load i32, ptr %p, align 4, !dbg !10
  %r = add i32 %s, %l, !dbg !10
  ret i32 %r, !dbg !10
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "x.c", directory: "/")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 1, column: 1, scope: !4)
!8 = !DILocation(line: 2, column: 1, scope: !4)
!9 = !DILocation(line: 3, column: 1, scope: !4)
!10 = !DILocation(line: 4, column: 1, scope: !4)
"""


def test_ir_without_instrumentation(tmp_path: Path) -> None:
    from vouch.c.reader import read

    found = checks.find(read(FOREIGN))
    assert [(str(check.category), check.trigger) for check in found] == [
        ("signed-overflow", Trigger.OVERFLOW),
        ("signed-overflow", Trigger.OVERFLOW),
        ("division-by-zero", Trigger.REACHED_ZERO),
        ("shift", Trigger.SHIFT),
        ("pointer", Trigger.ACCESS),
    ]


@pytest.mark.parametrize("rule", checks.RULES, ids=lambda rule: str(rule.CATEGORY))
def test_explanation_has_examples_that_compile(tmp_path: Path, rule: checks.Rule) -> None:
    text = checks.explain(rule.CATEGORY)
    assert text.startswith(str(rule.CATEGORY))
    parts = re.split(r"^(Fails|Passes):$", text, flags=re.M)
    for name, part in zip(parts[1::2], parts[2::2], strict=True):
        code = "\n".join(line for line in part.splitlines() if line.startswith("    "))
        found = listed(tmp_path, code, rule.CATEGORY)
        assert found or name == "Passes", code


def test_unknown_category() -> None:
    with pytest.raises(VouchError, match="unknown check category 'foo'"):
        checks.explain("foo")


def test_the_manual_says_what_explain_says() -> None:
    manual = (Path(__file__).parents[2] / "docs" / "checks.md").read_text()
    for rule in checks.RULES:
        assert f"\n## {checks.explain(rule.CATEGORY).split(':')[0]}\n" in manual
        for line in checks.explain(rule.CATEGORY).splitlines()[1:]:
            assert line.strip() in manual, (str(rule.CATEGORY), line)
