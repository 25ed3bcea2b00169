"""An earlier report read back: what it lists as found does not count again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vouch.errors import VouchError
from vouch.files import read_text
from vouch.result import RunResult
from vouch.verdict import Verdict

# From bad to worse. What has become worse than it was is new.
_ORDER = (Verdict.SAFE, Verdict.BOUND_SAFE, Verdict.UNKNOWN, Verdict.COND_UNSAFE, Verdict.UNSAFE)


def read(path: str) -> dict[str, Verdict]:
    """Verdicts by the ids of checks, from a JSON or SARIF report of vouch."""
    text = read_text(path)
    try:
        document = json.loads(text)
        found = dict(_listed(document))
    except RecursionError:
        raise VouchError(f"{path}: nested too deeply") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise VouchError(f"{path}: not a JSON or SARIF report of vouch") from None
    return {name: verdict for name, verdict in found.items() if verdict in _ORDER}


def _listed(document: Any) -> Iterator[tuple[str, Verdict]]:
    if "runs" in document:
        for run in document["runs"]:
            for item in run["results"]:
                yield item["partialFingerprints"]["vouchCheckId/v1"], Verdict(item["properties"]["verdict"])
        return
    for item in document["checks"]:
        if item.get("suppressed") is None:
            yield str(item["id"]), Verdict(item["verdict"])


def applied(result: RunResult, earlier: Mapping[str, Verdict]) -> RunResult:
    """The result with `known` set on checks that were as bad before. Proofs are never old news."""
    return replace(
        result,
        checks=[
            replace(item, known=_is_known(item.verdict, earlier.get(item.check.id))) for item in result.checks
        ],
    )


def _is_known(verdict: Verdict, before: Verdict | None) -> bool:
    if verdict is Verdict.SAFE or verdict not in _ORDER or before is None:
        return False
    return _ORDER.index(verdict) <= _ORDER.index(before)
