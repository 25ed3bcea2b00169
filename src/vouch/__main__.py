"""`vouch` and `python -m vouch`: the command line.

An interrupt while the first modules load ends the process at once: there is nothing to keep yet.
"""

from __future__ import annotations

import os
import signal
from types import FrameType


def main() -> None:
    before = {number: signal.signal(number, _leave) for number in (signal.SIGINT, signal.SIGTERM)}
    from vouch.cli.main import main as command_line

    for number, handler in before.items():
        signal.signal(number, handler)
    command_line()


def _leave(number: int, frame: FrameType | None) -> None:
    os._exit(130)


if __name__ == "__main__":
    main()
