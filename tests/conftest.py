"""What holds for all tests."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import signal
import sys
import threading

import numpy as np
import pytest

# A shell that starts the tests in the background has them ignore Ctrl-C, nohup has them ignore that the
# terminal goes away, and with them all that they start.
if threading.current_thread() is threading.main_thread():
    for _number, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(_number) is signal.SIG_IGN:
            signal.signal(_number, _handler)

# Neither has what the user's shell says to vouch or to the programs that it starts a say here.
for _name in [name for name in os.environ if name.startswith(("VOUCH_", "GITHUB_"))]:
    if _name != "VOUCH_DATA":
        del os.environ[_name]
for _name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "CPATH", "C_INCLUDE_PATH", "CC", "CFLAGS"):
    os.environ.pop(_name, None)

# Several hundred programs are started here: an installed one has its modules compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

_GROWN = 32  # MiB that a test may leave behind before they are given back


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


_floor = _resident()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What loads torch and the runtimes of networks comes last: most other tests fork this process, and each
    fork copies the tables of all that it holds."""
    items.sort(key=lambda item: item.path.parent.name in ("equiv", "nn"))


def pytest_runtest_logfinish() -> None:
    """Gives back what a test has left on the heap, for the same reason."""
    global _floor
    if _resident() - _floor > _GROWN:
        gc.collect()
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
        _floor = _resident()


def pytest_runtest_setup() -> None:
    """Some packages change for everybody what numpy does where a number is too small or too large."""
    np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
