"""`--json`, `--output-format json`: exactly one document, as described in docs/check.md, docs/networks.md and
docs/equivalence.md."""

from __future__ import annotations

import json

from vouch.printable import in_json
from vouch.report.model import Report
from vouch.report.text import Style


def render(report: Report, style: Style) -> str:
    return in_json(json.dumps(report.document, indent=2, ensure_ascii=True))
