"""Ways through the ends of blocks, one for each place that control goes on to.

Where a `return`, `break` or `goto` leaves the block of a variable, clang stores a number that stands for
where it leads, ends the variable's lifetime in code that all ways out share, and switches on the number; all
`return`s store what they return and share the end of the function. What is known on one way would be joined
there with what is known on the others. `threaded` gives each number, and each result, its own copy of the
shared code, as long as that does nothing but end lifetimes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from vouch.c.flow.graph import successors
from vouch.c.flow.uses import operands
from vouch.c.ir import (
    Alloca,
    Block,
    Branch,
    Call,
    DebugValue,
    Function,
    GlobalConstant,
    Instruction,
    IntConstant,
    Load,
    NullConstant,
    Opaque,
    Operand,
    Phi,
    Register,
    Return,
    Store,
    Switch,
)

_LONGEST = 32  # shared pieces one after the other
_MOST = 200  # copies


def threaded(function: Function) -> tuple[Function, dict[str, str]]:
    """The function with copies, and for each copy's label that of the block it is one of."""
    ways = _Ways(function)
    if not ways.shared:
        return function, {}
    blocks = {label: ways.redirected(block) for label, block in function.blocks.items()}
    if not 0 < len(ways.copies) <= _MOST:
        return function, {}
    return replace(function, blocks={**blocks, **ways.copies}), ways.origins


class _Ways:
    """`shared` are the labels of shared code; `number` and `result` are the variables of the numbers and of
    what is returned, "" where there is none."""

    def __init__(self, function: Function) -> None:
        self.blocks = function.blocks
        self.copies: dict[str, Block] = {}
        self.origins: dict[str, str] = {}
        self.shared: set[str] = set()
        read = {label: _read_at_end(block) for label, block in self.blocks.items()}
        slots = [{slot for kind, slot in filter(None, read.values()) if kind is k} for k in (Switch, Return)]
        if not any(slots):
            return
        numbers, plain = _variables(function)
        slots = [slots[0] & numbers, slots[1] & plain]
        self.number, self.result = (min(found) if len(found) == 1 else "" for found in slots)
        ends = {(Switch, self.number), (Return, self.result)}
        for label, block in self.blocks.items():
            phis = any(_has_phi(self.blocks[target]) for target in successors(block.terminator))
            if not phis and self._leads_to(block, read, ends):
                self.shared.add(label)

    def _leads_to(self, block: Block, read: dict[str, _End | None], ends: set[_End]) -> bool:
        for _ in range(_LONGEST):
            if read[block.label] is not None:
                return read[block.label] in ends
            last = block.terminator
            if not isinstance(last, Branch) or last.condition is not None or not _ends_lifetimes(block):
                return False
            block = self.blocks[last.then]
        return False

    def redirected(self, block: Block) -> Block:
        """A block that leads to shared code after it has stored a number, or a result: to the copy for it."""
        last = block.terminator
        if not isinstance(last, Branch) or last.condition is not None or last.then not in self.shared:
            return block
        number, result = _stored(block, self.number), _stored(block, self.result)
        if number is None and result is None:
            return block
        target = self._copy(last.then, number, result, _kind(result, block.label))
        return Block(block.label, [*block.instructions[:-1], replace(last, then=target)])

    def _copy(self, label: str, number: Operand | None, result: Operand | None, kind: str) -> str:
        chosen = number.value if isinstance(number, IntConstant) else None
        name = f"{label}~{'' if chosen is None else chosen}{kind}"
        if name in self.copies:
            return name
        block = self.blocks[label]
        copy = self.copies[name] = Block(name, block.instructions)
        self.origins[name] = label
        last = block.terminator
        if isinstance(last, Branch):
            target, kept = last.then, block.instructions[:-1]
        elif isinstance(last, Switch) and chosen is not None:
            target = next((to for case, to in last.cases if case.value == chosen), last.default)
            kept = block.instructions[:-2]
        else:
            if isinstance(last, Return) and kind and kind not in _SIGNS:
                copy.instructions = [*block.instructions[:-2], replace(last, value=result)]
            return name
        if target in self.shared:
            target = self._copy(target, number, result, kind)
        way = Branch(None, last.type, last.location, last.nosanitize, None, target, None, number=last.number)
        copy.instructions = [*kept, way]
        return name


_End = tuple[type[Instruction], str]
_SIGNS = ("+", "-")  # results that share a copy


def _kind(result: Operand | None, label: str) -> str:
    """Results that are told apart: signs of constants, and each place that returns something else."""
    if result is None:
        return ""
    if isinstance(result, NullConstant):
        return "=0"
    if not isinstance(result, IntConstant):
        return f"@{label}"
    if result.value and result.type.bits > 1:
        return _SIGNS[result.value >> (result.type.bits - 1) & 1]
    return f"={result.value}"


def _has_phi(block: Block) -> bool:
    return isinstance(block.instructions[0], Phi)


def _read_at_end(block: Block) -> _End | None:
    """The variable that a block switches on, or returns, if it does nothing else but end lifetimes."""
    last = block.terminator
    if not isinstance(last, Switch | Return) or len(block.instructions) < 2:
        return None
    load = block.instructions[-2]
    if not isinstance(load, Load) or not isinstance(load.pointer, Register) or load.volatile:
        return None
    if last.value != Register(load.result or "", load.type):
        return None
    return (type(last), load.pointer.name) if all(map(_is_quiet, block.instructions[:-2])) else None


def _ends_lifetimes(block: Block) -> bool:
    return all(map(_is_quiet, block.instructions[:-1]))


def _is_quiet(instruction: Instruction) -> bool:
    match instruction:
        case Call(callee=GlobalConstant(name=name)):
            return name.startswith("llvm.lifetime.end")
        case DebugValue():
            return True
    return False


def _variables(function: Function) -> tuple[set[str], set[str]]:
    """Variables that only ever get constants and that only switches read, each load once; and variables that
    are only accessed by name."""
    kept: set[str] = set()
    varying: set[str] = set()
    lost: set[str] = set()
    loads: dict[str, str] = {}
    uses: Counter[str] = Counter()
    switched: set[str] = set()
    for block in function.blocks.values():
        for instruction in block.instructions:
            read = operands(instruction)
            match instruction:
                case Alloca(result=str(name)):
                    kept.add(name)
                case Store(pointer=Register(name=name), value=value, volatile=False):
                    read = iter((value,))
                    if not isinstance(value, IntConstant):
                        varying.add(name)
                case Load(pointer=Register(name=name), result=str(result)):
                    loads[result] = name
                    continue
                case Switch(value=Register(name=name)):
                    switched.add(name)
                case Opaque():
                    return set(), set()
            for operand in read:
                if isinstance(operand, Register):
                    uses[operand.name] += 1
                    lost.add(operand.name)
    varying |= {slot for result, slot in loads.items() if uses[result] != 1 or result not in switched}
    return kept - lost - varying, kept - lost


def _stored(block: Block, slot: str) -> Operand | None:
    """What a variable holds at the end of a block which stores to it."""
    for instruction in reversed(block.instructions):
        match instruction:
            case Store(pointer=Register(name=name), value=value) if name == slot:
                return value
    return None
