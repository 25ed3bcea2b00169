"""`Replayer`: counterexamples of one program, run natively."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from types import TracebackType
from typing import Protocol

from vouch.bmc.counterexample import Address, Counterexample, OutsideObject, Scalar
from vouch.bmc.replay import wire
from vouch.bmc.replay.build import ReplayBinary, build
from vouch.bmc.replay.limits import ReplayLimits
from vouch.bmc.replay.machine import machine_for
from vouch.bmc.replay.module import Rewritten, rewrite
from vouch.bmc.replay.process import run
from vouch.bmc.replay.text import Unreplayable
from vouch.c.checks.base import Check
from vouch.c.ir import Program
from vouch.folder import Folder
from vouch.numeric import real
from vouch.record import record

_QUESTIONS = 200  # runs of one counterexample: each may ask for one more result of the math library


class HasProgram(Protocol):
    """What the front end hands over: `ir` is the text that `program` was read from."""

    @property
    def program(self) -> Program: ...
    @property
    def ir(self) -> str: ...


@record
class ReplayResult:
    """`confirmed`: the check was violated at its place in a native run with these inputs.

    `possible` is False where the program cannot be run here at all; `reason` then says why. Otherwise, when
    not confirmed, `reason` says how the run ended. `diverged` tells how the run differed from the recorded
    one (None: it did not); `faithful`: what came in did so as recorded; `assumed`: a result was
    used that a model of the library assumes and does not compute, or the entry point may have asked for
    variable arguments, which no run can be given; `too_large`: it needs more memory than a run is
    given. `fired` are the ids of all checks that were violated, in
    order; a confirmed run stops at the check it is about.
    """

    confirmed: bool
    fired: list[str] = field(default_factory=list)
    diverged: str | None = None
    reason: str | None = None
    possible: bool = True
    faithful: bool = False
    assumed: bool = False
    too_large: bool = False

    @property
    def output(self) -> str:
        """One line for people."""
        if self.confirmed:
            return "confirmed by a native run"
        text = f"not confirmed: {self.reason}" if self.possible else f"not replayable: {self.reason}"
        return f"{text} ({self.diverged})" if self.diverged else text


class Replayer:
    """Builds the binary of a program when the first counterexample comes, and keeps it until `close`.

    `checks` are all checks of the program: those whose ids a result may name. `devices` are ranges of
    addresses (first, last) declared as device registers, beside those that the program itself names.
    """

    def __init__(
        self,
        loaded: HasProgram,
        checks: Sequence[Check],
        limits: ReplayLimits | None = None,
        devices: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._program = loaded.program
        self._text = loaded.ir
        self._checks = list(checks)
        self._numbers = {check.id: number for number, check in enumerate(self._checks, 1)}
        self._limits = limits or ReplayLimits()
        self._devices = list(devices)
        self._answers: dict[wire.Question, int] = {}
        self._folder: Folder | None = None
        self._built: tuple[Rewritten, ReplayBinary] | Unreplayable | None = None

    def __enter__(self) -> Replayer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._folder is not None:
            self._folder.remove()
        self._folder, self._built = None, None

    def _build(self) -> tuple[Rewritten, ReplayBinary]:
        if self._built is None:
            try:
                machine = machine_for(self._program)
                rewritten = rewrite(self._program, self._text, self._checks, machine)
                rewritten.devices += self._devices
                self._folder = Folder("vouch-replay-")
                self._built = (rewritten, build(rewritten.text, machine, self._folder.path))
            except Unreplayable as error:
                self._built = error
            except OSError as error:  # no room, or no right to write there
                self._built = Unreplayable(f"cannot be built: {error.strerror}")
        if isinstance(self._built, Unreplayable):
            raise self._built
        return self._built

    def replay(self, example: Counterexample) -> ReplayResult:
        """Run `example`; stops as soon as its check is violated."""
        number = self._numbers.get(example.check.id)
        if number is None:
            return ReplayResult(False, reason=f"no check {example.check.id}", possible=False)
        try:
            rewritten, _ = self._build()
            if number in rewritten.unwatched:
                raise Unreplayable(rewritten.unwatched[number])
            if example.entry not in rewritten.entries:
                raise Unreplayable(f"no function {example.entry} to start with")
            flags = wire.CONSTRUCTORS if _starts_program(example, self._program) else 0
            flags |= wire.MAIN if example.entry == "main" else 0
            result = self._run(example, flags, number)
            if self._program.functions[example.entry].signature.variadic:
                result.faithful, result.assumed = False, True
            if example.too_large:
                result.faithful, result.too_large = False, True
            return result
        except Unreplayable as error:
            return ReplayResult(False, reason=str(error), possible=False)
        except MemoryError:
            raise
        except Exception as wrong:  # a mistake in the replay costs this run, not the command
            text = f"internal error: {type(wrong).__name__}: {' '.join(str(wrong).split())}".rstrip(": ")
            return ReplayResult(False, reason=text, possible=False)

    def _run(self, example: Counterexample, flags: int, number: int, seed: int = 0) -> ReplayResult:
        """A run that stops at check `number`, if it comes there."""
        rewritten, binary = self._build()
        encoder = wire.Encoder(rewritten, self._program)
        example = _with_command_line(example, self._program)
        for _ in range(_QUESTIONS):
            data = encoder.encode(
                example, flags=flags, wanted=number, sites=len(self._checks), seed=seed, answers=self._answers
            )
            try:
                outcome = run(binary, data, self._limits)
            except OSError as error:  # a folder or a kernel that does not run the binary
                raise Unreplayable(f"cannot be run: {error.strerror}") from None
            report = wire.decode(outcome.output)
            if report.end != wire.QUESTION or not self._answer(rewritten, report.question):
                break
        result = self._result(rewritten, report, encoder.problems, outcome.stopped, number)
        result.too_large = outcome.full or report.end == wire.SPACE
        if report.end in (wire.UNCONFINED, wire.FOREIGN):
            result.possible, result.reason = False, wire.ENDS[report.end]
        elif binary.missing and not result.confirmed and report.end is None:
            result.possible, result.reason = False, f"no {', '.join(binary.missing)} to call"
        return result

    def _answer(self, rewritten: Rewritten, question: wire.Question | None) -> bool:
        """Work out what a run asked for, for the next one."""
        if question is None or question in self._answers:
            return False
        name = next((n for n, number in rewritten.functions.items() if number == question[0]), "")
        result = real.call(name, question[1:])
        if result is None:
            return False
        self._answers[question] = result
        return True

    def _result(
        self,
        rewritten: Rewritten,
        report: wire.RunReport,
        problems: list[str],
        stopped: str | None,
        number: int,
    ) -> ReplayResult:
        names = {n: name for name, n in rewritten.functions.items()}
        remarks = list(problems)
        remarks += [wire.NOTES[what].format(names.get(who, "the program")) for what, who in report.notes]
        if report.end == wire.ASSUMPTION:
            remarks.append(wire.ENDS[wire.ASSUMPTION])
        if stopped:
            remarks.append(stopped)
        diverged = "; ".join(dict.fromkeys(remarks)) or None
        fired = [self._checks[n - 1].id for n in report.fired]
        faithful = not problems and all(what == wire.BAD_ACCESS for what, _ in report.notes)
        assumed = any(what == wire.ASSUMED for what, _ in report.notes)
        if number in report.fired:
            return ReplayResult(True, fired, diverged, faithful=faithful, assumed=assumed)
        reason = stopped or (wire.ENDS[report.end] if report.end is not None else "the run ended early")
        reason = f"{reason} without violating the check" if number else reason
        return ReplayResult(False, fired, diverged, reason, faithful=faithful)


def _starts_program(example: Counterexample, program: Program) -> bool:
    """Whether static constructors run first: not where code outside may have changed the globals."""
    return not any(
        item.kind == "global"
        and (known := program.globals.get(item.name)) is not None
        and known.initializer is not None
        for item in example.objects
    )


def _with_command_line(example: Counterexample, program: Program) -> Counterexample:
    """`main` gets a program name where the counterexample says nothing about its arguments."""
    parameters = program.functions[example.entry].parameters
    if example.entry != "main" or example.arguments or not parameters:
        return example
    width = program.layout.pointer_bits // 8
    name = OutsideObject("__replay_name", "outside", 6, b"vouch\0")
    table = OutsideObject("__replay_argv", "outside", 2 * width, bytes(2 * width), {0: Address(name.name, 0)})
    ends = Address(table.name, width)
    arguments: list[Scalar] = [1, Address(table.name, 0), ends]
    objects = [*example.objects, name, table]
    return Counterexample(example.check, "main", arguments[: len(parameters)], objects, example.events)


def replay(
    loaded: HasProgram,
    example: Counterexample,
    limits: ReplayLimits | None = None,
    checks: Sequence[Check] = (),
) -> ReplayResult:
    """Run one counterexample. For several of one program use a `Replayer`, which builds it once."""
    with Replayer(loaded, checks or [example.check], limits) as replayer:
        return replayer.replay(example)
