"""How far a run is, on stderr: a line that changes on a terminal, elsewhere a plain one every few seconds."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

from vouch.settings import Settings

if TYPE_CHECKING:
    from vouch.run.checking import Seen

_EVERY = 5.0  # seconds between plain lines
_LIVE = 0.1  # and between changes of the line on a terminal


class Progress:
    """Called with what is known of the run. With -v every stage has a line where there is no terminal."""

    def __init__(self, settings: Settings) -> None:
        self._quiet, self._verbose = settings.quiet, settings.verbose
        self._live = sys.stderr.isatty()
        self._limit = settings.timeout
        self._began = self._last = time.monotonic()
        self._stage = ""
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def __call__(self, seen: Seen) -> None:
        if self._quiet:
            return
        now = time.monotonic()
        if self._verbose and not self._live and seen.stage != self._stage:
            self._stage = seen.stage
            print(f"{seen.stage} …", file=sys.stderr, flush=True)
        if now - self._last < (_LIVE if self._live else _EVERY):
            return
        self._last = now
        text = self.text(seen)
        if self._live:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
            self._shown = True
        else:
            print(text, file=sys.stderr, flush=True)

    def text(self, seen: Seen) -> str:
        """Where the run is, in one line."""
        now = time.monotonic()
        parts = [seen.stage or "start"]
        if seen.record.checks:
            parts.append(f"{len(seen.answered)} of {len(seen.record.checks)} checks decided")
        if seen.violated:
            parts.append(f"{len(seen.violated)} violated")
        if self._limit is not None:
            parts.append(f"{max(0.0, self._limit - (now - self._began)):.0f} s left")
        else:
            parts.append(f"{now - self._began:.0f} s")
        return ", ".join(parts)
