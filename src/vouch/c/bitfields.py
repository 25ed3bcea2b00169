"""Bit-fields: which bits of their unit an access is about.

The compiler reads and writes the whole unit in which a bit-field lies. A write is a read of the unit, a mask,
and a store; the mask says which bits are new. A read is followed by shifts and masks that say which bits are
wanted.
"""

from __future__ import annotations

from vouch.c.ir import Binary, Function, Instruction, IntConstant, IntType, Load, Program, Register, Store


def mark(program: Program) -> None:
    """Set `field` on the loads and stores of bit-fields."""
    for function in program.functions.values():
        if function.defined:
            _mark(function)


def _mark(function: Function) -> None:
    definitions: dict[str, Binary] = {}
    reads: dict[str, Load] = {}
    users: dict[str, list[Binary]] = {}
    for block in function.blocks.values():
        for i in block.instructions:
            if isinstance(i, Load) and i.result is not None and i.result.startswith("bf.load"):
                reads[i.result] = i
            elif isinstance(i, Binary) and i.result is not None and i.result.startswith("bf."):
                definitions[i.result] = i
                if isinstance(i.left, Register):
                    users.setdefault(i.left.name, []).append(i)
            elif isinstance(i, Store) and isinstance(i.value, Register):
                i.field = _written(definitions, definitions.get(i.value.name))
    for name, load in reads.items():
        if len(users.get(name, ())) == 1 and isinstance(load.type, IntType):
            load.field = _wanted(load.type.bits, users[name][0], users)


def _written(definitions: dict[str, Binary], joined: Instruction | None) -> int | None:
    """The bits that are new in what is stored: those that were masked out before."""
    if not isinstance(joined, Binary) or joined.op != "or" or not isinstance(joined.left, Register):
        return None
    masked = definitions.get(joined.left.name)
    if masked is None or masked.op != "and" or not isinstance(masked.right, IntConstant):
        return None
    return ~masked.right.value & ((1 << masked.right.type.bits) - 1)


def _wanted(width: int, first: Binary, users: dict[str, list[Binary]]) -> int | None:
    """The bits that are left after what follows a read; None where that is not the usual pattern."""
    if not isinstance(first.right, IntConstant):
        return None
    amount, whole = first.right.value, (1 << width) - 1
    after = users.get(first.result or "", [])
    then = after[0] if len(after) == 1 and isinstance(after[0].right, IntConstant) else None
    known = then.right.value if then is not None and isinstance(then.right, IntConstant) else 0
    match first.op:
        case "and":
            return amount
        case "lshr" if then is not None and then.op == "and":
            return known << amount & whole
        case "lshr" | "ashr":
            return whole >> amount << amount
        case "shl" if then is not None and then.op in ("ashr", "lshr") and known >= amount:
            return (whole >> known) << (known - amount)
        case _:
            return None
