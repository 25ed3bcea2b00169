"""Executions that were not followed to their end, and what they leave of a proof."""

from __future__ import annotations

from contextlib import suppress

from vouch.bmc.asking import Asking
from vouch.bmc.equation import Cut, Equation
from vouch.c.checks.base import Check, Trigger
from vouch.errors import Unsupported
from vouch.smt import term as T
from vouch.smt.solver import Answer, SolverError
from vouch.smt.term import Term
from vouch.verdict import Verdict


class Cuts:
    """The cuts of an equation; each is asked about once."""

    def __init__(self, equation: Equation, asking: Asking) -> None:
        self.equation = equation
        self.asking = asking
        self._open: dict[Term, bool | None] = {}  # by guard: can an execution run into it?

    def verdict(self, check: Check) -> tuple[Verdict, str | None]:
        """What the cuts leave of a proof for this check. One that is open is enough: those that weigh most
        are asked about first."""
        # Memory may be lost at the end of any execution that was not followed so far.
        leak = check.trigger is Trigger.LEAK
        cuts = [cut for cut in self.equation.cuts if leak or check.site.number in cut.reachable]
        for verdict, bounded in ((Verdict.UNKNOWN, False), (Verdict.BOUND_SAFE, True)):
            alike = [cut for cut in cuts if (cut.kind in ("loop", "recursion")) is bounded]
            known = (cut for cut in alike if self._open.get(cut.guard, False) is not False)
            found = next(known, None) or self._first_open(alike)
            if found is not None:
                return verdict, found.reason
        return Verdict.SAFE, None

    def _first_open(self, cuts: list[Cut]) -> Cut | None:
        """One that an execution can run into. They are asked about together first: mostly there is none."""
        unasked = [cut for cut in cuts if cut.guard not in self._open]
        if len(unasked) > 1:
            with suppress(Unsupported, SolverError):
                answer = self.asking.possible(T.or_(*(cut.guard for cut in unasked)))
                if answer is Answer.UNSAT:
                    self._open.update((cut.guard, False) for cut in unasked)
                elif answer is Answer.SAT:
                    self._open_too()
        known = (cut for cut in cuts if self._open.get(cut.guard))
        return next(known, None) or next((cut for cut in cuts if self._is_open(cut) is not False), None)

    def _is_open(self, cut: Cut) -> bool | None:
        """Can an execution run into the cut? None: not decided, which counts as yes."""
        known = self._open.get(cut.guard, "ask")
        if known != "ask":
            assert known is None or isinstance(known, bool)
            return known
        answer: bool | None = None
        if cut.guard is T.TRUE:
            answer = True
        else:
            try:
                asked = self.asking.possible(cut.guard)
                answer = {Answer.SAT: True, Answer.UNSAT: False}.get(asked)
                if answer:
                    self._open_too()
            except (Unsupported, SolverError):
                answer = None
        self._open[cut.guard] = answer
        return answer

    def _open_too(self) -> None:
        """The execution that was just found runs into other cuts as well: nobody need ask about those."""
        solver = self.asking.shared()
        for cut in self.equation.cuts:
            if cut.guard not in self._open and solver.value(cut.guard):
                self._open[cut.guard] = True
