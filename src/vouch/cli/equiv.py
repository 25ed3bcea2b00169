"""`vouch equiv …`: compare two networks, find the largest radius, sweep over compressed networks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any

import typer

from vouch.cli.command import add
from vouch.errors import VouchError
from vouch.settings import Settings

Reference = Annotated[str, typer.Argument(metavar="REF", help="The network to be faithful to.")]
Test = Annotated[str, typer.Argument(metavar="TEST", help="The network under test.")]

DEFAULT = "compare"


class _Group(typer.core.TyperGroup):
    """A group whose first word may be left out: `vouch equiv REF TEST` is `vouch equiv compare REF TEST`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = set(self.commands) | {"--help"}
        if args and args[0] not in known:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


def _show(answer: Any, settings: Settings) -> int:
    if settings.json:
        typer.echo(json.dumps(answer.to_json()))
    elif not settings.quiet:
        typer.echo(answer.text())
    return int(answer.exit_code)


def _options(settings: Settings, names: str) -> dict[str, Any]:
    """The options of these names, and processes as many as -j says."""
    import os

    from vouch.run.pool import run_jobs

    options = {name: getattr(settings, name) for name in names.split()}
    return options | {"jobs": settings.jobs or os.cpu_count() or 1, "pool": run_jobs}


def _report(settings: Settings) -> Callable[[str], None] | None:
    """A line on stderr for every part that is decided."""
    return None if settings.quiet else lambda line: typer.echo(line, err=True)


def _compare(reference: Reference, test: Test, *, settings: Settings) -> int:
    """Decide whether TEST is equivalent to REF over a region of inputs."""
    import vouch.equiv

    names = "epsilon top norm ball_norm box centre radius domain clusters densest"
    names += " property engine strategy arithmetic timeout seed"
    options = _options(settings, names) | {"report": _report(settings)}
    return _show(vouch.equiv.compare(reference, test, **options), settings)


def _radius(reference: Reference, test: Test, *, settings: Settings) -> int:
    """Largest proved and smallest refuted radius around --centre."""
    import vouch.equiv

    names = "epsilon top norm ball_norm centre domain timeout seed"
    return _show(vouch.equiv.radius(reference, test, **_options(settings, names)), settings)


def _sweep(
    reference: Reference,
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Compressed networks.")],
    plot: Annotated[str | None, typer.Option("--plot", metavar="FILE", help="Draw the radii.")] = None,
    *,
    settings: Settings,
) -> int:
    """Table of radii and verdicts per cluster for every network in FOLDER."""
    import vouch.equiv

    names = "epsilon top norm ball_norm clusters densest domain timeout seed"
    options = _options(settings, names) | {"report": _report(settings)}
    table = vouch.equiv.sweep(reference, folder, **options)
    if plot is not None:
        table.plot(plot)
    return _show(table, settings)


def _code(
    network: Annotated[str, typer.Argument(metavar="NET")],
    file: Annotated[str, typer.Argument(metavar="FILE.c")],
    function: Annotated[str, typer.Option("--function", metavar="F", help="The C function.")] = "net_run",
    *,
    settings: Settings,
) -> int:
    """Compare a network with the C code that ships (not available yet)."""
    raise VouchError("vouch equiv code is not available yet: compare the exported network instead")


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Equivalence of two networks: vouch equiv REF TEST …", no_args_is_help=True, cls=_Group
    )
    add(group, DEFAULT, "equiv", _compare)
    add(group, "radius", "equiv", _radius)
    add(group, "sweep", "equiv", _sweep)
    add(group, "code", "equiv", _code)
    app.add_typer(group, name="equiv")
