"""A condition of a callee where it is called: the call model that stands in for its body.

The inputs of the callee are replaced by what the caller has there. What has no name becomes a new symbol:
whatever it may be. For every call that there is, the symbols of the callee can be chosen such that all that
is said here about them holds, so that a check fails in no call in which the condition does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vouch.bmc import access, calls, operands, shadow
from vouch.bmc.abstraction import Havoc, Policy
from vouch.bmc.callees import CallModel
from vouch.bmc.equation import Cut, Touch
from vouch.bmc.execution import Execution
from vouch.bmc.frame import Frame
from vouch.bmc.state import State
from vouch.bmc.value import Kind, MemObject, Pointer, Value, symbols
from vouch.c import ir
from vouch.errors import Unsupported
from vouch.modular.conditions import Bindings, Condition
from vouch.modular.places import Object, object_at, read, value_at
from vouch.smt import term as T
from vouch.smt.term import Term
from vouch.smt.walk import order, rebuild


@dataclass(frozen=True, slots=True, eq=False)
class Substituted:
    """A call model: claim what the conditions of the callee say, then let `rest` do what the callee does;
    None: run it."""

    conditions: Sequence[Condition]
    rest: CallModel | None

    def __call__(
        self, ex: Execution, frame: Frame, state: State, call: ir.Call, function: ir.Function | None, /
    ) -> State | None:
        assert function is not None
        values = calls.arguments(ex, frame, state, call)
        if len(values) < len(function.parameters):
            raise Unsupported(f"call of {function.source_name} with too few arguments")
        calls.note_call(ex, frame, state, call, function, values)
        instances: dict[Bindings, CallInstance] = {}
        for condition in self.conditions:
            known = condition.environment
            if known not in instances:
                instances[known] = CallInstance(ex, state, values, known)
            instances[known].prepare(condition)
        for condition in self.conditions:
            instances[condition.environment].claim(condition)
        for instance in instances.values():
            instance.touch()
        if self.rest is not None:
            return self.rest(ex, frame, state, call, function)
        return _follow(ex, frame, state, call, function, values)


def _follow(
    ex: Execution, frame: Frame, state: State, call: ir.Call, function: ir.Function, values: list[Value]
) -> State | None:
    """Run the callee for what it leaves behind; its checks are claimed already."""
    sites, ex.sites = ex.sites, {}
    passed = [a for a in call.arguments if not isinstance(a, ir.MetadataOperand)]
    try:
        ended = ex.call(function, values, state, frame, call, [shadow.of(ex, frame, a) for a in passed])
    finally:
        ex.sites = sites
    if ended is None:
        return None
    after, value = ended
    if not isinstance(call.type, ir.VoidType):
        operands.finish(frame, call, value if value is not None else ex.context.fresh(call.type, "result"))
    return after


class Substituting:
    """A policy: callees with conditions are replaced by these, others are as the policy below says."""

    def __init__(self, inner: Policy, conditions: Mapping[str, Sequence[Condition]]) -> None:
        self._inner = inner
        self._conditions = conditions

    def __call__(self, function: ir.Function, depth: int, /) -> CallModel | None:
        rest = self._inner(function, depth)
        found = self._conditions.get(function.name)
        return rest if found is None else Substituted(found, rest)

    @property
    def unknown(self) -> Havoc:
        return self._inner.unknown

    @property
    def taken(self) -> Sequence[str]:
        return self._inner.taken


class CallInstance:
    """The conditions of one execution of a callee in one call of it."""

    def __init__(
        self, ex: Execution, state: State, values: Sequence[Value], environment: Bindings
    ) -> None:
        self._ex = ex
        self._state = state
        self._values = values
        self._environment = environment
        self._memo: dict[Term, Term] = {}
        self._objects: dict[MemObject, Pointer | None] = {}
        self._linked: Term | None = None

    def prepare(self, condition: Condition) -> None:
        """What is to be claimed decides which pointers matter."""
        for term in (condition.violated, *condition.constraints, *(b.guard for b in condition.beyond)):
            self._put(term)

    def claim(self, condition: Condition) -> None:
        ex, state = self._ex, self._state
        fixed = [self._put(term) for term in condition.constraints]
        violated = self._put(condition.violated)
        links = T.TRUE if violated is T.FALSE and not condition.beyond else self._links()
        holds = T.and_(*fixed, links, T.TRUE)
        ex.claim(condition.check, state, T.and_(violated, holds))
        for beyond in condition.beyond:
            guard = T.and_(state.guard.term, self._put(beyond.guard), holds)
            if guard is not T.FALSE:
                reached = frozenset({condition.check.site.number})
                ex.equation.cuts.append(Cut(guard, beyond.kind, beyond.reason, reached))
        ex.equation.externals.update(dict.fromkeys(self._environment.externals))
        ex.equation.notes.update(dict.fromkeys(self._environment.notes))

    # ------------------------------------------------------------ terms of the callee in the caller

    def _put(self, root: Term) -> Term:
        memo, arrays = self._memo, self._environment.named.arrays
        for term in order((root,), memo):
            if term.op == "symbol":
                memo[term] = self._symbol(term)
            elif term.op == "select" and term.args[0] in arrays:
                memo[term] = self._element(term)
            else:
                memo[term] = rebuild(term, tuple(memo[arg] for arg in term.args))
        return memo[root]

    def _symbol(self, symbol: Term) -> Term:
        held = self._environment.named.numbers.get(symbol)
        anything = self._anything(symbol)
        if held is None:
            return anything
        value = value_at(self._ex, self._state, self._values, held.location)
        if not isinstance(value, Term):
            return anything
        if value.sort.kind == "fp":
            value = self._ex.memory.float_bits(value)
        if value.sort is not symbol.sort:
            return anything
        return value if held.doubt is T.FALSE else T.ite(self._put(held.doubt), anything, value)

    def _anything(self, symbol: Term) -> Term:
        fresh = T.fresh(symbol.name, symbol.sort)
        reason = self._environment.unsupported.get(symbol)
        if reason is not None:
            self._ex.context.unsupported[fresh] = reason
        return fresh

    def _element(self, term: Term) -> Term:
        """A word of an object's contents at the start, at any place."""
        array, index = term.args
        target, word = self._environment.named.arrays[array]
        bits = self._ex.context.pointer_bits
        place = T.mul(self._memo[index], T.bv(word, bits))
        pointer = self._object(target)
        value = None
        if pointer is not None:
            value = read(self._ex, self._state, pointer, place, ir.IntType(8 * word))
        if isinstance(value, Term) and value.sort is term.sort:
            return value
        return rebuild(term, (self._memo[array], self._memo[index]))

    def _object(self, target: MemObject) -> Pointer | None:
        if target not in self._objects:
            place = self._environment.named.objects.get(target)
            self._objects[target] = None if place is None else self._found(place)
        return self._objects[target]

    def _found(self, place: Object) -> Pointer | None:
        return object_at(self._ex, self._state, self._values, place)

    # ------------------------------------------------------------ pointers

    def _links(self) -> Term:
        """What the caller's pointers say about those of the callee."""
        if self._linked is None:
            self._linked = T.TRUE  # on the way; what is said of one pointer does not need the others
            self._linked = T.and_(T.TRUE, *self._pointers(), *self._sharing())
        return self._linked

    def _pointers(self) -> list[Term]:
        found: list[Term] = []
        for held in self._environment.named.pointers:
            if not any(s in self._memo for guard, _, _ in held.value.targets for s in symbols(guard)):
                continue
            value = value_at(self._ex, self._state, self._values, held.location)
            if not isinstance(value, Pointer):
                continue
            known: list[Term] = []
            for guard, target, offset in held.value.targets[:-1]:
                if target.kind is Kind.NULL:
                    known.append(T.eq(self._put(guard), access.is_null(value)))
                elif target.kind is Kind.WILD:
                    if self._environment.plain and not held.function:
                        bad = self._bad(held.value.targets[-1][1])
                        known.append(T.or_(T.not_(self._put(guard)), bad))
                else:
                    other = self._object(target)
                    if other is not None:
                        same = other.shifted(self._put(offset))
                        equal = access.compare_pointers(self._ex, "eq", value, same)
                        known.append(T.or_(T.not_(self._put(guard)), equal, self._doubt(target)))
            if known:
                found.append(T.or_(self._put(held.doubt), T.and_(*known)))
        return found

    def _bad(self, target: MemObject) -> Term:
        """Is anything accessed there that may not be? Only then a pointer counts as invalid."""
        pointer = self._object(target)
        if pointer is None:
            return T.TRUE
        allowed = access.writable if self._environment.writes else access.valid
        found: list[Term] = []
        for touch in self._environment.touches.get(target, ()):
            place = self._put(touch.offset)
            for guard, held, base in pointer.targets:
                ok = allowed(self._ex, self._state, held, T.add(base, place), touch.size)
                if ok is not T.TRUE:
                    found.append(T.and_(guard, T.not_(ok), self._put(touch.guard)))
        return T.or_(self._doubt(target), *found)

    def _doubt(self, target: MemObject) -> Term:
        place = self._environment.named.objects.get(target)
        return T.TRUE if place is None else self._put(place.doubt)

    def _sharing(self) -> list[Term]:
        found = []
        for symbol, (a, b) in self._environment.overlaps.items():
            if symbol in self._memo:
                left, right = self._object(a), self._object(b)
                if left is not None and right is not None:
                    doubt = T.or_(self._doubt(a), self._doubt(b))
                    found.append(T.or_(T.not_(self._memo[symbol]), self._share(left, right), doubt))
        return found

    def _share(self, left: Pointer, right: Pointer) -> Term:
        """May these lead into one object?"""
        cases: list[Term] = []
        for g1, a, _ in left.targets:
            for g2, b, _ in right.targets:
                kinds = (a.kind, b.kind)
                if Kind.NULL in kinds or Kind.FUNCTION in kinds:
                    continue
                both = T.and_(g1, g2)
                if a is b or Kind.WILD in kinds or Kind.DEVICE in kinds:
                    cases.append(both)
                    continue
                found = self._ex.context.environment.overlaps.between(a, b)
                if found is not None:
                    cases.append(T.and_(both, found[0]))
        return T.or_(T.FALSE, *cases)

    def touch(self) -> None:
        """What the callee accesses of memory from outside, the caller accesses."""
        equation, path = self._ex.equation, self._state.guard.term
        for target, touches in self._environment.touches.items():
            pointer = self._object(target)
            for held, base in [(o, off) for _, o, off in pointer.targets] if pointer is not None else ():
                if held.kind is not Kind.OUTSIDE:
                    continue
                for touch in touches:
                    place = T.add(base, self._put(touch.offset))
                    guard = T.and_(path, self._put(touch.guard))
                    new = Touch(guard, place, touch.size, equation.touched)
                    equation.touches.setdefault(held, []).append(new)
                    equation.touched += 1

