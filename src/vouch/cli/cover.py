"""`vouch nn cover`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vouch.cli import outputs
from vouch.cli.network_words import NetworkProgress
from vouch.cli.supervised import Rendered, supervised
from vouch.errors import VouchError
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict

if TYPE_CHECKING:
    from vouch.nn.arrays import Array
    from vouch.nn.cover.api import Asked, CoverResult
    from vouch.nn.cover.potentials import LayeredNetwork
    from vouch.nn.network import Network
    from vouch.run.supervise import Send


def cover(network: str, settings: Settings, **given: Any) -> int:
    if given["inputs"] is None:
        raise VouchError("missing option --inputs")
    outputs.listed(settings, (network, given["inputs"]))
    wanted = None if given["at_least"] is None else _share(given["at_least"])
    if given["raise"] and settings.format is not None:
        raise VouchError("option --raise: not with --format; coverage in fixed point is measured, not raised")
    if given["raise"] and given["radius"] is None:
        raise VouchError("option --raise: needs --radius, how far the new input may be from the given one")

    def work(send: Send) -> Rendered:
        from vouch.nn.cover import api
        from vouch.nn.loaders import load
        from vouch.nn.points import read_points

        subject = load(network)
        rows = read_points(given["inputs"], subject.input_shape)
        asked = _asked(subject, rows, wanted, given)
        layered = _layered(subject, settings)
        result = api.cover(layered, rows, asked, timeout=settings.timeout, seed=settings.seed)
        _write(result, subject, given["output"])
        from vouch.nn.cover.show import table
        from vouch.report.model import read

        text = table(result, brief=settings.quiet, witnesses=settings.verbose)
        document = {**result.to_json(), "question": {"network": network, "inputs": given["inputs"]}}
        report = read(document, exit_code=result.exit_code)
        return Rendered(outputs.written(report, settings, text), result.exit_code)

    with NetworkProgress(settings) as progress:
        return supervised(work, settings, lambda *what: _without(settings, *what), progress=progress)


def _layered(network: Network, settings: Settings) -> LayeredNetwork:
    """What coverage is about: the network of real numbers, or the one in fixed point."""
    from vouch.nn.cover.potentials import fixed_potentials, potentials

    if settings.format is None:
        return potentials(network)
    from vouch.nn.fixed.options import quantised

    return fixed_potentials(quantised(network, settings))


def _without(settings: Settings, verdict: Verdict, reason: str, seconds: float) -> Rendered:
    if settings.json:
        document = {"verdict": str(verdict), "reason": reason, "seconds": round(seconds, 3)}
        return Rendered(json.dumps(document) + "\n", Exit.UNDECIDED)
    return Rendered(f"{verdict}: {reason}\n", Exit.UNDECIDED)


def _share(text: str) -> float:
    """80%, or 0.8."""
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise VouchError(f"option --at-least: {text!r} is not a share such as 80% or 0.8")
    return value


def _asked(network: Network, rows: Array, wanted: float | None, given: dict[str, Any]) -> Asked:
    from vouch.nn.cover.api import Asked
    from vouch.nn.cover.classic import Classic
    from vouch.nn.cover.methods import METHODS, Metrics
    from vouch.nn.points import read_points

    method = given["method"]
    profile = None
    if given["compare"]:
        source = given["profile"]
        profile = rows if source is None else read_points(source, network.input_shape)
    return Asked(
        METHODS if method == "all" else (method,),
        Metrics(given["ratio"], given["distance"], given["distance_norm"]),
        wanted,
        profile,
        Classic(given["threshold"], given["sections"], given["top"]),
        _near(network, rows, given) if given["raise"] else None,
    )


def _near(network: Network, rows: Array, given: dict[str, Any]) -> Any:
    """The inputs near the given one: --input, or a row of the data set."""
    import numpy as np

    from vouch.cli.network_words import each
    from vouch.nn.points import read_point
    from vouch.nn.property import ball_case

    index = given["index"]
    if given["input"] is not None:
        centre = read_point(given["input"], network.input_shape, index)
    elif not 0 <= (index or 0) < len(rows) or (index is None and len(rows) > 1):
        raise VouchError(f"option --raise: name where to start: --input, or --index below {len(rows)}")
    else:
        centre = rows[index or 0]
    limits = {
        name: each(given[name], network.input_shape) for name in ("lower", "upper") if given[name] is not None
    }
    case = ball_case(centre, given["radius"], norm=given["norm"], **limits)
    if np.any(case.lower > case.upper):
        raise VouchError("option --raise: no input is that near and within the limits")
    return case


def _write(result: CoverResult, network: Network, folder: str | None) -> None:
    """The inputs that raise the coverage, one file for each method."""
    if folder is None:
        return
    from vouch.nn.points import write_point

    Path(folder).mkdir(parents=True, exist_ok=True)
    for method, raised in result.raised.items():
        if raised.input is not None:
            write_point(Path(folder), f"raised-{method}", raised.input, network.input_shape)
