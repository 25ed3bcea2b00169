"""Values in C's own spelling, by type; noise left out."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import vouch
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
