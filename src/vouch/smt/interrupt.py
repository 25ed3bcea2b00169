"""Ctrl-C while a solver runs: an exception cannot pass through its C++ code, so it has to wait for it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Flag:
    """`raised` tells the solver's callback to give up."""

    __slots__ = ("raised",)

    def __init__(self) -> None:
        self.raised = False


@contextmanager
def held_back(flag: Flag) -> Iterator[None]:
    """Within, an interrupt only sets the flag; at the end it becomes the KeyboardInterrupt that it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def note(number: int, frame: FrameType | None) -> None:
        flag.raised = True

    flag.raised = False
    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if flag.raised:
        raise KeyboardInterrupt
