"""What forked processes rely on: none outlives its parent, and none gets a signal before it has said what to
do with one."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Callable, Iterator
from types import FrameType

from vouch.errors import TimeIsUp

_PR_SET_PDEATHSIG = 1
_prctl: Callable[..., int] | None = None
with contextlib.suppress(OSError, AttributeError):
    _prctl = ctypes.CDLL(None).prctl

TIME = signal.SIGUSR1  # tells work that its time is up


def time_is_up(number: int, frame: FrameType | None) -> None:
    """What `TIME` does in work that may still answer with what it has."""
    raise TimeIsUp


INTERRUPTS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, TIME})


@contextlib.contextmanager
def held_back() -> Iterator[None]:
    """Signals wait until the block ends: whoever is interrupted in it has done all of it, and a child that
    is forked in it gets no signal before it says what to do with one (`listening`)."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def listening() -> Iterator[None]:
    """In a child forked while signals were held back: they come in this block, and only there."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)  # one that came before is raised here


def die_with_parent(parent: int | None = None) -> None:
    """Called in a child: it is killed when its parent ends. `parent` is the parent's id, if it is known: a
    parent that is gone already sends no signal any more."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os._exit(1)
