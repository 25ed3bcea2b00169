"""What a native run finds in an object from outside."""

from __future__ import annotations

from dataclasses import field

from vouch.bmc.counterexample import Address
from vouch.record import record


@record
class ObjectImage:
    """What an object holds: `near` the first bytes, of those `far` behind them what a run looks at."""

    size: int
    near: bytearray
    far: list[tuple[int, bytes]] = field(default_factory=list)
    pointers: dict[int, Address] = field(default_factory=dict)

    def put(self, at: int, content: bytes) -> None:
        if at + len(content) <= len(self.near):
            self.near[at : at + len(content)] = content
        else:
            self.far.append((at, content))
