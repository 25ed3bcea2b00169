"""What is made from the tables of `settings.py`: the option reference (`python -m vouch.manual >
docs/options.md`) and the types of settings (`python -m vouch.manual types > src/vouch/option_types.py`)."""

from __future__ import annotations

import sys

from vouch.option import Option
from vouch.settings import COMMON, SECTIONS

_HEAD = """# Options

Made from the option tables by `python -m vouch.manual > docs/options.md`.

Sources, strongest first: flags, `VOUCH_*` variables (lists separated by commas), `vouch.toml` or
`[tool.vouch]` in `pyproject.toml` of the working folder or one above it, defaults. The search ends at the
root of the repository (the folder with `.git`, `.hg` or `.svn`), else at the home folder; outside both only
the working folder counts. `-v` names the file that was read. An unknown key or `VOUCH_*` variable is an
error, whichever command runs. Programs to run and files to write are not taken from a file
([security](security.md)). Options of a command stand in its section of the file, common ones at the top:

```toml
jobs = 4

[check]
checks = ["all", "-unsigned-overflow"]
include = ["include"]
unwind-loop = ["uart_flush.loop.1=64"]
```
"""


def options_page() -> str:
    parts = [_HEAD, _section("Every command", COMMON, "")]
    for name, options in SECTIONS.items():
        if options:
            parts.append(_section(f"`vouch {name}`", options, name))
    return "\n".join(parts)


def _section(title: str, options: tuple[Option, ...], section: str) -> str:
    rows = ["| flag | default | in a file | meaning |", "|---|---|---|---|", *map(_row, options)]
    where = f"\nKeys of `[{section}]` in `vouch.toml`.\n" if section else ""
    return f"## {title}\n{where}\n" + "\n".join(rows) + "\n"


def _row(option: Option) -> str:
    flags = ", ".join(f"`{flag}`" for flag in option.spellings)
    if option.metavar and option.type is not bool:
        flags += f" {_escaped(option.metavar)}"
    help_text = option.help
    if option.choices:
        help_text += " One of " + ", ".join(f"`{choice}`" for choice in option.choices) + "."
    if option.type is list:
        help_text += " Can be repeated."
    key = f"`{option.name}`" if option.in_file else "no"
    if option.program:
        key = f"{', '.join(option.packages)}" if option.packages else f"no, but `{option.variable}`"
    return f"| {flags} | {_default(option)} | {key} | {_escaped(help_text)} |"


def _default(option: Option) -> str:
    if option.type is bool:
        return "on" if option.default else "off"
    if option.default is None or option.default in ((), []):
        return ""
    if isinstance(option.default, (list, tuple)):
        return f"`{','.join(map(str, option.default))}`"
    return f"`{option.default}`"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


_TYPES = '''"""The types of settings, for the type checker: made from the option tables by
`python -m vouch.manual types > src/vouch/option_types.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal


class OptionTypes:
    """The options of all commands; a command has the common ones and those of its section."""

'''


def types_module() -> str:
    """A class with an annotation for each option; one of several commands has one type in all of them."""
    found: dict[str, list[Option]] = {}
    for options in (COMMON, *SECTIONS.values()):
        for option in options:
            found.setdefault(option.key, []).append(option)
    rows = [f"    {key}: {_type(options)}" for key, options in found.items()]
    rows += ["    configuration: Path | None  # the file that was read", "    from_file: frozenset[str]"]
    return _TYPES + "\n".join(rows) + "\n"


def _type(options: list[Option]) -> str:
    first = options[0]
    kinds = {option.type for option in options}
    assert kinds == {first.type}, f"{first.name} has several types"
    name = "list[str]" if first.type is list else first.type.__name__
    if first.type is str and first.choices and all(o.choices == first.choices for o in options):
        quoted = (f'"{choice}"' for choice in first.choices)
        name = f"Literal[{', '.join(quoted)}]"
    return f"{name} | None" if any(option.default is None for option in options) else name


if __name__ == "__main__":
    print(types_module() if "types" in sys.argv[1:] else options_page(), end="")
