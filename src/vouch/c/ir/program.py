"""Blocks, functions, globals, and the program that holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vouch.c.ir.instructions import Instruction
from vouch.c.ir.operands import Constant
from vouch.c.ir.source import CType, Location, Variable
from vouch.c.ir.types import FunctionType, Type
from vouch.c.sources import Sources
from vouch.record import frozen_record, record


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
    bytes: int = 0  # that are there behind a pointer, as declared
    variable: Variable | None = None  # the C parameter; the pieces of a struct in registers share one


@record
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
    variable: Variable | None = None
    section: bool = False  # it lies in a section of its own


@record
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
    them go to where pointers lead, `through` (numbers of calls) those that do so if they lack something;
    `spreading` are the functions with copies of the former kind, `copying` those with some of the latter."""

    some: bool
    out: bool = False
    through: frozenset[int] = frozenset()
    spreading: frozenset[str] = frozenset()
    copying: frozenset[str] = frozenset()


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
    used: tuple[str, ...] = ()  # variables and functions marked as used although nothing may name them
    destructors: tuple[str, ...] = ()
    says_noundef: bool = False  # all of it is clang's, of a version that tells arguments that have a value
    models: frozenset[str] = frozenset()  # functions whose body is one of vouch's library models
    # Where the lines of its files can be read.
    sources: Sources = field(default_factory=Sources, compare=False, repr=False)

    def may_be_missing(self, name: str) -> bool:
        """Is it a weak symbol that nothing here defines, so that its address may be null?"""
        declared = self.functions.get(name) or self.globals.get(name)
        return declared is not None and declared.linkage == "extern_weak"
