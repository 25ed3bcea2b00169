"""Commands are confined and end with their parent, both ways of starting them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from vouch import confine, starter
from vouch.process import call

WAYS = ["starter", "fork"]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "fork":
        monkeypatch.setattr(starter, "descriptor", lambda: None)
    else:
        assert starter.descriptor() is not None
    return str(request.param)


def shell(text: str, **how: object) -> str:
    done = call(["/bin/sh", "-c", text], **how)  # type: ignore[arg-type]
    return done.stdout.decode().strip()


def test_arguments_and_environment(way: str) -> None:
    done = call(["/bin/sh", "-c", 'printf %s "$0,$1,$V"; exit 3', "a b", ""], environ={"V": "ü"}, data=b"x")
    assert (done.returncode, done.stdout.decode()) == (3, "a b,,ü")


def test_limits(way: str, tmp_path: Path) -> None:
    assert shell("ulimit -v", memory=900) == str(900 * 1024)
    assert shell("ulimit -v") == "unlimited"
    if (rules := confine.ruleset()) is None:
        return  # no Landlock here
    os.close(rules)
    target = tmp_path / "made"
    shell(f"echo x > {target}", writable=[])
    assert not target.exists()
    shell(f"echo x > {target}", writable=[str(tmp_path)])
    assert target.exists()


def test_nothing_of_ours_is_open_in_a_command(way: str, tmp_path: Path) -> None:
    assert len(shell("ls /proc/self/fd", writable=[str(tmp_path)]).split()) == 4  # and the one of ls itself


@pytest.mark.parametrize("name", ["/nonexistent/x", "/etc/passwd", "no-such-command-at-all"])
def test_what_cannot_be_started(way: str, name: str) -> None:
    with pytest.raises(OSError, match=r"No such file|Permission denied"):
        call([name])


def test_closed_files_are_not_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    file = starter.descriptor()
    assert file is not None
    kept = os.dup(file)
    try:
        os.close(file)
        assert starter.descriptor() is None
        other = os.open("/bin/true", os.O_RDONLY)
        os.dup2(other, file)
        os.close(other)
        assert starter.descriptor() is None
        assert shell("echo still") == "still"
    finally:
        os.dup2(kept, file, inheritable=False)
        os.close(kept)
    assert starter.descriptor() == file


_PARENT = """
import sys
from vouch import starter
from vouch.process import start
if sys.argv[1] == "fork":
    starter.descriptor = lambda: None
print(start(["/bin/sleep", "600"]).pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("kind", WAYS)
def test_a_command_ends_with_its_parent(kind: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    for _ in range(500):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return
        time.sleep(0.02)
    pytest.fail("it still runs")
