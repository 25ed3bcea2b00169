"""What a call leaves behind that gets just these arguments: the callee is analysed once more for them.

The first pass knows what a function does whatever it gets. Here it is looked at with what is known of the
arguments at one call, and with those of the `FACTS` that hold there: which facts it leaves, what it returns.
The ways of calling that are told apart are few: integers count where they are constants, and pointers by the
room around them. An allowance bounds the work; beyond it the first pass has to do.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from vouch.c.ir import Call, PointerType
from vouch.c.ranges import domain
from vouch.c.ranges.outcomes import CallSummary
from vouch.c.ranges.pointers import INFINITE, PointerRange
from vouch.c.ranges.solve import FixedPoint
from vouch.c.ranges.state import FACTS, WHOLE
from vouch.c.ranges.whole_program import Extent

if TYPE_CHECKING:
    from vouch.c.ranges.interpret import Interpreter
    from vouch.c.ranges.whole_program import WholeProgram

_DEPTH = 4  # calls within calls
_ALLOWANCE = 60_000  # instructions in all
_LARGEST = 500  # instructions of one function
_MOST_WAYS = 6  # of calling one function


class Summaries:
    """Made by need, once for each way of calling."""

    def __init__(self, whole: WholeProgram) -> None:
        self._whole = whole
        self._known: dict[Any, CallSummary | None] = {}
        self._depth = 0
        self._left = _ALLOWANCE
        self._ways: Counter[str] = Counter()

    def of_call(self, at: Interpreter, call: Call, target: str) -> CallSummary | None:
        """None where only the first pass knows."""
        whole = self._whole
        function = whole.program.functions.get(target)
        if function is None or not function.defined or function.signature != call.signature:
            return None
        if target in whole.program.models or target in whole.graph.twice or function.signature.variadic:
            return None
        if not any(isinstance(parameter.type, PointerType) for parameter in function.parameters):
            return None
        spreading = target in whole.copies.spreading  # what it copies is not looked at one by one
        facts = tuple(fact for fact in FACTS if fact in at.state and not (spreading and fact == WHOLE))
        if not self._matters(target, facts):
            return None
        given = tuple(_plain(at.argument(argument)) for argument in call.arguments)
        key = (target, given, facts)
        if key not in self._known:
            self._known[key] = None  # of one that calls itself
            self._known[key] = self._made(key)
        return self._known[key]

    def _matters(self, target: str, facts: tuple[Any, ...]) -> bool:
        """Whether the first pass may have lost what a closer look finds."""
        effects, general = self._whole.graph.effects[target], self._whole.general.get(target)
        if effects.copies or effects.texts:
            return True
        if facts and (effects.taints or effects.frees or effects.unsettles):
            return True
        return general is not None and type(general.result) is PointerRange and general.result.base is None

    def _made(self, key: tuple[Any, ...]) -> CallSummary | None:
        target, given, facts = key
        function = self._whole.program.functions[target]
        if self._depth >= _DEPTH:
            return None
        if not self._is_plain(target, given):
            size = sum(len(block.instructions) for block in function.blocks.values())
            if size > min(_LARGEST, self._left) or self._ways[target] == _MOST_WAYS:
                return None
            self._left -= size
            self._ways[target] += 1
        self._depth += 1
        try:
            solver = FixedPoint(self._whole, function, list(given), facts)
        finally:
            self._depth -= 1
        return solver.summary()

    def _is_plain(self, target: str, given: tuple[Any, ...]) -> bool:
        """Whether a function finds a pointer in what comes from outside: worth a look however large it is."""
        general = self._whole.general.get(target)
        if general is None or type(general.result) is not PointerRange or general.result.base is not None:
            return False
        pointers = [g for g in given if type(g) is Extent]
        return not self._whole.graph.effects[target].frees and all(g.hi > INFINITE for g in pointers)


def _plain(given: Any) -> Any:
    """What is told apart of an argument."""
    if type(given) is tuple:
        return given if domain.is_const(given) else None
    if type(given) is Extent:
        lo = 0 if given.hi > INFINITE and given.lo <= 0 else given.lo
        return given._replace(lo=lo, inner=_plain(given.inner))
    return None
