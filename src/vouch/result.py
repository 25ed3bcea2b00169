"""The result objects behind every report of `vouch check`: one per check, one per run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

from vouch.c.checks.base import Category, Check, Trigger
from vouch.c.ir import Location
from vouch.c.sources import Sources
from vouch.record import frozen_record, record
from vouch.steps import TraceStep
from vouch.verdict import Exit, Verdict, exit_code


@frozen_record
class CheckResult:
    """What is known about one check at one moment; who learns more makes a new one. `decided_by` is one of
    the rungs of CONTRACT.md."""

    check: Check
    verdict: Verdict
    decided_by: str | None = None
    reason: str | None = None
    bound: int | None = None
    seconds: float = 0.0
    replayed: bool | None = None
    inputs: dict[str, Any] | None = None
    precondition: str | None = None
    trace: tuple[TraceStep, ...] = ()
    assumptions: tuple[str, ...] = ()  # external functions a proof relies on, …
    known: bool = False  # an earlier run, the baseline, found as much
    driver: Mapping[str, Any] | None = None  # a C program that shows a violation, and the command to run it

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> CheckResult:
        """What `to_json` wrote, read back. The check has no site: the program is not part of a report."""
        place = Location(
            document["file"], int(document["line"]), int(document["column"]), document["function"]
        )
        check = Check(
            document["id"],
            Category(document["category"]),
            place,
            document["function"],
            document["message"],
            Trigger.REACHED,
            None,  # type: ignore[arg-type]
            suppressed=document.get("suppressed"),
        )
        return cls(
            check,
            Verdict(document["verdict"]),
            decided_by=document.get("decided_by"),
            reason=document.get("reason"),
            bound=document.get("bound"),
            seconds=float(document.get("seconds", 0.0)),
            replayed=document.get("replayed"),
            inputs=document.get("inputs"),
            precondition=document.get("precondition"),
            trace=tuple(TraceStep.from_json(step) for step in document.get("trace") or ()),
            assumptions=tuple(document.get("assumptions") or ()),
            known=bool(document.get("baseline", False)),
            driver=document.get("replay"),
        )

    def to_json(self) -> dict[str, Any]:
        check, place = self.check, self.check.location
        return {
            "id": check.id,
            "category": str(check.category),
            "file": place.file,
            "line": place.line,
            "column": place.column,
            "function": check.function,
            "message": check.message,
            "verdict": str(self.verdict),
            "decided_by": self.decided_by,
            "reason": self.reason,
            "bound": self.bound,
            "seconds": round(self.seconds, 3),
            "replayed": self.replayed,
            "inputs": self.inputs,
            "precondition": self.precondition,
            "trace": [step.to_json() for step in self.trace],
            "assumptions": list(self.assumptions),
            "suppressed": check.suppressed,
            "baseline": self.known,
            "replay": self.driver,
        }


@record
class LoopInfo:
    """A loop with its stable name (`function.loop.n`), trip count where inferred, and bound in force."""

    name: str
    file: str
    line: int
    function: str
    trip_count: int | None
    bound: int | None
    bound_from: str  # "inferred", "option", "file", "comment", "default"
    invariant: str | None = None  # as C: what integers hold whenever the loop's condition is evaluated


@record
class RunResult:
    entry_points: list[str]
    checks: list[CheckResult]
    warnings: list[str] = field(default_factory=list)
    loops: list[LoopInfo] = field(default_factory=list)
    seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)  # seconds per stage
    replay_failures: int = 0  # violations that did not replay: each one is a bug in vouch
    interrupted: bool = False
    incomplete: str | None = None  # why the run ended before its end, where it did
    left_out: list[str] = field(default_factory=list)  # files that were asked for and not looked at
    fail_on: frozenset[str] = frozenset({"unsafe"})  # verdicts that give exit code 1
    configuration: dict[str, Any] = field(default_factory=dict)  # options that are not at their default
    sources: Sources | None = field(default=None, repr=False)  # lines that reports may quote

    @classmethod
    def from_json(cls, document: Mapping[str, Any], sources: Sources | None = None) -> RunResult:
        """What `to_json` wrote, read back: all but the instructions that the checks belong to."""
        return cls(
            list(document["entry_points"]),
            [CheckResult.from_json(check) for check in document["checks"]],
            warnings=list(document.get("warnings", ())),
            loops=[LoopInfo(**loop) for loop in document.get("loops", ())],
            seconds=float(document.get("seconds", 0.0)),
            stages=dict(document.get("stages", {})),
            replay_failures=int(document.get("replay_failures", 0)),
            interrupted=bool(document.get("interrupted", False)),
            incomplete=document.get("incomplete"),
            left_out=list(document.get("left_out", ())),
            fail_on=frozenset(document.get("fail_on", ("unsafe",))),
            configuration=dict(document.get("configuration", {})),
            sources=sources,
        )

    def to_json(self) -> dict[str, Any]:
        from vouch import __version__

        return {
            "vouch": __version__,
            "entry_points": self.entry_points,
            "checks": [result.to_json() for result in self.checks],
            "summary": dict(Counter(str(r.verdict) for r in self.counted())),
            "seconds": round(self.seconds, 3),
            "warnings": self.warnings,
            "stages": {name: round(s, 3) for name, s in self.stages.items()},
            "replay_failures": self.replay_failures,
            "incomplete": self.incomplete,
            "interrupted": self.interrupted,
            "left_out": self.left_out,
            "fail_on": sorted(self.fail_on),
            "configuration": self.configuration,
            "loops": [asdict(loop) for loop in self.loops],
        }

    def exit_code(self) -> Exit:
        if self.interrupted:
            return Exit.INTERRUPTED
        verdicts = [r.verdict for r in self.counted()]
        if any(str(verdict) in self.fail_on for verdict in verdicts):
            return Exit.VIOLATED
        proved = exit_code(verdicts) is Exit.PROVED and not self.incomplete and not self.left_out
        return Exit.PROVED if proved else Exit.UNDECIDED

    def counted(self) -> list[CheckResult]:
        """What the exit code stands for: neither suppressed nor known from an earlier run."""
        return [r for r in self.checks if r.check.suppressed is None and not r.known]

    def of(self, verdict: Verdict) -> list[CheckResult]:
        return [r for r in self.checks if r.verdict is verdict]

    def _repr_html_(self) -> str:
        from vouch.report import notebook

        return notebook.render(self)
