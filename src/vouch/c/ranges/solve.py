"""The fixed point of one function: states at the start of every block.

Ascending with widening at loop heads until nothing changes, then two descending rounds that recover what
widening overshot. Each round is sound by itself: it runs sound states through sound steps.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from typing import Any

from vouch.c.ir import (
    Branch,
    Function,
    IntConstant,
    IntType,
    Invoke,
    Operand,
    Phi,
    PointerType,
    Return,
    Switch,
)
from vouch.c.ranges import domain, refine, returns, written
from vouch.c.ranges.interpret import Interpreter
from vouch.c.ranges.outcomes import CallOutcome, CallSummary
from vouch.c.ranges.pointers import ANYWHERE, NULL, PointerRange, unnamed
from vouch.c.ranges.state import LIVE, TEXT, UNFREED, UNLOST, WRITTEN, State, join, join_values, keep, widen
from vouch.c.ranges.whole_program import ONLY_NULL, Extent, WholeProgram

_BEFORE_WIDENING = 3  # visits of a loop head
_BEFORE_LEAPING = 16  # moves there; then bounds that move go to the end of their type
_IN_HASTE = 5  # the same in large functions
_LARGE = 500  # blocks
_BEFORE_DROPPING = 40  # then nothing more is said of what still changes
_MOST_VISITS = 1000  # of a block; then its state is emptied
_DESCENTS = 2


class FixedPoint:
    """`inputs` are the states at block starts (a label that is missing is not reached)."""

    def __init__(
        self,
        whole: WholeProgram,
        function: Function,
        arguments: list[Any] | None,
        facts: Collection[Any] = (),
        outline: bool = False,
        carrying: bool = False,
    ) -> None:
        """`facts`: those of the `FACTS` that hold whenever it is called. `outline`: of a model, only what
        stands for all texts. `carrying`: find out where the function moves the pointers that its parameters
        point to (`carried`)."""
        self.whole = whole
        self.start: State = dict.fromkeys((TEXT, UNFREED, UNLOST, *facts), (True,))
        self.frame = whole.frame(function)
        self.at = Interpreter(whole, self.frame, whole.objects.escaping[function.name])
        self.at.outline = outline
        self.carried: dict[str, Any] = {}
        if carrying:
            self._carry(function)
        self.inputs: dict[str, State] = {}
        self.outputs: dict[tuple[str, str], State] = {}
        self.sources: dict[tuple[str, str], dict[str, tuple[Any, ...]]] = {}  # of edges to joins
        self.outcomes: dict[str, CallOutcome] = {}  # what holds at every return, by the sign of the result
        self.result: Any = None
        self.result_lives = False  # a pointer that is returned leads to something that is there
        self.result_filled = 0  # the bytes behind it that are written, as bits
        self.returns = False
        self.widened = False
        self._moves: dict[str, int] = {}  # how often what a loop moves itself was widened at its head
        self._bind(function, arguments)
        self._ascend()
        for _ in range(_DESCENTS if self.widened else 0):
            if not self._descend():
                break
        self._unite()

    def summary(self) -> CallSummary:
        """For callers: objects that the function allocates have no name there."""
        result = self.result
        if type(result) is PointerRange and result.base is not None and result.base[0] in "*!":
            result = result._replace(base=unnamed(self.at.extents[result.base].hi))
        return CallSummary(
            result, self.result_lives, self.result_filled, self.outcomes if self.returns else {}
        )

    def _unite(self) -> None:
        """A block is reached in the states of all its copies."""
        for copy, label in self.frame.origins.items():
            state = self.inputs.pop(copy, None)
            if state is not None:
                known = self.inputs.get(label)
                self.inputs[label] = state if known is None else join(known, state, self.at.general)

    def _bind(self, function: Function, arguments: list[Any] | None) -> None:
        for number, parameter in enumerate(function.parameters):
            given = arguments[number] if arguments is not None and number < len(arguments) else None
            value: Any = self.at.unknown(parameter.type)
            if isinstance(parameter.type, PointerType):
                if parameter.byval is not None:
                    filled = 0 if self.whole.copies.some else -1
                    given = Extent(0, self.at.extent(parameter.byval), False, written=filled)
                value = self._pointed(f"^{parameter.name}", given)
                if type(given) is Extent and given.lent:
                    self.at.lent[f"^{parameter.name}"] = self.whole.lending.leading_to(function, number)
            elif type(given) is tuple and isinstance(parameter.type, IntType):
                value = given
            self.at.registers[parameter.name] = value

    def _carry(self, function: Function) -> None:
        """Give the pointers behind parameters names."""
        for parameter in function.parameters:
            if isinstance(parameter.type, PointerType) and parameter.byval is None:
                base = f"^{parameter.name}"
                self._store(base, PointerRange(f"{base}@", 0, 0, False))
                self.carried[parameter.name] = None

    def _store(self, base: str, pointer: PointerRange) -> None:
        """A pointer is at the start of an object when the function is called."""
        key = (base, 0, self.whole.objects.sizes.store_size(PointerType()))
        self.start[key] = (pointer, ())
        self.at.keys.setdefault(base, set()).add(key)
        self.at.pointer_keys.add(key)

    def _pointed(self, base: str, given: Any) -> PointerRange:
        """The value of a parameter that leads to the object `base`."""
        if type(given) is not Extent:
            return PointerRange(base, 0, 0, False)
        if given.lo == ONLY_NULL.lo:
            return NULL
        self.at.extents[base] = given._replace(or_null=False)
        if given.mortal:
            self.start[LIVE, base] = (True,)
        if given.written:
            self.start[WRITTEN, base] = (given.written,)
        if given.inner is not None and not given.or_null:
            self._store(base, self._pointed(f"{base}@", given.inner))
        return PointerRange(base, 0, 0, not given.outside and not given.or_null, 0, given.or_null)

    # ------------------------------------------------------------ blocks

    def run(self, label: str, state: State) -> Iterator[tuple[str, State]]:
        """Run a block; yields the states that flow to its successors."""
        at = self.at
        at.enter(label, state)
        block = self.frame.function.blocks[label]
        for instruction in block.instructions[:-1]:
            at.step(instruction)
            if at.dead:
                return
        for target, flowing in self.leave(label):
            if target in self.frame.joins:
                self.sources[label, target] = dict(at.sources)
            yield target, flowing

    def leave(self, label: str) -> Iterator[tuple[str, State]]:
        at = self.at
        last = self.frame.function.blocks[label].terminator
        match last:
            case Branch(condition=condition, then=then, otherwise=otherwise) if condition is not None:
                assert otherwise is not None
                if self.frame.joins.get(label) == condition:
                    yield from self._join(label, then, otherwise)
                else:
                    yield from self._branch(condition, then, otherwise)
            case Switch():
                yield from self._switch(last)
            case Return(value=value):
                self._return(value)
            case Invoke(normal=normal, unwind=unwind):
                at.step(last)
                at.own = False
                yield unwind, at.state
                if not at.dead:
                    yield normal, at.state
            case _:
                at.step(last)  # of an instruction that the reader does not know
                at.own = False
                for target in self.frame.graph.successors[label]:
                    yield target, at.state

    def _branch(self, condition: Any, then: str, otherwise: str) -> Iterator[tuple[str, State]]:
        at = self.at
        known = at.value(condition)
        may_be_true = type(known) is not tuple or known[3] == 1
        may_be_false = type(known) is not tuple or known[2] == 0
        before = at.mark()
        if self.frame.handlers.get(otherwise) == then:
            if may_be_false:
                yield otherwise, at.state
            yield then, at.state
            return
        for target, truth, possible in ((then, True, may_be_true), (otherwise, False, may_be_false)):
            if possible:
                at.reset(before)
                if refine.assume(at, condition, truth):
                    yield target, at.state

    def _join(self, label: str, then: str, otherwise: str) -> Iterator[tuple[str, State]]:
        """A block that only joins the halves of `a && b` and branches on the outcome: each way in by
        itself."""
        phi = self.frame.function.blocks[label].instructions[0]
        assert isinstance(phi, Phi)
        for target, truth in ((then, True), (otherwise, False)):
            found: State | None = None
            for operand, before in phi.incoming:
                if (before, label) in self.at.edges:
                    self.at.reset((self.outputs[before, label], self.sources[before, label]))
                    if refine.assume(self.at, operand, truth):
                        found = (
                            self.at.state if found is None else join(found, self.at.state, self.at.general)
                        )
            if found is not None:
                yield target, found

    def _switch(self, last: Switch) -> Iterator[tuple[str, State]]:
        at = self.at
        before = at.mark()
        kind = getattr(last.value, "type", None)
        assert isinstance(kind, IntType)
        value = at.integer(last.value)
        found: dict[str, State] = {}
        for number, label in last.cases:
            if domain.contains(value, number.value, kind.bits):
                at.reset(before)
                if refine.narrow(at, last.value, domain.const(number.value, kind.bits)):
                    found[label] = join(found[label], at.state, at.general) if label in found else at.state
        at.reset(before)
        rest = _without_cases(value, last.cases, kind.bits)
        if rest is not None and refine.narrow(at, last.value, rest):
            label = last.default
            found[label] = join(found[label], at.state, at.general) if label in found else at.state
        yield from found.items()

    def _return(self, operand: Operand | None) -> None:
        for sign, outcome in returns.at_return(self.at, operand):
            known = self.outcomes.get(sign)
            self.outcomes[sign] = outcome if known is None else known.join(outcome)
        value = self.at.value(operand) if operand is not None else ANYWHERE
        if type(value) is PointerRange and value != NULL:
            lives, mask = self._returned_object(value)
            self.result_lives = lives and (self.result_lives or not self.returns)
            self.result_filled = mask & (self.result_filled if self.returns else mask)
        elif not self.returns:
            self.result_lives, self.result_filled = True, written.ALL
        self.result = value if not self.returns else join_values(self.result, value, self.at.general)
        size = self.whole.objects.sizes.store_size(PointerType()) if self.carried else 0
        for name, known in self.carried.items():
            left = self.at.state.get((f"^{name}", 0, size), (ANYWHERE,))[0]
            self.carried[name] = join_values(known, left) if self.returns else left
        self.returns = True

    def _returned_object(self, value: PointerRange) -> tuple[bool, int]:
        """Whether what a pointer leads to lives, and the bytes behind it that are written."""
        extent = self.at.extents.get(value.base or "") or self.whole.extent(value.base)
        if value.base is None or extent is None or value.base[0] == "%":
            return False, 0
        plain = value._replace(or_null=False)
        return self.at.is_live(value.base, extent), written.of_pointer(self.at, plain)

    # ------------------------------------------------------------ rounds

    def _ascend(self) -> None:
        graph, at = self.frame.graph, self.at
        entry = graph.order[0]
        self.inputs[entry] = self.start
        # A loop head waits until what is inside the loop has settled: inner loops come to rest first.
        last = dict(graph.number)
        for head in graph.heads:
            last[head] = max(graph.number[before] for before in graph.predecessors[head])
        queue = [(last[entry], graph.number[entry])]
        queued = {entry}
        visits: dict[str, int] = {}
        while queue:
            self.at.whole.stay_in_time()
            label = graph.order[heapq.heappop(queue)[1]]
            queued.discard(label)
            visits[label] = visits.get(label, 0) + 1
            at.widening = label in graph.heads and visits[label] > _BEFORE_WIDENING
            self.widened |= at.widening
            if visits[label] > _MOST_VISITS:
                self.inputs[label] = {}
            at.changed.clear()
            again: set[str] = set()
            for target, state in self.run(label, self.inputs[label]):
                if self._flow(label, target, state, visits) and target not in self.frame.handlers:
                    again.add(target)
            for name in at.changed:
                again |= {user for user in self.frame.cross[name] if user in self.inputs}
            for target in again - queued:
                queued.add(target)
                inside = target in graph.heads and target in visits
                heapq.heappush(
                    queue, (last[target] if inside else graph.number[target], graph.number[target])
                )
        at.widening = False

    def _flow(self, label: str, target: str, state: State, visits: dict[str, int]) -> bool:
        """Add a state to a block's input; whether that changed anything."""
        at = self.at
        new_edge = (label, target) not in at.edges
        at.edges.add((label, target))
        self.outputs[label, target] = state
        before = self.inputs.get(target)
        if before is None:
            self.inputs[target] = state
            return True
        if target in self.frame.single:  # nothing else flows there
            self.inputs[target] = state
            return new_edge or state != before
        if target in self.frame.graph.heads and visits.get(target, 0) > _BEFORE_WIDENING:
            self.widened = True
            steady, moves = self.frame.steady(target), self._moves.get(target, 0)
            if moves > _BEFORE_DROPPING:
                after = keep(before, state, at.general)
            else:
                leaping = moves > (_IN_HASTE if len(self.frame.graph.order) > _LARGE else _BEFORE_LEAPING)
                thresholds = () if leaping else self.frame.thresholds(target)
                after = widen(before, state, thresholds, at.size, at.general, steady)
                if any(after.get(key) != held for key, held in before.items() if key[0] not in steady):
                    self._moves[target] = moves + 1
        else:
            after = join(before, state, at.general)
        self.inputs[target] = after
        return after is not before or new_edge

    def _descend(self) -> bool:
        """One round in order: every block from what flows into it now. Whether that changed anything."""
        changed = False
        self.at.changed.clear()
        self.returns = False
        self.outcomes = {}
        edges, outputs = self.at.edges, self.outputs
        entry = self.frame.graph.order[0]
        for label in self.frame.graph.order:
            if label not in self.inputs:
                continue
            incoming = [
                outputs[before, label]
                for before in self.frame.graph.predecessors[label]
                if (before, label) in edges
            ]
            if label == entry:
                incoming.append(self.start)
            if not incoming:
                del self.inputs[label]
                self._cut(label)
                changed = True
                continue
            state = incoming[0]
            for other in incoming[1:]:
                state = join(state, other, self.at.general)
            changed = changed or state != self.inputs[label]
            self.inputs[label] = state
            # A block that is a loop by itself joins what comes back: its edges are cut after it has run.
            flows = [] if label in self.frame.handlers else list(self.run(label, state))
            self._cut(label)
            for target, flowing in flows:
                edges.add((label, target))
                outputs[label, target] = flowing
        return changed or bool(self.at.changed)

    def _cut(self, label: str) -> None:
        for target in self.frame.graph.successors[label]:
            self.at.edges.discard((label, target))


def _without_cases(
    value: domain.Value, cases: tuple[tuple[IntConstant, str], ...], bits: int
) -> domain.Value | None:
    """The value less the case labels at its ends, or None if nothing is left for the default."""
    numbers = sorted(number.value for number, _ in cases)
    for number in (*numbers, *reversed(numbers)):
        found = domain.refine("ne", value, domain.const(number, bits), bits)
        if found is None:
            return None
        value = found[0]
    return value
