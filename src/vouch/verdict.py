"""The verdict vocabulary and the exit codes, defined once."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum, StrEnum


class Verdict(StrEnum):
    """What is known about one question. The value is what every report prints."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    BOUND_SAFE = "bound-safe"
    COND_UNSAFE = "cond-unsafe"
    UNKNOWN = "unknown"
    TIMEOUT = "timeout"
    EQUIVALENT = "equivalent"
    DIFFERENT = "different"


class Exit(IntEnum):
    PROVED = 0
    VIOLATED = 1
    BAD_INPUT = 2
    UNDECIDED = 3
    INTERRUPTED = 130


PROVED = frozenset({Verdict.SAFE, Verdict.EQUIVALENT})
VIOLATED = frozenset({Verdict.UNSAFE, Verdict.DIFFERENT})


def exit_code(verdicts: Iterable[Verdict]) -> Exit:
    """The exit code for a set of answers: one violation outweighs all, one doubt outweighs proofs."""
    code = Exit.PROVED
    for verdict in verdicts:
        if verdict in VIOLATED:
            return Exit.VIOLATED
        if verdict not in PROVED:
            code = Exit.UNDECIDED
    return code
