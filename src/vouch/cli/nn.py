"""`vouch nn verify`, `robust` and `batch`."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional, Self

import typer

from vouch.cli.command import add
from vouch.errors import VouchError
from vouch.printable import visible
from vouch.settings import Settings
from vouch.verdict import Exit, exit_code

if TYPE_CHECKING:
    from vouch.nn.batch import Row
    from vouch.nn.result import Result


def _verify(
    network: Annotated[
        str, typer.Argument(metavar="NET", help="A network, or NAME=FILE,NAME=FILE for several.")
    ],
    prop: Annotated[Path, typer.Argument(metavar="PROPERTY.vnnlib")],
    *,
    vnncomp: Annotated[
        Optional[Path], typer.Option(metavar="FILE", help="Write the result as VNN-COMP reads it.")  # noqa: UP045
    ] = None,
    settings: Settings,
) -> int:
    """Decide a property."""
    from vouch.nn.api import decide

    with _Progress(settings) as progress:
        result = decide(_networks(network), prop, settings, progress)
    if vnncomp is not None:
        from vouch.nn.vnncomp import write_result

        write_result(vnncomp, result)
    return _report(result, settings)


def _networks(text: str) -> Any:
    """A path, or a mapping from names to paths."""
    if "=" not in text or Path(text).exists():
        return text
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(name and path for name, _, path in pairs):
        raise VouchError(f"{text}: NAME=FILE,NAME=FILE expected")
    return {name: path for name, _, path in pairs}


def _robust(
    network: Annotated[str, typer.Argument(metavar="NET")],
    *,
    source: Annotated[
        str, typer.Option("--input", metavar="X", help="The point: numbers, .csv, .npy or an image (0 to 1).")
    ],
    radius: Annotated[float, typer.Option(metavar="R", help="How far an input may be from it.")],
    norm: Annotated[str, typer.Option(metavar="NAME", help="One of: linf, l1, l2.")] = "linf",
    label: Annotated[
        Optional[int], typer.Option(metavar="C", help="The class to keep [default: that of the point].")  # noqa: UP045
    ] = None,
    within: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(metavar="D", help="Instead of the class: no output moves by more than D."),
    ] = None,
    scale: Annotated[
        Optional[str], typer.Option(metavar="S", help="A factor on the radius for each input; 0 fixes one.")  # noqa: UP045
    ] = None,
    lower: Annotated[
        Optional[str], typer.Option(metavar="V", help="Smallest valid inputs: one number or one for each.")  # noqa: UP045
    ] = None,
    upper: Annotated[Optional[str], typer.Option(metavar="V", help="Largest valid inputs.")] = None,  # noqa: UP045
    index: Annotated[Optional[int], typer.Option(metavar="N", help="Which point of a data set.")] = None,  # noqa: UP045
    settings: Settings,
) -> int:
    """Decide whether all inputs near a point get its class."""
    from vouch.nn.api import decide, near
    from vouch.nn.loaders import load
    from vouch.nn.points import read_point

    if norm not in ("linf", "l1", "l2"):
        raise VouchError(f"option --norm: {norm!r} is not one of linf, l1, l2")
    subject = load(network)
    point = read_point(source, subject.input_shape, index)
    limits = {
        name: _each(text, subject.input_shape)
        for name, text in (("scale", scale), ("lower", lower), ("upper", upper))
        if text is not None
    }
    prop = near(subject, point, radius, label=label, distance=within, norm=norm, **limits)
    with _Progress(settings) as progress:
        result = decide(subject, prop, settings, progress)
    return _report(result, settings)


def _each(text: str, shape: tuple[int, ...]) -> Any:
    """One number for all inputs, or a point."""
    from vouch.nn.points import read_point

    try:
        return float(text)
    except ValueError:
        return read_point(text, shape)


class _Progress:
    """Shows the share that is proved: a line that changes on a terminal, a line now and then elsewhere."""

    EVERY = 10.0  # seconds between plain lines

    def __init__(self, settings: Settings) -> None:
        self.quiet, self.live = settings.quiet, sys.stderr.isatty()
        self.last = time.monotonic()
        self.width = 0

    def __enter__(self) -> Self:
        return self

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if self.quiet or now - self.last < (0.2 if self.live else self.EVERY):
            return
        share = min(share, 0.999)  # not done before it is done
        self.last, text = now, f"{100 * share:.1f} % proved"
        if self.live:
            done = int(30 * share)
            text = f"[{'#' * done}{'.' * (30 - done)}] {text}"
            print(f"\r{text}", end="", file=sys.stderr, flush=True)
            self.width = len(text)
        else:
            print(text, file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self.width:
            print(f"\r{' ' * self.width}\r", end="", file=sys.stderr, flush=True)


def _report(result: Result, settings: Settings) -> int:
    for warning in result.warnings:
        print(f"warning: {visible(warning)}", file=sys.stderr)
    if settings.json:
        print(json.dumps(result.to_json(), allow_nan=False))
    else:
        from vouch.nn.show import rows

        lines = [(name, text) for name, text in rows(result) if name != "warning"]
        for name, text in lines[:1] if settings.quiet else lines:
            print(f"{name:14} {text}")
        if settings.verbose:
            for name, value in result.statistics.items():
                print(f"{name:14} {value:g}", file=sys.stderr)
    return result.exit_code


def _batch(
    instances: Annotated[Path, typer.Argument(metavar="instances.csv")],
    *,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE", help="Where the results go.")],
    settings: Settings,
) -> int:
    """Run a benchmark folder as VNN-COMP does; decided instances of an earlier run are kept."""
    from vouch.nn import batch
    from vouch.nn.vnncomp import read_instances

    start, wanted, rows = time.monotonic(), read_instances(instances), []
    interrupted = False
    try:
        for row, new in batch.run(wanted, instances.parent, output, settings):
            rows.append(row)
            if not settings.quiet:
                note = f"{row.seconds:.2f} s" if new else "kept"
                print(f"[{len(rows)}/{len(wanted)}] {_short(row)}: {row.result}, {note}", file=sys.stderr)
    except KeyboardInterrupt:
        interrupted = True
    _summary(rows, len(wanted), time.monotonic() - start, settings)
    if interrupted:
        return Exit.INTERRUPTED
    code = exit_code(row.verdict for row in rows)
    return Exit.UNDECIDED if code is Exit.PROVED and len(rows) < len(wanted) else code


def _short(row: Row) -> str:
    return f"{Path(row.onnx).name} {Path(row.vnnlib).name}"


def _summary(rows: list[Row], wanted: int, seconds: float, settings: Settings) -> None:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.result] = counts.get(row.result, 0) + 1
    if settings.json:
        from dataclasses import asdict

        document = {
            "instances": [asdict(row) for row in rows],
            "summary": counts,
            "seconds": round(seconds, 3),
        }
        print(json.dumps(document))
        return
    width = max((len(_short(row)) for row in rows), default=0)
    for row in rows:
        print(f"{_short(row):{width}}  {row.result:8} {row.seconds:9.2f} s  {row.reason}".rstrip())
    listed = ", ".join(f"{count} {word}" for word, count in sorted(counts.items())) or "nothing"
    print(f"{len(rows)} of {wanted} instances: {listed}; {sum(row.seconds for row in rows):.1f} s")


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Neural networks.", no_args_is_help=True)
    add(group, "verify", "nn", _verify)
    add(group, "robust", "nn", _robust)
    add(group, "batch", "nn", _batch)
    app.add_typer(group, name="nn")
