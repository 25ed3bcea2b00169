"""Decides a property of an integer network, and replays what it finds in the compiled C."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vouch.errors import Unsupported
from vouch.nn.fixed.cases import IntCase, int_cases
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.format import Ints
from vouch.nn.fixed.network import IntegerNetwork
from vouch.nn.fixed.options import quantised, step_of
from vouch.nn.network import Network
from vouch.nn.property import Property
from vouch.nn.result import Result, ViolatingInput
from vouch.nn.search.task import Clock
from vouch.settings import Settings
from vouch.verdict import Verdict

RUNTIME = "the compiled C code"
Progress = Callable[[float], None]


def verify(network: Network, prop: Property, settings: Settings, report: Progress | None = None) -> Result:
    """Decides whether the fixed-point network satisfies the property, bit for bit."""
    return verify_integers(quantised(network, settings), prop, settings, report)


def verify_integers(
    integers: IntegerNetwork, prop: Property, settings: Settings, report: Progress | None = None
) -> Result:
    """The same for a network that is integers already."""
    clock = Clock(settings.timeout)
    if integers.softmax and not prop.order_only:
        raise Unsupported("a softmax at the end, and a property about more than the order of outputs")
    cases = int_cases(prop, integers.input_format, integers.output_format, step_of(settings.step))
    question = FixedQuestion(integers, cases, settings, clock, report or (lambda share: None))
    return question.answer()


@dataclass(slots=True, eq=False)
class FixedQuestion:
    """One property of one integer network under way."""

    network: IntegerNetwork
    cases: list[IntCase]
    settings: Settings
    clock: Clock
    report: Progress
    statistics: dict[str, float] = field(default_factory=dict)
    _native: Any = None

    @property
    def jobs(self) -> int:
        return int(self.settings.jobs or os.cpu_count() or 1)

    @property
    def runtime(self) -> str:
        """What confirms counterexamples."""
        return RUNTIME

    @property
    def native(self) -> Any:
        """The compiled network, made when it is first needed."""
        if self._native is None:
            from vouch.nn.fixed.native import Native

            self._native = Native(self.network, self.cases)
        return self._native

    def count(self, name: str, value: float) -> None:
        self.statistics[name] = self.statistics.get(name, 0) + value

    def answer(self) -> Result:
        if not any(case.points for case in self.cases):
            warning = "the property is vacuous: its input set is empty; this says nothing about the network"
            return self.made(Verdict.SAFE, "vacuity", vacuous=True, warnings=(warning,), progress=1.0)
        from vouch.nn.fixed.engines import engine

        return self.confirmed(engine(str(self.settings.engine))(self))

    def made(self, verdict: Verdict, engine: str, **more: Any) -> Result:
        return Result(
            verdict, engine, self.clock.spent, statistics=dict(self.statistics), runtime=self.runtime, **more
        )

    def violation(self, engine: str, numbers: Ints) -> Result:
        """An input that violates; the result is a claim until `confirmed` has run it."""
        outputs = evaluate(self.network, numbers[None, :])[0]
        given, made = self.network.input_format, self.network.output_format
        found = ViolatingInput(given.reals(numbers), made.reals(outputs))
        return self.made(Verdict.UNSAFE, engine, counterexample=found, replayed=False)

    def confirmed(self, result: Result) -> Result:
        from dataclasses import replace

        found = result.counterexample
        if result.verdict is not Verdict.UNSAFE or found is None:
            return result
        numbers = self.network.input_format.word.narrow(
            np.ldexp(found.input, self.network.input_format.fraction).astype(np.int64)
        )
        outputs = self.native.run(numbers[None, :])[0]
        reference = evaluate(self.network, numbers[None, :])[0]
        if np.array_equal(outputs, reference) and self.is_violation(numbers, outputs):
            output = self.network.output_format.reals(outputs)
            return replace(
                result,
                seconds=self.clock.spent,
                counterexample=replace(found, output=output),
                replayed=True,
            )
        return replace(
            result,
            verdict=Verdict.UNKNOWN,
            counterexample=None,
            reason="a counterexample was found that the compiled C code does not confirm",
        )

    def is_violation(self, numbers: Ints, outputs: Ints) -> bool:
        """Exactly: a point of some case, in one of its regions."""
        for case in self.cases:
            at = case.numbers(case.places(numbers[None, :]))[0] if case.points else None
            if at is None or not np.array_equal(at, numbers):
                continue
            if not case.violated(numbers[None, :], outputs[None, :])[0]:
                continue
            if case.members is None or case.members.contains(numbers):
                return True
        return False

    def first_violation(self, numbers: Sequence[Ints] | Ints, limit: int = 64) -> Ints | None:
        """The first of some points that is a violation, exactly."""
        rows = np.asarray(numbers, dtype=np.int64)
        if not len(rows):
            return None
        outputs = evaluate(self.network, rows)
        suspects = np.zeros(len(rows), dtype=bool)
        for case in self.cases:
            suspects |= case.violated(rows, outputs)
        for index in np.flatnonzero(suspects)[:limit]:
            if self.is_violation(rows[index], outputs[index]):
                return np.asarray(rows[index])
        return None
