"""A limit on what reading a file may allocate: a few bytes can claim to be a network of many gigabytes."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vouch.errors import VouchError

LEAST = 4 << 30  # bytes, for any file
TIMES = 32  # and so many times its size: weights are held as float64, and as they were
_FEWEST = 1 << 25


def most_numbers(size: int) -> int:
    """How many numbers may come out of a file of `size` bytes: packed well, or computed from others."""
    return min(max(_FEWEST, 8 * size), 1 << 28)


@contextmanager
def limited(path: Path) -> Iterator[None]:
    """While the file is read, the process may grow by `LEAST` bytes, or as many as a large file needs.
    VouchError where that is not enough."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    try:
        allowed = max(LEAST, TIMES * path.stat().st_size)
    except OSError:
        allowed = LEAST
    limit = _address_space() + allowed
    if before[0] != resource.RLIM_INFINITY:
        limit = min(limit, before[0])
    resource.setrlimit(resource.RLIMIT_AS, (limit, before[1]))
    try:
        yield
    except MemoryError:
        raise VouchError(f"{path}: needs more than {allowed >> 30} GiB of memory to be read") from None
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def _address_space() -> int:
    """Bytes of address space that the process has now."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 1 << 40  # no such file system: growth cannot be limited here
    return pages * resource.getpagesize()
