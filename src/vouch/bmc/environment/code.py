"""Functions of the program behind pointers that nothing is known of.

A pointer to a function that comes from outside may lead to one that the program has handed out, and one in a
variable of the program to any that it keeps in variables, functions of the C library among them. A call
through it is executed for each of them whose type is that of the call, beside the unknown function that it
may lead to as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vouch.bmc.value import MemObject
from vouch.c import ir, known
from vouch.c.escape import kept, leaving
from vouch.smt import term as T
from vouch.smt.term import Term


class UnknownCode:
    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.in_variables: set[MemObject] = set()  # found in variables of the program
        self._named: dict[MemObject, dict[str, Term]] = {}
        self._sets: dict[bool, set[str]] = {}

    def functions(self, code: MemObject, signature: ir.FunctionType) -> Iterator[tuple[Term, str]]:
        """Functions of a type that it may be, each with the condition that it is this one."""
        for name in self._candidates(code in self.in_variables):
            function = self.program.functions[name]
            if function.signature == signature and (function.defined or name in known.TABLE):
                chosen = self._named.setdefault(code, {})
                if name not in chosen:
                    chosen[name] = T.fresh(f"callback.is.{name}", T.BOOL)
                yield chosen[name], name

    def name(self, code: MemObject, holds: Callable[[Term], bool]) -> str:
        """The function that it is in a model, "" for one outside."""
        return next((name for name, chosen in self._named.get(code, {}).items() if holds(chosen)), "")

    def _candidates(self, own: bool) -> list[str]:
        if own not in self._sets:
            self._sets[own] = kept(self.program) if own else leaving(self.program)
        return sorted(self._sets[own])
