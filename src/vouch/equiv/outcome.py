"""What an engine hands back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vouch.verdict import Verdict

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """An input (exactly inside the region) and both outputs, on which the property is violated."""

    input: Array
    reference: Array
    test: Array
    replayed: bool


# Takes an input that looks like a violation; returns it confirmed, or None.
Confirm = Callable[[Array], Witness | None]


@dataclass(frozen=True, slots=True, eq=False)
class PairFinding:
    """`bound` is a proved upper bound of the difference (for ε) or None. DIFFERENT has a `witness`,
    UNKNOWN a `reason`."""

    verdict: Verdict
    bound: float | None = None
    witness: Witness | None = None
    reason: str | None = None
    statistics: Mapping[str, float] = field(default_factory=dict)
