"""A store of compiler output by content, shared by all runs of a user.

It only ever saves time: if the folder cannot be written, is full or holds damaged files, the answer is the
same as without it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path

LIMIT = 512 * 1024 * 1024  # bytes on disk
_PRUNE_EVERY = 64  # one of so many new entries looks at the size of the whole


def default_folder() -> Path:
    """`VOUCH_CACHE_DIR`, or `vouch` in the user's cache folder."""
    if own := os.environ.get("VOUCH_CACHE_DIR"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "vouch"


def key_of(parts: Iterable[bytes | str]) -> str:
    """A name for content that these parts determine."""
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()


class Cache:
    def __init__(self, folder: Path | None = None, limit: int = LIMIT) -> None:
        self._folder = folder or default_folder()
        self._limit = limit

    def get(self, key: str) -> bytes | None:
        path = self._path(key)
        try:
            content = zlib.decompress(path.read_bytes())
        except (OSError, zlib.error):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # what is used stays
        return content

    def put(self, key: str, content: bytes) -> None:
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(zlib.compress(content, 1))
                os.replace(name, path)
            except OSError:
                os.unlink(name)
                raise
            if int(key[:4], 16) % _PRUNE_EVERY == 0:
                self.prune()
        except OSError:
            return

    def prune(self) -> None:
        """Remove the entries that were not used for longest until three quarters of the limit are kept."""
        entries = []
        for path in self._folder.glob("*/*"):
            try:
                status = path.stat()
            except OSError:
                continue
            entries.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in entries)
        if total <= self._limit:
            return
        for _, size, path in sorted(entries, key=lambda entry: entry[0]):
            path.unlink(missing_ok=True)
            total -= size
            if total <= self._limit * 3 // 4:
                return

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]
