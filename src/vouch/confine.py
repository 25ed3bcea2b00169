"""A command that may read files, and neither write nor make nor remove any but where it is told (Landlock),
nor speak to anybody (seccomp).

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
# Refused: sockets, rings (which make sockets), looking into other processes; other sets of calls as a whole.
_SECCOMP, _MODE_FILTER = 22, 2
_CALLS = {"x86_64": (0xC000003E, (41, 425, 101, 311)), "aarch64": (0xC00000B7, (198, 425, 117, 271))}
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOWED, _REFUSED = 0x7FFF0000, 0x00050001
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
    rows = _filter()
    if rows:
        text = ctypes.create_string_buffer(rows)
        program = _Program(len(rows) // 8, ctypes.addressof(text))
        _library.prctl(_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0)


class _Program(ctypes.Structure):
    _fields_ = (("count", ctypes.c_ushort), ("rows", ctypes.c_void_p))


def _filter() -> bytes:
    """The rows of the filter, as `starter/start.c` has them; none for processors that are not known."""
    if os.uname().machine not in _CALLS:
        return b""
    architecture, refused = _CALLS[os.uname().machine]
    last = len(refused) + 1
    rows = [(_LOAD, 0, 0, 4), (_EQUAL, 0, last + 2, architecture)]
    rows += [(_LOAD, 0, 0, 0), (_AT_LEAST, last, 0, 1 << 30)]
    rows += [(_EQUAL, last - 1 - place, 0, number) for place, number in enumerate(refused)]
    rows += [(_RETURN, 0, 0, _ALLOWED), (_RETURN, 0, 0, _REFUSED)]
    return b"".join(struct.pack("=HBBI", *row) for row in rows)


def _call(number: int, *arguments: int | bytes | None) -> int:
    if _library is None:
        return -1
    converted = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return int(_library.syscall(ctypes.c_long(number), *converted))
