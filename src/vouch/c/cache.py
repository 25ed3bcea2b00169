"""A store of compiler output by content, shared by all runs of a user.

It only ever saves time: if the folder cannot be written, is full or holds damaged files, the answer is the
same as without it. What it holds is compiled and run, and a folder can come from elsewhere (a build service
hands it from job to job): every entry is sealed with a key that lies outside the folder, and one whose seal
is broken is as good as none.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from vouch.errors import VouchError
from vouch.files import read_bytes

try:
    from _blake2 import blake2b  # `hashlib` loads all of OpenSSL first, which takes longer than a small file
except ImportError:
    from hashlib import blake2b

LIMIT = 512 * 1024 * 1024  # bytes on disk
_FORMAT = b"vouch cache 2\n"
_SEAL = 32  # bytes of a digest
_PRUNE_EVERY = 64  # one of so many new entries looks at the size of the whole


def default_folder() -> Path:
    """`VOUCH_CACHE_DIR`, or `vouch` in the user's cache folder."""
    if own := os.environ.get("VOUCH_CACHE_DIR"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "vouch"


@lru_cache(maxsize=4)
def _secret(given: str | None, folder: str) -> bytes | None:
    """The key of the seals: `VOUCH_CACHE_KEY`, or one made once for this user. None: it cannot be kept, and
    there is no cache."""
    if given:
        return blake2b(given.encode("utf-8", "surrogateescape"), digest_size=_SEAL).digest()
    path = Path(folder) / "cache-key"
    if (kept := _kept_secret(path)) is not None:
        return kept
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = _new_file(path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(os.urandom(32))
            with contextlib.suppress(FileExistsError):
                os.link(name, path)  # whoever comes first decides
        finally:
            os.unlink(name)
    return _kept_secret(path)


def _kept_secret(path: Path) -> bytes | None:
    """The key, if nobody else can know it."""
    with contextlib.suppress(OSError):
        status = path.stat()
        if status.st_uid == os.getuid() and status.st_mode & 0o077 == 0 and status.st_size == 32:
            return path.read_bytes()
    return None


def secret() -> bytes | None:
    base = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return _secret(os.environ.get("VOUCH_CACHE_KEY"), os.path.join(base, "vouch"))


def _new_file(folder: Path) -> tuple[int, str]:
    import tempfile

    return tempfile.mkstemp(dir=folder, prefix=".new-")


def key_of(parts: Iterable[bytes | str]) -> str:
    """A name for content that these parts determine."""
    digest = blake2b(digest_size=_SEAL)
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
            content = opened(key, read_bytes(path, self._limit))
        except VouchError:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # what is used stays
        return content

    def put(self, key: str, content: bytes) -> None:
        path, data = self._path(key), sealed(key, content)
        if data is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = _new_file(path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
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


def sealed(key: str, content: bytes) -> bytes | None:
    """The content of an entry as it is kept, good for this name only. None: there is no secret to seal it."""
    own, packed = secret(), zlib.compress(content, 1)
    return None if own is None else _FORMAT + _seal(own, key, packed) + packed


def opened(key: str, data: bytes) -> bytes | None:
    """The content of an entry, or None if the seal is not ours or broken."""
    own, start = secret(), len(_FORMAT)
    seal, packed = data[start : start + _SEAL], data[start + _SEAL :]
    if own is None or data[:start] != _FORMAT:
        return None
    # Digests of the two are compared: how long that takes says nothing about the seal itself.
    if _digest(own, seal) != _digest(own, _seal(own, key, packed)):
        return None
    return zlib.decompress(packed)


def _seal(own: bytes, key: str, packed: bytes) -> bytes:
    return _digest(own, key.encode() + b"\0" + packed)


def _digest(own: bytes, data: bytes) -> bytes:
    return blake2b(data, key=own, digest_size=_SEAL).digest()
