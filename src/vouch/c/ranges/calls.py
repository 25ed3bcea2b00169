"""Who calls whom, in which order to analyse functions, and what a call may write.

`Effects` over-approximate: `globals` are written by name, `wild` means through some pointer that is not the
address of one of the function's own variables, `leaves` that code outside the program may run, `frees` that
memory may be released, `taints` that a pointer of the program's making may get into memory from outside,
`copies` that bytes are copied as they are, `texts` that library functions do so. Code outside that runs may
call the public functions of a library again. What those do to memory from outside is as if code outside did
it itself, which leaves it valid; what they do to the program's own heap blocks and variables is not: `loses`
and `unsettles` say that such a function may free, or store pointers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import field, replace

from vouch.c import known, over_pointers
from vouch.c.escape import leaving
from vouch.c.flow.components import components
from vouch.c.ir import (
    Alloca,
    AsmOperand,
    AtomicUpdate,
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    DebugValue,
    ExpressionConstant,
    Extract,
    ExtractElement,
    Fence,
    Function,
    FunctionType,
    GetElementPtr,
    GlobalConstant,
    IndirectBranch,
    Insert,
    InsertElement,
    Instruction,
    LandingPad,
    Load,
    Operand,
    Phi,
    PointerType,
    Program,
    Register,
    Return,
    Select,
    Shuffle,
    Store,
    Switch,
    Unary,
    Unreachable,
    VaArg,
)
from vouch.record import record

_HARMLESS = tuple(
    f"llvm.{name}"
    for name in (
        "va_start", "va_end", "lifetime.", "dbg.", "stacksave", "stackrestore", "assume", "expect", "trap",
        "debugtrap", "ubsantrap", "sadd.", "ssub.", "smul.", "uadd.", "usub.", "umul.", "ctlz.", "cttz.",
        "ctpop.", "bswap.", "bitreverse.", "fshl.", "fshr.", "abs.", "smin.", "smax.", "umin.", "umax.",
        "fabs.", "floor.", "ceil.", "trunc.", "rint.", "nearbyint.", "round.", "roundeven.", "sqrt.", "pow.",
        "powi.", "sin.", "cos.", "tan.", "exp.", "exp2.", "log.", "log2.", "log10.", "fma.", "fmuladd.",
        "copysign.", "minnum.", "maxnum.", "minimum.", "maximum.", "is.fpclass.", "is.constant.",
        "objectsize.", "returnaddress", "frameaddress", "threadlocal.address", "launder.", "strip.",
        "sponentry", "canonicalize.", "lrint.", "llrint.", "lround.", "llround.", "ldexp.", "frexp.", "modf.",
        "prefetch", "readcyclecounter", "donothing", "fptosi.sat.", "fptoui.sat.", "vscale", "allow.",
    )
)  # fmt: skip
WRITERS = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")
_WRITES_NOTHING = (
    Alloca,
    Load,
    GetElementPtr,
    Binary,
    Unary,
    Compare,
    Cast,
    Select,
    Phi,
    Extract,
    Insert,
    ExtractElement,
    InsertElement,
    Shuffle,
    Fence,
    LandingPad,
    DebugValue,
    Return,
    Branch,
    Switch,
    IndirectBranch,
    Unreachable,
)


@record
class Effects:
    globals: set[str] = field(default_factory=set)
    wild: bool = False
    leaves: bool = False
    frees: bool = False
    taints: bool = False
    copies: bool = False
    texts: bool = False
    loses: bool = False
    unsettles: bool = False

    def add(self, other: Effects) -> None:
        self.globals |= other.globals
        self.wild |= other.wild
        self.leaves |= other.leaves
        self.frees |= other.frees
        self.taints |= other.taints
        self.copies |= other.copies
        self.texts |= other.texts
        self.loses |= other.loses
        self.unsettles |= other.unsettles

    def flags(self) -> tuple[object, ...]:
        """What grows when others are added."""
        return (
            len(self.globals), self.wild, self.leaves, self.frees, self.taints, self.copies, self.texts,
            self.loses, self.unsettles,
        )  # fmt: skip


def root(definitions: dict[str, Instruction], pointer: Operand) -> Operand | Alloca:
    """What a pointer is computed from: an `Alloca`, a `GlobalConstant`, or the operand where it gets lost."""
    while True:
        match pointer:
            case ExpressionConstant(op="getelementptr" | "bitcast" | "addrspacecast"):
                pointer = pointer.operands[0]
            case Register():
                match definitions.get(pointer.name):
                    case Alloca() as alloca:
                        return alloca
                    case GetElementPtr(base=base):
                        pointer = base
                    case Cast(op="bitcast" | "addrspacecast", value=value):
                        pointer = value
                    case _:
                        return pointer
            case _:
                return pointer


def is_silent(program: Program, name: str) -> bool:
    """A function without a body that is known to write nothing the program reads."""
    function = program.functions.get(name)
    if function is not None and function.defined:
        return False
    return known.is_silent(name)


def _writes_bytes(name: str) -> bool:
    """A function of the engine that writes behind its first argument, and runs no code outside: the bytes
    may be those of pointers."""
    return name in known.by_engine("copy") or name in known.having(known.Trait.FILLS)


def is_free(name: str) -> bool:
    return known.frees(name)


class RangeCalls:
    """Direct calls, effects of each function with all it calls, and the functions in an order in which
    callees come before callers; `recursive` are those on a cycle."""

    def __init__(self, program: Program, public: Collection[str] = ()) -> None:
        """`public` are functions that code outside may call by name whenever it runs."""
        self.program = program
        self.callees: dict[str, list[str]] = {}
        self.effects: dict[str, Effects] = {}
        self.indirect: set[str] = set()
        self._through: dict[str, set[FunctionType]] = {}  # types of the calls through pointers, by function
        self._called: dict[FunctionType, Effects] = {}  # of calls through pointers
        self.twice: set[str] = set()
        for name, function in program.functions.items():
            if function.defined:
                self._scan(name, function)
        self.taken = {n for n, f in program.functions.items() if f.defined and f.address_taken}
        self.callable = self.taken | set(public)
        self._by_type: dict[FunctionType, list[str]] = {}  # all whose address is taken
        for name, function in program.functions.items():
            if function.address_taken:
                self._by_type.setdefault(function.signature, []).append(name)
        # Stores of numbers over what may be a pointer, which is none then.
        self.over_pointers = over_pointers.find(program, self.called, self._reached)
        for name, function in program.functions.items():
            if any(i.number in self.over_pointers for i in instructions(function)):
                self.effects[name].taints = True
        self.components = components(self.callees, self.callees)
        self.order = [name for component in self.components for name in component]
        self.recursive = {n for held in self.components if self.repeats(held) for n in held}
        self._close()

    def repeats(self, component: list[str]) -> bool:
        """Whether the functions of a component may call themselves."""
        return len(component) > 1 or component[0] in self.callees[component[0]]

    def _scan(self, name: str, function: Function) -> None:
        definitions = {i.result: i for i in instructions(function) if i.result is not None}
        effects = self.effects[name] = Effects()
        callees: dict[str, None] = {}
        for instruction in instructions(function):
            match instruction:
                case Store(pointer=pointer, value=value, carries=carries):
                    _write(effects, definitions, pointer)
                    effects.copies |= carries
                    if isinstance(getattr(value, "type", None), PointerType):
                        code = isinstance(value, GlobalConstant) and value.name in self.program.functions
                        effects.taints |= not code and not isinstance(root(definitions, pointer), Alloca)
                case AtomicUpdate(pointer=pointer) | CompareExchange(pointer=pointer):
                    _write(effects, definitions, pointer)
                    effects.taints = True
                case VaArg(list=pointer):
                    _write(effects, definitions, pointer)
                case Call():
                    self._call(name, effects, definitions, callees, instruction)
                case _ if isinstance(instruction, _WRITES_NOTHING):
                    pass
                case _:
                    effects.wild = effects.leaves = effects.taints = True
        self.callees[name] = list(callees)

    def _call(
        self,
        name: str,
        effects: Effects,
        definitions: dict[str, Instruction],
        callees: dict[str, None],
        call: Call,
    ) -> None:
        if isinstance(call.callee, AsmOperand):
            effects.wild = effects.leaves = effects.taints = True
            return
        target = self.target(call)
        if target is None:
            self.indirect.add(name)
            self._through.setdefault(name, set()).add(call.signature)
            effects.wild = effects.leaves = True
        elif target in known.having(known.Trait.TWICE) or "returns_twice" in call.attributes:
            self.twice.add(name)
            effects.wild = effects.leaves = True
        elif target in self.program.functions and self.program.functions[target].defined:
            callees[target] = None
            effects.frees |= is_free(target)
        elif is_free(target):
            effects.frees = True
        elif target.startswith(WRITERS):
            _write(effects, definitions, call.arguments[0])
            self._copy(name, effects, target)
            effects.taints |= not isinstance(root(definitions, call.arguments[0]), Alloca)
        elif target.startswith("llvm."):
            effects.wild |= self.of_intrinsic(target).wild
        elif target in known.having(known.Trait.ERRNO):
            effects.add(_ERRNO)
        elif _writes_bytes(target):
            _write(effects, definitions, call.arguments[0])
            self._copy(name, effects, target)
            local = isinstance(root(definitions, call.arguments[0]), Alloca)
            effects.taints |= not local and not self._writes_text(name, target)
        elif not is_silent(self.program, target):
            effects.wild = effects.leaves = True

    def _writes_text(self, name: str, target: str) -> bool:
        """Whether a model writes characters, which are no pointers."""
        return target == "__vouch_text" or (name in self.program.models and name.startswith(("str", "stp")))

    def _copy(self, name: str, effects: Effects, target: str) -> None:
        """Bytes are copied or set."""
        if target.startswith(WRITERS[:2]) or target in known.by_engine("copy"):
            effects.texts |= name in self.program.models
            effects.copies |= name not in self.program.models

    def target(self, call: Call) -> str | None:
        """Name of the function that a call reaches directly (through aliases), None where it is not known."""
        callee = call.callee
        for _ in range(8):
            match callee:
                case GlobalConstant(name=name):
                    if name not in self.program.aliases:
                        return name
                    callee = self.program.aliases[name]
                case ExpressionConstant(op="bitcast" | "addrspacecast"):
                    callee = callee.operands[0]
                case _:
                    return None
        return None

    def called(self, call: Call) -> str | None:
        """As `target`, also for assembly, which is no function."""
        return None if isinstance(call.callee, AsmOperand) else self.target(call)

    def of_call(self, call: Call) -> Effects:
        """What a call may write. For a callee without a body, everything that code outside can reach."""
        target = self.target(call)
        if target is not None:
            found = self.effects.get(target)
            if found is not None:
                return found
            if is_silent(self.program, target):
                return _NOTHING
            if target in known.having(known.Trait.ERRNO):
                return _ERRNO
            if _writes_bytes(target):
                return _BYTES
        elif isinstance(call.callee, AsmOperand):
            return self.assembly
        else:
            return self._of_type_effects(call.signature)
        return self.outside

    def _of_type_effects(self, signature: FunctionType) -> Effects:
        """What a call through a pointer may do: as code outside, or as a function of the program."""
        if signature not in self._called:
            frees = self.outside.frees or self._may_free(signature)
            taints = self.outside.taints or self._may_taint(signature)
            self._called[signature] = replace(self.outside, frees=frees, taints=taints)
        return self._called[signature]

    def of_intrinsic(self, name: str) -> Effects:
        """An intrinsic that is neither a copy nor known to touch no memory may write anything."""
        return _NOTHING if name.startswith(_HARMLESS) else _WILD

    def of_type(self, signature: FunctionType) -> Sequence[str]:
        """Functions of this type whose address is taken: what a call through a pointer may reach."""
        return self._by_type.get(signature, ())

    def reaching(self, names: Collection[str]) -> set[str]:
        """Functions of the program that may come to call one of these, and these themselves."""
        found = set(names) & self.effects.keys()
        changed = bool(found)
        while changed:
            changed = False
            for name in self.order:
                if name not in found and (
                    not found.isdisjoint(self.callees[name])
                    or any(not found.isdisjoint(self.of_type(kind)) for kind in self._through.get(name, ()))
                ):
                    found.add(name)
                    changed = True
        return found

    def _reached(self, call: Call) -> Sequence[str]:
        return self.of_type(call.signature)

    def _may_free(self, signature: FunctionType) -> bool:
        """Whether a function of this type whose address is taken frees memory."""
        return any(
            self.effects[name].frees if self.program.functions[name].defined else is_free(name)
            for name in self.of_type(signature)
        )

    def _may_taint(self, signature: FunctionType) -> bool:
        return any(self.effects[n].taints for n in self.of_type(signature) if n in self.effects)

    def _close(self) -> None:
        """Effects of callees added to callers, to a fixed point (two rounds but for recursion)."""
        changed = True
        while changed:
            changed = False
            for name in self.order:
                own = self.effects[name]
                before = own.flags()
                for callee in self.callees[name]:
                    own.add(self.effects[callee])
                through = self._through.get(name, ())
                own.frees = own.frees or any(map(self._may_free, through))
                own.taints = own.taints or any(map(self._may_taint, through))
                changed |= before != own.flags()
        outside = self.outside = Effects(wild=True, leaves=True)
        told = leaving(self.program) & self.taken
        for name in self.callable:
            held = self.effects[name]
            outside.globals |= held.globals
            outside.unsettles |= held.taints
            outside.loses |= held.frees
            outside.copies |= held.copies
            outside.texts |= held.texts
            if name in told:  # code outside may have been told to call it, with anything
                outside.taints |= held.taints
        self.assembly = replace(outside, frees=outside.loses, taints=True)
        for effects in self.effects.values():
            if effects.leaves:
                effects.add(outside)


_NOTHING = Effects()
_WILD = Effects(wild=True)
_ERRNO = Effects(globals={known.ERRNO})
_BYTES = Effects(wild=True, taints=True, copies=True)


def instructions(function: Function) -> Iterable[Instruction]:
    return (i for block in function.blocks.values() for i in block.instructions)


def _write(effects: Effects, definitions: dict[str, Instruction], pointer: Operand) -> None:
    target = root(definitions, pointer)
    if isinstance(target, GlobalConstant):
        effects.globals.add(target.name)
    elif not isinstance(target, Alloca):
        effects.wild = True
