"""What the executor wants to know about a function's control flow, computed once per function.

The blocks are put into a weak topological order (Bourdoncle): every edge goes forward, or back to the head
of a component that contains its source. That holds for irreducible flow too, so loops need no special shape.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vouch.c import ir


@dataclass(slots=True)
class Loop:
    """A component of the order. `blocks` includes the head and inner loops' blocks."""

    head: str
    name: str
    blocks: frozenset[str]
    location: ir.Location | None
    body: list[str | Loop] = field(default_factory=list)  # in order, without the head


@dataclass(slots=True)
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


def successors(instruction: ir.Instruction) -> tuple[str, ...]:
    match instruction:
        case ir.Branch(condition=None):
            return (instruction.then,)
        case ir.Branch():
            other = instruction.otherwise
            assert other is not None
            return (instruction.then,) if instruction.then == other else (instruction.then, other)
        case ir.Switch():
            return tuple(dict.fromkeys([instruction.default, *(label for _, label in instruction.cases)]))
        case ir.Invoke():
            return (instruction.normal, instruction.unwind)
        case ir.IndirectBranch():
            return tuple(dict.fromkeys(instruction.targets))
        case _:
            return ()


def may_follow(function: ir.Function, terminator: ir.Instruction) -> tuple[str, ...]:
    """Like `successors`; a terminator that the reader did not understand may go anywhere, but for the end of
    an exception's way through the function."""
    if isinstance(terminator, ir.Opaque) and not terminator.text.startswith("resume "):
        return tuple(function.blocks)
    return successors(terminator)


def analyse(function: ir.Function) -> Flow:
    after = {label: successors(block.terminator) for label, block in function.blocks.items()}
    entry = next(iter(function.blocks))
    order, loops = _order(function, entry, after)
    enclosing: dict[str, tuple[str, ...]] = {}
    _note_enclosing(order, (), enclosing)
    fixed = _fixed(function, entry)
    live = {label: names - fixed for label, names in _liveness(function, after).items()}
    handlers = _handlers(function)
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


def _components(nodes: frozenset[str], entry: str, after: dict[str, tuple[str, ...]]) -> list[list[str]]:
    """Strongly connected components of the part reachable from `entry`, in topological order (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    work: list[tuple[str, int]] = [(entry, 0)]
    while work:
        node, position = work.pop()
        if position == 0:
            index[node] = low[node] = len(index)
            stack.append(node)
            on_stack.add(node)
        targets = after[node]
        descended = False
        for i in range(position, len(targets)):
            target = targets[i]
            if target not in nodes:
                continue
            if target not in index:
                work.append((node, i + 1))
                work.append((target, 0))
                descended = True
                break
            if target in on_stack:
                low[node] = min(low[node], index[target])
        if descended:
            continue
        if low[node] == index[node]:
            component = []
            while True:
                member = stack.pop()
                on_stack.discard(member)
                component.append(member)
                if member == node:
                    break
            found.append(component)
        if work:
            parent = work[-1][0]
            low[parent] = min(low[parent], low[node])
    found.reverse()
    return found


def _order(
    function: ir.Function, entry: str, after: dict[str, tuple[str, ...]]
) -> tuple[list[str | Loop], dict[str, Loop]]:
    position = {label: i for i, label in enumerate(function.blocks)}
    loops: dict[str, Loop] = {}

    def arrange(nodes: frozenset[str], start: str) -> list[str | Loop]:
        result: list[str | Loop] = []
        for component in _components(nodes, start, after):
            if len(component) == 1 and component[0] not in after[component[0]]:
                result.append(component[0])
                continue
            members = frozenset(component)
            # Tarjan pops the root last: it is where control entered first.
            head = component[-1]
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


def operands(instruction: ir.Instruction) -> tuple[ir.Operand, ...]:
    """Every operand an instruction reads, phis included."""
    match instruction:
        case ir.Load():
            return (instruction.pointer,)
        case ir.Store():
            return (instruction.value, instruction.pointer)
        case ir.GetElementPtr():
            return (instruction.base, *instruction.indices)
        case ir.Binary() | ir.Compare() | ir.Shuffle():
            return (instruction.left, instruction.right)
        case ir.Unary() | ir.Cast() | ir.DebugValue():
            return (instruction.value,)
        case ir.Select():
            return (instruction.condition, instruction.then, instruction.otherwise)
        case ir.Phi():
            return tuple(value for value, _ in instruction.incoming)
        case ir.Call():
            return (instruction.callee, *instruction.arguments)
        case ir.Extract():
            return (instruction.aggregate,)
        case ir.Insert():
            return (instruction.aggregate, instruction.value)
        case ir.ExtractElement():
            return (instruction.vector, instruction.index)
        case ir.InsertElement():
            return (instruction.vector, instruction.value, instruction.index)
        case ir.VaArg():
            return (instruction.list,)
        case ir.AtomicUpdate():
            return (instruction.pointer, instruction.value)
        case ir.CompareExchange():
            return (instruction.pointer, instruction.expected, instruction.replacement)
        case ir.Return():
            return () if instruction.value is None else (instruction.value,)
        case ir.Branch():
            return () if instruction.condition is None else (instruction.condition,)
        case ir.Switch():
            return (instruction.value,)
        case ir.IndirectBranch():
            return (instruction.address,)
        case ir.Alloca():
            return (instruction.count,)
        case _:
            return ()


def _liveness(function: ir.Function, after: dict[str, tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """Registers needed at the start of each block (phi results excluded; a phi's operands are live at the end
    of the predecessor they come from)."""
    uses: dict[str, set[str]] = {}
    definitions: dict[str, set[str]] = {}
    edge_uses: dict[str, set[str]] = {label: set() for label in function.blocks}
    for label, block in function.blocks.items():
        used: set[str] = set()
        defined: set[str] = set()
        for instruction in block.instructions:
            if isinstance(instruction, ir.Phi):
                for value, source in instruction.incoming:
                    if isinstance(value, ir.Register) and source in edge_uses:
                        edge_uses[source].add(value.name)
            else:
                for operand in operands(instruction):
                    if isinstance(operand, ir.Register) and operand.name not in defined:
                        used.add(operand.name)
            if instruction.result is not None:
                defined.add(instruction.result)
        uses[label], definitions[label] = used, defined
    live: dict[str, set[str]] = {label: set(uses[label]) for label in function.blocks}
    before: dict[str, list[str]] = {label: [] for label in function.blocks}
    for label, targets in after.items():
        for target in targets:
            before[target].append(label)
    work = list(reversed(function.blocks))
    waiting = set(work)
    while work:
        label = work.pop(0)
        waiting.discard(label)
        out = set(edge_uses[label])
        for target in after[label]:
            out |= live[target]
        new = uses[label] | (out - definitions[label])
        if len(new) > len(live[label]):
            live[label] = new
            for source in before[label]:
                if source not in waiting:
                    waiting.add(source)
                    work.append(source)
    # What an edge must carry: live at the target, or feeding one of its phis.
    return {
        label: frozenset(live[label] | _phi_registers(function.blocks[label])) for label in function.blocks
    }


def _phi_registers(block: ir.Block) -> set[str]:
    names: set[str] = set()
    for instruction in block.instructions:
        if not isinstance(instruction, ir.Phi):
            break
        names.update(v.name for v, _ in instruction.incoming if isinstance(v, ir.Register))
    return names


def is_handler_call(instruction: ir.Instruction) -> bool:
    return (
        isinstance(instruction, ir.Call)
        and isinstance(instruction.callee, ir.GlobalConstant)
        and instruction.callee.name.startswith("__ubsan_handle_")
    )


def _handlers(function: ir.Function) -> dict[str, str]:
    found: dict[str, str] = {}
    for label, block in function.blocks.items():
        last = block.terminator
        if not (isinstance(last, ir.Branch) and last.condition is None):
            continue
        body = block.instructions[:-1]
        if any(is_handler_call(i) for i in body) and all(
            is_handler_call(i) or (isinstance(i, ir.Cast) and i.nosanitize) for i in body
        ):
            target = function.blocks[last.then]
            # The handler's block must not matter to the value of a phi that is not about the handler itself.
            if not any(isinstance(i, ir.Phi) for i in target.instructions):
                found[label] = last.then
    return found
