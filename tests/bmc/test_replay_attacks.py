"""A source that means to take over the machine when it is replayed: what it wants does not happen.

Each attack tries to run a program from its folder that makes a file, or to start before it is confined.
"""

from __future__ import annotations

import os
import platform
import struct
import subprocess
from pathlib import Path

import pytest
from tests.bmc.replaying import compiled

from vouch.bmc.counterexample import Counterexample
from vouch.bmc.replay import Replayer, ReplayResult
from vouch.bmc.replay import build as building
from vouch.bmc.replay.elf import plain
from vouch.bmc.replay.machine import machine_for

pytestmark = pytest.mark.skipif(
    platform.system() != "Linux" or platform.machine() not in ("x86_64", "AMD64"),
    reason="attacks written for x86-64 Linux",
)
BUG = "\nint f(int x) { return 1 / x; }\n"
# Makes the folder "victim" and exits, without needing anything.
EVIL = """
__attribute__((naked, used, section(".text.evil"))) void evil(void) {
  __asm__("mov $83, %eax; lea 1f(%rip), %rdi; mov $0755, %esi; syscall; mov $60, %eax; syscall;"
          "1: .asciz \\"VICTIM\\"");
}
"""


def replayed(folder: Path, source: str) -> tuple[ReplayResult, bool]:
    """How the division went, and whether the attack left its mark."""
    victim = folder / "victim"
    snippet = compiled(folder, source.replace("VICTIM", str(victim)), target="x86_64-linux-gnu")
    with Replayer(snippet.loaded, snippet.checks) as replayer:
        result = replayer.replay(Counterexample(snippet.check("division-by-zero"), "f", [0], [], []))
    return result, victim.exists()


@pytest.mark.parametrize(
    "source",
    [
        EVIL,
        '__asm__(".globl __replay_start; __replay_start: ud2");',
        'void g(void) { __asm__("nop"); }',
        '__asm__(".section .deplibs,\\"MS\\",@llvm_dependent_libraries,1; .asciz \\"script\\"; .text");',
    ],
)
def test_assembly_is_not_replayed(tmp_path: Path, source: str) -> None:
    result, harmed = replayed(tmp_path, source + BUG)
    assert (result.possible, result.confirmed, result.reason, harmed) == (False, False, "assembly", False)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('module asm ".text"', True),
        ('  call void asm sideeffect "nop", ""()', True),
        ('  %1 = call i32 asm "", "=r"()', True),
        ("; ModuleID = 'a\rmodule asm \"nop\"'", True),
        ('@s = constant [4 x i8] c"asm "', False),
        ("; module asm", False),
        ("  %asm = add i32 %asm, 1", False),
        ("asm:\n  br label %asm", False),
        ("declare void @asm(ptr) ; asm", False),
    ],
)
def test_how_assembly_is_recognised(text: str, found: bool) -> None:
    assert building.has_assembly(text) is found


@pytest.fixture
def without_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next line of defence alone."""
    monkeypatch.setattr(building, "has_assembly", lambda text: False)


def test_the_entry_point_cannot_be_replaced_by_a_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_a_look: None
) -> None:
    """A linker script named by the object file. It needs no assembly: a pragma does it."""
    (tmp_path / "script").write_text("ENTRY(evil)\n")
    monkeypatch.chdir(tmp_path)
    pragma = f'#pragma comment(lib, "{tmp_path}/script")\n'
    deplibs = '__asm__(".section .deplibs,\\"MS\\",@llvm_dependent_libraries,1; .asciz \\"script\\"; .text");'
    for attack in (pragma, deplibs):
        result, harmed = replayed(tmp_path, attack + EVIL + BUG)
        assert result.confirmed, result.output
        assert not harmed


def test_no_interpreter_is_run(tmp_path: Path, without_a_look: None) -> None:
    interpreter = tmp_path / "interpreter"
    interpreter.write_text(f"#!/bin/sh\nmkdir {tmp_path}/victim\n")
    interpreter.chmod(0o755)
    variable = f'__attribute__((section(".interp"), used)) const char i[] = "{interpreter}";'
    assembly = f'__asm__(".section .interp,\\"aR\\",@progbits; .asciz \\"{interpreter}\\"; .text");'
    result, harmed = replayed(tmp_path, variable + BUG)
    assert (result.confirmed, harmed) == (True, False)
    result, harmed = replayed(tmp_path, assembly + BUG)
    assert (result.possible, harmed) == (False, False)
    assert "expected form" in (result.reason or "")


def test_the_launcher_confines_from_the_first_instruction(tmp_path: Path, without_a_look: None) -> None:
    """A binary that starts in hostile code, as if all that comes before had failed."""
    victim = tmp_path / "victim"
    snippet = compiled(tmp_path, EVIL.replace("VICTIM", str(victim)) + BUG, target="x86_64-linux-gnu")
    with Replayer(snippet.loaded, snippet.checks) as replayer:
        check = snippet.check("division-by-zero")
        assert replayer.replay(Counterexample(check, "f", [0], [], [])).confirmed
        _, binary = replayer._build()
        data = bytearray(binary.path.read_bytes())
        where = _address(binary.path, b"evil")
        struct.pack_into("<Q", data, 24, where)
        binary.path.write_bytes(data)
        binary.path.chmod(0o755)
        assert not replayer.replay(Counterexample(check, "f", [0], [], [])).confirmed
        assert not victim.exists()
        subprocess.run([str(binary.path)], check=False, timeout=10)  # the attack itself works
        assert victim.exists()


def _address(path: Path, name: bytes) -> int:
    from vouch.bmc.replay.elf import _LAYOUTS, _values

    [found] = _values(path.read_bytes(), _LAYOUTS[2], name)
    return found


def test_binaries_of_another_form_are_refused(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, BUG, target="x86_64-linux-gnu")
    with Replayer(snippet.loaded, snippet.checks) as replayer:
        data = replayer._build()[1].path.read_bytes()
    assert plain(data, "__replay_start")
    assert not plain(data, "__replay_boot")
    headers = struct.unpack_from("<Q", data, 32)[0]
    for number, value in ((0, 3), (0, 2)):  # interpreter, dynamic
        changed = bytearray(data)
        struct.pack_into("<I", changed, headers + 56 * number, value)
        assert not plain(bytes(changed), "__replay_start")
    for length in range(0, len(data), max(1, len(data) // 50)):
        plain(data[:length], "__replay_start")  # never raises
    assert not plain(b"", "x")


def test_broken_binaries_do_not_confuse_the_launcher(tmp_path: Path) -> None:
    snippet = compiled(tmp_path, BUG)
    with Replayer(snippet.loaded, snippet.checks) as replayer:
        check = snippet.check("division-by-zero")
        _, binary = replayer._build()
        data = binary.path.read_bytes()
        for cut in (0, 10, 63, 100, len(data) // 2):
            binary.path.write_bytes(data[:cut])
            assert not replayer.replay(Counterexample(check, "f", [0], [], [])).confirmed
        for at in (32, 40, 54, 56, *range(64, 300, 7)):
            changed = bytearray(data)
            changed[at : at + 4] = os.urandom(4)
            binary.path.write_bytes(changed)
            replayer.replay(Counterexample(check, "f", [0], [], []))  # ends, whatever it says


def test_other_machines_have_launchers(tmp_path: Path) -> None:
    for target in ("i386-linux-gnu", "thumbv7m-none-eabi"):
        snippet = compiled(tmp_path, BUG, target=target)
        machine_for(snippet.loaded.program)
        with Replayer(snippet.loaded, snippet.checks) as replayer:
            result = replayer.replay(Counterexample(snippet.check("division-by-zero"), "f", [0], [], []))
        if not result.possible:
            pytest.skip(str(result.reason))
        assert result.confirmed, result.output
