"""Files that may be gzipped, and files that must lie in a given folder."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from vouch.errors import VouchError

# An unpacked file may not be larger: protobuf stops there too.
LARGEST = 1 << 31


def resolved(path: Path) -> Path:
    """The file itself, or the gzipped one beside it."""
    if path.is_file():
        return path
    packed = path.parent / f"{path.name}.gz"
    if path.name and packed.is_file():
        return packed
    raise VouchError(f"{path}: {'not a file' if path.exists() else 'no such file'}")


def suffix(path: Path) -> str:
    """The suffix in lower case, not counting .gz."""
    name = path.name[:-3] if path.name.lower().endswith(".gz") else path.name
    return Path(name).suffix.lower()


def stem(path: Path) -> str:
    name = path.name[:-3] if path.name.lower().endswith(".gz") else path.name
    return Path(name).stem


def read(path: Path) -> bytes:
    """The contents, unpacked where they are gzipped."""
    try:
        with path.open("rb") as file:
            head = file.read(2)
            file.seek(0)
            if head != b"\x1f\x8b":
                return file.read()
            data = gzip.GzipFile(fileobj=file).read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise VouchError(f"{path}: {error}") from None
    if len(data) > LARGEST:
        raise VouchError(f"{path}: unpacks to more than {LARGEST >> 30} GiB")
    return data


def inside(folder: Path, location: str) -> Path:
    """The file `location` in `folder`; neither `..`, nor an absolute path, nor a link leads out of it."""
    if not location or "\0" in location or Path(location).is_absolute() or ".." in Path(location).parts:
        raise VouchError(f"external data {location!r} is outside the model's folder")
    home = folder.resolve()
    target = (home / location).resolve()
    if not target.is_relative_to(home):
        raise VouchError(f"external data {location!r} is outside the model's folder")
    if not target.is_file():
        raise VouchError(f"external data {location!r}: no such file")
    return target
