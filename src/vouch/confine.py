"""Landlock: a command that may read files, and neither write nor make nor remove any but where it is told.

The compiler reads hostile sources; a hole in it must not become a file in the user's home. Kernels before
5.13 have no Landlock: commands run there as they are.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Sequence

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls, the same numbers on every architecture
_VERSION, _BENEATH = 1, 1
_NO_NEW_PRIVILEGES = 38
_WRITE, _TRUNCATE = 1 << 1, 1 << 14
# Removing (folders, files) and making (devices, folders, files, sockets, pipes, links).
_CHANGE = sum(1 << bit for bit in range(4, 13))
_REFER = 1 << 13  # moving between folders
_TCP = 1 << 0 | 1 << 1  # binding, connecting
_OUTSIDE = 1 << 0 | 1 << 1  # abstract sockets and signals to processes that are not its own

try:
    _library: ctypes.CDLL | None = ctypes.CDLL(None, use_errno=True)
except OSError:
    _library = None


def ruleset(writable: Sequence[str] = ()) -> int | None:
    """A file descriptor for `restrict`: everything may be read, only what lies in these folders written. None
    where the kernel cannot do that."""
    version = _call(_CREATE, None, 0, _VERSION)
    if version < 1:
        return None
    files = _WRITE | _CHANGE | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    wanted = struct.pack("=QQQ", files, _TCP if version >= 4 else 0, _OUTSIDE if version >= 6 else 0)
    wanted = wanted[: 24 if version >= 6 else 16 if version >= 4 else 8]
    made = _call(_CREATE, wanted, len(wanted), 0)
    if made < 0:
        return None
    for folder in writable:
        _allow(made, folder, files)
    _allow(made, os.devnull, files & (_WRITE | _TRUNCATE))
    return made


def _allow(rules: int, path: str, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        _call(_ADD, rules, _BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def restrict(rules: int) -> None:
    """Called in the child: from here on the rules hold, for all that it starts as well. It ends where they
    cannot be set."""
    if _library is None:
        os._exit(126)
    _library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if _call(_RESTRICT, rules, 0) != 0:
        os._exit(126)


def _call(number: int, *arguments: int | bytes | None) -> int:
    if _library is None:
        return -1
    converted = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return int(_library.syscall(ctypes.c_long(number), *converted))
