"""Child processes: none outlives its parent, however that ends, and no folder of a run stays behind.

Commands (compiler, linker, solver, native runs) are started here and nowhere else. Each is a process group
of its own, so that Ctrl-C reaches vouch alone, and one signal ends a command with all that it started. The
kernel ends it when vouch dies.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from vouch import confine

_PR_SET_PDEATHSIG = 1
_prctl: Callable[..., int] | None = None
with contextlib.suppress(OSError, AttributeError):
    _prctl = ctypes.CDLL(None).prctl


class OutOfTime(Exception):
    """The deadline came before the end of the command."""


def die_with_parent(parent: int | None = None) -> None:
    """Called in a child: it is killed when its parent ends. `parent` is the parent's id, if it is known: a
    parent that is gone already sends no signal any more."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def start(
    command: Sequence[str],
    *,
    memory: int | None = None,
    writable: Sequence[str] | None = None,
    **how: Any,
) -> subprocess.Popen[bytes]:
    """Start a command; `memory` limits its address space, in MiB. With `writable` it writes files in these
    folders only, and opens no connection (`vouch.confine`). `how` goes to `Popen`."""
    parent = os.getpid()
    rules = confine.ruleset(writable) if writable is not None else None

    def prepare() -> None:
        die_with_parent(parent)
        if rules is not None:
            confine.restrict(rules)
        if memory is not None:
            limit = memory << 20
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    try:
        return subprocess.Popen(command, preexec_fn=prepare, process_group=0, **how)
    finally:
        if rules is not None:
            os.close(rules)


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
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end and collect what it says; `memory` and `writable` are as for `start`. It gets
    these `descriptors` of open files beside the usual three. Raises
    `OutOfTime` at the deadline (of `time.monotonic`), and `OSError` where it cannot be started."""
    source = subprocess.DEVNULL if data is None else subprocess.PIPE
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": environ, "pass_fds": descriptors}
    process = start(command, memory=memory, writable=writable, stdin=source, **how)
    try:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        out, said = process.communicate(data, timeout=left)
    except subprocess.TimeoutExpired:
        raise OutOfTime(f"no end of {os.path.basename(command[0])} in time") from None
    finally:
        if process.returncode is None:
            end(process)
    return subprocess.CompletedProcess(command, process.returncode, out, said)


class Folder:
    """A folder for one run. A small process of its own removes it when this one ends in any way."""

    def __init__(self, prefix: str) -> None:
        import tempfile

        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        self._owner = os.getpid()
        reading, self._alive = os.pipe()
        try:
            self._keeper = os.fork()
        except OSError:
            self._keeper = 0
        if self._keeper == 0 and os.getpid() != self._owner:
            _keep(self.path, reading)
        os.close(reading)

    def remove(self) -> None:
        if os.getpid() != self._owner or self._alive < 0:
            return
        import shutil

        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._alive)
        self._alive = -1
        if self._keeper:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._keeper, 0)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


def _keep(folder: Path, reading: int) -> None:
    """The keeper: waits until nobody holds the other end of the pipe, then removes the folder."""
    import shutil

    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        highest = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        os.closerange(0, reading)
        os.closerange(reading + 1, min(highest, 1 << 16))
        os.read(reading, 1)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os._exit(0)
