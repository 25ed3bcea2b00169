"""Turns a row of the option table into a flag, and a function into a command.

A verb is a function of its positional arguments and `settings`. `add` gives it the flags of its section.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Optional

import typer

from vouch.settings import Option, options_of, resolve


def _parameter(option: Option) -> inspect.Parameter:
    kind: Any = Optional[list[str] if option.type is list else option.type]  # noqa: UP045 - typer reads it
    text = option.help
    if option.choices:
        text = f"{text} One of: {', '.join(option.choices)}."
    if option.type is not bool and option.default not in (None, [], ()):
        shown = ", ".join(map(str, option.default)) if option.type is list else option.default
        text = f"{text} [default: {shown}]"
    info = typer.Option(*option.spellings, help=text, metavar=option.metavar, show_default=False)
    return inspect.Parameter(
        option.key, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, info]
    )


def add(app: typer.Typer, name: str, section: str, function: Callable[..., int], **extra: Any) -> None:
    """Register `function(positional…, settings=…) -> exit code` as a command with its section's flags."""
    own = [p for p in inspect.signature(function, eval_str=True).parameters.values() if p.name != "settings"]
    options = options_of(section)
    taken = {p.name for p in own}
    flags = [_parameter(o) for o in options if o.key not in taken]

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        given = {o.key: kwargs.pop(o.key) for o in options if o.key in kwargs and o.key not in taken}
        given = {key: (value or None) if isinstance(value, list) else value for key, value in given.items()}
        raise typer.Exit(function(*args, **kwargs, settings=resolve(section, given)))

    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + flags
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    app.command(name, **extra)(run)
