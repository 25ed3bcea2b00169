"""`vouch` and `python -m vouch`: the command line.

A signal while the first modules load ends the process at once: there is nothing to keep yet.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            signal.signal(number, _leave)
    gc.set_threshold(50_000, 20, 50)  # what is loaded stays: looking for garbage in it is a tenth of a start
    from vouch.cli.main import main as command_line

    try:
        command_line()
    except SystemExit as end:
        _end(end.code)


def _end(code: object) -> None:
    """Without taking everything apart again: what was started ends with this process, and files close."""
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it, which the command line has said
            stream.flush()
    os._exit(code if isinstance(code, int) else 1)


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(130)


if __name__ == "__main__":
    main()
