"""What a native run may use."""

from __future__ import annotations

from vouch.record import frozen_record


@frozen_record
class ReplayLimits:
    """`seconds` of processor time and of waiting; `memory` in bytes that the run really touches."""

    seconds: float = 10.0
    memory: int = 1 << 30
    output: int = 1 << 20  # bytes of reports
