"""What a confined command may do: read everything, write where it is told, and nothing else."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from vouch import confine
from vouch.c.clang import Clang, Unit
from vouch.c.options import FrontOptions
from vouch.errors import VouchError
from vouch.process import call

pytestmark = pytest.mark.skipif(confine.ruleset() is None, reason="this kernel has no Landlock")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "old").write_text("as it was")
    return tmp_path


@pytest.mark.parametrize(
    "deed",
    [
        "echo new > {0}/outside/new",
        "echo new > {0}/outside/old",
        ": >> {0}/outside/old && echo more >> {0}/outside/old",
        "rm {0}/outside/old",
        "mkdir {0}/outside/sub",
        "ln -s /etc {0}/outside/link",
        "mv {0}/outside/old {0}/inside/old",
        "ln {0}/outside/old {0}/inside/hard && echo changed > {0}/inside/hard",
        "truncate -s 0 {0}/outside/old",
    ],
)
def test_nothing_outside_is_changed(folder: Path, deed: str) -> None:
    done = call(["sh", "-c", deed.format(folder)], writable=[str(folder / "inside")])
    assert done.returncode != 0
    assert [path.name for path in (folder / "outside").iterdir()] == ["old"]
    assert (folder / "outside" / "old").read_text() == "as it was"


def test_the_same_deeds_work_unconfined(folder: Path) -> None:
    assert call(["sh", "-c", f"echo new > {folder}/outside/new"]).returncode == 0
    assert (folder / "outside" / "new").exists()


def test_what_is_allowed(folder: Path) -> None:
    deeds = f"cat {folder}/outside/old > {folder}/inside/copy && echo silent > /dev/null"
    deeds += f" && mkdir {folder}/inside/sub"
    assert call(["sh", "-c", deeds], writable=[str(folder / "inside")]).returncode == 0
    assert (folder / "inside" / "copy").read_text() == "as it was"


def test_no_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        reach = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        assert call([sys.executable, "-c", reach]).returncode == 0
        done = call([sys.executable, "-c", reach], writable=())
    if b"PermissionError" not in done.stderr:
        pytest.skip("this kernel's Landlock knows no network")
    assert done.returncode != 0


_TRY = "import socket; socket.socket(socket.AF_{0}, socket.SOCK_{1})"


@pytest.mark.skipif(not confine._filter(), reason="a processor whose system calls are not known here")
@pytest.mark.parametrize("way", ["started", "forked"])
@pytest.mark.parametrize(
    "deed",
    [
        _TRY.format("INET", "STREAM"),
        _TRY.format("INET", "DGRAM"),
        _TRY.format("INET6", "DGRAM"),
        _TRY.format("UNIX", "STREAM"),
        "import ctypes, os; c = ctypes.CDLL(None, use_errno=True); r = c.ptrace(0, 0, 0, 0);"
        " raise SystemExit(0 if r == 0 else os.strerror(ctypes.get_errno()))",
    ],
)
def test_nobody_is_spoken_to(deed: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "forked":
        monkeypatch.setattr("vouch.starter.descriptor", lambda: None)
    if call([sys.executable, "-c", deed]).returncode != 0:
        pytest.skip("not possible here in any case")
    done = call([sys.executable, "-c", deed], writable=())
    assert done.returncode != 0
    assert b"not permitted" in done.stderr


def test_the_compiler_writes_nothing(folder: Path) -> None:
    source = folder / "a.c"
    source.write_text("int f(int x) { return x; }\n")
    stolen = folder / "outside" / "stolen.d"
    options = FrontOptions(flags=("-MD", "-MF", str(stolen)))
    with pytest.raises(VouchError):
        Clang(options).compile(Unit(str(source)), None)
    assert not stolen.exists()
    assert "define" in Clang(FrontOptions()).compile(Unit(str(source)), None)
