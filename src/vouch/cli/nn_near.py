"""`vouch nn robust` and `vouch nn nearest`: what happens near a point."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vouch.cli import nn, outputs
from vouch.cli.network_words import NetworkProgress, each
from vouch.cli.supervised import Rendered, supervised
from vouch.errors import VouchError
from vouch.settings import Settings
from vouch.verdict import Exit, Verdict

if TYPE_CHECKING:
    from vouch.nn.nearest import Nearest
    from vouch.run.supervise import Send


def robust(network: str, settings: Settings, **given: Any) -> int:
    if not given.pop("nearest"):
        return nn.robust(network, settings, **given)
    if given["radius"] is None:
        raise VouchError("missing option --radius")
    if given["within"] is not None or given["bottom"] or given["scale"] is not None:
        raise VouchError("option --nearest goes with neither --within nor --bottom nor --scale")
    return nearest(network, settings, **given, image=None, reals=True)


def nearest(network: str, settings: Settings, **given: Any) -> int:
    if given["input"] is None:
        raise VouchError("missing option --input")
    if settings.format is None and not given.get("reals"):
        raise VouchError("missing option --format: the nearest input is looked for in fixed point")
    outputs.require_targets([given["image"]], (network, given["input"]))

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
        return supervised(work, settings, without, progress, progress=progress)


def _described(found: Nearest) -> str:
    if found.result is None or found.result.counterexample is None:
        return f"no input of another class within {found.proved:g}\n"
    values = ", ".join(f"{v:g}" for v in found.result.counterexample.input[:12])
    more = ", …" if len(found.result.counterexample.input) > 12 else ""
    near = "the nearest" if found.exact else f"none is nearer than {found.proved:g}"
    return f"class {found.label} is left at distance {found.distance:g} ({near}): [{values}{more}]\n"
