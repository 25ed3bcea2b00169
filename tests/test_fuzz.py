"""Mutated configuration files, databases, IR, reports and sources: an answer, or one line that says what is
wrong.

Every case runs in a process of its own, as the command line does it: libraries may crash there, and that too
is one line. `make test` tries a few, `make test-all` many.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.mutation import mutated

from vouch.errors import VouchError
from vouch.run.supervise import Ending, watch

FEW, MANY = 25, 600
SECONDS = 60.0

TOML = """jobs = 2
timeout = 10.5
[check]
checks = ["all", "-shift"]
include = ["inc", "../include"]
define = ["A=1", "B"]
unwind = 8
unwind-loop = ["f.loop.1=64"]
extern = "havoc"
strict-pointers = true
output-format = "sarif"
fail-on = ["unsafe", "unknown"]
[nn]
engine = "milp"
[equiv]
epsilon = 0.5
domain = "0..1"
"""
DATABASE = json.dumps(
    [
        {
            "directory": ".",
            "file": "a.c",
            "command": "arm-none-eabi-gcc -I inc -DX='\"y z\"' -O2 -c a.c -o a.o",
        },
        {
            "directory": "sub",
            "file": "../b.c",
            "arguments": ["cc", "-isystem", "/usr/x", "-std=c99", "../b.c"],
        },
    ]
)
IR = """source_filename = "a.c"
target triple = "x86_64-unknown-linux-gnu"
%s = type { i32, [4 x i8] }
@g = global [3 x i32] [i32 1, i32 2, i32 3], align 4
define i32 @f(i32 %x, ptr %p) {
entry:
  %a = getelementptr %s, ptr %p, i64 0, i32 1, i64 2
  %b = load i8, ptr %a, align 1
  %c = sext i8 %b to i32
  %d = add nsw i32 %c, %x
  %e = icmp sgt i32 %d, 7
  br i1 %e, label %yes, label %no
yes:
  %q = sdiv i32 %d, %x
  ret i32 %q
no:
  %t = call i32 @h(i32 %d)
  switch i32 %t, label %yes [ i32 1, label %no2 ]
no2:
  ret i32 0
}
declare i32 @h(i32)
"""
REPORT = json.dumps(
    {"checks": [{"id": "f.shift.1", "verdict": "unsafe", "suppressed": None}, {"id": "g", "verdict": "safe"}]}
)
SARIF = json.dumps(
    {
        "runs": [
            {
                "results": [
                    {"partialFingerprints": {"vouchCheckId/v1": "f"}, "properties": {"verdict": "safe"}}
                ]
            }
        ]
    }
)
SOURCE = """// vouch: ignore[shift] x
int f(int n) /* vouch: unwind 4 */ {
#line 7 "b.c"
    int s = 0; for (int i = 0; i < n; i++) s += i; // vouch: unwind 12
    return s / n;
}
"""
SPLICES = (
    b"\0",
    b"\xff\xfe",
    b"9" * 400,
    b"[" * 2000,
    b"{" * 2000,
    b'"',
    b"'",
    b"\\",
    b"\n",
    b"%",
    b"-",
    b"nan",
    b"1e999",
)


def attempt(work: Callable[[], Any]) -> str:
    """How it ended; anything but an answer, an error line or a death that is told is a failure."""
    try:
        end = watch(lambda send: bool(work()) or True, deadline=time.monotonic() + SECONDS)
    except VouchError as error:
        return "error" if str(error).strip() else "silent"
    assert end.ending in (Ending.DONE, Ending.DIED), end
    assert "internal error" not in end.cause, end.cause
    return str(end.ending)


def _settings(folder: Path, data: bytes) -> Any:
    from vouch.settings import resolve

    (folder / "vouch.toml").write_bytes(data)
    return resolve("check", environ={}, folder=folder)


def _database(folder: Path, data: bytes) -> Any:
    from vouch.c.clang import SOURCES
    from vouch.c.database import read_database

    (folder / "compile_commands.json").write_bytes(data)
    return read_database(str(folder), SOURCES)


def _baseline(folder: Path, data: bytes) -> Any:
    from vouch.report.baseline import read

    (folder / "old").write_bytes(data)
    return read(str(folder / "old"))


def _ir(folder: Path, data: bytes) -> Any:
    from vouch.c.frontend import FrontOptions, load

    (folder / "a.ll").write_bytes(data)
    return load([str(folder / "a.ll")], FrontOptions(cache=False, models=False))


def _bitcode(folder: Path, data: bytes) -> Any:
    from vouch.c.frontend import FrontOptions, load

    (folder / "a.bc").write_bytes(data)
    return load([str(folder / "a.bc")], FrontOptions(cache=False, models=False))


def _source(folder: Path, data: bytes) -> Any:
    """The whole flow up to the checks and their comments."""
    import os

    from vouch.c import checks, comments, suppress
    from vouch.c.frontend import FrontOptions, load

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what clang says
    (folder / "a.c").write_bytes(data)
    program = load([str(folder / "a.c")], FrontOptions(cache=False, models=False)).program
    files = comments.files_of(program)
    suppress.apply(files, checks.find(program), program.sources)
    return suppress.misread(files, program.sources), suppress.loop_bounds(files, program.sources)


READERS: dict[str, tuple[str, Callable[[Path, bytes], Any]]] = {
    "settings": (TOML, _settings),
    "database": (DATABASE, _database),
    "report": (REPORT, _baseline),
    "sarif": (SARIF, _baseline),
    "ir": (IR, _ir),
    "source": (SOURCE, _source),
}


@pytest.mark.parametrize("kind", READERS)
def test_seeds_are_valid(tmp_path: Path, kind: str) -> None:
    text, reader = READERS[kind]
    assert attempt(lambda: reader(tmp_path, text.encode())) == "done"


def bombard(folder: Path, kind: str, count: int, seed: int) -> None:
    text, reader = READERS[kind]
    source = random.Random(f"{kind} {seed}")
    for _ in range(count):
        data = mutated(text.encode(), source, SPLICES, words=True)
        try:
            assert attempt(lambda data=data: reader(folder, data)) != "silent"  # type: ignore[misc]
        except AssertionError:
            print(repr(data))
            raise


@pytest.mark.parametrize("kind", READERS)
def test_a_few(tmp_path: Path, kind: str) -> None:
    bombard(tmp_path, kind, FEW if kind not in ("ir", "source") else FEW // 2, 1)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", READERS)
def test_many(tmp_path: Path, kind: str) -> None:
    bombard(
        tmp_path, kind, MANY if kind not in ("ir", "source") else MANY // 5, int(os.environ.get("SEED", "7"))
    )


def test_bitcode(tmp_path: Path) -> None:
    """LLVM does not survive every bitcode file; vouch does."""
    import llvmlite.binding as llvm

    good = llvm.parse_assembly(IR).as_bitcode()
    source = random.Random(5)
    for _ in range(FEW // 2):
        data = bytearray(good)
        for _ in range(source.randrange(1, 8)):
            data[source.randrange(len(data))] = source.randrange(256)
        attempt(lambda data=bytes(data): _bitcode(tmp_path, data))  # type: ignore[misc]
