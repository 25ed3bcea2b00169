"""Functions decoded into steps (`decoded`), block by block, and the steps of branches.

A block that nothing but the block before it leads to, apart from handlers that come back to it, goes on in
the list of that block: straight code is one list, however many checks divide it.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial

from vouch.bmc import claims
from vouch.bmc.decoded import Fast, Operand, operand_of, step_of
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.state import State
from vouch.bmc.straight import Around, Step, Straight
from vouch.c import ir
from vouch.c.checks.base import Check
from vouch.c.flow.handlers import is_handler_call
from vouch.c.flow.order import Flow
from vouch.smt import term as T
from vouch.smt.term import Term


def decode(ex: Execution, flow: Flow) -> dict[str, Straight]:
    """What is executed from the start of each block on, without phis."""
    following = _following(flow)
    own: dict[str, list[Step]] = {}
    for label, block in flow.function.blocks.items():
        own[label] = [
            (label, index, instruction, _step(ex, flow, label, instruction, following.get(label)))
            for index, instruction in enumerate(block.instructions)
            if not isinstance(instruction, ir.Phi)
        ]
    return {label: _chained(ex, flow, own, following, label) for label in own}


def _chained(
    ex: Execution, flow: Flow, own: dict[str, list[Step]], following: dict[str, str], label: str
) -> Straight:
    found, around = list(own[label]), {}
    while label in following and found[-1][3] is not None:
        past = _past(ex, flow, label, following[label])
        if past is not None:
            around[len(found) - 1] = past
        label = following[label]
        found += own[label]
    return Straight(ex, flow, found, around)


def _past(ex: Execution, flow: Flow, label: str, following: str) -> Around | None:
    """What the branch at the end of a block does that goes on with the next one of the list."""
    i = flow.function.blocks[label].terminator
    assert isinstance(i, ir.Branch)
    size = len(flow.function.blocks[following].instructions)
    if i.condition is None or i.otherwise is None or i.then == i.otherwise:
        return Around((), None, size)
    return Around([check for _, check in _handled(ex, flow, i.otherwise)], operand_of(ex, i.condition), size)


def _handled(ex: Execution, flow: Flow, handler: str) -> list[tuple[ir.Instruction, Check]]:
    return [
        (instruction, check)
        for instruction in flow.function.blocks[handler].instructions
        if is_handler_call(instruction)
        for check in ex.sites.get(instruction.number, ())
    ]


def _following(flow: Flow) -> dict[str, str]:
    """Block -> the one that goes on in its list. Both are in the same loops, so they run equally often."""
    before: defaultdict[str, set[str]] = defaultdict(set)
    for label, targets in flow.successors.items():
        for target in targets:
            before[target].add(label)
    found: dict[str, str] = {}
    for label, block in flow.function.blocks.items():
        last = block.terminator
        if not isinstance(last, ir.Branch) or flow.handlers.get(label) is not None:
            continue
        then = last.then
        if last.condition is not None and flow.handlers.get(last.otherwise or "") != then:
            continue
        ways = {b for b in before[then] if flow.handlers.get(b) != then or before[b] != {label}}
        head = isinstance(flow.function.blocks[then].instructions[0], ir.Phi) or then in flow.loops
        if ways == {label} and not head and flow.enclosing.get(then) == flow.enclosing.get(label):
            found[label] = then
    return found


def _step(
    ex: Execution, flow: Flow, label: str, instruction: ir.Instruction, following: str | None
) -> Fast | None:
    if not isinstance(instruction, ir.Branch):
        return step_of(ex, instruction, flow.fixed)
    if not ex.propagation or instruction.number in ex.sites:
        return None
    return _branch(ex, flow, label, instruction, following)


def _branch(
    ex: Execution, flow: Flow, label: str, i: ir.Branch, following: str | None
) -> Fast | None:
    """Branches around handlers, and those that were decided."""
    then, otherwise = i.then, i.otherwise
    # Whether a branch past nothing changed is asked where its condition comes to a phi that another tests.
    asked = any(label in parts for parts in flow.joined.values())
    watched = asked and flow.tests.get(label) is not None and bool(flow.enclosing.get(label))
    plain = i.condition is None or then == otherwise
    around = otherwise is not None and flow.handlers.get(otherwise) == then
    if watched and (plain or around):
        return None
    if plain:
        return partial(_on, ex, flow, following) if following == then else partial(_go, ex, label, then)
    assert i.condition is not None
    condition = operand_of(ex, i.condition)
    if condition is None or otherwise is None:
        return None
    if around:
        return _around(ex, flow, label, condition, then, otherwise, following)
    return _decided(ex, flow, label, condition, then, otherwise)


def _go(ex: Execution, label: str, target: str, frame: Frame, state: State) -> None:
    ex.go(frame, state, label, target, last=True)


def _on(ex: Execution, flow: Flow, target: str, frame: Frame, state: State) -> bool | None:
    """Into the block that goes on in this list."""
    if state.guard.dead:
        return None
    ex.equation.instructions += len(flow.function.blocks[target].instructions)
    return True


def _around(
    ex: Execution,
    flow: Flow,
    label: str,
    condition: Operand,
    then: str,
    handler: str,
    following: str | None,
) -> Fast | None:
    """Past a handler: where nobody asks about it, or the condition holds for certain, its block need not be
    looked at."""
    checks = _handled(ex, flow, handler)
    if any(check.trigger in claims.ELSEWHERE for _, check in checks):
        return None
    name, held = condition
    size = len(flow.function.blocks[then].instructions)

    def step(frame: Frame, state: State) -> bool | None:
        value = held if not name else frame.registers.get(name) or frame.fixed.get(name)
        if type(value) is not Term or (checks and value is not T.TRUE):
            return False
        for _, check in checks:
            ex.holds(check, state)
        if following is None:
            ex.go(frame, state, label, then, last=True)
            return None
        if state.guard.term is T.FALSE:
            return None
        ex.equation.instructions += size
        return True

    return step


def _decided(
    ex: Execution, flow: Flow, label: str, condition: Operand, then: str, otherwise: str
) -> Fast | None:
    """A branch whose condition is known, as the exit tests of most loops: as `instructions` does it."""
    around = flow.enclosing.get(label, ())
    watched = [operand_of(ex, operand) for operand in flow.tests.get(label, ())] if around else []
    if None in watched:
        return None
    passed = [*ex.passing(flow.function, then), *ex.passing(flow.function, otherwise)]
    left = [head for head in around if not {then, otherwise} <= flow.loops[head].blocks]
    parts = flow.joined.get(label) or (label,)
    (name, held), looked = condition, [operand for operand in watched if operand is not None]

    def step(frame: Frame, state: State) -> bool | None:
        registers, fixed, own = frame.registers, frame.fixed, id(frame)
        value = held if not name else registers.get(name) or fixed.get(name)
        if type(value) is not Term or value.value is None:
            return False
        if looked:
            found = [h if not n else registers.get(n) or fixed.get(n) for n, h in looked]
            if None in found:
                return False
            ex.look(own, label, found)  # type: ignore[arg-type]
        for check in passed:
            ex.holds(check, state)
        if left:
            decided = ex.moved.get((own, parts[0]), False)
            ex.exits(own, left, decided or any(ex.moved.get((own, part), False) for part in parts[1:]))
        ex.go(frame, state, label, then if value is T.TRUE else otherwise, last=True)
        return None

    return step
