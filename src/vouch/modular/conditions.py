"""When does a check of a function fail, as a term over what the function gets?

Symbolic execution has the answer already: the violated claim, together with the constraints on its symbols.
`of` takes it out of an equation. It is exact up to the loop bound where all its symbols are inputs; others
(results of calls that were not followed, data from outside) may be anything, so that it then holds for more
inputs than fail. `beyond` are the executions that were cut before the check: a loop that runs longer than it
was followed, something unsupported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from vouch.bmc.context import ExecutionContext
from vouch.bmc.environment.overlap import group_of
from vouch.bmc.equation import Claim, Cut, Equation, Touch
from vouch.bmc.value import Kind, MemObject, symbols
from vouch.c.checks.base import Check, Trigger
from vouch.modular.places import InputPlace, Named, named
from vouch.record import frozen_record, record
from vouch.smt import term as T
from vouch.smt.term import Term
from vouch.smt.walk import count

LARGEST = 60_000  # terms of a condition that is worth carrying on

# Whether these fail hangs on more than the values that a function gets.
_OTHER = frozenset(
    {Trigger.UNINITIALISED, Trigger.FREE, Trigger.LEAK, Trigger.CALL, Trigger.UNFINDABLE, Trigger.NEVER}
)


def has_condition(check: Check) -> bool:
    return check.trigger not in _OTHER


@frozen_record
class Beyond:
    """Executions that were not followed to the check. kind: as that of a `Cut`."""

    guard: Term
    kind: str
    reason: str

    @property
    def bounded(self) -> bool:
        return self.kind in ("loop", "recursion")


@dataclass(frozen=True, slots=True, eq=False)
class Bindings:
    """What the conditions of one execution have in common. `touches` are the accesses to memory from outside;
    `overlaps` says of which objects a symbol claims that they share memory; `plain`: all accesses through
    pointers are among the touches, and `writes` tells whether any of them may write."""

    named: Named
    touches: dict[MemObject, list[Touch]]
    overlaps: dict[Term, tuple[MemObject, MemObject]]
    unsupported: dict[Term, str]
    externals: tuple[str, ...]
    notes: tuple[str, ...]
    plain: bool
    writes: bool


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """The inputs for which a check of `function` fails: `violated` under `constraints`. `over`: they include
    all for which it does, other than `beyond`; `under`: it fails for all of them."""

    function: str
    check: Check
    violated: Term
    constraints: tuple[Term, ...]
    beyond: tuple[Beyond, ...]
    environment: Bindings
    over: bool = True
    under: bool = False

    @property
    def fails(self) -> Term:
        return T.and_(self.violated, *self.constraints)

    def with_violated(self, violated: Term, *, over: bool, under: bool) -> Condition:
        return replace(self, violated=violated, over=self.over and over, under=self.under and under)

    @property
    def hidden(self) -> list[Term]:
        """Symbols that no input has: in them it says more than the function's inputs do."""
        known = self.environment.named.numbers
        return [s for s in symbols(self.fails) if s not in known]


@record
class _Support:
    """Constraints by the symbols that they share with something."""

    constraints: list[Term]
    memo: dict[Term, frozenset[Term]] = field(default_factory=dict)
    by_symbol: dict[Term, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number, constraint in enumerate(self.constraints):
            for symbol in symbols(constraint):
                self.by_symbol.setdefault(symbol, []).append(number)

    def connected(self, terms: Iterable[Term]) -> tuple[Term, ...]:
        work = [s for term in terms for s in symbols(term)]
        seen, found = set(work), set()
        while work:
            for number in self.by_symbol.get(work.pop(), ()):
                if number not in found:
                    found.add(number)
                    fresh = set(symbols(self.constraints[number])) - seen
                    seen |= fresh
                    work.extend(fresh)
        return tuple(self.constraints[number] for number in sorted(found))


class Conditions:
    """Those of one execution of a function. `plain` and `writes` are for `Bindings`."""

    def __init__(
        self, context: ExecutionContext, equation: Equation, *, plain: bool, writes: bool
    ) -> None:
        self._equation = equation
        self._support = _Support(list(equation.constraints))
        self._environment = Bindings(
            named(context, equation),
            equation.touches,
            _overlaps(context),
            {**equation.unsupported, **context.inexact, **context.changed},
            tuple(equation.externals),
            tuple(equation.notes),
            plain,
            writes,
        )
        self._claims: dict[str, list[Claim]] = {}
        for claim in equation.claims:
            self._claims.setdefault(claim.check.id, []).append(claim)

    def of(self, check: Check) -> Condition | None:
        """None where it cannot be said or is too large."""
        if not has_condition(check):
            return None
        violated = T.or_(T.FALSE, *(claim.violated for claim in self._claims.get(check.id, ())))
        cuts = (cut for cut in self._equation.cuts if check.site.number in cut.reachable)
        beyond = tuple(_joined(cuts))
        terms = (violated, *(b.guard for b in beyond))
        constraints = self._support.connected(terms)
        if count(*terms, *constraints) > LARGEST:
            return None
        made = Condition(
            self._equation.entry, check, violated, constraints, beyond, self._environment, True, False
        )
        return replace(made, under=not made.hidden and not beyond)


def _joined(cuts: Iterable[Cut]) -> Iterable[Beyond]:
    """One for all that bounds cut off, and one for the rest."""
    found: dict[bool, Beyond] = {}
    for cut in cuts:
        new = Beyond(cut.guard, cut.kind, cut.reason)
        known = found.get(new.bounded)
        found[new.bounded] = new if known is None else replace(known, guard=T.or_(known.guard, new.guard))
    return found.values()


def _overlaps(context: ExecutionContext) -> dict[Term, tuple[MemObject, MemObject]]:
    """The symbols that stand for two objects alone."""
    members: dict[object, list[MemObject]] = {}
    globals_ = (o for o in context.globals.values() if o.kind is Kind.GLOBAL)
    for target in (*context.environment.objects, *globals_):
        members.setdefault(group_of(target), []).append(target)
    found: dict[Term, tuple[MemObject, MemObject]] = {}
    for symbol, pair in context.environment.overlaps.pairs.items():
        groups = [members.get(group, []) for group in pair]
        if len(groups) == 2 and all(len(group) == 1 for group in groups):
            found[symbol] = groups[0][0], groups[1][0]
    return found


def nameable(condition: Condition) -> dict[Term, InputPlace]:
    """The numbers that a condition hangs on and that C has an expression for, in the order of their paths."""
    known = condition.environment.named.numbers
    used = [known[s] for s in symbols(condition.fails) if s in known and known[s].exact]
    return {held.symbol: held for held in sorted(used, key=lambda held: held.symbol.id)}
