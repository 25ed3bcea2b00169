"""Small projects in the current folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
