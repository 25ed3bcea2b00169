"""`vouch nn …`."""

from __future__ import annotations

import typer

from vouch.cli.command import add
from vouch.settings import Settings


def _verify(network: str, prop: str, *, settings: Settings) -> int:
    """Decide a property."""
    print(settings)
    return 0


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Neural networks.", no_args_is_help=True)
    add(group, "verify", "nn", _verify)
    app.add_typer(group, name="nn")
