"""What a network question comes to: the record behind the JSON, the exit code and the notebook view."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vouch.verdict import Exit, Verdict, exit_code

if TYPE_CHECKING:
    import numpy as np

    Vector = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class ViolatingInput:
    """A point of the input set that violates the property, flat in row-major order.

    `output` is what onnxruntime computed for it when the result is `replayed`, otherwise the float64 value.
    With several networks, inputs and outputs stand one after the other in the property's order. `decimals`,
    where there are any, are the inputs digit for digit: all digits of each float, or on a face of the box the
    decimal that is read as it. They lie in the box that the property states in decimals.
    """

    input: Vector
    output: Vector
    decimals: tuple[str, ...] = ()

    def to_json(self) -> dict[str, list[float]]:
        return {"input": [float(v) for v in self.input], "output": [float(v) for v in self.output]}


def _finite(value: float | None) -> float | None:
    """JSON has no infinity; a bound that is none says nothing."""
    return None if value is None or not math.isfinite(value) else float(value)


class History:
    """Hears the share that is proved as it grows, keeps some of it, and passes it on."""

    _MOST = 400

    def __init__(self, start: float, report: Callable[[float], None] | None) -> None:
        self._start, self._report = start, report
        self._kept: list[tuple[float, float]] = [(0.0, 0.0)]

    def hear(self, share: float) -> None:
        self._kept.append((time.monotonic() - self._start, float(share)))
        if len(self._kept) > self._MOST:
            self._kept = self._kept[::2]
        if self._report is not None:
            self._report(share)

    def until(self, seconds: float, verdict: Verdict) -> tuple[tuple[float, float], ...]:
        """All of it, nothing where nobody spoke."""
        if len(self._kept) == 1:
            return ()
        share = 1.0 if verdict is Verdict.SAFE else self._kept[-1][1]
        return (*self._kept, (seconds, share))


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to one question about a network.

    An engine fills what it knows; callers may rely on: `verdict` is SAFE, UNSAFE, UNKNOWN or TIMEOUT;
    UNSAFE has a `counterexample`; UNKNOWN has a `reason`.
    """

    verdict: Verdict
    engine: str
    seconds: float = 0.0
    counterexample: ViolatingInput | None = None
    replayed: bool | None = None
    """True: `runtime` confirms the counterexample. None: there is nothing to replay."""
    runtime: str = "onnxruntime"
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    vacuous: bool = False
    """The input set is empty, or the property contradicts itself: nothing is said about the network."""
    bound: float | None = None
    """Best proved lower bound on the margin of the property; positive means proved."""
    progress: float | None = None
    """Share of the input volume (or of the search tree) that is proved, 0 to 1."""
    output_bounds: tuple[Vector, Vector] | None = None
    """Proved lower and upper bounds of every output over the input set."""
    statistics: Mapping[str, float] = field(default_factory=dict)
    """Counts and times for the curious: boxes, splits, LPs, ..."""
    question: Mapping[str, Any] | None = None
    """What was asked, for reports: network, property, input_shape, and around a point: original, radius, …"""
    history: tuple[tuple[float, float], ...] = ()
    """The share that was proved, over time: (seconds, share)."""

    @property
    def exit_code(self) -> Exit:
        return exit_code([self.verdict])

    def to_json(self) -> dict[str, Any]:
        """The document that `--json` prints."""
        document: dict[str, Any] = {
            "verdict": self.verdict.value,
            "counterexample": self.counterexample.to_json() if self.counterexample else None,
            "replayed": self.replayed,
            "engine": self.engine,
            "seconds": round(self.seconds, 4),
            "reason": self.reason,
            "vacuous": self.vacuous,
            "warnings": list(self.warnings),
            "bound": _finite(self.bound),
            "progress": _finite(self.progress),
        }
        if self.output_bounds is not None:
            low, high = self.output_bounds
            pairs = zip(low.tolist(), high.tolist(), strict=True)
            document["output_bounds"] = [[_finite(a), _finite(b)] for a, b in pairs]
        if self.statistics:
            document["statistics"] = {name: _finite(value) for name, value in self.statistics.items()}
        if self.question is not None:
            document["question"] = dict(self.question)
        if self.history:
            document["history"] = [[round(seconds, 4), round(share, 6)] for seconds, share in self.history]
        return document

    def _repr_html_(self) -> str:
        from vouch.nn.show import html

        return html(self)

    def plot(self, axes: Any = None) -> Any:
        """Draw output bounds and the counterexample's output; returns matplotlib axes."""
        from vouch.nn.show import plot

        return plot(self, axes)
