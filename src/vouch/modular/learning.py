"""Preconditions that a person can read: failing inputs one by one, or what is learned from them.

The teacher is the solver, asked about the condition under which a check fails: for an input that fails and
is not excluded yet, or for one that is excluded and does not fail. The learner is a decision tree
(`features`). It ends when there are neither: the precondition is then complete (it excludes all failing
inputs) and maximal (it excludes no other). Pointers are taken to be valid or null here, and memory behind
different ones to be apart; what is proved with a condition keeps its doubts about that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from vouch.bmc.value import Kind, symbols
from vouch.errors import Unsupported
from vouch.modular import c_text
from vouch.modular.conditions import Condition, nameable
from vouch.modular.features import (
    RICHEST,
    Feature,
    FeatureVariable,
    Point,
    Tree,
    as_term,
    as_text,
    grow,
    leaves,
    pool,
)
from vouch.record import frozen_record
from vouch.smt import term as T
from vouch.smt.solver import Answer, Solver, SolverError
from vouch.smt.term import Term
from vouch.smt.walk import count, evaluate, order, substitute

MOST_LEAVES = 9  # of a tree that anybody reads; the next level of the pool may do with fewer
ROUNDS = 6  # of questions to the teacher on one level of the pool; more on the last where that helps
QUICK = 3000  # terms that are evaluated point by point
MOST_HIDDEN = 16  # symbols beside the inputs of what can be learned
MOST_ATOMS = 12  # conditions of the code that are features


@frozen_record
class Summary:
    """A precondition as C. `complete`: where it holds, the check does; `maximal`: where it does not hold,
    the check fails. `points` that were asked for."""

    text: str | None
    complete: bool
    maximal: bool
    points: int
    holds: Term = T.TRUE


@frozen_record
class _Goal:
    """`bad`: the check fails, or nobody knows, within `domain`; both with pointers valid and apart. `aside`
    are the symbols that were decided so. `exact`: they speak of the inputs alone."""

    variables: tuple[FeatureVariable, ...]
    bad: Term
    domain: Term
    aside: tuple[Term, ...]
    exact: bool

    @property
    def symbols(self) -> list[Term]:
        return [v.symbol for v in self.variables]

    @property
    def hidden(self) -> int:
        """How many symbols are no inputs."""
        return len(set(symbols(self.bad)).difference(self.symbols))


def _goal(condition: Condition) -> _Goal:
    named = condition.environment.named
    aside = dict.fromkeys(condition.environment.overlaps)
    nulls: dict[Term, str] = {}
    for held in named.pointers:
        seen: set[Term] = set()
        for guard, target, _ in held.value.targets[:-1]:
            fresh = [s for s in symbols(guard) if s not in seen]
            seen.update(fresh)
            if target.kind is Kind.NULL and held.path:
                nulls.update(dict.fromkeys(fresh, held.path))
            else:
                aside.update(dict.fromkeys(fresh))
    apart = dict.fromkeys(aside, T.FALSE)
    beyond = (b.guard for b in condition.beyond)
    memo: dict[Term, Term] = {}
    domain = substitute(T.and_(*condition.constraints), apart, memo)
    failing = substitute(T.or_(condition.violated, *beyond), apart, memo)
    bad = T.and_(failing, domain)
    used = set(symbols(bad))
    variables = [_variable(held.symbol, held.path, held.signed) for held in nameable(condition).values()]
    variables += [FeatureVariable(s, f"{path} == 0", 1, False, f"{path} != 0") for s, path in nulls.items()]
    kept = tuple(v for v in variables if v.symbol in used)
    exact = used <= {v.symbol for v in kept} and set(symbols(domain)) <= used
    in_use = set(symbols(T.and_(condition.fails, *(b.guard for b in condition.beyond))))
    return _Goal(kept, bad, domain, tuple(s for s in aside if s in in_use), exact)


def _variable(symbol: Term, path: str, signed: bool) -> FeatureVariable:
    if symbol.sort is T.BOOL:
        return FeatureVariable(symbol, path, 1, False, f"!{path}")
    return FeatureVariable(symbol, path, symbol.width, signed)


class _Teacher:
    """Answers about one goal, in the time that there is."""

    def __init__(self, goal: _Goal, make: Callable[[], Solver], seconds: float) -> None:
        self.goal = goal
        self.end = time.monotonic() + seconds
        self.solver = make()
        self.quick = goal.exact and count(goal.bad) <= QUICK
        self.asked = 0

    def late(self) -> bool:
        return time.monotonic() >= self.end

    def find(self, *terms: Term) -> Point | bool | None:
        """An input for which all terms hold; None: there is none; False: nobody knows."""
        left = self.end - time.monotonic()
        if left <= 0:
            return False
        self.asked += 1
        wanted = T.and_(*terms)
        if wanted is T.FALSE:
            return None
        try:
            answer = self.solver.check([wanted], timeout=left)
            if answer is Answer.SAT:
                return tuple(_read(v, self.solver.value(v.symbol)) for v in self.goal.variables)
        except (Unsupported, SolverError):
            return False
        return None if answer is Answer.UNSAT else False

    def at(self, point: Point) -> Term:
        pairs = zip(self.goal.variables, point, strict=True)
        return T.and_(*(_equals(v, value) for v, value in pairs))

    def fails(self, point: Point) -> bool | None:
        """For some value of whatever is not an input. None: not an input, or nobody knows."""
        if self.quick:
            values = {
                v.symbol: bool(x) if v.symbol.sort is T.BOOL else x & ((1 << v.width) - 1)
                for v, x in zip(self.goal.variables, point, strict=True)
            }
            if not evaluate(self.goal.domain, values, lambda s: False if s.sort is T.BOOL else 0):
                return None
            return bool(evaluate(self.goal.bad, values))
        found = self.find(self.goal.bad, self.at(point))
        return None if found is False else found is not None


def _equals(variable: FeatureVariable, value: int) -> Term:
    if variable.symbol.sort is T.BOOL:
        return variable.symbol if value else T.not_(variable.symbol)
    return T.eq(variable.symbol, T.bv(value, variable.width))


def _read(variable: FeatureVariable, value: int | bool) -> int:
    number = int(value)
    if variable.signed and number >> (variable.width - 1):
        number -= 1 << variable.width
    return number


# ---------------------------------------------------------------- one by one


def enumerated(
    condition: Condition, make: Callable[[], Solver], most: int, seconds: float
) -> tuple[Condition, Summary]:
    """Failing inputs, `most` of them at most, as values of what the failure hangs on."""
    goal = _goal(condition)
    teacher = _Teacher(goal, make, seconds)
    points: list[Point] = []
    complete = False
    try:
        while len(points) <= most and not complete:
            found = teacher.find(goal.bad)
            if found is None:
                complete = True
            elif isinstance(found, bool) or len(points) == most or not goal.variables:
                break
            else:
                points.append(found)
                teacher.solver.add(T.not_(teacher.at(found)))
    finally:
        teacher.solver.close()
    failing = T.or_(T.FALSE, *(teacher.at(point) for point in points))
    under = goal.exact and not condition.beyond
    text = None
    if points or complete:
        parts = [_point_text(goal.variables, p) for p in points]
        text = " && ".join(f"!({part})" for part in parts) or "1"
        text = text if len(text) <= c_text.LONGEST else None
    made = _replaced(condition, T.or_(failing, *goal.aside), over=complete, under=under)
    return made, Summary(text, complete, under, len(points), T.not_(failing))


def _point_text(variables: Sequence[FeatureVariable], point: Point) -> str:
    parts = []
    for variable, value in zip(variables, point, strict=True):
        if variable.symbol.sort is T.BOOL:
            parts.append(variable.text if value else variable.opposite)
        else:
            parts.append(f"{variable.text} == {c_text.number(value, variable.width, variable.signed)}")
    return " && ".join(parts)


def _replaced(condition: Condition, violated: Term, *, over: bool, under: bool) -> Condition:
    """With other failing inputs, which include what was beyond the bound where they include everything."""
    found = condition.with_violated(violated, over=over, under=under)
    return replace(found, constraints=(), beyond=() if over else condition.beyond)


# ---------------------------------------------------------------- learned


def learned(
    condition: Condition, make: Callable[[], Solver], seconds: float, *, read: bool = True
) -> tuple[Condition, Summary | None]:
    """What is learned in the time, in the place of the condition where it is as good. Unless somebody wants
    to `read` it, only conditions of the inputs alone are worth the work."""
    goal = _goal(condition)
    if not read and not goal.exact:
        return condition, None
    teacher = _Teacher(goal, make, seconds)
    try:
        found = _Learner(goal, teacher).run()
    finally:
        teacher.solver.close()
    if not found.complete or not found.maximal:
        return condition, found  # the condition itself says more
    violated = T.or_(T.not_(found.holds), *goal.aside)
    return _replaced(condition, violated, over=True, under=goal.exact and not condition.beyond), found


def summary(condition: Condition, make: Callable[[], Solver], seconds: float) -> Summary | None:
    """A complete precondition to be read: learned, or the condition itself where it is short."""
    goal = _goal(condition)
    teacher = _Teacher(goal, make, seconds)
    try:
        found = _Learner(goal, teacher).run()
    finally:
        teacher.solver.close()
    if found.complete and found.text is not None:
        return found
    if goal.exact:
        text = c_text.expression(T.not_(goal.bad), _names(goal))
        if text is not None:
            return Summary(text, True, not condition.beyond, found.points, T.not_(goal.bad))
    return None


def _names(goal: _Goal) -> dict[Term, str]:
    return {
        v.symbol: f"({v.text})" if v.symbol.sort is T.BOOL else c_text.unsigned(v.text, v.width, v.signed)
        for v in goal.variables
    }


class _Learner:
    def __init__(self, goal: _Goal, teacher: _Teacher) -> None:
        self.goal = goal
        self.teacher = teacher
        self.good: dict[Point, None] = {}
        self.bad: dict[Point, None] = {}
        self.level = 0
        self.rounds = 0

    def run(self) -> Summary:
        """Ask and learn until nothing is left to be asked, or too much was asked. The last complete answer
        is better than none."""
        if self.goal.hidden > MOST_HIDDEN:
            return Summary(None, False, False, 0, T.FALSE)
        tree: Tree | None = None
        complete = maximal = False
        while not self.teacher.late() and self._goes_on():
            new = self._tree()
            if new is None:
                break
            holds = as_term(new)
            excludes = self._excludes_all(holds)
            maximal = excludes and self._excludes_no_more(holds)
            if excludes or not complete:
                tree, complete = new, excludes
            if maximal or not self.news:
                break
        points = len(self.good) + len(self.bad)
        if tree is None:
            return Summary(None, False, False, points, T.FALSE)
        text = as_text(tree)
        shown = text if len(text) <= c_text.LONGEST else None
        return Summary(shown, complete, maximal, points, as_term(tree))

    def _goes_on(self) -> bool:
        """Whether to ask once more; what one level of the pool does not settle the next one may."""
        self.rounds += 1
        if self.rounds > ROUNDS and self.level < RICHEST:
            self.level, self.rounds = self.level + 1, 1
        return self.rounds <= (3 if self.goal.exact else 1) * ROUNDS

    news = False  # whether the last question brought a point

    def _tree(self) -> Tree | None:
        """From the poorest pool that does, with few leaves if any can."""
        best: Tree | None = None
        for level in range(self.level, RICHEST + 1):
            found = grow(self._pool(level), list(self.good), list(self.bad))
            if found is not None and (best is None or leaves(found) < leaves(best)):
                best = found
            if best is not None and leaves(best) <= MOST_LEAVES:
                break
        return best

    def _pool(self, level: int) -> list[Feature]:
        found = pool(self.goal.variables, level, list(self.good), list(self.bad))
        return found + self._atoms() if level >= RICHEST else found

    def _atoms(self) -> list[Feature]:
        """The conditions of the code that speak of the inputs alone."""
        inputs = set(self.goal.symbols)
        names = _names(self.goal)
        found: list[Feature] = []
        for term in order((self.goal.bad,)):
            if term.sort is not T.BOOL or term.op in ("and", "or", "not", "symbol") or term.value is not None:
                continue
            if any(a.sort is T.BOOL for a in term.args) or not inputs.issuperset(symbols(term)):
                continue
            yes, no = c_text.expression(term, names), c_text.expression(T.not_(term), names)
            if yes is not None and no is not None and len(found) < MOST_ATOMS:
                found.append(Feature(self._evaluated(term), term, f"({yes})", f"({no})"))
        return found

    def _evaluated(self, term: Term) -> Callable[[Point], bool]:
        def holds(point: Point) -> bool:
            pairs = zip(self.goal.variables, point, strict=True)
            values = {
                v.symbol: bool(x) if v.symbol.sort is T.BOOL else x & ((1 << v.width) - 1) for v, x in pairs
            }
            return bool(evaluate(term, values))

        return holds

    # ------------------------------------------------------------ questions

    def _excludes_all(self, holds: Term) -> bool:
        self.news = False
        found = self.teacher.find(holds, self.goal.bad)
        if isinstance(found, tuple):
            self._add(found, True)
        return found is None

    def _excludes_no_more(self, holds: Term) -> bool:
        found = self.teacher.find(T.not_(holds), self.goal.domain, T.not_(self.goal.bad))
        if isinstance(found, tuple):
            fails = False if self.goal.exact else self.teacher.fails(found)
            if fails is None:
                return False
            self._add(found, fails)
        return found is None

    def _add(self, point: Point, fails: bool) -> None:
        (self.bad if fails else self.good)[point] = None
        if fails:
            self.good.pop(point, None)
        self.news = True
        if self.teacher.quick:
            for axis, variable in enumerate(self.goal.variables):
                if variable.symbol.sort is not T.BOOL:
                    for sign in (1, -1):
                        self._border(point, fails, axis, sign)

    def _border(self, point: Point, fails: bool, axis: int, sign: int) -> None:
        """Two neighbours, if there are some this way, of which one fails and one does not."""
        variable = self.goal.variables[axis]
        low = -(1 << (variable.width - 1)) if variable.signed else 0
        high = low + (1 << variable.width) - 1
        inside, step = point[axis], 1
        while not self.teacher.late():
            there = inside + sign * step
            there = min(max(there, low), high)
            if there == inside:
                return
            said = self.teacher.fails((*point[:axis], there, *point[axis + 1 :]))
            if said is None:
                return
            if said is not fails:
                break
            inside, step = there, step * 2
        outside = there
        while abs(outside - inside) > 1 and not self.teacher.late():
            middle = (outside + inside) // 2
            said = self.teacher.fails((*point[:axis], middle, *point[axis + 1 :]))
            if said is fails:
                inside = middle
            else:
                outside = middle
        for value, held in ((inside, fails), (outside, not fails)):
            new = (*point[:axis], value, *point[axis + 1 :])
            if self.teacher.fails(new) is held:
                (self.bad if held else self.good)[new] = None
