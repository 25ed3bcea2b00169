"""Where a pointer points, as far as types and constants tell: the object, and whether the way there is
checked."""

from __future__ import annotations

from vouch.c.checks.context import Context, callee_name
from vouch.c.ir import (
    Alloca,
    ArrayType,
    Call,
    Cast,
    ExpressionConstant,
    GetElementPtr,
    GlobalConstant,
    Instruction,
    IntConstant,
    Operand,
    Parameter,
    Register,
    StructType,
    Type,
)
from vouch.c.layout import Sizes
from vouch.errors import Unsupported
from vouch.record import frozen_record


@frozen_record
class Place:
    """`base` is the object (None: it comes out of memory, a call or an argument). `offset` in bytes, None
    where an index is not constant; `checked` then tells that every such index has a bounds check of its own,
    the last of which is `guard`."""

    base: Alloca | GlobalConstant | Parameter | None
    offset: int | None = 0
    checked: bool = True
    guard: Instruction | None = None


class PointsTo:
    """PointsTo of one function's pointers, each worked out once."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.sizes = Sizes(context.program.layout)
        self._known: dict[str, Place] = {}
        self._parameters = {p.name: p for p in context.function.parameters if p.byval is not None or p.sret}
        self._guards = {h.call.location: h.call for h in context.handlers_of("out_of_bounds")}

    def store_size(self, kind: Type) -> int:
        try:
            return self.sizes.store_size(kind)
        except Unsupported:
            return 1

    def size_of(self, place: Place) -> int | None:
        """Size of the object in bytes, None where it is not constant."""
        try:
            match place.base:
                case Alloca(allocated=kind, count=IntConstant(value=count)):
                    return self.sizes.size(kind) * count
                case GlobalConstant(name=name) if name in self.context.program.globals:
                    return self.sizes.size(self.context.program.globals[name].type)
                case Parameter(byval=kind) if kind is not None:
                    return self.sizes.size(kind)
                case Parameter(sret=True):
                    result = self.context.function.result_type
                    known = self.context.program.ctypes.get(result) if result is not None else None
                    return known.size if known is not None and known.size else None
        except Unsupported:
            pass
        return None

    def is_valid(self, place: Place, size: int) -> bool:
        """Whether an access of `size` bytes needs no check: its object is alive and the offset in range."""
        if place.base is None:
            return False
        if isinstance(place.base, Parameter) and place.base.sret:
            return True
        total = self.size_of(place)
        if place.offset is None or (total is None and place.guard is not None):
            return place.checked
        return total is not None and 0 <= place.offset <= total - size

    def of(self, pointer: Operand) -> Place:
        chain: list[tuple[str, GetElementPtr]] = []
        while True:
            if isinstance(pointer, Register):
                known = self._known.get(pointer.name)
                if known is not None:
                    place = known
                    break
                definition = self.context.defs.get(pointer.name)
                if isinstance(definition, GetElementPtr):
                    chain.append((pointer.name, definition))
                    pointer = definition.base
                    continue
                if isinstance(definition, Cast) and definition.op in ("bitcast", "addrspacecast"):
                    pointer = definition.value
                    continue
                if isinstance(definition, Call) and callee_name(definition).startswith("llvm.threadlocal."):
                    pointer = definition.arguments[0]
                    continue
            place = self._root(pointer)
            break
        for name, step in reversed(chain):
            place = self._known[name] = self._step(place, step.source, step.indices, step)
        return place

    def _root(self, pointer: Operand) -> Place:
        match pointer:
            case GlobalConstant(name=name) if name in self.context.program.globals:
                missing = self.context.program.may_be_missing(name)
                return Place(pointer) if not missing else Place(None, None, False)
            case ExpressionConstant(op="getelementptr", operands=(base, *indices), source=source):
                return self._step(self._root(base), source, tuple(indices), None)
            case Register(name=name):
                definition = self.context.defs.get(name)
                if isinstance(definition, Alloca):
                    return Place(definition)
                if name in self._parameters:
                    return Place(self._parameters[name])
        return Place(None, None, False)

    def _step(
        self, place: Place, source: Type | None, indices: tuple[Operand, ...], step: GetElementPtr | None
    ) -> Place:
        guard = None
        if step is not None and step.location is not None:
            guard = self._guards.get(step.location)
        offset, kind = place.offset, source
        checked = place.checked and not self._is_larger(place, source)
        try:
            for number, index in enumerate(indices):
                if number > 0 and isinstance(kind, StructType):
                    assert isinstance(index, IntConstant)
                    assert kind.fields is not None
                    at: int | None = self.sizes.offset(kind, index.value)
                    kind = kind.fields[index.value]
                else:
                    element = kind if number == 0 else getattr(kind, "element", None)
                    assert isinstance(element, Type)
                    scale = self.sizes.size(element)
                    at = _signed(index) * scale if isinstance(index, IntConstant) else None
                    checked = checked and (at == 0 or self._covered(kind, number, index, guard))
                    kind = element
                offset = offset + at if offset is not None and at is not None else None
        except (Unsupported, AssertionError):
            return Place(place.base, None, False, guard or place.guard)
        return Place(place.base, offset, checked, guard or place.guard)

    def _is_larger(self, place: Place, source: Type | None) -> bool:
        """Whether one file declares a variable as larger than another one defines it: the checks of indices
        then go by the wrong size."""
        if not isinstance(place.base, GlobalConstant) or place.offset is None or source is None:
            return False
        total = self.size_of(place)
        try:
            return total is not None and place.offset + self.sizes.size(source) > total
        except Unsupported:
            return False

    def _covered(self, kind: Type | None, number: int, index: Operand, guard: Instruction | None) -> bool:
        if guard is not None:
            return True
        inside = number > 0 and isinstance(kind, ArrayType) and isinstance(index, IntConstant)
        return (
            inside
            and isinstance(kind, ArrayType)
            and isinstance(index, IntConstant)
            and index.value < kind.count
        )


def _signed(constant: IntConstant) -> int:
    return (
        constant.value - (1 << constant.type.bits)
        if constant.value >> (constant.type.bits - 1)
        else constant.value
    )
