"""Values in C's own spelling, by type; noise left out."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import vouch
from vouch.bmc import trace as traces
from vouch.bmc.conditions import branch_text
from vouch.bmc.counterexample import Address
from vouch.bmc.trace import MAXIMAL_STEPS, ConcreteStep, trace, value_text
from vouch.c.ir import CType, Location, Member
from vouch.c.sources import Sources

INT, UCHAR, FLOAT, DOUBLE, POINTER, PAIR, ARRAY, BITS, BOOL, CHAR = range(10)
CTYPES = {
    INT: CType("int", "int", 4, signed=True),
    UCHAR: CType("int", "uint8_t", 1),
    FLOAT: CType("float", "float", 4),
    DOUBLE: CType("float", "double", 8),
    POINTER: CType("pointer", "int *", 8, target=INT),
    PAIR: CType("struct", "struct pair", 8, members=(Member("a", 0, 32, INT), Member("b", 32, 8, UCHAR))),
    ARRAY: CType("array", "int[2]", 8, target=INT, count=2),
    BITS: CType(
        "struct",
        "struct bits",
        4,
        members=(Member("low", 0, 3, UCHAR, bitfield=True), Member("level", 3, 5, INT, bitfield=True)),
    ),
    BOOL: CType("bool", "_Bool", 1),
    CHAR: CType("char", "char", 1, signed=True),
}
HERE = Location("a.c", 3, 1, "f")


@pytest.mark.parametrize(
    ("value", "ctype", "text"),
    [
        (0xFFFFFFFD, INT, "-3"),
        (0x80000000, INT, "-2147483648"),
        (0xFD, UCHAR, "253"),
        (struct.unpack("<I", struct.pack("<f", 1.5))[0], FLOAT, "1.5"),
        (struct.unpack("<Q", struct.pack("<d", -0.1))[0], DOUBLE, "-0.1"),
        (0x7F800000, FLOAT, "inf"),
        (0x7FC00000, FLOAT, "nan"),
        (Address(None, 0), POINTER, "NULL"),
        (Address(None, 0x40000000), POINTER, "(void *)0x40000000"),
        (Address("buffer", 0), POINTER, "&buffer"),
        (Address("buffer", 8), POINTER, "&buffer + 8 bytes"),
        (Address("buffer", -4), POINTER, "&buffer - 4 bytes"),
        (bytes([255, 255, 255, 255, 7, 0, 0, 0]), PAIR, "{a = -1, b = 7}"),
        (struct.pack("<ii", 4, -5), ARRAY, "{4, -5}"),
        (bytes([0b11111_010, 0, 0, 0]), BITS, "{low = 2, level = -1}"),
        (1, BOOL, "true"),
        (97, CHAR, "'a' (97)"),
        (0xFF, CHAR, "-1"),
        (10, CHAR, "10"),
        (None, INT, ""),
        (5, None, "5"),
    ],
)
def test_values(value: object, ctype: int | None, text: str) -> None:
    assert value_text(value, ctype, CTYPES) == text  # type: ignore[arg-type]


def step(kind: str, name: str, value: object = None, ctype: int | None = INT) -> ConcreteStep:
    return ConcreteStep(kind, HERE, "f", name, ctype, value)  # type: ignore[arg-type]


def test_wording_and_noise() -> None:
    steps = [
        step("call", "f"),
        step("assign", "x.addr", 3),
        step("assign", "x", 3),
        step("assign", "x", 3),
        step("assign", "retval", 0),
        step("branch", "x > 2", 1),
        step("input", "nondet_int()", 0xFFFFFFFF),
        step("return", "", 4),
        step("violation", "x + 2 overflows int"),
        ConcreteStep("assign", None, "f", "lost", INT, 1),
    ]
    assert [s.what for s in trace(steps, CTYPES)] == [
        "call f()",
        "x = 3",
        "x > 2 is true",
        "nondet_int() yields -1",
        "return 4",
        "x + 2 overflows int",
    ]


def test_long_traces_keep_both_ends() -> None:
    shown = trace((step("assign", f"v{i}", i) for i in range(5000)), CTYPES)
    assert len(shown) == MAXIMAL_STEPS + 1
    assert shown[0].what == "v0 = 0"
    assert shown[-1].what == "v4999 = 4999"
    assert any("left out" in s.what for s in shown)


@pytest.mark.parametrize(
    ("line", "taken", "text"),
    [
        ("    if (x > (y + 2)) {", True, "x > (y + 2) is true"),
        ("    while (n--)", False, "n-- is false"),
        ("    for (i = 0; i < 10; i++) {", True, "i < 10 is true"),
        ("    for (;;) {", True, "branch taken"),
        ("    if (!ready) {", True, "ready is true"),  # the compiler asks for `ready`
        ("    if (!(a < b))", False, "a < b is false"),
        ("    if (a && b) {", True, "evaluates a && b"),
        ("    return x ? y : z;", False, "branch not taken"),
        ("    if (f(a,", True, "f(a, b) is true"),
    ],
)
def test_conditions_from_the_source(line: str, taken: bool, text: str) -> None:
    sources = Sources({"a.c": f"int f(void)\n{line}\n        b)) {{\n"})
    assert branch_text(sources, Location("a.c", 2, 5, "f"), taken) == text


def test_what_a_function_outside_wrote(tmp_path: Path) -> None:
    path = tmp_path / "outside.c"
    path.write_text(
        """struct dev { int id; int tab[3]; };
        extern void fetch(struct dev *d, unsigned char *raw);
        int glob;
        int start(struct dev *d)
        {
            unsigned char raw[4] = {0};
            d->id = 1;
            fetch(d, raw);
            if (glob == 3 && d->tab[2] == 5 && raw[1] == 7)
                return 100 / (d->id - 9);
            return 0;
        }
        """
    )
    result = vouch.check(path, checks=["division-by-zero"])
    steps = [(s.kind, s.line, s.what) for s in result.checks[0].trace if s.kind == "write"]
    assert set(steps) == {
        ("write", 8, "fetch() wrote d->id = 9"),
        ("write", 8, "fetch() wrote d->tab[2] = 5"),
        ("write", 8, "fetch() wrote glob = 3"),
        ("write", 8, "fetch() wrote raw[1] = 7"),
    }


def test_all_values_at_each_step(tmp_path: Path) -> None:
    """The input is fixed by the assumption, so C says what every variable holds at the violation."""
    path = tmp_path / "values.c"
    path.write_text(
        """#include <assert.h>
        struct pair { int a; short b[2]; };
        static int total;
        static int twice(int v) { total += v; return v + v; }
        static void set(struct pair *q, int k) { struct pair z = {1, {k, 2}}; *q = z; }
        int run(struct pair *out, int n, int i)
        {
            struct pair x;
            int list[3] = {10, 20, 30};
            if (n != 4 || i != 2 || out->a != 9)
                return 0;
            n = n + 1;
            set(&x, n);
            list[i] = twice(x.b[0]);
            *(n > 4 ? &list[0] : &n) = 7;
            out->b[1] = list[2];
            assert(n == 6);
            return 0;
        }
        """
    )
    result = vouch.check(path, checks=["assertion"])
    steps = next(r.trace for r in result.checks if r.trace)
    shown: dict[tuple[int | None, str], str] = {}
    for item in steps:
        shown = {key: value for key, value in shown.items() if key[0] is None or key[0] <= item.depth}
        shown.update({(change.frame, change.name): change.value for change in item.changes})
        if item.kind == "call" and item.what.startswith("call set("):
            assert shown[1, "k"] == "5"
            assert shown[1, "q"] == "&x"
    local = {"n": "5", "i": "2", "x.a": "1", "x.b[0]": "5", "x.b[1]": "2"}
    local |= {"list[0]": "7", "list[1]": "20", "list[2]": "10"}
    assert {name: value for (frame, name), value in shown.items() if frame == 0} == {"out": "&*out", **local}
    memory = {name: value for (frame, name), value in shown.items() if frame is None}
    assert memory["out->a"] == "9"
    assert memory["out->b[1]"] == "10"
    assert [s.what for s in steps if s.kind == "return"] == ["set() returns", "twice() returns 10"]
    assert {s.depth for s in steps if s.function == "twice"} == {1}


def test_the_middle_of_a_long_run_is_not_put_into_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shown, and what every variable holds behind the gap, is as if all of it had been."""
    path = tmp_path / "long.c"
    path.write_text(
        """#include <assert.h>
        static int total;
        static int add(int v) { int w = v + 1; total += w; return total; }
        int main(void)
        {
            int table[3] = {0}, i, last = 0;
            for (i = 0; i < 60; i++) {
                int seen = add(i);
                table[i % 3] = seen;
            }
            for (i = 0; i < 600; i++) last = table[i % 3];
            assert(last == 0);
            return 0;
        }
        """
    )
    monkeypatch.setattr(traces, "MAXIMAL_STEPS", 40)
    whole = next(iter(vouch.check(path, checks=["assertion"]).checks)).trace
    monkeypatch.setattr(traces, "_EDGE", 50)
    monkeypatch.setattr(traces, "_LONG", 150)
    worded: list[ConcreteStep] = []
    add = traces._Writer.add

    def noted(writer: traces._Writer, step: ConcreteStep, place: Location) -> None:
        worded.append(step)
        add(writer, step, place)

    monkeypatch.setattr(traces._Writer, "add", noted)
    thinned = next(iter(vouch.check(path, checks=["assertion"]).checks)).trace
    gap = next(n for n, step in enumerate(whole) if "left out" in step.what)
    assert 0 < gap < len(whole) - 1
    assert len(worded) < 1000  # of more than 1,200
    assert len(thinned) == len(whole)
    assert "left out" in thinned[gap].what
    assert set(thinned[gap].changes) == set(whole[gap].changes)
    assert [s for s in thinned if s is not thinned[gap]] == [s for s in whole if s is not whole[gap]]
