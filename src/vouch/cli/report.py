"""`vouch report FILE.json…`: formats and pages of what was decided before."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from vouch.cli import outputs
from vouch.errors import VouchError
from vouch.files import read_text
from vouch.report import FORMATS, render
from vouch.report.model import Report, read
from vouch.verdict import Exit


def report(files: list[str], html: str | None, plot: str | None, sources: str, **formats: str | None) -> int:
    if not files:
        files = [_of_workspace()]
    wanted = {name: file for name in FORMATS if (file := formats.get(name)) is not None}
    single = [*wanted, *(["plot"] if plot is not None else [])]
    if single and len(files) > 1:
        raise VouchError(f"option --{single[0]}: one report at a time; only pages show several")
    if html is not None:
        from vouch.report.site import refused

        if why := refused(html):
            raise VouchError(f"option --html: {html}: {why}")
    outputs.require_targets([*wanted.values(), plot], files)
    found = [read_report(file, sources) for file in files]
    for name, file in wanted.items():
        outputs.write_file(render(found[0], name), file)
    if plot is not None:
        from vouch.report.plot import draw

        draw(found[0], plot)
    if html is not None:
        from vouch.report.site import write

        print(f"pages: {write(found, html)}", file=sys.stderr)
    if not single and html is None:
        outputs.to_stdout("".join(render(each, "full") for each in found))
    return worst(found)


def _of_workspace() -> str:
    """The results of the workspace as a JSON report, in its folder."""
    from vouch.run.workspace import FOLDER, Workspace

    space = Workspace.find()
    if space is None:
        raise VouchError("give JSON reports of vouch, or make a workspace")
    path = space.root / FOLDER / "report.json"
    outputs.write_file(json.dumps(space.document(), indent=2) + "\n", str(path))
    return str(path)


def worst(reports: Sequence[Report]) -> Exit:
    """The exit code for all of them."""
    order = (Exit.PROVED, Exit.UNDECIDED, Exit.VIOLATED, Exit.INTERRUPTED)
    return max((each.exit_code for each in reports), key=order.index)


def read_report(file: str, folder: str) -> Report:
    from vouch.c.sources import Sources

    try:
        document: Any = json.loads(read_text(file))
    except (ValueError, RecursionError):
        raise VouchError(f"{file}: not a JSON report of vouch") from None
    if not isinstance(document, dict):
        raise VouchError(f"{file}: not a JSON report of vouch")
    try:
        return read(document, sources=Sources(roots=[folder]))
    except VouchError as error:
        raise VouchError(f"{file}: {error}") from None
