"""A counterexample of a CUDA program, written for the real compiler and the real libraries.

What comes out defines the functions without a body, which return what the counterexample has recorded, and
names the calls to be watched. Nothing is compiled or run here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vouch.bmc.counterexample import Counterexample, Event
from vouch.bmc.replay.driver import DriverText, sources
from vouch.c import known
from vouch.c.checks.base import Category, Check, Trigger
from vouch.c.ir import Call, Function, GlobalConstant, IntType, Program
from vouch.gpu_program import GpuProgram, Sign

_AFTER_LAUNCH = "cudaGetLastError"  # which tells of a launch that failed
_CALL = re.compile(r"(?:cuda|cublas|cudnn)[A-Z]\w*")
# Types that need no declaration of the program's own.
_NUMBER = re.compile(
    r"void|_Bool|bool|float|double|u?int\d+_t|size_t|((un)?signed )?(char|short|int|long|long long)|unsigned"
)
_SUFFIXES = (".c", ".cpp", ".cc", ".cxx", ".cu")
_MEMORY = (Category.POINTER, Category.BOUNDS)

def gpu_program(program: Program, example: Counterexample, flags: Sequence[str] = ()) -> GpuProgram | None:
    """None for programs that use no CUDA, and where a run on a GPU could not show the violation."""
    called = calls(program)
    entry = program.functions.get(example.entry)
    sign = _sign(example.check)
    files = tuple(sorted(sources(program, _SUFFIXES)))
    if not called or sign is None or entry is None or entry.source_name != "main" or not files:
        return None
    writer = DriverText(program, example, entry)
    outside = "".join(_outside(writer))
    if entry.parameters:
        writer.limits.append("the arguments of main")
    place = example.check.location
    return GpuProgram(
        example.check.id,
        outside,
        tuple(called),
        files,
        tuple(flags),
        sign,
        place.file,
        place.line,
        example.check.message.partition(":")[0],
        tuple(dict.fromkeys(writer.limits)),
    )


def calls(program: Program) -> list[str]:
    """The functions of CUDA's libraries that the program itself calls, as the source names them; a launch
    counts as the question for its error."""
    found: set[str] = set()
    for function in program.functions.values():
        if function.name not in program.models:
            for block in function.blocks.values():
                for call in block.instructions:
                    if isinstance(call, Call) and isinstance(call.callee, GlobalConstant):
                        found |= _named(program, call.callee.name)
    return sorted(found)


def _named(program: Program, name: str) -> set[str]:
    function = program.functions.get(name)
    if function is None or (function.defined and name not in program.models):
        return set()
    if "__vouch_launch" in name:
        return {_AFTER_LAUNCH}
    plain = function.source_name.partition("<")[0].removesuffix("_v2")
    status = function.signature.result == IntType(32)
    return {plain} if status and _CALL.fullmatch(plain) else set()


def _sign(check: Check) -> Sign | None:
    if check.trigger is Trigger.REQUIRED:
        if check.message.startswith("data race"):
            return Sign.RACE
        if "__syncthreads" in check.message:
            return Sign.BARRIER
        return Sign.LAUNCH if check.message.startswith("kernel launch") else Sign.CALL
    if check.category is Category.UNCHECKED_STATUS and _CALL.match(check.message):
        return Sign.MADE
    if check.category in _MEMORY:
        return Sign.FAULT
    if check.category is Category.UNINITIALISED:
        return Sign.UNWRITTEN
    return Sign.ASSERT if check.category is Category.ASSERTION else None


def _outside(writer: DriverText) -> list[str]:
    """The functions without a body: what was recorded of them, and claims that tell where they fail."""
    events: dict[str, list[Event]] = {}
    for event in writer.example.events:
        if event.kind != "return" or event.function.startswith("__vouch_"):
            writer.limits.append("what only the models decide")
        elif known.engine_key(event.function) in (None, "nondet"):
            events.setdefault(event.function, []).append(event)
        elif event.value == 1:  # of allocations: whether they fail
            writer.limits.append(f"that {event.function} fails")
    parts = []
    for name, own in events.items():
        function = writer.program.functions.get(name)
        if function is not None and _numeric(writer.program, function):
            parts.append(_linked(function, "\n".join(writer.stub(name, own))))
        else:
            writer.limits.append(f"what {name} returns")
    for function in writer.program.functions.values():
        if not function.defined and function.source_name in known.having(known.Trait.CLAIMS):
            body = f'void {function.source_name}(int holds)\n{{\n    if (!holds) vouch_failed("", 0);\n}}\n'
            parts.append(_linked(function, body))
    return parts


def _linked(function: Function, text: str) -> str:
    """A definition that each file may have, under the name that the program knows it by."""
    body = f"__attribute__((weak)) {text}"
    if function.name != function.source_name:
        return body
    return f'#ifdef __cplusplus\nextern "C"\n#endif\n{body}'


def _numeric(program: Program, function: Function) -> bool:
    """Whether its declaration needs no types of the program's own."""
    keys = (*function.parameter_types, function.result_type)
    kinds = [program.ctypes.get(key) for key in keys if key is not None]
    return all(kind is not None and _NUMBER.fullmatch(kind.name) for kind in kinds)
