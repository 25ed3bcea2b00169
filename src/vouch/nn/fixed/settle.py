"""Closes parts of a search by integer ranges: what rounding and tables do is exact there.

Where the argument of every table lies between two numbers with the same entry, all that follows is a point,
and no noise is left. Linear bounds get near to that and never quite there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vouch.nn.bounds.forward import ForwardState
from vouch.nn.bounds.model import BoundModel
from vouch.nn.fixed.cases import IntCase
from vouch.nn.fixed.format import Ints
from vouch.nn.fixed.model import Rules
from vouch.nn.fixed.network import IntegerNetwork
from vouch.nn.fixed.ranges import Known, ranges


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """For the parts of one case in which the arguments of tables are confined to the intervals of a state of
    the model, which is that of the network or of its first nodes."""

    network: IntegerNetwork
    case: IntCase
    model: BoundModel

    def __call__(self, state: ForwardState) -> Any:
        """Which of the parts certainly have no violation."""
        count = len(state.low)
        low, high = (np.tile(end, (count, 1)) for end in (self.case.low, self.case.high))
        found = ranges(self.network, low, high, self._known(state))
        empty = np.zeros(count, dtype=bool)
        for part in found:
            empty |= (part.low > part.high).any(axis=1)
        return empty | ~self.case.reachable(low, high, found[-1].low, found[-1].high)

    def _known(self, state: ForwardState) -> Known:
        rules, known = self.model.integers, {}
        assert isinstance(rules, Rules)
        for index, source in rules.arguments.items():
            part, form = self.model.slots[index], self.network.formats[source]
            limits = float(form.word.low), float(form.word.high)
            ends = (state.low[:, part], state.high[:, part])
            least, most = (np.clip(np.ldexp(end, form.fraction), *limits) for end in ends)
            known[source] = _whole(np.ceil(least)), _whole(np.floor(most))
        return known


def _whole(values: Any) -> Ints:
    return np.asarray(values).astype(np.int64)
