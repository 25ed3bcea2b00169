"""What the executor wants to know about a function's control flow, computed once per function.

The blocks are put into a weak topological order (Bourdoncle): every edge goes forward, or back to the head
of a component that contains its source. That holds for irreducible flow too, so loops need no special shape.
"""

from __future__ import annotations

from dataclasses import field

from vouch.c import ir
from vouch.c.flow.components import components
from vouch.c.flow.graph import successors
from vouch.c.flow.handlers import handler_blocks
from vouch.c.flow.liveness import liveness
from vouch.record import record


@record
class Loop:
    """A component of the order. `blocks` includes the head and inner loops' blocks."""

    head: str
    name: str
    blocks: frozenset[str]
    location: ir.Location | None
    body: list[str | Loop] = field(default_factory=list)  # in order, without the head


@record
class Flow:
    """`order` nests loops; `live` tells for each block which registers its start still needs."""

    function: ir.Function
    order: list[str | Loop]
    loops: dict[str, Loop]  # by head
    successors: dict[str, tuple[str, ...]]
    live: dict[str, frozenset[str]]
    handlers: dict[str, str]  # block that only calls a sanitizer handler -> where it goes on
    enclosing: dict[str, tuple[str, ...]]  # block -> heads of the loops around it, outermost first
    fixed: frozenset[str]  # registers that have one value in the whole activation
    tests: dict[str, tuple[ir.Operand, ...]]  # block -> what decides where it goes: values, places read from
    joined: dict[str, tuple[str, ...]]  # block that branches on a phi (`&&`, `||`) -> the blocks that feed it


def loops_of(function: ir.Function) -> dict[str, Loop]:
    """Its loops by their heads, for those who want nothing else."""
    after = {label: successors(block.terminator) for label, block in function.blocks.items()}
    return _order(function, next(iter(function.blocks)), after)[1]


def analyse(function: ir.Function) -> Flow:
    after = {label: successors(block.terminator) for label, block in function.blocks.items()}
    entry = next(iter(function.blocks))
    order, loops = _order(function, entry, after)
    enclosing: dict[str, tuple[str, ...]] = {}
    _note_enclosing(order, (), enclosing)
    fixed = _fixed(function, entry)
    live = {label: names - fixed for label, names in liveness(function, after).items()}
    handlers = handler_blocks(function)
    tests, joined = _tests(function)
    return Flow(function, order, loops, after, live, handlers, enclosing, fixed, tests, joined)


def _fixed(function: ir.Function, entry: str) -> frozenset[str]:
    """Parameters, and what the entry block allocates (nothing jumps back to an entry block)."""
    allocas = (i.result for i in function.blocks[entry].instructions if isinstance(i, ir.Alloca))
    return frozenset([*(p.name for p in function.parameters), *(name for name in allocas if name)])


def _tests(
    function: ir.Function,
) -> tuple[dict[str, tuple[ir.Operand, ...]], dict[str, tuple[str, ...]]]:
    tests: dict[str, tuple[ir.Operand, ...]] = {}
    joined: dict[str, tuple[str, ...]] = {}
    for label, block in function.blocks.items():
        last = block.terminator
        if not isinstance(last, ir.Branch):
            continue
        roots = [last.condition]
        if last.condition is None:
            roots = [value for value, source in _phi_inputs(function.blocks[last.then]) if source == label]
        made = {i.result: i for i in block.instructions if i.result is not None}
        watched = [operand for root in roots for operand in _looked_at(root, made)]
        if watched:
            tests[label] = tuple(watched)
        if isinstance(last.condition, ir.Register):
            test = made.get(last.condition.name)
            if isinstance(test, ir.Phi):
                joined[label] = tuple(source for _, source in test.incoming)
    return tests, joined


def _phi_inputs(block: ir.Block) -> list[tuple[ir.Operand, str]]:
    return [pair for i in block.instructions if isinstance(i, ir.Phi) for pair in i.incoming]


def _looked_at(root: ir.Operand | None, made: dict[str, ir.Instruction]) -> list[ir.Operand]:
    """What a condition compares, and where in memory that was read, as far as its own block tells."""
    found: list[ir.Operand] = []
    work = [root]
    while work:
        operand = work.pop()
        if not isinstance(operand, ir.Register):
            continue
        match made.get(operand.name):
            case ir.Compare() as test:
                sides = [test.left, test.right]
                found += [side for side in sides if isinstance(side, ir.Register)]
                work += sides
            case ir.Binary(op="and" | "or" | "xor") as logic:
                work += [logic.left, logic.right]
            case ir.Cast() as cast:
                work.append(cast.value)
            case ir.Load() as load:
                found.append(load.pointer)
    return found


def _note_enclosing(
    order: list[str | Loop], around: tuple[str, ...], out: dict[str, tuple[str, ...]]
) -> None:
    for element in order:
        if isinstance(element, Loop):
            inner = (*around, element.head)
            out[element.head] = inner
            _note_enclosing(element.body, inner, out)
        else:
            out[element] = around


def _order(
    function: ir.Function, entry: str, after: dict[str, tuple[str, ...]]
) -> tuple[list[str | Loop], dict[str, Loop]]:
    position = {label: i for i, label in enumerate(function.blocks)}
    loops: dict[str, Loop] = {}

    def arrange(nodes: frozenset[str], start: str) -> list[str | Loop]:
        result: list[str | Loop] = []
        for component in reversed(components([start], after, nodes)):
            if len(component) == 1 and component[0] not in after[component[0]]:
                result.append(component[0])
                continue
            members = frozenset(component)
            head = component[-1]  # where control entered first
            location = _location_of(function.blocks[head], function)
            loop = Loop(head, "", members, location)
            loops[head] = loop
            inner = members - {head}
            # Every member is reachable from the head, so each part left without it hangs below one of these.
            pending = sorted(inner, key=position.__getitem__)
            seen: set[str] = set()
            starts = [s for s in after[head] if s in inner] + pending
            body: list[str | Loop] = []
            parts: list[list[str | Loop]] = []
            for candidate in starts:
                if candidate in seen:
                    continue
                part = arrange(inner - seen, candidate)
                for element in part:
                    seen.update(element.blocks if isinstance(element, Loop) else (element,))
                parts.append(part)
            # Depth first from several starts yields reverse finishing orders: later starts come first.
            for part in reversed(parts):
                body.extend(part)
            loop.body = body
            result.append(loop)
        return result

    order = arrange(frozenset(after), entry)
    for number, head in enumerate(sorted(loops, key=position.__getitem__), 1):
        loops[head].name = f"{function.name}.loop.{number}"
    return order, loops


def _location_of(block: ir.Block, function: ir.Function) -> ir.Location | None:
    for instruction in block.instructions:
        if instruction.location is not None:
            return instruction.location
    return function.location
