"""Bit-fields: which bits of their unit an access is about.

The compiler reads and writes the whole unit in which a bit-field lies. A write is a read of the unit, a mask,
and a store; the mask says which bits are new. A read is followed by shifts and masks that say which bits are
wanted. What is told apart from the program's own masks: all these instructions stand at one place of the
source, and the C type of what lies there, where it is known, has a bit-field in it.
"""

from __future__ import annotations

from vouch.c.ir import (
    Binary,
    Block,
    Cast,
    Function,
    Instruction,
    IntConstant,
    IntType,
    Load,
    Operand,
    Program,
    Register,
    Store,
)
from vouch.c.pointees import Pointees

_MASKS = frozenset({"and", "or", "shl", "lshr", "ashr"})


def mark(program: Program) -> None:
    """Set `field` on the loads and stores of bit-fields, and `of_field` on the steps between."""
    for function in program.functions.values():
        if function.defined:
            pointees = Pointees(program, function)
            for block in function.blocks.values():
                _Marker(pointees, function, block).run()


def source(function: Function, store: Store) -> Operand | None:
    """What a program stores to a bit-field, before it is brought to the unit's width and place."""
    made = {i.result: i for block in function.blocks.values() for i in block.instructions if i.result}
    joined = made.get(store.value.name) if isinstance(store.value, Register) else None
    if store.field is None or not isinstance(joined, Binary):
        return None
    operand = joined.right
    while isinstance(operand, Register):
        step = made.get(operand.name)
        if isinstance(step, Binary) and step.of_field:
            operand = step.left
        elif isinstance(step, Cast) and step.of_field:
            operand = step.value
        else:
            break
    return operand


class _Marker:
    """The accesses to bit-fields in one block."""

    def __init__(self, pointees: Pointees, function: Function, block: Block) -> None:
        self.pointees = pointees
        self.function = function
        self.block = block
        self.made: dict[str, Instruction] = {}
        self.users: dict[str, list[Instruction]] = {}

    def run(self) -> None:
        loads, stores = [], []
        for i in self.block.instructions:
            if isinstance(i, Load) and i.result is not None and isinstance(i.type, IntType):
                loads.append(i)
            elif isinstance(i, Store) and isinstance(i.value, Register):
                stores.append(i)
            if i.result is not None:
                self.made[i.result] = i
            for operand in _operands(i):
                self.users.setdefault(operand.name, []).append(i)
        for store in stores:
            self._write(store)
        for load in loads:
            if load.field is None:
                self._read(load)

    def _at(self, operand: Operand, place: Instruction) -> Instruction | None:
        """The instruction that made a value, if it stands in this block at the same place of the source."""
        made = self.made.get(operand.name) if isinstance(operand, Register) else None
        return made if made is not None and made.location == place.location else None

    def _write(self, store: Store) -> None:
        joined = self._at(store.value, store)
        if not isinstance(joined, Binary) or joined.op != "or":
            return
        masked = self._at(joined.left, store)
        if not isinstance(masked, Binary) or masked.op != "and" or not isinstance(masked.right, IntConstant):
            return
        load = self._at(masked.left, store)
        if not isinstance(load, Load) or load.pointer != store.pointer or load.volatile is not store.volatile:
            return
        if self.pointees.has_field(store.pointer) is False:
            return
        store.field = ~masked.right.value & ((1 << masked.right.type.bits) - 1)
        load.field = 0
        joined.of_field = masked.of_field = True
        self._new_bits(joined.right, store)

    def _new_bits(self, operand: Operand, store: Store) -> None:
        """The value on its way into the unit, and what the assignment itself yields."""
        while (step := self._at(operand, store)) is not None:
            if isinstance(step, Binary) and step.op in _MASKS and isinstance(step.right, IntConstant):
                step.of_field = True
                self._yielded(step, store)
                operand = step.left
            else:
                if isinstance(step, Cast) and step.op in ("trunc", "zext", "sext"):
                    step.of_field = True
                return

    def _yielded(self, step: Binary, store: Store) -> None:
        for user in self.users.get(step.result or "", ()):
            if not isinstance(user, Binary) or user.location != store.location or user.of_field:
                continue
            if user.op in ("shl", "lshr", "ashr") and isinstance(user.right, IntConstant):
                user.of_field = True
                self._yielded(user, store)

    def _read(self, load: Load) -> None:
        steps = self.users.get(load.result or "", [])
        first = steps[0] if len(steps) == 1 else None
        if not isinstance(first, Binary) or first.location != load.location or first.op not in _MASKS:
            return
        if self.pointees.has_field(load.pointer) is False:
            return
        after = [u for u in self.users.get(first.result or "", ()) if u.location == load.location]
        then = after[0] if len(after) == 1 and isinstance(after[0], Binary) else None
        assert isinstance(load.type, IntType)
        load.field = _wanted(load.type.bits, first, then)
        if load.field is not None:
            first.of_field = True
            if then is not None and then.op in _MASKS and isinstance(then.right, IntConstant):
                then.of_field = True


def _operands(instruction: Instruction) -> list[Register]:
    match instruction:
        case Binary(left=left, right=right):
            found: list[Operand] = [left, right]
        case Cast(value=value) | Store(value=value):
            found = [value]
        case _:
            found = []
    return [operand for operand in found if isinstance(operand, Register)]


def _wanted(width: int, first: Binary, then: Binary | None) -> int | None:
    """The bits that are left after what follows a read; None where that is not the usual pattern."""
    if not isinstance(first.right, IntConstant):
        return None
    amount, whole = first.right.value, (1 << width) - 1
    known = then.right.value if then is not None and isinstance(then.right, IntConstant) else 0
    match first.op:
        case "and":
            return amount
        case "lshr" if then is not None and then.op == "and" and isinstance(then.right, IntConstant):
            return known << amount & whole
        case "lshr" | "ashr":
            return whole >> amount << amount
        case "shl" if then is not None and then.op in ("ashr", "lshr") and known >= amount:
            return (whole >> known) << (known - amount)
        case _:
            return None
