"""Commands: compiler, linker, solver, native runs. They are started here and nowhere else.

Each is a process group of its own, so that Ctrl-C reaches vouch alone, and one signal ends a command with all
that it started. The kernel ends it when vouch dies.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vouch import confine, starter
from vouch.forks import die_with_parent


class OutOfTime(Exception):
    """The deadline came before the end of the command."""


def start(
    command: Sequence[str],
    *,
    memory: int | None = None,
    writable: Sequence[str] | None = None,
    **how: Any,
) -> subprocess.Popen[bytes]:
    """Start a command; `memory` limits its address space, in MiB. With `writable` it writes files in these
    folders only, and opens no connection (`vouch.confine`). `how` goes to `Popen`."""
    rules = confine.ruleset(writable) if writable is not None else None
    try:
        file = starter.descriptor()
        if file is not None:
            with contextlib.suppress(OSError):  # it says below why, or files in memory are not executed here
                return _started(file, command, memory, rules, how)
        return _forked(command, memory, rules, how)
    finally:
        if rules is not None:
            os.close(rules)


def _started(
    file: int, command: Sequence[str], memory: int | None, rules: int | None, how: dict[str, Any]
) -> subprocess.Popen[bytes]:
    """Through the small program in `file`."""
    path = command[0]
    if "/" not in path or not os.access(path, os.X_OK):
        raise FileNotFoundError(path)
    restricted = "-" if rules is None else str(rules)
    words = ["start", str(file), str(os.getpid()), str(memory or 0), restricted, path]
    kept = [*how.get("pass_fds", ()), file, *([] if rules is None else [rules])]
    how = {**how, "pass_fds": kept, "executable": f"/proc/self/fd/{file}"}
    return subprocess.Popen([*words, *command], process_group=0, **how)


def _forked(
    command: Sequence[str], memory: int | None, rules: int | None, how: dict[str, Any]
) -> subprocess.Popen[bytes]:
    parent = os.getpid()

    def prepare() -> None:
        die_with_parent(parent)
        if rules is not None:
            confine.restrict(rules)
        if memory is not None:
            limit = memory << 20
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return subprocess.Popen(command, preexec_fn=prepare, process_group=0, **how)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a command and all that it started, and wait until it is gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    process.wait()


def call(
    command: Sequence[str],
    *,
    data: bytes | None = None,
    deadline: float | None = None,
    environ: Mapping[str, str] | None = None,
    memory: int | None = None,
    writable: Sequence[str] | None = None,
    descriptors: Sequence[int] = (),
    meanwhile: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end and collect what it says; `memory` and `writable` are as for `start`. It gets
    these `descriptors` of open files beside the usual three. `meanwhile` is called once it has begun. Raises
    `OutOfTime` at the deadline (of `time.monotonic`), and `OSError` where it cannot be started."""
    source = subprocess.DEVNULL if data is None else subprocess.PIPE
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environ, "pass_fds": descriptors}
    process = start(command, memory=memory, writable=writable, stdin=source, **how)
    try:
        if meanwhile is not None:
            meanwhile()
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        out, said = process.communicate(data, timeout=left)
    except subprocess.TimeoutExpired:
        raise OutOfTime(f"no end of {os.path.basename(command[0])} in time") from None
    finally:
        if process.returncode is None:
            end(process)
    return subprocess.CompletedProcess(command, process.returncode, out, said)
