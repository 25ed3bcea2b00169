"""`vouch check` as a user meets it: exit codes, formats, bad input of all kinds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests import command
from tests.patience import within

from vouch.errors import VouchError

VOUCH = str(Path(sys.executable).parent / "vouch")
SAFE = "int f(int x)\n{\n    return x / 2;\n}\n"
BAD = "int f(int x)\n{\n    return 10 / x;\n}\n"
# No solver factors this product of two primes in a few seconds.
HARD = """#include <assert.h>
unsigned long __VERIFIER_nondet_ulong(void);
int __VERIFIER_nondet_int(void);
int main(void)
{
    int d = __VERIFIER_nondet_int();
    int q = d > 0 ? 10 / d : 0;
    unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();
    if (a > 1 && b > 1 && a < 4294967296 && b < 4294967296) {
        assert(a * b != 9153552214547054437ul);
    }
    return q;
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory of its own, with settings from nowhere else."""
    for name in list(os.environ):
        if name.startswith("VOUCH_"):
            monkeypatch.delenv(name)
    (tmp_path / "safe.c").write_text(SAFE)
    (tmp_path / "bad.c").write_text(BAD)
    return tmp_path


def vouch(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return command.vouch(folder, *arguments, environ=environ)


def installed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program as it was installed."""
    return subprocess.run([VOUCH, *arguments], cwd=folder, capture_output=True, text=True, timeout=120)


def assert_one_line_error(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("error: ")
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize("start", [installed, vouch])
def test_exit_codes_of_verdicts(folder: Path, start: Callable[..., Any]) -> None:
    assert start(folder, "check", "safe.c").returncode == 0
    assert start(folder, "check", "none.c").returncode == 2
    done = start(folder, "check", "bad.c")
    assert done.returncode == 1
    assert "error[division-by-zero]" in done.stdout
    assert "bad.c:3:15" in done.stdout
    assert "\x1b" not in done.stdout


def test_json_is_one_document_and_stable(folder: Path) -> None:
    first, second = (
        json.loads(start(folder, "check", "bad.c", "--json").stdout) for start in (installed, vouch)
    )
    assert first["entry_points"] == ["f"]
    assert [c["id"] for c in first["checks"]] == [c["id"] for c in second["checks"]]
    check = next(c for c in first["checks"] if c["category"] == "division-by-zero")
    assert (check["verdict"], check["line"], check["replayed"]) == ("unsafe", 3, True)
    assert check["inputs"] == {"x": 0}
    assert check["trace"]
    assert first["summary"]["unsafe"] == 1


@pytest.mark.parametrize("name", ["concise", "json", "sarif", "junit", "github"])
def test_formats_and_output_file(folder: Path, name: str) -> None:
    done = vouch(folder, "check", "bad.c", "--output-format", name, "--output-file", "report")
    assert (done.returncode, done.stdout) == (1, "")
    text = (folder / "report").read_text()
    if name in ("json", "sarif"):
        assert json.loads(text)
    elif name == "junit":
        assert ElementTree.fromstring(text.encode()).findall(".//failure")
    else:
        assert "bad.c" in text


def test_folder_as_input(folder: Path) -> None:
    done = vouch(folder, "check", ".", "--json")
    # Two files define f: that is an error of the program, said as such.
    assert_one_line_error(done, "f")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check"], ["nothing to check"]),
        (["check", "missing.c"], ["missing.c"]),
        (["check", "empty"], ["empty"]),
        (["check", "broken.c"], ["broken.c:1"]),
        (["check", "header.c"], ["not_there.h"]),
        (["check", "notes.txt"], ["notes.txt"]),
        (["check", "safe.c", "--unwind", "-4"], ["--unwind"]),
        (["check", "safe.c", "--unwind", "many"], ["--unwind"]),
        (["check", "safe.c", "--check-timeout", "nan"], ["--check-timeout"]),
        (["check", "safe.c", "-j", "0"], ["--jobs"]),
        (["check", "safe.c", "--strategy", "magic"], ["magic"]),
        (["check", "safe.c", "--solver", "no-such-solver"], ["no-such-solver"]),
        (["check", "safe.c", "--checks", "signed-overflw"], ["signed-overflw"]),
        (["check", "safe.c", "--entry", "g"], ["'g'"]),
        (["check", "safe.c", "--no-such-option"], ["--no-such-option"]),
        (["check", "safe.c", "--html", "safe.c"], ["it is a file"]),
        (["check", "safe.c", "--html", "."], ["holds other files"]),
        (["check", "safe.c", "--html", "no/where"], ["there is no folder"]),
        (["check", "safe.c", "--output-file", "no/such/folder/x"], ["no folder for the report"]),
        (["check", "safe.c", "--target", "no-such-machine"], ["no-such-machine"]),
        (["check", "safe.c", "--clang", "no-such-clang"], ["no-such-clang"]),
        (["check", "safe.c", "--unwind-loop", "f.loop.1"], ["--unwind-loop"]),
        (["check", "safe.c", "--device-range", "here"], ["--device-range"]),
        (["check", "-p", "."], ["compile_commands.json"]),
        (["chekc", "safe.c"], ["chekc"]),
        (["check", "garbage.bc"], ["garbage.bc"]),
        (["check", "garbage.ll"], ["garbage.ll"]),
        (["check", "binary.c"], ["binary.c"]),
    ],
)
def test_bad_usage_and_bad_input(folder: Path, arguments: list[str], words: list[str]) -> None:
    (folder / "empty").mkdir()
    (folder / "broken.c").write_text("int f( {\n")
    (folder / "header.c").write_text('#include "not_there.h"\nint f(void) { return 0; }\n')
    (folder / "notes.txt").write_text("hello\n")
    (folder / "garbage.bc").write_bytes(b"BC\xc0\xde" + bytes(range(256)))
    (folder / "garbage.ll").write_text("define i32 @f( {\n")
    (folder / "binary.c").write_bytes(bytes(range(256)) * 4)
    assert_one_line_error(vouch(folder, *arguments), *words)


@pytest.mark.parametrize(
    ("text", "word"),
    [("[check]\nunwnd = 3\n", "unwnd"), ("[chek]\n", "chek"), ("[check", "vouch.toml")],
)
def test_bad_configuration(folder: Path, text: str, word: str) -> None:
    (folder / "vouch.toml").write_text(text)
    assert_one_line_error(vouch(folder, "check", "safe.c"), word, "vouch.toml")


def test_configuration_and_environment_are_used(folder: Path) -> None:
    (folder / "vouch.toml").write_text('[check]\nchecks = ["shift"]\n')
    assert vouch(folder, "check", "bad.c").returncode == 0
    assert vouch(folder, "check", "bad.c", VOUCH_CHECKS="division-by-zero").returncode == 1
    assert vouch(folder, "check", "bad.c", "--checks", "shift", VOUCH_CHECKS="all").returncode == 0


def test_suppressed_does_not_count(folder: Path) -> None:
    line = "    return 10 / x; // vouch: ignore[division-by-zero] x is checked by the caller\n"
    (folder / "ignored.c").write_text(f"int f(int x)\n{{\n{line}}}\n")
    done = vouch(folder, "check", "ignored.c", "--json")
    assert done.returncode == 0
    check = next(c for c in json.loads(done.stdout)["checks"] if c["category"] == "division-by-zero")
    assert check["suppressed"] == "x is checked by the caller"


def test_loops(folder: Path) -> None:
    (folder / "loop.c").write_text(
        "int f(int n)\n{\n    int s = 0;\n    for (int i = 0; i < 10; i++)\n        s ^= i;\n"
        "    while (n > 0)\n        n /= 3;\n    return s;\n}\n"
    )
    done = vouch(folder, "check", "loop.c", "--loops")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    assert "f.loop.1" in lines[1]
    assert "loop.c:4" in lines[1]
    assert "10" in lines[1].split()
    assert json.loads(vouch(folder, "check", "loop.c", "--loops", "--json").stdout)["loops"]


def test_interrupt_keeps_what_is_decided(folder: Path) -> None:
    (folder / "hard.c").write_text(HARD)
    process = subprocess.Popen(
        [VOUCH, "check", "hard.c", "--json", "--check-timeout", "100", "--verbose"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if "2 of 3 checks decided" in line:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert "Traceback" not in err
    verdicts = {c["category"]: c for c in json.loads(out)["checks"]}
    assert verdicts["division-by-zero"]["verdict"] == "safe"
    assert verdicts["assertion"]["reason"] == "interrupted"


def test_time_limit_of_the_command(folder: Path) -> None:
    (folder / "hard.c").write_text(HARD)
    with within(5):
        done = vouch(folder, "check", "hard.c", "--json", "--timeout", "3")
    assert done.returncode == 3
    document = json.loads(done.stdout)
    if "compiler" in (document["incomplete"] or ""):  # the machine has other things to do
        return
    check = next(c for c in document["checks"] if c["category"] == "assertion")
    assert check["verdict"] == "unknown"
    assert check["reason"]


def test_closed_pipe(folder: Path) -> None:
    script = f"{VOUCH} check bad.c | true"
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(folder: Path) -> None:
    folder.chmod(0o555)
    try:
        assert vouch(folder, "check", "bad.c").returncode == 1
    finally:
        folder.chmod(0o755)


def test_names_that_need_quoting(folder: Path) -> None:
    name = "we ird\"'ü$(touch x)\n.c"
    (folder / name).write_text(BAD)
    done = vouch(folder, "check", name, "--output-format", "concise")
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 1
    assert not (folder / "x").exists()


def test_help_and_version(folder: Path) -> None:
    assert "--unwind-loop" in installed(folder, "check", "--help").stdout
    assert installed(folder, "--version").stdout.startswith("vouch ")
    for group in ((), ("nn",), ("equiv",)):
        alone = vouch(folder, *group)
        assert alone.returncode == 2
        assert "\nCommands:\n" in alone.stderr


def test_as_a_library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import vouch as library

    monkeypatch.chdir(folder)
    result = library.check("bad.c", checks=["division-by-zero"])
    assert result.exit_code() == 1
    assert "<table>" in result._repr_html_()
    with pytest.raises(VouchError):
        library.check("bad.c", no_such_option=1)
