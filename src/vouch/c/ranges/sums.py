"""Counted sums: what a variable can have become by a loop that moves it by at most so much in each turn.

A `CountedSum` is the linear form `x - rate * i` of two of the function's own integers: `i` counts the turns
of a loop, `x` is moved by at most `rate` in each. The form then never grows (or never shrinks), whatever the
number of turns, and gives `x` a bound where `i` has one. States hold an interval for it under `(SUM, sum)`,
None for an end that is not known. Numbers are those of mathematics: a form moves with an assignment only
where intervals prove that nothing wraps around (`relations.forms`), and is computed anew where they do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from vouch.c.flow.graph import FlowGraph
from vouch.c.ir import (
    Binary,
    Call,
    Cast,
    Extract,
    Function,
    Instruction,
    IntConstant,
    IntType,
    Load,
    Operand,
    Register,
    Store,
)
from vouch.c.ranges import domain
from vouch.c.ranges.state import SUM, counted
from vouch.c.ranges.state import implied_sum as implied

if TYPE_CHECKING:
    from vouch.c.ranges.memory import RangeMemory

Cell = tuple[str, int, int]
Ends = tuple[int | None, int | None]
_MOST = 12  # sums of a function
_LONGEST = 6  # instructions between a load and the store of what was moved


class CountedSum(NamedTuple):
    """`x` and `i` are cells, each with the reading that it is moved in: signed (`s`) or unsigned (`u`)."""

    x: tuple[str, Cell]
    i: tuple[str, Cell]
    rate: int


# ---------------------------------------------------------------- which there are


def sums(
    function: Function, graph: FlowGraph, defs: dict[str, Instruction], sizes: dict[str, int]
) -> dict[str, list[CountedSum]]:
    """The sums that loops of a function suggest, by each of their two variables; `sizes` are its locals."""
    found: dict[CountedSum, None] = {}
    bodies = {head: loop_body(graph, head) for head in graph.heads}
    for head, body in bodies.items():
        inner: set[str] = set()
        for other, blocks in bodies.items():
            inner |= blocks if other != head and other in body else set()
        moves = _moves(function, defs, sizes, body, inner)
        for i, steps in moves.items():
            if len(steps) != 1:
                continue
            step = steps[0]
            for x, moved in moves.items():
                for amount in (sum(m for m in moved if m > 0), sum(m for m in moved if m < 0)):
                    if x != i and amount:
                        found[CountedSum(x, i, amount if step > 0 else -amount)] = None
    by_name: dict[str, list[CountedSum]] = {}
    for made in list(found)[:_MOST]:
        for _, cell in (made.x, made.i):
            by_name.setdefault(cell[0], []).append(made)
    return by_name


def loop_body(graph: FlowGraph, head: str) -> set[str]:
    """The blocks of a loop."""
    found = {head}
    work = [b for b in graph.predecessors[head] if graph.number[b] >= graph.number[head]]
    while work:
        label = work.pop()
        if label not in found:
            found.add(label)
            work += graph.predecessors[label]
    return found


def _moves(
    function: Function,
    defs: dict[str, Instruction],
    sizes: dict[str, int],
    body: set[str],
    inner: set[str],
) -> dict[tuple[str, Cell], list[int]]:
    """The amounts that a loop moves variables by, but for those that it also changes otherwise."""
    found: dict[tuple[str, Cell], list[int]] = {}
    spoilt: set[str] = set()
    for label in body:
        for instruction in function.blocks[label].instructions:
            if not isinstance(instruction, Store) or not isinstance(instruction.pointer, Register):
                continue
            name = f"%{instruction.pointer.name}"
            kind = getattr(instruction.value, "type", None)
            moved = _moved(defs, instruction)
            if moved is None or label in inner or not isinstance(kind, IntType) or name not in sizes:
                spoilt.add(name)
            elif kind.bits == 8 * sizes[name]:
                found.setdefault((moved[0], (name, 0, sizes[name])), []).append(moved[1])
    names = [cell[0] for _, cell in found]
    return {v: m for v, m in found.items() if v[1][0] not in spoilt and names.count(v[1][0]) == 1}


def _moved(defs: dict[str, Instruction], store: Store) -> tuple[str, int] | None:
    """How a store moves the variable that it writes: the reading, and the amount."""
    value: Operand = store.value
    reading, amount = "u", 0
    for _ in range(_LONGEST):
        made = defs.get(value.name) if isinstance(value, Register) else None
        match made:
            case Load(pointer=pointer):
                return (reading, amount) if pointer == store.pointer and amount else None
            case Binary(op="add" | "sub" as op, left=left, right=IntConstant() as step):
                value, amount = left, amount + _signed(op, step)
            case Cast(op="trunc" | "zext" | "sext" as op, value=inner):
                value, reading = inner, {"zext": "u", "sext": "s"}.get(op, reading)
            case Extract(aggregate=Register() as pair, indices=(0,)):
                made = defs.get(pair.name)
                if not isinstance(made, Call) or len(made.arguments) != 2:
                    return None
                name = getattr(made.callee, "name", "")
                left, right = made.arguments
                if not name.startswith(("llvm.sadd.", "llvm.ssub.")) or not isinstance(right, IntConstant):
                    return None
                value, amount, reading = left, amount + _signed(name[6:9], right), "s"
            case _:
                return None
    return None


def _signed(op: str, step: IntConstant) -> int:
    number = domain.const(step.value, step.type.bits)[0]
    return number if op == "add" else -number


# ---------------------------------------------------------------- states


def before_store(at: RangeMemory, store: Store, cell: tuple[Any, ...]) -> dict[CountedSum, Ends]:
    """What the sums of a cell will be once it is written."""
    from_forms: dict[str, int | None] = {}
    found: dict[CountedSum, Ends] = {}
    for made in at.frame.sums.get(cell[0], ()):
        held = at.state.get((SUM, made))
        if held is None or cell not in (made.x[1], made.i[1]):
            continue
        reading = (made.x if made.x[1] == cell else made.i)[0]
        if reading not in from_forms:
            from_forms[reading] = at.step_of(store.value, reading, cell)
        step = from_forms[reading]
        if step is None:
            continue
        by = step if made.x[1] == cell else -made.rate * step
        lo, hi = held[0]
        found[made] = (None if lo is None else lo + by, None if hi is None else hi + by)
    return found


def after_store(at: RangeMemory, cell: tuple[Any, ...], moved: dict[CountedSum, Ends]) -> None:
    """The cell is written, and its sums were forgotten."""
    for made in at.frame.sums.get(cell[0], ()):
        ends = met(moved.get(made, (None, None)), implied(at.state, made))
        if ends != (None, None):
            at.writable()[SUM, made] = (ends,)


def met(a: Ends, b: Ends) -> Ends:
    """What holds if both do."""
    los = [e for e in (a[0], b[0]) if e is not None]
    his = [e for e in (a[1], b[1]) if e is not None]
    return max(los, default=None), min(his, default=None)


def forget(at: RangeMemory, name: str) -> None:
    """A variable gets a new content."""
    for made in at.frame.sums.get(name, ()):
        if (SUM, made) in at.state:
            del at.writable()[SUM, made]


def limits(at: RangeMemory, cell: tuple[Any, ...], reading: str) -> Ends:
    """What the sums of a cell say of it."""
    found: Ends = (None, None)
    for made in at.frame.sums.get(cell[0], ()):
        held = at.state.get((SUM, made))
        if held is None or made.x != (reading, cell):
            continue
        least, most = counted(at.state, made)
        lo, hi = held[0]
        found = met(
            found,
            (
                None if lo is None or least is None else lo + made.rate * least,
                None if hi is None or most is None else hi + made.rate * most,
            ),
        )
    return found
