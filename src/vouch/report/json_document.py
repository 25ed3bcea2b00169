"""`--json`, `--output-format json`: exactly one document, as described in docs/check.md, docs/networks.md and
docs/equivalence.md."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from vouch.printable import in_json
from vouch.report.model import Report
from vouch.report.text import TextStyle


def render(report: Report, style: TextStyle) -> str:
    try:
        text = json.dumps(report.document, indent=2, ensure_ascii=True, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(report.document), indent=2, ensure_ascii=True, allow_nan=False)
    return in_json(text)


def _finite(value: Any) -> Any:
    """JSON has no infinity and no NaN: they are written as words."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    return [_finite(inner) for inner in value] if isinstance(value, (list, tuple)) else value
