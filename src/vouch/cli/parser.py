"""Words of a command line, taken apart by the option table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vouch.cli.commands import Command
from vouch.errors import VouchError
from vouch.option import Option


class HelpAsked(Exception):
    """-h or --help was given."""


def parse(command: Command, words: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values of flags (True, a text, or a list of texts) and of arguments, each by key."""
    flags, rest = _flags(command, words)
    return flags, _arguments(command, rest)


def _flags(command: Command, words: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    known = {spelling: option for option in command.options for spelling in option.spellings}
    given: dict[str, Any] = {}
    rest: list[str] = []
    queue = list(words)[::-1]
    while queue:
        word = queue.pop()
        if word == "--":
            rest += queue[::-1]
            break
        if word in ("-h", "--help"):
            raise HelpAsked
        if not word.startswith("-") or word == "-":
            rest.append(word)
            continue
        name, value, tail = _split(word, known)
        option = known.get(name)
        if option is None:
            raise VouchError(f"no such option: {name}{_meant(name, known)}")
        if tail:
            queue.append(tail)
        _put(given, option, name, value, queue)
    return given, rest


def _split(word: str, known: dict[str, Option]) -> tuple[str, str | None, str]:
    """Name, value that stands in the same word, and further short flags of it."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return name, value if equals else None, ""
    name, value = word[:2], word[2:]
    option = known.get(name)
    if not value or option is None:
        return (word if option is None and len(word) > 2 else name), value or None, ""
    if option.type is bool:
        return name, None, f"-{value}"
    return name, value, ""


def _put(given: dict[str, Any], option: Option, name: str, value: str | None, queue: list[str]) -> None:
    if option.type is bool:
        if value is not None:
            raise VouchError(f"option {name} takes no value")
        given[option.key] = True
        return
    if value is None:
        if not queue:
            raise VouchError(f"option {name} needs a value")
        value = queue.pop()
    if option.type is list:
        given.setdefault(option.key, []).append(value)
    else:
        given[option.key] = value


def _arguments(command: Command, words: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for argument in command.arguments:
        if argument.many:
            values[argument.key], words = words, []
        elif words:
            values[argument.key], words = words[0], words[1:]
        elif argument.required:
            raise VouchError(f"missing argument {argument.metavar}")
        else:
            values[argument.key] = None
    if words:
        raise VouchError(f"unexpected argument {words[0]!r}")
    return values


def _meant(name: str, known: dict[str, Option]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    return f" (did you mean {near[0]}?)" if near else ""
