"""`vouch nn verify`, `robust`, `bounds` and `batch`."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vouch.cli import outputs
from vouch.cli.network_words import NetworkProgress, each
from vouch.cli.supervised import Rendered, supervised
from vouch.errors import VouchError
from vouch.printable import visible
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict, exit_code

if TYPE_CHECKING:
    from vouch.nn.batch import Row
    from vouch.nn.network import Network
    from vouch.nn.property import Property
    from vouch.nn.ranges import OutputRanges
    from vouch.nn.result import Result
    from vouch.run.supervise import Send


def verify(network: str, prop: str, vnncomp: str | None, settings: Settings) -> int:
    outputs.listed(settings, (network, prop))
    outputs.require_targets([vnncomp], (network, prop))

    def work(send: Send) -> Rendered:
        from vouch.nn.api import decide

        return answer(decide(_networks(network), Path(prop), settings, send))

    def answer(result: Result) -> Rendered:
        if vnncomp is not None:
            from vouch.nn.vnncomp import write_result

            write_result(Path(vnncomp), result)
        return _rendered(result, settings)

    with NetworkProgress(settings) as progress:
        without = partial(_none, settings)
        return supervised(work, settings, lambda *what: answer(without(*what)), progress, progress=progress)


def _none(settings: Settings, verdict: Verdict, reason: str, seconds: float) -> Result:
    from vouch.nn.result import Result

    return Result(verdict, settings.engine, seconds, reason=reason)


def _undecided(settings: Settings, verdict: Verdict, reason: str, seconds: float) -> Rendered:
    return _rendered(_none(settings, verdict, reason, seconds), settings)


def _networks(text: str) -> Any:
    """A path, or a mapping from names to paths."""
    if "=" not in text or Path(text).exists() or Path(text + ".gz").exists():
        return text
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(name.isidentifier() and path for name, _, path in pairs):
        raise VouchError(f"{text}: no such file, and not NAME=FILE,NAME=FILE")
    return {name: path for name, _, path in pairs}


def robust(network: str, settings: Settings, **given: Any) -> int:
    for name in ("input", "radius"):
        if given[name] is None:
            raise VouchError(f"missing option --{name}")
    outputs.listed(settings, (network, given["input"]))

    def work(send: Send) -> Rendered:
        from vouch.nn.api import about, decide, near
        from vouch.nn.loaders import load_subject
        from vouch.nn.points import read_point

        subject = load_subject(network)
        point = read_point(given["input"], subject.input_shape, given["index"])
        limits = {
            name: each(given[name], subject.input_shape)
            for name in ("scale", "lower", "upper")
            if given[name] is not None
        }
        around = {"label": given["label"], "distance": given["within"], "norm": given["norm"]}
        around["bottom"] = given["bottom"]
        prop = near(subject, point, given["radius"], **around, **limits)
        result = decide(subject, prop, settings, send)
        result = replace(result, question={**(result.question or {}), "network": network})
        return _rendered(about(result, subject, point, given["radius"], **around), settings)

    with NetworkProgress(settings) as progress:
        without = partial(_undecided, settings)
        return supervised(work, settings, without, progress, progress=progress)


def bounds(network: str, settings: Settings, **given: Any) -> int:
    box, point, radius = given["box"], given["input"], given["radius"]
    if (box is None) == (point is None) or (point is None) != (radius is None):
        raise VouchError("either --box, or --input and --radius, expected")
    outputs.require_targets([given["plot"]], (network, box, point))

    def rendered(found: OutputRanges) -> Rendered:
        if given["plot"] is not None:
            found.save_plot(Path(given["plot"]))
        if settings.json:
            import json

            return Rendered(json.dumps(found.to_json(), allow_nan=False) + "\n", Exit.PROVED)
        ends = enumerate(zip(found.low, found.high, found.least, found.most, strict=True))
        return Rendered(
            _joined([f"Y_{i:<5} [{a:.6g}, {b:.6g}]  reached [{c:.6g}, {d:.6g}]" for i, (a, b, c, d) in ends]),
            Exit.PROVED,
        )

    def work(send: Send) -> Rendered:
        from vouch.nn.api import output_ranges
        from vouch.nn.loaders import load

        subject = load(network)
        region = box if box is not None else _neighbourhood(subject, given)
        chosen = {key: getattr(settings, key) for key in ("timeout", "arithmetic", "device", "seed")}
        return rendered(output_ranges(subject, region, report=send, found=send, **chosen))

    last: list[OutputRanges] = []  # they hold whenever the work ends

    def without(*what: Any) -> Rendered:
        return rendered(last[0]) if last else _rendered(_none(settings, *what), settings)

    with NetworkProgress(settings) as progress:

        def hear(message: Any) -> None:
            if isinstance(message, float):
                progress(message)
            else:
                last[:] = [message]

        return supervised(work, settings, without, hear, progress=progress)


def _neighbourhood(subject: Network, given: dict[str, Any]) -> Property:
    from vouch.nn.points import read_point
    from vouch.nn.property import Property, ball_case

    shape = subject.input_shape
    point = read_point(given["input"], shape, given["index"])
    limits = {n: each(given[n], shape) for n in ("scale", "lower", "upper") if given[n] is not None}
    case = ball_case(point, given["radius"], **limits)
    return Property((case,), subject.inputs, subject.outputs, "neighbourhood")


def _rendered(result: Result, settings: Settings) -> Rendered:
    from vouch.nn.show import rows

    said = [f"warning: {visible(warning)}" for warning in result.warnings]
    lines = [(name, text) for name, text in rows(result) if name != "warning"]
    shown = [f"{name:14} {visible(text)}" for name, text in (lines[:1] if settings.quiet else lines)]
    if settings.verbose and not settings.json:
        said += [f"{name:14} {value:g}" for name, value in result.statistics.items()]
    out = outputs.written(result, settings, _joined(shown), section="nn")
    return Rendered(out, result.exit_code, _joined(said))


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def batch(instances: str, output: str | None, settings: Settings) -> int:
    from vouch.nn import batch as batches
    from vouch.nn.vnncomp import read_instances

    if output is None:
        raise VouchError("missing option --output")
    source, target = Path(instances), Path(output)
    if target.exists() and target.samefile(source):
        raise VouchError(f"option --output: {output} is the list of instances")
    outputs.listed(settings, (instances, output))
    outputs.require_targets([output], (instances,))
    start, wanted, rows = time.monotonic(), read_instances(source), []
    interrupted = False
    try:
        for row, new in batches.run(wanted, source.parent, target, settings):
            rows.append(row)
            if not settings.quiet:
                note = f"{row.seconds:.2f} s" if new else "kept"
                line = f"[{len(rows)}/{len(wanted)}] {visible(_short(row))}: {row.result}, {note}"
                print(line, file=sys.stderr)
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
    from dataclasses import asdict

    from vouch.report.model import read

    document = {"instances": [asdict(row) for row in rows], "summary": counts, "seconds": round(seconds, 3)}
    width = max((len(_short(row)) for row in rows), default=0)
    shown = [
        visible(f"{_short(row):{width}}  {row.result:8} {row.seconds:9.2f} s  {row.reason}".rstrip())
        for row in rows
    ]
    listed = ", ".join(f"{count} {word}" for word, count in sorted(counts.items())) or "nothing"
    shown.append(f"{len(rows)} of {wanted} instances: {listed}; {sum(row.seconds for row in rows):.1f} s")
    outputs.to_stdout(outputs.written(read(document), settings, _joined(shown)))
