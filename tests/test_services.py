"""The GitHub Action and the pre-commit hook, run here as those services run them."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
BAD = "int f(int a, int b)\n{\n    return a / b;\n}\n"
GOOD = "int g(int a)\n{\n    return a / 2;\n}\n"


def run_action(folder: Path, *, path: str = "", **inputs: str) -> tuple[int, str, dict[str, str]]:
    """The steps of the composite action, one after the other, as a runner runs them."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    values = {name: str(each.get("default", "")) for name, each in action["inputs"].items()} | inputs
    files = {name: folder.parent / f"{folder.name}.{name}" for name in ("GITHUB_OUTPUT", "GITHUB_PATH")}
    environ = {
        **os.environ,
        **{name: str(path) for name, path in files.items()},
        "RUNNER_TEMP": str(folder.parent),
        "PATH": path or f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    for path in files.values():
        path.touch()
    said = ""
    for step in action["runs"]["steps"]:
        own = {key: expanded(text, values) for key, text in step.get("env", {}).items()}
        line = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            line, cwd=folder, env=environ | own, capture_output=True, text=True, timeout=120
        )
        said += done.stdout + done.stderr
        if done.returncode:
            break
    outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    return done.returncode, said, outputs


def expanded(text: Any, inputs: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], str(text))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a b.c").write_text(GOOD)
    return folder


def test_action(project: Path) -> None:
    (project / "bad.c").write_text(BAD)
    code, said, outputs = run_action(project, install="", arguments="--checks division-by-zero -j 1")
    assert code == 1
    assert "::error file=" in said
    assert outputs["exit-code"] == "1"
    sarif = json.loads((project / outputs["sarif"]).read_text())
    assert [r["level"] for r in sarif["runs"][0]["results"]] == ["error"]
    assert (project / outputs["html"] / "index.html").is_file()
    assert run_action(project, install="", **{"fail-on": "never"}, output="again")[0] == 0


def test_action_on_good_code_and_bad_input(project: Path) -> None:
    assert run_action(project, install="")[0] == 0
    code, said, outputs = run_action(project, install="", paths="nowhere.c; touch hit")
    assert code == 2
    assert "nowhere.c" in said
    assert not (project / "hit").exists()  # inputs are words, not commands
    assert outputs["exit-code"] == "2"


def test_action_imports_nothing_from_the_repository(project: Path) -> None:
    """`python -m venv` would: the folder that it is called in comes first."""
    hit = project.parent / "hit"
    for name in ("venv", "ensurepip", "pip", "vouch"):
        (project / f"{name}.py").write_text(f"open({str(hit)!r}, 'w')\n")
    python = project.parent / "python"
    python.write_text(f"#!/bin/sh\n{sys.executable} -c 'import venv, ensurepip'; exit 9\n")
    python.chmod(0o755)
    assert run_action(project, install="x", python=str(python))[0] == 9
    assert run_action(project, install="")[0] == 0
    assert not hit.exists()


def test_action_without_vouch_fails(project: Path) -> None:
    assert run_action(project, install="", path="/usr/bin:/bin")[0] == 127


def test_hook(project: Path) -> None:
    hook = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())[0]
    (project / "bad.c").write_text(BAD)
    command = [sys.executable, "-m", *shlex.split(hook["entry"]), *hook["args"]]
    for file, code in (("a b.c", 0), ("bad.c", 1)):
        done = subprocess.run([*command, file], cwd=project, capture_output=True, text=True, timeout=120)
        assert done.returncode == code, done.stderr
        assert ("division-by-zero" in done.stdout) == bool(code)
