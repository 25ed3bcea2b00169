"""The ladder of one start: ways to decide its checks, from the cheapest to the dearest.

A rung says in which direction its answers are sound; `climb` tries them in order until nothing is left that
a higher one could decide, or time is up.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Protocol

from vouch.bmc.counterexample import Counterexample
from vouch.bmc.decide import Answers
from vouch.bmc.loops import counts_bytes
from vouch.bmc.problem import Problem, Start
from vouch.bmc.rounds import Round, Rounds
from vouch.c.checks.base import Check
from vouch.record import frozen_record, record
from vouch.result import CheckResult
from vouch.settings import Settings
from vouch.status import Direction
from vouch.verdict import Verdict

# Bounds of the ladder: it climbs while loops are cut and time is left. The last rung is for counters of eight
# bits, which need 256 iterations to come round, and for what costs next to nothing.
LADDER = (2, 8, 32, 128, 512)
DEAR = 128  # bounds above this
CHEAP_SECONDS = 0.25  # of a round, after which a dear one is tried whatever the loops are
LADDER_SECONDS = 20.0
DEEPEST_INDUCTION = 4  # iterations assumed in the inductive step


@record
class Climb:
    """How far a start has come: the best that is known of its checks, with the executions that show the
    violations among them."""

    start: Start
    results: dict[str, CheckResult] = field(default_factory=dict)
    examples: dict[str, Counterexample] = field(default_factory=dict)
    began: float = 0.0
    spent: float = 0.0  # by the last bounded round
    cut_loops: frozenset[str] = frozenset()  # in the last bounded round
    violated: set[str] = field(default_factory=set)  # in some bounded round that does not refute
    executed: bool = False  # to the least bound, since no loop was there to be generalised

    @property
    def is_bounded(self) -> bool:
        """Whether a higher rung may make proofs of what only holds up to a bound."""
        return any(r.verdict is Verdict.BOUND_SAFE for r in self.results.values())

    def is_settled(self, checks: Iterable[Check]) -> bool:
        """Whether nothing is left to ask of these."""
        done = (Verdict.SAFE, Verdict.UNSAFE)
        return all(c.id in self.results and self.results[c.id].verdict in done for c in checks)

    def take(self, done: Round, *, dear: bool = False) -> None:
        """What an execution to a bound says."""
        self.cut_loops = done.cut_loops
        self.violated |= done.answers.violated
        self.keep(done.answers, dear=dear)

    def keep(self, answers: Answers, *, dear: bool) -> None:
        """A higher round knows more, but a violation stays a violation, and what a dear round found no time
        for stays as it was."""
        for name, result in answers.results.items():
            known = self.results[name].verdict if name in self.results else None
            if known is Verdict.UNSAFE or (known is Verdict.SAFE and result.verdict is not Verdict.UNSAFE):
                continue
            if dear and known is Verdict.BOUND_SAFE and result.verdict is Verdict.UNKNOWN:
                continue
            self.results[name] = result
            if name in answers.counterexamples:
                self.examples[name] = answers.counterexamples[name]


class Rung(Protocol):
    """`direction` tells which of its answers hold. `worthwhile`: whether it, and with it what is above, is to
    be tried at all."""

    @property
    def direction(self) -> Direction: ...
    def worthwhile(self, rounds: Rounds, climb: Climb) -> bool: ...
    def run(self, rounds: Rounds, climb: Climb) -> None: ...


@frozen_record
class Bounded:
    """Follow every execution until its loops have run `bound` times. Violations are real, and proofs are
    where no execution was cut that leads to the check; other proofs hold up to the bound."""

    bound: int
    first: bool = False
    direction: Direction = Direction.BOTH

    def worthwhile(self, rounds: Rounds, climb: Climb) -> bool:
        if self.first:
            return not climb.executed and not climb.is_settled(rounds.problem.open_from(climb.start))
        problem = rounds.problem
        if not climb.is_bounded or _late(problem, _worked() - climb.began):
            return False
        dear = problem.settings.strategy == "ladder" and self.bound > DEAR
        return not dear or self._affordable(problem, climb)

    def _affordable(self, problem: Problem, climb: Climb) -> bool:
        """May a dear round follow one that took so long? It takes at least as many times longer as its bound
        is larger."""
        if climb.spent <= CHEAP_SECONDS:
            return True
        if climb.spent * self.bound / DEAR > LADDER_SECONDS / 2:
            return False
        flows = problem.reachability.flows.values()
        loops = ((flow, loop) for flow in flows for loop in flow.loops.values())
        return any(loop.name in climb.cut_loops and counts_bytes(flow, loop) for flow, loop in loops)

    def run(self, rounds: Rounds, climb: Climb) -> None:
        before = _worked()
        done = rounds.bounded(climb.start, self.bound, climb.results)
        climb.spent = _worked() - before
        climb.take(done, dear=self.bound > DEAR)


@frozen_record
class Inductive:
    """Turn proofs up to a bound into proofs, for the checks that are inductive together. What it finds
    violated may start in a state that no execution comes to."""

    k: int
    direction: Direction = Direction.PROVES

    def worthwhile(self, rounds: Rounds, climb: Climb) -> bool:
        return climb.is_bounded

    def run(self, rounds: Rounds, climb: Climb) -> None:
        trusted = frozenset(i for i, r in climb.results.items() if r.verdict is Verdict.BOUND_SAFE)
        while trusted and not _late(rounds.problem, 0.0):
            results = rounds.inductive(climb.start, self.k, trusted).answers.results
            failed = {i for i in trusted if not _is_safe(results.get(i))}
            if not failed:
                proofs = {name: replace(results[name], decided_by="induction") for name in trusted}
                climb.results.update(proofs)
                return
            trusted -= failed


@frozen_record
class Generalised:
    """Execute every loop once, from all states that its head may be in as far as is known: at the price of
    one iteration, proofs for all of them. Where there is no such loop, it is the bounded execution."""

    bound: int  # of recursion
    direction: Direction = Direction.BOTH

    def worthwhile(self, rounds: Rounds, climb: Climb) -> bool:
        return True

    def run(self, rounds: Rounds, climb: Climb) -> None:
        done, generalised = rounds.generalised(climb.start, self.bound, climb.results)
        if generalised:
            proofs = {n: r for n, r in done.answers.results.items() if _is_safe(r)}
            climb.results.update((n, replace(r, decided_by="induction")) for n, r in proofs.items())
        else:
            climb.take(done)
            climb.executed = True


def ladder(settings: Settings) -> list[Rung]:
    """The rungs that the settings ask for, lowest first. Induction follows the bounds it builds on."""
    by_induction = settings.strategy in ("ladder", "k-induction")
    rungs: list[Rung] = []
    for number, bound in enumerate(_bounds(settings), 1):
        rungs.append(Bounded(bound, first=number == 1))
        if by_induction and number <= DEEPEST_INDUCTION:
            rungs.append(Inductive(number))
    return rungs


def climb(rounds: Rounds, start: Start) -> Climb:
    """What can be said about the checks that executions from a start come to."""
    done = Climb(start, began=_worked())
    if rounds.problem.open_from(start):
        for rung in ladder(rounds.problem.settings):
            if not rung.worthwhile(rounds, done):
                break
            rung.run(rounds, done)
    return done


def _bounds(settings: Settings) -> Sequence[int]:
    given = settings.unwind
    if given is not None and settings.strategy not in ("incremental", "k-induction"):
        return (int(given),)
    match settings.strategy:
        case "global":
            return (LADDER[1],)
        case "incremental" | "k-induction":
            top = int(given) if given is not None else 1 << 12
            return tuple(k for k in (1 << i for i in range(13)) if k <= top)
        case _:
            return LADDER


def _late(problem: Problem, spent: float) -> bool:
    if problem.deadline is not None and time.monotonic() > problem.deadline:
        return True
    return problem.settings.strategy == "ladder" and spent > LADDER_SECONDS / 4


def _worked() -> float:
    """Processor time so far: how far the ladder climbs should not hang on what else the machine does."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _is_safe(result: CheckResult | None) -> bool:
    return result is not None and result.verdict is Verdict.SAFE
