"""Ways through the ends of blocks, one for each place that control goes on to.

Where a `return`, `break` or `goto` leaves the block of a variable, clang stores a number that stands for
where it leads, ends the variable's lifetime in code that all ways out share, and switches on the number. What
is known on one way would be joined there with what is known on the others. `threaded` gives each number its
own copy of the shared code, as long as that does nothing but end lifetimes.
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
    Opaque,
    Phi,
    Register,
    Store,
    Switch,
)

_LONGEST = 32  # shared pieces one after the other


def threaded(function: Function) -> tuple[Function, dict[str, str]]:
    """The function with copies, and for each copy's label that of the block it is one of."""
    ways = _Ways(function)
    if not ways.shared:
        return function, {}
    blocks = {label: ways.redirected(block) for label, block in function.blocks.items()}
    if not ways.copies:
        return function, {}
    return replace(function, blocks={**blocks, **ways.copies}), ways.origins


class _Ways:
    """`shared` maps the label of a piece of shared code to the variable that the switch behind it reads."""

    def __init__(self, function: Function) -> None:
        self.blocks = function.blocks
        self.copies: dict[str, Block] = {}
        self.origins: dict[str, str] = {}
        self.shared: dict[str, str] = {}
        switching = {label: _switched(block) for label, block in self.blocks.items()}
        slots = {slot for slot in switching.values() if slot is not None}
        slots = slots and slots & _numbers(function)
        for label, block in self.blocks.items() if slots else ():
            slot = self._behind(block, switching)
            if slot in slots and not any(_has_phi(self.blocks[target]) for target in _targets(block)):
                self.shared[label] = slot or ""

    def _behind(self, block: Block, switching: dict[str, str | None]) -> str | None:
        for _ in range(_LONGEST):
            if switching[block.label] is not None:
                return switching[block.label]
            last = block.terminator
            if not isinstance(last, Branch) or last.condition is not None or not _ends_lifetimes(block):
                return None
            block = self.blocks[last.then]
        return None

    def redirected(self, block: Block) -> Block:
        """A block that leads to shared code after it has stored the number: to the copy for that number."""
        last = block.terminator
        if not isinstance(last, Branch) or last.condition is not None or last.then not in self.shared:
            return block
        number = _stored(block, self.shared[last.then])
        if number is None:
            return block
        return Block(block.label, [*block.instructions[:-1], replace(last, then=self._copy(last.then, number))])

    def _copy(self, label: str, number: int) -> str:
        name = f"{label}~{number}"
        if name in self.copies:
            return name
        block, last = self.blocks[label], self.blocks[label].terminator
        quiet = [i for i in block.instructions[:-1] if not isinstance(i, Load)]
        copy = self.copies[name] = Block(name, [])
        self.origins[name] = label
        target = _chosen(last, number)
        if target in self.shared and self.shared[target] == self.shared[label]:
            target = self._copy(target, number)
        way = Branch(None, last.type, last.location, last.nosanitize, None, target, None, number=last.number)
        copy.instructions = [*quiet, way]
        return name


def _chosen(last: Instruction, number: int) -> str:
    if isinstance(last, Switch):
        return next((label for case, label in last.cases if case.value == number), last.default)
    assert isinstance(last, Branch)
    return last.then


def _targets(block: Block) -> tuple[str, ...]:
    return successors(block.terminator)


def _has_phi(block: Block) -> bool:
    return isinstance(block.instructions[0], Phi)


def _switched(block: Block) -> str | None:
    """The variable whose number a block switches on, if it does nothing else but end lifetimes."""
    last = block.terminator
    if not isinstance(last, Switch) or len(block.instructions) < 2:
        return None
    load = block.instructions[-2]
    plain = isinstance(load, Load) and last.value == Register(load.result or "", load.type)
    if not plain or not isinstance(load, Load) or not isinstance(load.pointer, Register) or load.volatile:
        return None
    return load.pointer.name if all(map(_is_quiet, block.instructions[:-2])) else None


def _ends_lifetimes(block: Block) -> bool:
    return all(map(_is_quiet, block.instructions[:-1]))


def _is_quiet(instruction: Instruction) -> bool:
    match instruction:
        case Call(callee=GlobalConstant(name=name)):
            return name.startswith("llvm.lifetime.end")
        case DebugValue():
            return True
    return False


def _numbers(function: Function) -> set[str]:
    """Variables that only ever get constants, and that nothing but switches read, each load once."""
    kept: set[str] = set()
    lost: set[str] = set()
    loads: dict[str, str] = {}
    uses: Counter[str] = Counter()
    switched: set[str] = set()
    for block in function.blocks.values():
        for instruction in block.instructions:
            match instruction:
                case Alloca(result=str(name)):
                    kept.add(name)
                    continue
                case Store(pointer=Register(name=name), value=IntConstant(), volatile=False):
                    continue
                case Load(pointer=Register(name=name), result=str(result)):
                    loads[result] = name
                    continue
                case Switch(value=Register(name=name)):
                    switched.add(name)
                case Opaque():
                    return set()
            for operand in operands(instruction):
                if isinstance(operand, Register):
                    uses[operand.name] += 1
                    lost.add(operand.name)
    lost |= {slot for result, slot in loads.items() if uses[result] != 1 or result not in switched}
    return kept - lost


def _stored(block: Block, slot: str) -> int | None:
    """The number that a variable holds at the end of a block which stores one."""
    for instruction in reversed(block.instructions):
        match instruction:
            case Store(pointer=Register(name=name), value=IntConstant(value=value)) if name == slot:
                return value
    return None
