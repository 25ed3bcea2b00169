"""What comes out of comparing a model with code."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vouch.result import RunResult
from vouch.verdict import Exit, Verdict

if TYPE_CHECKING:
    from vouch.equiv.result import Comparison


@dataclass(frozen=True, slots=True, eq=False)
class CodeComparison:
    """`comparison` of the model with what the code computes, and the `run` of `vouch check` over the harness.
    `rounding`: how far the code can be from the network it stands for, in exact reals; `assumptions`: what
    that rests on."""

    comparison: Comparison
    run: RunResult
    rounding: float | None = None
    assumptions: tuple[str, ...] = ()

    @property
    def exit_code(self) -> Exit:
        codes = (self.comparison.exit_code, self.run.exit_code())
        for worst in (Exit.INTERRUPTED, Exit.VIOLATED, Exit.UNDECIDED):
            if worst in codes:
                return worst
        return Exit.PROVED

    def _counts(self) -> Counter[str]:
        return Counter(str(result.verdict) for result in self.run.checks)

    def to_json(self) -> dict[str, Any]:
        document = self.comparison.to_json()
        document["rounding"] = self.rounding
        document["assumptions"] = list(self.assumptions)
        document["run_time_errors"] = {
            "summary": dict(self._counts()),
            "violations": [r.to_json() for r in self.run.checks if r.verdict is Verdict.UNSAFE],
            "incomplete": self.run.incomplete,
        }
        return document

    def text(self) -> str:
        said = self.comparison.text().rstrip("\n")
        lines = [said.replace("replayed in onnxruntime", "replayed in the compiled code and in onnxruntime")]
        if self.rounding is not None:
            lines.append(f"rounding of the code: at most {self.rounding:.3g}")
        lines += [f"assumed: {assumption}" for assumption in self.assumptions]
        listed = ", ".join(f"{count} {verdict}" for verdict, count in sorted(self._counts().items()))
        nothing = self.run.incomplete or ("interrupted" if self.run.interrupted else "nothing to check")
        lines.append(f"run-time errors: {listed or nothing}")
        for result in self.run.checks:
            if result.verdict is Verdict.UNSAFE:
                place = result.check.location
                lines.append(f"{place.file}:{place.line}: {result.check.category}: {result.check.message}")
        return "\n".join(lines) + "\n"
