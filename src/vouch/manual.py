"""The option reference, made from the tables of `settings.py`: `python -m vouch.manual > docs/options.md`."""

from __future__ import annotations

from vouch.settings import COMMON, SECTIONS, Option

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


if __name__ == "__main__":
    print(options_page(), end="")
