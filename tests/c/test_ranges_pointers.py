"""What the range analysis says about pointers, against a direct interpreter of the IR on random programs that
allocate, free, return, store and count."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

from vouch.c import checks, ranges
from vouch.c.checks.base import Check, Trigger
from vouch.c.entries import entries
from vouch.c.frontend import load
from vouch.c.ir import Call, Function, GlobalConstant, Load, PointerType, Store, Type
from vouch.c.ranges.pointers import PointerRange

from .pointer_programs import Writer
from .status_programs import Writer as StatusWriter
from .test_ranges_opponent import Machine, Stop, Thing

LARGE = 4096  # bytes of what is large enough; a run that needs more ends


class Heap(Machine):
    """A machine with an allocator and pointers to functions."""

    def from_outside(self, name: str) -> Thing:
        thing = Thing(LARGE, True, name, outside=True)
        thing.data[:] = self.pick.randbytes(64) * (LARGE // 64)
        return thing

    def scramble(self) -> None:
        super().scramble()
        if "pool" in self.globals:
            self.globals["pool"].pointers[8] = (self.from_outside("?"), 0)  # the field `next`
        if "slot" in self.globals:
            self.globals["slot"].pointers[0] = (self.from_outside("?"), 0)

    def value(self, frame: dict[str, Any], operand: Any) -> Any:
        if isinstance(operand, GlobalConstant) and operand.name in self.program.functions:
            return (operand.name, 0)
        return super().value(frame, operand)

    def read(self, pointer: Any, kind: Type) -> tuple[Any, bool, bool]:
        if self.gone(pointer):
            return self.anything(kind), False, True
        return super().read(pointer, kind)

    def write(self, pointer: Any, kind: Type, value: Any) -> bool:
        return not self.gone(pointer) and super().write(pointer, kind, value)

    def gone(self, pointer: Any) -> bool:
        thing, at = pointer
        if thing is None or getattr(thing, "freed", False):
            return True
        if thing.outside and at + 8 > LARGE:
            raise Stop
        return False

    def violates(self, frame: dict[str, Any], check: Check) -> bool:
        site = check.site
        if check.trigger is Trigger.ACCESS and isinstance(site, Load | Store):
            pointer = self.value(frame, site.pointer)
            return self.gone(pointer) or super().violates(frame, check)
        return super().violates(frame, check)

    def called(self, frame: dict[str, Any], i: Call, depth: int) -> Any:
        if not isinstance(i.callee, GlobalConstant):
            name = self.value(frame, i.callee)[0]
            return self.call(
                self.program.functions[name], [self.value(frame, a) for a in i.arguments], depth + 1
            )
        if i.callee.name == "malloc":
            thing = Thing(self.value(frame, i.arguments[0]), False, "heap")
            thing.data[:] = self.pick.randbytes(len(thing.data))
            return (thing, 0)
        if i.callee.name == "free":
            thing, at = self.value(frame, i.arguments[0])
            if thing is not None and at == 0 and thing.name[0] not in "%@":
                thing.freed = True
            return None
        return super().called(frame, i, depth)

    def compare_state(self, function: Function, label: str, frame: dict[str, Any]) -> None:
        super().compare_state(function, label, frame)
        if label == next(iter(function.blocks)):
            for parameter in function.parameters:  # what is behind them, under the analysis' name
                thing, at = frame[parameter.name] if isinstance(parameter.type, PointerType) else (None, 0)
                if thing is not None and at in thing.pointers:
                    frame.setdefault(f"{parameter.name}@", thing.pointers[at])
        for key, held in self.solvers[function.name].inputs.get(label, {}).items():
            if type(held[0]) is not PointerRange or key[0] in ("r", "h"):
                continue
            place = self.globals[key[0][1:]] if key[0][0] == "@" else (frame.get(key[0][1:]) or (None,))[0]
            if place is None or key[0][0] in "^*?" or not all(place.written[key[1] : key[1] + 8]):
                continue
            found = place.pointers.get(key[1], (None, 0))
            assert self.is_among(frame, found, held[0]), (function.name, label, key, found, held[0])

    def is_among(self, frame: dict[str, Any], found: Any, claimed: PointerRange) -> bool:
        thing, at = found
        if claimed.base is None:
            return thing is not None or at != 0 or not claimed.nonnull
        if thing is None and (claimed.or_null or claimed.base == "null"):
            return True
        if claimed.base[-1] == "@" and claimed.base[1:] not in frame:
            return True  # what memory from outside holds
        if claimed.base[0] in "%^":
            origin, start = frame.get(claimed.base[1:], (None, 0))
        elif claimed.base[0] == "@":
            origin, start = self.globals[claimed.base[1:]], 0
        else:
            return claimed.base != "null" and thing is not None
        return thing is origin and claimed.lo <= at - start <= claimed.hi


def arguments(machine: Heap, function: Function) -> list[Any]:
    values: list[Any] = []
    for parameter in function.parameters:
        if isinstance(parameter.type, PointerType):
            same = parameter.name == "o" and machine.pick.random() < 0.5
            values.append(values[-1] if same else (machine.from_outside(f"^{parameter.name}"), 0))
        else:
            values.append(machine.pick.choice([*range(-2, 12), 2**31 - 1, 2**31, 1000]) % 2**32)
    return values


def campaign(folder: Path, seed: int, runs: int, text: str) -> tuple[int, int]:
    """Number of pointer checks, and how many of them are decided; asserts that no decision is wrong."""
    source = folder / f"pointers{seed}.c"
    source.write_text(text)
    program = load([source]).program
    starts = entries(program)
    found = checks.find(program)
    analysis = ranges.analyse(program, found, starts)
    for name in starts.names:
        for run in range(runs):
            machine = Heap(program, found, analysis.ranges._solvers, seed * 1000 + run)
            machine.scramble()
            with contextlib.suppress(Stop):
                machine.call(program.functions[name], arguments(machine, program.functions[name]))
            wrong = machine.violated & analysis.decisions.keys()
            assert not wrong, [(c.id, c.location.line, c.message) for c in found if c.id in wrong]
    pointer = [c for c in found if c.category == "pointer"]
    return len(pointer), sum(c.id in analysis.decisions for c in pointer)


@pytest.mark.parametrize("seed", range(1, 3))
def test_no_pointer_is_taken_for_another(tmp_path: Path, seed: int) -> None:
    total, decided = campaign(tmp_path, seed, 8, Writer(seed).program())
    assert decided > total // 5  # a campaign that decides nothing shows nothing


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 400))
def test_pointer_campaign(tmp_path: Path, seed: int) -> None:
    campaign(tmp_path, seed, 30, Writer(seed).program())


@pytest.mark.parametrize("seed", [3, 4, 13])  # they catch deliberate mistakes
def test_results_tell_what_was_done(tmp_path: Path, seed: int) -> None:
    total, decided = campaign(tmp_path, seed, 8, StatusWriter(seed).program())
    assert decided > total // 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
def test_result_campaign(tmp_path: Path, seed: int) -> None:
    campaign(tmp_path, seed, 30, StatusWriter(seed).program())
