"""`vouch nn codegen`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from vouch.errors import VouchError
from vouch.settings import Settings
from vouch.verdict import Exit


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
