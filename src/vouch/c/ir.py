"""`Program`: what the reader makes of LLVM IR text, and the only form in which the rest of vouch sees code.

Nobody changes a record after the reader made it (instructions are not frozen because that triples the cost
of making one, and a large program has millions). Types and constants are shared, so `is` and `==` on them are
cheap.

Values are `Operand`s; an instruction that yields a value names it in `result` (without the `%`).
Anything the reader does not know becomes `Opaque` (an instruction) or `OpaqueConstant`: the engine turns
what depends on it into `unknown` with the given text as the reason. Nothing is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from vouch.c.sources import Sources
from vouch.record import frozen_record, record

# ---------------------------------------------------------------- types


class Type:
    """Base of all types; instances are shared by the reader (compare with `==` all the same)."""

    __slots__ = ()


@frozen_record
class VoidType(Type):
    pass


@frozen_record
class IntType(Type):
    bits: int


FloatKind = Literal["half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128"]


@frozen_record
class FloatType(Type):
    kind: FloatKind


@frozen_record
class PointerType(Type):
    space: int = 0


@frozen_record
class ArrayType(Type):
    count: int
    element: Type


@frozen_record
class VectorType(Type):
    count: int
    element: Type


@frozen_record
class StructType(Type):
    """`name` is "" for a literal struct. An opaque struct has `fields` None."""

    name: str
    fields: tuple[Type, ...] | None
    packed: bool = False


@frozen_record
class FunctionType(Type):
    result: Type
    parameters: tuple[Type, ...]
    variadic: bool = False


@frozen_record
class OtherType(Type):
    """label, metadata, token, target types: never a value of C."""

    text: str


# ---------------------------------------------------------------- source


@frozen_record
class Location:
    """A place in the source. `inlined_at` is not kept: vouch reads unoptimised code."""

    file: str
    line: int
    column: int
    scope: str  # name of the C function


@dataclass(slots=True, frozen=True)
class CType:
    """A C type as the debug information describes it, with typedefs kept by name.

    kind: "int" | "bool" | "char" | "float" | "pointer" | "array" | "struct" | "union" | "enum" | "function"
          | "void" | "unknown".
    `name` is how C spells it (`uint8_t`, `struct S`, `int *`, `int[10]`). `signed` holds for int, char and
    enum. `size` in bytes. `target`: what a pointer points to, what an array holds, as a key into
    `Program.ctypes`, which keeps recursive types finite; key -1 is void. `rank` is what C calls a number or a
    record without typedefs, qualifiers and signs (`long`, `struct S`); "" where it has no such name.
    """

    kind: str
    name: str
    size: int
    signed: bool = False
    target: int | None = None  # key into Program.ctypes
    count: int | None = None  # arrays; None: flexible
    members: tuple[Member, ...] = ()
    qualifiers: frozenset[str] = frozenset()  # const, volatile, restrict, _Atomic; through typedefs too
    rank: str = ""


@frozen_record
class Member:
    name: str
    offset: int  # bits from the start of the struct
    size: int  # bits
    type: int  # key into Program.ctypes
    bitfield: bool = False


@frozen_record
class Variable:
    """A C variable. `argument` is 1 for the first parameter, 0 for locals and globals."""

    name: str
    type: int  # key into Program.ctypes
    location: Location | None
    argument: int = 0


# ---------------------------------------------------------------- operands


class Operand:
    __slots__ = ()


@frozen_record
class Register(Operand):
    """A local value: the result of an instruction or a parameter."""

    name: str
    type: Type


class Constant(Operand):
    __slots__ = ()


@frozen_record
class IntConstant(Constant):
    type: IntType
    value: int  # as an unsigned number of type.bits bits


@frozen_record
class FloatConstant(Constant):
    type: FloatType
    bits: int  # IEEE representation in the width of the type


@frozen_record
class NullConstant(Constant):
    type: Type  # a pointer type


@frozen_record
class UndefConstant(Constant):
    """undef or poison of any type."""

    type: Type
    poison: bool = False


@frozen_record
class ZeroConstant(Constant):
    """zeroinitializer of any type."""

    type: Type


@frozen_record
class AggregateConstant(Constant):
    """Array, struct or vector, element by element."""

    type: Type
    elements: tuple[Constant, ...]


@frozen_record
class StringConstant(Constant):
    """c"…": an array of i8."""

    type: ArrayType
    data: bytes


@frozen_record
class GlobalConstant(Constant):
    """The address of a global variable, function or alias."""

    type: Type
    name: str


@frozen_record
class ExpressionConstant(Constant):
    """A constant expression: `op` is an opcode ("getelementptr", "ptrtoint", "add", "icmp", …).

    `source` is the element type of a getelementptr; `extra` its flags or a predicate. The address of a label
    is op "blockaddress" with the function as operand and the label in `extra`.
    """

    type: Type
    op: str
    operands: tuple[Constant, ...]
    source: Type | None = None
    extra: str = ""


@frozen_record
class OpaqueConstant(Constant):
    """Anything else (ptrauth, dso_local_equivalent, …)."""

    type: Type
    text: str


@frozen_record
class AsmOperand(Operand):
    """Inline assembly as a callee."""

    text: str
    constraints: str


@frozen_record
class MetadataOperand(Operand):
    text: str


# ---------------------------------------------------------------- instructions


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


@record
class GetElementPtr(Instruction):
    source: Type
    base: Operand
    indices: tuple[Operand, ...]
    inbounds: bool
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


@record
class CompareExchange(Instruction):
    """cmpxchg: yields { old, i1 }."""

    pointer: Operand
    expected: Operand
    replacement: Operand


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


# ---------------------------------------------------------------- program


@record
class Block:
    label: str
    instructions: Sequence[Instruction]  # the last one is the terminator

    @property
    def terminator(self) -> Instruction:
        return self.instructions[-1]


@record
class Parameter:
    name: str
    type: Type
    byval: Type | None = None
    sret: bool = False
    noundef: bool = False  # as `Call.noundef`
    variable: Variable | None = None  # the C parameter; the pieces of a struct in registers share one


@dataclass(slots=True)
class Function:
    """`blocks` is empty for a declaration; the first one is the entry. `name` is the linker's name,
    `source_name` the C (demangled base) name."""

    name: str
    source_name: str
    signature: FunctionType
    parameters: list[Parameter]
    blocks: Mapping[str, Block]
    location: Location | None
    linkage: str  # external, internal, private, weak, linkonce_odr, …
    attributes: frozenset[str]
    result_type: int | None = None  # C type of the result, key into Program.ctypes
    parameter_types: tuple[int | None, ...] = ()  # C types, key into Program.ctypes
    address_taken: bool = False

    @property
    def defined(self) -> bool:
        return bool(self.blocks)


@record
class Global:
    """A global variable. `initializer` is None for a declaration (defined elsewhere)."""

    name: str
    type: Type
    initializer: Constant | None
    constant: bool
    linkage: str
    align: int
    thread_local: bool = False
    variable: Variable | None = None


@dataclass(slots=True)
class Layout:
    """What the data layout string says, as far as C needs it."""

    big_endian: bool
    pointer_bits: int
    text: str
    int_align: dict[int, int] = field(default_factory=dict)  # bits -> bytes
    float_align: dict[int, int] = field(default_factory=dict)
    pointer_align: int = 8
    aggregate_align: int = 1
    pointer_spaces: dict[int, tuple[int, int]] = field(default_factory=dict)  # space -> bits, bytes of align
    vector_align: dict[int, int] = field(default_factory=dict)


@frozen_record
class Partly:
    """Copies of structs that may be written in part only: `some` where there are any, `out` where some of
    them go to where pointers lead, `through` (numbers of calls) those that do so if they lack something."""

    some: bool
    out: bool = False
    through: frozenset[int] = frozenset()


@dataclass(slots=True, frozen=True, eq=False, weakref_slot=True)
class Program:
    """All translation units, linked. Nothing in it changes after the loader (`vouch.c.frontend`) is done."""

    triple: str
    layout: Layout
    functions: Mapping[str, Function]
    globals: Mapping[str, Global]
    aliases: Mapping[str, Constant]
    ctypes: Mapping[int, CType]
    constructors: tuple[str, ...] = ()  # llvm.global_ctors, in order of priority
    destructors: tuple[str, ...] = ()
    says_noundef: bool = False  # all of it is clang's, of a version that tells arguments that have a value
    models: frozenset[str] = frozenset()  # functions whose body is one of vouch's library models
    # Where the lines of its files can be read.
    sources: Sources = field(default_factory=Sources, compare=False, repr=False)

    def may_be_missing(self, name: str) -> bool:
        """Is it a weak symbol that nothing here defines, so that its address may be null?"""
        declared = self.functions.get(name) or self.globals.get(name)
        return declared is not None and declared.linkage == "extern_weak"
