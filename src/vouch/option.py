"""One option: how it is declared, and which values it takes."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

from vouch.errors import VouchError
from vouch.record import frozen_record

_WHOLE = 2**31 - 1  # the largest whole number where an option says nothing else


@frozen_record
class Option:
    """One option. `type` is bool, int, float, str or list (a repeatable string).

    `flags` are the spellings on the command line; a bool whose name starts with "no-" is a switch that
    turns something off. `choices` limits a string. `in_file` is False for what makes no sense in a file.
    `program`: the value may name a program to run, which only a flag or a variable may do; a file may name
    `packages`, which are part of vouch's own environment. `writes`: a value `NAME=FILE` writes a file, which
    only a flag may ask for. Items of a list may be separated by commas where it has `choices`.
    """

    name: str
    type: type
    default: Any
    help: str
    flags: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    metavar: str | None = None
    in_file: bool = True
    program: bool = False
    packages: tuple[str, ...] = ()
    writes: bool = False

    @property
    def key(self) -> str:
        return self.name.replace("-", "_")

    @property
    def spellings(self) -> tuple[str, ...]:
        return self.flags or (f"--{self.name}",)

    @property
    def variable(self) -> str:
        return f"VOUCH_{self.key.upper()}"


def parsed(option: Option, text: str) -> Any:
    """What the text of a variable says, before it is looked at."""
    if option.type is list:
        return [part for part in text.split(",") if part]
    if option.type is bool:
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        return False if text.lower() in ("0", "false", "no", "off") else text
    return text


def checked(option: Option, value: Any) -> Any:
    """The value of a flag that belongs to one command alone, or the default where it was not given."""
    return option.default if value is None else valid(option, value, f"option {option.spellings[-1]}")


def valid(option: Option, value: Any, where: str) -> Any:
    """The value in the option's type, or an error that names the place it came from."""
    try:
        result = _typed(option, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise VouchError(f"{where}: {shortened(value)} is not valid ({error})") from None
    wrong = [part for part in _chosen(option, result) if part not in option.choices]
    if option.choices and wrong:
        raise VouchError(f"{where}: {shortened(wrong[0])} is not one of {', '.join(option.choices)}")
    if option.minimum is not None and not result >= option.minimum:
        raise VouchError(f"{where}: {shortened(value)} is below {option.minimum:g}")
    highest = option.maximum if option.maximum is not None else _WHOLE if option.type is int else None
    if highest is not None and result > highest:
        raise VouchError(f"{where}: {shortened(value)} is above {highest:.10g}")
    return result


def _chosen(option: Option, value: Any) -> list[str]:
    """The words that have to be among the choices."""
    if option.type is not list:
        return [value]
    return [item.partition("=")[0] if option.writes else item for item in value]


def _typed(option: Option, value: Any) -> Any:
    if option.type is bool:
        if not isinstance(value, bool):
            raise ValueError("true or false expected")
        return value
    if option.type is list:
        if isinstance(value, str) and option.choices:
            value = [value]
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise ValueError("a list expected")
        words = [_word(item) for item in value]
        split = option.choices and not option.writes
        return [part.strip() for word in words for part in word.split(",")] if split else words
    if option.type is str:
        return _word(value)
    expected = f"{'a whole' if option.type is int else 'a'} number expected"
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(expected)
    if option.type is int and isinstance(value, float):
        raise ValueError(expected)
    try:
        number = option.type(value)
    except ValueError:
        raise ValueError(expected) from None
    if option.type is float and not math.isfinite(number):
        raise ValueError("a finite number expected")
    return number


def _word(value: Any) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise ValueError("text expected")
    text = os.fspath(value)
    if "\0" in text:
        raise ValueError("text without zero bytes expected")
    return text


def shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
