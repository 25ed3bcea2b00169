"""`vouch.toml`, or `[tool.vouch]` in `pyproject.toml`: where it is looked for, and what it may say.

It belongs to the code under test and may be hostile: it names no programs to run and no places to write.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vouch.errors import VouchError
from vouch.files import read_text
from vouch.option import Option, valid

MARKS = (".git", ".hg", ".svn")  # what the root of a repository has


def file_values(
    tables: Mapping[str, tuple[Option, ...]], common: tuple[Option, ...], section: str, folder: Path
) -> tuple[Path | None, dict[str, Any]]:
    """The nearest `vouch.toml` or `[tool.vouch]` and its values, looking from `folder` upwards.
    `tables` has the options of all sections by their names, `common` those of every one."""
    for directory in _searched(folder):
        own, project = directory / "vouch.toml", directory / "pyproject.toml"
        if own.is_file():
            return own, _from_table(tables, common, section, _toml(own), own)
        if project.is_file():
            tools = _toml(project).get("tool")
            table = tools.get("vouch") if isinstance(tools, dict) else None
            if table is not None:
                if not isinstance(table, dict):
                    raise VouchError(f"{project}: tool.vouch is a table")
                return project, _from_table(tables, common, section, table, project)
    return None, {}


def _searched(folder: Path) -> list[Path]:
    """`folder` and those above it up to the root of its repository, or else the user's home. Outside both
    only the folder itself: what lies above may be anybody's."""
    above = [folder, *folder.parents]
    home = Path(os.path.expanduser("~"))
    ends = [i for i, d in enumerate(above) if d == home or any((d / mark).exists() for mark in MARKS)]
    return above[: ends[0] + 1] if ends else above[:1]


def _toml(path: Path) -> dict[str, Any]:
    import tomllib

    text = read_text(path, 16 << 20)
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise VouchError(f"{path}: {error}") from None
    except RecursionError:
        raise VouchError(f"{path}: nested too deeply") from None


def _from_table(
    tables: Mapping[str, tuple[Option, ...]],
    shared: tuple[Option, ...],
    section: str,
    table: Mapping[str, Any],
    path: Path,
) -> dict[str, Any]:
    """All sections are checked, so that a typing mistake is found whichever command runs."""
    values: dict[str, Any] = {}
    common = {o.name: o for o in shared}
    for name, value in table.items():
        if name in tables:
            known = {o.name: o for o in tables[name]} | common
            if not isinstance(value, dict):
                raise VouchError(f"{path}: [{name}] is a table")
            for inner, setting in value.items():
                if inner not in known:
                    raise VouchError(f"{path}: unknown key {inner!r} in [{name}]")
                checked = from_file(known[inner], setting, f"{path}: {inner}")
                if name == section:
                    values[known[inner].key] = checked
        elif name in common:
            values.setdefault(common[name].key, from_file(common[name], value, f"{path}: {name}"))
        else:
            raise VouchError(f"{path}: unknown key {name!r}")
    return values


def from_file(option: Option, value: Any, where: str) -> Any:
    """The value of an option that a file gives. Raises `VouchError` for what no file may say."""
    if not option.in_file:
        raise VouchError(f"{where}: not in a file: give the flag {option.spellings[-1]}")
    checked = valid(option, value, where)
    if option.writes and any("=" in item for item in checked):
        raise VouchError(f"{where}: files to write are not taken from a file: give {option.spellings[-1]}")
    if option.program and not all(part.strip() in option.packages for part in checked.split(",")):
        what = f"{', '.join(option.packages)}: " if option.packages else ""
        raise VouchError(
            f"{where}: {what}programs to run are not taken from a file, but from {option.spellings[-1]} or "
            f"{option.variable}"
        )
    return checked
