"""Runs the instructions of one function on abstract values.

`Interpreter` holds the registers (one value each, that of the latest visit) and the state of the point it is
at.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vouch.c.ir import (
    Alloca,
    AtomicUpdate,
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    CompareExchange,
    DebugValue,
    Extract,
    ExtractElement,
    Fence,
    GetElementPtr,
    IndirectBranch,
    Insert,
    InsertElement,
    Instruction,
    IntType,
    Invoke,
    LandingPad,
    Load,
    Opaque,
    Phi,
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
from vouch.c.ranges import domain, intrinsics, pointers, relations
from vouch.c.ranges.conversion import survives
from vouch.c.ranges.memory import RangeMemory
from vouch.c.ranges.pointers import SOMEWHERE, PointerPair, PointerRange
from vouch.c.ranges.state import CLEAN, TIDY, join_values


class Interpreter(RangeMemory):
    """What each instruction does."""

    # ------------------------------------------------------------ instructions

    def step(self, instruction: Instruction) -> None:
        action = _ACTIONS.get(type(instruction))
        if action is not None:
            action(self, instruction)
        elif isinstance(instruction, _WITHOUT_EFFECT):
            self.define(instruction.result, self.unknown(instruction.type))
        else:
            self.opaque(instruction)

    def alloca(self, instruction: Alloca) -> None:
        name = f"%{instruction.result}"
        known = name in self.frame.locals
        self.define(instruction.result, PointerRange(name, 0, 0, True) if known else SOMEWHERE)

    def gep(self, instruction: GetElementPtr) -> None:
        base = self.pointer(instruction.base)
        self.define(instruction.result, self.stepped(base, instruction.source, instruction.indices))

    def binary(self, instruction: Binary) -> None:
        kind = instruction.type
        if type(kind) is not IntType:
            self.define(instruction.result, None)
            return
        function = domain.BINARY[instruction.op]
        a, b = self.integer(instruction.left), self.integer(instruction.right)
        value = function(a, b, kind.bits)
        if instruction.op == "sub":
            value = relations.subtracted(self, instruction.left, instruction.right, value, kind.bits)
        self.define(instruction.result, value)

    def cast(self, instruction: Cast) -> None:
        kind, value = instruction.type, self.value(instruction.value)
        if type(value) is tuple and isinstance(kind, IntType):
            old = getattr(instruction.value, "type", None)
            assert isinstance(old, IntType)
            match instruction.op:
                case "trunc":
                    result: Any = domain.trunc(value, kind.bits)
                case "zext":
                    result = domain.zext(value, old.bits, kind.bits)
                case "sext":
                    result = domain.sext(value, old.bits, kind.bits)
                case _:
                    result = domain.top(kind.bits)
        elif type(value) is PointerRange and instruction.op in ("bitcast", "addrspacecast"):
            result = value
        else:
            result = self.unknown(kind)
        self.define(instruction.result, result)

    def compare(self, instruction: Compare) -> None:
        known = self.compared(instruction)
        bits = 1 if isinstance(instruction.type, IntType) else 0
        if not bits:
            self.define(instruction.result, None)
        else:
            self.define(instruction.result, domain.top(1) if known is None else domain.const(known, 1))

    def compared(self, instruction: Compare) -> bool | None:
        if instruction.op != "icmp":
            return None
        a, b = self.value(instruction.left), self.value(instruction.right)
        if type(a) is tuple and type(b) is tuple:
            known = domain.compare(instruction.predicate, a, b)
            if known is None and instruction.predicate == "eq":
                known = survives(self, instruction.left, instruction.right) or None
        elif type(a) is PointerRange and type(b) is PointerRange:
            known = pointers.compare(instruction.predicate, a, b)
        else:
            return None
        return relations.decide(self, instruction) if known is None else known

    def select(self, instruction: Select) -> None:
        condition = self.value(instruction.condition)
        if type(condition) is tuple and domain.is_const(condition):
            chosen = instruction.then if condition[2] else instruction.otherwise
            self.define(instruction.result, self.value(chosen))
            return
        value = join_values(self.value(instruction.then), self.value(instruction.otherwise), self.general)
        self.define(instruction.result, self.unknown(instruction.type) if value is None else value)

    def phi(self, instruction: Phi) -> None:
        value: Any = None
        first = True
        for operand, label in instruction.incoming:
            if (label, self.label) in self.edges:
                found = self.value(operand)
                if found is None and isinstance(operand, Register) and operand.name not in self.registers:
                    continue  # on a path that no visit reached yet
                value = found if first else join_values(value, found, self.general)
                first = False
        if value is None:
            value = self.unknown(instruction.type)
        before = self.registers.get(instruction.result or "")
        if self.widening and before is not None and type(value) is type(before) and value != before:
            if type(value) is PointerRange:
                value = pointers.widen(before, value, self.size(value.base), self.general)
            elif isinstance(instruction.type, IntType):
                thresholds = self.frame.thresholds(self.label)
                value = domain.widen(before, value, thresholds, instruction.type.bits)
        self.define(instruction.result, value)

    def unary(self, instruction: Unary) -> None:
        same = instruction.op == "freeze"
        self.define(
            instruction.result, self.value(instruction.value) if same else self.unknown(instruction.type)
        )

    def extract(self, instruction: Extract) -> None:
        pair = self.value(instruction.aggregate)
        if type(pair) is PointerPair and len(instruction.indices) == 1:
            self.define(instruction.result, pair[instruction.indices[0]])
        else:
            self.define(instruction.result, self.unknown(instruction.type))

    def update(self, instruction: AtomicUpdate | CompareExchange) -> None:
        for fact in (CLEAN, TIDY):  # it may store a pointer
            self.drop(fact)
        self.forget(self.pointer(instruction.pointer), pointers.INFINITE, through=instruction.pointer)
        self.define(instruction.result, self.unknown(instruction.type))

    def va_arg(self, instruction: VaArg) -> None:
        self.forget(self.pointer(instruction.list), pointers.INFINITE, through=instruction.list)
        self.define(instruction.result, self.unknown(instruction.type))

    def opaque(self, instruction: Instruction) -> None:
        self.forget_effects(self.whole.graph.assembly)
        self.define(instruction.result, self.unknown(instruction.type))

    def call(self, instruction: Call) -> None:
        intrinsics.call(self, instruction)


# Instructions that write nothing and whose value, where they have one, is not followed. Terminators are here
# for what they do to memory; where they lead is the solver's.
_WITHOUT_EFFECT = (
    Insert,
    ExtractElement,
    InsertElement,
    Shuffle,
    LandingPad,
    Fence,
    DebugValue,
    Return,
    Branch,
    Switch,
    IndirectBranch,
    Unreachable,
)
_ACTIONS: dict[type, Callable[[Interpreter, Any], None]] = {
    Alloca: Interpreter.alloca,
    Load: Interpreter.load,
    Store: Interpreter.store,
    GetElementPtr: Interpreter.gep,
    Binary: Interpreter.binary,
    Cast: Interpreter.cast,
    Compare: Interpreter.compare,
    Select: Interpreter.select,
    Phi: Interpreter.phi,
    Unary: Interpreter.unary,
    Extract: Interpreter.extract,
    Call: Interpreter.call,
    Invoke: Interpreter.call,
    VaArg: Interpreter.va_arg,
    Opaque: Interpreter.opaque,
    AtomicUpdate: Interpreter.update,
    CompareExchange: Interpreter.update,
}
