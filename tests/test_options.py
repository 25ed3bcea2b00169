"""Options of `vouch check` that decide what counts and where it goes, and the wrong ways to give them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.command import vouch
from tests.patience import without_progress

from vouch.cli.commands import COMMANDS
from vouch.cli.main import run

BAD = "int f(int x)\n{\n    return 10 / x;\n}\n"
SAFE = "int g(int x)\n{\n    return x / 2;\n}\n"
# The loop is proved up to a bound only.
BOUNDED = """int nondet_int(void);
int main(void)
{
    int i = 0;
    while (nondet_int() && i < 1000)
        i++;
    return i == 100 ? 1 / (i - 100) : 0;
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bad.c").write_text(BAD)
    (tmp_path / "safe.c").write_text(SAFE)
    return tmp_path


# ---------------------------------------------------------------- what counts


def test_fail_on(folder: Path) -> None:
    (folder / "bounded.c").write_text(BOUNDED)
    options = ["check", "bounded.c", "--unwind", "2", "--strategy", "global", "--json"]
    options += ["--checks", "division-by-zero"]
    done = vouch(folder, *options)
    [verdict] = json.loads(done.stdout)["summary"]
    assert verdict in ("bound-safe", "unknown")
    assert done.returncode == 3
    assert vouch(folder, *options, "--fail-on", verdict).returncode == 1
    assert vouch(folder, *options, "--fail-on", "unsafe,cond-unsafe").returncode == 3
    assert vouch(folder, "check", "bad.c").returncode == 1
    assert vouch(folder, "check", "bad.c", "--fail-on", "unknown").returncode == 3
    assert (
        vouch(folder, "check", "safe.c", "--fail-on", "unsafe,cond-unsafe,unknown,bound-safe").returncode == 0
    )


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_baseline(folder: Path, form: str) -> None:
    assert vouch(folder, "check", "bad.c", "--output-format", f"{form}=old").returncode == 1
    done = vouch(folder, "check", "bad.c", "--baseline", "old")
    assert done.returncode == 0
    assert "1 known from the baseline" in done.stdout
    assert "error[" not in done.stdout
    (folder / "bad.c").write_text(BAD + "int h(int y) { return 3 / y; }\n")
    done = vouch(folder, "check", "bad.c", "--baseline", "old", "--json")
    assert done.returncode == 1
    known = {c["id"]: c["baseline"] for c in json.loads(done.stdout)["checks"] if c["verdict"] == "unsafe"}
    assert known == {"f.division-by-zero.1": True, "h.division-by-zero.1": False}


def test_what_has_become_worse_is_new(folder: Path) -> None:
    document = {"checks": [{"id": "f.division-by-zero.1", "verdict": "unknown"}]}
    (folder / "old.json").write_text(json.dumps(document))
    assert vouch(folder, "check", "bad.c", "--baseline", "old.json").returncode == 1


# ---------------------------------------------------------------- where it goes


def test_several_reports(folder: Path) -> None:
    files = [f"{name}={name}.out" for name in ("json", "sarif", "junit", "github")]
    done = vouch(folder, "check", "bad.c", *(w for f in files for w in ("--output-format", f)))
    assert done.returncode == 1
    assert "error[division-by-zero]" in done.stdout
    assert json.loads((folder / "json.out").read_text())["summary"]["unsafe"] == 1
    assert ElementTree.parse(folder / "junit.out").getroot().findall(".//failure")
    assert "::error " in (folder / "github.out").read_text()
    sarif = json.loads((folder / "sarif.out").read_text())
    [rule] = sarif["runs"][0]["tool"]["driver"]["rules"]
    assert "Fails:" in rule["help"]["text"]
    assert len(rule["fullDescription"]["text"]) > 40


def test_traces_are_shortened(folder: Path) -> None:
    body = "\n".join(f"    int v{i} = noise + {i}; if (v{i} > {i}) noise ^= v{i};" for i in range(40))
    (folder / "long.c").write_text(
        f"int nondet_int(void);\nint main(void)\n{{\n    int noise = nondet_int() & 7;\n"
        f"    int key = nondet_int();\n"
        f"{body}\n    int d = key - 3;\n    return 1 / d;\n}}\n"
    )
    short = vouch(folder, "check", "long.c", "--checks", "division-by-zero").stdout
    full = vouch(folder, "check", "long.c", "--checks", "division-by-zero", "--full-trace").stdout
    assert "steps left out" in short
    assert len(short.splitlines()) < len(full.splitlines()) - 20
    for kept in ("d = 0", "key = 3"):
        assert kept in short
        assert kept in full


# ---------------------------------------------------------------- what is read


def test_exclude_and_files_that_do_not_compile(folder: Path) -> None:
    (folder / "tests").mkdir()
    (folder / "tests" / "t.c").write_text("int main(void) { return 1 / 0 * 0; }\n")
    (folder / "broken.c").write_text("int oops(\n")
    done = vouch(folder, "check", ".", "--exclude", "tests", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert {c["file"] for c in document["checks"]} == {"bad.c", "safe.c"}
    assert any("broken.c" in warning for warning in document["warnings"])
    assert vouch(folder, "check", ".", "--exclude", "tests/*", "--strict-sources").returncode == 2
    assert vouch(folder, "check", "broken.c", "safe.c").returncode == 2
    assert vouch(folder, "check", ".", "--exclude", "*.c").returncode == 2
    (folder / "only").mkdir()
    (folder / "only" / "broken.c").write_text("int oops(\n")
    assert vouch(folder, "check", "only").returncode == 2


@pytest.mark.parametrize("place", [".", "build"])
def test_databases_are_found(folder: Path, place: str) -> None:
    (folder / "src").mkdir()
    (folder / place).mkdir(exist_ok=True)
    (folder / "src" / "a.c").write_text("#ifndef N\n#error N\n#endif\nint a(int x) { return x / N; }\n")
    entry = {"directory": str(folder), "file": "src/a.c", "command": "cc -DN=4 -c src/a.c"}
    (folder / place / "compile_commands.json").write_text(json.dumps([entry]))
    done = vouch(folder, "check", ".", "--json", "--exclude", "bad.c")
    assert done.returncode == 0, done.stderr
    assert {c["file"] for c in json.loads(done.stdout)["checks"]} == {"safe.c", "src/a.c"}
    (folder / ".git").mkdir()
    for given in ("src", "src/a.c"):  # the database of the repository that it is in
        done = vouch(folder, "check", given, "-v")
        assert done.returncode == 0, done.stderr
        assert f"flags from {os.path.normpath(f'{place}/compile_commands.json')}" in done.stderr


def test_headers_in_the_folder_beside(folder: Path) -> None:
    (folder / "src").mkdir()
    (folder / "include").mkdir()
    (folder / "include" / "n.h").write_text("#define N 4\n")
    (folder / "src" / "a.c").write_text('#include "n.h"\nint a(int x) { return x / N; }\n')
    for given in ("src/a.c", "src"):
        done = vouch(folder, "check", given, "-v")
        assert done.returncode == 0
        assert "headers from include" in done.stderr


# ---------------------------------------------------------------- wrong ways

OneLine = Callable[..., str]


@pytest.fixture
def one_line(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> OneLine:
    """Runs a command that has to end with exit code 2, one line and no file changed; returns the line."""

    def contents() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    def wrong(*words: str) -> str:
        before = contents()
        code = run(words)
        out, err = capfd.readouterr()
        assert (code, out) == (2, ""), err
        [line] = without_progress(err).splitlines()
        assert line.startswith("error: ")
        assert contents() == before
        return line

    monkeypatch.chdir(folder)
    return wrong


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--fail-on", "safe"], "not one of"),
        (["--fail-on", ""], "not one of"),
        (["--baseline", "none.json"], "none.json"),
        (["--baseline", "bad.c"], "not a JSON or SARIF report"),
        (["--baseline", "list.json"], "not a JSON or SARIF report"),
        (["--baseline", "deep.json"], "deep.json"),
        (["--output-format", "xml"], "not one of"),
        (["--output-format", "json", "--output-format", "sarif"], "contradictory"),
        (["--json", "--output-format", "sarif"], "contradictory"),
        (["--output-format", "json="], "without a file"),
        (["--output-format", "json=no/such/x"], "no folder"),
        (["--output-format", "json=a", "--output-format", "sarif=a"], "another report"),
        (["--output-file", "bad.c"], "is an input"),
        (["--output-format", "sarif=./bad.c"], "is an input"),
        (["--loops", "--output-format", "sarif"], "--loops"),
        (["--checks", ""], "--checks"),
        (["--checks", ","], "--checks"),
        (["--checks", "-all"], "--checks"),
        (["--device-range", "0x20..0x10"], "--device-range"),
        (["--device-range", "-1..5"], "--device-range"),
        (["--device-range", f"0..{1 << 64}"], "--device-range"),
        (["--unwind", "9" * 40], "--unwind"),
        (["--unwind", "9" * 5000], "--unwind"),
        (["--timeout", "inf"], "finite"),
        (["--timeout", "1e300"], "above"),
        (["--jobs", "100000"], "--jobs"),
        (["--check-memory", "999999999"], "--check-memory"),
        (["--unwind-loop", "f.loop.1=x"], "--unwind-loop"),
        (["--quiet=yes"], "takes no value"),
        (["--unwind"], "needs a value"),
        (["--unwnd", "3"], "did you mean --unwind"),
        (["-Z"], "no such option"),
        (["-D", ""], "--define"),
        (["-D", "-fno-sanitize=all"], "--define"),
        (["--dump-smt", "bad.c"], "--dump-smt"),
        (["--target", "toaster"], "unknown target triple 'toaster'"),
        (["--target", "@flags"], "begins with @"),
        (["--std", "c42"], "invalid value 'c42'"),
        (["--clang", "/no/such"], "/no/such"),
        (["--clang", "true"], "does not compile as clang does"),
        (["--solver", "/no/such"], "/no/such"),
        (["--entry", "none"], "'none'"),
        (["--libm", "nan"], "--libm"),
        (["--range", "x=1..0"], "holds for no number"),
        (["--range", "x"], "--range"),
        (["--rungs", "ladder"], "not one of"),
        (["--check-timeout", "nan"], "finite"),
        (["--unwind", "1.5"], "whole number"),
        (["--unwind", "-1"], "below 0"),
        (["--unwind-loop", "f.loop.9=1"], "no loop"),
        (["--jobs", "0"], "below 1"),
        (["--check-memory", "0"], "below"),
        (["--html", "bad.c"], "it is a file"),
        (["--output-file", ""], "--output-file"),
        (["--output-file", "safe.c"], "is an input"),
        (["--baseline", "/dev/zero"], "not a regular file"),
        (["-p", "nowhere"], "nowhere"),
        (["nothing.c"], "no such file"),
        (["--", "--bad.c"], "--bad.c: no such file"),
    ],
)
def test_wrong_options(folder: Path, one_line: OneLine, words: list[str], said: str) -> None:
    (folder / "list.json").write_text("[1, 2]")
    (folder / "deep.json").write_text("[" * 100_000)
    assert said in one_line("check", "bad.c", *words)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("VOUCH_UNWND", "3", "VOUCH_UNWND"),
        ("VOUCH_JSON", "1", "--json"),
        ("VOUCH_OUTPUT_FILE", "x", "--output-file"),
        ("VOUCH_UNWIND", "x", "VOUCH_UNWIND"),
    ],
)
def test_wrong_variables(folder: Path, name: str, value: str, said: str) -> None:
    done = vouch(folder, "check", "bad.c", environ={name: value})
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "check = 3",
        "[chek]",
        "[check",
        "timeout = inf",
        "timeout = nan",
        "jobs = 0",
        "a = " + "[" * 5000 + "]" * 5000,
        '[check]\nunwind = "a"',
        "[check]\nunwind = true",
        "[check]\nunwind = 1.5",
        "[check]\nunwind = " + "9" * 400,
        "[check]\nchecks = 3",
        "[check]\nchecks = [3]",
        '[check]\nchecks = ["nonsense"]',
        '[check]\ninclude = "inc"',
        '[check]\nextern = "nonsense"',
        '[check]\nstrict-pointers = "yes"',
        '[check]\nfail-on = ["x"]',
        '[check]\nclang = "/bin/sh"',
        '[check]\nsolver = "/bin/sh"',
        '[check]\noutput-format = "json=x"',
        '[check]\nhtml = "x"',
        "[check]\njson = true",
        "[nn]\nengine = 3",
    ],
)
def test_wrong_files(folder: Path, one_line: OneLine, text: str) -> None:
    (folder / "vouch.toml").write_text(text + "\n")
    one_line("check", "bad.c")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[3]",
        "[{}]",
        "[" * 100_000,
        '[{"file": 3, "directory": ".", "command": "cc a.c"}]',
        '[{"file": "bad.c", "directory": 3, "command": "cc a.c"}]',
        '[{"file": "bad.c", "directory": ".", "command": 3}]',
        '[{"file": "bad.c", "directory": ".", "command": "cc \'"}]',
        '[{"file": "bad.c", "directory": ".", "arguments": [3]}]',
        '[{"file": "\\u0000", "directory": ".", "command": "cc a.c"}]',
        '[{"file": "none.c", "directory": ".", "command": "cc none.c"}]',
        '[{"file": "bad.c", "directory": "/no/such", "command": "cc bad.c"}]',
    ],
)
def test_wrong_databases(folder: Path, one_line: OneLine, text: str) -> None:
    (folder / "compile_commands.json").write_text(text)
    one_line("check", "-p", ".")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.ll", b""),
        ("a.ll", b"hello"),
        ("a.ll", b"define i32 @f( {"),
        ("a.bc", b""),
        ("a.bc", b"BC\xc0\xde" + bytes(range(256))),
        ("a.bc", b"\x7fELF" + bytes(300)),
    ],
)
def test_foreign_ir(folder: Path, one_line: OneLine, name: str, data: bytes) -> None:
    (folder / name).write_bytes(data)
    line = one_line("check", name)
    assert "LLVM IR" in line or "no code" in line


@pytest.mark.parametrize(
    "words",
    [
        ["magic"],
        ["nn", "magic"],
        ["report"],
        ["report", "none.json"],
        ["report", "bad.c"],
        ["report", "deep.json"],
        ["report", "ok.json", "--json", "ok.json"],
        ["report", "ok.json", "--sarif", "bad.c"],
        ["explain", "magic"],
        ["completion"],
        ["completion", "csh"],
        ["init", "no/such"],
        ["init", "bad.c"],
        ["serve"],
        ["serve", "bad.c", "--port", "99999"],
        ["serve", "bad.c", "--bind", "999.1.1.1"],
        ["sources", "--magic"],
        ["analyze", "magic"],
        ["refine"],
        ["refine", "magic"],
        ["trace"],
    ],
    ids=" ".join,
)
def test_wrong_commands(folder: Path, one_line: OneLine, words: list[str]) -> None:
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "ok.json").write_text(json.dumps({"checks": [], "summary": {}, "entry_points": []}))
    one_line(*words)


def test_comments_that_are_not_understood(folder: Path) -> None:
    (folder / "c.c").write_text(
        "int f(int n)\n{\n    int s = 0;\n    // vouch: unwind many\n    for (int i = 0; i < 3; i++)\n"
        "        s ^= i;\n"
        f"    return s; // vouch: unwind {'9' * 50}\n}} // vouch: ingore[shift] x\n"
    )
    warnings = json.loads(vouch(folder, "check", "c.c", "--json").stdout)["warnings"]
    assert [w.partition(" ")[0] for w in warnings if "not understood" in w] == ["c.c:4:", "c.c:7:", "c.c:8:"]


def test_closed_and_full_streams(folder: Path) -> None:
    for shell, code in (
        ("check bad.c >&-", 2),
        ("check bad.c 2>&-", 1),
        ("check none.c 2>&-", 2),
        ("check bad.c >&- 2>&-", 2),
        ("check bad.c > /dev/full", 2),
        ("--help >&-", None),
    ):
        done = subprocess.run(
            ["bash", "-c", f"{sys.executable} -m vouch {shell}"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert "Traceback" not in done.stderr, shell
        assert "Exception ignored" not in done.stderr, shell
        assert code is None or done.returncode == code, (shell, done.returncode, done.stderr)


def test_broken_ir_says_where(folder: Path) -> None:
    (folder / "a.ll").write_text("define i32 @f(i32 %x) {\n  %y = add i64 %x, 1\n  ret i32 %x\n}\n")
    done = vouch(folder, "check", "a.ll")
    assert done.returncode == 2
    assert "a.ll:2:16" in done.stderr


# ---------------------------------------------------------------- around it


def test_help_everywhere(folder: Path) -> None:
    for name in ("", "nn", "equiv", *(command.name for command in COMMANDS)):
        for flag in ("-h", "--help"):
            done = vouch(folder, *name.split(), flag)
            assert (done.returncode, done.stderr) == (0, "")
            assert done.stdout.startswith(f"Usage: vouch {name}".rstrip())
            # After other words as well, whatever they are.
            assert vouch(folder, *name.split(), "-h", "--no-such").returncode == 0


@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        ("nn codegen", "--html --engine --seed"),
        ("nn cover", "--step --engine"),
        ("nn bounds", "--format"),
        ("equiv radius", "--box --radius --engine"),
        ("equiv sweep", "--box --centre"),
        ("explain", "--timeout"),
        ("serve", "--json"),
    ],
)
def test_options_that_mean_nothing_are_not_offered(folder: Path, words: str, left_out: str) -> None:
    """Neither in the help text nor on the command line: one that is passed over misleads."""
    text = vouch(folder, *words.split(), "-h").stdout
    for flag in left_out.split():
        assert f"{flag} " not in text
        done = vouch(folder, *words.split(), "a", "b", f"{flag}=x")
        assert done.returncode == 2
        assert f"no such option: {flag}" in done.stderr


def test_init(folder: Path) -> None:
    import tomllib

    assert vouch(folder, "init").returncode == 0
    text = (folder / "vouch.toml").read_text()
    assert tomllib.loads(text) == {"check": {}, "nn": {}, "equiv": {}}
    assert vouch(folder, "check", "safe.c").returncode == 0
    done = vouch(folder, "init")
    assert done.returncode == 2
    assert "exists" in done.stderr
    # Every line is a valid setting once its mark is gone.
    lines = [line.removeprefix("# ") if " = " in line else line for line in text.splitlines()]
    settings = "\n".join(line for line in lines if not line.endswith('= ""'))
    tomllib.loads(settings)
