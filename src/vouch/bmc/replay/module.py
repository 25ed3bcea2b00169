"""The whole program, rewritten for a native run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vouch.bmc.replay import stubs, triggers
from vouch.bmc.replay.emit import declarations
from vouch.bmc.replay.machine import Machine, retarget
from vouch.bmc.replay.rewrite import FunctionRewriter, RewriteTables
from vouch.bmc.replay.sites import carrying, locate
from vouch.bmc.replay.storage import lay_out
from vouch.bmc.replay.text import ModuleText, Unreplayable, read_module
from vouch.c.checks.base import Check
from vouch.c.ir import Program
from vouch.c.layout import Sizes
from vouch.c.reader.scan import Unreadable
from vouch.c.struct_registers import received
from vouch.errors import Unsupported
from vouch.record import record

_PURE = re.compile(r"\bmemory\([^)]*\)|\b(readonly|readnone)\b")
_CASTS = re.compile(r"\binttoptr \(?i\d+ (\S+) to ptr")
_NUMBERS = re.compile(r"\bi(?:16|32|64) (\d+)\b")
_LEAST_COMPUTED = 4096
_DEVICE_SIZE = 0xFFFF
ARGUMENT_SLOT = 16
# Functions of the runtime that LLVM's code generator may call by name.
GENERATED = frozenset(
    {"memcpy", "memmove", "memset", "memcmp", "bcmp"}
    | {f"{name}{f}" for name in ("fma", "fmin", "fmax", "fmod") for f in ("", "f")}
    | {
        f"{name}{f}"
        for name in ("floor", "ceil", "trunc", "round", "rint", "nearbyint", "roundeven")
        for f in ("", "f")
    }
)


@record
class Rewritten:
    """IR text to compile, and how to talk about the program with the runtime: numbers of globals,
    functions, local objects and entry points; where each entry's arguments lie; checks that cannot be
    watched, and why."""

    text: str
    globals: dict[str, int]
    functions: dict[str, int]
    allocas: dict[str, int]
    entries: dict[str, int]
    arguments: dict[str, list[int]]
    unwatched: dict[int, str]
    devices: list[tuple[int, int]]  # first and last address of device registers


def rewrite(program: Program, text: str, checks: Sequence[Check], machine: Machine) -> Rewritten:
    """Raises `Unreplayable` where the program uses something that the rewriting does not know."""
    try:
        return _rewrite(program, read_module(text), checks, machine)
    except (Unreadable, ValueError, IndexError, AssertionError) as error:
        raise Unreplayable(f"IR text not understood: {error}") from None


def _rewrite(program: Program, module: ModuleText, checks: Sequence[Check], machine: Machine) -> Rewritten:
    sites = locate(program, module, checks)
    carriers = carrying(program, module)
    stubbed = {n: f for n, f in module.declarations.items() if not n.startswith("llvm.")}
    numbers = {name: i for i, name in enumerate([*module.functions, *stubbed, stubs.UNKNOWN_CALLEE])}
    shared = RewriteTables(numbers, program.layout.pointer_bits, machine.foreign)
    storage = lay_out(module, program.layout.pointer_bits)
    out = [*map(_kept_calls, module.preamble), *storage.lines, *declarations()]
    for name, function in module.functions.items():
        modelled = name in program.models and stubs.is_real(function)
        if name in stubs.ASSUMPTIONS or modelled:  # whatever body the program or the model gives it
            out += stubs.stub(function, numbers[name])
            continue
        handed_on = received(program, program.functions[name]) if carriers else frozenset()
        carried = carriers.get(name, frozenset())
        out += FunctionRewriter(function, sites.get(name, {}), shared, handed_on, carried).lines()
    for name, declared in stubbed.items():
        out += stubs.stub(declared, numbers[name])
    out += stubs.unknown_callees(shared.indirect, numbers[stubs.UNKNOWN_CALLEE])
    arguments = {name: _argument_offsets(program, name) for name in module.functions}
    for number, (name, offsets) in enumerate(arguments.items()):
        out += stubs.entry(module.functions[name], f"__replay_entry.{number}", offsets)
    out += _tables(program, module, [*module.functions, *stubbed])
    out += _intrinsics(module)
    if any("metadata !" in line for line in out):
        out += module.metadata
    return Rewritten(
        retarget(_apart("\n".join(out) + "\n", module), machine),
        storage.order,
        numbers,
        shared.allocas,
        {name: i for i, name in enumerate(arguments)},
        arguments,
        shared.unwatched,
        _devices(module),
    )


def _apart(text: str, module: ModuleText) -> str:
    """The program's own functions, models among them, under names that the code generator does not call: what
    it makes of an instruction (`frem`: a call of fmod) is the runtime's."""
    known = module.functions | module.declarations
    names = [name for name in known if name in GENERATED]
    if not names:
        return text
    clashing = re.compile(rf"@({'|'.join(re.escape(name) for name in names)})(?![-\w.$])")
    return clashing.sub(r"@__replay_program.\1", text)


def _kept_calls(line: str) -> str:
    """Attributes that would let LLVM leave out a call whose result nobody uses are taken away: a bad access
    in it is one all the same."""
    return _PURE.sub("nounwind", line) if line.startswith("attributes #") else line  # no group is empty


def _argument_offsets(program: Program, name: str) -> list[int]:
    """Each argument begins at a multiple of the slot size."""
    sizes = Sizes(program.layout)
    offsets, at = [], 0
    for parameter in program.functions[name].parameters:
        offsets.append(at)
        try:
            size = sizes.size(parameter.type)
        except Unsupported:
            size = ARGUMENT_SLOT
        at += max(1, -(-size // ARGUMENT_SLOT)) * ARGUMENT_SLOT
    return offsets


def _tables(program: Program, module: ModuleText, functions: list[str]) -> list[str]:
    known = module.functions | module.declarations
    addresses = [f"ptr @{known[name].spelled}" for name in functions]
    entries = [f"ptr @__replay_entry.{i}" for i in range(len(module.functions))]
    constructors = [f"ptr @{known[name].spelled}" for name in program.constructors]
    lines = []
    for name, items in (("function", addresses), ("entry", entries), ("constructor", constructors)):
        plural = "entries" if name == "entry" else f"{name}s"
        values = f"[{', '.join(items)}]" if items else "zeroinitializer"
        lines.append(f"@__replay_{plural} = constant [{len(items)} x ptr] {values}")
        lines.append(f"@__replay_{name}_count = constant i32 {len(items)}")
    own = [f"i8 {int(n in module.functions and n not in program.models)}" for n in functions] + ["i8 0"]
    lines.append(f"@__replay_own = constant [{len(own)} x i8] [{', '.join(own)}]")
    return lines


def _intrinsics(module: ModuleText) -> list[str]:
    """Declarations of the program's intrinsics and of those that were added."""
    own = {"llvm.va_start.p0": "declare void @llvm.va_start.p0(ptr)"}
    for line in triggers.DECLARATIONS:
        own[line.partition("@")[2].partition("(")[0]] = line
    for name, function in module.declarations.items():
        if name.startswith("llvm."):
            inner = [" ".join(w for w in (p.type, p.attributes) if w) for p in function.parameters]
            inner += ["..."] if function.variadic else []
            own[name] = f"declare {function.result} @{function.spelled}({', '.join(inner)})"
    return list(own.values())


def _devices(module: ModuleText) -> list[tuple[int, int]]:
    """Addresses of device registers: numbers in the text that become pointers, and what lies behind them.

    A number that is computed may come from any constant of the program.
    """
    starts: set[int] = set()
    computed = False
    for text in _texts(module, "inttoptr"):
        for match in _CASTS.finditer(text):
            if match[1].isdecimal():
                starts.add(int(match[1]))
            else:
                computed = True
    if computed:
        for text in _texts(module, ""):
            starts.update(number for m in _NUMBERS.findall(text) if (number := int(m)) >= _LEAST_COMPUTED)
    return [(start, start + _DEVICE_SIZE) for start in sorted(starts) if start]


def _texts(module: ModuleText, containing: str) -> list[str]:
    lines = [
        item.text
        for function in module.functions.values()
        for item in function.body
        if not isinstance(item, str) and containing in item.text
    ]
    return lines + [text for text in module.globals.values() if containing in text]
