"""The chain of wrappers around a backend."""

from __future__ import annotations

from pathlib import Path

from vouch.smt.backends import backend
from vouch.smt.dump import Dumped
from vouch.smt.model import Checked
from vouch.smt.portfolio import Portfolio
from vouch.smt.prepare import Prepared
from vouch.smt.solver import Solver


def make(name: str = "bitwuzla", *, memory: int | None = None, dump: Path | None = None) -> Solver:
    """A solver whose models are checked. `memory` is in MiB; `dump` is a folder for one .smt2 file per
    query. `a,b` is a portfolio: the first answer counts."""
    names = [part.strip() for part in name.split(",")]
    # Preparation next to the backend: what is dumped and checked are the terms as they were made.
    inner: Solver = Portfolio(names, memory) if len(names) > 1 else Checked(Prepared(backend(name, memory)))
    if dump is not None:
        inner = Dumped(inner, dump)
    return inner
