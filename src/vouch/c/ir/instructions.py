"""Instructions, one class for each kind."""

from __future__ import annotations

from dataclasses import field

from vouch.c.ir.operands import IntConstant, Operand
from vouch.c.ir.source import Location, Variable
from vouch.c.ir.types import FunctionType, Type
from vouch.record import record


@record
class Instruction:
    """`location` is None where clang gave none. `nosanitize`: emitted for the instrumentation itself.
    `number` tells it from all others of the program: they are counted in the order of the text."""

    result: str | None
    type: Type  # of the result; VoidType where there is none
    location: Location | None
    nosanitize: bool
    number: int = field(default=-1, kw_only=True, compare=False, repr=False)


@record
class Alloca(Instruction):
    allocated: Type
    count: Operand  # IntConstant 1 but for variable-length arrays
    align: int
    variable: Variable | None = None  # from #dbg_declare, filled in by the reader


@record
class Load(Instruction):
    """`carries`: reads a struct, or part of one, into a register only to hand it on by value. Bytes that
    nobody wrote are not read by the program there."""

    pointer: Operand
    align: int
    volatile: bool
    atomic: bool
    carries: bool = False  # filled in by `vouch.c.struct_registers`
    field: int | None = None
    """The bits that are wanted, where it reads a bit-field (`vouch.c.bitfields`); none of them where it only
    prepares a write."""
    within: tuple[Operand, int, int] | None = None  # as a member of `Call.members`: pointer, bytes, size


@record
class Store(Instruction):
    """`carries`: writes a struct, or part of one, that was handed over in a register."""

    value: Operand
    pointer: Operand
    align: int
    volatile: bool
    atomic: bool
    carries: bool = False  # filled in by `vouch.c.struct_registers`
    field: int | None = None  # bits that are new, where it writes a bit-field (`vouch.c.bitfields`)
    within: tuple[Operand, int, int] | None = None  # as that of `Load`


@record
class GetElementPtr(Instruction):
    source: Type
    base: Operand
    indices: tuple[Operand, ...]
    variable: Variable | None = None  # from #dbg_declare: what lies there is a variable of the program


@record
class Binary(Instruction):
    """op: add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem.

    flags: subset of nuw, nsw, exact, disjoint and the fast-math flags, as spelled.
    """

    op: str
    left: Operand
    right: Operand
    flags: frozenset[str]
    of_field: bool = False  # packs or unpacks a bit-field (`vouch.c.bitfields`)


@record
class Unary(Instruction):
    """op: fneg, freeze."""

    op: str
    value: Operand


@record
class Compare(Instruction):
    """op: icmp or fcmp; predicate as LLVM spells it (eq, ne, ugt, slt, oeq, une, …)."""

    op: str
    predicate: str
    left: Operand
    right: Operand


@record
class Cast(Instruction):
    """op: trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast addrspacecast
    ptrtoaddr."""

    op: str
    value: Operand
    of_field: bool = False  # brings a number to or from the width of a bit-field's unit


@record
class Select(Instruction):
    condition: Operand
    then: Operand
    otherwise: Operand


@record
class Phi(Instruction):
    incoming: tuple[tuple[Operand, str], ...]  # value, block label


@record
class Call(Instruction):
    """A call or an invoke's call part. `callee` is a GlobalConstant for direct calls, AsmOperand for inline
    assembly, any other operand for calls through pointers. `byval[i]` is the type of a by-value aggregate
    argument, `sret` the index of a struct-return argument or None."""

    callee: Operand
    arguments: tuple[Operand, ...]
    signature: FunctionType
    byval: tuple[Type | None, ...]
    sret: int | None
    attributes: frozenset[str]  # of the call site, group references resolved (noreturn, …)
    noundef: tuple[bool, ...] = ()  # by argument: it has a value, as clang says of all but (parts of) structs
    # Arguments that are members of structs: number, a pointer that lies so many bytes behind the start of the
    # struct, its size (see `c/members.py`).
    members: tuple[tuple[int, Operand, int, int], ...] = ()


@record
class Extract(Instruction):
    """extractvalue (`indices` constant) — for vectors see ExtractElement."""

    aggregate: Operand
    indices: tuple[int, ...]


@record
class Insert(Instruction):
    aggregate: Operand
    value: Operand
    indices: tuple[int, ...]


@record
class ExtractElement(Instruction):
    vector: Operand
    index: Operand


@record
class InsertElement(Instruction):
    vector: Operand
    value: Operand
    index: Operand


@record
class Shuffle(Instruction):
    left: Operand
    right: Operand
    mask: tuple[int | None, ...]  # None: poison


@record
class VaArg(Instruction):
    list: Operand


@record
class AtomicUpdate(Instruction):
    """atomicrmw: returns the old value, stores `op`(old, value)."""

    op: str
    pointer: Operand
    value: Operand
    volatile: bool = False


@record
class CompareExchange(Instruction):
    """cmpxchg: yields { old, i1 }. A `weak` one may fail for no reason."""

    pointer: Operand
    expected: Operand
    replacement: Operand
    weak: bool = False
    volatile: bool = False


@record
class Fence(Instruction):
    pass


@record
class LandingPad(Instruction):
    text: str


@record
class DebugValue(Instruction):
    """#dbg_value: the C variable has this value from here on (appears after mem2reg)."""

    variable: Variable
    value: Operand


@record
class Opaque(Instruction):
    """Not understood. `terminator` tells whether it ends its block; `text` is the IR line."""

    text: str
    terminator: bool


# terminators


@record
class Return(Instruction):
    value: Operand | None


@record
class Branch(Instruction):
    """`condition` None: always to `then`. `loop` is the id of !llvm.loop on a back edge."""

    condition: Operand | None
    then: str
    otherwise: str | None
    loop: str | None = None


@record
class Switch(Instruction):
    value: Operand
    default: str
    cases: tuple[tuple[IntConstant, str], ...]


@record
class Invoke(Call):
    normal: str = ""
    unwind: str = ""


@record
class IndirectBranch(Instruction):
    address: Operand
    targets: tuple[str, ...]


@record
class Unreachable(Instruction):
    pass
