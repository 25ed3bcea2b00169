"""Effective bit-widths: how many bits of an expression matter, by its operators alone (Thesis 4.4.1)."""

from __future__ import annotations

from collections.abc import Iterable

from vouch.c.checks.base import Check
from vouch.c.ir import Function


def by_width(function: Function, checks: Iterable[Check]) -> frozenset[str]:
    return frozenset()
