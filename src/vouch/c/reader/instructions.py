"""One instruction line to one record.

Each opcode has a method that gets the result's name, the text after the opcode (attachments cut off), the
location and the nosanitize mark. `READERS` at the end is the table of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from vouch.c.ir import (
    Alloca,
    ArrayType,
    AsmOperand,
    AtomicUpdate,
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    Extract,
    ExtractElement,
    Fence,
    FunctionType,
    GetElementPtr,
    IndirectBranch,
    Insert,
    InsertElement,
    Instruction,
    IntConstant,
    IntType,
    Invoke,
    LandingPad,
    Load,
    Location,
    Operand,
    Phi,
    Return,
    Select,
    Shuffle,
    Store,
    StructType,
    Switch,
    Type,
    Unary,
    Unreachable,
    VaArg,
    VectorType,
)
from vouch.c.reader.attributes import Attributes
from vouch.c.reader.scan import Unreadable, closing, split, type_end, unquoted
from vouch.c.reader.types import I1, POINTER, VOID, Types, function_suffix
from vouch.c.reader.values import Values

_NO_FLAGS: frozenset[str] = frozenset()
_FLAGS = re.compile(
    r"(?:(?:nuw|nsw|exact|disjoint|nneg|samesign|inbounds|nusw|inrange\([^()]*\)|fast|nnan|ninf|nsz|arcp"
    r"|contract|afn|reassoc) )+"
)
# Calling convention, fast-math flags and result attributes: words before the result type of a call.
BEFORE_TYPE = re.compile(
    r"(?:(?!(?:void|i\d+|ptr|half|bfloat|float|double|x86_fp80|fp128|ppc_fp128|x86_amx|token|metadata|label"
    r"|target)\b)(?:cc ?\d+|align \d+|[a-z_]\w*(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?) )+"
)
_ORDERING = re.compile(
    r'(?: syncscope\("[^"]*"\))? (?:unordered|monotonic|acquire|release|acq_rel|seq_cst)\b.*$'
)
_SPACE = re.compile(r"addrspace\(\d+\) ")
_ASM = re.compile(r'asm ((?:[a-z]+ )*)("[^"]*"), ("[^"]*")\(')
_UNWIND = re.compile(r" to label (%\S+|%\"[^\"]*\") unwind label (%\S+|%\"[^\"]*\")$")
_ARM = re.compile(r"\[ (.*), (%\"[^\"]*\"|%[^ ,]+) \]$")

# The fields of a `Call` after its result.
_CallFields = tuple[
    Type,
    Location | None,
    bool,
    Operand,
    tuple[Operand, ...],
    FunctionType,
    tuple[Type | None, ...],
    int | None,
    frozenset[str],
    tuple[bool, ...],
]
Reader = Callable[["Instructions", str, "str | None", str, "Location | None", bool], Instruction]


def type_of(operand: Operand) -> Type:
    """The type of an operand that is a value."""
    kind: Type = operand.type  # type: ignore[attr-defined]
    return kind


def label(text: str) -> str:
    """The name in `label %name` or `%name`."""
    return unquoted(text.removeprefix("label ")[1:])


class Instructions:
    def __init__(self, types: Types, values: Values, attributes: Attributes) -> None:
        self.types = types
        self.values = values
        self.attributes = attributes
        self._arguments: dict[str, tuple[Operand, Type | None, bool, bool]] = {}
        self._flags: dict[str, frozenset[str]] = {}

    # -------------------------------------------------------- shared pieces

    def flags(self, text: str) -> tuple[frozenset[str], str]:
        """Leading flags and the rest."""
        match = _FLAGS.match(text)
        if match is None:
            return _NO_FLAGS, text
        words = match.group()
        known = self._flags.get(words)
        if known is None:
            known = self._flags[words] = frozenset(words.split())
        return known, text[match.end() :]

    def pair(self, text: str) -> tuple[Operand, Operand]:
        """`i32 %a, %b`: the type is written once."""
        end = type_end(text)
        first, second = split(text[end + 1 :])
        kind = text[: end + 1]
        return self.values.operand(kind + first), self.values.operand(kind + second)

    def operands(self, text: str) -> list[Operand]:
        return [self.values.operand(part) for part in split(text)]

    # -------------------------------------------------------- memory

    def alloca(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        text = text.removeprefix("inalloca ").removeprefix("swifterror ")
        kind, *rest = split(text)
        count: Operand = self.values.operand("i32 1")
        align, pointer = 1, POINTER
        for part in rest:
            if part.startswith("align "):
                align = int(part[6:])
            elif part.startswith("addrspace("):
                pointer = self.types(f"ptr {part}")  # type: ignore[assignment]
            else:
                count = self.values.operand(part)
        return Alloca(result, pointer, at, inner, self.types(kind), count, align)

    def load(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        text, volatile, atomic = _access(text)
        kind, pointer, *rest = split(text)
        if atomic:
            pointer = _ORDERING.sub("", pointer)
        return Load(
            result, self.types(kind), at, inner, self.values.operand(pointer), _align(rest), volatile, atomic
        )

    def store(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        text, volatile, atomic = _access(text)
        value, pointer, *rest = split(text)
        if atomic:
            pointer = _ORDERING.sub("", pointer)
        operand = self.values.operand
        return Store(None, VOID, at, inner, operand(value), operand(pointer), _align(rest), volatile, atomic)

    def getelementptr(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        _, text = self.flags(text)
        source, base, *indices = split(text)
        operand = self.values.operand
        pointer = operand(base)
        index = tuple([operand(part) for part in indices])
        kind = type_of(pointer)
        for item in index:
            wide = type_of(item)
            if isinstance(wide, VectorType) and not isinstance(kind, VectorType):
                kind = VectorType(wide.count, kind)
        return GetElementPtr(result, kind, at, inner, self.types(source), pointer, index)

    def atomicrmw(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        volatile = text.startswith("volatile ")
        text = text.removeprefix("volatile ")
        name, _, text = text.partition(" ")
        pointer, value, *_ = split(text)
        operand = self.values.operand(_ORDERING.sub("", value))
        kind = type_of(operand)
        return AtomicUpdate(result, kind, at, inner, name, self.values.operand(pointer), operand, volatile)

    def cmpxchg(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        weak, text = text.startswith("weak "), text.removeprefix("weak ")
        volatile, text = text.startswith("volatile "), text.removeprefix("volatile ")
        pointer, expected, replacement, *_ = split(text)
        operand = self.values.operand
        new = operand(_ORDERING.sub("", replacement))
        kind = StructType("", (type_of(new), I1))
        return CompareExchange(
            result, kind, at, inner, operand(pointer), operand(expected), new, weak, volatile
        )

    def fence(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        return Fence(None, VOID, at, inner)

    # -------------------------------------------------------- arithmetic

    def binary(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        flags, text = self.flags(text)
        left, right = self.pair(text)
        kind = type_of(left)
        return Binary(result, kind, at, inner, op, left, right, flags)

    def unary(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        value = self.values.operand(self.flags(text)[1])
        return Unary(result, type_of(value), at, inner, op, value)

    def compare(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        predicate, _, text = self.flags(text)[1].partition(" ")
        left, right = self.pair(text)
        kind = type_of(left)
        truth: Type = VectorType(kind.count, I1) if isinstance(kind, VectorType) else I1
        return Compare(result, truth, at, inner, op, predicate, left, right)

    def cast(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        value, _, kind = self.flags(text)[1].rpartition(" to ")
        return Cast(result, self.types(kind), at, inner, op, self.values.operand(value))

    def select(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        condition, then, otherwise = self.operands(self.flags(text)[1])
        return Select(result, type_of(then), at, inner, condition, then, otherwise)

    def phi(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        text = self.flags(text)[1]
        end = type_end(text)
        spelling = text[: end + 1]
        incoming = []
        for arm in split(text[end + 1 :]):
            match = _ARM.match(arm)
            if match is None:
                raise Unreadable(arm)
            incoming.append((self.values.operand(spelling + match[1]), label(match[2])))
        return Phi(result, self.types(text[:end]), at, inner, tuple(incoming))

    # -------------------------------------------------------- aggregates

    def extractvalue(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        whole, *path = split(text)
        aggregate = self.values.operand(whole)
        indices = tuple([int(step) for step in path])
        kind: Type = type_of(aggregate)
        for step in indices:
            if isinstance(kind, StructType) and kind.fields is not None:
                kind = kind.fields[step]
            elif isinstance(kind, ArrayType):
                kind = kind.element
            else:
                raise Unreadable(text)
        return Extract(result, kind, at, inner, aggregate, indices)

    def insertvalue(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        whole, part, *path = split(text)
        aggregate = self.values.operand(whole)
        kind = type_of(aggregate)
        value = self.values.operand(part)
        return Insert(result, kind, at, inner, aggregate, value, tuple([int(step) for step in path]))

    def extractelement(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        vector, index = self.operands(text)
        kind = vector.type.element  # type: ignore[attr-defined]
        return ExtractElement(result, kind, at, inner, vector, index)

    def insertelement(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        vector, value, index = self.operands(text)
        kind = type_of(vector)
        return InsertElement(result, kind, at, inner, vector, value, index)

    def shufflevector(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        left, right, mask = self.operands(text)
        lanes = _lanes(mask)
        kind = VectorType(len(lanes), left.type.element)  # type: ignore[attr-defined]
        return Shuffle(result, kind, at, inner, left, right, lanes)

    def va_arg(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        pointer, kind = split(text)
        return VaArg(result, self.types(kind), at, inner, self.values.operand(pointer))

    # -------------------------------------------------------- calls

    def call(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        return Call(result, *self._call(text, at, inner))

    def tail_call(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        return self.call(op, result, text.removeprefix("call "), at, inner)

    def invoke(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        match = _UNWIND.search(text)
        if match is None:
            raise Unreadable(text)
        call = self._call(text[: match.start()], at, inner)
        return Invoke(result, *call, normal=label(match[1]), unwind=label(match[2]))

    def _call(self, text: str, at: Location | None, inner: bool) -> _CallFields:
        before = BEFORE_TYPE.match(text)
        start = before.end() if before else 0
        result, end = self.types.leading(text, start)
        parameters, end = function_suffix(text, end + 1)
        if parameters:
            end += 1
        space = _SPACE.search(text, 0, start)
        callee, opening = self._callee(text, end, f"ptr {space.group()}" if space else "ptr ")
        finish = closing(text, opening)
        arguments = [self._argument(part) for part in split(text[opening + 1 : finish])]
        operands = tuple([argument[0] for argument in arguments])
        if parameters:
            listed = split(parameters[1:-1])
            variadic = bool(listed) and listed[-1] == "..."
            kinds = tuple([self.types(part) for part in (listed[:-1] if variadic else listed)])
        else:
            variadic = False
            kinds = tuple([getattr(operand, "type", VOID) for operand in operands])
        by_value = tuple([argument[1] for argument in arguments])
        returned = next((i for i, argument in enumerate(arguments) if argument[2]), None)
        signature = self.types.signature(result, kinds, variadic)
        words = self.attributes.resolve(text[finish + 1 :].partition(" [ ")[0])
        noundef = tuple([argument[3] for argument in arguments])
        return result, at, inner, callee, operands, signature, by_value, returned, words, noundef

    def _callee(self, text: str, start: int, pointer: str) -> tuple[Operand, int]:
        """The callee, and where its argument list opens."""
        first = text[start]
        if first in "@%":
            if text[start + 1] == '"':
                opening = text.index('"', start + 2) + 1
            else:
                opening = text.index("(", start)
            name = text[start:opening]
            if first == "@":
                return self.values.address(name), opening
            return self.values.operand(pointer + name), opening
        if match := _ASM.match(text, start):
            return AsmOperand(match[2][1:-1], match[3][1:-1]), match.end() - 1
        opening = closing(text, text.index("(", start)) + 1
        return self.values.operand(pointer + text[start:opening]), opening

    def _argument(self, text: str) -> tuple[Operand, Type | None, bool, bool]:
        known = self._arguments.get(text)
        if known is None:
            known = self._arguments[text] = self.values.argument(text)
        return known

    def landingpad(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        kind, end = self.types.leading(text)
        return LandingPad(result, kind, at, inner, text[end:].strip())

    # -------------------------------------------------------- terminators

    def ret(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        value = None if text == "void" else self.values.operand(text)
        return Return(None, VOID, at, inner, value)

    def br(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        if text.startswith("label "):
            return Branch(None, VOID, at, inner, None, label(text), None)
        condition, then, otherwise = split(text)
        return Branch(None, VOID, at, inner, self.values.operand(condition), label(then), label(otherwise))

    def switch(self, op: str, result: str | None, text: str, at: Location | None, inner: bool) -> Instruction:
        head, _, body = text.partition("[")
        value, default = split(head.strip())
        cases = []
        for line in body.strip().removesuffix("]").strip().split("\n"):
            if line:
                number, target = split(line.strip())
                constant = self.values.operand(number)
                if not isinstance(constant, IntConstant):
                    raise Unreadable(line)
                cases.append((constant, label(target)))
        return Switch(None, VOID, at, inner, self.values.operand(value), label(default), tuple(cases))

    def indirectbr(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        address, targets = split(text)
        labels = tuple([label(part) for part in split(targets[1:-1].strip())])
        return IndirectBranch(None, VOID, at, inner, self.values.operand(address), labels)

    def unreachable(
        self, op: str, result: str | None, text: str, at: Location | None, inner: bool
    ) -> Instruction:
        return Unreachable(None, VOID, at, inner)


def _access(text: str) -> tuple[str, bool, bool]:
    atomic = text.startswith("atomic ")
    if atomic:
        text = text[7:]
    volatile = text.startswith("volatile ")
    return (text[9:] if volatile else text), volatile, atomic


def _align(rest: list[str]) -> int:
    return int(rest[0][6:]) if rest and rest[0].startswith("align ") else 1


def _lanes(mask: Operand) -> tuple[int | None, ...]:
    kind = type_of(mask)
    if not isinstance(kind, VectorType) or not isinstance(kind.element, IntType):
        raise Unreadable("shuffle mask")
    elements = getattr(mask, "elements", None)
    if elements is None:  # zeroinitializer or poison
        zero = mask.__class__.__name__ == "ZeroConstant"
        return ((0 if zero else None),) * kind.count
    return tuple([e.value if isinstance(e, IntConstant) else None for e in elements])


_BINARY = (
    "add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor",
    "fadd", "fsub", "fmul", "fdiv", "frem",
)
_CASTS = (
    "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "ptrtoint",
    "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast",
)

READERS: Mapping[str, Reader] = {
    "alloca": Instructions.alloca,
    "load": Instructions.load,
    "store": Instructions.store,
    "getelementptr": Instructions.getelementptr,
    "atomicrmw": Instructions.atomicrmw,
    "cmpxchg": Instructions.cmpxchg,
    "fence": Instructions.fence,
    **dict.fromkeys(_BINARY, Instructions.binary),
    **dict.fromkeys(("fneg", "freeze"), Instructions.unary),
    **dict.fromkeys(("icmp", "fcmp"), Instructions.compare),
    **dict.fromkeys(_CASTS, Instructions.cast),
    "select": Instructions.select,
    "phi": Instructions.phi,
    "extractvalue": Instructions.extractvalue,
    "insertvalue": Instructions.insertvalue,
    "extractelement": Instructions.extractelement,
    "insertelement": Instructions.insertelement,
    "shufflevector": Instructions.shufflevector,
    "va_arg": Instructions.va_arg,
    "call": Instructions.call,
    **dict.fromkeys(("tail", "musttail", "notail"), Instructions.tail_call),
    "invoke": Instructions.invoke,
    "landingpad": Instructions.landingpad,
    "ret": Instructions.ret,
    "br": Instructions.br,
    "switch": Instructions.switch,
    "indirectbr": Instructions.indirectbr,
    "unreachable": Instructions.unreachable,
}

# Terminators that stay opaque.
OTHER_TERMINATORS = frozenset(("callbr", "resume", "catchswitch", "catchret", "cleanupret"))
