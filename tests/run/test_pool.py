"""The pool: a job may crash, hang, eat memory or raise, and only that job suffers."""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.patience import patient, slowed, within

from vouch.run.pool import Failure, run_jobs


def test_results_come_in_order() -> None:
    def job(n: int) -> int:
        time.sleep(0.05 if n == 0 else 0)
        return n * n

    assert [(n, out.value) for n, out in run_jobs(job, range(20), jobs=2)] == [(n, n * n) for n in range(20)]


def test_unordered_results_come_when_ready() -> None:
    late = slowed(0.5)

    def job(n: int) -> int:
        time.sleep(late if n == 0 else 0)
        return n

    got = [n for n, _ in run_jobs(job, range(4), jobs=2, ordered=False)]
    assert got[-1] == 0
    assert sorted(got) == [0, 1, 2, 3]


def test_workers_see_what_the_caller_built() -> None:
    built = {"answer": lambda: 42}  # not picklable
    assert [out.value for _, out in run_jobs(lambda key: built[key](), ["answer"])] == [42]


def _misbehave(kind: str) -> object:
    match kind:
        case "segfault":
            faulthandler.disable()  # no report: the crash is meant
            ctypes.string_at(0)
        case "exit":
            os._exit(7)
        case "abort":
            faulthandler.disable()
            os.abort()
        case "memory":
            return len(bytearray(4 << 30))
        case "sleep":
            time.sleep(60)
        case "raise":
            raise ValueError("bad input")
        case "unpicklable":
            return lambda: 0
    return kind


def test_every_kind_of_failure_costs_one_job() -> None:
    items = ["fine", "segfault", "fine", "exit", "abort", "memory", "sleep", "raise", "unpicklable", "fine"]
    with within(30):
        outcomes = run_jobs(_misbehave, items, jobs=2, timeout=slowed(2.0), memory=512)
        got = [(item, out.failure) for item, out in outcomes]
    assert got == [
        ("fine", None),
        ("segfault", Failure.CRASH),
        ("fine", None),
        ("exit", Failure.CRASH),
        ("abort", Failure.CRASH),
        ("memory", Failure.MEMORY),
        ("sleep", Failure.TIMEOUT),
        ("raise", Failure.ERROR),
        ("unpicklable", Failure.ERROR),
        ("fine", None),
    ]


def test_messages_name_the_cause() -> None:
    found = {item: out.message for item, out in run_jobs(_misbehave, ["segfault", "exit", "raise"])}
    found |= {item: out.message for item, out in run_jobs(_misbehave, ["sleep"], timeout=0.5)}
    assert "SIGSEGV" in found["segfault"]
    assert "status 7" in found["exit"]
    assert found["raise"] == "ValueError: bad input"
    assert found["sleep"] == "no answer in 0.5 s"


def test_a_late_job_takes_its_children_along() -> None:
    mark = f"{900 + os.getpid() / 1e6:.6f}"  # others may run the same test

    def job(_: int) -> None:
        subprocess.run(["sleep", mark], check=False)

    [(_, outcome)] = run_jobs(job, [0], timeout=0.5)
    assert outcome.failure is Failure.TIMEOUT
    until = time.monotonic() + patient(2)
    while (left := f"sleep\0{mark}\0".encode() in _command_lines()) and time.monotonic() < until:
        time.sleep(0.02)
    assert not left


def _command_lines() -> list[bytes]:
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            lines.append(path.read_bytes())
    return lines


def test_leaving_early_ends_the_workers() -> None:
    with within(10):
        for _ in run_jobs(lambda n: time.sleep(n), [0, 60, 60], jobs=2):
            break


def test_many_small_jobs_outlive_their_workers() -> None:
    outcomes = list(run_jobs(lambda n: os.getpid(), range(450), jobs=1))
    assert all(out.ok for _, out in outcomes)
    assert len({out.value for _, out in outcomes}) == 3


def test_no_items() -> None:
    assert list(run_jobs(lambda n: n, [], jobs=4)) == []


def test_interrupt_ends_everything() -> None:
    script = textwrap.dedent("""
        import time
        from vouch.run.pool import run_jobs
        def job(n):
            print("started", flush=True)
            time.sleep(60)
        list(run_jobs(job, [1, 2], jobs=2))
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors


def test_the_deadline_ends_all_jobs() -> None:
    with within(20):
        end = time.monotonic() + slowed(1.0)
        outcomes = list(run_jobs(lambda n: time.sleep(n), [0, 60, 60, 60], jobs=2, deadline=end))
    assert [out.failure for _, out in outcomes] == [None] + 3 * [Failure.TIMEOUT]


def test_what_a_job_said_counts_whatever_becomes_of_it() -> None:
    def job(n: int, say: Callable[[int], None]) -> int:
        say(n)
        say(n + 1)
        if n == 20:
            os._exit(1)
        return n + 2

    heard: list[tuple[int, int]] = []
    outcomes = dict(run_jobs(job, [10, 20], jobs=1, hear=lambda item, said: heard.append((item, said))))
    assert heard == [(10, 10), (10, 11), (20, 20), (20, 21)]
    assert outcomes[10].value == 12
    assert outcomes[20].failure is Failure.CRASH


def test_a_worker_that_has_grown_is_replaced() -> None:
    held: list[mmap.mmap] = []  # what malloc gives may come from what the tests before have left

    def job(n: int) -> int:
        held.append(mmap.mmap(-1, 200 << 20))
        return os.getpid()

    outcomes = [out for _, out in run_jobs(job, range(6), jobs=1, memory=512)]
    assert all(out.ok for out in outcomes)
    assert len({out.value for out in outcomes}) == 6
