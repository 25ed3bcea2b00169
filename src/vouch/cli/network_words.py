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
    """How far a proof is and how much time is left: a line that changes on a terminal, elsewhere a plain one
    every few seconds. `tick` is called now and then, also where nobody tells the share that is proved."""

    EVERY = 5.0  # seconds between plain lines
    _LIVE = 0.2
    _BAR = 30

    def __init__(self, settings: Settings) -> None:
        self.quiet, self.live = settings.quiet, sys.stderr.isatty()
        self.began = self.last = time.monotonic()
        self.limit = settings.timeout
        self.share: float | None = None
        self.width = 0

    def __enter__(self) -> Self:
        return self

    def __call__(self, share: float) -> None:
        self.share = min(share, 0.999)  # not done before it is done
        self.tick()

    def tick(self) -> None:
        now = time.monotonic()
        if self.quiet or now - self.last < (self._LIVE if self.live else self.EVERY):
            return
        self.last, text = now, self.text()
        if not self.live:
            print(text, file=sys.stderr, flush=True)
            return
        if self.share is not None:
            done = int(self._BAR * self.share)
            text = f"[{'#' * done}{'.' * (self._BAR - done)}] {text}"
        print(f"\r{text.ljust(self.width)}", end="", file=sys.stderr, flush=True)
        self.width = len(text)

    def text(self) -> str:
        spent = time.monotonic() - self.began
        clock = f"{spent:.0f} s" if self.limit is None else f"{max(0.0, self.limit - spent):.0f} s left"
        return clock if self.share is None else f"{100 * self.share:.1f} % proved, {clock}"

    def line(self, text: str) -> None:
        """Something that is decided, on a line of its own."""
        self.clear()
        print(text, file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.width:
            print(f"\r{' ' * self.width}\r", end="", file=sys.stderr, flush=True)
            self.width = 0

    def __exit__(self, *_: object) -> None:
        self.clear()
