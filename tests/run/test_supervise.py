"""The watching process: whatever the work does, it answers in time, and what was said until then is heard."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from tests.patience import patient, within

from vouch.errors import VouchError
from vouch.process import Folder, OutOfTime, call
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
        end = watch(_busy, heard.append, deadline=time.monotonic() + patient(0.5))
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
    timer = threading.Timer(patient(0.5), os.kill, (os.getpid(), number))
    timer.start()
    with within(2.5):
        end = watch(_busy, heard.append)
    assert end.ending is Ending.INTERRUPTED
    assert heard == ["before"]


def test_work_that_is_asked_to_end_may_still_answer() -> None:
    def work(send: Send) -> str:
        try:
            time.sleep(60)
        except KeyboardInterrupt:
            return "partial"
        return "whole"

    end = watch(work, deadline=time.monotonic() + patient(0.3), soft=True)
    assert (end.ending, end.value) == (Ending.TIMEOUT, "partial")

    def telling(send: Send) -> str:
        try:
            time.sleep(60)
        except KeyboardInterrupt as asked:
            return type(asked).__name__
        return "whole"

    assert watch(telling, deadline=time.monotonic() + patient(0.3), soft=True).value == "TimeIsUp"
    threading.Timer(patient(0.3), os.kill, (os.getpid(), signal.SIGINT)).start()
    end = watch(telling, soft=True)
    assert (end.ending, end.value) == (Ending.INTERRUPTED, "KeyboardInterrupt")

    def deaf(send: Send) -> None:
        while True:
            with suppress(KeyboardInterrupt):
                time.sleep(60)

    with within(2.5):
        assert watch(deaf, deadline=time.monotonic() + 0.3, soft=True).ending is Ending.TIMEOUT


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


SCRIPT = """
import os, sys, time
from vouch.process import Folder, call, start
from vouch.run.pool import run_jobs
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
    mark = f"{9000 + os.getpid() % 997}.{int(number)}"
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
    until = time.monotonic() + patient(2)
    while (_running(f"sleep {mark}") or folder.exists()) and time.monotonic() < until:
        time.sleep(0.05)
    assert _running(f"sleep {mark}") == []
    assert not folder.exists()


def test_commands_end_at_their_deadline() -> None:
    with within(2), pytest.raises(OutOfTime):
        call(["sh", "-c", "sleep 1234.5 & sleep 1234.5"], deadline=time.monotonic() + 0.3)
    assert _running("sleep 1234.5") == []
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
