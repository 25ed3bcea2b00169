"""Fetch public archives once and unpack them."""

from __future__ import annotations

import hashlib
import os
import re
import tarfile
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DebianSource:
    """The upstream archive of a Debian source package: its file name and SHA-256."""

    package: str
    archive: str
    sha256: str


def cache_folder() -> Path:
    """Where fetched suites are kept, outside the repository."""
    return Path(os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))) / "vouch-bench"


def unpack(archive: Path, folder: Path) -> None:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as bundle:
            bundle.extractall(folder)
    else:
        with tarfile.open(archive) as bundle:
            bundle.extractall(folder, filter="data")


def debian_mirror() -> str:
    """Where this machine gets its Debian packages from, as apt is told."""
    files = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*.[sl]*"))]
    for file in files:
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        found = re.search(r"^(?:URIs:\s*|deb\s+(?:\[.*?\]\s+)?)(https?://\S+?/debian)/?(?:\s|$)", text, re.M)
        if found is not None:
            return found[1]
    raise OSError("no Debian mirror in /etc/apt")


def debian_source(source: DebianSource) -> Path:
    """The unpacked tree; downloaded and compared with its checksum once."""
    folder = cache_folder() / source.package
    if not any(folder.glob("*/")):
        letter = source.package[:4] if source.package.startswith("lib") else source.package[0]
        url = f"{debian_mirror()}/pool/main/{letter}/{source.package}/{source.archive}"
        with urllib.request.urlopen(url, timeout=120) as answer:
            data = answer.read()
        if hashlib.sha256(data).hexdigest() != source.sha256:
            raise OSError(f"{source.archive} is not the archive that was expected")
        folder.mkdir(parents=True, exist_ok=True)
        archive = cache_folder() / source.archive
        archive.write_bytes(data)
        unpack(archive, folder)
    return next(p for p in sorted(folder.iterdir()) if p.is_dir())
