"""Ctrl-C while a solver runs: an exception cannot pass through its C++ code, so it has to wait for it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from vouch.forks import TIME, time_is_up


class Flag:
    """`raised` tells the solver's callback to give up."""

    __slots__ = ("raised",)

    def __init__(self) -> None:
        self.raised = False


@contextmanager
def held_back(flag: Flag) -> Iterator[None]:
    """Within, an interrupt (or that the time of the command is up) only sets the flag; at the end it becomes
    the exception that it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        flag.raised = True
        came.append(number)

    flag.raised = False
    before = {signal.SIGINT: signal.signal(signal.SIGINT, note)}
    if signal.getsignal(TIME) is time_is_up:
        before[TIME] = signal.signal(TIME, note)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if TIME in came:
        time_is_up(TIME, None)
    if came:
        raise KeyboardInterrupt
