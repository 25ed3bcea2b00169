"""Several solvers on the same question, each in a process of its own: the first answer counts."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any

from vouch.forks import INTERRUPTS, TIME, die_with_parent, held_back
from vouch.smt.backends import backend
from vouch.smt.model import Model, Whole, take
from vouch.smt.node import Term, Value
from vouch.smt.prepare import Prepared
from vouch.smt.solver import Answer, SolverError
from vouch.smt.walk import symbols

_fork = multiprocessing.get_context("fork")


def _solve(
    name: str,
    memory: int | None,
    asserted: list[Term],
    timeout: float | None,
    answers: Connection,
    parent: int,
) -> None:
    """The child: it sees the terms through fork and sends the answer with the values of the symbols."""
    die_with_parent(parent)
    for number in (signal.SIGINT, TIME):  # they are for the parent, which ends this process
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
    try:
        solver = Prepared(backend(name, memory))
        for term in asserted:
            solver.add(term)
        answer = solver.check((), timeout)
        values: dict[str, Any] = {}
        if answer is Answer.SAT:
            values = {symbol.name: v for symbol, v in take(solver, asserted).values.items()}
        answers.send((answer, values, solver.reason))
    except SolverError as error:
        answers.send((None, {}, str(error)))
    except Whole:
        answers.send((Answer.UNKNOWN, {}, "a portfolio has no models of compared arrays"))
    except Exception as error:
        answers.send((Answer.UNKNOWN, {}, f"{name}: {error}"))


class Portfolio:
    def __init__(self, names: Sequence[str], memory: int | None = None) -> None:
        self.name = ",".join(names)
        self.reason = ""
        self._names = names
        self._memory = memory
        self._added: list[Term] = []
        self._model: Model | None = None

    def add(self, term: Term) -> None:
        self._added.append(term)

    def check(self, assumptions: Sequence[Term] = (), timeout: float | None = None) -> Answer:
        self._model = None
        asserted = [*self._added, *assumptions]
        running: dict[Connection, ForkProcess] = {}
        try:
            for name in self._names:
                here, there = _fork.Pipe(duplex=False)
                given = (name, self._memory, asserted, timeout, there, os.getpid())
                process = _fork.Process(target=_solve, args=given, daemon=True)
                with held_back():  # a process that runs is always listed
                    process.start()
                    running[here] = process
                there.close()
            return self._first(running, asserted, timeout)
        finally:
            for here, process in running.items():
                process.kill()
                process.join()
                here.close()

    def _first(
        self, running: dict[Connection, ForkProcess], asserted: list[Term], timeout: float | None
    ) -> Answer:
        waiting = set(running)
        # A solver may overrun its own limit a little; one that ignores it is not waited for.
        deadline = None if timeout is None else time.monotonic() + timeout + 1.0
        reasons = []
        while waiting:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            ready = wait(list(waiting), left)
            if not ready:
                reasons.append("solver time limit")
                break
            for here in ready:
                assert isinstance(here, Connection)
                waiting.discard(here)
                try:
                    answer, values, reason = here.recv()
                except EOFError:
                    answer, values, reason = Answer.UNKNOWN, {}, "a solver died"
                if answer is None:
                    raise SolverError(reason)
                if answer is not Answer.UNKNOWN:
                    self._model = Model({s: values[s.name] for s in symbols(*asserted) if s.name in values})
                    return Answer(answer)
                reasons.append(reason)
        self.reason = "; ".join(reasons)
        return Answer.UNKNOWN

    def value(self, term: Term) -> Value:
        assert self._model is not None, "value before SAT"
        result: Value = self._model.value(term)
        return result

    def close(self) -> None:
        self._added.clear()
