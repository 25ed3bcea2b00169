"""Stores of numbers that may go over pointers: as bytes of what was declared otherwise, or in a union.

A number that is stored where a pointer lies leaves no valid pointer there. C's types tell where that may
happen: a pointer to what holds pointers (or to `void`) becomes one to numbers, in a variable or as an
argument (`wipe((unsigned char *)&state, sizeof state)`), or is used as one on the spot.
Pointers to numbers that were such ones when the program got them are taken to lead to numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from vouch.c import known
from vouch.c.ir import (
    Alloca,
    ArrayType,
    AsmOperand,
    Call,
    Cast,
    CType,
    Function,
    GetElementPtr,
    GlobalConstant,
    Instruction,
    IntConstant,
    Load,
    NullConstant,
    Operand,
    PointerType,
    Program,
    Register,
    Return,
    Store,
    StructType,
    Type,
    VectorType,
)
from vouch.c.ir import Variable as CVariable
from vouch.c.pointees import Pointees

_DEPTH = 24
_NUMBERS = ("int", "char", "bool", "enum", "float")
_FILLS = known.by_engine("input", "text", "bytes") & known.having(known.Trait.FILLS)  # as models do
Variable = tuple[str, str]  # a function, and the register of its parameter or of the variable's alloca
MEMORY: Variable = ("", "")  # all pointers that are kept elsewhere, or returned
Target = Callable[[Call], "str | None"]
Reached = Callable[[Call], Sequence[str]]


def find(program: Program, target: Target, of_type: Reached) -> frozenset[int]:
    """The numbers of such stores. `target` names the function that a call reaches, `of_type` those that one
    through a pointer may reach."""
    views = [_Views(program, f) for f in program.functions.values() if f.defined]
    fed: dict[Variable, set[Variable]] = {}  # by what is handed on to them
    work: list[Variable] = []
    for view in views:
        for variable, source in view.handed(target, of_type):
            if isinstance(source, tuple):
                fed.setdefault(source, set()).add(variable)
            elif source:
                work.append(variable)
    as_bytes: set[Variable] = set()
    while work:
        variable = work.pop()
        if variable not in as_bytes:
            as_bytes.add(variable)
            work += fed.get(variable, ())
    return frozenset(number for view in views for number in view.stores(as_bytes))


Handed = Iterator[tuple[Variable, "Variable | bool"]]


class _Views:
    """What one function takes its pointers to lead to."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program = program
        self.function = function
        self.name = function.name
        self.model = function.name in program.models
        self.instructions: list[Instruction] = [
            i for block in function.blocks.values() for i in block.instructions
        ]
        self.pointees = Pointees(program, function)
        self.parameters = {p.name: self._type_of(p.variable) for p in function.parameters}
        self.locals = {
            i.result: self._type_of(i.variable)
            for i in self.instructions
            if isinstance(i, Alloca) and isinstance(i.allocated, PointerType) and i.result is not None
        }

    def _type_of(self, variable: CVariable | None) -> CType | None:
        return self.program.ctypes.get(variable.type) if variable is not None else None

    def handed(self, target: Target, of_type: Reached) -> Handed:
        """Variables and parameters that get a pointer: from which variable, or whether it becomes one to
        numbers that did not lead to some."""
        for instruction in self.instructions:
            match instruction:
                case Store(pointer=Register(name=name), value=value) if name in self.locals:
                    yield from self._given((self.name, name), self.locals[name], value)
                case Store(pointer=pointer, value=value) if _is_pointer(value):
                    yield from self._given(MEMORY, self.pointees.scalar(pointer), value)
                case Return(value=value) if value is not None and _is_pointer(value):
                    kind = self.program.ctypes.get(self.function.result_type or 0)
                    yield from self._given(MEMORY, kind, value)
                case Call(callee=callee) if not isinstance(callee, AsmOperand):
                    called = target(instruction)
                    for name in (called,) if called is not None else of_type(instruction):
                        yield from self._passed(name, instruction)

    def _passed(self, name: str, call: Call) -> Handed:
        """What a function of the program or a model of the library gets. A model takes bytes."""
        function = self.program.functions.get(name)
        if function is not None and function.defined:
            for parameter, value in zip(function.parameters, call.arguments, strict=False):
                kind, model = self._type_of(parameter.variable), name in self.program.models
                yield from self._given((name, parameter.name), kind, value, model)

    def _given(self, variable: Variable, kind: CType | None, value: Operand, model: bool = False) -> Handed:
        if not _is_pointer(value):
            return
        base, steps = self._base(value)
        source = self._variable(base)
        if source is not None and not any(isinstance(step.source, StructType) for step in steps):
            yield variable, source
        target = self.program.ctypes.get(kind.target) if kind and kind.target is not None else None
        if model or (target is not None and target.kind in _NUMBERS):
            yield variable, self._holds_pointers(base, steps)

    def stores(self, as_bytes: set[Variable]) -> Iterator[int]:
        for instruction in self.instructions:
            match instruction:
                case Store(pointer=pointer, value=value) if not _is_pointer(value):
                    pass
                case Call(callee=GlobalConstant(name=name), arguments=(pointer, *_)) if name in _FILLS:
                    pass
                case _:
                    continue
            base, steps = self._base(pointer)
            if self._variable(base) in as_bytes or (
                not isinstance(base, Alloca) and self._holds_pointers(base, steps)
            ):
                yield instruction.number

    def _base(self, pointer: Operand) -> tuple[Operand | Instruction, list[GetElementPtr]]:
        """What a pointer is computed from, and the steps from there, the first one first."""
        steps: list[GetElementPtr] = []
        for _ in range(_DEPTH):
            made = self.pointees.made.get(pointer.name) if isinstance(pointer, Register) else None
            match made:
                case GetElementPtr(base=base):
                    steps.insert(0, made)
                    pointer = base
                case Cast(op="bitcast" | "addrspacecast", value=value):
                    pointer = value
                case _:
                    return made if made is not None else pointer, steps
        return pointer, steps

    def _variable(self, base: Operand | Instruction) -> Variable | None:
        match base:
            case Load(pointer=Register(name=name)) if name in self.locals:
                return self.name, name
            case Register(name=name) if name in self.parameters:
                return self.name, name
            case Load() | Call():
                return MEMORY
            case _:
                return None

    def _declared(self, base: Load | Register) -> CType | None:
        """The C type that a pointer leads to."""
        if isinstance(base, Load):
            kind = self.pointees.scalar(base.pointer)
        else:
            kind = self.parameters.get(base.name)
        if kind is None or kind.kind != "pointer" or kind.target is None:
            return None
        return self.program.ctypes.get(kind.target)

    def _holds_pointers(self, base: Operand | Instruction, steps: Sequence[GetElementPtr]) -> bool:
        """Whether what is declared where a pointer leads has pointers in it."""
        kind: Type | None
        match base:
            case Alloca(allocated=kind):
                pass
            case GlobalConstant(name=name) if name in self.program.globals:
                kind = self.program.globals[name].type
            case Load() | Register():
                declared = self._declared(base)
                if declared is None or not self._c_holds(declared, _DEPTH):
                    return False
                if not steps or not _holds(steps[0].source):
                    return True  # numbers on the spot
                kind = steps[0].source
            case _:
                return False
        for step in steps:
            if step.source != kind:
                break
            kind = _indexed(step)
        return _holds(kind)

    def _c_holds(self, kind: CType, depth: int) -> bool:
        match kind.kind:
            case "pointer":
                return True
            case "void":
                return not self.model
            case "struct" | "union" | "array" if depth:
                keys = [m.type for m in kind.members] if kind.kind != "array" else [kind.target]
                inner = (self.program.ctypes.get(key) for key in keys if key is not None)
                return any(self._c_holds(part, depth - 1) for part in inner if part is not None)
            case _:
                return False


def _is_pointer(value: Operand) -> bool:
    return isinstance(value, NullConstant) or isinstance(getattr(value, "type", None), PointerType)


def _indexed(step: GetElementPtr) -> Type | None:
    """The type of the place that a step leads to."""
    kind: Type | None = step.source
    for index in step.indices[1:]:
        match kind:
            case ArrayType(element=element) | VectorType(element=element):
                kind = element
            case StructType(fields=fields) if fields is not None and isinstance(index, IntConstant):
                kind = fields[index.value]
            case _:
                return None
    return kind


def _holds(kind: Type | None) -> bool:
    match kind:
        case PointerType():
            return True
        case ArrayType(element=element) | VectorType(element=element):
            return _holds(element)
        case StructType(fields=fields):
            return any(map(_holds, fields or ()))
        case _:
            return False
