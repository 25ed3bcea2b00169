"""`vouch nn codegen` and `vouch nn bits`."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from vouch.cli import outputs
from vouch.cli.network_words import NetworkProgress
from vouch.cli.supervised import Rendered, supervised
from vouch.errors import VouchError
from vouch.printable import visible
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict

if TYPE_CHECKING:
    from vouch.nn.fixed.bits import WordLength
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
    if output is None:
        raise VouchError("missing option --output")
    if Path(output).exists() and not Path(output).is_dir():
        raise VouchError(f"option --output: {output} is not a folder")

    def work(send: Send) -> Rendered:
        from vouch.nn.fixed.codegen import Style
        from vouch.nn.fixed.project import build_for, generate
        from vouch.nn.loaders import load
        from vouch.nn.properties import read as read_property

        style = Style(code, sums)  # type: ignore[arg-type]
        subject = load(network)
        prop = None if property is None else read_property(Path(property))
        files = generate(subject, settings, prop, style)
        size = None if target is None else build_for(files, target)
        send(files)
        return _generated(files, output, target, size, settings)

    def write(files: dict[str, str]) -> None:
        """In the process that nobody ends in the middle of it."""
        from vouch.nn.fixed.project import write

        write(files, Path(output))

    def without(verdict: Verdict, reason: str, seconds: float) -> Rendered:
        if not settings.json:
            return Rendered("", Exit.UNDECIDED, f"{reason}: nothing is written\n")
        document = {"verdict": str(verdict), "reason": reason, "seconds": round(seconds, 3)}
        return Rendered(json.dumps(document) + "\n", Exit.UNDECIDED)

    with NetworkProgress(settings) as progress:
        return supervised(work, settings, without, write, progress=progress)


def _generated(
    files: Mapping[str, str], output: str, target: str | None, size: int | None, settings: Settings
) -> Rendered:
    if settings.json:
        document = {"files": sorted(files), "folder": output, "target": target, "code_bytes": size}
        return Rendered(json.dumps(document) + "\n", Exit.PROVED)
    lines = [f"{', '.join(files)} written to {visible(output)}\n"]
    if size is not None:
        lines.append(f"{target}: net.c compiles to {size} bytes\n")
    return Rendered("" if settings.quiet else "".join(lines), Exit.PROVED)


def bits(
    network: str, properties: Sequence[str], range: str, per_layer: bool, plot: str | None, settings: Settings
) -> int:
    began = time.monotonic()
    from vouch.nn.fixed.bits import WidthTable, range_of
    from vouch.nn.fixed.options import only_on_cpu

    widths = range_of(range)
    only_on_cpu(settings)
    if settings.format is not None:
        raise VouchError("option --format: nn bits tries all formats itself")
    if not properties:
        raise VouchError("a property is missing")
    outputs.listed(settings, (network, *properties))
    outputs.require_targets([plot], (network, *properties))

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

    found: list[WordLength] = []

    def without(verdict: Verdict, reason: str, seconds: float) -> Rendered:
        from vouch.nn.fixed.bits import so_far

        known = answer(so_far(map(_stem, properties), found, widths, seconds))
        return Rendered(known.out, known.code, f"{reason}\n")

    with NetworkProgress(settings) as progress:

        def hear(width: WordLength) -> None:
            found.append(width)
            progress(len(found) / len(widths))

        return supervised(work, settings, without, hear, began=began, progress=progress)


def _stem(path: str) -> str:
    return Path(path.removesuffix(".gz")).stem
