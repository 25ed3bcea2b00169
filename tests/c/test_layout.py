"""Sizes and offsets against LLVM's own data layout, and against what clang says sizeof and offsetof are."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm
import pytest

from vouch.c import ir
from vouch.c.clang import Clang, Unit
from vouch.c.layout import Sizes, parse_layout
from vouch.c.options import FrontOptions
from vouch.c.reader import read

TARGETS = ["x86_64", "i386", "avr", "msp430", "thumbv7m-none-eabi", "riscv32", "aarch64", "s390x-linux-gnu"]

SCALARS = [
    "i1",
    "i2",
    "i7",
    "i8",
    "i9",
    "i16",
    "i24",
    "i32",
    "i33",
    "i40",
    "i48",
    "i64",
    "i65",
    "i96",
    "i128",
]
SCALARS += ["half", "float", "double", "fp128", "ptr"]
COMPOUND = [
    "[3 x i16]",
    "[2 x [3 x i64]]",
    "{ i8, i32 }",
    "{ i8, i64, i8 }",
    "<{ i8, i64, i8 }>",
    "{ i8, { i16, i8 }, double }",
    "{ i1, [5 x i8], ptr, float }",
    "[4 x { i8, i24 }]",
    "{}",
    "{ i128, i8 }",
    "<4 x i32>",
    "<3 x float>",
    "<2 x double>",
    "{ i8, <4 x i32> }",
    "<16 x i1>",
]


def layout_of(target: str, tmp_path: Path) -> str:
    source = tmp_path / "empty.c"
    source.write_text("int x;\n")
    return read(Clang(FrontOptions(target=target)).compile(Unit(str(source)))).layout.text


@pytest.mark.parametrize("target", TARGETS)
def test_sizes_are_llvms(target: str, tmp_path: Path) -> None:
    text = layout_of(target, tmp_path)
    data = llvm.create_target_data(text)
    names = SCALARS + COMPOUND + (["x86_fp80", "{ i8, x86_fp80 }"] if "86" in target else [])
    lines = [f'target datalayout = "{text}"']
    lines += [f"@g{i} = external global {name}" for i, name in enumerate(names)]
    module = llvm.parse_assembly("\n".join(lines) + "\n")
    program = read(str(module))
    sizes = Sizes(program.layout)
    for i, name in enumerate(names):
        theirs = module.get_global_variable(f"g{i}").global_value_type
        mine = program.globals[f"g{i}"].type
        assert sizes.size(mine) == data.get_abi_size(theirs), (name, text)
        assert sizes.align(mine) == data.get_abi_alignment(theirs), (name, text)
        if isinstance(mine, ir.StructType) and mine.fields:
            offsets = tuple(data.get_element_offset(theirs, k) for k in range(len(mine.fields)))
            assert sizes.offsets(mine) == offsets, (name, text)


C_TYPES = {
    "struct a": "struct a { char c; int i; short s; };",
    "struct b": "struct b { char c; long long l; char d; double e; };",
    "struct c": "struct c { struct a x[3]; void *p; char t; };",
    "struct d": "struct __attribute__((packed)) d { char c; int i; long l; };",
    "struct e": "struct e { float f; _Bool b; union { short s; char c[5]; } u; };",
}


@pytest.mark.parametrize("target", TARGETS)
def test_sizeof_is_clangs(target: str, tmp_path: Path) -> None:
    """clang folds sizeof into the initialisers of these variables."""
    lines = [*C_TYPES.values()]
    for i, name in enumerate(C_TYPES):
        lines.append(f"{name} object{i}; unsigned size{i} = sizeof({name});")
    source = tmp_path / "a.c"
    source.write_text("\n".join(lines) + "\n")
    program = read(Clang(FrontOptions(target=target)).compile(Unit(str(source))))
    sizes = Sizes(program.layout)
    for i, name in enumerate(C_TYPES):
        told = program.globals[f"size{i}"].initializer
        assert isinstance(told, ir.IntConstant)
        assert sizes.size(program.globals[f"object{i}"].type) == told.value, name
        variable = program.globals[f"object{i}"].variable
        assert variable is not None
        assert program.ctypes[variable.type].size == told.value, name


def test_store_size_and_bits() -> None:
    sizes = Sizes(parse_layout("e-m:e-i64:64-i128:128-f80:128-n8:16:32:64-S128"))
    long_double = ir.FloatType("x86_fp80")
    assert (sizes.bits(long_double), sizes.store_size(long_double), sizes.size(long_double)) == (80, 10, 16)
    assert (sizes.store_size(ir.IntType(40)), sizes.size(ir.IntType(40))) == (5, 8)
    assert sizes.store_size(ir.IntType(1)) == 1


def test_avr_has_16_bit_pointers_and_no_alignment() -> None:
    layout = parse_layout("e-P1-p:16:8-i8:8-i16:8-i32:8-i64:8-f32:8-f64:8-n8-a:8")
    sizes = Sizes(layout)
    assert layout.pointer_bits == 16
    assert sizes.size(ir.StructType("", (ir.IntType(8), ir.IntType(32), ir.PointerType()))) == 7
