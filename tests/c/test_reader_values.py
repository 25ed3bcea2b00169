"""Constants: global initialisers against the bytes of a native run, floats against Python's own."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from vouch.c import ir
from vouch.c.layout import FLOAT_BITS, Sizes
from vouch.c.reader import read

DATA = """
#include <stddef.h>
struct inner { char c; short s[2]; };
struct outer { struct inner in; long long big; float f; double d; unsigned a : 3, b : 9; _Bool t; };
struct __attribute__((packed)) tight { char c; long l; };
union u { double d; int i[3]; };
struct outer one = {{'x', {-1, 300}}, -5000000000LL, 1.5f, -0.1, 5, 300, 1};
struct outer many[2] = {[1] = {.f = 3.25f, .b = 511}};
struct tight tight = {'y', 0x123456789L};
union u number = {.i = {1, -2, 3}};
int grid[2][3] = {{1, 2, 3}, {4, 5}};
char text[8] = "ab\\"\\\\\\n\\x80";
unsigned char zeros[5];
double values[] = {1e300, -0.0, 5e-324, 1.0 / 3};
float singles[] = {1e30f, -0.0f, 1e-45f, 1.0f / 3};
long double wide = 0.1L;
__int128 huge = (__int128)-3 << 70;
unsigned long long most = ~0ULL;
wchar_t broad[] = L"\\u00e4b";
ptrdiff_t distance = &grid[1][2] - &grid[0][1];
"""
NAMES = [
    "one",
    "many",
    "tight",
    "number",
    "grid",
    "text",
    "zeros",
    "values",
    "singles",
    "wide",
    "huge",
    "most",
]
NAMES += ["broad", "distance"]


def bytes_of(constant: ir.Constant, sizes: Sizes) -> list[int | None]:
    """The bytes of a constant; None for padding."""
    kind = constant.type  # type: ignore[attr-defined]
    size = sizes.size(kind)
    out: list[int | None]
    match constant:
        case ir.IntConstant(value=value):
            out = [*value.to_bytes(sizes.store_size(kind), "little")]
        case ir.FloatConstant(bits=bits):
            out = [*bits.to_bytes((FLOAT_BITS[kind.kind] + 7) // 8, "little")]
        case ir.ZeroConstant() | ir.NullConstant():
            out = [0] * size
        case ir.UndefConstant():
            out = [None] * size
        case ir.StringConstant(data=data):
            out = [*data]
        case ir.AggregateConstant(elements=elements) if isinstance(kind, ir.StructType):
            out = [None] * size
            for offset, element in zip(sizes.offsets(kind), elements, strict=True):
                part = bytes_of(element, sizes)
                out[offset : offset + len(part)] = part
        case ir.AggregateConstant(elements=elements):
            out = [byte for element in elements for byte in bytes_of(element, sizes)]
        case _:
            raise AssertionError(constant)
    return out + [None] * (size - len(out))


def test_initialisers_are_what_a_native_program_has(
    program: Callable[..., ir.Program], run_natively: Callable[..., str]
) -> None:
    dump = "".join(f"dump(&{name}, sizeof {name});" for name in NAMES)
    main = (
        "#include <stdio.h>\nstatic void dump(void *p, size_t n)"
        '{ for (size_t i = 0; i < n; i++) printf("%02x", ((unsigned char *)p)[i]); puts(""); }'
        f"int main(void) {{ {dump} }}"
    )
    lines = run_natively(DATA + main).splitlines()
    p = program(DATA, target="x86_64")
    sizes = Sizes(p.layout)
    for name, line in zip(NAMES, lines, strict=True):
        constant = p.globals[name].initializer
        assert constant is not None
        mine, theirs = bytes_of(constant, sizes), bytes.fromhex(line)
        assert len(mine) == len(theirs), name
        assert all(m is None or m == t for m, t in zip(mine, theirs, strict=True)), name


def constant(spelling: str) -> ir.Constant:
    found = read(f"@x = global {spelling}\n").globals["x"].initializer
    assert found is not None
    return found


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, 0.1, -1e300, 5e-324, float("inf"), float("-inf")])
def test_doubles(value: float) -> None:
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    assert constant(f"double 0x{bits:016X}") == ir.FloatConstant(ir.FloatType("double"), bits)
    if abs(value) in (0.0, 1.0):
        assert constant(f"double {value:e}") == ir.FloatConstant(ir.FloatType("double"), bits)


def test_float_is_spelled_as_a_double() -> None:
    single = struct.unpack("<f", struct.pack("<f", 0.1))[0]
    spelled = struct.unpack("<Q", struct.pack("<d", single))[0]
    bits = struct.unpack("<I", struct.pack("<f", 0.1))[0]
    assert constant(f"float 0x{spelled:X}") == ir.FloatConstant(ir.FloatType("float"), bits)


def test_nan_keeps_its_payload() -> None:
    assert constant("float 0x7FF8000020000000") == ir.FloatConstant(ir.FloatType("float"), 0x7FC00001)
    assert constant("double 0x7FF8000000000001") == ir.FloatConstant(
        ir.FloatType("double"), 0x7FF8000000000001
    )


def test_other_float_widths() -> None:
    assert constant("half 0xH3C00") == ir.FloatConstant(ir.FloatType("half"), 0x3C00)
    assert constant("x86_fp80 0xK3FFF8000000000000000") == ir.FloatConstant(
        ir.FloatType("x86_fp80"), 0x3FFF8000000000000000
    )
    # fp128 has its low half first.
    assert constant("fp128 0xL00000000000000003FFF000000000000") == ir.FloatConstant(
        ir.FloatType("fp128"), 0x3FFF0000000000000000000000000000
    )


def test_integers_are_unsigned_numbers() -> None:
    assert constant("i8 -1") == ir.IntConstant(ir.IntType(8), 255)
    assert constant("i1 true") == ir.IntConstant(ir.IntType(1), 1)
    assert constant("i128 -1") == ir.IntConstant(ir.IntType(128), 2**128 - 1)


def test_expressions() -> None:
    found = constant("ptr getelementptr inbounds nuw ([4 x i32], ptr @y, i64 0, i64 2)")
    assert isinstance(found, ir.ExpressionConstant)
    assert (found.op, found.extra) == ("getelementptr", "inbounds nuw")
    assert found.source == ir.ArrayType(4, ir.IntType(32))
    assert found.operands[0] == ir.GlobalConstant(ir.PointerType(), "y")
    nested = constant("i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64))")
    assert isinstance(nested, ir.ExpressionConstant)
    assert nested.op == "sub"
    assert [o.op for o in nested.operands if isinstance(o, ir.ExpressionConstant)] == ["ptrtoint", "ptrtoint"]


def test_vectors() -> None:
    splat = constant("<4 x i32> splat (i32 7)")
    assert isinstance(splat, ir.AggregateConstant)
    assert [e.value for e in splat.elements if isinstance(e, ir.IntConstant)] == [7, 7, 7, 7]
    listed = constant("<2 x i8> <i8 1, i8 poison>")
    assert isinstance(listed, ir.AggregateConstant)
    assert isinstance(listed.elements[1], ir.UndefConstant)


def test_what_is_not_known_is_opaque() -> None:
    found = constant("ptr dso_local_equivalent @f")
    assert isinstance(found, ir.OpaqueConstant)
    assert found.text == "dso_local_equivalent @f"
