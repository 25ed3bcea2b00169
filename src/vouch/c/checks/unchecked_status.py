"""unchecked-status (off by default): nobody looks at the status that a call of CUDA's libraries returns.

Finds calls of CUDA's runtime, cuBLAS and cuDNN whose status is dropped, or kept in a variable that nobody
reads before it is written anew; calls of the program's own functions that hand such a status on; and kernel
launches. For the runtime and for launches a later `cudaGetLastError` or `cudaPeekAtLastError` that somebody
looks at is enough; waiting for the device does not tell of a launch that it refused.

Why it matters: a call that fails does nothing. Without a look at its status the program goes on with memory
that it did not get, or with the numbers of the call before.

Fails:

    #include <cuda_runtime.h>
    float *room(void) { void *d = 0; cudaMalloc(&d, 64); return (float *)d; }

Passes:

    #include <cuda_runtime.h>
    float *room(void) { void *d = 0; return cudaMalloc(&d, 64) == cudaSuccess ? (float *)d : 0; }

Not flagged: calls that give something back (`cudaFree`, `cublasDestroy` and the like), and a status that is
looked at on some ways through the program only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vouch.c.checks.base import Category, Trigger
from vouch.c.checks.context import Context, Found, ProgramFacts, callee_name, source_name
from vouch.c.flow.fates import Fate, Fates, Spot
from vouch.c.ir import Call, Function, IntType, Program, Return

CATEGORY = Category.UNCHECKED_STATUS

_LIBRARY = re.compile(r"(cuda|cublas|cudnn)[A-Z]")
_RELEASES = re.compile(r"cudaFree|cuda\w+Destroy|cublasDestroy|cudnnDestroy|cudaDeviceReset")
_LAST = re.compile(r"cuda(Get|PeekAt)LastError")
_LAUNCH = "16__vouch_launcher"  # in the linker's name of the function that runs a kernel's threads


class Statuses:
    """Which calls of one program yield a status, and whether somebody looks at it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.fates = Fates(program)
        self.handed_on: dict[str, str] = {}  # own functions: whose status they return
        self.callers: dict[str, list[tuple[Function, Call]]] = {}
        self._last: frozenset[str] | None = None
        for function, call in _calls(program):
            self.callers.setdefault(callee_name(call), []).append((function, call))
        self._find_handed_on()

    def _find_handed_on(self) -> None:
        calls = [(f, c, name) for f, c in _calls(self.program) if (name := self.library(c))]
        while calls:
            found = []
            for function, call, name in calls:
                returned = self._fate(function, call) is Fate.RETURNED
                if returned and function.name not in self.handed_on:
                    self.handed_on[function.name] = name
                    found += [(f, c, name) for f, c in self.callers.get(function.name, ())]
            calls = found

    def library(self, call: Call) -> str:
        """The name of the library's function that is called and yields a status, "" for others."""
        name = source_name(self.program, call).partition("<")[0].removesuffix("_v2")
        function = self.program.functions.get(callee_name(call))
        own = function is not None and function.defined and function.name not in self.program.models
        status = isinstance(call.type, IntType) and call.type.bits == 32
        wanted = status and not own and _LIBRARY.match(name) and not _RELEASES.match(name)
        return name if wanted and not _LAST.fullmatch(name) else ""

    def _fate(self, function: Function, call: Call) -> Fate:
        return Fate.DROPPED if call.result is None else self.fates.of(function, call.result)

    def looked_at(self, function: Function, call: Call) -> bool:
        return self._fate(function, call) is not Fate.DROPPED

    def noticed(self, function: Function, call: Call) -> bool:
        """Whether somebody asks for the last error behind a call of the runtime, or a launch."""
        ended: set[str] = set()
        work: list[tuple[Function, Spot]] = [(function, self.fates.place(function, call))]
        while work:
            within, place = work.pop()
            for instruction in self.fates.behind(within, place):
                if isinstance(instruction, Call) and self._asks(within, instruction):
                    return True
                if isinstance(instruction, Return) and within.name not in ended:
                    ended.add(within.name)
                    back = self.callers.get(within.name, ())
                    work += [(caller, self.fates.place(caller, one)) for caller, one in back]
        return False

    def _asks(self, function: Function, call: Call) -> bool:
        if _LAST.fullmatch(source_name(self.program, call)):
            return self.looked_at(function, call)
        return callee_name(call) in self._askers()

    def _askers(self) -> frozenset[str]:
        """The program's own functions that ask for the last error, by themselves or by what they call."""
        if self._last is None:
            work = [
                function.name
                for function, call in _calls(self.program)
                if _LAST.fullmatch(source_name(self.program, call)) and self.looked_at(function, call)
            ]
            found = set(work)
            while work:
                more = {f.name for f, _ in self.callers.get(work.pop(), ())} - found
                found |= more
                work += more
            self._last = frozenset(found)
        return self._last


def _calls(program: Program) -> Iterator[tuple[Function, Call]]:
    """The direct calls that the program's own functions make."""
    for function in program.functions.values():
        if function.name not in program.models:
            for block in function.blocks.values():
                for call in block.instructions:
                    if isinstance(call, Call) and callee_name(call):
                        yield function, call


def find(context: Context) -> Iterator[Found]:
    if not any(_LIBRARY.match(name) or _LAUNCH in name for name in context.program.functions):
        return
    statuses = _of(context.program, context.shared)
    for call in context.calls:
        place = context.place(call)
        message = _message(statuses, call)
        if message and place is not None:
            trigger = Trigger.NEVER if _checked(statuses, context.function, call) else Trigger.REACHED
            yield Found(CATEGORY, place, message, trigger, call)


def _of(program: Program, shared: ProgramFacts) -> Statuses:
    if shared.statuses is None:
        shared.statuses = Statuses(program)
    assert isinstance(shared.statuses, Statuses)
    return shared.statuses


def _message(statuses: Statuses, call: Call) -> str:
    if name := statuses.library(call):
        return f"{name}: nobody looks at its status"
    if origin := statuses.handed_on.get(callee_name(call)):
        own = source_name(statuses.program, call)
        return f"{own}: nobody looks at the status of {origin} that it returns"
    return "kernel launch: nobody looks at whether it failed" if _is_launch(statuses.program, call) else ""


def _checked(statuses: Statuses, function: Function, call: Call) -> bool:
    if _is_launch(statuses.program, call):
        return statuses.noticed(function, call)
    if statuses.looked_at(function, call):
        return True
    origin = statuses.library(call) or statuses.handed_on.get(callee_name(call), "")
    return re.match(r"cuda[A-Z]", origin) is not None and statuses.noticed(function, call)


def _is_launch(program: Program, call: Call) -> bool:
    name = callee_name(call)
    return name in program.models and _LAUNCH in name and source_name(program, call) == "operator()"
