"""What `python -m build` makes holds everything, and passes the demo where nothing else of vouch is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import vouch

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the files that git knows, outside of the working copy: nothing of it is changed."""
    copy = tmp_path_factory.mktemp("source")
    for name in tracked("."):
        if name.startswith(("src/", "pyproject", "README", "LICENSE")):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(copy / "dist")]
    done = subprocess.run([*command, str(copy)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (built,) = (copy / "dist").glob("*.whl")
    return built


def tracked(under: str) -> list[str]:
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files", under], capture_output=True, text=True)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def test_the_wheel_holds_all_files(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if not name.startswith("vouch-")}
    assert held == {name.removeprefix("src/") for name in tracked("src")}


def test_one_version_everywhere(wheel: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert vouch.__version__ == version
    assert wheel.name.startswith(f"vouch-{version}-")
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == version


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_demo_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "environment"
    venv.create(home, with_pip=True)
    command = [str(home / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    if done.returncode:
        pytest.skip(f"the requirements cannot be installed here: {done.stderr[-300:]}")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VOUCH_"))}
    environ |= {"PATH": f"{home / 'bin'}:{environ['PATH']}", "VOUCH_CACHE_DIR": str(tmp_path / "cache")}
    where = subprocess.run(
        [str(home / "bin" / "python"), "-c", "import vouch; print(vouch.__file__)"],
        capture_output=True,
        text=True,
        env=environ,
        cwd=tmp_path,
    )
    assert where.stdout.startswith(str(home))
    demo = ["bash", str(ROOT / "examples" / "demo.sh")]
    shown = subprocess.run(demo, capture_output=True, text=True, env=environ, cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr[-2000:]
    said = shown.stdout + shown.stderr
    assert "Traceback" not in said
    assert "unexpected exit code" not in said, said[-2000:]
    assert "ended with exit code" not in said, said[-2000:]
    codes = re.findall(r"\(exit code (\d+)\)", shown.stdout)
    assert codes == ["1", "0"]  # the driver with defects, and the corrected one
