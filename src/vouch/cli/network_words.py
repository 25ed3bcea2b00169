"""What the commands about networks share: numbers on the command line, and how far a proof is."""

from __future__ import annotations

import sys
import time
from typing import Any, Self

from vouch.settings import Settings


def each(text: str, shape: tuple[int, ...]) -> Any:
    """One number for all inputs, or a point."""
    from vouch.nn.points import read_point

    try:
        return float(text)
    except ValueError:
        return read_point(text, shape)


class NetworkProgress:
    """Shows the share that is proved: a line that changes on a terminal, a line now and then elsewhere."""

    EVERY = 10.0  # seconds between plain lines

    def __init__(self, settings: Settings) -> None:
        self.quiet, self.live = settings.quiet, sys.stderr.isatty()
        self.last = time.monotonic()
        self.width = 0

    def __enter__(self) -> Self:
        return self

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if self.quiet or now - self.last < (0.2 if self.live else self.EVERY):
            return
        share = min(share, 0.999)  # not done before it is done
        self.last, text = now, f"{100 * share:.1f} % proved"
        if self.live:
            done = int(30 * share)
            text = f"[{'#' * done}{'.' * (30 - done)}] {text}"
            print(f"\r{text}", end="", file=sys.stderr, flush=True)
            self.width = len(text)
        else:
            print(text, file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.width:
            print(f"\r{' ' * self.width}\r", end="", file=sys.stderr, flush=True)
