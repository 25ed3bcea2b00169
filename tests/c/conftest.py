"""What the tests of the C front end share."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from vouch.c import ir
from vouch.c.clang import Clang, Unit
from vouch.c.options import FrontOptions
from vouch.c.reader import read
from vouch.c.wheel import wheel


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests share one cache for the session and leave the user's alone."""
    monkeypatch.setenv("VOUCH_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "vouch-cache"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., ir.Program]:
    """`program(text, name="a.c", **options)`: the program that a source text is, alone and without models."""

    def make(text: str, name: str = "a.c", **options: object) -> ir.Program:
        path = tmp_path / name
        path.write_text(text)
        return read(Clang(FrontOptions(**options)).compile(Unit(str(path))))  # type: ignore[arg-type]

    return make


@pytest.fixture
def run_natively(tmp_path: Path) -> Callable[..., str]:
    """`run_natively(text)`: what the program prints."""

    def run(text: str, *flags: str) -> str:
        source, binary = tmp_path / "native.c", tmp_path / "native"
        source.write_text(text)
        zig = str(wheel() / "zig")
        command = [zig, "cc", "-w", "-O1", "-fno-sanitize=all", *flags, "-o", str(binary), str(source), "-lm"]
        subprocess.run(command, check=True, timeout=120)
        done = subprocess.run([str(binary)], capture_output=True, text=True, check=True, timeout=60)
        return done.stdout

    return run


@pytest.fixture
def optimised() -> Callable[[str], str]:
    """`optimised(ir)`: the IR text after LLVM's usual passes."""

    def run(text: str) -> str:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        module = llvm.parse_assembly(text)
        machine = llvm.Target.from_default_triple().create_target_machine()
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        builder.getModulePassManager().run(module, builder)
        return str(module)

    return run
