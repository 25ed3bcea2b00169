"""`--timeout` holds within two seconds, whatever stage the time goes into; answers are still valid then.

Each input is far too much for its stage: without the limit it would take minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.limit_stages import (
    LONG_SOURCES,
    PAIR,
    SOURCES,
    WORKSPACE,
    write_box,
    write_cases,
    write_convolutions,
    write_network,
    write_pair,
)
from tests.patience import within

from vouch import check

LIMIT = 2.0
PROMISED = 2.0  # seconds after the limit


def timed(folder: Path, *arguments: str, limit: float = LIMIT) -> subprocess.CompletedProcess[str]:
    with within(limit + PROMISED):
        done = subprocess.run(
            [sys.executable, "-m", "vouch", *arguments, "--timeout", str(limit)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(
    "stage", [*SOURCES, *(pytest.param(name, marks=pytest.mark.slow) for name in LONG_SOURCES)]
)
def test_every_stage_of_check(tmp_path: Path, stage: str) -> None:
    (tmp_path / "a.c").write_text({**SOURCES, **LONG_SOURCES}[stage])
    done = timed(tmp_path, "check", "a.c", "--json", "--no-cache")
    assert done.returncode in (1, 3), done.stderr
    document = json.loads(done.stdout)
    assert document["incomplete"] or document["checks"]


NETWORK = "1,1,1,1,\n1,1,\n0,\n-1.0,\n1.0,\n0.0,0.0,\n1.0,1.0,\n1.0,\n0.0,\n"


@pytest.mark.parametrize(
    "words",
    [
        "check a.c --loops",
        "equiv code n.nnet a.c --function f --epsilon 1 --centre 0 --radius 1",
    ],
)
def test_a_limit_in_the_compiler_is_no_mistake_of_the_user(tmp_path: Path, words: str) -> None:
    (tmp_path / "a.c").write_text(SOURCES["macros"])
    (tmp_path / "n.nnet").write_text(NETWORK)
    done = timed(tmp_path, *words.split(), "--json", limit=1.0)
    assert done.returncode == 3, done.stderr
    assert isinstance(json.loads(done.stdout), dict)


def test_the_library_says_where_its_limit_was_reached(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(SOURCES["macros"])
    result = check(tmp_path / "a.c", timeout=0.5, no_cache=True)
    assert "compiler" in (result.incomplete or "")
    assert result.exit_code() == 3


def test_pipes_and_devices_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.c")
    os.mkfifo(tmp_path / "pipe.ll")
    (tmp_path / "zero.c").symlink_to("/dev/zero")
    (tmp_path / "zero.bc").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "compile_commands.json")
    for words in (["pipe.c"], ["pipe.ll"], ["zero.c"], ["zero.bc"], ["."], ["-p", "."]):
        done = timed(tmp_path, "check", *words)
        assert done.returncode == 2
        assert "not a regular file" in done.stderr
    (tmp_path / "vouch.toml").symlink_to("/dev/zero")
    (tmp_path / "a.c").write_text("int f(int x) { return x / 3; }\n")
    assert timed(tmp_path, "check", "a.c").returncode in (0, 2)


def test_a_header_that_never_ends(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "a.c").write_text('#include "pipe.h"\nint f(int x) { return x / 3; }\n')
    done = timed(tmp_path, "check", "a.c", "--json")
    assert done.returncode == 3
    assert "time limit" in json.loads(done.stdout)["incomplete"]


def test_what_is_decided_before_the_limit_counts(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(
        SOURCES["solver"] + "int g(int x) { return 7 / x; }\nint h(int x) { return x / 9; }\n"
    )
    for limit in (3.0, 12.0, 48.0):  # the machine may have other things to do
        done = timed(tmp_path, "check", "a.c", "--json", limit=limit)
        verdicts = {c["id"]: c["verdict"] for c in json.loads(done.stdout)["checks"]}
        assert verdicts.get("f.assertion.1", "unknown") == "unknown"
        if verdicts.get("g.division-by-zero.1") == "unsafe":
            break
    assert (verdicts["g.division-by-zero.1"], done.returncode) == ("unsafe", 1)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "a.c").write_text(SOURCES["many functions"] + SOURCES["solver"])
    for words in (["init", "."], ["sources", "--find"]):
        assert subprocess.run([sys.executable, "-m", "vouch", *words], cwd=tmp_path).returncode == 0
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [["analyze", "combined"], *(pytest.param(words, marks=pytest.mark.slow) for words in WORKSPACE)],
    ids=" ".join,
)
def test_every_step_of_a_workspace(workspace: Path, words: list[str]) -> None:
    done = timed(workspace, *words)
    assert done.returncode in (1, 3), done.stderr


@pytest.mark.slow
def test_images(tmp_path: Path) -> None:
    write_convolutions(tmp_path / "pictures.onnx", 96, [16, 32, 64, 64])
    write_box(tmp_path / "box.vnnlib", 3 * 96 * 96, 10, 0.05, 1000)
    words = ["nn", "verify", "pictures.onnx", "box.vnnlib", "--json"]
    assert "verdict" in json.loads(timed(tmp_path, *words, limit=6.0).stdout)


onnx = pytest.importorskip("onnx")


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A network of several million weights, and a property with very many cases."""
    write_network(tmp_path / "wide.onnx", [64, 1500, 1500, 1500, 10], 0)
    write_cases(tmp_path / "cases.vnnlib", 64, 10, 3000)
    return tmp_path


def test_large_networks_and_properties(wide: Path) -> None:
    done = timed(wide, "nn", "verify", "wide.onnx", "cases.vnnlib", "--json", limit=3.0)
    assert json.loads(done.stdout)["verdict"] in ("timeout", "unknown", "safe", "unsafe")
    done = timed(
        wide,
        "equiv",
        "wide.onnx",
        "wide.onnx",
        "--epsilon",
        "0.1",
        "--box",
        "cases.vnnlib",
        "--json",
        limit=3.0,
    )
    assert done.returncode in (0, 3)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two networks that are too large for anything exact, data, a box, and the C code of one of them."""
    folder = tmp_path_factory.mktemp("pair")
    write_pair(folder)
    command = [sys.executable, "-m", "vouch", "nn", "codegen", "a.onnx", "-o", "code"]
    assert subprocess.run(command, cwd=folder).returncode == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("words", PAIR, ids=" ".join)
def test_every_stage_of_networks(pair: Path, words: list[str]) -> None:
    done = timed(pair, *words, "--json", limit=4.0)
    assert done.returncode in (0, 1, 3), done.stderr
    assert isinstance(json.loads(done.stdout), dict)
