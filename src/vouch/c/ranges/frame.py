"""What the analysis of one function needs to know about its text, worked out once."""

from __future__ import annotations

from vouch.c.flow.components import components
from vouch.c.flow.graph import FlowGraph
from vouch.c.flow.handlers import handling
from vouch.c.flow.uses import operands
from vouch.c.ir import (
    Alloca,
    ArrayType,
    Binary,
    Block,
    Branch,
    Call,
    Cast,
    Compare,
    Extract,
    Function,
    GetElementPtr,
    GlobalConstant,
    Instruction,
    IntConstant,
    IntType,
    Load,
    Operand,
    Phi,
    Register,
    Return,
    Store,
    Switch,
    Type,
    Unreachable,
)
from vouch.c.layout import Sizes
from vouch.c.ranges.sums import loop_body, sums
from vouch.c.ranges.threading import threaded
from vouch.errors import Unsupported

_MOST_COUNTERS = 6
_BORDERS = [0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1]


class FrameFacts:
    """`locals` maps `%x` to the size of a local that exists once per call. `cross` maps a register to the
    blocks that use it beside its own. `handlers` are blocks that only report a violation and go on: label of
    the block to the label behind it. `joins` are blocks of one phi and a branch on it: label to condition.
    `origins` maps labels of copies (`threading.py`) to those of the function. `single` are blocks with one
    way in."""

    def __init__(self, function: Function, sizes: Sizes) -> None:
        self.inner = _inner_locals(function)
        function, self.origins = threaded(function)
        self.function = function
        self.graph = FlowGraph(function)
        self.defs: dict[str, Instruction] = {}
        self.home: dict[str, str] = {}
        self.locals: dict[str, int] = {}
        self.handlers: dict[str, str] = {}
        self.joins: dict[str, Operand] = {}
        entry = next(iter(function.blocks))
        self._landmarks: dict[str, set[int]] = {}
        for label, block in function.blocks.items():
            for instruction in block.instructions:
                if instruction.result is not None:
                    self.defs[instruction.result] = instruction
                    self.home[instruction.result] = label
                if marks := _landmarks(instruction):
                    self._landmarks.setdefault(label, set()).update(marks)
                if label == entry and isinstance(instruction, Alloca):
                    self._local(instruction, sizes)
            if len(block.instructions) == 2 and isinstance(block.instructions[0], Phi):
                self._joining(label, block.instructions[0], block.instructions[1])
            target = _behind(block)
            if target is not None:
                self.handlers[label] = target
        self.home.update((parameter.name, "") for parameter in function.parameters)
        self.cross = self._cross()
        self.fields = self._fields(sizes)
        self._thresholds: dict[str, list[int]] = {}
        self.counters = _counters(function, self.defs)
        self.sums = sums(function, self.graph, self.defs, self.locals)
        self._leave_out_joined()
        self.single = self._single(entry)
        self._repeated: set[str] | None = None

    def repeats(self, label: str) -> bool:
        """Whether a block may run more than once in a call of the function."""
        if self._repeated is None:
            after = self.graph.successors
            found = components(self.graph.order, after)
            self._repeated = {n for held in found if len(held) > 1 or held[0] in after[held[0]] for n in held}
        return label in self._repeated

    def thresholds(self, head: str) -> list[int]:
        """Numbers at which bounds that move in a loop may come to rest: those that it compares with."""
        if head not in self._thresholds:
            found = {*_BORDERS, *(-n - 1 for n in _BORDERS)}
            for label in loop_body(self.graph, head):
                found |= self._landmarks.get(label, set())
            self._thresholds[head] = sorted(found)
        return self._thresholds[head]

    def _single(self, entry: str) -> frozenset[str]:
        """Blocks that one other block leads to in one way, handlers left out."""
        found: set[str] = set()
        for label in self.graph.order:
            before = [b for b in self.graph.predecessors[label] if b not in self.handlers]
            last = self.function.blocks[before[0]].terminator if len(before) == 1 else None
            twice = isinstance(last, Branch) and last.then == last.otherwise
            if last is not None and not twice and label not in self.graph.heads:
                found.add(label)
        return frozenset(found) - {entry}

    def _joining(self, label: str, phi: Phi, last: Instruction) -> None:
        condition = last.condition if isinstance(last, Branch) else None
        if isinstance(condition, Register) and condition.name == phi.result:
            self.joins[label] = condition

    def _local(self, alloca: Alloca, sizes: Sizes) -> None:
        if isinstance(alloca.count, IntConstant):
            try:
                self.locals[f"%{alloca.result}"] = sizes.size(alloca.allocated) * alloca.count.value
            except Unsupported:
                return

    def _cross(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for label, block in self.function.blocks.items():
            for instruction in block.instructions:
                for operand in operands(instruction):
                    if isinstance(operand, Register) and self.home.get(operand.name, label) != label:
                        found.setdefault(operand.name, set()).add(label)
                if isinstance(instruction, Phi):
                    for operand, _ in instruction.incoming:
                        if isinstance(operand, Register) and operand.name in self.home:
                            found.setdefault(operand.name, set()).add(label)
        for name, labels in list(found.items()):  # what is moved in one block and stored in the next
            loaded = _moved(self.defs, self.defs.get(name))
            if isinstance(loaded, Load) and loaded.result not in (None, name):
                found.setdefault(loaded.result or "", set()).update(labels)
        return found

    def _fields(self, sizes: Sizes) -> dict[str, set[tuple[str, int, int]]]:
        """Cells of locals that are accessed at constant offsets, by local: integers only."""
        found: dict[str, set[tuple[str, int, int]]] = {}
        for instruction in self.defs.values():
            if isinstance(instruction, Load) and isinstance(instruction.type, IntType):
                place = _constant_place(self.defs, instruction.pointer, sizes)
                if place is not None and instruction.type.bits % 8 == 0:
                    key = (*place, sizes.store_size(instruction.type))
                    found.setdefault(place[0], set()).add(key)
        return found

    def _leave_out_joined(self) -> None:
        """A handler that something else leads to, or whose continuation tells paths apart, is an ordinary
        block."""
        blocks, graph = self.function.blocks, self.graph
        for label, target in list(self.handlers.items()):
            before = graph.predecessors.get(label, [])
            last = blocks[before[0]].terminator if len(before) == 1 else None
            plain = isinstance(last, Branch) and last.otherwise == label and last.then == target
            plain = plain and before[0] in graph.predecessors[target]  # not by a condition that never holds
            if not plain or isinstance(blocks[target].instructions[0], Phi):
                del self.handlers[label]


def _counters(function: Function, defs: dict[str, Instruction]) -> tuple[str, ...]:
    """The locals (`%x`) that the function moves by a constant, but few of them."""
    found: dict[str, None] = {}
    for block in function.blocks.values():
        for instruction in block.instructions:
            match instruction:
                case Store(pointer=Register(name=name), value=Register() as value):
                    made = _moved(defs, defs.get(value.name))
                    if isinstance(made, Load) and made.pointer == instruction.pointer and name in defs:
                        found[f"%{name}"] = None
    return tuple(found)[:_MOST_COUNTERS]


def _moved(defs: dict[str, Instruction], made: Instruction | None) -> Instruction | None:
    """What a number or pointer was before a constant was added."""
    for _ in range(6):
        match made:
            case Binary(op="add" | "sub", left=inner, right=IntConstant()) | Cast(value=inner):
                pass
            case GetElementPtr(base=inner, indices=(IntConstant(),)):
                pass
            case Extract(aggregate=Register() as inner, indices=(0,)):
                pass
            case Call(arguments=(inner, IntConstant())):
                pass
            case _:
                return made
        made = defs.get(inner.name) if isinstance(inner, Register) else None
    return None


def _landmarks(instruction: Instruction) -> set[int]:
    """Numbers at which the bounds of loop variables are likely to settle."""
    found: set[int] = set()
    match instruction:
        case Compare(left=left, right=right):
            constants = [o for o in (left, right) if isinstance(o, IntConstant)]
        case Switch(cases=cases):
            constants = [number for number, _ in cases]
        case GetElementPtr(source=ArrayType(count=count)):
            return {count, count - 1}
        case _:
            return found
    for constant in constants:
        number = constant.value
        if number >> (constant.type.bits - 1):
            found |= {number - (1 << constant.type.bits) + step for step in (-1, 0, 1)}
        found |= {number - 1, number, number + 1}
    return found


def _behind(block: Block) -> str | None:
    """The continuation of a block that does nothing but call a handler."""
    last = block.terminator
    if not isinstance(last, Branch) or not last.nosanitize or len(handling(block)) != 1:
        return None
    return last.then


def _constant_place(defs: dict[str, Instruction], pointer: Operand, sizes: Sizes) -> tuple[str, int] | None:
    """Local variable and constant offset that a pointer is made of."""
    offset = 0
    for _ in range(16):
        definition = defs.get(pointer.name) if isinstance(pointer, Register) else None
        match definition:
            case Alloca(result=result):
                return f"%{result}", offset
            case GetElementPtr(base=base, source=source, indices=indices):
                step = _constant_step(source, indices, sizes)
                if step is None:
                    return None
                offset, pointer = offset + step, base
            case _:
                return None
    return None


def _constant_step(source: Type, indices: tuple[Operand, ...], sizes: Sizes) -> int | None:
    try:
        strides = sizes.strides(source, indices)
    except Unsupported:
        return None
    return sum(size for _, size in strides) if all(index is None for index, _ in strides) else None


def _inner_locals(function: Function) -> frozenset[str]:
    """Locals (`%x`) of inner blocks: their lifetime ends while the function has still something to do."""
    quiet: set[str] = set()
    for label in reversed(list(function.blocks)):
        block = function.blocks[label]
        if all(_is_quiet(i) for i in block.instructions) and all(s in quiet for s in _after(block)):
            quiet.add(label)
    found: set[str] = set()
    for block in function.blocks.values():
        calm = all(s in quiet for s in _after(block))
        for instruction in reversed(block.instructions):
            if _ends_lifetime(instruction) and not calm:
                assert isinstance(instruction, Call)
                ended = instruction.arguments[-1]
                found.add(f"%{ended.name}" if isinstance(ended, Register) else "")
            calm = calm and _is_quiet(instruction)
    return frozenset(found)


def _after(block: Block) -> tuple[str, ...]:
    last = block.terminator
    if isinstance(last, Branch):
        return tuple(label for label in (last.then, last.otherwise) if label is not None)
    if isinstance(last, Switch):
        return (last.default, *(label for _, label in last.cases))
    return () if isinstance(last, Return | Unreachable) else ("?",)


def _is_quiet(instruction: Instruction) -> bool:
    """Leaves the function, or ends lifetimes on the way there."""
    if isinstance(instruction, Load):
        return isinstance(instruction.pointer, Register) and instruction.pointer.name.startswith(
            ("retval", "cleanup.dest")
        )
    return isinstance(instruction, Return | Branch | Switch | Unreachable) or _ends_lifetime(instruction)


def _ends_lifetime(instruction: Instruction) -> bool:
    return (
        isinstance(instruction, Call)
        and isinstance(instruction.callee, GlobalConstant)
        and instruction.callee.name.startswith("llvm.lifetime.end")
    )
