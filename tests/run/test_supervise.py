"""The watching process: whatever the work does, it answers in time, and what was said until then is heard."""

from __future__ import annotations

import ctypes
import faulthandler
import fcntl
import os
import signal
import subprocess
import sys
import termios
import textwrap
import threading
import time
from array import array
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.patience import patient, slowed, within

from vouch.errors import TimeLimit, VouchError
from vouch.folder import Folder
from vouch.interrupts import answering, asked_to_end
from vouch.process import OutOfTime, call
from vouch.run import supervise
from vouch.run.supervise import Ending, Send, watch


def test_value_and_messages() -> None:
    heard: list[int] = []

    def work(send: Send) -> str:
        for number in range(5):
            send(number)
        return "value"

    end = watch(work, heard.append)
    assert (end.ending, end.value, heard) == (Ending.DONE, "value", [0, 1, 2, 3, 4])


def _busy(send: Send) -> None:
    send("before")
    while True:
        pow(3, 10**6)  # long stretches without a look at signals


def test_deadline() -> None:
    heard: list[str] = []
    with within(2):
        end = watch(_busy, heard.append, deadline=time.monotonic() + slowed(1.0))
    assert end.ending is Ending.TIMEOUT
    assert heard == ["before"]


def test_a_flood_of_messages_does_not_hide_the_deadline() -> None:
    def work(send: Send) -> None:
        while True:
            send("x" * 1000)

    with within(3):
        assert watch(work, deadline=time.monotonic() + 0.5).ending is Ending.TIMEOUT


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals(number: signal.Signals) -> None:
    heard: list[str] = []

    def hear(message: str) -> None:
        heard.append(message)
        os.kill(os.getpid(), number)

    with within(2.5):
        end = watch(_busy, hear)
    assert end.ending is Ending.INTERRUPTED
    assert heard == ["before"]


def test_work_that_is_asked_to_end_may_still_answer() -> None:
    def work(send: Send) -> str:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            return "partial"
        return "whole"

    end = watch(work, deadline=time.monotonic() + slowed(1.0), soft=True)
    assert (end.ending, end.value) == (Ending.TIMEOUT, "partial")

    def telling(send: Send) -> str:
        try:
            send("ready")
            time.sleep(60)
        except KeyboardInterrupt as asked:
            return type(asked).__name__
        return "whole"

    assert watch(telling, deadline=time.monotonic() + slowed(1.0), soft=True).value == "TimeIsUp"
    end = watch(telling, lambda _: os.kill(os.getpid(), signal.SIGINT), soft=True)
    assert (end.ending, end.value) == (Ending.INTERRUPTED, "KeyboardInterrupt")

    def deaf(send: Send) -> None:
        while True:
            with suppress(KeyboardInterrupt):
                time.sleep(60)

    with within(2.5):
        assert watch(deaf, deadline=time.monotonic() + 0.3, soft=True).ending is Ending.TIMEOUT


@pytest.mark.parametrize("error", [ImportError("half a module"), VouchError("half a file"), OSError(5, "x")])
def test_what_breaks_when_work_is_asked_to_end_is_no_answer(error: Exception) -> None:
    """Some libraries make an error of their own of an interrupt in the middle of their import."""

    def work(send: Send) -> None:
        try:
            send("ready")
            time.sleep(60)
        except KeyboardInterrupt:
            raise error from None

    end = watch(work, lambda _: os.kill(os.getpid(), signal.SIGTERM), soft=True)
    assert end.ending is Ending.INTERRUPTED


def test_a_stage_that_has_no_more_time() -> None:
    def work(send: Send) -> None:
        raise TimeLimit("in the compiler")

    assert watch(work).ending is Ending.TIMEOUT


def test_a_signal_that_came_before_the_work() -> None:
    with answering():
        os.kill(os.getpid(), signal.SIGTERM)
        with within(2):
            assert watch(_busy).ending is Ending.INTERRUPTED
        assert asked_to_end()


@pytest.mark.parametrize("soft", [False, True])
def test_a_signal_before_the_work_began(
    soft: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """It waits until somebody can answer it."""
    settle = supervise._settle

    def settle_under_fire(*arguments: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        settle(*arguments)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(supervise, "_settle", settle_under_fire)
    ending = Ending.INTERRUPTED if soft else Ending.DONE
    assert watch(lambda send: 1, soft=soft).ending is ending
    assert capfd.readouterr() == ("", "")


def test_messages_are_whole() -> None:
    """An interrupt in the middle of a message longer than the pipe."""
    heard: list[int] = []

    def work(send: Send) -> None:
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        while True:
            send(bytes(1 << 22))

    def hear(message: bytes) -> None:
        time.sleep(0.01)
        heard.append(len(message))

    assert watch(work, hear, soft=True).ending is Ending.INTERRUPTED
    assert set(heard) == {1 << 22}


def test_deaths_are_told() -> None:
    def crash(send: Send) -> None:
        faulthandler.disable()
        send("before")
        ctypes.string_at(0)

    heard: list[str] = []
    end = watch(crash, heard.append)
    assert end.ending is Ending.DIED
    assert "SIGSEGV" in end.cause
    assert heard == ["before"]
    assert "status 7" in watch(lambda send: os._exit(7)).cause


def test_errors_come_through() -> None:
    def wrong(send: Send) -> None:
        raise VouchError("a.c: no such file")

    with pytest.raises(VouchError, match=r"a\.c: no such file"):
        watch(wrong)

    def bug(send: Send) -> None:
        raise KeyError("x")

    end = watch(bug)
    assert end.ending is Ending.DIED
    assert "KeyError" in end.cause


def test_memory() -> None:
    with pytest.raises(VouchError, match="out of memory"):
        watch(lambda send: len(bytearray(64 << 30)), memory=8192)


def _running(text: str) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if text.encode() in path.read_bytes().replace(b"\0", b" "):
                found.append(int(path.parent.name))
    return found


def assert_ends(command: str, folder: Path | None = None) -> None:
    """No such process is left soon, and no such folder."""
    until = time.monotonic() + patient(2)
    while (_running(command) or (folder and folder.exists())) and time.monotonic() < until:
        time.sleep(0.02)
    assert _running(command) == []
    assert folder is None or not folder.exists()


SCRIPT = """
import os, sys, time
from vouch.folder import Folder
from vouch.process import call, start
from vouch.run.pool import run_jobs
from vouch.run import supervise
from vouch.run.supervise import watch

def job(n):
    call(["sleep", "{mark}"])

def work(send):
    with Folder("vouch-test-") as folder:
        print(folder, flush=True)
        start(["sleep", "{mark}"])
        list(run_jobs(job, [1, 2], jobs=2))

watch(work)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_the_parent(number: signal.Signals) -> None:
    mark = f"{9000 + os.getpid() / 1e6:.6f}{int(number)}"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT).format(mark=mark)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    folder = Path(process.stdout.readline().strip())
    until = time.monotonic() + patient(20)
    while len(_running(f"sleep {mark}")) < 3 and time.monotonic() < until:
        time.sleep(0.05)
    assert len(_running(f"sleep {mark}")) == 3
    assert folder.is_dir()
    process.send_signal(number)
    process.wait(30)
    assert_ends(f"sleep {mark}", folder)


def test_commands_end_at_their_deadline() -> None:
    mark = f"{1000 + os.getpid() / 1e6:.6f}"  # others may run the same test
    with within(2), pytest.raises(OutOfTime):
        call(["sh", "-c", f"sleep {mark} & sleep {mark}"], deadline=time.monotonic() + 0.3)
    assert_ends(f"sleep {mark}")
    done = call(["sh", "-c", "cat; echo said >&2; exit 3"], data=b"heard", deadline=time.monotonic() + 60)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"heard", b"said\n")


def test_a_folder_goes_with_its_owner_only() -> None:
    folder = Folder("vouch-test-")
    if os.fork() == 0:
        folder.remove()
        os._exit(0)
    os.wait()
    assert folder.path.is_dir()
    folder.remove()
    folder.remove()
    assert not folder.path.exists()


KILLED = """
import os, pathlib, signal
from vouch.folder import Folder

made = pathlib.Path.mkdir

def mkdir(path, *how, **more):
    made(path, *how, **more)
    print(path, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

pathlib.Path.mkdir = mkdir
Folder("vouch-test-")
"""


def test_a_folder_goes_although_its_owner_died_when_it_was_made() -> None:
    done = subprocess.run([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    assert done.returncode == -signal.SIGKILL
    folder = Path(done.stdout.strip())
    assert_ends("no such command", folder)


UNREAD = """
import os
from vouch.interrupts import answering
from vouch.run.supervise import watch

def work(send):
    while True:
        send("x" * 4096)

with answering():
    watch(work, lambda message: os.write(2, message.encode()))
"""


def test_messages_that_nobody_reads() -> None:
    """The watching process is held up by its own words: a second signal ends it all the same."""
    words = [sys.executable, "-c", UNREAD]
    process = subprocess.Popen(words, stderr=subprocess.PIPE)
    assert process.stderr is not None
    waiting = array("i", [0])
    full = fcntl.fcntl(process.stderr, 1032)  # F_GETPIPE_SZ
    while waiting[0] < full:
        fcntl.ioctl(process.stderr, termios.FIONREAD, waiting)
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    time.sleep(1.2)
    assert process.poll() is None
    with within(1):
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 130
    process.communicate()
