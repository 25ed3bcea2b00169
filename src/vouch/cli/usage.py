"""Help texts, made from the tables of commands and options."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable

from vouch.cli.commands import COMMANDS, GROUPS, Command
from vouch.option import Option

ABOUT = "Formal verification of C code and neural networks in embedded systems."


def of_group(name: str) -> str:
    """Help for `vouch` ("") or one of its groups."""
    rows: dict[str, str] = {}
    for command in COMMANDS:
        first, _, second = command.name.partition(" ")
        if not name:
            rows[first] = GROUPS[first] if second else command.help
        elif first == name:
            rows[second] = command.help
    head = f"Usage: {' '.join(('vouch', name)).strip()} COMMAND …\n\n  {GROUPS.get(name, ABOUT)}\n"
    options = [("-h, --help", "Show this text.")]
    if not name:
        options.insert(0, ("--version", "Show the version."))
    return f"{head}\nOptions:\n{_table(options)}\nCommands:\n{_table(rows.items())}"


def of_command(command: Command) -> str:
    words = [a.metavar if a.required and not a.many else f"[{a.metavar}]" for a in command.arguments]
    parts = [f"Usage: vouch {' '.join((command.name, '[OPTIONS]', *words))}\n\n  {command.help}\n"]
    described = [(a.metavar, a.help) for a in command.arguments if a.help]
    if described:
        parts.append(f"Arguments:\n{_table(described)}")
    rows = [(_spelled(option), _described(option)) for option in command.options]
    parts.append(f"Options:\n{_table([*rows, ('-h, --help', 'Show this text.')])}")
    return "\n".join(parts)


def _spelled(option: Option) -> str:
    text = ", ".join(option.spellings)
    return text if option.type is bool else f"{text} {option.metavar or 'TEXT'}"


def _described(option: Option) -> str:
    text = option.help
    if option.choices:
        text = f"{text} One of: {', '.join(option.choices)}."
    if option.type is not bool and option.default not in (None, [], ()):
        shown = ", ".join(map(str, option.default)) if option.type is list else option.default
        text = f"{text} [default: {shown}]"
    return text


def _table(rows: Iterable[tuple[str, str]]) -> str:
    width = min(max(shutil.get_terminal_size((100, 24)).columns, 60), 110)
    listed = list(rows)
    left = min(max(len(name) for name, _ in listed), 28) + 4
    lines = []
    for name, text in listed:
        start = f"  {name}".ljust(left)
        if len(start) > left:
            lines.append(start)
            start = " " * left
        lines += textwrap.wrap(
            text, width, initial_indent=start, subsequent_indent=" " * left, break_on_hyphens=False
        ) or [start.rstrip()]
    return "\n".join(lines) + "\n"
