"""One process that works and one that watches: limits and signals are kept whatever the work is at.

The work runs in a fork and sends what it has decided as it goes. The watching process does nothing but wait,
so it answers at once when the time is up, when the user interrupts, or when the work dies; what was sent
until then counts. Everything that the work started ends with it (`vouch.forks`).
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import resource
import select
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from types import FrameType
from typing import Any

from vouch.errors import TimeIsUp, TimeLimit, VouchError
from vouch.forks import TIME, die_with_parent, held_back, listening, time_is_up
from vouch.interrupts import SIGNALS, asked_to_end, bells, leave
from vouch.record import frozen_record

Send = Callable[[Any], None]
_DRAIN = 0.5  # seconds to read what is still in the pipe
_TICK = 0.25
_HEARD = 1.0  # seconds in which a signal is heard
SOFT = 1.2  # seconds in which work that was asked to end may hand over what it has


class Ending(StrEnum):
    DONE = "done"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"
    DIED = "died"


@frozen_record
class Watched:
    """How the work ended; with DONE its `value`, with DIED the `cause`."""

    ending: Ending
    value: Any = None
    cause: str = ""


def watch(
    work: Callable[[Send], Any],
    hear: Callable[[Any], None] = lambda message: None,
    *,
    deadline: float | None = None,
    memory: int | None = None,
    soft: bool = False,
    tick: Callable[[], None] | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> Watched:
    """Run `work(send)` in a process of its own until it returns or `deadline` (of `time.monotonic`).

    `hear` gets every message that it sends. `memory` limits its address space in MiB. With `soft` the work
    gets an interrupt (or `TimeIsUp`) first and may still return a value. `tick` is called a few times a
    second, `meanwhile` once when the work has begun. Errors that a person can act on are raised here.
    """
    here, there = _line()
    with _woken() as (bell, rung):
        with held_back():
            child = _fork(work, here, there, memory, soft)
        there.close()
        try:
            if meanwhile is not None:
                meanwhile()
            return _follow(child, here, bell, rung, hear, deadline, soft, tick)
        finally:
            child.kill()
            here.close()


class _Line:
    """One end of a pipe that carries pickled messages."""

    def __init__(self, file: int) -> None:
        self._file = file

    def fileno(self) -> int:
        return self._file

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def send(self, message: Any) -> None:
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        left = memoryview(struct.pack("<Q", len(data)) + data)
        with held_back():  # the whole of it: the next message would not be understood
            while left:
                left = left[os.write(self._file, left) :]

    def recv(self) -> Any:
        (length,) = struct.unpack("<Q", self._read(8))
        return pickle.loads(self._read(length))

    def _read(self, length: int) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            part = os.read(self._file, min(length - len(parts), 1 << 20))
            if not part:
                raise EOFError
            parts += part
        return bytes(parts)

    def poll(self, seconds: float) -> bool:
        return bool(select.select([self], [], [], seconds)[0])


def _line() -> tuple[_Line, _Line]:
    """The end to read from and the one to write to."""
    reading, writing = os.pipe()
    return _Line(reading), _Line(writing)


class _Child:
    """The working process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.code: int | None = None

    def wait(self) -> int:
        if self.code is None:
            try:
                self.code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            except ChildProcessError:
                self.code = 0
        return self.code

    def kill(self) -> None:
        """End the work with its process group. What it started in other groups ends with it."""
        if self.code is None:
            for end in (os.killpg, os.kill):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    end(self.pid, signal.SIGKILL)
            self.wait()

    def ask_to_end(self, ending: Ending) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGINT if ending is Ending.INTERRUPTED else TIME)

    def cause(self) -> str:
        code = self.wait()
        if code >= 0:
            return f"the process ended with status {code}"
        if -code == signal.SIGKILL:
            return "the process was killed, most likely for want of memory"
        return f"the process ended by {signal.Signals(-code).name}"


def _follow(
    child: _Child,
    here: _Line,
    bell: int,
    rung: list[int],
    hear: Callable[[Any], None],
    limit: float | None,
    soft: bool,
    tick: Callable[[], None] | None,
) -> Watched:
    ending: Ending | None = None
    while True:
        files = [here.fileno(), bell]
        ready = select.select(files, [], [], _patience(limit, tick is not None))[0]
        if tick is not None:
            tick()
        if rung or (limit is not None and time.monotonic() >= limit):
            again, ending = ending is not None, ending or (Ending.INTERRUPTED if rung else Ending.TIMEOUT)
            if again or not soft:
                return _ended(child, here, hear, ending)
            child.ask_to_end(ending)  # with a little time to do so
            limit = time.monotonic() + SOFT
            rung.clear()
        if bell in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(bell, 64)
        if here.fileno() in ready and (answer := _take(here, hear)) is not None:
            return _understood(answer, ending, child)


def _patience(limit: float | None, ticking: bool) -> float | None:
    left = None if limit is None else max(0.0, limit - time.monotonic())
    if not ticking:
        return left
    return _TICK if left is None else min(left, _TICK)


def _take(here: _Line, hear: Callable[[Any], None]) -> tuple[str, Any] | None:
    """Read one message; the last one is returned."""
    try:
        kind, content = here.recv()
    except (EOFError, OSError, pickle.UnpicklingError):
        return "died", None
    if kind == "said":
        hear(content)
        return None
    return kind, content


def _understood(answer: tuple[str, Any], ending: Ending | None, child: _Child) -> Watched:
    """Work that was asked to end has ended for that, whatever went wrong then: an interrupt in the middle of
    an import makes a broken module of it."""
    kind, content = answer
    if kind == "value":
        return Watched(ending or Ending.DONE, content)
    if ending is not None:
        return Watched(ending)
    if kind == "error":
        raise VouchError(content)
    if kind == "late":
        return Watched(Ending.TIMEOUT)
    if kind == "interrupted":
        return Watched(Ending.INTERRUPTED)
    return Watched(Ending.DIED, cause=content if kind == "failed" else child.cause())


def _ended(child: _Child, here: _Line, hear: Callable[[Any], None], ending: Ending) -> Watched:
    """End the work, and hear what it said before."""
    child.kill()
    until = time.monotonic() + _DRAIN
    while time.monotonic() < until and here.poll(max(0.0, until - time.monotonic())):
        if (answer := _take(here, hear)) is not None:
            return Watched(Ending.DONE, answer[1]) if answer[0] == "value" else Watched(ending)
    return Watched(ending)


# ---------------------------------------------------------------- the working process


def _fork(work: Callable[[Send], Any], here: _Line, there: _Line, memory: int | None, soft: bool) -> _Child:
    """Called with signals held back: they interrupt the work in `_report`, never what stands around it."""
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            here.close()
            _settle(parent, memory, soft)
            _report(work, there)
            code = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.flush()
            os._exit(code)
    with contextlib.suppress(OSError):
        os.setpgid(child, child)  # both do it: whoever is first
    return _Child(child)


def _settle(parent: int, memory: int | None, soft: bool) -> None:
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.default_int_handler if soft else signal.SIG_IGN)
    signal.signal(TIME, time_is_up if soft else signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # it may write to the terminal
    die_with_parent(parent)
    if memory is not None:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (memory << 20, resource.getrlimit(resource.RLIMIT_AS)[1]))
    gc.freeze()
    gc.set_threshold(500_000, 20, 50)  # the process ends with its work: little of it is garbage before


def _report(work: Callable[[Send], Any], there: _Line) -> None:
    """Do the work and send how it ended. Processes forked further down send nothing."""
    own = os.getpid()

    def send(message: Any) -> None:
        if os.getpid() == own:
            there.send(("said", message))

    try:
        with listening():
            last = ("value", work(send))
    except (TimeLimit, TimeIsUp):
        last = ("late", None)
    except VouchError as error:
        last = ("error", str(error))
    except KeyboardInterrupt:
        last = ("interrupted", None)
    except MemoryError:
        last = ("error", "out of memory")
    except RecursionError:
        last = ("error", "nested too deeply")
    except OSError as error:
        last = ("error", str(error))
    except Exception as error:
        if "-v" in sys.argv or "--verbose" in sys.argv:
            sys.excepthook(*sys.exc_info())
        last = ("failed", f"internal error: {type(error).__name__}: {error}")
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()  # who gets the answer ends this process
    there.send(last)


# ---------------------------------------------------------------- the watching process


@contextmanager
def _woken() -> Iterator[tuple[int, list[int]]]:
    """A file that becomes readable when a signal comes, and the signals that came."""
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    rung: list[int] = [0] if asked_to_end() else []  # before there was any work

    first = time.monotonic()

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal first
        if not rung:
            first = time.monotonic()
        elif bells() and time.monotonic() - first > _HEARD:
            leave(number, frame)  # whoever should hear the first one waits for a reader of what it says
        rung.append(number)

    main = threading.current_thread() is threading.main_thread()
    before: dict[int, Any] = {}
    wakeup = -1
    try:
        if main:
            wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                    before[number] = signal.signal(number, note)
        if rung:
            os.write(writing, b"0")
        yield reading, rung
    finally:
        for restored, handler in before.items():
            signal.signal(restored, handler)
        if main:
            signal.set_wakeup_fd(wakeup)
        os.close(reading)
        os.close(writing)
