"""Signals that ask a command to end, and what they do.

While modules load and words are read there is nothing to keep: one ends the process (`leave`). From then on
(`answering`) none raises an exception in the middle of anything. It rings a bell, on which whoever waits for
work ends it, and the answer has a moment to get out. Then, or with a second signal, the process ends.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CODE = 130
_MOMENT = 1.5  # seconds of its own that an answer may take after a signal, or be held up by its reader
_TICK = 0.25
_STILL = 0.005  # seconds of processor time in a tick: a process that uses less is not at work

_came: list[int] = []
_bell = -1


def leave(number: int, frame: FrameType | None) -> None:
    os._exit(_CODE)


def asked_to_end() -> bool:
    """Whether a signal came while the answer was made."""
    return bool(_came)


def bells() -> Sequence[int]:
    """Files to wait for beside those that one waits for: they are readable once a signal came. None where
    nobody is `answering`: signals raise exceptions there."""
    return () if _bell < 0 else (_bell,)


def wait_for_one() -> None:
    """Wait for a signal; it asks for nothing more than the end of the wait."""
    import select

    select.select(bells(), [], [])
    _forget()


@contextmanager
def answering() -> Iterator[None]:
    """Signals wait for the answer that is made in here, if it does not take long."""
    global _bell
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    _came.clear()
    before: dict[int, Any] = {}
    wakeup = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    _bell = reading
    try:
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                before[number] = signal.signal(number, _note)
        yield
    finally:
        for restored, handler in before.items():
            with suppress(TypeError):  # one that was not set by Python
                signal.signal(restored, handler)
        signal.set_wakeup_fd(wakeup)
        _bell = -1
        _forget()
        os.close(reading)
        os.close(writing)


def _forget() -> None:
    if _came:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, _alarms.pop())
        _came.clear()


_alarms: list[Any] = []
_used = _seen = _until = 0.0


def _note(number: int, frame: FrameType | None) -> None:
    global _used, _seen, _until
    if _came:
        leave(number, frame)
    _came.append(number)
    _alarms.append(signal.signal(signal.SIGALRM, _look))  # not before: it may be somebody else's
    _used = _seen = time.process_time()
    _until = time.monotonic() + _MOMENT
    signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)


def _look(number: int, frame: FrameType | None) -> None:
    """End where the answer takes long: by its own doing, or since nobody reads it. Other work on the machine,
    which takes time as well, is no reason."""
    global _seen
    now = time.process_time()
    still, _seen = now - _seen < _STILL, now
    if now - _used > _MOMENT or (still and time.monotonic() > _until):
        leave(number, frame)
