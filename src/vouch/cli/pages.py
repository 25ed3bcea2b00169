"""`--html DIR` of every command that has it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from vouch.errors import VouchError
from vouch.printable import visible
from vouch.settings import Settings


def require(settings: Settings) -> None:
    """Refuse a folder that pages cannot be written to, before any work is done."""
    if settings.html is None:
        return
    from vouch.report.site import refused

    if why := refused(settings.html):
        raise VouchError(f"option --html: {settings.html}: {why}")


def write(result: Any, settings: Settings) -> None:
    """The pages of one result, or of a list of reports."""
    if settings.html is None:
        return
    from vouch.report.model import report_of
    from vouch.report.site import write as write_site

    results: Sequence[Any] = result if isinstance(result, list) else [result]
    first = write_site([report_of(each) for each in results], settings.html)
    if not settings.quiet:
        print(f"pages: {visible(str(first))}", file=sys.stderr)
