"""The solver protocol, and the chain of wrappers around a backend."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from vouch.errors import VouchError
from vouch.smt.node import Term, Value

if TYPE_CHECKING:
    from vouch.smt.cache import Store


class Answer(StrEnum):
    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


class SolverError(Exception):
    """A solver gave an answer that is provably wrong, or died: a bug outside the question asked."""


class Solver(Protocol):
    """Decides whether the added terms can hold together.

    Raises `vouch.errors.Unsupported` for terms it has no theory for. `value` may be asked after SAT
    until the next `add` or `check`: booleans are bool, bit-vectors int, floats their IEEE bits.
    """

    @property
    def name(self) -> str: ...

    @property
    def reason(self) -> str:
        """Why the last answer was UNKNOWN."""
        ...

    def add(self, term: Term) -> None: ...

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer: ...

    def value(self, term: Term) -> Value: ...

    def close(self) -> None: ...


_BACKENDS = {
    "bitwuzla": "BitwuzlaSolver",
    "z3": "Z3Solver",
    "cvc5": "Cvc5Solver",
    "boolector": "BoolectorSolver",
}


def backend(name: str, memory: int | None = None) -> Solver:
    """A bare backend: one of the packages (the module of that name), or the command of an SMT-LIB 2
    program. cvc5 and Boolector know no memory limit; the process they run in should have one."""
    if name not in _BACKENDS:
        from vouch.smt.smtlib import SmtLibSolver

        return SmtLibSolver(name, memory)
    try:
        solver: Solver = getattr(import_module(f"vouch.smt.{name}"), _BACKENDS[name])(memory)
    except ImportError as error:
        raise VouchError(f"solver {name} is not installed ({error}): pip install 'vouch[solvers]'") from None
    return solver


def make(
    name: str = "bitwuzla",
    *,
    memory: int | None = None,
    dump: Path | None = None,
    cache: Store | None = None,
) -> Solver:
    """A solver whose models are checked. `memory` is in MiB; `dump` is a folder for one .smt2 file per
    query; `cache` keeps answers between solvers. `a,b` is a portfolio: the first answer counts."""
    from vouch.smt.cache import Cached
    from vouch.smt.dump import Dumped
    from vouch.smt.model import Checked
    from vouch.smt.portfolio import Portfolio
    from vouch.smt.prepare import Prepared

    names = [part.strip() for part in name.split(",")]
    # Preparation next to the backend: what is cached, dumped and checked are the terms as they were made.
    inner: Solver = Portfolio(names, memory) if len(names) > 1 else Checked(Prepared(backend(name, memory)))
    if dump is not None:
        inner = Dumped(inner, dump)
    if cache is not None:
        inner = Cached(inner, cache)
    return inner
