"""Models of library functions, run natively against the C library of this machine."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from vouch.c.clang import Clang, Unit
from vouch.c.frontend import load
from vouch.c.library import FLAGS, FOLDER, split_model
from vouch.c.options import FrontOptions
from vouch.c.wheel import wheel

NATIVE = Path(__file__).parent / "native" / "models.c"
TESTED = (
    *("string", "wide", "wide_format", "ctype", "number", "stdlib"),
    *("format", "scan", "math", "complex", "exit"),
)


def compiled(path: Path, target: str | None = None) -> str:
    clang = Clang(FrontOptions(target=target, flags=FLAGS))
    return clang.compile(Unit(str(path)), instrument=False)


def test_models_do_what_the_library_does(tmp_path: Path) -> None:
    """Where a model is exact both must agree; where it only promises a range the real value must be in it."""
    names = set()
    for stem in TESTED:
        names |= split_model(stem, compiled(FOLDER / f"{stem}.c"), 0).functions.keys()
    public = sorted(name for name in names if not name.startswith("__vouch") or name == "__vouch_at_exit")
    renaming = "".join(f"#define {name} model_{name}\n" for name in public)
    sources = [str(NATIVE)]
    for stem in TESTED:
        source = tmp_path / f"model_{stem}.c"
        source.write_text(f'{renaming}#include "{FOLDER / stem}.c"\n')
        sources.append(str(source))
    (tmp_path / "renamed.h").write_text(prototypes())
    binary = tmp_path / "models"
    flags = ["-w", "-O1", "-fno-builtin", "-ffp-contract=off", "-fno-sanitize=all", f"-I{tmp_path}"]
    zig = str(wheel() / "zig")
    subprocess.run([zig, "cc", *flags, "-o", str(binary), *sources, "-lm"], check=True, timeout=200)
    done = subprocess.run(
        [str(binary)], capture_output=True, text=True, errors="replace", check=True, timeout=60
    )
    assert done.stdout == "0 differences\n"


def prototypes() -> str:
    """Declarations of the renamed models: those of the library with another name."""
    text = NATIVE.read_text()
    used = sorted(set(re.findall(r"\bmodel_([a-z]\w*)", text)))
    generated = re.findall(r"\b(?:CLASS|EXACTLY|EXACTLY_TWO|ALLOWED|ALLOWED_TWO)\((\w+)\)", text)
    floats = [f"{n}f" for n in re.findall(r"\b(?:ALLOWED|ALLOWED_TWO)\((\w+)\)", text)]
    names = sorted({*used, *generated, *floats} - {"name", "namef", "whole", "part", "exponent"})
    lines = [f"extern __typeof__({name}) model_{name};\n" for name in names]
    tables = [f"extern __typeof__({n}) model_{n};\n" for n in re.findall(r"\bmodel_(__ctype\w+)", text)]
    return "".join(lines) + "#ifdef __GLIBC__\n" + "".join(tables) + "#endif\n"


@pytest.mark.parametrize("target", ["avr", "msp430", "thumbv7m-none-eabi", "i386", "aarch64"])
def test_models_compile_for_every_target(target: str) -> None:
    for path in sorted(FOLDER.glob("*.c")):
        assert split_model(path.stem, compiled(path, target), 0).functions


def test_the_program_with_its_models_is_valid_ir(tmp_path: Path) -> None:
    """Models are added as text; LLVM must take the whole, and all of them at once."""
    names: set[str] = set()
    for number, path in enumerate(sorted(FOLDER.glob("*.c"))):
        part = split_model(path.stem, compiled(path), number)
        names |= {name for name in part.functions if not name.startswith("__vouch")}
    calls = "".join(f"void {name}(); " for name in sorted(names))
    source = tmp_path / "a.c"
    source.write_text(
        f"struct sink {{ int x; }} s;\n{calls}\nvoid *all[] = {{{', '.join(sorted(names))}}};\n"
    )
    loaded = load([source], FrontOptions(flags=("-fno-builtin",)))
    llvm.parse_assembly(loaded.ir).verify()
    assert names <= loaded.program.models
