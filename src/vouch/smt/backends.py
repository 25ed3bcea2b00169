"""The solvers that there are, by name."""

from __future__ import annotations

from importlib import import_module

from vouch.errors import VouchError
from vouch.smt.solver import Solver

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
