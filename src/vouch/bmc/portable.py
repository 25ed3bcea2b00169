"""Results that travel between processes: everything but the check itself, which both sides know by its id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from vouch.bmc.counterexample import Counterexample
from vouch.c.checks.base import Check
from vouch.result import CheckResult

Packed = tuple[str, dict[str, Any], Counterexample | None]
_FIELDS = tuple(f.name for f in fields(CheckResult) if f.name != "check")


def pack(results: Mapping[str, CheckResult], examples: Mapping[str, Counterexample]) -> list[Packed]:
    packed: list[Packed] = []
    for name, result in results.items():
        example = examples.get(name)
        if example is not None:
            example.check = None  # type: ignore[assignment]  # put back by `unpack`
        packed.append((name, {field: getattr(result, field) for field in _FIELDS}, example))
    return packed


def unpack(
    packed: Iterable[Packed], checks: Mapping[str, Check]
) -> tuple[dict[str, CheckResult], dict[str, Counterexample]]:
    results: dict[str, CheckResult] = {}
    examples: dict[str, Counterexample] = {}
    for name, values, example in packed:
        results[name] = CheckResult(checks[name], **values)
        if example is not None:
            example.check = checks[name]
            examples[name] = example
    return results, examples
