"""What a counterexample can say about the outside: arguments, objects, globals, events."""

from __future__ import annotations

import resource
import struct
from pathlib import Path

import pytest
from tests.bmc.replaying import I8, I32, I64, PTR, compiled, outside, read, returned

from vouch.bmc.counterexample import Address, Counterexample, Event, OutsideObject
from vouch.bmc.replay import Replayer


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def test_events_of_one_function_come_in_order(tmp_path: Path) -> None:
    code = "int nondet_int(void); int f(void) { int a = nondet_int(); return 1 / (a - nondet_int() - 3); }"
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")
    right = [returned("nondet_int", 10), returned("nondet_int", 7)]
    assert snippet.replay(check, events=right).confirmed
    assert not snippet.replay(check, events=right[::-1]).confirmed


def test_order_between_functions_is_told_but_does_not_matter(tmp_path: Path) -> None:
    code = "int one(void); int two(void); int f(void) { int a = one(), b = two(); return 1 / (a - b - 3); }"
    snippet = compiled(tmp_path, code)
    result = snippet.replay(
        snippet.check("division-by-zero"), events=[returned("two", 7), returned("one", 10)]
    )
    assert result.confirmed
    assert result.diverged is not None
    assert "order" in result.diverged


def test_missing_event_is_told(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, "int one(void); int f(void) { return 1 / (one() - 3); }")
    result = snippet.replay(snippet.check("division-by-zero"))
    assert not result.confirmed
    assert result.diverged == "more calls of one than recorded"


def test_failed_assumption_is_told(tmp_path: Path) -> None:
    code = "void __VERIFIER_assume(int); int f(int x) { __VERIFIER_assume(x > 3); return 1 / (x - x); }"
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")
    assert snippet.replay(check, 4).confirmed
    result = snippet.replay(check, 3)
    assert not result.confirmed
    assert result.diverged == "an assumption does not hold"


def test_volatile_and_device_reads(tmp_path: Path) -> None:
    code = """#define REG (*(volatile unsigned char *)0x40001000)
    volatile int v;
    int f(void) { REG = 3; v = 9; int a = v, b = v; return 1 / (a - b - REG); }"""
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")
    right = [read("f", 10), read("f", 4), read("f", 6, I8)]
    assert snippet.replay(check, events=right).confirmed
    assert not snippet.replay(check, events=[*right[:2], read("f", 7, I8)]).confirmed


def test_declared_device_registers(tmp_path: Path) -> None:
    code = "int f(unsigned long base) { return 1 / (*(int *)(base + 4) - 5); }"
    snippet = compiled(tmp_path, code)
    pointer, division = snippet.check("pointer"), snippet.check("division-by-zero")
    events = [read("f", 5)]
    with Replayer(snippet.loaded, snippet.checks, devices=[(0x50000000, 0x500000FF)]) as replayer:
        declared = Counterexample(division, "f", [0x50000010], [], events)
        assert replayer.replay(declared).confirmed
        assert not replayer.replay(Counterexample(pointer, "f", [0x50000010], [], events)).confirmed
        assert replayer.replay(Counterexample(pointer, "f", [0x50000100], [], events)).confirmed


def test_allocation_may_fail(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, "#include <stdlib.h>\nint f(void) { int *p = malloc(4); *p = 1; return 0; }")
    check = snippet.check("pointer")
    assert snippet.replay(check, events=[returned("malloc", Address(None, 0), PTR)]).confirmed
    assert not snippet.replay(check).confirmed


def test_outside_function_writes_to_what_it_is_given(tmp_path: Path) -> None:
    code = "void get(int *a, int *b); int f(void) { int a[2], b; get(a, &b); return 1 / (a[1] - b); }"
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")

    def event(value: int) -> Event:
        writes = [(Address("argument:0", 4), words(5)), (Address("local:f.b", 0), words(value))]
        return Event("return", "get", I32, None, None, writes)

    assert snippet.replay(check, events=[event(5)]).confirmed
    assert not snippet.replay(check, events=[event(6)]).confirmed
    assert not snippet.replay(snippet.check("uninitialised"), events=[event(6)]).confirmed


def test_outside_function_writes_through_unnamed_arguments_globals_and_the_heap(tmp_path: Path) -> None:
    code = """#include <stdlib.h>
    int g; int scan(const char *, ...);
    int f(void) { int a = 1, *p = malloc(8); if (!p) return 0; p[1] = 0;
      scan("", 0, &a); return 1 / (a + g + p[1] - 7); }"""
    snippet = compiled(tmp_path, code)
    writes = [
        (Address("argument:2", 0), words(4)),
        (Address("g", 0), words(2)),
        (Address("heap:0", 4), words(1)),
    ]
    event = Event("return", "scan", I32, 1, None, writes)
    result = snippet.replay(snippet.check("division-by-zero"), events=[event])
    assert result.confirmed, result.output
    assert result.diverged is None


def test_write_without_a_place_is_told(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, "void get(int *a); int f(void) { int a = 1; get(&a); return 1 / a; }")
    event = Event("return", "get", I32, None, None, [(Address("argument:0", 4), words(0))])
    result = snippet.replay(snippet.check("division-by-zero"), events=[event])
    assert not result.confirmed
    assert result.diverged is not None
    assert "no place" in result.diverged


def test_outside_function_returns_pointers(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, "int *get(void); int f(void) { return 1 / *get(); }")
    check = snippet.check("division-by-zero")
    events = [returned("get", Address("o", 4), PTR)]
    assert snippet.replay(check, objects=[outside("o", words(1, 0))], events=events).confirmed
    assert not snippet.replay(check, objects=[outside("o", words(0, 1))], events=events).confirmed


def test_linked_objects(tmp_path: Path) -> None:
    code = "struct n { struct n *next; int v; }; int f(struct n *p) { return 1 / p->next->next->v; }"
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")
    ring = [
        outside("a", bytes(8) + words(1, 0), {0: Address("b", 0)}),
        outside("b", bytes(8) + words(0, 0), {0: Address("a", 0)}),
    ]
    assert not snippet.replay(check, Address("a", 0), objects=ring).confirmed
    assert snippet.replay(check, Address("b", 0), objects=ring).confirmed


def test_object_from_outside_ends_where_it_ends(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, "int f(int *p, long i) { return p[i]; }")
    check, item = snippet.check("pointer"), outside("o", words(1, 2))
    assert snippet.replay(check, Address("o", 0), 2, objects=[item]).confirmed
    assert not snippet.replay(check, Address("o", 0), 1, objects=[item]).confirmed
    assert snippet.replay(check, Address("o", 0), 1 << 40, objects=[item]).confirmed


def test_arguments_may_alias(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, "int f(int *p, int *q) { *p = 1; *q = 0; return 1 / *p; }")
    check, items = snippet.check("division-by-zero"), [outside("o", words(1)), outside("u", words(1))]
    assert snippet.replay(check, Address("o", 0), Address("o", 0), objects=items).confirmed
    assert not snippet.replay(check, Address("o", 0), Address("u", 0), objects=items).confirmed


def test_globals_of_a_library(tmp_path: Path) -> None:
    code = (
        "static int a = 5; int b[2]; extern int c; int *p = b;\n"
        "int f(void) { return 1 / (a + b[1] + c + *p); }\n"
        "void set(int to) { a = to; }"
    )
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")
    minus = -9 & 0xFFFFFFFF
    objects = [
        OutsideObject("a", "global", 4, words(3)),
        OutsideObject("b", "global", 8, words(7, 2)),
        OutsideObject("c", "global", 4, words(minus)),
        OutsideObject("p", "global", 8, bytes(8), {0: Address("o", 4)}),
        outside("o", words(9, 4)),
    ]
    assert snippet.replay(check, objects=objects).confirmed
    assert not snippet.replay(check, objects=objects[:3]).confirmed


def test_initial_values_hold_where_nothing_is_said(tmp_path: Path) -> None:
    code = """int t[3] = {4, 5, 6}; int *p = &t[2]; const char *s = "ab";
    int f(void) { return 1 / (*p + s[1] - 104); }"""
    snippet = compiled(tmp_path, code)
    assert snippet.replay(snippet.check("division-by-zero")).confirmed


@pytest.mark.parametrize("gibibytes", [None, 64])
def test_contents_far_behind(tmp_path: Path, gibibytes: int | None) -> None:
    """Whatever address space vouch allows itself: a run has more."""
    snippet = compiled(tmp_path, "int f(const int *a, long i) { return 1 / (a[i] - a[i + 1] - 3); }")
    check, start, before = snippet.check("division-by-zero"), 1 << 33, resource.getrlimit(resource.RLIMIT_AS)
    pieces = [(4 * start, words(10)), (4 * start + 4, words(7))]
    objects = [OutsideObject("o", "outside", 4 * start + 8, bytes(8), far=pieces)]
    limit = before[0] if gibibytes is None else gibibytes << 30
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        assert snippet.replay(check, Address("o", 0), start, objects=objects).confirmed
        objects[0].far = pieces[:1]
        result = snippet.replay(check, Address("o", 0), start, objects=objects)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert not result.confirmed
    assert not result.too_large


def test_objects_too_large_for_a_run_are_told(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, "int f(const char *s) { return 1 / s[0]; }")
    objects = [OutsideObject("o", "outside", 1 << 45, bytes(8))]
    result = snippet.replay(snippet.check("division-by-zero"), Address("o", 0), objects=objects)
    assert result.too_large
    assert not result.confirmed


def test_what_an_unwritten_object_holds(tmp_path: Path) -> None:
    code = """#include <stdlib.h>
    int f(void) { int u, a[2], *p = malloc(4); if (!p) return 0; return 1 / (u + a[1] + *p - 42); }"""
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")
    objects = [
        OutsideObject("f.u", "local", 4, words(2)),
        OutsideObject("f.a", "local", 8, words(0, 30)),
        OutsideObject("0", "heap", 4, words(10)),
    ]
    assert snippet.replay(check, objects=objects).confirmed
    assert not snippet.replay(check, objects=objects[:2]).confirmed


def test_instances_of_a_local_differ(tmp_path: Path) -> None:
    code = "int in(void) { int u; return u; } int f(void) { int a = in(), b = in(); return 1 / (a - b - 1); }"
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")
    # Each call makes the variable, and then its life begins.
    objects = [OutsideObject("in.u#1", "local", 4, words(8)), OutsideObject("in.u#3", "local", 4, words(7))]
    assert snippet.replay(check, objects=objects).confirmed
    assert not snippet.replay(check, objects=[OutsideObject("in.u", "local", 4, words(8))]).confirmed


def test_value_of_an_invalid_read(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, "int a[2]; int f(int i) { int *p = a; return 1 / (p[i] - 5); }")
    check = snippet.check("division-by-zero")
    event = Event("undefined", "f", I32, 5, None)
    assert snippet.replay(check, 7, events=[event]).confirmed
    assert not snippet.replay(check, 1, events=[event]).confirmed


def test_results_of_undefined_operations(tmp_path: Path) -> None:
    code = """int f(int x, double y) {
      int a = 7 / x, b = 1 << (x + 40); unsigned char c = (unsigned char)y; return 1 / (a + b + c - 42); }"""
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero", -1)
    large = 0x40B0000000000000  # 4096.0
    events = [Event("undefined", "f", kind, value, None) for kind, value in ((I32, 10), (I32, 12), (I8, 20))]
    assert snippet.replay(check, 0, large, events=events).confirmed
    assert not snippet.replay(check, 0, large, events=events[:2]).confirmed
    fine = snippet.replay(check, 1, 0x4034000000000000, events=[events[1]])  # 20.0: 7 + 12 + 20
    assert not fine.confirmed
    assert fine.diverged is None


def test_structs_are_passed_in_pieces_and_by_value(tmp_path: Path) -> None:
    code = """struct small { int a, b, c; }; struct large { long v[5]; };
    int f(struct small s, struct large l) { l.v[4]++; return 1 / (int)(s.c - l.v[4]); }"""
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")
    kinds = snippet.loaded.program.functions["f"].parameters
    assert len(kinds) == 3  # two pieces and a pointer
    large = outside("l", struct.pack("<5q", 0, 0, 0, 0, 6))
    assert snippet.replay(check, 0, 7, Address("l", 0), objects=[large]).confirmed
    assert not snippet.replay(check, 0, 6, Address("l", 0), objects=[large]).confirmed


def test_by_value_copies_are_objects_of_their_own(tmp_path: Path) -> None:
    code = """struct s { int v[8]; };
    static int in(struct s a, int i) { int *p = a.v; p[i] = 0; return 1; }
    int f(int i) { struct s a = {{1, 1, 1, 1, 1, 1, 1, 1}}; in(a, i); return 1 / a.v[i & 7]; }"""
    snippet = compiled(tmp_path, code)
    assert snippet.replay(snippet.check("pointer"), 8).confirmed
    assert not snippet.replay(snippet.check("pointer"), 7).confirmed
    assert not snippet.replay(snippet.check("division-by-zero"), 7).confirmed


def test_struct_results(tmp_path: Path) -> None:
    code = """struct big { int v[9]; }; struct big make(int x) { struct big b = {{x}}; return b; }
    struct pair { long a, b; }; struct pair two(long x) { struct pair p = {x, 1}; return p; }
    int f(int x) { return 1 / (make(x).v[0] - (int)two(x + 1).a + (x == 4)); }"""
    snippet = compiled(tmp_path, code)
    assert snippet.replay(snippet.check("division-by-zero"), 4).confirmed
    assert not snippet.replay(snippet.check("division-by-zero"), 5).confirmed


def test_function_pointers(tmp_path: Path) -> None:
    code = """int zero(int x) { return x - 3; } int one(int x) { return x + 1; }
    int (*table[])(int) = {one, zero}; int f(int (*p)(int), int i) { return 1 / (p(3) + table[i](3) - 4); }"""
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")
    assert snippet.replay(check, Address("zero", 0), 0).confirmed
    assert not snippet.replay(check, Address("one", 0), 0).confirmed
    outsider = [returned("(unknown function pointer)", 4)]
    assert snippet.replay(check, Address(None, 0x7FFF0000), 1, events=outsider).confirmed


def test_command_line_of_main(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, "int main(int argc, char **argv) { return 1 / (argv[1][0] - argc - 'a'); }")
    check = snippet.check("division-by-zero")
    table = outside("v", bytes(24), {0: Address("s", 0), 8: Address("s", 2)})
    text = outside("s", b"x\0c\0")
    assert snippet.replay(check, 2, Address("v", 0), objects=[table, text], entry="main").confirmed
    plain = compiled(tmp_path, "int main(int argc, char **argv) { return 1 / (argc - 1 + (argv[1] != 0)); }")
    assert plain.replay(plain.check("division-by-zero"), entry="main").confirmed


def test_goes_on_after_an_error(tmp_path: Path) -> None:
    code = """int a[2];
    int f(int x) { int d = 7 / x; int *p = a; p[5 + x] = d; a[x + 9] = 1; return 1 / (x - x); }"""
    snippet = compiled(tmp_path, code)
    last = snippet.check("division-by-zero", 1)
    result = snippet.replay(last, 0)
    assert result.confirmed
    assert result.fired == ["f.division-by-zero.1", "f.pointer.1", "f.bounds.1", "f.division-by-zero.2"]


def test_variadic_functions_of_the_program(tmp_path: Path) -> None:
    code = """#include <stdarg.h>
    int sum(int n, ...) { va_list l, m; va_start(l, n); va_copy(m, l); int s = 0;
      for (int i = 0; i < n; i++) s += va_arg(l, int); s += (int)va_arg(m, long); va_end(l);
      return s; }
    int f(int x) { return 1 / (sum(3, x, 2, 3) - 9); }"""
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")
    assert snippet.replay(check, 2).confirmed
    assert not snippet.replay(check, 3).confirmed


def test_thread_local_static_and_aliased_variables(tmp_path: Path) -> None:
    code = """_Thread_local int t = 3; int v = 4; extern int w __attribute__((alias("v")));
    int f(int x) { static int n = 2; n += x; return 1 / (t + n + w - 10); }"""
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero")
    assert snippet.replay(check, 1).confirmed
    assert not snippet.replay(check, 2).confirmed


def test_wide_integers_and_floats(tmp_path: Path) -> None:
    code = """__int128 f(__int128 x, long double y, double z) {
      __int128 q = x / 10 + x % 10; return 1 / (q - (__int128)3 + (y != z)); }"""
    snippet = compiled(tmp_path, code)
    check = snippet.check("division-by-zero", -1)
    one = 0x3FFF8000000000000000
    assert snippet.replay(check, 30, one, 0x3FF0000000000000).confirmed
    assert not snippet.replay(check, 30, one, 0).confirmed


def test_unused_parameters_and_wide_results(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, "long g(long); int f(int x) { return 1 / (int)(g(x) >> 33); }")
    check = snippet.check("division-by-zero")
    assert snippet.replay(check, 0, events=[returned("g", 0x1FFFFFFFF, I64)]).confirmed
    assert not snippet.replay(check, 0, events=[returned("g", 0x200000000, I64)]).confirmed
