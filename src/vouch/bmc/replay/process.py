"""Running the binary: a process of its own with an empty environment, and limits on time and memory.

What is started is the launcher (`launcher/launch.c`): it takes all system calls from itself but reading from
and writing to vouch, and only then loads the binary. The limits kept here are for what needs no system call:
time and memory.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import selectors
import signal
import subprocess
import time
from pathlib import Path

from vouch.bmc.replay.build import ReplayBinary
from vouch.bmc.replay.limits import ReplayLimits
from vouch.process import end, start
from vouch.record import record

_TICK = 0.05  # seconds between two looks at the memory in use


@record
class NativeRun:
    """`output` is what the runtime reported, `stopped` why the run did not end by itself; `full`: because it
    had used up its memory."""

    output: bytes
    stopped: str | None
    full: bool = False


def run(binary: ReplayBinary, data: bytes, limits: ReplayLimits) -> NativeRun:
    """Feed `data` to the binary and collect what it reports."""
    seconds = max(1, math.ceil(limits.seconds))
    process = start(
        [str(binary.launcher), str(binary.path), str(seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
        cwd=binary.path.parent,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(data)
            process.stdin.close()
        done = _collect(process, limits)
    finally:
        end(process)
    if done.stopped is None and process.returncode < 0:
        done.stopped = _signal(process.returncode)
    return done


def _collect(process: subprocess.Popen[bytes], limits: ReplayLimits) -> NativeRun:
    assert process.stdout is not None
    deadline = time.monotonic() + limits.seconds
    output = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if selector.select(_TICK):
                chunk = os.read(process.stdout.fileno(), 1 << 16)
                if not chunk:
                    process.wait()
                    return NativeRun(bytes(output), None)
                output += chunk
                if len(output) > limits.output:
                    return NativeRun(bytes(output), "too many reports")
            if time.monotonic() > deadline:
                return NativeRun(bytes(output), f"no end within {limits.seconds:g} s")
            if _resident(process.pid) > limits.memory:
                return NativeRun(bytes(output), f"more than {limits.memory >> 20} MiB of memory", full=True)


def _resident(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * resource.getpagesize()


def _signal(code: int) -> str:
    if -code in (signal.SIGXCPU, signal.SIGKILL):
        return "the time limit was reached"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"the program was stopped by {name}"
