"""Straight runs of decoded steps as one generated function, once they have been executed a few times.

The function does what the steps (`decoded`, `decoded_flow`) do one after the other, with what they share done
once: registers that nobody else reads stay in its variables, numbers are computed where they are known, an
address that was looked into is not looked into again. Where a step would return False, or something goes
wrong, the function writes its variables back and says which step it was: from there on the steps themselves
are taken. So nothing here decides what an instruction means either.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import lru_cache, partial
from typing import Any, TypeAlias

from vouch.bmc import decoded
from vouch.bmc.decoded import Fast, operand_of
from vouch.bmc.execution import Budget, Execution
from vouch.bmc.frame import Frame
from vouch.bmc.state import State
from vouch.bmc.straight_steps import StepWriter, operation
from vouch.bmc.value import Pointer
from vouch.c import ir
from vouch.c.checks.base import Check
from vouch.c.flow.order import Flow
from vouch.c.flow.uses import operands
from vouch.errors import Unsupported
from vouch.record import frozen_record, record
from vouch.smt.term import Term, bv

Step: TypeAlias = "tuple[str, int, ir.Instruction, Fast | None]"  # block, place in it, instruction, its step
Run = Callable[[Frame, State], int]
_HOT = 6  # executions before a function is generated
_SHORT = 3  # steps that are not worth it


@record
class Straight:
    """What is executed from the start of a block on. `around`: the checks, the next block and its size for
    each branch past a handler."""

    ex: Execution
    flow: Flow
    steps: list[Step]
    around: dict[int, Around]
    count: int = 0
    run: Run | None = None
    lines: list[int] = field(default_factory=list)

    def begin(self, frame: Frame, state: State) -> int:
        """Take steps; the place of the first one that was not taken, or DONE."""
        run = self.run
        if run is None:
            self.count += 1
            if self.count == _HOT:
                made = generated(self)
                if made is not None:
                    self.run, self.lines = made
            return 0
        try:
            return run(frame, state)
        except (Budget, MemoryError):
            raise
        except Exception as wrong:  # goes wrong again where it is looked into
            inner = wrong.__traceback__.tb_next if wrong.__traceback__ is not None else None
            return 0 if inner is None else max(0, bisect_right(self.lines, inner.tb_lineno) - 1)


@frozen_record
class Around:
    """A branch on to the next block of the list, past a handler with `checks` or with nothing between."""

    checks: Sequence[Check]
    condition: decoded.Operand | None
    size: int


def generated(straight: Straight) -> tuple[Run, list[int]] | None:
    """The function, and the line at which each step begins."""
    return _Writer(straight).function()


class _Writer(StepWriter):
    def __init__(self, straight: Straight) -> None:
        super().__init__(straight.ex, straight.flow)
        self.around, steps = straight.around, straight.steps
        self.steps = steps[: next((n for n, s in enumerate(steps) if s[3] is None), len(steps))]
        self.starts: list[int] = []
        inline = {n for n, step in enumerate(self.steps) if self._template(n, step[2]) is not None}
        self.private = self._private(inline)
        self.addresses = self._addresses()

    def function(self) -> tuple[Run, list[int]] | None:
        if len(self.steps) < _SHORT:
            return None
        head = [
            "    def run(frame, state):",
            "        reached = state.guard.term",
            "        if frame.marked or frame.model or ex.phase is not CLAIM or reached is FALSE:",
            "            return 0",
            "        registers = frame.registers",
            "        fixed = frame.fixed",
            "        memory = state.memory",
            "        equation = ex.equation",
            "        try:",
        ]
        for number, (_, _, instruction, fast) in enumerate(self.steps):
            self.now = number
            self.starts.append(1 + len(head) + len(self.lines) + 1)
            template = self._template(number, instruction)
            if template is not None:
                template(instruction)
            else:
                assert fast is not None
                self._plainly(instruction, fast)
        self._put(f"return {len(self.steps)}")
        tail = [
            "        except BaseException:",
            "            back(locals())",
            "            raise",
            "    return run",
        ]
        bits = self.ex.context.pointer_bits
        self.given["back"] = partial(_write_back, [self._kept(name) for name in self.kept], bits)
        first = f"def maker({', '.join(self.given)}):"
        text = "\n".join([first, *head, *(f"            {line}" for line in self.lines), *tail])
        run: Run = _maker(text)(**self.given)
        return run, self.starts

    def _template(self, number: int, i: ir.Instruction) -> Callable[[Any], None] | None:
        if number in self.around:
            return self._branch
        try:
            match i:
                case ir.Load():
                    return self._load
                case ir.Store() if operand_of(self.ex, i.pointer) and operand_of(self.ex, i.value):
                    return self._store
                case ir.GetElementPtr():
                    decoded.offsets(self.ex, i)
                    return self._address
                case ir.Binary() if isinstance(i.type, (ir.IntType, ir.FloatType)):
                    return self._binary
                case ir.Compare() if self._bits(i.left) > 1:
                    return self._compare
                case ir.Cast() if i.op in ("sext", "zext") and self._bits(i.value) > 1:
                    return self._extended
                case ir.Extract():
                    return self._extract
                case ir.Call() if self._bits(i.arguments[0]) > 1 and operation(i)[:1] == "s":
                    return self._overflowing
        except Unsupported:
            return None
        return None

    def _private(self, inline: set[int]) -> set[str]:
        """Registers that only inlined steps of this list read, behind the step that makes them."""
        place = {id(self.steps[n][2]): n for n in inline}
        readers = self._readers()
        return {
            name
            for n in inline
            if (name := self.steps[n][2].result) is not None
            and all(place.get(reader, -1) > n for reader in readers.get(name, ()))
        }

    def _addresses(self) -> set[str]:
        """Those that are addresses and nothing else to everybody who reads them."""
        readers = self._readers()
        steps = {id(step[2]): step[2] for step in self.steps}
        return {
            name
            for name in self.private
            if all(_only_address(name, steps[reader]) for reader in readers.get(name, ()))
        }

    def _kept(self, name: str) -> tuple[str, tuple[str, ...]]:
        """A register that is in variables only, and which."""
        return name, self.open.get(name) or self.pairs.get(name) or (self.variables[name],)

    def _readers(self) -> dict[str, list[int]]:
        """The instructions that read a register of the function, or nothing that is one, where the executor
        looks at it."""
        known: dict[str, list[int]] | None = self.ex.readers.get(self.flow.function.name)
        if known is None:
            known = self.ex.readers[self.flow.function.name] = {}
            for block in self.flow.function.blocks.values():
                for instruction in block.instructions:
                    for operand in operands(instruction):
                        if isinstance(operand, ir.Register):
                            known.setdefault(operand.name, []).append(id(instruction))
            for watched in self.flow.tests.values():
                for operand in watched:
                    if isinstance(operand, ir.Register):
                        known.setdefault(operand.name, []).append(0)
        return known

    def _branch(self, i: ir.Branch) -> None:
        around = self.around[self.now]
        if around.condition is not None:
            assert i.condition is not None
            value = self._operand(i.condition, Term)
            if around.checks:
                self._unless(f"{value} is TRUE")
            self._hold(around.checks)
        self._put(f"equation.instructions += {around.size}")


@lru_cache(maxsize=1024)
def _maker(text: str) -> Callable[..., Run]:
    """Compiled once: loops that do the same with other variables and tables, as the layers of a network do,
    have one text."""
    space: dict[str, Any] = {}
    exec(compile(text, "<straight>", "exec"), space)
    found: Callable[..., Run] = space["maker"]
    return found


def _only_address(name: str, i: ir.Instruction) -> bool:
    """Does an instruction use a register as the address of what it loads, stores or computes, only?"""
    match i:
        case ir.Load(pointer=ir.Register(name=read)) | ir.GetElementPtr(base=ir.Register(name=read)):
            others = [*i.indices] if isinstance(i, ir.GetElementPtr) else []
        case ir.Store(pointer=ir.Register(name=read)):
            others = [i.value]
        case _:
            return False
    return read == name and not any(isinstance(o, ir.Register) and o.name == name for o in others)


def _write_back(
    kept: Sequence[tuple[str, tuple[str, ...]]], bits: int, known: dict[str, Any], made: int | None = None
) -> None:
    """What the variables of a generated function hold so far, into the registers that they stand for: the
    first `made` of them. Two are a pair, three the parts of a pointer."""
    registers = known["registers"]
    for name, variables in kept[:made]:
        if all(variable in known for variable in variables):
            values = tuple(known[variable] for variable in variables)
            if len(values) == 3:
                registers[name] = Pointer(((values[0], values[1], bv(values[2], bits)),))
            else:
                registers[name] = values if len(values) > 1 else values[0]
