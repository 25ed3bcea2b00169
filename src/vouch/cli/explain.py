"""`vouch explain CATEGORY`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer


def explain(
    category: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it
        typer.Argument(metavar="CATEGORY", help="A check category; without one, all are listed."),
    ] = None,
) -> None:
    """Say what a check category finds, why it matters, and what fails and passes."""
    from vouch.c import checks

    if category is not None:
        typer.echo(checks.explain(category))
        return
    for rule in checks.RULES:
        first = (rule.__doc__ or "").strip().splitlines()[0]
        name, _, what = first.partition(": ")
        typer.echo(f"{name:34} {what}")


def register(app: typer.Typer) -> None:
    app.command("explain")(explain)
