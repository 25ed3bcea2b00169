"""A hostile repository: its sources, names, build files and settings. A test per attack: what it wants does
not happen."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from tests import command

from vouch.c.cache import Cache, key_of
from vouch.errors import VouchError
from vouch.settings import resolve

BUG = "int f(int x)\n{\n    return 10 / x;\n}\n"
SECRET = "root:x:0:0:this-is-private\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The repository, with something private beside it and a program that leaves a mark."""
    (tmp_path / "private").write_text(SECRET * 5)
    inside = tmp_path / "repository"
    (inside / ".git").mkdir(parents=True)
    (inside / "a.c").write_text(BUG)
    program = inside / "run.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/victim\n")
    program.chmod(0o755)
    return inside


def vouch(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    done = command.vouch(folder, *arguments, environ=environ)
    assert not (folder.parent / "victim").exists()
    return done


# ---------------------------------------------------------------- what reaches clang


@pytest.mark.parametrize("where", ["@x.c", "sub/@x.c", "."])
def test_a_source_that_is_named_like_a_file_of_flags(folder: Path, where: str) -> None:
    (folder / "sub").mkdir()
    for place in (folder, folder / "sub"):
        (place / "@x.c").write_text(BUG)
        (place / "x.c").write_text(f"-o {folder.parent}/victim -x c {folder}/a.c")
    done = vouch(folder, "check", where)
    assert done.returncode == 2
    assert "begins with @" in done.stderr


def test_a_source_that_is_named_like_a_flag(folder: Path) -> None:
    (folder / "-ovictim.c").write_text(BUG)
    before = sorted(folder.iterdir())
    assert vouch(folder, "check", "--", "-ovictim.c").returncode == 1
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    "words",
    [
        ["-I", "@r.txt"],
        ["-I@r.txt"],
        ["-include", "@r.txt"],
        ["-isystem", "@r.txt"],
        ["-D@r.txt"],
        ["-D", "@r.txt"],
        ["-U", "@r.txt"],
        ["-D", ""],
        ["-U", ""],
        ["--target=@r.txt"],
        ["-target", "@r.txt"],
        ["-mcpu=@r.txt"],
        ["-march=@r.txt"],
        ["-std=@r.txt"],
        ["@r.txt"],
        ["-fplugin=run.sh"],
        ["-Xclang", "-load", "-Xclang", "run.sh"],
        ["-wrapper", "run.sh"],
        ["-B", "."],
        ["-o", "../victim"],
        ["-save-temps", "-dumpdir", "../victim"],
        ["-MD", "-MF", "../victim"],
        ["-ftime-trace=../victim"],
        ["--config", "r.txt"],
        ["--config=r.txt"],
        ["-fprofile-generate=../victim"],
        ["-specs=r.txt"],
        ["-fmodules", "-fmodules-cache-path=../victim"],
        ["-ivfsoverlay", "../private"],
        ["-working-directory=.."],
    ],
)
def test_flags_of_a_database(folder: Path, words: list[str]) -> None:
    (folder / "r.txt").write_text(f"-o {folder.parent}/victim")
    entry = {"directory": ".", "file": "a.c", "arguments": ["cc", *words, "-c", "a.c"]}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    before = sorted(folder.iterdir())
    assert vouch(folder, "check", "-p", ".", "--no-cache").returncode in (1, 2)
    assert sorted(folder.iterdir()) == before


def test_flags_of_the_user_are_not_followed_either(folder: Path) -> None:
    (folder / "r.txt").write_text(f"-o {folder.parent}/victim")
    for flags in (["-D", "@r.txt"], ["--std", "@r.txt"], ["--target", "@r.txt"]):
        assert vouch(folder, "check", "a.c", *flags).returncode == 2
    assert vouch(folder, "check", "a.c", "-I", "@r.txt").returncode == 1
    assert vouch(folder, "check", "a.c", "-D", "N=@r.txt").returncode == 1


# ---------------------------------------------------------------- modules of Python

IR = "define i32 @f(i32 %x) {\n  %y = sdiv i32 10, %x\n  ret i32 %y\n}\n"
PROPERTY = (
    "(declare-const X_0 Real)(declare-const Y_0 Real)"
    "(assert (>= X_0 0))(assert (<= X_0 1))(assert (>= Y_0 9))"
)
NETWORK = "1,1,1,1,\n1,1,\n0,\n-1.0,\n1.0,\n0.0,0.0,\n1.0,1.0,\n1.0,\n0.0,\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("check a.ll", 1),
        ("check a.c", 1),
        ("nn verify a.nnet a.vnnlib", 0),
        ("nn verify a.h5 a.vnnlib", 2),
        ("nn batch instances.csv -o results.csv", 0),
    ],
)
def test_no_module_of_the_repository_is_imported(folder: Path, words: str, code: int) -> None:
    """Some files are read by processes of their own, which are started in the repository."""
    (folder / "vouch").mkdir()
    modules = "re json llvmlite multiprocessing numpy h5py onnx onnxruntime sitecustomize vouch/__init__"
    for name in modules.split():
        (folder / f"{name}.py").write_text(f"open({str(folder.parent / 'victim')!r}, 'w')\n")
    (folder / "a.ll").write_text(IR)
    (folder / "a.nnet").write_text(NETWORK)
    (folder / "a.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(600))
    (folder / "a.vnnlib").write_text(PROPERTY)
    (folder / "instances.csv").write_text("a.nnet,a.vnnlib,60\n")
    script = str(Path(sys.executable).parent / "vouch")
    done = subprocess.run([script, *words.split()], cwd=folder, capture_output=True, text=True, timeout=120)
    assert not (folder.parent / "victim").exists()
    assert done.returncode == code, done.stderr


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize("key", ["clang", "solver", "nvcc"])
@pytest.mark.parametrize("program", ["./run.sh", "run.sh", "sh -c ./run.sh", "bitwuzla,./run.sh"])
def test_no_program_from_a_file(folder: Path, key: str, program: str) -> None:
    (folder / "vouch.toml").write_text(f'[check]\n{key} = "{program}"\n')
    done = vouch(folder, "check", "a.c")
    assert done.returncode == 2
    assert "vouch.toml" in done.stderr
    assert f"--{key}" in done.stderr


def test_solvers_of_the_environment_can_be_chosen_in_a_file(folder: Path) -> None:
    (folder / "vouch.toml").write_text('[check]\nsolver = "bitwuzla"\n')
    assert resolve("check", environ={}, folder=folder).solver == "bitwuzla"
    assert resolve("check", environ={"VOUCH_CLANG": "clang-19"}, folder=folder).clang == "clang-19"


def test_no_file_and_no_variable_asks_for_a_gpu(folder: Path) -> None:
    (folder / "vouch.toml").write_text("[check]\nreplay-gpu = true\n")
    assert vouch(folder, "check", "a.c").returncode == 2
    (folder / "vouch.toml").unlink()
    with pytest.raises(VouchError, match="--replay-gpu"):
        resolve("check", environ={"VOUCH_REPLAY_GPU": "1"}, folder=folder)


@pytest.mark.parametrize("key", ["output-file", "html", "dump-smt", "json", "cluster"])
def test_no_place_to_write_from_a_file(folder: Path, key: str) -> None:
    (folder / "vouch.toml").write_text(f'[check]\n{key} = "../victim"\n')
    assert vouch(folder, "check", "a.c").returncode == 2


def test_settings_are_looked_for_within_the_repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder.parent / "vouch.toml").write_text("[check]\nunwind = 7\n")
    inner = folder / "src"
    inner.mkdir()
    assert resolve("check", environ={}, folder=inner).unwind is None
    (folder / "vouch.toml").write_text("[check]\nunwind = 5\n")
    found = resolve("check", environ={}, folder=inner)
    assert (found.unwind, found.configuration, found.from_file) == (5, folder / "vouch.toml", {"unwind"})
    (folder / ".git").rmdir()
    (folder / "vouch.toml").unlink()
    assert resolve("check", environ={}, folder=inner).unwind is None  # above is nobody's
    monkeypatch.setenv("HOME", str(folder.parent))
    assert resolve("check", environ={}, folder=inner).unwind == 7


def test_the_file_that_was_read_is_named(folder: Path) -> None:
    (folder / "vouch.toml").write_text("jobs = 1\n")
    for words in ("check a.c", "nn verify a.onnx a.vnnlib", "equiv a.onnx b.onnx", "analyze"):
        assert f"settings from {folder / 'vouch.toml'}" in vouch(folder, *words.split(), "-v").stderr


# ---------------------------------------------------------------- what is shown


@pytest.mark.parametrize("form", ["full", "concise", "json", "sarif", "junit", "github"])
def test_lines_of_files_elsewhere_are_not_shown(folder: Path, form: str) -> None:
    private = folder.parent / "private"
    (folder / "link.h").symlink_to(private)
    lines = [
        f'#line 1 "{name}"\nint f{n}(int x) {{ if (x > 3) return 1 / x; return 10 / x; }}\n'
        for n, name in enumerate((private, "../private", "link.h", "sub/../../private"))
    ]
    (folder / "spy.c").write_text("".join(lines))
    for arguments in (["spy.c"], ["."], [str(folder / "spy.c")]):
        (folder / "a.c").unlink(missing_ok=True)
        done = vouch(folder, "check", *arguments, "-v", "--output-format", form)
        assert done.returncode == 1
        assert "this-is-private" not in done.stdout + done.stderr


def test_settings_do_not_widen_what_is_shown(folder: Path) -> None:
    (folder / "vouch.toml").write_text(f'[check]\ninclude = ["{folder.parent}"]\n')
    (folder / "spy.c").write_text(f'#line 1 "{folder.parent}/private"\nint f(int x) {{ return 10 / x; }}\n')
    done = vouch(folder, "check", "spy.c", "-v")
    assert done.returncode == 1
    assert "this-is-private" not in done.stdout


@pytest.mark.parametrize("given", ["src", "src/spy.c"])
@pytest.mark.parametrize("name", ["include", "inc"])
def test_a_link_does_not_widen_what_is_shown(folder: Path, given: str, name: str) -> None:
    """A folder for headers beside the sources that leads elsewhere."""
    (folder / name).symlink_to(folder.parent)
    (folder / "src").mkdir()
    spy = f'#line 1 "{folder.parent}/private"\nint f(int x) {{ return 10 / x; }}\n'
    (folder / "src" / "spy.c").write_text(spy)
    done = command.vouch(Path("/"), "check", str(folder / given))
    assert done.returncode == 1
    assert "this-is-private" not in done.stdout + done.stderr


_USE = "int f(int x) {{ int v[] = {{ 0,\n{0}\n}}; return v[1] / x; }}\n"


@pytest.mark.parametrize("more", [[], ["--no-cache"]])
@pytest.mark.parametrize(
    "line",
    [
        '#embed "../../number"',
        "#embed </proc/self/environ>",
        '%:embed __FILE__ "/../../../number"\n#embed "link.h"',
        '#em\\\nbed "../../number"',
        '#include "../../number"',
        '#include_next "../../number"\n#import "link.h"',
        '#if __has_embed("../../number" limit(1))\n4711\n#endif',
        '#include "link.h"',
        '#include "with space\x01.h"\n#embed "../../number"',
        '#include "end\\ .h"\n#embed "../../number"',
    ],
)
def test_no_values_are_made_of_files_elsewhere(folder: Path, line: str, more: list[str]) -> None:
    (folder.parent / "number").write_text("4711\n")
    source = folder / "src"
    source.mkdir()
    (source / "link.h").symlink_to(folder.parent / "number")
    for name in ("with space\x01.h", "end\\ .h"):
        (source / name).write_text("")
    for name in ("src/spy.c", "src/spy.i"):  # clang includes files into preprocessed ones too
        (folder / name).write_text(_USE.format(line))
        done = vouch(folder, "check", name, "--json", *more)
        assert done.returncode == 2, done.stdout
        assert "4711" not in done.stdout + done.stderr
        assert done.stdout == ""


def test_files_of_the_project_and_headers_of_others_are_read(folder: Path) -> None:
    (folder.parent / "other").mkdir()
    (folder.parent / "other" / "n.h").write_text("4711,\n")
    (folder / "src").mkdir()
    (folder / "data #1.bin").write_text("4711\n")
    line = '#embed "../data #1.bin"\n,\n#include "../../other/n.h"'
    (folder / "src" / "a b.c").write_text(_USE.format(line))
    assert vouch(folder, "check", "src/a b.c").returncode == 1
    (folder.parent / "number").write_text("4711\n")
    (folder / "src" / "c.c").write_text(_USE.format('#include "number"'))
    assert vouch(folder, "check", "src/c.c", "-I", "..").returncode == 1  # the user says so


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CPATH", "{0}"),
        ("C_INCLUDE_PATH", "{0}"),
        ("CCC_OVERRIDE_OPTIONS", "+-DN=5 +-include{0}/n.h"),
        ("DEPENDENCIES_OUTPUT", "{0}/victim"),
        ("CC_PRINT_OPTIONS_FILE", "{0}/victim"),
        ("ZIG_LIB_DIR", "{0}"),
    ],
)
def test_variables_of_compilers_do_not_reach_clang(folder: Path, name: str, value: str) -> None:
    (folder.parent / "n.h").write_text("#define N 5\n")
    (folder / "b.c").write_text(
        "#if __has_include(<n.h>) || defined N\n#error seen\n#endif\n#include <string.h>\n" + BUG
    )
    given = {name: value.format(folder.parent), "CC_PRINT_OPTIONS": "1"}
    assert vouch(folder, "check", "b.c", "--no-cache", **given).returncode == 1


def test_folders_that_cannot_be_looked_at_are_not_passed_over(folder: Path) -> None:
    """Paths that are too long for the system: what is in them was not proved."""
    here = os.getcwd()
    try:
        os.chdir(folder)
        for _ in range(45):
            os.mkdir("d" * 100)
            os.chdir("d" * 100)
        Path("bad.c").write_text(BUG)
    finally:
        os.chdir(here)
    (folder / "a.c").write_text("int f(void) { return 0; }\n")
    done = vouch(folder, "check", ".")
    assert done.returncode == 2
    assert "name too long" in done.stderr
    assert vouch(folder, "check", ".", "--exclude", "d" * 100).returncode == 0


def test_links_in_circles(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "up").symlink_to("..")
    (folder / "self").symlink_to(".")
    done = vouch(folder, "check", ".", "--json")
    assert {check["file"] for check in json.loads(done.stdout)["checks"]} == {"a.c"}


def test_settings_and_databases_that_are_links_are_not_quoted(folder: Path) -> None:
    for name in ("vouch.toml", "compile_commands.json", "pyproject.toml"):
        (folder / name).symlink_to("../private")
        done = vouch(folder, "check", ".")
        assert done.returncode == 2
        assert "this-is-private" not in done.stderr
        (folder / name).unlink()


def test_a_pipe_that_a_location_names_is_not_read(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "spy.c").write_text('#line 1 "pipe"\nint f(int x) { return 10 / x; }\n')
    assert vouch(folder, "check", "spy.c").returncode == 1


@pytest.mark.parametrize("form", ["full", "concise", "json", "sarif", "junit", "github"])
def test_nothing_printed_drives_a_terminal_or_a_build_service(folder: Path, form: str) -> None:
    name = "::error::owned\x1b[31m##[error].c"
    (folder / name).write_text(
        "int e(int x) { return 10 / x; }\n"
        '#line 7 "::warning::x\\033[2J"\nint f(int x) { return 10 / x; } // ::error::owned ##[error]\n'
        'int g(int x) __asm__("\\x1b[2J\\n::error::g");\nint g(int x) { return 10 / x; }\n'
        '#line 9 "\\n::error::y"\nint h(int x) { return 1 / x; }\n'
        "// vouch: ignore[\x1b[31mshift] ::error::\n"
    )
    done = vouch(folder, "check", name, "-v", "--output-format", form)
    assert done.returncode == 1, done.stderr
    allowed = ("::error ", "::warning ", "::notice ", "::warning::") if form == "github" else ()
    for line in (done.stdout + done.stderr).splitlines():
        assert "\x1b" not in line
        assert "##[" not in line
        assert line.lstrip().startswith(allowed) or not line.lstrip().startswith("::"), line
    assert "::error::" not in (line[:9] for line in done.stdout.splitlines())


def test_diagnostics_do_not_quote_files_elsewhere(folder: Path) -> None:
    outside = folder.parent / f"{folder.name}-outside"
    outside.mkdir()
    (outside / "secret.h").write_text("root:hunter2:0\n")
    (folder / "link.h").symlink_to(outside / "secret.h")
    (folder / "x:1:1: error: ").mkdir()  # named so that the line reads as if it were about `x`
    (folder / "own.h").write_text("int own_mistake = ;\n")
    names = [str(outside / "secret.h"), "link.h", f"x:1:1: error: /../../{outside.name}/secret.h"]
    for name in names:
        (folder / "leak.c").write_text(f'#include "own.h"\n#include "{name}"\nint f(void) {{ return 0; }}\n')
        done = vouch(folder, "check", "leak.c")
        assert done.returncode == 2
        assert "hunter2" not in done.stdout + done.stderr
        assert "not quoted" in done.stderr
        assert "int own_mistake = ;" in done.stderr


def test_diagnostics_and_errors_are_escaped(folder: Path) -> None:
    (folder / "broken.c").write_text(
        '#error \x1b[31m ::error::owned\n#line 1 "::error::x"\n#error ##[error]\nint \x07f(;\n'
    )
    done = vouch(folder, "check", "broken.c")
    assert done.returncode == 2
    done = vouch(folder, "check", "\x1b[31m::error::missing.c")
    for line in done.stderr.splitlines():
        assert "\x1b" not in line
        assert "##[" not in line
        assert not line.lstrip().startswith("::")


# ---------------------------------------------------------------- the cache


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("VOUCH_CACHE_KEY", raising=False)
    return Cache(tmp_path / "cache")


def test_entries_of_others_are_not_used(
    cache: Cache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, other = key_of(["a"]), key_of(["b"])
    cache.put(key, b"content")
    assert cache.get(key) == b"content"
    mode = (tmp_path / "state" / "vouch" / "cache-key").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    [path] = [p for p in (tmp_path / "cache").rglob("*") if p.is_file()]
    good = path.read_bytes()
    for bad in (
        b"",
        zlib.compress(b"evil"),
        good[:-1],
        good[:20],
        bytes([good[0] ^ 1]) + good[1:],
        good + b"x",
    ):
        path.write_bytes(bad)
        assert cache.get(key) is None
    path.write_bytes(good)
    target = tmp_path / "cache" / other[:2] / other[2:]
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(good)  # an entry under another name
    assert cache.get(other) is None
    assert cache.get(key) == b"content"
    monkeypatch.setenv("VOUCH_CACHE_KEY", "another")
    assert cache.get(key) is None


def test_a_key_that_others_can_read_is_no_key(cache: Cache, tmp_path: Path) -> None:
    path = tmp_path / "state" / "vouch" / "cache-key"
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(32))
    path.chmod(0o644)
    cache.put(key_of(["a"]), b"content")
    assert cache.get(key_of(["a"])) is None


def test_a_pipe_in_the_cache_does_not_block(cache: Cache, tmp_path: Path) -> None:
    key = key_of(["a"])
    path = tmp_path / "cache" / key[:2] / key[2:]
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    assert cache.get(key) is None


def test_bad_values_in_files_say_where(tmp_path: Path) -> None:
    for text in ("check = 1", "[check]\nunwind = 1e400", "[check]\nunwind = 3.5", "[check]\nentry = [1]"):
        (tmp_path / "vouch.toml").write_text(text)
        with pytest.raises(VouchError, match=r"vouch\.toml"):
            resolve("check", environ={}, folder=tmp_path)
