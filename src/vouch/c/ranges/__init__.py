"""Preprocessing: decides what constants, bit-widths and value ranges decide, before any solver is asked.

Comes in: the `Program` and its checks. Goes out: `Decision`s, all of them `safe` (a possible violation is
left to the engine, which can show it), and `Ranges` for whoever needs invariants. Every function is analysed
at most twice: bottom-up for what it returns, then top-down with what its callers pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any

from vouch.c.checks.base import Check, Trigger
from vouch.c.checks.copies import partly_written
from vouch.c.entries import Entries
from vouch.c.ir import Call, Function, IntType, PointerType, Program
from vouch.c.promises import Promises, element_size, lengths
from vouch.c.ranges.access import APART
from vouch.c.ranges.calls import RangeCalls, instructions
from vouch.c.ranges.domain import Value
from vouch.c.ranges.judge import UNREACHABLE, judge
from vouch.c.ranges.modified import modified
from vouch.c.ranges.outcomes import SIGNS, CallOutcome, CallSummary
from vouch.c.ranges.pointers import OUTSIDE, OWN, PointerRange
from vouch.c.ranges.solve import FixedPoint
from vouch.c.ranges.spreading import spreads
from vouch.c.ranges.state import CLEAN, FACTS, LIVE, TIDY, WHOLE, ZONES
from vouch.c.ranges.summaries import Summaries
from vouch.c.ranges.whole_program import FROM_OUTSIDE, RangesLate, WholeProgram, join_arguments
from vouch.c.ranges.widths import by_width
from vouch.record import frozen_record, record
from vouch.verdict import Verdict

__all__ = ["Decision", "RangeAnalysis", "Ranges", "analyse"]


@frozen_record
class Decision:
    """`rung` is "preprocess" (constants, bit-widths, the compiler) or "ranges". `reason` is None, or what a
    reader should know: "unreachable", or an assumption that the verdict rests on."""

    verdict: Verdict
    rung: str
    reason: str | None = None


Place = tuple[str, int, int, bool]


def _place(variable: Any) -> Place:
    reading, (name, offset, size) = variable
    return name[1:], offset, size, reading == "s"


class Ranges:
    """Invariants: what integer variables of a function hold at the start of a block, whenever it is
    reached."""

    def __init__(
        self,
        solvers: dict[str, FixedPoint],
        printed: Mapping[int, tuple[int, int, int, int]] = MappingProxyType({}),
    ) -> None:
        self._solvers = solvers
        self._printed = printed

    def printed(self, call: int) -> tuple[int, int, int, int] | None:
        """The bytes that a call of sprintf or snprintf writes at least and at most, and what it returns;
        None where it may do more."""
        return self._printed.get(call)

    def of(
        self, function: str, label: str, variable: str, offset: int = 0, size: int | None = None
    ) -> Value | None:
        """`(slo, shi, ulo, uhi, zeros, ones)` of a local's (its alloca's name) or `@global`'s integer, None
        where nothing is known. `size` in bytes may be left out where only one is used."""
        solver = self._solvers.get(function)
        state = solver.inputs.get(label) if solver is not None else None
        name = variable if variable.startswith("@") else f"%{variable}"
        for key, held in (state or {}).items():
            if key[:2] == (name, offset) and size in (None, key[2]) and type(held[0]) is tuple:
                return held[0]
        return None

    def relations(self, function: str, label: str) -> list[tuple[Place, Place, int]]:
        """Pairs of integers in locals whose difference, the first less the second, is at most so much at the
        start of a block: the alloca's name, offset, size, and whether the integer is signed."""
        solver = self._solvers.get(function)
        state = solver.inputs.get(label) if solver is not None else None
        zone: Any = (state or {}).get(ZONES, ({},))[0]
        return [
            (_place(x), _place(y), most)
            for (x, y), most in zone.items()
            if x[0] in "su" and y[0] in "su" and x[1][0][0] == y[1][0][0] == "%"
        ]

    def reached(self, function: str, label: str) -> bool:
        """False where no execution reaches the block."""
        solver = self._solvers.get(function)
        return solver is None or label in solver.inputs


@record
class RangeAnalysis:
    """`contexts` say for each function what holds whenever it is called, `results` what integers they return;
    `complete`: memory from outside, and globals, are never written in part only."""

    decisions: dict[str, Decision]
    ranges: Ranges
    contexts: dict[str, RangeContext] = field(default_factory=dict)
    results: dict[str, Value] = field(default_factory=dict)
    graph: RangeCalls | None = None
    complete: bool = False


@frozen_record
class RangeContext:
    """How a function is called: `arguments` are values, `Extent`s or None for anything; None as a whole where
    nothing is known. `clean`: pointers in memory from outside are those from outside."""

    arguments: tuple[Any, ...] | None
    clean: bool


def analyse(
    program: Program,
    checks: Iterable[Check],
    starts: Entries,
    strict_pointers: bool = False,
    malloc_may_fail: bool = False,
    promised: Promises | None = None,
    deadline: float | None = None,
) -> RangeAnalysis:
    """Decisions by check id (a check that is missing is not decided), with the invariants. Of what is
    `promised` of calls from outside, the lengths of arrays count. After the `deadline`, callees that nobody
    has come to are left out: whoever calls them has been looked at before."""
    by_function: dict[str, list[Check]] = {}
    checks = list(checks)
    for check in checks:
        by_function.setdefault(check.function, []).append(check)
    public = starts.names if starts.library else ()
    whole = WholeProgram(program, starts.arbitrary, public, malloc_may_fail)
    whole.strict, whole.deadline = strict_pointers, deadline
    run = _Passes(whole, starts.names, strict_pointers, promised or Promises())
    run.roots.update(starts.handlers)
    if any(check.trigger is Trigger.UNINITIALISED for check in checks):
        run.whole.copies = partly_written(program)
    decisions: dict[str, Decision] = {}
    try:
        run.bottom_up()
        for component in reversed(run.whole.graph.components):
            for name, safe in run.component(component, by_function).items():
                decisions.update(_decisions(program, name, by_function.get(name, []), safe))
    except RangesLate:
        run.give_up()
        for name in by_function.keys() - run.contexts.keys():
            decisions.update(_decisions(program, name, by_function[name], {}))
    if run.whole.incomplete:
        for check in checks:
            known = decisions.get(check.id)
            if check.trigger is not Trigger.UNINITIALISED or known is None or known.reason == UNREACHABLE:
                continue
            if check.id in whole.doubtful:
                del decisions[check.id]
    whole = run.whole
    results = {name: held.result for name, held in whole.general.items() if type(held.result) is tuple}
    return RangeAnalysis(
        decisions,
        Ranges(run.solvers, whole.printed),
        run.contexts,
        results,
        whole.graph,
        not whole.incomplete,
    )


def _decisions(program: Program, name: str, checks: list[Check], safe: dict[str, str]) -> dict[str, Decision]:
    """What is known of the checks of a function, `safe` being those that ranges decide."""
    found: dict[str, Decision] = {}
    for check in checks:
        if check.trigger is Trigger.NEVER:
            found[check.id] = Decision(Verdict.SAFE, "preprocess")
    narrow = by_width(program, program.functions[name], checks) if checks else frozenset()
    for id_, reason in safe.items():
        rung = "preprocess" if id_ in narrow and not reason else "ranges"
        found[id_] = Decision(Verdict.SAFE, rung, reason or None)
    for id_ in narrow - safe.keys():
        found[id_] = Decision(Verdict.SAFE, "preprocess")
    return found


_BEFORE_WIDENING = 3  # rounds over functions that call each other
_LARGEST_CYCLE = 20_000  # instructions of functions that call each other and are looked at once more


class _Passes:
    """The two passes over the call graph."""

    def __init__(
        self, whole: WholeProgram, entries: Collection[str], strict: bool, promised: Promises
    ) -> None:
        self.whole = whole
        self.promised = promised
        self.strict = strict
        self.entries = set(entries)
        program, graph = whole.program, whole.graph
        self.roots = self.entries | graph.taken | {*program.constructors, *program.destructors}
        self.roots |= graph.twice
        self.solvers: dict[str, FixedPoint] = {}
        self.contexts: dict[str, RangeContext] = {}
        self._called = {callee for callees in graph.callees.values() for callee in callees}
        self._current: list[str] = []

    def give_up(self) -> None:
        """There is no time for the rest: nothing is known of it, nor of what was being looked at. What it
        would have said of memory that is written in part is taken to be said."""
        whole = self.whole
        whole.incomplete = True
        if whole.relating is False:  # still in the first pass
            whole.general.clear()
        for name in self._current:
            self.solvers.pop(name, None)
            self.contexts.pop(name, None)
        finished = {i.number for name in self.contexts for i in instructions(whole.program.functions[name])}
        for number in [n for n in whole.printed if n not in finished]:
            del whole.printed[number]

    def bottom_up(self) -> None:
        """What every function returns, whatever it is called with; and all writes to globals. Relations are
        left to the second pass, which decides."""
        whole = self.whole
        whole.relating = False
        whole.spreads = dict.fromkeys(whole.graph.reaching(whole.copies.copying | whole.copies.spreading))
        collects = not whole.arbitrary and bool(whole.objects.hidden) and not whole.graph.twice
        called = self._called
        asked = whole.lending.asked()
        fills = {f.name for f in whole.program.functions.values() if f.defined and _takes_pointer(f)} & called
        for name in whole.graph.order:
            function = whole.program.functions[name]
            wanted = name in called and isinstance(function.signature.result, IntType | PointerType)
            if name in whole.graph.twice or not (wanted or collects or name in asked or name in fills):
                continue
            solver = FixedPoint(whole, function, None, carrying=name in asked)
            if collects:
                judge(solver, ())
            whole.general[name] = solver.summary()
            if name in asked:
                self._note_writes(solver)
            if name in whole.spreads:
                whole.spreads[name] = spreads(solver)
        for component in whole.graph.components:
            if whole.graph.repeats(component):
                self._recursive(component)
        whole.relating = True
        whole.summaries = Summaries(whole)
        whole.incomplete = whole.copies.out
        whole.called.clear()
        whole.lost.clear()
        whole.arguments.clear()
        if collects:
            whole.settle_writes()

    def _recursive(self, names: list[str]) -> None:
        """Which outcomes of functions that call each other free nothing: assumed of all of them, and taken
        back until what is assumed of the calls among them is found of each."""
        whole = self.whole
        known = {name: whole.general[name] for name in names if name in whole.general}
        freeing = {name for name in known if whole.graph.effects[name].frees}
        if not freeing or not freeing.issuperset(names) or self._instructions(names) > _LARGEST_CYCLE:
            return
        assumed = {name: dict.fromkeys(SIGNS, False) for name in names}
        for name in names:
            whole.general[name] = self._assuming(known[name], name, assumed[name])
        calling: dict[str, list[str]] = {}
        for name in names:
            for callee in whole.graph.callees[name]:
                calling.setdefault(callee, []).append(name)
        found: dict[str, CallSummary] = {}
        visits: Counter[str] = Counter()
        waiting = dict.fromkeys(names)  # callees first
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            visits[name] += 1
            if visits[name] > _BEFORE_WIDENING:  # the first pass has to do
                found[name], after = known[name], dict.fromkeys(SIGNS, True)
            else:
                outcomes = FixedPoint(whole, whole.program.functions[name], None).outcomes
                found[name] = replace(known[name], outcomes=outcomes)
                after = {s: assumed[name][s] or (s in outcomes and outcomes[s].frees) for s in SIGNS}
            if after != assumed[name]:
                assumed[name] = after
                whole.general[name] = self._assuming(known[name], name, after)
                waiting.update(dict.fromkeys(n for n in calling.get(name, ()) if n in found))
        whole.general.update(found)

    def _instructions(self, names: list[str]) -> int:
        functions = self.whole.program.functions
        return sum(len(block.instructions) for name in names for block in functions[name].blocks.values())

    def _assuming(self, known: CallSummary, name: str, frees: dict[str, bool]) -> CallSummary:
        """A function of which no more is assumed than which outcomes free something."""
        loses = self.whole.graph.effects[name].loses
        return replace(known, outcomes={s: CallOutcome({}, {}, frees[s], loses) for s in SIGNS})

    def _note_writes(self, solver: FixedPoint) -> None:
        whole, function = self.whole, solver.frame.function
        for number, parameter in enumerate(function.parameters):
            trail = whole.lending.trails.get((function.name, parameter.name))
            if trail is not None and not trail.kept and not trail.returned:
                whole.modified[function.name, number] = modified(solver, parameter.name, trail)
                moved = solver.carried.get(parameter.name)
                if type(moved) is PointerRange and moved.base == f"^{parameter.name}@" and solver.returns:
                    whole.carried[function.name, number] = moved

    def component(self, names: list[str], checks: dict[str, list[Check]]) -> dict[str, dict[str, str]]:
        """`top_down` for functions that may call each other: until no call passes anything new. A function is
        visited again where it is called in a new way; what still grows after some rounds is taken to be
        anything."""
        again = self.whole.graph.repeats(names)
        found: dict[str, dict[str, str]] = {}
        seen: dict[str, Any] = {}
        rounds = 0
        self._current = names
        while True:
            before = {name: list(self.whole.arguments.get(name, ())) for name in names}
            for name in reversed(names):
                called = self._called_how(name)
                if name not in seen or seen[name] != called:
                    seen[name] = called
                    found[name] = self.top_down(name, checks.get(name, []))
            if not again or all(seen[name] == self._called_how(name) for name in names):
                return found
            rounds += 1
            if rounds >= _BEFORE_WIDENING:
                self._widen_arguments(before)

    def _called_how(self, name: str) -> Any:
        """All that decides what `top_down` finds in a function, beside what the first pass knows."""
        whole = self.whole
        lost = tuple((name, fact) in whole.lost for fact in FACTS)
        return name in whole.called, lost, tuple(whole.arguments.get(name, ()))

    def _widen_arguments(self, before: dict[str, list[Any]]) -> None:
        """What calls passed in the last round that is new is taken to be anything."""
        for name, given in before.items():
            now = self.whole.arguments.get(name, [])
            for number, (old, new) in enumerate(zip(given, now, strict=False)):
                if old != new:
                    now[number] = None

    def top_down(self, name: str, checks: list[Check]) -> dict[str, str]:
        """Ids of safe checks with reasons, callers having been visited before."""
        whole = self.whole
        function = whole.program.functions[name]
        if name in whole.graph.twice:
            _pass_anything(whole, function)
            whole.incomplete = whole.incomplete or bool(whole.copies.through)
            return {}
        if name not in self.roots and name not in whole.called:
            return {check.id: "unreachable" for check in checks}
        if name in self.roots:
            arguments = self._outside(name, function)
        else:
            arguments = whole.arguments.get(name)
        facts = self._facts(name)
        clean = {CLEAN, TIDY, (LIVE, OUTSIDE), (LIVE, OWN)}.issubset(facts)
        self.contexts[name] = RangeContext(None if arguments is None else tuple(arguments), clean)
        solver = self.solvers[name] = FixedPoint(whole, function, arguments, facts)
        if name not in self._called and not self._may_be_handed_anything(name):
            solver.at.parameters_apart = APART
        return judge(solver, checks)

    def _facts(self, name: str) -> list[tuple[Any, ...]]:
        """Those of the `FACTS` that hold whenever a function is called."""
        whole = self.whole
        if self.strict or self._may_be_handed_anything(name):
            return []
        if name not in whole.called and name not in self.entries:
            return []
        return [
            fact
            for fact in FACTS
            if (name, fact) not in whole.lost and (fact != WHOLE or name not in whole.copies.spreading)
        ]

    def _may_be_handed_anything(self, name: str) -> bool:
        """Whether calls through pointers may lead to a function."""
        return name in self.whole.graph.taken and bool(self.whole.graph.indirect)

    def _outside(self, name: str, function: Function) -> list[Any] | None:
        """Arguments of a function that code outside calls: arbitrary, but pointers are valid by
        assumption."""
        whole = self.whole
        if self.strict or name not in self.entries or self._may_be_handed_anything(name):
            return None
        if name == "main":  # argv has a length, and ends with a null pointer
            return None
        given: list[Any] = [
            # Where a struct is returned, nothing lies before.
            FROM_OUTSIDE if isinstance(p.type, PointerType) and not p.sret else None
            for p in function.parameters
        ]
        for number, (length, _) in lengths(self.promised, function).items():
            unit = length.unit or element_size(whole.program, function, number)
            count = 0 if length.count.name is not None else max(0, int(length.count.number))
            given[number] = FROM_OUTSIDE._replace(hi=count * unit)
        known = whole.arguments.get(name)
        if known is None:
            return None if name in whole.called else given
        return [join_arguments(a, b) for a, b in zip(given, known, strict=False)]


def _takes_pointer(function: Function) -> bool:
    return any(isinstance(parameter.type, PointerType) for parameter in function.parameters)


def _pass_anything(whole: WholeProgram, function: Function) -> None:
    """A function that is not analysed may call its callees with anything."""
    for instruction in instructions(function):
        if isinstance(instruction, Call):
            target = whole.graph.target(instruction)
            if target is not None:
                whole.note_call(target, [None] * len(instruction.arguments))
