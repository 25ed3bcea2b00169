"""The order in which engines are tried, and how their findings become one result.

Vacuity first (a property that nothing can violate is no triumph), then the falsifier, then branch and bound
over inputs or neurons, then the complete finishers. Engines report outcomes; only this file makes verdicts.
"""

from __future__ import annotations

import os
from typing import Any

from vouch.errors import Unsupported
from vouch.nn.bounds.arrays import arrays_for
from vouch.nn.bounds.model import Model, model_of
from vouch.nn.network import Network
from vouch.nn.property import Property
from vouch.nn.result import Result
from vouch.nn.search.inputs import InputSearch
from vouch.nn.search.task import Clock, Judge
from vouch.settings import Settings
from vouch.verdict import Verdict

# Up to this many free inputs, halving boxes beats splitting neurons.
FEW_INPUTS = 12


def verify(network: Network, prop: Property, settings: Settings) -> Result:
    """Decides whether the network satisfies the property.

    SAFE holds for every input of the property's set in the arithmetic that was asked for; UNSAFE comes with
    a counterexample that onnxruntime confirmed; what is not supported is UNKNOWN with its reason.
    """
    clock = Clock(settings.timeout)
    prop.check_sizes(network.inputs, network.outputs, network.name)
    try:
        model = model_of(network, settings.arithmetic, arrays_for(settings.device))
    except Unsupported as error:
        return Result(Verdict.UNKNOWN, "none", clock.spent, reason=str(error))
    if model.lowered.softmax and not prop.order_only:
        reason = "the network ends in a softmax and the property asks for more than the order of outputs"
        return Result(Verdict.UNKNOWN, "none", clock.spent, reason=reason)
    return _Verification(network, model, prop, settings, clock).result()


class _Verification:
    def __init__(
        self, network: Network, model: Model, prop: Property, settings: Settings, clock: Clock
    ) -> None:
        self.network, self.model, self.prop, self.settings, self.clock = network, model, prop, settings, clock
        self.judge = Judge(network, prop, settings.arithmetic == "real")
        self.jobs = settings.jobs or os.cpu_count() or 1
        self.statistics: dict[str, float] = {}

    def result(self) -> Result:
        from threadpoolctl import threadpool_limits

        # The pool's threads are the parallelism; a BLAS that starts its own would fight them.
        with threadpool_limits(1, user_api="blas"):
            return self._decide()

    def _decide(self) -> Result:
        shares = []
        for case in self.prop.cases:
            search = InputSearch(self.model, case, self.judge, self.clock, jobs=self.jobs)
            outcome = search.run()
            self._count("boxes", outcome.boxes)
            if outcome.counterexample is not None:
                return self._made(
                    Verdict.UNSAFE, "inputs", counterexample=outcome.counterexample, replayed=True
                )
            shares.append(outcome.proved)
            if outcome.proved < 1.0:
                break
        share = sum(shares) / len(self.prop.cases)
        if share == 1.0:
            return self._made(Verdict.SAFE, "inputs", progress=1.0)
        return self._made(Verdict.TIMEOUT, "inputs", progress=share)

    def _count(self, name: str, value: float) -> None:
        self.statistics[name] = self.statistics.get(name, 0) + value

    def _made(self, verdict: Verdict, engine: str, **more: Any) -> Result:
        return Result(verdict, engine, self.clock.spent, statistics=dict(self.statistics), **more)
