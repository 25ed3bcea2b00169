"""Decides a property of an int8 network, and runs what it finds in the model's runtime."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vouch.errors import Unsupported, VouchError
from vouch.nn.fixed.decide import FixedQuestion
from vouch.nn.fixed.evaluate import evaluate
from vouch.nn.fixed.format import Ints
from vouch.nn.fixed.options import only_on_cpu
from vouch.nn.int8.cases import MeantCase, int8_cases
from vouch.nn.int8.network import Quantised
from vouch.nn.property import Property
from vouch.nn.result import Result, ViolatingInput
from vouch.nn.search.task import Clock
from vouch.settings import Settings
from vouch.verdict import Verdict

ENGINES = ("auto", "enumerate", "bounds")
# Points on which the runtime is compared with the reference before a proof is believed.
_CHECKED = 24


def verify(
    network: Quantised, prop: Property, settings: Settings, report: Callable[[float], None] | None = None
) -> Result:
    """Decides whether the network, computed as its runtime does, satisfies the property."""
    if settings.engine not in ENGINES:
        raise VouchError(f"engine {settings.engine!r} does not decide int8 networks: {', '.join(ENGINES)} do")
    if settings.format is not None:
        raise VouchError("option --format: the network has integers of its own")
    if settings.step is not None:
        raise VouchError("option --step: the inputs of an int8 network have steps of their own")
    only_on_cpu(settings)
    if network.softmax and not prop.order_only:
        raise Unsupported("a softmax at the end, and a property about more than the order of outputs")
    clock = Clock(settings.timeout)
    cases = int8_cases(prop, network)
    question = Int8Question(network.integers, cases, settings, clock, report or (lambda share: None))
    question.subject = network
    return question.answer()


class _NoCode:
    """Int8 networks are not compiled: every point runs in numpy."""

    searchable = False

    def __init__(self, network: Quantised) -> None:
        self.network = network

    def run(self, numbers: Ints) -> Ints:
        return evaluate(self.network.integers, numbers)


@dataclass(slots=True, eq=False)
class Int8Question(FixedQuestion):
    subject: Quantised | None = None

    @property
    def native(self) -> Any:
        assert self.subject is not None
        return _NoCode(self.subject)

    @property
    def runtime(self) -> str:
        assert self.subject is not None
        return self.subject.runtime.name

    def violation(self, engine: str, numbers: Ints) -> Result:
        assert self.subject is not None
        outputs = evaluate(self.network, numbers[None, :])
        for case in self.cases:
            assert isinstance(case, MeantCase)
            assert case.given is not None
            inside = all(a.low <= n <= a.high for a, n in zip(case.axes, numbers.tolist(), strict=True))
            if inside and bool(case.violated(numbers[None, :], outputs)[0]):
                point = self.subject.given.some(numbers, case.given.lower, case.given.upper)
                found = ViolatingInput(point, self.subject.made.reals(outputs)[0])
                return self.made(Verdict.UNSAFE, engine, counterexample=found, replayed=False)
        raise AssertionError("a violation that no case has")

    def confirmed(self, result: Result) -> Result:
        """A violation is run in the runtime; a proof counts where runtime and reference agree on samples."""
        assert self.subject is not None
        found = result.counterexample
        if result.verdict is Verdict.UNSAFE and found is not None:
            point = found.input[None, :]
            output = self._run(point)
            reference = self.subject.evaluate(point)
            if self._same(output, reference):
                seconds = self.clock.spent
                return replace(
                    result,
                    seconds=seconds,
                    counterexample=replace(found, output=output[0]),
                    replayed=True,
                )
            return self._differs(result)
        if result.verdict is Verdict.SAFE and not result.vacuous and not self._agrees():
            return self._differs(result)
        return result

    def _run(self, rows: Any) -> Any:
        assert self.subject is not None
        return self.subject.runtime.run(rows)

    def _differs(self, result: Result) -> Result:
        reason = f"{self.runtime} computes something else here than vouch's reference of its kernels"
        return replace(result, verdict=Verdict.UNKNOWN, counterexample=None, replayed=None, reason=reason)

    def _agrees(self) -> bool:
        assert self.subject is not None
        rng = np.random.default_rng(self.settings.seed)
        for case in self.cases:
            assert isinstance(case, MeantCase)
            assert case.given is not None
            places = rng.integers(0, case.counts, size=(_CHECKED, len(case.axes)))
            numbers = case.numbers(places)
            box = case.given.lower, case.given.upper
            points = np.stack([self.subject.given.some(row, *box) for row in numbers])
            reference = self.subject.made.reals(evaluate(self.network, numbers))
            if not self._same(self._run(points), reference):
                return False
        return True

    def _same(self, outputs: Any, reference: Any) -> bool:
        """Bit for bit; behind a softmax in float32, up to what that may round. One unit of an argument moves
        its results by far more."""
        assert self.subject is not None
        if not self.subject.softmax:
            return np.array_equal(outputs, reference)
        powers = np.exp(reference - reference.max(axis=1, keepdims=True))
        wanted = powers / powers.sum(axis=1, keepdims=True)
        return bool((np.abs(outputs - wanted) <= 1e-5 * wanted + 1e-30).all())
