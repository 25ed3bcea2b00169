"""Loops in the open: names, trip counts where the source fixes them, and the bounds in force.

Only for people and for bounds given by people: the executor finds constant trip counts by itself, by folding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from vouch.c import ir
from vouch.c.flow.graph import successors
from vouch.c.flow.order import Flow, Loop, loops_of
from vouch.errors import VouchError
from vouch.result import LoopInfo

MOST_TRIPS = 1 << 14  # more are not counted
_DEEPEST = 24  # a loop's condition and step are short expressions


def given_bounds(texts: Sequence[str]) -> dict[str, int]:
    """Bounds by loop name from `NAME=K` words."""
    bounds: dict[str, int] = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        if not name or not number.isdecimal():
            raise VouchError(f"option --unwind-loop: {text!r} is not NAME=K")
        bounds[name] = int(number)
    return bounds


def describe(
    program: ir.Program,
    given: Mapping[str, int],
    comments: Mapping[tuple[str, int], int],
    default: int | None,
) -> list[LoopInfo]:
    """All loops of the program, library models left out, in the order of the source.

    `given` are bounds by name, `comments` by place; a name wins. Raises for a name that no loop has.
    """
    found: list[LoopInfo] = []
    for function in program.functions.values():
        if function.defined and function.name not in program.models and (loops := loops_of(function)):
            locals_ = _Locals(function)
            found += [_info(locals_, loop, given, comments, default) for loop in loops.values()]
    for name in given:
        if not any(info.name == name for info in found):
            raise VouchError(f"option --unwind-loop: no loop {name!r} (see --loops)")
    return sorted(found, key=lambda info: (info.file, info.line, info.name))


Held = Callable[[str, str, str], "tuple[int, ...] | None"]
"""What is known of a variable (function, block, alloca): least and largest value, signed and unsigned, …"""


def with_invariants(program: ir.Program, loops: Sequence[LoopInfo], held: Held) -> list[LoopInfo]:
    """The loops with what ranges say about the integers of their functions at the loops' heads."""
    known: dict[str, str] = {}
    owners = {loop.function for loop in loops}
    for function in program.functions.values():
        if function.source_name in owners and function.defined and function.name not in program.models:
            for loop in loops_of(function).values():
                if text := _invariant(program, function, loop, held):
                    known[loop.name] = text
    return [replace(loop, invariant=known.get(loop.name)) for loop in loops]


def _invariant(program: ir.Program, function: ir.Function, loop: Loop, held: Held) -> str:
    """Names that mean one variable alone, declared before the loop or in its head."""
    first = next(iter(function.blocks.values())).instructions
    locals_ = [i for i in first if isinstance(i, ir.Alloca) and i.variable is not None]
    names = Counter(i.variable.name for i in locals_ if i.variable is not None)
    parts: list[str] = []
    for instruction in locals_:
        variable = instruction.variable
        if variable is None or instruction.result is None or names[variable.name] > 1:
            continue
        if variable.location is None or loop.location is None or variable.location.line > loop.location.line:
            continue
        kind = program.ctypes.get(variable.type)
        bounds = held(function.name, loop.head, instruction.result)
        if kind is not None and kind.kind == "int" and kind.size and bounds is not None:
            parts += _limits(variable.name, kind, bounds)
    return " && ".join(parts)


def _limits(name: str, kind: ir.CType, bounds: tuple[int, ...]) -> list[str]:
    """What a range says beyond the type."""
    bits = 8 * kind.size
    least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind.signed else (0, (1 << bits) - 1)
    low, high = bounds[:2] if kind.signed else bounds[2:4]
    found = [f"{name} >= {low}"] if low > least else []
    return [*found, f"{name} <= {high}"] if high < most else found


def _info(
    locals_: _Locals,
    loop: Loop,
    given: Mapping[str, int],
    comments: Mapping[tuple[str, int], int],
    default: int | None,
) -> LoopInfo:
    file, line = (loop.location.file, loop.location.line) if loop.location is not None else ("", 0)
    trips = _trip_count(locals_, loop)
    bound, source = default, "default" if default is None else "option"
    if trips is not None:
        bound, source = trips, "inferred"
    if (file, line) in comments:
        bound, source = comments[file, line], "comment"
    if loop.name in given:
        bound, source = given[loop.name], "option"
    return LoopInfo(loop.name, file, line, locals_.function.source_name, trips, bound, source)


def _trip_count(locals_: _Locals, loop: Loop) -> int | None:
    """How often the body runs at most, where one local variable counts from a constant by a constant step."""
    counter = _Counter(locals_, loop)
    branch = locals_.function.blocks[loop.head].terminator
    if not isinstance(branch, ir.Branch) or branch.condition is None or branch.otherwise is None:
        return None
    inside = (branch.then in loop.blocks, branch.otherwise in loop.blocks)
    if inside not in ((True, False), (False, True)):
        return None
    variable = counter.variable(branch.condition)
    if variable is None:
        return None
    start, step = counter.start(variable), counter.step(variable)
    if start is None or step is None:
        return None
    value, seen = start, set[int]()
    while value not in seen and len(seen) < MOST_TRIPS:
        goes_on = counter.evaluate(branch.condition, variable, value)
        following = counter.evaluate(step, variable, value)
        if goes_on is None or following is None:
            return None
        if bool(goes_on) is not inside[0]:
            return len(seen)
        seen.add(value)
        value = following
    return None


class _Locals:
    """What is known of a function's registers and local variables, once for all its loops."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.sources: dict[str, list[str]] = {}  # of the edges into a block
        self.made: dict[str, ir.Instruction] = {}
        self.stores: dict[str, list[tuple[str, ir.Store]]] = {}
        self.escaped: set[str] = set()
        for label, block in function.blocks.items():
            for target in set(successors(block.terminator)):
                self.sources.setdefault(target, []).append(label)
            for item in block.instructions:
                self._note(label, item)

    def _note(self, label: str, item: ir.Instruction) -> None:
        if item.result is not None:
            self.made[item.result] = item
        match item:
            case ir.Store(pointer=ir.Register(name=name), value=value):
                self.stores.setdefault(name, []).append((label, item))
                if isinstance(value, ir.Register):
                    self.escaped.add(value.name)
            case ir.Call(callee=ir.GlobalConstant(name=name)) if name.startswith("llvm.lifetime."):
                pass  # only says where the variable lives
            case ir.Call(arguments=arguments):
                self.escaped |= {a.name for a in arguments if isinstance(a, ir.Register)}
            case ir.GetElementPtr(base=ir.Register(name=name)) | ir.Cast(value=ir.Register(name=name)):
                self.escaped.add(name)


class _Counter:
    """Looks for the local variable that a loop counts in, and evaluates expressions over it."""

    def __init__(self, locals_: _Locals, loop: Loop) -> None:
        self._loop = loop
        sources = locals_.sources.get(loop.head, ())
        self._before = [label for label in sources if label not in loop.blocks]
        self._back = [label for label in sources if label in loop.blocks]
        self._made, self._stores, self._escaped = locals_.made, locals_.stores, locals_.escaped

    def variable(self, condition: ir.Operand) -> str | None:
        """The one local that the condition reads, if it is only loaded and stored."""
        found: set[str] = set()
        work: list[ir.Operand] = [condition]
        while work:
            operand = work.pop()
            if not isinstance(operand, ir.Register):
                continue
            made = self._made.get(operand.name)
            if isinstance(made, ir.Load) and isinstance(made.pointer, ir.Register) and not made.volatile:
                found.add(made.pointer.name)
            else:
                work += _operands(made)
        if len(found) != 1:
            return None
        name = found.pop()
        plain = isinstance(self._made.get(name), ir.Alloca) and name not in self._escaped
        return name if plain else None

    def start(self, variable: str) -> int | None:
        """The constant that it holds when the loop is entered."""
        if len(self._before) != 1:
            return None
        stores = [s for label, s in self._stores.get(variable, ()) if label == self._before[0]]
        value = stores[-1].value if stores else None
        return value.value if isinstance(value, ir.IntConstant) else None

    def step(self, variable: str) -> ir.Operand | None:
        """What is stored to it at the end of each iteration, and nowhere else in the loop."""
        stores = [(at, s) for at, s in self._stores.get(variable, ()) if at in self._loop.blocks]
        if len(stores) != 1 or self._back != [stores[0][0]]:
            return None
        return stores[0][1].value

    def evaluate(self, operand: ir.Operand, variable: str, value: int, depth: int = 0) -> int | None:
        if isinstance(operand, ir.IntConstant):
            return operand.value
        if not isinstance(operand, ir.Register) or depth > _DEEPEST:
            return None
        made = self._made.get(operand.name)
        if isinstance(made, ir.Load):
            own = isinstance(made.pointer, ir.Register) and made.pointer.name == variable
            return value if own else None
        if isinstance(made, ir.Extract) and made.indices == (0,) and isinstance(made.aggregate, ir.Register):
            made = self._made.get(made.aggregate.name)
        inputs = [self.evaluate(o, variable, value, depth + 1) for o in _operands(made)]
        known = [i for i in inputs if i is not None]
        return _apply(made, known) if made is not None and len(known) == len(inputs) else None


def _operands(made: ir.Instruction | None) -> Sequence[ir.Operand]:
    match made:
        case ir.Binary(left=left, right=right) | ir.Compare(left=left, right=right):
            return (left, right)
        case ir.Cast(value=value):
            return (value,)
        case ir.Call(arguments=arguments):
            return arguments
        case ir.Extract(aggregate=aggregate):
            return (aggregate,)
        case _:
            return ()


def _apply(made: ir.Instruction, inputs: list[int]) -> int | None:
    match made, inputs:
        case ir.Compare(op="icmp", predicate=predicate, left=left), [a, b]:
            return _compare(predicate, a, b, _bits(left))
        case ir.Cast(op="zext"), [a]:
            return a
        case ir.Cast(op="sext", value=value, type=ir.IntType(bits=bits)), [a]:
            return _signed(a, _bits(value)) & ((1 << bits) - 1)
        case ir.Cast(op="trunc", type=ir.IntType(bits=bits)), [a]:
            return a & ((1 << bits) - 1)
        case ir.Binary(op=op, type=ir.IntType(bits=bits)), [a, b]:
            return _arithmetic(op, a, b, bits)
        case ir.Call(callee=ir.GlobalConstant(name=name), arguments=(first, _)), [a, b]:
            # llvm.sadd.with.overflow.i32 and its like: the first member of the result.
            words = name.split(".")
            if len(words) == 5 and words[2:4] == ["with", "overflow"]:
                return _arithmetic(words[1][1:], a, b, _bits(first))
            return None
        case _:
            return None


def _arithmetic(op: str, a: int, b: int, bits: int) -> int | None:
    match op:
        case "add":
            result = a + b
        case "sub":
            result = a - b
        case "mul":
            result = a * b
        case "shl" if b < bits:
            result = a << b
        case "lshr" if b < bits:
            result = a >> b
        case "udiv" if b:
            result = a // b
        case _:
            return None
    return result & ((1 << bits) - 1)


def _compare(predicate: str, a: int, b: int, bits: int) -> int:
    if predicate.startswith("s"):
        a, b = _signed(a, bits), _signed(b, bits)
    table = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}
    return int(table[predicate if predicate in table else predicate[1:]])


def _bits(operand: ir.Operand) -> int:
    kind = operand.type if isinstance(operand, (ir.Register, ir.IntConstant)) else None
    return kind.bits if isinstance(kind, ir.IntType) else 64


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def counts_bytes(flow: Flow, loop: Loop) -> bool:
    """Does some test in the loop compare a number of at most eight bits? It comes round after 256 steps."""
    made = {i.result: i for block in flow.function.blocks.values() for i in block.instructions if i.result}
    for label in loop.blocks:
        for i in flow.function.blocks[label].instructions:
            if isinstance(i, ir.Compare) and i.op == "icmp":
                for side in (i.left, i.right):
                    source = made.get(side.name) if isinstance(side, ir.Register) else None
                    value = source.value if isinstance(source, ir.Cast) else side
                    if isinstance(value, ir.Register) and 1 < _bits(value) <= 8:
                        return True
    return False
