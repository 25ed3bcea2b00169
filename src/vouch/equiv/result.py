"""What a comparison comes to: the record behind the JSON, the exit code and the notebook view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from vouch.equiv.outcome import PairFinding, Witness
from vouch.show import bars, pictures, table, vector
from vouch.verdict import Exit, Verdict, exit_code


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The answer to one comparison.

    `verdict` is EQUIVALENT, DIFFERENT, UNKNOWN or TIMEOUT. DIFFERENT has a `counterexample`, which lies
    exactly in the region and violates the property in real arithmetic; `replayed` says that onnxruntime
    sees the violation too. `bound` is a proved maximal difference (ε only). With clusters, `parts` holds
    one comparison for each and `verdict` sums them up; what is left when the user `interrupted` is unknown.
    """

    verdict: Verdict
    engine: str
    seconds: float
    asked: str
    counterexample: Witness | None = None
    bound: float | None = None
    reason: str | None = None
    arithmetic: str = "real"
    statistics: Mapping[str, float] = field(default_factory=dict)
    parts: tuple[Comparison, ...] = ()
    name: str | None = None
    region: str | None = None
    interrupted: bool = False

    @classmethod
    def of(cls, outcome: PairFinding, **known: Any) -> Comparison:
        return cls(
            verdict=outcome.verdict,
            counterexample=outcome.witness,
            bound=outcome.bound,
            reason=outcome.reason,
            statistics=outcome.statistics,
            **known,
        )

    @property
    def replayed(self) -> bool | None:
        return self.counterexample.replayed if self.counterexample is not None else None

    @property
    def exit_code(self) -> Exit:
        return Exit.INTERRUPTED if self.interrupted else exit_code([self.verdict])

    def to_json(self) -> dict[str, Any]:
        """The document that `--json` prints."""
        document: dict[str, Any] = {
            "verdict": self.verdict.value,
            "counterexample": _witness(self.counterexample),
            "replayed": self.replayed,
            "bound": self.bound,
            "engine": self.engine,
            "seconds": round(self.seconds, 4),
            "property": self.asked,
            "region": self.region,
            "arithmetic": self.arithmetic,
            "reason": self.reason,
            "statistics": dict(self.statistics),
        }
        if self.name is not None:
            document["name"] = self.name
        if self.parts:
            document["clusters"] = [part.to_json() for part in self.parts]
        return document

    def text(self) -> str:
        """One line a person reads, more for a counterexample."""
        line = f"{self.verdict.value}: {self.asked} over {self.region or 'the region'}"
        line += f" ({self.engine}, {self.seconds:.2f} s)"
        if self.bound is not None:
            line += f"\n  proved maximal difference: {self.bound:.6g}"
        if self.reason:
            line += f"\n  {self.reason}"
        if self.counterexample is not None:
            how = (
                "replayed in onnxruntime" if self.replayed else "in exact arithmetic, not seen by onnxruntime"
            )
            line += f"\n  counterexample ({how}):"
            for label, values in (
                ("input", self.counterexample.input),
                ("reference", self.counterexample.reference),
                ("test", self.counterexample.test),
            ):
                line += f"\n    {label:10}" + " ".join(f"{value:.9g}" for value in values)
        for part in self.parts:
            line += f"\n  {part.headline()}"
        return line

    def headline(self) -> str:
        """One part in one line."""
        line = f"{self.name}: {self.verdict.value} ({self.engine}, {self.seconds:.2f} s)"
        return f"{line}: {self.reason}" if self.reason else line

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return table(self._rows(), self.verdict) + self._drawn()

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield "verdict", self.verdict.value
        yield "property", f"{self.asked} over {self.region or 'the region'}"
        if self.reason:
            yield "reason", self.reason
        yield "engine", self.engine
        yield "seconds", f"{self.seconds:.2f}"
        if self.bound is not None:
            yield "proved maximal difference", f"{self.bound:.6g}"
        if self.counterexample is not None:
            yield "input", vector(self.counterexample.input.tolist())
            yield "reference", vector(self.counterexample.reference.tolist())
            yield "test", vector(self.counterexample.test.tolist())
            yield "replayed", "yes, in onnxruntime" if self.replayed else "no, seen in exact arithmetic"
        for part in self.parts:
            yield part.name or "", part.headline()

    def _drawn(self) -> str:
        """The counterexample as a picture where it is one, and what both networks make of it."""
        found = self.counterexample
        if found is None:
            return ""
        outputs = [("reference", found.reference.tolist()), ("test", found.test.tolist())]
        return pictures([("counterexample", found.input.tolist())]) + bars(outputs)


def _witness(witness: Witness | None) -> dict[str, list[float]] | None:
    if witness is None:
        return None
    return {
        "input": [float(v) for v in witness.input],
        "reference": [float(v) for v in witness.reference],
        "test": [float(v) for v in witness.test],
    }
