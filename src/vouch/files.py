"""Reading what the user or the program under test names: plain files of a sensible size, and nothing else.

A pipe would block, a device never ends, and both can be called anything.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from vouch.errors import VouchError

LARGEST = 1 << 30  # bytes


def require_plain(path: str | os.PathLike[str], limit: int = LARGEST) -> os.stat_result:
    """`VouchError` unless `path` is a regular file that is not larger than `limit`."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        raise VouchError(f"{os.fspath(path)}: {getattr(error, 'strerror', None) or error}") from None
    if stat.S_ISDIR(status.st_mode):
        raise VouchError(f"{os.fspath(path)}: is a folder")
    if not stat.S_ISREG(status.st_mode):
        raise VouchError(f"{os.fspath(path)}: not a regular file")
    if status.st_size > limit:
        raise VouchError(f"{os.fspath(path)}: larger than {limit >> 20} MiB")
    return status


def read_bytes(path: str | os.PathLike[str], limit: int = LARGEST) -> bytes:
    """The contents of a regular file."""
    require_plain(path, limit)
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise VouchError(f"{os.fspath(path)}: {error.strerror}") from None


def read_text(path: str | os.PathLike[str], limit: int = LARGEST) -> str:
    """The contents of a regular file in UTF-8."""
    try:
        return read_bytes(path, limit).decode("utf-8")
    except UnicodeDecodeError as error:
        raise VouchError(f"{os.fspath(path)}: not UTF-8 (byte {error.start})") from None
