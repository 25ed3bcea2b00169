"""`--json`, `--output-format json`: exactly one document, as described in docs/check.md."""

from __future__ import annotations

import json

from vouch.printable import in_json
from vouch.report.text import Style
from vouch.result import RunResult


def render(result: RunResult, style: Style) -> str:
    return in_json(json.dumps(result.to_json(), indent=2, ensure_ascii=True))
