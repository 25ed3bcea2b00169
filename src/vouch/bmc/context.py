"""Everything one symbolic execution shares across its paths: objects, addresses, constants, symbols,
constraints.

`ExecutionContext` knows the program and the assumptions about its environment; it holds no path and no
contents.
"""

from __future__ import annotations

from collections.abc import Iterator

from vouch.bmc.constant_values import ConstantValues
from vouch.bmc.constants import type_of
from vouch.bmc.ctypes import TypeTable
from vouch.bmc.environment.outside import Environment
from vouch.bmc.environment.overlap import Pair
from vouch.bmc.initial import Given, Initial, Unknown, Zero
from vouch.bmc.layouts import Layouts
from vouch.bmc.memory import Memory
from vouch.bmc.shapes import Shapes
from vouch.bmc.value import Kind, MemObject, Pointer, Target, Value, merge_pointers
from vouch.bmc.words import resized
from vouch.c import ir, known
from vouch.c.promises import Promises
from vouch.errors import Unsupported
from vouch.numeric.emit import MathCall
from vouch.smt import softfloat
from vouch.smt import term as T
from vouch.smt.term import Term

FLOAT_SORTS: dict[str, tuple[int, int]] = {
    "half": (5, 11),
    "bfloat": (8, 8),
    "float": (8, 24),
    "double": (11, 53),
    "x86_fp80": (15, 64),
    "fp128": (15, 113),
}


NEIGHBOURS = 64  # objects that a new address is told apart from


class ExecutionContext:
    """`arbitrary`: globals start with arbitrary contents; `inner`: so does what library models keep, since
    the program itself may have called them before. `devices`: address ranges declared as memory-mapped
    registers. `promises`: what values from outside keep to. The rest is for `Environment`."""

    def __init__(
        self,
        program: ir.Program,
        *,
        arbitrary: bool,
        inner: bool = False,
        strict: bool = False,
        devices: tuple[tuple[int, int], ...] = (),
        private: frozenset[str] = frozenset(),
        sharing: str = "language",
        chosen: frozenset[Pair] = frozenset(),
        typed: bool = True,
        trusted: bool = True,
        promises: Promises | None = None,
    ) -> None:
        self.program = program
        self.promises = promises or Promises()
        self.arbitrary = arbitrary
        self.inner = inner
        self.devices = devices
        self.layouts = Layouts(program.layout)
        self.pointer_bits = program.layout.pointer_bits
        self.shapes = Shapes()
        self.ctypes = TypeTable(program.ctypes)
        self.memory = Memory(self)
        self.constraints: list[Term] = []
        self.notes: dict[str, None] = {}  # approximations made, in order
        self.calls: dict[Term, MathCall] = {}  # results of the math library
        # The same by function, place in its model, and arguments.
        self.results: dict[tuple[str, int, tuple[Term, ...]], Value] = {}
        self.inexact: dict[Term, str] = {}  # symbols that stand for results which models do not work out
        self.unsupported: dict[Term, str] = {}  # symbols that stand for what vouch cannot compute
        self.fields: dict[Term, tuple[Term, int]] = {}  # marks of units: before, bits written since
        self.changed: dict[Term, str] = {}  # symbols for bytes of `Changed` memory
        self.preferences: list[Term] = []  # what makes a counterexample easy to run, where it can be had
        self.bearable: list[Term] = []  # … what a run needs at least
        self.globals: dict[str, MemObject] = {}
        self.addressed: dict[Term, MemObject] = {}  # by the symbols of their addresses
        self.null_object = MemObject(Kind.NULL, "null", 0, Unknown())
        self.wild_object = MemObject(Kind.WILD, "address", 0, Unknown())
        self.device_object = MemObject(Kind.DEVICE, "device", None, Unknown())
        self.zero_offset = T.bv(0, self.pointer_bits)
        self.null = Pointer.to(self.null_object, self.zero_offset)
        self.constant = ConstantValues(self).value
        self._addressed: list[MemObject] = []
        self._by_base: dict[Term, MemObject] = {}
        self.environment = Environment(
            self,
            strict=strict,
            private=private,
            sharing=sharing,
            chosen=chosen,
            typed=typed,
            trusted=trusted,
        )
        self._numbers: dict[Term, Pointer] = {}  # integers made from pointers
        self._patterns: dict[Term, Term] = {}  # floats made from bit patterns
        self._float_sorts = {name: T.floating(*bits) for name, bits in FLOAT_SORTS.items()}
        self._float_types: dict[T.Sort, ir.FloatType] = {}
        for name, sort in self._float_sorts.items():
            self._float_types[sort] = ir.FloatType(name)  # type: ignore[arg-type]

    # ------------------------------------------------------------ symbols

    def constrain(self, term: Term) -> None:
        if term is not T.TRUE:
            self.constraints.append(term)

    def note(self, text: str) -> None:
        self.notes[text] = None

    def fresh(self, type_: ir.Type, name: str) -> Value:
        """An arbitrary value of any type. An arbitrary pointer is an arbitrary address."""
        match type_:
            case ir.IntType():
                return T.fresh(name, T.BOOL if type_.bits == 1 else T.bitvec(type_.bits))
            case ir.FloatType():
                bits = T.fresh(name, T.bitvec(self.float_width(type_)))
                return self.float_from_bits(bits, type_)
            case ir.PointerType():
                return Pointer.to(self.wild_object, T.fresh(name, T.bitvec(self.pointer_bits)))
            case ir.StructType() | ir.ArrayType() | ir.VectorType():
                return tuple(
                    self.fresh(element, f"{name}.{i}")
                    for i, (element, _) in enumerate(self.layouts.elements(type_))
                )
            case _:
                raise Unsupported(f"a value of type {type_}")

    def zero(self, type_: ir.Type) -> Value:
        match type_:
            case ir.IntType():
                return T.FALSE if type_.bits == 1 else T.bv(0, type_.bits)
            case ir.FloatType():
                return T.fp_const(0, self.float_sort(type_))
            case ir.PointerType():
                return self.null
            case ir.StructType() | ir.ArrayType() | ir.VectorType():
                return tuple(self.zero(element) for element, _ in self.layouts.elements(type_))
            case _:
                raise Unsupported(f"zero of type {type_}")

    # ------------------------------------------------------------ floats

    def float_sort(self, type_: ir.FloatType) -> T.Sort:
        sort = self._float_sorts.get(type_.kind)
        if sort is None:
            raise Unsupported(f"floating-point type {type_.kind}")
        return sort

    def float_type(self, sort: T.Sort) -> ir.FloatType | None:
        return self._float_types.get(sort)

    def float_width(self, type_: ir.FloatType) -> int:
        if type_.kind == "x86_fp80":
            return 80
        if type_.kind not in FLOAT_SORTS:
            raise Unsupported(f"floating-point type {type_.kind}")
        eb, sb = FLOAT_SORTS[type_.kind]
        return eb + sb

    def float_from_bits(self, bits: Term, type_: ir.FloatType) -> Term:
        """80-bit numbers carry their leading one; the sort of SMT does not."""
        sort = self.float_sort(type_)
        if type_.kind == "x86_fp80":
            value = T.fp_from_bits(T.concat(T.extract(bits, 79, 64), T.extract(bits, 62, 0)), sort)
        else:
            value = T.fp_from_bits(bits, sort)
        self._patterns.setdefault(value, bits)
        return value

    def stored_pattern(self, bits: Term, type_: ir.FloatType) -> Term:
        """The bits of a number as memory has them: the other way round."""
        if type_.kind != "x86_fp80":
            return bits
        normal = T.ne(T.extract(bits, 77, 63), T.bv(0, 15))
        lead = T.concat(T.extract(bits, 78, 63), T.bool_to_bv(normal, 1))
        return T.concat(lead, T.extract(bits, 62, 0))

    def pattern(self, value: Term) -> Term | None:
        """The bits a float was made from, where that is known; those of a number are known."""
        known = self._patterns.get(value)
        kind = self._float_types.get(value.sort)
        if known is None and kind is not None and value.value is not None:
            bits = int(value.value)
            if not softfloat.is_nan(value.sort, bits):
                known = self.stored_pattern(T.bv(bits, value.sort.width), kind)
        return known

    def type_of(self, operand: ir.Operand) -> ir.Type:
        return type_of(operand)

    # ------------------------------------------------------------ named objects

    def named(self, name: str) -> MemObject:
        """The object of a global variable or function."""
        known = self.globals.get(name)
        if known is None:
            known = self.globals[name] = self._make_global(name)
        return known

    def _make_global(self, name: str) -> MemObject:
        function = self.program.functions.get(name)
        if function is not None:
            return MemObject(Kind.FUNCTION, name, 0, Unknown(), align=1)
        variable = self.program.globals.get(name)
        if variable is None:
            alias = self.program.aliases.get(name)
            if alias is not None:
                value = self.constant(alias)
                if isinstance(value, Pointer) and value.single is not None:
                    return value.single[0]
            raise Unsupported(f"global {name}")
        ctype = self.ctypes.declared(variable.type)
        if variable.variable is not None:
            ctype = variable.variable.type
        initial: Initial
        if variable.initializer is None or (
            self.arbitrary and not variable.constant and not _hidden(name, self.inner)
        ):
            initial = Unknown()
        elif isinstance(variable.initializer, ir.ZeroConstant):
            initial = Zero()
        else:
            initial = Given(variable.initializer)
        opaque = isinstance(variable.type, ir.StructType) and variable.type.fields is None
        size: int | None = None if opaque else self.layouts.size(variable.type)
        if variable.initializer is None and size == 0:
            size = None  # extern int table[];
        return MemObject(
            Kind.GLOBAL,
            name,
            size,
            initial,
            align=max(variable.align, 1),
            ctype=ctype,
            constant=variable.constant,
        )

    # ------------------------------------------------------------ pointers from outside

    def character(self) -> int | None:
        """The key of the C type `char`, where the program uses it."""
        return next((k for k, c in self.program.ctypes.items() if c.kind == "char" and c.size == 1), None)

    def initial_pointers(self, target: MemObject) -> Iterator[Value]:
        """Pointers in the initial value of a global."""
        variable = self.program.globals.get(target.name)
        work: list[ir.Constant] = [variable.initializer] if variable and variable.initializer else []
        while work:
            constant = work.pop()
            if isinstance(constant, ir.AggregateConstant):
                work.extend(constant.elements)
            elif isinstance(constant, (ir.GlobalConstant, ir.ExpressionConstant)):
                yield self.constant(constant)

    def arbitrary_cell(self, target: MemObject, offset: int, type_: ir.Type, undefined: bool) -> Value:
        if isinstance(type_, ir.PointerType) and not undefined and target.kind in (Kind.OUTSIDE, Kind.GLOBAL):
            return self.environment.stored_pointer(target, offset)
        return self.fresh(type_, f"{target.name}+{offset}" if offset else target.name)

    # ------------------------------------------------------------ addresses

    def address(self, pointer: Pointer) -> Term:
        """A pointer as a number."""
        return self.number(pointer, self.pointer_bits)

    def number(self, pointer: Pointer, bits: int) -> Term:
        result: Term | None = None
        for guard, target, offset in reversed(pointer.targets):
            here = self._address_of(target, offset)
            result = here if result is None else T.ite(guard, here, result)
        assert result is not None
        number = resized(result, bits)
        if number.value is None and bits >= self.pointer_bits:
            self._numbers.setdefault(number, pointer)
        return number

    def _address_of(self, target: MemObject, offset: Term) -> Term:
        if target.kind in (Kind.NULL, Kind.WILD, Kind.DEVICE):
            return offset
        return T.add(self.base(target), offset)

    def base(self, target: MemObject) -> Term:
        """The object's address: aligned, not null. Objects of the program overlap no others, but for those
        that may. That is said of neighbours in the order of addresses' first use, so that it stays linear:
        what is not said excludes nothing, and a violation that hangs on it is one under a condition."""
        if target.base is None:
            low = (target.align & -target.align).bit_length() - 1
            high = T.fresh(f"&{target.name}", T.bitvec(self.pointer_bits - low))
            target.base = T.concat(high, T.bv(0, low)) if low else high
            size = self._extent(target)
            end = T.add(target.base, size)
            self.constrain(T.ne(high, T.bv(0, high.width)))
            self.constrain(T.ult(target.base, end))
            if self.pointer_bits == 64:  # no 64-bit system has wider addresses in use
                self.constrain(T.ult(end, T.bv(1 << 56, 64)))
            if len(self._addressed) > NEIGHBOURS:
                self.inexact[high] = f"if {target.name} overlaps no other object"
            for other in self._addressed[-NEIGHBOURS:]:
                if target.kind is other.kind is Kind.OUTSIDE:
                    continue  # what lies where outside is not the program's business
                assert other.base is not None
                apart = T.or_(
                    T.ule(end, other.base), T.ule(T.add(other.base, self._extent(other)), target.base)
                )
                found = self.environment.overlaps.between(other, target)
                self.constrain(apart if found is None else T.or_(found[0], apart))
            self._addressed.append(target)
            self._by_base[target.base] = target
            self.addressed[high] = target
        return target.base

    def _extent(self, target: MemObject) -> Term:
        size = target.size
        if isinstance(size, Term):
            return T.add(size, T.bv(1, self.pointer_bits))
        return T.bv(size + 1 if size else 256, self.pointer_bits)

    def pointer_from(self, number: Term) -> Pointer:
        """A number as a pointer: the one it was made from, a device register, or any object it may hit."""
        if number.value is not None:
            if number.value == 0:
                return self.null
            # The last page is no device: (void *)-1 is how many interfaces say "none".
            last = number.value >= (1 << self.pointer_bits) - 4096 and self.pointer_bits > 16
            return Pointer.to(self.wild_object if last else self.device_object, number)
        known = self._numbers.get(number)
        if known is not None:
            return known
        if number.op == "ite":
            condition, a, b = number.args
            return merge_pointers(condition, self.pointer_from(a), self.pointer_from(b))
        parts = summands(number)
        based = [(i, self._numbers.get(part)) for i, part in enumerate(parts)]
        found = [(i, p) for i, p in based if p is not None]
        if len(found) == 1:
            index, pointer = found[0]
            rest = [part for i, part in enumerate(parts) if i != index]
            return pointer.shifted(_sum(rest, self.pointer_bits))
        held = [self._by_base[part] for part in parts if part in self._by_base]
        if held:
            target = min(held, key=self._addressed.index) if len(held) > 1 else held[0]
            rest = [part for part in parts if part is not target.base]
            return Pointer.to(target, _sum(rest, self.pointer_bits))
        return self._pointer_search(number)

    def _pointer_search(self, number: Term) -> Pointer:
        targets: list[Target] = []
        remaining: Term = T.TRUE
        null = T.eq(number, self.zero_offset)
        targets.append((null, self.null_object, self.zero_offset))
        remaining = T.not_(null)
        for target in self._addressed[-16:]:
            assert target.base is not None
            offset = T.sub(number, target.base)
            inside = T.ult(offset, self._extent(target))
            targets.append((T.and_(remaining, inside), target, offset))
            remaining = T.and_(remaining, T.not_(inside))
        if len(self._addressed) > 16:
            self.note("an address computed from numbers may belong to more objects than vouch tries")
        targets.append((remaining, self.wild_object, number))
        return Pointer(tuple(t for t in targets if t[0] is not T.FALSE))

    def remember_number(self, number: Term, pointer: Pointer) -> None:
        """`number` is the address `pointer`, for arithmetic that keeps it one."""
        if number.value is None:
            self._numbers.setdefault(number, pointer)

    def pointer_of_number(self, number: Term) -> Pointer | None:
        return self._numbers.get(number)


def _hidden(name: str, inner: bool) -> bool:
    """Globals of the compiler's own making begin with their own values: nobody else writes them. So does what
    library models keep to themselves where executions start; code outside that called them before is for the
    models to think of. errno is everybody's."""
    if name.startswith(_KEPT if inner else "__vouch_"):
        return name != known.ERRNO
    return name.startswith((".", "llvm.", "__const.", "switch."))


# Handlers are looked at for whoever calls them, and after an exit nothing else runs. What depends on the
# state of CUDA's models is executed from the program's start only (`vouch.modular.scopes`).
_KEPT = ("__vouch_exit_", "__vouch_cuda_", "__vouch_kernel_", "__vouch_cublas_", "__vouch_cudnn_")


def summands(term: Term) -> list[Term]:
    parts: list[Term] = []
    work = [term]
    while work:
        part = work.pop()
        if part.op == "add":
            work.extend(part.args)
        elif part.op == "sub":
            work.extend((part.args[0], T.neg(part.args[1])))
        else:
            parts.append(part)
    return parts


def _sum(parts: list[Term], width: int) -> Term:
    total = T.bv(0, width)
    for part in parts:
        total = T.add(total, part)
    return total
