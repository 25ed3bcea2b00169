"""Errors a person can act on: one line, no traceback, exit code 2."""

from __future__ import annotations


class VouchError(Exception):
    """Bad usage or bad input. The message is one line that says what is wrong and where."""

    def __init__(self, message: str = "") -> None:
        # Names in it come from files, which may put anything into them.
        super().__init__(" ".join(message.split()) if len(message.splitlines()) > 1 else message)


class TimeLimit(VouchError):
    """The time limit of the command, in a stage that has nothing to show before its end. No mistake of the
    user's: the answer is that there is none (`unknown`, `timeout`)."""


class Unsupported(Exception):
    """A construct that an engine cannot decide. Never escapes to the user as a crash: whoever
    catches it turns it into an `unknown` verdict whose reason is this message."""


class TimeIsUp(KeyboardInterrupt):
    """The time limit of the command. Like an interrupt it can come at any moment, and passes whoever does not
    mean to answer with what is decided so far."""
