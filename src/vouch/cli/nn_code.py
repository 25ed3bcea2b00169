"""`vouch nn codegen`, `vouch nn bits` and `vouch nn nearest`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vouch.cli import outputs
from vouch.cli.network_words import NetworkProgress, each
from vouch.cli.supervised import Rendered, supervised
from vouch.errors import VouchError
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict

if TYPE_CHECKING:
    from vouch.nn.fixed.bits import Width
    from vouch.nn.nearest import Nearest
    from vouch.run.supervise import Send


def codegen(
    network: str,
    output: str | None,
    property: str | None,
    code: str,
    sums: str,
    target: str | None,
    settings: Settings,
) -> int:
    from vouch.nn.fixed.codegen import Style
    from vouch.nn.fixed.project import build_for, generate, write
    from vouch.nn.loaders import load
    from vouch.nn.properties import read as read_property

    if output is None:
        raise VouchError("missing option --output")
    style = Style(code, sums)  # type: ignore[arg-type]
    subject = load(network)
    prop = None if property is None else read_property(Path(property))
    files = generate(subject, settings, prop, style)
    size = None if target is None else build_for(files, target)
    write(files, Path(output))
    if settings.json:
        document = {"files": sorted(files), "folder": output, "target": target, "code_bytes": size}
        print(json.dumps(document))
    elif not settings.quiet:
        print(f"{', '.join(files)} written to {output}")
        if size is not None:
            print(f"{target}: net.c compiles to {size} bytes")
    sys.stdout.flush()
    return Exit.PROVED


def bits(
    network: str, properties: Sequence[str], range: str, per_layer: bool, plot: str | None, settings: Settings
) -> int:
    began = time.monotonic()
    from vouch.nn.fixed.bits import WidthTable, range_of

    widths = range_of(range)
    if settings.format is not None:
        raise VouchError("option --format: nn bits tries all formats itself")
    if not properties:
        raise VouchError("a property is missing")
    outputs.listed(settings, (network, *properties))

    def answer(table: WidthTable) -> Rendered:
        if plot is not None:
            table.plot(plot)
        from vouch.report.model import read

        document = {**table.to_json(), "question": {"network": network}}
        report = read(document, exit_code=Exit(table.exit_code))
        return Rendered(outputs.written(report, settings, table.text()), table.exit_code)

    def work(send: Send) -> Rendered:
        from vouch.nn.fixed.bits import sweep
        from vouch.nn.loaders import load
        from vouch.nn.properties import read as read_property

        named = {_stem(path): read_property(Path(path)) for path in properties}
        return answer(sweep(load(network), named, settings, widths, per_layer=per_layer, report=send))

    found: list[Width] = []

    def without(verdict: Verdict, reason: str, seconds: float) -> Rendered:
        from vouch.nn.fixed.bits import so_far

        known = answer(so_far(map(_stem, properties), found, widths, seconds))
        return Rendered(known.out, known.code, f"{reason}\n")

    with NetworkProgress(settings) as progress:

        def hear(width: Width) -> None:
            found.append(width)
            progress(len(found) / len(widths))

        return supervised(work, settings, without, hear, began=began)


def _stem(path: str) -> str:
    return Path(path.removesuffix(".gz")).stem


def nearest(network: str, settings: Settings, **given: Any) -> int:
    if given["input"] is None:
        raise VouchError("missing option --input")
    if settings.format is None and not given.get("reals"):
        raise VouchError("missing option --format: the nearest input is looked for in fixed point")

    def work(send: Send) -> Rendered:
        from vouch.nn import nearest as reals
        from vouch.nn.fixed import nearest as fixed
        from vouch.nn.fixed.nearest import write_image
        from vouch.nn.loaders import load
        from vouch.nn.points import read_point

        subject = load(network)
        point = read_point(given["input"], subject.input_shape, given["index"])
        limits = {
            name: each(given[name], subject.input_shape) if isinstance(given[name], str) else given[name]
            for name in ("lower", "upper")
            if given[name] is not None
        }
        how = {"norm": given["norm"], "label": given["label"], "radius": given["radius"], "report": send}
        search = reals.nearest if settings.format is None else fixed.nearest
        found = search(subject, point, settings, **how, **limits)
        if (
            given["image"] is not None
            and found.result is not None
            and found.result.counterexample is not None
        ):
            write_image(Path(given["image"]), found.result.counterexample.input, subject.input_shape)
        text = json.dumps(found.to_json()) + "\n" if settings.json else _described(found)
        return Rendered(text, found.exit_code)

    def without(verdict: Verdict, reason: str, seconds: float) -> Rendered:
        document = {"verdict": verdict.value, "reason": reason, "seconds": round(seconds, 3)}
        return Rendered(json.dumps(document) + "\n" if settings.json else f"{reason}\n", Exit.UNDECIDED)

    with NetworkProgress(settings) as progress:
        return supervised(work, settings, without, progress)


def _described(found: Nearest) -> str:
    if found.result is None or found.result.counterexample is None:
        return f"no input of another class within {found.proved:g}\n"
    values = ", ".join(f"{v:g}" for v in found.result.counterexample.input[:12])
    more = ", …" if len(found.result.counterexample.input) > 12 else ""
    near = "the nearest" if found.exact else f"none is nearer than {found.proved:g}"
    return f"class {found.label} is left at distance {found.distance:g} ({near}): [{values}{more}]\n"
