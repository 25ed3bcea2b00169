"""`vouch init`: a `vouch.toml` with every option that it may hold, commented out; and a workspace, where a
root is named."""

from __future__ import annotations

import json
from pathlib import Path

from vouch.errors import VouchError
from vouch.option import Option
from vouch.settings import COMMON, SECTIONS

_HEAD = """# Settings of vouch for this project. Flags and VOUCH_* variables are stronger.
# Programs to run and files to write are not taken from here (see docs/security.md).
"""


def init(folder: str | None) -> int:
    root = Path(folder or ".")
    if not root.is_dir():
        raise VouchError(f"{root}: no such folder")
    path = root / "vouch.toml"
    if folder is not None and not (root / ".vouch").exists():
        from vouch.run.workspace import Workspace

        Workspace.create(root.resolve())
        print(f"made {root / '.vouch'}")
        if path.exists():
            return 0
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text())
    except FileExistsError:
        raise VouchError(f"{path}: exists already") from None
    except OSError as error:
        raise VouchError(f"{path}: {error.strerror}") from None
    print(f"wrote {path}")
    return 0


def text() -> str:
    parts = [_HEAD, _rows(COMMON)]
    parts += [f"[{name}]\n{_rows(options)}" for name, options in SECTIONS.items()]
    return "\n".join(parts)


def _rows(options: tuple[Option, ...]) -> str:
    listed = [o for o in options if o.in_file and not (o.program and not o.packages)]
    return "".join(f"# {option.help}\n# {option.name} = {_value(option)}\n" for option in listed)


def _value(option: Option) -> str:
    if option.type is bool:
        return "true" if option.default else "false"
    if option.type is list:
        return json.dumps(list(option.default))
    if option.default is not None:
        return json.dumps(option.default)
    return {int: "1", float: "60.0"}.get(option.type, '""')
