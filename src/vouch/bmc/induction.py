"""Loops without a bound, by induction on each loop for itself.

A loop runs `k` iterations from where it is entered (base). Then everything it may change becomes arbitrary,
within the ranges that preprocessing knows; `k` more iterations run in which the checks are assumed to hold,
and one in which they are claimed again (step). The back edge after that is dropped without loss: any later
iteration looks like the last one. What leaves the loop in any of these iterations goes on as usual.

The assumption covers only checks in `Induction.trusted`. It is sound when none of those is violated
anywhere in the resulting equation; the caller takes the violated ones out and tries again until that is so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from vouch.bmc import shadow
from vouch.bmc.changed import Changed, ChangedByLoop
from vouch.bmc.contents import Cell, Contents, partly_written
from vouch.bmc.environment.reach import Root
from vouch.bmc.execution import Execution, Induction, Phase, Place
from vouch.bmc.frame import Frame, name_of
from vouch.bmc.state import ANY_TURN, Edge, State, join_states, join_values
from vouch.bmc.value import Kind, MemObject, Pointer, Target, Value
from vouch.c import ir
from vouch.c.flow.order import Loop
from vouch.errors import Unsupported
from vouch.record import record
from vouch.smt import term as T
from vouch.smt.term import Term

ROUNDS = 6  # attempts to find out what a loop changes
MOST_POINTEES = 8  # objects that a pointer which a loop changes is followed to
_POINTERS = "induction over a loop that changes pointers at variable places"
_MANY = "induction over a loop that changes a pointer to many objects"
WHOLE = -1  # in place of an offset: the object as a whole
LIFE = -2  # in place of an offset: whether it exists


_PARTLY: Cell = (0, T.TRUE, T.TRUE)  # for the whole: some bytes may be uninitialised
Changes = dict[MemObject, dict[int, Cell | None]]  # offset -> a cell as the loop leaves it


@record
class _Pointees:
    """What a pointer that the loop changes may lead to: objects that were there before; `outside`: some more
    from outside, `own`: whatever there is, be it made by an earlier turn, freed or null."""

    objects: dict[MemObject, None] = field(default_factory=dict)
    outside: bool = False
    own: bool = False

    def add(self, ex: Execution, pointee: MemObject, born: int) -> bool:
        """One more, False where it is nothing new. Objects with a number above `born` came about in the turn
        itself: the next turn makes others, which are not known."""
        if pointee in self.objects:
            return False
        if pointee.kind is Kind.DEVICE:  # at any address, some of which are no device's
            grown, self.own = not self.own, True
            return grown
        if pointee.id <= born or pointee.kind not in (Kind.STACK, Kind.HEAP, Kind.OUTSIDE):
            self.objects[pointee] = None
            return True
        environment = ex.context.environment
        trusted = pointee.kind is Kind.OUTSIDE and pointee not in environment.suspects
        if trusted and pointee.size is None and environment.trusted and not environment.strict:
            # Valid by contract, as long as the program stores no pointers of its own there: see `_more`.
            grown, self.outside = not (self.outside or self.own), True
        else:
            grown, self.own = not self.own, True
        return grown


@record
class Growth:
    """What turns of a loop change: memory, and what the pointers among it lead to. `frees`: objects from
    outside may be gone; `newborn`: the last turn changed some that came about in it."""

    changes: Changes = field(default_factory=dict)
    targets: dict[tuple[MemObject, int], _Pointees] = field(default_factory=dict)
    frees: bool = False
    newborn: bool = False

    def add(self, ex: Execution, before: State, after: State, born: int) -> bool:
        """Add what a turn changed; False when nothing is new. Objects up to the number `born` were there
        before it."""
        grown = self.newborn = False
        companions = {made: held for held, made in ex.companions.items()}
        for target, new in after.memory.items():
            old = before.memory.get(target)
            if new is old or (old is None and _new(target, companions, born)):
                continue
            ended = new.alive is not (T.TRUE if old is None else old.alive)
            if ended and target.kind is Kind.OUTSIDE and not self.frees:
                grown = self.frees = True
            if target.kind is Kind.OUTSIDE and target.id > born:
                self.newborn = True
                continue
            known = self.changes.setdefault(target, {})
            if ended and LIFE not in known:
                known[LIFE] = None
                grown = True
            if WHOLE in known:
                if known[WHOLE] is not _PARTLY and partly_written(target, new):
                    known[WHOLE] = _PARTLY
                    grown = True
            else:
                grown |= self._cells(ex, target, old, new, known, born)
        return grown

    def _cells(
        self,
        ex: Execution,
        target: MemObject,
        old: Contents | None,
        new: Contents,
        known: dict[int, Cell | None],
        born: int,
    ) -> bool:
        grown = False
        for offset in _changed(old, new):
            cell = new.cells.get(offset)
            if offset == WHOLE and (partly_written(target, old) or partly_written(target, new)):
                cell = _PARTLY
            if offset not in known:
                known[offset] = cell
                grown = True
            if cell is not None and isinstance(cell[1], Pointer):
                seen = self.targets.setdefault((target, offset), _Pointees())
                earlier = old.cells.get(offset) if old is not None else None
                pointers = [cell[1]]
                if earlier is not None and isinstance(earlier[1], Pointer):
                    pointers.append(earlier[1])
                for pointer in pointers:
                    for _, pointee, _ in pointer.targets:
                        grown |= seen.add(ex, pointee, born)
        return grown


def _new(target: MemObject, companions: dict[MemObject, MemObject], born: int) -> bool:
    """Whether the next turn has another object in its place. What models keep beside an object comes about
    with its first use, but lives as long as the object."""
    held = companions.get(target)
    return target.kind in (Kind.STACK, Kind.HEAP) and (held is None or held.id > born)


def run_loop(
    ex: Execution, frame: Frame, loop: Loop, returns: list[Edge], plan: Induction, heads: Iterable[State]
) -> None:
    """The rest of a loop whose first iterations (the base) have run, from these states."""
    plan.generalised = True
    edges = frame.pending.pop(loop.head, None)
    _drop(frame, loop)
    if not edges:
        return
    entry = _joined(ex, frame, loop, edges)
    if entry.state.guard.dead:
        return
    start = _generalised(ex, frame, loop, returns, entry, plan, heads)
    frame.pending[loop.head] = [start]
    outer = ex.phase
    if outer is Phase.CLAIM:
        ex.phase = Phase.ASSUME
    try:
        for _ in range(max(plan.k, 0)):
            _stay(ex, frame, loop, returns)
    finally:
        ex.phase = outer
    ex.run_iteration(frame, loop, returns)
    frame.pending.pop(loop.head, None)
    _drop(frame, loop)


def _stay(ex: Execution, frame: Frame, loop: Loop, returns: list[Edge]) -> None:
    """An iteration that is followed by another: what leaves the loop here is covered by the base or by the
    last iteration of the step."""
    outside = {label: list(edges) for label, edges in frame.pending.items() if label not in loop.blocks}
    count = len(returns)
    ex.run_iteration(frame, loop, returns)
    del returns[count:]
    back = frame.pending.get(loop.head)
    frame.pending = outside
    if back:
        frame.pending[loop.head] = back


def _drop(frame: Frame, loop: Loop) -> None:
    for label in loop.blocks:
        frame.pending.pop(label, None)


def _joined(ex: Execution, frame: Frame, loop: Loop, edges: list[Edge]) -> Edge:
    """One edge for all back edges; phis of the head get one arbitrary value later."""
    state, conditions = join_states(ex.memory, [edge.state for edge in edges])
    if len(edges) == 1:
        return edges[0]
    registers: dict[str, Value] = {}
    for name in frame.flow.live[loop.head]:
        values = [edge.registers[name] for edge in edges if name in edge.registers]
        if len(values) == len(edges):
            registers[name] = join_values(conditions, values)
    registers.update(shadow.joined(edges, frame.flow.live[loop.head], conditions))
    return Edge(state, registers, edges[0].source)


def _generalised(
    ex: Execution,
    frame: Frame,
    loop: Loop,
    returns: list[Edge],
    entry: Edge,
    plan: Induction,
    heads: Iterable[State],
) -> Edge:
    """The state at the head with everything that an iteration changes made arbitrary: those of the base too,
    since the iterations that follow it rest on them."""
    growth, first = Growth(), MemObject.newest()
    for before in heads:
        growth.add(ex, before, entry.state, first)
    quiet = 0
    for _ in range(ROUNDS):
        newest, exposed, made = MemObject.newest(), _exposed(ex, first), len(ex.memory.pointers)
        start = _havoc(ex, frame, loop, entry, growth, plan)
        after = _trial(ex, frame, loop, returns, start)
        grown = after is not None and growth.add(ex, start.state, after, newest)
        ex.memory.drop_pointers(made)
        _forget(ex, entry.state, newest)
        quiet = 0 if grown or _exposed(ex, first) != exposed else quiet + 1
        # What came about in this turn and was changed there may be there in the next turn, or not.
        if quiet > growth.newborn:
            return _havoc(ex, frame, loop, entry, growth, plan)
    raise Unsupported(f"induction over loop {loop.name}: what it changes could not be found out")


def _forget(ex: Execution, state: State, born: int) -> None:
    """What came about in a turn for trial, and nothing leads to that was there before, is gone with it."""
    environment = ex.context.environment
    if environment.typed or not any(held.id > born for held in environment.objects):
        return
    there = [o for o in (*environment.objects, *ex.context.globals.values(), *state.memory) if o.id <= born]
    roots = [Root(Pointer.to(held, ex.context.zero_offset)) for held in dict.fromkeys(there)]
    kept = environment.reach(state.memory, [*roots, *map(Root, ex.memory.pointers.values())]).seen
    environment.forget({held for held in environment.objects if held.id > born and held not in kept})


def _exposed(ex: Execution, first: int) -> tuple[int, int, bool]:
    """How much of what was there before the loop unknown pointers may lead to: more of it makes a turn do
    more."""
    environment = ex.context.environment
    known = sum(held.id <= first for held in environment.known.seen)
    return known, sum(held.id <= first for held in environment.leaked), environment.stores_own


def _trial(ex: Execution, frame: Frame, loop: Loop, returns: list[Edge], start: Edge) -> State | None:
    """Run one iteration for its effect on memory alone. The state on the back edge, None where it never
    comes."""
    pending = {label: list(edges) for label, edges in frame.pending.items()}
    count = len(returns)
    outer, ex.phase = ex.phase, Phase.TRIAL
    mark = ex.mark()
    try:
        frame.pending = {
            loop.head: [Edge(start.state.fork(start.state.guard), dict(start.registers), start.source)]
        }
        ex.run_iteration(frame, loop, returns)
        back = frame.pending.get(loop.head)
    finally:
        ex.phase = outer
        ex.rewind(mark)
        frame.pending = pending
        del returns[count:]
    if not back:
        return None
    state, _ = join_states(ex.memory, [edge.state for edge in back])
    return state


def _changed(old: Contents | None, new: Contents) -> set[int]:
    before = old if old is not None else Contents()
    if new.array is not before.array or new.initial is not before.initial or new.alive is not before.alive:
        return {WHOLE}
    found = {offset for offset, cell in new.cells.items() if before.cells.get(offset) != cell}
    found |= {offset for offset in before.cells if offset not in new.cells}
    for offset in found:
        cell, earlier = new.cells.get(offset), before.cells.get(offset)
        if cell is None or (earlier is not None and earlier[0] != cell[0]):
            return {WHOLE}  # cells of another shape
    return found


def _havoc(
    ex: Execution,
    frame: Frame,
    loop: Loop,
    entry: Edge,
    growth: Growth,
    plan: Induction,
) -> Edge:
    state = entry.state.fork(entry.state.guard)
    for target, offsets in growth.changes.items():
        old = state.memory.get(target)
        if WHOLE in offsets:
            new = Contents(None, _changed_whole(ex, state, offsets[WHOLE] is _PARTLY))
            new.alive = T.TRUE if old is None else old.alive
            if LIFE in offsets:
                new.alive = T.fresh(f"{target.name}.alive", T.BOOL)
            state.memory[target] = new
            continue
        new = Contents() if old is None else old.copy()
        for offset, sample in offsets.items():
            assert sample is not None
            _havoc_cell(ex, frame, loop, state, target, new, offset, sample, growth, plan)
        state.memory[target] = new
    _assume_relations(ex, frame, loop, state, plan)
    return Edge(state, {**entry.registers, **_carried(ex, frame, loop, entry)}, ANY_TURN)


def _carried(ex: Execution, frame: Frame, loop: Loop, entry: Edge) -> dict[str, Value]:
    """Arbitrary values for the registers that the loop's head joins, whichever turn they come from: also
    where that turn would have given a constant."""
    found: dict[str, Value] = {}
    for phi in frame.function.blocks[loop.head].instructions:
        if not isinstance(phi, ir.Phi):
            break
        if isinstance(phi.type, ir.PointerType):
            raise Unsupported("induction over a loop that carries a pointer in a register")
        operands = (operand for operand, _ in phi.incoming if isinstance(operand, ir.Register))
        if any(name_of(operand.name) in entry.registers for operand in operands):
            raise Unsupported("induction over a loop that carries a struct in a register")
        assert phi.result is not None
        found[phi.result] = ex.context.fresh(phi.type, phi.result)
    return found


def _havoc_cell(
    ex: Execution,
    frame: Frame,
    loop: Loop,
    state: State,
    target: MemObject,
    new: Contents,
    offset: int,
    sample: Cell,
    growth: Growth,
    plan: Induction,
) -> None:
    size, value, undefined = sample
    type_ = ex.memory.type_of(value, size)
    value, missing = ex.memory.read(target, new, offset, type_)
    clear = undefined is T.FALSE and missing is T.FALSE
    bad = T.FALSE if clear else T.fresh(f"{target.name}.undefined", T.BOOL)
    if (target, offset) in growth.targets or isinstance(value, Pointer):
        found = growth.targets.get((target, offset), _Pointees())
        found.own |= found.outside and growth.frees
        pointees = dict(found.objects)
        if isinstance(value, Pointer):
            pointees.update({pointee: None for _, pointee, _ in value.targets})
        more = _more(ex, state, target, found, pointees)
        kept = () if more is not None and found.own else tuple(pointees)
        new.cells[offset] = (ex.context.pointer_bits // 8, _any_of(ex, target, kept, more), bad)
        return
    fresh = ex.context.fresh(type_, f"{target.name}.any")
    new.cells[offset] = (size, fresh, bad)
    if plan.invariants is not None and isinstance(fresh, Term) and target in frame.objects:
        _assume_range(ex, loop, state, target, offset, fresh, plan)


def _changed_whole(ex: Execution, state: State, partly: bool) -> Changed:
    """An object that may hold anything; where pointers of all types are taken to lead everywhere, also any
    pointer."""
    if ex.context.environment.typed:
        return Changed(ex.context, partly, _POINTERS)
    return ChangedByLoop(ex.context, partly, _expose(ex, state), _POINTERS)


def _expose(ex: Execution, state: State, *more: MemObject) -> list[MemObject]:
    """From now on a pointer that nobody knows may lead to all that the program can have stored the address
    of. Which objects these are."""
    own = (o for o in state.memory if o.kind in (Kind.STACK, Kind.HEAP) and not o.dead and ex.escapes(o))
    found = list(dict.fromkeys((*own, *more)))
    ex.context.environment.leaked.update(dict.fromkeys(found))
    return found


def _more(
    ex: Execution,
    state: State,
    target: MemObject,
    found: _Pointees,
    pointees: dict[MemObject, None],
) -> Pointer | None:
    """A pointer for what a loop's pointer may lead to beside these objects, None for nothing. Whatever the
    types say, where it may be anything of the program's own."""
    environment = ex.context.environment
    found.own |= len(pointees) > MOST_POINTEES or (found.outside and environment.stores_own)
    if not found.own and not found.outside:
        return None
    if environment.typed:
        many = len(pointees) > MOST_POINTEES
        raise Unsupported(_MANY if many else "induction over a loop that leads from object to object")
    name = f"{target.name}.any"
    if not found.own:
        return environment.pointer(None, name, strict=False)
    _expose(ex, state, *(o for o in pointees if o.kind in (Kind.STACK, Kind.HEAP, Kind.GLOBAL)))
    return environment.any_pointer(None, name)


def _any_of(
    ex: Execution, target: MemObject, pointees: Sequence[MemObject], more: Pointer | None = None
) -> Pointer:
    """One of these, or what `more` leads to, at any place in it."""
    made: list[Target] = []
    remaining: Term = T.TRUE
    for position, pointee in enumerate(pointees):
        last = position == len(pointees) - 1 and more is None
        chosen = T.TRUE if last else T.fresh(f"{target.name}.points", T.BOOL)
        made.append((T.and_(remaining, chosen), pointee, _anywhere(ex, target, pointee)))
        remaining = T.and_(remaining, T.not_(chosen))
    known = {pointee for _, pointee, _ in made}
    for guard, pointee, _ in more.targets if more is not None else ():
        if pointee in known:  # at any place already, under the guards above
            merged = [(T.or_(g, T.and_(remaining, guard)) if o is pointee else g, o, at) for g, o, at in made]
            made = merged
        else:
            made.append((T.and_(remaining, guard), pointee, _anywhere(ex, target, pointee)))
    return Pointer(tuple(made))


def _anywhere(ex: Execution, target: MemObject, pointee: MemObject) -> Term:
    if pointee.kind in (Kind.NULL, Kind.FUNCTION):
        return ex.context.zero_offset
    return T.fresh(f"{target.name}.at", T.bitvec(ex.context.pointer_bits))


def _assume_range(
    ex: Execution, loop: Loop, state: State, target: MemObject, offset: int, value: Term, plan: Induction
) -> None:
    """What ranges say of a variable of the activation that the loop is in: of those of its callers they speak
    at other places, if under the same label."""
    name = plan.names.get(target)
    if name is None or plan.invariants is None or value.sort is T.BOOL:
        return
    if ex.context.float_type(value.sort) is not None:
        return
    known = plan.invariants.of(name[0], loop.head, name[1], offset, value.width // 8)
    if known is None:
        return
    low, high, least, most = (T.bv(bound, value.width) for bound in known[:4])
    inside = T.and_(T.sle(low, value), T.sle(value, high), T.ule(least, value), T.ule(value, most))
    state.guard = state.guard.and_(inside)


def _assume_relations(ex: Execution, frame: Frame, loop: Loop, state: State, plan: Induction) -> None:
    """What preprocessing knows of differences between variables of the activation that the loop is in."""
    if plan.invariants is None:
        return
    related = plan.invariants.relations(frame.function.name, loop.head)
    mine = {plan.names[made][1]: made for made in frame.objects if made in plan.names} if related else {}
    for first, second, most in related:
        a, b = (_number(ex, state, mine.get(place[0]), place) for place in (first, second))
        if a is not None and b is not None:
            state.guard = state.guard.and_(T.sle(T.sub(a, b), T.bv(most, _WIDE)))


_WIDE = 72  # bits in which the difference of two integers of 64 does not wrap around


def _number(ex: Execution, state: State, target: MemObject | None, place: Place) -> Term | None:
    contents = state.memory.get(target) if target is not None else None
    if target is None or contents is None:
        return None
    _, offset, size, signed = place
    value, missing = ex.memory.read(target, contents, offset, ir.IntType(8 * size))
    if not isinstance(value, Term) or missing is not T.FALSE or value.sort is T.BOOL or 8 * size > 64:
        return None
    return (T.sext if signed else T.zext)(value, _WIDE)
